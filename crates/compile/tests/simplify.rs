//! Simplified graphs compute the same values. The rules are tested by `passes/simplify`.
use brasa_compile::simplify;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{Array, DType, Graph, Id, Recorder, eval, text, verify};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::collections::HashMap;

fn difference(got: &Array, want: &Array) -> Option<String> {
    (0..want.len()).find_map(|i| {
        let (got, want) = (got.f64(i), want.f64(i));
        let is_same = got == want || (got.is_nan() && want.is_nan());
        let is_close = (got - want).abs() <= 1e-12 * (1.0 + want.abs());
        (!is_same && !is_close).then(|| format!("element {i}: {got}, before {want}"))
    })
}

/// Compares the values of a graph before and after simplification.
fn compare(graph: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<(), String> {
    let want = eval(graph, inputs, wanted).map_err(|e| e.to_string())?;
    let simple = simplify(graph, wanted);
    verify(&simple.graph).map_err(|wrongs| wrongs.join("\n"))?;
    let moved = inputs.iter().filter_map(|(id, x)| Some((simple.new_id(*id)?, x.clone())));
    let outputs: Vec<_> = wanted.iter().filter_map(|&id| simple.new_id(id)).collect();
    let got = eval(&simple.graph, &moved.collect(), &outputs).map_err(|e| e.to_string())?;
    for (n, (got, want)) in got.iter().zip(&want).enumerate() {
        if let Some(what) = difference(got, want) {
            let (before, after) =
                (text::print(graph, wanted), text::print(&simple.graph, &outputs));
            return Err(format!("output {n}, {what}\n{before}\n{after}"));
        }
    }
    Ok(())
}

/// Graphs that resemble the patterns of rules but must not match, or match in edge cases.
#[test]
fn near_matches_of_rules_keep_their_values() {
    let sources = [
        // The position of the maximum of a row, gathered several times.
        "%x = input f64[2, 3]\n%i = arg_reduce %x by=\"max\" axis=1\n\
         %y = gather %x (expand (reshape %i shape=[2, 1]) shape=[2, 2]) axis=1\nreturn %y",
        // Quotients of integers, which are rounded before they are added.
        "%x = input i32[8]\n%c = const 3 i32[8]\n\
         %y = add (div %x %c) (div (mul %x %x) %c)\nreturn %y",
        // Windows with gaps between them, of which the last is cut, and with elements behind them.
        "%x = input f64[3, 2]\n%y = fold %x axis=0 len=9 step=3 dilation=1\nreturn %y",
        "%x = input f64[2, 3, 2]\n%y = fold %x axis=1 len=8 step=3 dilation=1\nreturn %y",
        "%x = input f64[3, 2, 2]\n%y = fold %x axis=0 len=7 step=2 dilation=1\nreturn %y",
    ];
    for source in sources {
        let parsed = text::parse(source).expect("parses");
        let x = parsed.names["x"];
        let ty = parsed.graph[x].ty.clone();
        let value = Array::from_f64(&ty, (0..ty.elements()).map(|i| (i * 5 % 7) as f64 - 2.5));
        let inputs = HashMap::from([(x, value)]);
        compare(&parsed.graph, &inputs, &parsed.outputs)
            .unwrap_or_else(|what| panic!("{what}\nof\n{source}"));
    }
}

fn check(recipe: &Recipe) -> Result<(), String> {
    let g = Recorder::default();
    let built = build(recipe, &g, DType::F64);
    let inputs: HashMap<_, _> = built.inputs.iter().cloned().collect();
    g.read(|graph| compare(graph, &inputs, &built.outputs))
}

/// `BRASA_FUZZ=n` runs `n` graphs.
#[test]
fn random_graphs_keep_their_values() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(256);
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(cases.into()),
        ..Config::default()
    };
    let result = TestRunner::new(config)
        .run(&Recipe::any(), |recipe| check(&recipe).map_err(TestCaseError::fail));
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
