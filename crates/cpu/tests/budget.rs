//! Memory budgets: programs that rematerialize values instead of keeping them give the same bits.
use brasa_compile::{Options, Program, compile, compile_with};
use brasa_ir::ops::Role;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{DType, Expr, Recorder, Result, Type};
use common::Model;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

mod common;

fn within(model: &Model, budget: usize) -> Result<Program> {
    let options = Options { budget: Some(budget), ..Options::default() };
    model.g.read(|graph| compile_with(graph, &model.wanted, &options))
}

/// Compiles with half the memory, and compares the results.
fn halve(name: &str, record: impl for<'g> Fn(&mut Model<'g>) -> Result<Expr<'g>>) {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = record(&mut model).expect("records");
    model.differentiate(loss).expect("records");
    let plain = g.read(|graph| compile(graph, &model.wanted));
    let budget = plain.peak_bytes() / 2;
    let small = within(&model, budget).unwrap_or_else(|e| panic!("{name}: {e}"));
    let cost = &small.recomputed;
    println!(
        "{name}: {} -> {} bytes, {} rematerialized launches, {} flops, {} bytes moved",
        plain.peak_bytes(),
        small.peak_bytes(),
        cost.launches,
        cost.flops,
        cost.bytes
    );
    assert!(small.peak_bytes() <= budget, "{name}: {} of {budget}", small.peak_bytes());
    assert!(
        !cost.nodes.is_empty() && cost.flops > 0,
        "{name}: the report names no recomputed work"
    );
    assert_eq!(small.launches.len(), plain.launches.len() + cost.launches);
    assert!(model.run(&plain, 1) == model.run(&small, 1), "{name}: results differ");
}

#[test]
fn half_the_memory_gives_the_same_bits() {
    halve("MLP", |m| common::mlp(m, 1024, 32, 12));
    halve("transformer", |m| common::gpt(m, 16, 32, 32));
}

#[test]
fn a_sufficient_budget_changes_nothing() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = common::mlp(&mut model, 64, 16, 3).expect("records");
    model.train(loss).expect("records");
    let plain = g.read(|graph| compile(graph, &model.wanted));
    let same = within(&model, plain.peak_bytes()).expect("fits");
    assert_eq!(plain, same);
}

#[test]
fn an_impossible_budget_names_the_largest_values() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [8, 8]));
    let y = x.contract(x).contract(x);
    let line = line!() - 1;
    let compiled = |budget: usize| {
        let options = Options { budget: Some(budget), ..Options::default() };
        g.read(|graph| compile_with(graph, &[y.id()], &options))
    };
    assert_eq!(compiled(768).expect("fits").peak_bytes(), 768);
    let error = compiled(700).expect_err("two products and x do not fit").to_string();
    let site = |column: usize| format!("{}:{line}:{column}", file!());
    let want = format!(
        "compile: the program does not fit into 700 bytes; the smallest plan found needs 768 bytes, 256 of \
         them for inputs. The largest values at the peak:\n  \
         contract: f32[8, 8], 256 bytes, at {}\n  \
         contract: f32[8, 8], 256 bytes, at {}\n  \
         help: use a smaller batch",
        site(15),
        site(27)
    );
    assert_eq!(error, want);
    let error = compiled(100).expect_err("x alone does not fit").to_string();
    assert_eq!(error, "compile: the inputs alone take 256 bytes, more than the budget of 100");
}

/// Results do not depend on the budget.
#[test]
fn random_graphs_keep_their_bits() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(cases.into()),
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&Recipe::any(), |recipe| {
        let g = Recorder::default();
        let built = build(&recipe, &g, DType::F32);
        let mut model = Model::new(&g);
        (model.values, model.wanted) = (built.inputs.into_iter().collect(), built.outputs);
        let plain = g.read(|graph| compile(graph, &model.wanted));
        let want = model.run(&plain, 1);
        for percent in [95, 80, 60] {
            let Ok(small) = within(&model, plain.peak_bytes() * percent / 100) else { break };
            if model.run(&small, 1) != want {
                return Err(TestCaseError::fail(format!("{percent} %\n{plain}\n{small}")));
            }
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
