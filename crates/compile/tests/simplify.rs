//! Simplified graphs compute the same values with fewer nodes.
use brasa_compile::simplify;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{Array, DType, Graph, Id, Recorder, eval, text, verify};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::collections::HashMap;

/// Simplifies a graph in text form.
fn simplified(source: &str) -> String {
    let parsed = text::parse(source).expect("parses");
    let simple = simplify(&parsed.graph, &parsed.outputs);
    let outputs: Vec<_> = parsed.outputs.iter().filter_map(|&id| simple.new_id(id)).collect();
    text::print(&simple.graph, &outputs)
}

#[test]
fn rules() {
    let rows = [
        // Dead nodes are removed, and common subexpressions are merged.
        (
            "%x = input f32[2]\n%a = exp %x\n%b = exp %x\n%c = sin %x\n%y = add %a %b\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = exp %0 : f32[2]\n%2 = add %1 %1 : f32[2]\nreturn %2\n",
        ),
        // Equal inputs are not merged.
        (
            "%a = input \"x\" f32[2]\n%b = input \"x\" f32[2]\n%y = sub %a %b\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = input \"x\" f32[2]\n%2 = sub %0 %1 : f32[2]\n\
             return %2\n",
        ),
        // Constants fold through scalar functions and views.
        (
            "%x = input f32[2]\n%c = mul (const 2 f32[2]) (const 3 f32[2])\n%y = mul %x %c\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = const 6.0 f32[2]\n%2 = mul %0 %1 : f32[2]\nreturn %2\n",
        ),
        // Neutral elements, double negations and inverse permutations are removed.
        (
            "%x = input f32[2, 3]\n%a = sub %x (const 0 f32[2, 3])\n%b = neg (neg %a)\n\
             %c = permute (permute %b axes=[1, 0]) axes=[1, 0]\nreturn %c",
            "%0 = input \"x\" f32[2, 3]\nreturn %0\n",
        ),
        // Neutral elements may come first.
        (
            "%x = input i32[2]\n%a = add (const 0 i32[2]) %x\n%b = mul (const 1 i32[2]) %a\n\
             %c = div (sub %b (const 0 i32[2])) (const 1 i32[2])\nreturn %c",
            "%0 = input \"x\" i32[2]\nreturn %0\n",
        ),
        // −0 + 0 is 0.
        (
            "%x = input f32[2]\n%y = add %x (const 0 f32[2])\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = const 0.0 f32[2]\n%2 = add %0 %1 : f32[2]\nreturn %2\n",
        ),
        // The transpose of a product is a product of transposes.
        (
            "%a = input f32[2, 3]\n%b = input f32[3, 4]\n\
             %y = permute (contract %a %b) axes=[1, 0]\nreturn %y",
            "%0 = input \"a\" f32[2, 3]\n%1 = input \"b\" f32[3, 4]\n\
             %2 = permute %1 axes=[1, 0] : f32[4, 3]\n%3 = permute %0 axes=[1, 0] : f32[3, 2]\n\
             %4 = contract %2 %3 : f32[4, 2]\nreturn %4\n",
        ),
        // A factor moves behind views and products.
        (
            "%a = input f32[3, 2]\n%b = input f32[3, 4]\n%c = mul %a (const 2 f32[3, 2])\n\
             %y = contract (permute %c axes=[1, 0]) %b\nreturn %y",
            "%0 = input \"a\" f32[3, 2]\n%1 = input \"b\" f32[3, 4]\n\
             %2 = permute %0 axes=[1, 0] : f32[2, 3]\n%3 = contract %2 %1 : f32[2, 4]\n\
             %4 = const 2.0 f32[2, 4]\n%5 = mul %3 %4 : f32[2, 4]\nreturn %5\n",
        ),
        // A divisor moves out of the sum that is its gradient.
        (
            "%x = input f32[2, 3]\n%d = input f32[2, 3]\n%s = input f32[2, 1]\n\
             %r = expand %s shape=[2, 3]\n%t = neg (mul %d (div %x %r))\n\
             %y = reduce (div %t %r) by=\"sum\" axes=[1]\nreturn %y",
            "%0 = input \"x\" f32[2, 3]\n%1 = input \"d\" f32[2, 3]\n\
             %2 = input \"s\" f32[2, 1]\n%3 = expand %2 shape=[2, 3] : f32[2, 3]\n\
             %4 = div %0 %3 : f32[2, 3]\n%5 = mul %1 %4 : f32[2, 3]\n\
             %6 = reduce %5 by=\"sum\" axes=[1] : f32[2]\n%7 = neg %6 : f32[2]\n\
             %8 = reshape %2 shape=[2] : f32[2]\n%9 = div %7 %8 : f32[2]\nreturn %9\n",
        ),
        // It stays inside other sums, which might overflow without it.
        (
            "%x = input f32[2, 3]\n%s = input f32[2, 1]\n\
             %y = reduce (div (neg %x) (expand %s shape=[2, 3])) by=\"sum\" axes=[1]\nreturn %y",
            "%0 = input \"x\" f32[2, 3]\n%1 = input \"s\" f32[2, 1]\n%2 = neg %0 : f32[2, 3]\n\
             %3 = expand %1 shape=[2, 3] : f32[2, 3]\n%4 = div %2 %3 : f32[2, 3]\n\
             %5 = reduce %4 by=\"sum\" axes=[1] : f32[2]\nreturn %5\n",
        ),
        // So do factors.
        (
            "%x = input f32[2, 3]\n%s = input f32[2, 1]\n\
             %y = reduce (mul (expand %s shape=[2, 3]) %x) by=\"sum\" axes=[1]\nreturn %y",
            "%0 = input \"x\" f32[2, 3]\n%1 = input \"s\" f32[2, 1]\n\
             %2 = expand %1 shape=[2, 3] : f32[2, 3]\n%3 = mul %2 %0 : f32[2, 3]\n\
             %4 = reduce %3 by=\"sum\" axes=[1] : f32[2]\nreturn %4\n",
        ),
        // Integer quotients are rounded individually.
        (
            "%x = input i32[3]\n%y = reduce (div %x (const 2 i32[3])) by=\"sum\" axes=[0]\nreturn %y",
            "%0 = input \"x\" i32[3]\n%1 = const 2 i32[3]\n%2 = div %0 %1 : i32[3]\n\
             %3 = reduce %2 by=\"sum\" axes=[0] : i32[]\nreturn %3\n",
        ),
        // The gradient of a softmax, e/s · (d − Σ d·e/s), has one division.
        (
            "%e = input f32[2, 3]\n%d = input f32[2, 3]\n%s = input f32[2, 1]\n\
             %r = expand %s shape=[2, 3]\n%p = div %e %r\n\
             %t = reduce (div (mul %d %p) %r) by=\"sum\" axes=[1]\n\
             %u = expand (reshape %t shape=[2, 1]) shape=[2, 3]\n\
             %y = mul (sub (div %d %r) %u) %e\nreturn %y",
            "%0 = input \"e\" f32[2, 3]\n%1 = input \"d\" f32[2, 3]\n\
             %2 = input \"s\" f32[2, 1]\n%3 = expand %2 shape=[2, 3] : f32[2, 3]\n\
             %4 = div %0 %3 : f32[2, 3]\n%5 = mul %1 %4 : f32[2, 3]\n\
             %6 = reduce %5 by=\"sum\" axes=[1] : f32[2]\n\
             %7 = reshape %6 shape=[2, 1] : f32[2, 1]\n%8 = expand %7 shape=[2, 3] : f32[2, 3]\n\
             %9 = sub %1 %8 : f32[2, 3]\n%10 = mul %9 %4 : f32[2, 3]\nreturn %10\n",
        ),
        // Other quotients are neither added nor multiplied before the division.
        (
            "%a = input f32[2]\n%b = input f32[2]\n%s = input f32[2]\n\
             %y = sub (div %a %s) (div %b %s)\nreturn %y",
            "%0 = input \"a\" f32[2]\n%1 = input \"b\" f32[2]\n%2 = input \"s\" f32[2]\n\
             %3 = div %0 %2 : f32[2]\n%4 = div %1 %2 : f32[2]\n%5 = sub %3 %4 : f32[2]\n\
             return %5\n",
        ),
        (
            "%e = input f32[2]\n%y = input f32[2]\n%s = input f32[2]\n%p = div %e %s\n\
             %q = mul (div %y %s) %e\nreturn %p, %q",
            "%0 = input \"e\" f32[2]\n%1 = input \"y\" f32[2]\n%2 = input \"s\" f32[2]\n\
             %3 = div %0 %2 : f32[2]\n%4 = div %1 %2 : f32[2]\n%5 = mul %4 %0 : f32[2]\n\
             return %3, %5\n",
        ),
        // A fold of adjacent windows becomes a reshape.
        (
            "%x = input f32[3, 2]\n%y = fold %x axis=0 len=6 step=2 dilation=1\nreturn %y",
            "%0 = input \"x\" f32[3, 2]\n%1 = reshape %0 shape=[6] : f32[6]\nreturn %1\n",
        ),
        // A factor moves behind zero padding.
        (
            "%x = input f32[2]\n%c = mul %x (const 2 f32[2])\n\
             %y = pad %c before=[1] after=[0] value=0.0\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = pad %0 before=[1] after=[0] value=0.0 : f32[3]\n\
             %2 = const 2.0 f32[3]\n%3 = mul %1 %2 : f32[3]\nreturn %3\n",
        ),
        // A subexpression that an activation shares with its gradient is computed once.
        (
            "%x = input f32[2]\n%y = silu %x\n%s = sigmoid %x\nreturn %y, %s",
            "%0 = input \"x\" f32[2]\n%1 = sigmoid %0 : f32[2]\n%2 = const -200.0 f32[2]\n\
             %3 = maximum %0 %2 : f32[2]\n%4 = mul %3 %1 : f32[2]\nreturn %4, %1\n",
        ),
        (
            "%x = input f32[2]\n%y = silu %x\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = silu %0 : f32[2]\nreturn %1\n",
        ),
        // Quotients by different divisors are not merged.
        (
            "%a = input f32[2]\n%b = input f32[2]\n%c = input f32[2]\n%d = input f32[2]\n\
             %y = add (div %a %b) (div %c %d)\nreturn %y",
            "%0 = input \"a\" f32[2]\n%1 = input \"b\" f32[2]\n%2 = input \"c\" f32[2]\n\
             %3 = input \"d\" f32[2]\n%4 = div %0 %1 : f32[2]\n%5 = div %2 %3 : f32[2]\n\
             %6 = add %4 %5 : f32[2]\nreturn %6\n",
        ),
        // A slice of a slice is one slice.
        (
            "%x = input f32[40]\n%a = slice %x start=[2] len=[12] step=[3]\n\
             %y = slice %a start=[4] len=[4] step=[2]\nreturn %y",
            "%0 = input \"x\" f32[40]\n%1 = slice %0 start=[14] len=[4] step=[6] : f32[4]\n\
             return %1\n",
        ),
        // An intermediate cast to a wider dtype is removed; one that rounds is kept.
        (
            "%x = input f32[2]\n%y = cast (cast %x dtype=f64) dtype=f16\nreturn %y",
            "%0 = input \"x\" f32[2]\n%1 = cast %0 dtype=f16 : f16[2]\nreturn %1\n",
        ),
        (
            "%x = input i32[2]\n%y = cast (cast %x dtype=f32) dtype=i64\nreturn %y",
            "%0 = input \"x\" i32[2]\n%1 = cast %0 dtype=f32 : f32[2]\n\
             %2 = cast %1 dtype=i64 : i64[2]\nreturn %2\n",
        ),
        // arg_reduce of long stored rows stays a library op.
        (
            "%x = input f32[2, 33]\n%y = arg_reduce %x by=\"max\" axis=1\nreturn %y",
            "%0 = input \"x\" f32[2, 33]\n%1 = arg_reduce %0 by=\"max\" axis=1 : i64[2]\nreturn %1\n",
        ),
        // So does arg_reduce of rows whose indices are not exact in f32.
        (
            "%x = input f32[16777217]\n%y = arg_reduce (exp %x) by=\"max\" axis=0\nreturn %y",
            "%0 = input \"x\" f32[16777217]\n%1 = exp %0 : f32[16777217]\n\
             %2 = arg_reduce %1 by=\"max\" axis=0 : i64[]\nreturn %2\n",
        ),
        // A gather at the argmax is the maximum.
        (
            "%x = input f32[2, 3]\n%i = arg_reduce %x by=\"max\" axis=1\n\
             %y = gather %x (reshape %i shape=[2, 1]) axis=1\nreturn %y",
            "%0 = input \"x\" f32[2, 3]\n%1 = reduce %0 by=\"max\" axes=[1] : f32[2]\n\
             %2 = reshape %1 shape=[2, 1] : f32[2, 1]\nreturn %2\n",
        ),
    ];
    for (source, want) in rows {
        assert_eq!(simplified(source), want, "of\n{source}");
    }
}

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
