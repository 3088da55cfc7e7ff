//! Every gradient rule against central differences, in `f64` on the reference device.
//!
//! Scalar functions and primitives are checked element by element, first and second order; the
//! cases of the op table and random graphs along random directions. `BRASA_FUZZ=n` runs `n` random
//! graphs.
mod differences;
mod primitives;

use brasa_ir::case::{Case, cases, elements};
use brasa_ir::ops::{Role, Scalar};
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{Array, DType, Expr, Id, Recorder, Type, text};
use differences::Checker;
use proptest::prelude::*;

/// Fails with all problems, one per line.
#[track_caller]
fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

/// A new input with random elements.
fn input<'g>(
    g: &'g Recorder,
    inputs: &mut Vec<(Id, Array)>,
    ty: Type,
    range: (f64, f64),
) -> Expr<'g> {
    let value = elements(("input", inputs.len()), &ty, range);
    let x = g.input("x", Role::Data, ty);
    inputs.push((x.id(), value));
    x
}

/// Checks all elements of the gradient of `y`, and of the gradient of that.
fn both_orders(
    name: &str,
    g: &Recorder,
    inputs: Vec<(Id, Array)>,
    y: Id,
    skipped: &[usize],
) -> Vec<String> {
    let mut checker = Checker::new(g, inputs);
    let checked = checker.slope(&[g.expr(y)]).and_then(|first| {
        let mut problems = checker.check_elements(&first, skipped);
        if problems.is_empty() {
            let second = checker.slope_of(&first)?;
            let found = checker.check_elements(&second, skipped).into_iter();
            problems.extend(found.map(|p| format!("second order, {p}")));
        }
        Ok(problems)
    });
    let problems = checked.unwrap_or_else(|error| vec![error]).into_iter();
    problems.map(|problem| format!("{name}: {problem}")).collect()
}

#[test]
fn scalar_functions_agree_with_differences() {
    let check = |&row: &Scalar| {
        let (g, mut inputs, def) = (Recorder::default(), Vec::new(), row.def());
        let operand = |n: usize| {
            let (dtype, range) = match (row, n) {
                (Scalar::Select, 0) => (DType::Bool, (0.0, 2.0)),
                // Order 0 is digamma; its argument may be any positive number.
                (Scalar::Polygamma, 0) => (DType::F64, (0.0, 0.0)),
                (Scalar::Polygamma, 1) => (DType::F64, (0.5, 3.0)),
                _ => (DType::F64, def.domain),
            };
            input(&g, &mut inputs, Type::new(dtype, [7]), range)
        };
        let operands: Vec<Expr> = (0..def.arity).map(operand).collect();
        let y = Expr::map(row, &operands).id();
        // The order of polygamma is an integer.
        let skipped: &[usize] = if row == Scalar::Polygamma { &[0] } else { &[] };
        both_orders(def.name, &g, inputs, y, skipped)
    };
    let is_smooth = |row: &&Scalar| row.def().kind != brasa_ir::ops::Kind::Bits;
    assert_none(Scalar::ALL.iter().filter(is_smooth).flat_map(check).collect());
}

#[test]
fn primitives_agree_with_differences() {
    let check = |case: primitives::Case| {
        let (g, mut inputs) = (Recorder::default(), Vec::new());
        let operand = |shape: &Vec<usize>| {
            input(&g, &mut inputs, Type::new(DType::F64, &shape[..]), (-2.0, 2.0))
        };
        let operands: Vec<Expr> = case.shapes.iter().map(operand).collect();
        let y = (case.build)(&operands).id();
        both_orders(&case.name, &g, inputs, y, &[])
    };
    assert_none(primitives::cases().into_iter().flat_map(check).collect());
}

/// Calls whose gradient intentionally differs from the derivative: no gradient, no gradient for the
/// padding row, or the gradient of the soft choice for the hard one.
const EXEMPT: [&str; 3] = ["detach(", "padding_idx=", "hard=true"];

#[test]
fn cases_agree_with_differences() {
    let check = |case: Case| -> Result<(), String> {
        let g = Recorder::default();
        let recorded = case.record(&g, DType::F64).map_err(|e| e.to_string())?;
        let outputs: Vec<Expr> = recorded.outputs.iter().map(|&id| g.expr(id)).collect();
        let mut checker = Checker::new(&g, recorded.inputs);
        let slope = checker.slope(&outputs)?;
        (0..3).try_for_each(|seed| checker.check_direction(&slope, seed))
    };
    let is_exempt = |case: &Case| EXEMPT.iter().any(|part| case.to_string().contains(part));
    let checked = cases().filter(|case| !is_exempt(case));
    let failed = checked.filter_map(|case| check(case).err().map(|why| format!("{case}: {why}")));
    assert_none(failed.collect());
}

fn random_graphs() -> u32 {
    let wanted = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok());
    wanted.unwrap_or(64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_graphs()))]

    #[test]
    fn random_graphs_agree_with_differences(recipe in Recipe::smooth()) {
        let g = Recorder::default();
        let built = build(&recipe, &g, DType::F64);
        let forward = g.read(|graph| text::print(graph, &built.outputs));
        let outputs: Vec<Expr> = built.outputs.iter().map(|&id| g.expr(id)).collect();
        let mut checker = Checker::new(&g, built.inputs);
        let checked = checker.slope(&outputs).and_then(|slope| {
            (0..2).try_for_each(|seed| checker.check_direction(&slope, seed))?;
            let second = checker.slope_of(&slope)?;
            checker.check_direction(&second, 2).map_err(|why| format!("second order, {why}"))
        });
        prop_assert!(checked.is_ok(), "{}\n{}", checked.unwrap_err(), forward);
    }
}
