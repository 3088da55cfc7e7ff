//! Reduction functions of tiles: along lanes to one result per row, or along rows to one result
//! per lane. Coverage a tile, sums of f32 use many f32 running sums; from tile to tile they use
//! f64.
use super::class::Class;
use super::vector::{Operand, TileFn, TileKernel, for_level};
use crate::level::Level;
use brasa_ir::Number;
use brasa_ir::ops::ReduceOp;
use std::marker::PhantomData;

/// The functions of one reduction. The destination holds the running results; the argument is
/// added to them.
#[derive(Clone, Copy)]
pub(crate) struct Folds {
    /// Adds each row of a tile to the running result of that row.
    pub(crate) lanes: TileFn,
    /// Adds the rows of a tile to running results, one per lane.
    pub(crate) rows: TileFn,
    /// Merges running results into running results.
    pub(crate) merge: TileFn,
    /// Converts running results to register values. Narrow integers are wrapped elsewhere.
    pub(crate) result: TileFn,
    /// The class of running results.
    pub(crate) class: Class,
}

/// The operations of a reduction on elements and on running results.
trait Fold {
    type In: Copy;
    type Running: Copy;
    /// The neutral element of `join`.
    const NEUTRAL: Self::In;
    fn join(a: Self::In, b: Self::In) -> Self::In;
    fn widen(x: Self::In) -> Self::Running;
    fn narrow(x: Self::Running) -> Self::In;
    fn merge(a: Self::Running, b: Self::Running) -> Self::Running;
}

/// Running results of one row: four vectors of AVX-512, because each addition waits for the one
/// before it.
pub(crate) const RUNNING: usize = 64;
/// Lanes that are reduced together along rows.
const BLOCK_LANES: usize = 32;
/// Number of rows that are summed in f32 before the sum is added to f64.
pub(crate) const MAX_F32_ROWS: usize = 64;

struct AlongLanes<F>(PhantomData<F>);

impl<F: Fold> TileKernel for AlongLanes<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for n in 0..rows {
            let x = args[0].row::<F::In>(n);
            let mut sums = [F::NEUTRAL; RUNNING];
            let mut i = 0;
            // SAFETY: by the contract of `TileKernel::run`: `lanes` elements in each row.
            unsafe {
                while i + RUNNING <= lanes {
                    let x = x.add(i).cast::<[F::In; RUNNING]>().read_unaligned();
                    for l in 0..RUNNING {
                        sums[l] = F::join(sums[l], x[l]);
                    }
                    i += RUNNING;
                }
                for l in i..lanes {
                    sums[l - i] = F::join(sums[l - i], *x.add(l));
                }
                let mut half = RUNNING / 2;
                while half > 0 {
                    for l in 0..half {
                        sums[l] = F::join(sums[l], sums[l + half]);
                    }
                    half /= 2;
                }
                let running = to.ptr.cast::<F::Running>().add(n);
                *running = F::merge(*running, F::widen(sums[0]));
            }
        }
    }
}

struct AlongRows<F>(PhantomData<F>);

impl<F: Fold> TileKernel for AlongRows<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for first in (0..rows).step_by(MAX_F32_ROWS) {
            let end = (first + MAX_F32_ROWS).min(rows);
            let mut i = 0;
            // SAFETY: by the contract of `TileKernel::run`: `lanes` elements in each row, and as
            // many results.
            unsafe {
                let running = to.ptr.cast::<F::Running>();
                while i + BLOCK_LANES <= lanes {
                    let row = |n| args[0].row::<F::In>(n).add(i).cast::<[F::In; BLOCK_LANES]>();
                    let mut sums = row(first).read_unaligned();
                    for n in first + 1..end {
                        let x = row(n).read_unaligned();
                        sums.iter_mut().zip(x).for_each(|(sum, x)| *sum = F::join(*sum, x));
                    }
                    for (l, sum) in sums.into_iter().enumerate() {
                        let running = running.add(i + l);
                        *running = F::merge(*running, F::widen(sum));
                    }
                    i += BLOCK_LANES;
                }
                let rest = lanes - i;
                let mut sums = [F::NEUTRAL; BLOCK_LANES];
                for n in first..end {
                    let x = args[0].row::<F::In>(n).add(i);
                    for (l, sum) in sums.iter_mut().enumerate().take(rest) {
                        *sum = F::join(*sum, *x.add(l));
                    }
                }
                for (l, sum) in sums.into_iter().enumerate().take(rest) {
                    let running = running.add(i + l);
                    *running = F::merge(*running, F::widen(sum));
                }
            }
        }
    }
}

struct Merge<F>(PhantomData<F>);

impl<F: Fold> TileKernel for Merge<F> {
    #[inline(always)]
    unsafe fn run(_: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        let (to, x) = (to.row::<F::Running>(0), args[0].row::<F::Running>(0));
        // SAFETY: by the contract of `TileKernel::run`: `lanes` results on both sides.
        unsafe { (0..lanes).for_each(|i| *to.add(i) = F::merge(*to.add(i), *x.add(i))) }
    }
}

struct Result<F>(PhantomData<F>);

impl<F: Fold> TileKernel for Result<F> {
    #[inline(always)]
    unsafe fn run(_: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        let (to, x) = (to.row::<F::In>(0), args[0].row::<F::Running>(0));
        // SAFETY: by the contract of `TileKernel::run`: `lanes` results on both sides.
        unsafe { (0..lanes).for_each(|i| *to.add(i) = F::narrow(*x.add(i))) }
    }
}

struct Sum<T, R>(PhantomData<(T, R)>);
struct Max<T>(PhantomData<T>);
struct Min<T>(PhantomData<T>);

macro_rules! float_folds {
    ($($t:ty),*) => {$(
        impl Fold for Sum<$t, f64> {
            type In = $t;
            type Running = f64;
            const NEUTRAL: $t = 0.0;
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t { a + b }
            #[inline(always)]
            fn widen(x: $t) -> f64 { f64::from(x) }
            #[inline(always)]
            fn narrow(x: f64) -> $t { x as $t }
            #[inline(always)]
            fn merge(a: f64, b: f64) -> f64 { a + b }
        }
        // NaN propagates. In this form the inner selection is one instruction.
        choice!(Max, $t, <$t>::NEG_INFINITY, |a, b| {
            let larger = if a > b { a } else { b };
            if a.is_nan() { a } else { larger }
        });
        choice!(Min, $t, <$t>::INFINITY, |a, b| {
            let smaller = if a < b { a } else { b };
            if a.is_nan() { a } else { smaller }
        });
    )*};
}

macro_rules! int_folds {
    ($($t:ty),*) => {$(
        impl Fold for Sum<$t, i64> {
            type In = $t;
            type Running = i64;
            const NEUTRAL: $t = 0;
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t { a.wrapping_add(b) }
            #[inline(always)]
            fn widen(x: $t) -> i64 { i64::from(x) }
            #[inline(always)]
            fn narrow(x: i64) -> $t { x as $t }
            #[inline(always)]
            fn merge(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
        }
        choice!(Max, $t, <$t>::MIN, |a, b| a.max(b));
        choice!(Min, $t, <$t>::MAX, |a, b| a.min(b));
    )*};
}

macro_rules! choice {
    ($name:ident, $t:ty, $neutral:expr, |$a:ident, $b:ident| $body:expr) => {
        impl Fold for $name<$t> {
            type In = $t;
            type Running = $t;
            const NEUTRAL: $t = $neutral;
            #[inline(always)]
            fn join($a: $t, $b: $t) -> $t {
                $body
            }
            #[inline(always)]
            fn widen(x: $t) -> $t {
                x
            }
            #[inline(always)]
            fn narrow(x: $t) -> $t {
                x
            }
            #[inline(always)]
            fn merge(a: $t, b: $t) -> $t {
                Self::join(a, b)
            }
        }
    };
}

float_folds!(f32, f64);
int_folds!(i32, i64);

fn folds<F: Fold>(level: Level, class: Class) -> Folds {
    let (lanes, rows) = (for_level::<AlongLanes<F>>(level), for_level::<AlongRows<F>>(level));
    let (merge, result) = (for_level::<Merge<F>>(level), for_level::<Result<F>>(level));
    Folds { lanes, rows, merge, result, class }
}

/// The functions of a reduction of elements of a class.
pub(crate) fn find(by: ReduceOp, class: Class, level: Level) -> Folds {
    match (by, class) {
        (ReduceOp::Sum, Class::F32) => folds::<Sum<f32, f64>>(level, Class::F64),
        (ReduceOp::Sum, Class::F64) => folds::<Sum<f64, f64>>(level, Class::F64),
        (ReduceOp::Sum, Class::I32) => folds::<Sum<i32, i64>>(level, Class::I64),
        (ReduceOp::Sum, Class::I64) => folds::<Sum<i64, i64>>(level, Class::I64),
        (ReduceOp::Max, Class::F32) => folds::<Max<f32>>(level, class),
        (ReduceOp::Max, Class::F64) => folds::<Max<f64>>(level, class),
        (ReduceOp::Max, Class::I32) => folds::<Max<i32>>(level, class),
        (ReduceOp::Max, Class::I64) => folds::<Max<i64>>(level, class),
        (ReduceOp::Min, Class::F32) => folds::<Min<f32>>(level, class),
        (ReduceOp::Min, Class::F64) => folds::<Min<f64>>(level, class),
        (ReduceOp::Min, Class::I32) => folds::<Min<i32>>(level, class),
        (ReduceOp::Min, Class::I64) => folds::<Min<i64>>(level, class),
    }
}

/// The result of an empty reduction.
pub(crate) fn neutral(by: ReduceOp, class: Class) -> Number {
    match (by, class) {
        (ReduceOp::Sum, _) => Number::Int(0),
        (ReduceOp::Max, Class::I32) => Number::Int(i64::from(i32::MIN)),
        (ReduceOp::Max, Class::I64) => Number::Int(i64::MIN),
        (ReduceOp::Max, _) => Number::Float(f64::NEG_INFINITY),
        (ReduceOp::Min, Class::I32) => Number::Int(i64::from(i32::MAX)),
        (ReduceOp::Min, Class::I64) => Number::Int(i64::MAX),
        (ReduceOp::Min, _) => Number::Float(f64::INFINITY),
    }
}
