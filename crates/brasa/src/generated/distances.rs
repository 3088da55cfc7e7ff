//! Generated from the `distances` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`cdist`](crate::ops::cdist).
    #[derive(Clone, Debug)]
    pub struct CdistOptions {
        pub(crate) p: f64,
    }

    impl Default for CdistOptions {
        fn default() -> CdistOptions {
            CdistOptions {
                p: 2.0,
            }
        }
    }

    impl CdistOptions {
        /// Sets `p`; by default `2.0`.
        pub fn p(mut self, p: f64) -> Self {
            self.p = p;
            self
        }
    }

    /// Options of [`pdist`](crate::ops::pdist).
    #[derive(Clone, Debug)]
    pub struct PdistOptions {
        pub(crate) p: f64,
    }

    impl Default for PdistOptions {
        fn default() -> PdistOptions {
            PdistOptions {
                p: 2.0,
            }
        }
    }

    impl PdistOptions {
        /// Sets `p`; by default `2.0`.
        pub fn p(mut self, p: f64) -> Self {
            self.p = p;
            self
        }
    }

    /// Options of [`pairwise_distance`](crate::ops::pairwise_distance).
    #[derive(Clone, Debug)]
    pub struct PairwiseDistanceOptions {
        pub(crate) p: f64,
        pub(crate) eps: f64,
        pub(crate) keepdim: bool,
    }

    impl Default for PairwiseDistanceOptions {
        fn default() -> PairwiseDistanceOptions {
            PairwiseDistanceOptions {
                p: 2.0,
                eps: 1e-6,
                keepdim: false,
            }
        }
    }

    impl PairwiseDistanceOptions {
        /// Sets `p`; by default `2.0`.
        pub fn p(mut self, p: f64) -> Self {
            self.p = p;
            self
        }

        /// Sets `eps`; by default `1e-6`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
    /// Leading axes broadcast.
    #[track_caller]
    pub fn cdist(x1: &Tensor, x2: &Tensor) -> Tensor {
        cdist_with(x1, x2, |o| o)
    }

    /// Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
    /// Leading axes broadcast.
    ///
    /// Options: `p`.
    #[track_caller]
    pub fn cdist_with(x1: &Tensor, x2: &Tensor, o: impl FnOnce(options::CdistOptions) -> options::CdistOptions) -> Tensor {
        let o = o(options::CdistOptions::default());
        x1.settle();
        x2.settle();
        record("cdist", |scope| scope.leave(compose::cdist(scope.g, x1.enter(scope), x2.enter(scope), o.p)))
    }

    /// Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
    /// vector.
    #[track_caller]
    pub fn pdist(input: &Tensor) -> Tensor {
        pdist_with(input, |o| o)
    }

    /// Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
    /// vector.
    ///
    /// Options: `p`.
    #[track_caller]
    pub fn pdist_with(input: &Tensor, o: impl FnOnce(options::PdistOptions) -> options::PdistOptions) -> Tensor {
        let o = o(options::PdistOptions::default());
        input.settle();
        record("pdist", |scope| scope.leave(compose::pdist(scope.g, input.enter(scope), o.p)))
    }

    /// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
    #[track_caller]
    pub fn pairwise_distance(x1: &Tensor, x2: &Tensor) -> Tensor {
        pairwise_distance_with(x1, x2, |o| o)
    }

    /// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
    ///
    /// Options: `p`, `eps`, `keepdim`.
    #[track_caller]
    pub fn pairwise_distance_with(x1: &Tensor, x2: &Tensor, o: impl FnOnce(options::PairwiseDistanceOptions) -> options::PairwiseDistanceOptions) -> Tensor {
        let o = o(options::PairwiseDistanceOptions::default());
        x1.settle();
        x2.settle();
        record("pairwise_distance", |scope| scope.leave(compose::pairwise_distance(scope.g, x1.enter(scope), x2.enter(scope), o.p, o.eps, o.keepdim)))
    }

    /// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn pairwise_distance_keepdim(x1: &Tensor, x2: &Tensor) -> Tensor {
        pairwise_distance_with(x1, x2, |o| o.keepdim(true))
    }
}

impl Tensor {
    /// Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
    /// Leading axes broadcast.
    #[track_caller]
    pub fn cdist(&self, x2: &Tensor) -> Tensor {
        functions::cdist(self, x2)
    }

    /// Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
    /// Leading axes broadcast.
    ///
    /// Options: `p`.
    #[track_caller]
    pub fn cdist_with(&self, x2: &Tensor, o: impl FnOnce(options::CdistOptions) -> options::CdistOptions) -> Tensor {
        functions::cdist_with(self, x2, o)
    }

    /// Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
    /// vector.
    #[track_caller]
    pub fn pdist(&self) -> Tensor {
        functions::pdist(self)
    }

    /// Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
    /// vector.
    ///
    /// Options: `p`.
    #[track_caller]
    pub fn pdist_with(&self, o: impl FnOnce(options::PdistOptions) -> options::PdistOptions) -> Tensor {
        functions::pdist_with(self, o)
    }

    /// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
    #[track_caller]
    pub fn pairwise_distance(&self, x2: &Tensor) -> Tensor {
        functions::pairwise_distance(self, x2)
    }

    /// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
    ///
    /// Options: `p`, `eps`, `keepdim`.
    #[track_caller]
    pub fn pairwise_distance_with(&self, x2: &Tensor, o: impl FnOnce(options::PairwiseDistanceOptions) -> options::PairwiseDistanceOptions) -> Tensor {
        functions::pairwise_distance_with(self, x2, o)
    }

    /// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn pairwise_distance_keepdim(&self, x2: &Tensor) -> Tensor {
        functions::pairwise_distance_keepdim(self, x2)
    }

}
