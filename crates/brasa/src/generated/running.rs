//! Generated from the `running` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`cumsum`](crate::ops::cumsum).
    #[derive(Clone, Debug)]
    pub struct CumsumOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for CumsumOptions {
        fn default() -> CumsumOptions {
            CumsumOptions {
                dtype: None,
            }
        }
    }

    impl CumsumOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`cumprod`](crate::ops::cumprod).
    #[derive(Clone, Debug)]
    pub struct CumprodOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for CumprodOptions {
        fn default() -> CumprodOptions {
            CumprodOptions {
                dtype: None,
            }
        }
    }

    impl CumprodOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`diff`](crate::ops::diff).
    #[derive(Clone, Debug)]
    pub struct DiffOptions {
        pub(crate) n: usize,
        pub(crate) prepend: Option<Tensor>,
        pub(crate) append: Option<Tensor>,
    }

    impl Default for DiffOptions {
        fn default() -> DiffOptions {
            DiffOptions {
                n: 1,
                prepend: None,
                append: None,
            }
        }
    }

    impl DiffOptions {
        /// Sets `n`; by default `1`.
        pub fn n(mut self, n: usize) -> Self {
            self.n = n;
            self
        }

        /// Sets `prepend`; by default not given.
        pub fn prepend<'a>(mut self, prepend: impl Into<Option<&'a Tensor>>) -> Self {
            self.prepend = prepend.into().cloned();
            self
        }

        /// Sets `append`; by default not given.
        pub fn append<'a>(mut self, append: impl Into<Option<&'a Tensor>>) -> Self {
            self.append = append.into().cloned();
            self
        }
    }

    /// Options of [`gradient`](crate::ops::gradient).
    #[derive(Clone, Debug)]
    pub struct GradientOptions {
        pub(crate) spacing: Option<Vec<Operand>>,
        pub(crate) edge_order: usize,
    }

    impl Default for GradientOptions {
        fn default() -> GradientOptions {
            GradientOptions {
                spacing: None,
                edge_order: 1,
            }
        }
    }

    impl GradientOptions {
        /// Sets `spacing`; by default not given.
        pub fn spacing(mut self, spacing: impl IntoIterator<Item = Operand>) -> Self {
            self.spacing = Some(spacing.into_iter().collect());
            self
        }

        /// Sets `edge_order`; by default `1`.
        pub fn edge_order(mut self, edge_order: usize) -> Self {
            self.edge_order = edge_order;
            self
        }
    }

    /// Options of [`trapezoid`](crate::ops::trapezoid).
    #[derive(Clone, Debug)]
    pub struct TrapezoidOptions {
        pub(crate) x: Option<Tensor>,
        pub(crate) dx: f64,
    }

    impl Default for TrapezoidOptions {
        fn default() -> TrapezoidOptions {
            TrapezoidOptions {
                x: None,
                dx: 1.0,
            }
        }
    }

    impl TrapezoidOptions {
        /// Sets `x`; by default not given.
        pub fn x<'a>(mut self, x: impl Into<Option<&'a Tensor>>) -> Self {
            self.x = x.into().cloned();
            self
        }

        /// Sets `dx`; by default `1.0`.
        pub fn dx(mut self, dx: f64) -> Self {
            self.dx = dx;
            self
        }
    }

    /// Options of [`cumulative_trapezoid`](crate::ops::cumulative_trapezoid).
    #[derive(Clone, Debug)]
    pub struct CumulativeTrapezoidOptions {
        pub(crate) x: Option<Tensor>,
        pub(crate) dx: f64,
    }

    impl Default for CumulativeTrapezoidOptions {
        fn default() -> CumulativeTrapezoidOptions {
            CumulativeTrapezoidOptions {
                x: None,
                dx: 1.0,
            }
        }
    }

    impl CumulativeTrapezoidOptions {
        /// Sets `x`; by default not given.
        pub fn x<'a>(mut self, x: impl Into<Option<&'a Tensor>>) -> Self {
            self.x = x.into().cloned();
            self
        }

        /// Sets `dx`; by default `1.0`.
        pub fn dx(mut self, dx: f64) -> Self {
            self.dx = dx;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Cumulative sum along `dim`. Integers and bools are summed in i64.
    #[track_caller]
    pub fn cumsum(input: &Tensor, dim: isize) -> Tensor {
        cumsum_with(input, dim, |o| o)
    }

    /// Cumulative sum along `dim`. Integers and bools are summed in i64.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn cumsum_with(input: &Tensor, dim: isize, o: impl FnOnce(options::CumsumOptions) -> options::CumsumOptions) -> Tensor {
        let o = o(options::CumsumOptions::default());
        input.settle();
        record("cumsum", |scope| scope.leave(compose::cumsum(scope.g, input.enter(scope), dim, o.dtype)))
    }

    /// Cumulative product along `dim`. Integers and bools are multiplied in i64.
    #[track_caller]
    pub fn cumprod(input: &Tensor, dim: isize) -> Tensor {
        cumprod_with(input, dim, |o| o)
    }

    /// Cumulative product along `dim`. Integers and bools are multiplied in i64.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn cumprod_with(input: &Tensor, dim: isize, o: impl FnOnce(options::CumprodOptions) -> options::CumprodOptions) -> Tensor {
        let o = o(options::CumprodOptions::default());
        input.settle();
        record("cumprod", |scope| scope.leave(compose::cumprod(scope.g, input.enter(scope), dim, o.dtype)))
    }

    /// Cumulative maximum along `dim`, and its last index. After a NaN all results are NaN.
    #[track_caller]
    pub fn cummax(input: &Tensor, dim: isize) -> (Tensor, Tensor) {
        input.settle();
        record("cummax", |scope| scope.leave(compose::cummax(scope.g, input.enter(scope), dim)))
    }

    /// Cumulative minimum along `dim`, and its last index. After a NaN all results are NaN.
    #[track_caller]
    pub fn cummin(input: &Tensor, dim: isize) -> (Tensor, Tensor) {
        input.settle();
        record("cummin", |scope| scope.leave(compose::cummin(scope.g, input.enter(scope), dim)))
    }

    /// Logarithm of the cumulative sum of exponentials along `dim`, without overflow.
    #[track_caller]
    pub fn logcumsumexp(input: &Tensor, dim: isize) -> Tensor {
        input.settle();
        record("logcumsumexp", |scope| scope.leave(compose::logcumsumexp(scope.g, input.enter(scope), dim)))
    }

    /// Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
    /// `append` at the ends.
    #[track_caller]
    pub fn diff(input: &Tensor, dim: isize) -> Tensor {
        diff_with(input, dim, |o| o)
    }

    /// Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
    /// `append` at the ends.
    ///
    /// Options: `n`, `prepend`, `append`.
    #[track_caller]
    pub fn diff_with(input: &Tensor, dim: isize, o: impl FnOnce(options::DiffOptions) -> options::DiffOptions) -> Tensor {
        let o = o(options::DiffOptions::default());
        input.settle();
        o.prepend.settle();
        o.append.settle();
        record("diff", |scope| scope.leave(compose::diff(scope.g, input.enter(scope), o.n, dim, o.prepend.enter(scope), o.append.enter(scope))))
    }

    /// Slopes of a function given at points along each of `dim`, by default along every axis: central
    /// differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
    /// distance between points, one for all axes or one for each, or for each axis a tensor with the
    /// points' coordinates.
    #[track_caller]
    pub fn gradient(input: &Tensor, dim: impl IntoDims) -> Vec<Tensor> {
        gradient_with(input, dim, |o| o)
    }

    /// Slopes of a function given at points along each of `dim`, by default along every axis: central
    /// differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
    /// distance between points, one for all axes or one for each, or for each axis a tensor with the
    /// points' coordinates.
    ///
    /// Options: `spacing`, `edge_order`.
    #[track_caller]
    pub fn gradient_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::GradientOptions) -> options::GradientOptions) -> Vec<Tensor> {
        let o = o(options::GradientOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        o.spacing.settle();
        record("gradient", |scope| scope.leave(compose::gradient(scope.g, input.enter(scope), o.spacing.enter(scope), dim, o.edge_order)))
    }

    /// Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
    /// or else their distance `dx`.
    #[track_caller]
    pub fn trapezoid(y: &Tensor, dim: isize) -> Tensor {
        trapezoid_with(y, dim, |o| o)
    }

    /// Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
    /// or else their distance `dx`.
    ///
    /// Options: `x`, `dx`.
    #[track_caller]
    pub fn trapezoid_with(y: &Tensor, dim: isize, o: impl FnOnce(options::TrapezoidOptions) -> options::TrapezoidOptions) -> Tensor {
        let o = o(options::TrapezoidOptions::default());
        y.settle();
        o.x.settle();
        record("trapezoid", |scope| scope.leave(compose::trapezoid(scope.g, y.enter(scope), o.x.enter(scope), o.dx, dim)))
    }

    /// Cumulative integral along `dim` by the trapezoid rule, from the second point on.
    #[track_caller]
    pub fn cumulative_trapezoid(y: &Tensor, dim: isize) -> Tensor {
        cumulative_trapezoid_with(y, dim, |o| o)
    }

    /// Cumulative integral along `dim` by the trapezoid rule, from the second point on.
    ///
    /// Options: `x`, `dx`.
    #[track_caller]
    pub fn cumulative_trapezoid_with(y: &Tensor, dim: isize, o: impl FnOnce(options::CumulativeTrapezoidOptions) -> options::CumulativeTrapezoidOptions) -> Tensor {
        let o = o(options::CumulativeTrapezoidOptions::default());
        y.settle();
        o.x.settle();
        record("cumulative_trapezoid", |scope| scope.leave(compose::cumulative_trapezoid(scope.g, y.enter(scope), o.x.enter(scope), o.dx, dim)))
    }
}

impl Tensor {
    /// Cumulative sum along `dim`. Integers and bools are summed in i64.
    #[track_caller]
    pub fn cumsum(&self, dim: isize) -> Tensor {
        functions::cumsum(self, dim)
    }

    /// Cumulative sum along `dim`. Integers and bools are summed in i64.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn cumsum_with(&self, dim: isize, o: impl FnOnce(options::CumsumOptions) -> options::CumsumOptions) -> Tensor {
        functions::cumsum_with(self, dim, o)
    }

    /// Cumulative product along `dim`. Integers and bools are multiplied in i64.
    #[track_caller]
    pub fn cumprod(&self, dim: isize) -> Tensor {
        functions::cumprod(self, dim)
    }

    /// Cumulative product along `dim`. Integers and bools are multiplied in i64.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn cumprod_with(&self, dim: isize, o: impl FnOnce(options::CumprodOptions) -> options::CumprodOptions) -> Tensor {
        functions::cumprod_with(self, dim, o)
    }

    /// Cumulative maximum along `dim`, and its last index. After a NaN all results are NaN.
    #[track_caller]
    pub fn cummax(&self, dim: isize) -> (Tensor, Tensor) {
        functions::cummax(self, dim)
    }

    /// Cumulative minimum along `dim`, and its last index. After a NaN all results are NaN.
    #[track_caller]
    pub fn cummin(&self, dim: isize) -> (Tensor, Tensor) {
        functions::cummin(self, dim)
    }

    /// Logarithm of the cumulative sum of exponentials along `dim`, without overflow.
    #[track_caller]
    pub fn logcumsumexp(&self, dim: isize) -> Tensor {
        functions::logcumsumexp(self, dim)
    }

    /// Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
    /// `append` at the ends.
    #[track_caller]
    pub fn diff(&self, dim: isize) -> Tensor {
        functions::diff(self, dim)
    }

    /// Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
    /// `append` at the ends.
    ///
    /// Options: `n`, `prepend`, `append`.
    #[track_caller]
    pub fn diff_with(&self, dim: isize, o: impl FnOnce(options::DiffOptions) -> options::DiffOptions) -> Tensor {
        functions::diff_with(self, dim, o)
    }

    /// Slopes of a function given at points along each of `dim`, by default along every axis: central
    /// differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
    /// distance between points, one for all axes or one for each, or for each axis a tensor with the
    /// points' coordinates.
    #[track_caller]
    pub fn gradient(&self, dim: impl IntoDims) -> Vec<Tensor> {
        functions::gradient(self, dim)
    }

    /// Slopes of a function given at points along each of `dim`, by default along every axis: central
    /// differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
    /// distance between points, one for all axes or one for each, or for each axis a tensor with the
    /// points' coordinates.
    ///
    /// Options: `spacing`, `edge_order`.
    #[track_caller]
    pub fn gradient_with(&self, dim: impl IntoDims, o: impl FnOnce(options::GradientOptions) -> options::GradientOptions) -> Vec<Tensor> {
        functions::gradient_with(self, dim, o)
    }

    /// Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
    /// or else their distance `dx`.
    #[track_caller]
    pub fn trapezoid(&self, dim: isize) -> Tensor {
        functions::trapezoid(self, dim)
    }

    /// Another name for [`trapezoid`](Tensor::trapezoid).
    #[track_caller]
    pub fn trapz(&self, dim: isize) -> Tensor {
        functions::trapezoid(self, dim)
    }

    /// Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
    /// or else their distance `dx`.
    ///
    /// Options: `x`, `dx`.
    #[track_caller]
    pub fn trapezoid_with(&self, dim: isize, o: impl FnOnce(options::TrapezoidOptions) -> options::TrapezoidOptions) -> Tensor {
        functions::trapezoid_with(self, dim, o)
    }

    /// Cumulative integral along `dim` by the trapezoid rule, from the second point on.
    #[track_caller]
    pub fn cumulative_trapezoid(&self, dim: isize) -> Tensor {
        functions::cumulative_trapezoid(self, dim)
    }

    /// Cumulative integral along `dim` by the trapezoid rule, from the second point on.
    ///
    /// Options: `x`, `dx`.
    #[track_caller]
    pub fn cumulative_trapezoid_with(&self, dim: isize, o: impl FnOnce(options::CumulativeTrapezoidOptions) -> options::CumulativeTrapezoidOptions) -> Tensor {
        functions::cumulative_trapezoid_with(self, dim, o)
    }

}
