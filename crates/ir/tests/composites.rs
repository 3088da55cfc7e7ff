//! Values of composites that the recorded cases of PyTorch do not cover.
use brasa_ir::ops::compose::*;
use brasa_ir::{DType, Error, Expr, Recorder, Result, eval};
use std::collections::HashMap;
use std::f64::consts::FRAC_2_PI;

/// An op under test, called.
type Build = for<'g> fn(&'g Recorder) -> Result<Expr<'g>>;

fn value(build: Build) -> (Vec<usize>, DType, Vec<f64>) {
    let g = Recorder::default();
    let y = build(&g).expect("records");
    let values = g.read(|graph| eval(graph, &HashMap::new(), &[y.id()])).expect("evaluates");
    (y.shape().to_vec(), y.dtype(), values[0].to_f64())
}

/// The tensor −2, −1, 0, 1, 2.
fn five(g: &Recorder) -> Expr<'_> {
    g.iota(5, DType::F32) - 2.0
}

#[test]
fn elementwise_composites_have_known_values() {
    let rows: [(&str, Build, [f64; 5]); 11] = [
        ("ldexp", |g| ldexp(g, five(g), 3.into()), [-16.0, -8.0, 0.0, 8.0, 16.0]),
        ("heaviside", |g| heaviside(g, five(g), five(g) + 0.5), [0.0, 0.0, 0.5, 1.0, 1.0]),
        ("signbit", |g| signbit(g, five(g) * -1.0), [0.0, 0.0, 1.0, 1.0, 1.0]),
        ("xlog1py", |g| xlog1py(g, five(g).like(0.0).into(), five(g).into()), [0.0; 5]),
        ("pow", |g| pow(g, five(g).into(), (-2).into()), [0.25, 1.0, f64::INFINITY, 1.0, 0.25]),
        ("pow", |g| pow(g, 2.into(), five(g).into()), [0.25, 0.5, 1.0, 2.0, 4.0]),
        ("logit", |g| logit(g, five(g), Some(0.5)), [0.0; 5]),
        ("sinc", |g| sinc(g, five(g) * 0.5), [0.0, FRAC_2_PI, 1.0, FRAC_2_PI, 0.0]),
        ("round", |g| round(g, five(g) * 0.126, 2), [-0.25, -0.13, 0.0, 0.13, 0.25]),
        ("polygamma", |g| polygamma(g, 1, five(g).like(1.0)), [1.644_934; 5]),
        ("fmax", |g| fmax(g, five(g), five(g).like(f64::NAN)), [-2.0, -1.0, 0.0, 1.0, 2.0]),
    ];
    for (name, build, want) in rows {
        let (_, _, got) = value(build);
        let is_near =
            got.iter().zip(want).all(|(got, want)| *got == want || (got - want).abs() < 1e-5);
        assert!(is_near, "{name}: {got:?}, expected {want:?}");
    }
}

/// A name that occurs twice in one operand, as in PyTorch.
#[test]
fn axis_names_may_repeat_in_an_operand() {
    // 0, 1, 2, … as a tensor whose axes all have the same length.
    fn cube(g: &Recorder, len: usize, rank: usize) -> Expr<'_> {
        let shape = vec![len; rank];
        g.iota(len.pow(rank as u32), DType::F32).reshape(&shape)
    }
    fn sum<'g>(g: &'g Recorder, of: &str, terms: Vec<Expr<'g>>) -> Result<Expr<'g>> {
        einsum(g, of.to_string(), terms)
    }
    let rows: [(&str, Build, &[usize], &[f64]); 6] = [
        ("trace", |g| sum(g, "ii", vec![cube(g, 3, 2)]), &[], &[12.0]),
        ("diagonal", |g| sum(g, "ii->i", vec![cube(g, 3, 2)]), &[3], &[0.0, 4.0, 8.0]),
        ("sum of it", |g| sum(g, "ii->", vec![cube(g, 3, 2)]), &[], &[12.0]),
        ("the rest stays", |g| sum(g, "iij", vec![cube(g, 2, 3)]), &[2], &[6.0, 8.0]),
        ("batches", |g| sum(g, "...ii", vec![cube(g, 2, 3)]), &[2], &[3.0, 11.0]),
        (
            "with another",
            |g| sum(g, "iij,ij->j", vec![cube(g, 2, 3), cube(g, 2, 2).like(1.0)]),
            &[2],
            &[6.0, 8.0],
        ),
    ];
    for (name, build, shape, want) in rows {
        let (got_shape, _, got) = value(build);
        assert_eq!((&got_shape[..], &got[..]), (shape, want), "{name}");
    }
}

/// Name, call, shape, dtype and elements.
type Row = (&'static str, Build, &'static [usize], DType, &'static [f64]);

const RANGES_AND_PATTERNS: &[Row] = &[
    ("arange", |g| arange(g, Some(3.into()), None, None, None), &[3], DType::I64, &[0., 1., 2.]),
    (
        "arange down",
        |g| arange(g, Some(5.into()), Some(0.into()), Some((-2).into()), None),
        &[3],
        DType::I64,
        &[5., 3., 1.],
    ),
    (
        "arange of floats",
        |g| arange(g, None, Some(1.0.into()), Some(0.4.into()), Some(DType::F64)),
        &[3],
        DType::F64,
        &[0., 0.4, 0.8],
    ),
    (
        "logspace",
        |g| logspace(g, 0.into(), 2.into(), 3, 10.0, None),
        &[3],
        DType::F32,
        &[1., 10., 100.],
    ),
    (
        "linspace",
        |g| linspace(g, 0.into(), 5.into(), 4, Some(DType::I64)),
        &[4],
        DType::I64,
        &[0., 1., 3., 5.],
    ),
    (
        "tril_indices",
        |g| tril_indices(g, 3, 2, 0, None),
        &[2, 5],
        DType::I64,
        &[0., 1., 1., 2., 2., 0., 0., 1., 0., 1.],
    ),
    (
        "tril_indices",
        |g| tril_indices(g, 3, 3, -1, None),
        &[2, 3],
        DType::I64,
        &[1., 2., 2., 0., 0., 1.],
    ),
    ("tril_indices", |g| tril_indices(g, 2, 2, -9, None), &[2, 0], DType::I64, &[]),
    (
        "triu_indices",
        |g| triu_indices(g, 2, 3, 1, None),
        &[2, 3],
        DType::I64,
        &[0., 0., 1., 1., 2., 2.],
    ),
    (
        "triu_indices",
        |g| triu_indices(g, 2, 2, -9, None),
        &[2, 4],
        DType::I64,
        &[0., 0., 1., 1., 0., 1., 0., 1.],
    ),
    (
        "one_hot",
        |g| one_hot(g, g.iota(2, DType::U8), 3),
        &[2, 3],
        DType::I64,
        &[1., 0., 0., 0., 1., 0.],
    ),
    (
        "combinations",
        |g| combinations(g, g.iota(3, DType::I64), 3, false),
        &[1, 3],
        DType::I64,
        &[0., 1., 2.],
    ),
];

#[test]
fn ranges_and_patterns_have_known_values() {
    for &(name, build, shape, dtype, want) in RANGES_AND_PATTERNS {
        let (got_shape, got_dtype, got) = value(build);
        assert_eq!((&got_shape[..], got_dtype), (shape, dtype), "{name}");
        let is_near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-4);
        assert!(is_near, "{name}: {got:?}, expected {want:?}");
    }
}

#[test]
fn invalid_calls_are_rejected() {
    let rows: [(Build, &str); 8] = [
        (|g| arange(g, None, None, None, None), "arange: missing argument 'end'"),
        (
            |g| arange(g, Some(0.into()), Some(5.into()), Some((-1).into()), None),
            "arange: steps of -1 do not lead from 0 to 5",
        ),
        (
            |g| one_hot(g, g.iota(2, DType::I64), -1),
            "one_hot: num_classes must be at least 1, not -1",
        ),
        (|g| clamp(g, five(g), None, None), "clamp: give min, max or both"),
        (|g| glu(g, five(g), -1), "glu: dim -1 has odd length 5"),
        (|g| dropout(g, five(g), 1.5, true), "dropout: p must be between 0 and 1, got 1.5"),
        (|g| multinomial(g, five(g), 9, false), "multinomial: cannot draw 9 of 5"),
        (|g| r#where(g, five(g), 1.into(), 2.into()), "where: condition must be of bools"),
    ];
    for (build, want) in rows {
        let g = Recorder::default();
        let message = build(&g).err().as_ref().map(Error::message).unwrap_or_default();
        assert_eq!(message.lines().next(), Some(want));
        assert!(g.read(|graph| graph.seed().is_none()), "{want}: nothing is left behind");
    }
}
