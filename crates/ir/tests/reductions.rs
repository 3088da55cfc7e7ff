//! Edge cases of reductions, statistics and orderings: no elements, ties, NaN.
use brasa_ir::ops::Role;
use brasa_ir::table::{Reader, find};
use brasa_ir::{Array, DType, Expr, Id, Recorder, Result, Type, Value, eval};
use std::collections::HashMap;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

struct Feed<'g> {
    g: &'g Recorder,
    values: HashMap<Id, Array>,
}

impl Feed<'_> {
    fn input(&mut self, x: &Array) -> Value {
        Value::Tensor(self.feed(self.g, x.clone()).id())
    }
}

impl Reader for Feed<'_> {
    fn read(&mut self, x: Expr) -> Result<Array> {
        x.recorder().read(|graph| Ok(eval(graph, &self.values, &[x.id()])?.remove(0)))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        let x = g.input("x", Role::Data, value.ty.clone());
        self.values.insert(x.id(), value);
        x
    }
}

fn run(op: &str, tensors: &[Array], named: &[(&str, Value)]) -> Result<Vec<Array>> {
    let g = Recorder::default();
    let mut feed = Feed { g: &g, values: HashMap::new() };
    let inputs: Vec<Value> = tensors.iter().map(|x| feed.input(x)).collect();
    let entry = find(op).unwrap_or_else(|| panic!("there is no op {op}"));
    let ids = entry.call_reading(&g, &mut feed, &inputs, named)?;
    g.read(|graph| eval(graph, &feed.values, &ids))
}

/// Compares the results of a call with those wanted; NaN equals itself.
fn check(op: &str, tensors: &[Array], named: &[(&str, Value)], want: &[&[f64]]) {
    let got = run(op, tensors, named).unwrap_or_else(|e| panic!("{e}"));
    let got: Vec<Vec<f64>> = got.iter().map(Array::to_f64).collect();
    let is_near = |a: f64, b: f64| a == b || (a - b).abs() < 1e-6 || a.is_nan() && b.is_nan();
    let agrees = |a: &Vec<f64>, b: &&[f64]| {
        a.len() == b.len() && a.iter().zip(*b).all(|(&a, &b)| is_near(a, b))
    };
    let all_agree = got.len() == want.len() && got.iter().zip(want).all(|(a, b)| agrees(a, b));
    assert!(all_agree, "{op} of {tensors:?} with {named:?}: got {got:?}, expected {want:?}");
}

fn list(x: &[f64]) -> Array {
    Array::from_f64(&Type::new(DType::F32, [x.len()]), x.iter().copied())
}

fn ints(x: &[i64]) -> Array {
    Array::from_i64(&Type::new(DType::I64, [x.len()]), x.iter().copied())
}

fn int(i: i64) -> Value {
    Value::Int(i)
}

fn float(x: f64) -> Value {
    Value::Float(x)
}

#[test]
fn reductions_of_no_elements_are_defined_or_rejected() {
    let none = [list(&[])];
    check("sum", &none, &[], &[&[0.0]]);
    check("prod", &none, &[], &[&[1.0]]);
    check("mean", &none, &[], &[&[NAN]]);
    check("var", &none, &[], &[&[NAN]]);
    check("all", &none, &[], &[&[1.0]]);
    check("any", &none, &[], &[&[0.0]]);
    check("median", &none, &[], &[&[NAN]]);
    check("logsumexp", &none, &[], &[&[-INF]]);
    check("vector_norm", &none, &[("ord", int(3))], &[&[0.0]]);
    check("cumprod", &none, &[("dim", int(0))], &[&[]]);
    for op in ["amax", "amin", "max", "min", "argmax", "argmin", "mode", "quantile"] {
        let q: &[_] = if op == "quantile" { &[("q", float(0.5))] } else { &[] };
        assert!(run(op, &none, q).is_err(), "{op} of no elements");
    }
}

#[test]
fn nan_and_infinities_propagate_as_in_pytorch() {
    let x = [list(&[1.0, NAN, -2.0, NAN, 4.0, 3.0])];
    let dim = [("dim", int(0))];
    check("nansum", &x, &[], &[&[6.0]]);
    check("nanmean", &x, &[], &[&[1.5]]);
    check("amax", &x, &[], &[&[NAN]]);
    check("max", &x, &dim, &[&[NAN], &[1.0]]);
    check("median", &x, &[], &[&[NAN]]);
    check("median", &x, &dim, &[&[NAN], &[1.0]]);
    check("nanmedian", &x, &[], &[&[1.0]]);
    check("nanmedian", &x, &dim, &[&[1.0], &[0.0]]);
    check("nanmedian", &[list(&[NAN, NAN])], &dim, &[&[NAN], &[0.0]]);
    check("quantile", &x, &[("q", float(0.5))], &[&[NAN]]);
    check("nanquantile", &x, &[("q", float(0.5))], &[&[2.0]]);
    check("cummax", &x, &dim, &[&[1.0, NAN, NAN, NAN, NAN, NAN], &[0.0, 1.0, 1.0, 3.0, 3.0, 3.0]]);
    check("logsumexp", &[list(&[-INF, -INF])], &dim, &[&[-INF]]);
    check("logsumexp", &[list(&[INF, 0.0])], &dim, &[&[INF]]);
    check("logcumsumexp", &[list(&[-INF, -INF, -1000.0])], &dim, &[&[-INF, -INF, -1000.0]]);
    check("searchsorted", &[list(&[1.0, 2.0]), list(&[NAN, 1.0, 3.0])], &[], &[&[2.0, 0.0, 2.0]]);
}

/// The position of a quantile is exact even if the dtype of the elements cannot represent it.
#[test]
fn quantiles_of_long_narrow_rows_are_exact() {
    for (dtype, len) in [(DType::BF16, 1001), (DType::F16, 10_001), (DType::F16, 100_001)] {
        // Zeros up to the position of the quantile, larger elements after it.
        let position = (len - 1) * 3 / 4;
        let value = |i: usize| if i < position { 0.0 } else { 1.0 + f64::from(i > position) };
        let x = [Array::from_f64(&Type::new(dtype, [len]), (0..len).map(value))];
        for op in ["quantile", "nanquantile"] {
            check(op, &x, &[("q", float(0.75))], &[&[1.0]]);
        }
    }
}

#[test]
fn medians_and_modes_have_known_values() {
    let x = [list(&[3.0, 1.0, 2.0, 2.0, 1.0])];
    check("median", &[list(&[4.0, 1.0, 3.0, 2.0])], &[], &[&[2.0]]);
    check("mode", &x, &[], &[&[1.0], &[4.0]]);
    check("kthvalue", &x, &[("k", int(3))], &[&[2.0], &[2.0]]);
    check("quantile", &x, &[("q", float(0.9))], &[&[2.6]]);
    let nearest = [("q", float(0.4)), ("interpolation", Value::Str("nearest".into()))];
    check("quantile", &x, &nearest, &[&[2.0]]);
    let bins = [("bins", int(2)), ("min", float(1.0)), ("max", float(2.0))];
    check("histc", &x, &bins, &[&[2.0, 2.0]]);
    check("histc", &[list(&[5.0, 5.0])], &[("bins", int(3))], &[&[0.0, 2.0, 0.0]]);
    check("bincount", &[ints(&[1, 3, 1])], &[], &[&[0.0, 2.0, 0.0, 1.0]]);
    check("bincount", &[ints(&[1, 0, 1]), list(&[0.5, 1.0, 2.0])], &[], &[&[1.0, 2.5]]);
    assert!(run("bincount", &[ints(&[1, -1])], &[]).is_err());
}

#[test]
fn norms_have_known_values() {
    let x = [list(&[3.0, 0.0, -4.0])];
    for (ord, want) in [(0.0, 2.0), (1.0, 7.0), (2.0, 5.0), (INF, 4.0), (-INF, 0.0), (-1.0, 0.0)] {
        check("vector_norm", &x, &[("ord", float(ord))], &[&[want]]);
        check("norm", &x, &[("p", float(ord))], &[&[want]]);
    }
    check("norm", &x, &[("p", Value::Str("fro".into()))], &[&[5.0]]);
    let error = run("norm", &x, &[("p", Value::Str("nuc".into()))]).expect_err("is not supported");
    assert!(error.message().contains("nuclear"), "{error}");
}

#[test]
fn half_floats_are_summed_in_a_wide_type() {
    let ty = Type::new(DType::F16, [100]);
    let large = [Array::from_f64(&ty, (0..100).map(|i| 60000.0 - 64.0 * (i % 2) as f64))];
    check("mean", &large, &[], &[&[59968.0]]);
    check("var", &large, &[("correction", int(0))], &[&[1024.0]]);
    check("std", &large, &[("correction", int(0))], &[&[32.0]]);
}

#[test]
fn unique_values_have_inverse_and_counts() {
    let yes = Value::Bool(true);
    let all = [("return_inverse", yes.clone()), ("return_counts", yes)];
    let x = [ints(&[2, 0, 0, 2, 1])];
    check("unique", &x, &all, &[&[0., 1., 2.], &[2., 0., 0., 2., 1.], &[2., 1., 2.]]);
    let runs: [&[f64]; 3] = [&[2., 0., 2., 1.], &[0., 1., 1., 2., 3.], &[1., 2., 1., 1.]];
    check("unique_consecutive", &x, &all, &runs);
    let ty = Type::new(DType::I64, [3, 2]);
    let rows = [Array::from_i64(&ty, [1, 2, 0, 5, 1, 2])];
    let by_row = [&[("dim", int(0))], &all[..]].concat();
    check("unique", &rows, &by_row, &[&[0., 5., 1., 2.], &[1., 0., 1.], &[1., 2.]]);
    let nan = [list(&[NAN, 1.0, NAN])];
    check("unique", &nan, &[], &[&[1.0, NAN, NAN]]);
    check("repeat_interleave_tensor", &[ints(&[7, 8, 9]), ints(&[0, 2, 1])], &[], &[&[8., 8., 9.]]);
}

#[test]
fn differences_and_integrals_have_known_values() {
    let x = [list(&[1.0, 4.0, 9.0, 16.0])];
    check("trapezoid", &x, &[], &[&[21.5]]);
    check("cumulative_trapezoid", &x, &[("dx", float(2.0))], &[&[5.0, 18.0, 43.0]]);
    check("trapezoid", &[x[0].clone(), list(&[0.0, 1.0, 3.0, 4.0])], &[], &[&[28.0]]);
    check("gradient", &x, &[], &[&[3.0, 4.0, 6.0, 7.0]]);
    check("gradient", &x, &[("edge_order", int(2))], &[&[2.0, 4.0, 6.0, 8.0]]);
    check("diff", &x, &[("n", int(9))], &[&[]]);
    check(
        "cumprod",
        &[ints(&[3, 1 << 40, 1 << 21])],
        &[("dim", int(0))],
        &[&[3.0, (3i64 << 40) as f64, (3i64 << 61) as f64]],
    );
}
