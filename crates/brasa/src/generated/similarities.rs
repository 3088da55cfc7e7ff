//! Generated from the `similarities` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`cosine_similarity`](crate::ops::cosine_similarity).
    #[derive(Clone, Debug)]
    pub struct CosineSimilarityOptions {
        pub(crate) eps: f64,
    }

    impl Default for CosineSimilarityOptions {
        fn default() -> CosineSimilarityOptions {
            CosineSimilarityOptions {
                eps: 1e-8,
            }
        }
    }

    impl CosineSimilarityOptions {
        /// Sets `eps`; by default `1e-8`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }

    /// Options of [`cosine_embedding_loss`](crate::ops::cosine_embedding_loss).
    #[derive(Clone, Debug)]
    pub struct CosineEmbeddingLossOptions {
        pub(crate) margin: f64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for CosineEmbeddingLossOptions {
        fn default() -> CosineEmbeddingLossOptions {
            CosineEmbeddingLossOptions {
                margin: 0.0,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl CosineEmbeddingLossOptions {
        /// Sets `margin`; by default `0.0`.
        pub fn margin(mut self, margin: f64) -> Self {
            self.margin = margin;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`hinge_embedding_loss`](crate::ops::hinge_embedding_loss).
    #[derive(Clone, Debug)]
    pub struct HingeEmbeddingLossOptions {
        pub(crate) margin: f64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for HingeEmbeddingLossOptions {
        fn default() -> HingeEmbeddingLossOptions {
            HingeEmbeddingLossOptions {
                margin: 1.0,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl HingeEmbeddingLossOptions {
        /// Sets `margin`; by default `1.0`.
        pub fn margin(mut self, margin: f64) -> Self {
            self.margin = margin;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`margin_ranking_loss`](crate::ops::margin_ranking_loss).
    #[derive(Clone, Debug)]
    pub struct MarginRankingLossOptions {
        pub(crate) margin: f64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for MarginRankingLossOptions {
        fn default() -> MarginRankingLossOptions {
            MarginRankingLossOptions {
                margin: 0.0,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl MarginRankingLossOptions {
        /// Sets `margin`; by default `0.0`.
        pub fn margin(mut self, margin: f64) -> Self {
            self.margin = margin;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`triplet_margin_loss`](crate::ops::triplet_margin_loss).
    #[derive(Clone, Debug)]
    pub struct TripletMarginLossOptions {
        pub(crate) margin: f64,
        pub(crate) p: f64,
        pub(crate) eps: f64,
        pub(crate) swap: bool,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for TripletMarginLossOptions {
        fn default() -> TripletMarginLossOptions {
            TripletMarginLossOptions {
                margin: 1.0,
                p: 2.0,
                eps: 1e-6,
                swap: false,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl TripletMarginLossOptions {
        /// Sets `margin`; by default `1.0`.
        pub fn margin(mut self, margin: f64) -> Self {
            self.margin = margin;
            self
        }

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

        /// Sets `swap`; by default `false`.
        pub fn swap(mut self, swap: bool) -> Self {
            self.swap = swap;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
    #[track_caller]
    pub fn cosine_similarity(x1: &Tensor, x2: &Tensor, dim: isize) -> Tensor {
        cosine_similarity_with(x1, x2, dim, |o| o)
    }

    /// Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
    ///
    /// Options: `eps`.
    #[track_caller]
    pub fn cosine_similarity_with(x1: &Tensor, x2: &Tensor, dim: isize, o: impl FnOnce(options::CosineSimilarityOptions) -> options::CosineSimilarityOptions) -> Tensor {
        let o = o(options::CosineSimilarityOptions::default());
        x1.settle();
        x2.settle();
        record("cosine_similarity", |scope| scope.leave(compose::cosine_similarity(scope.g, x1.enter(scope), x2.enter(scope), dim, o.eps)))
    }

    /// Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
    #[track_caller]
    pub fn cosine_embedding_loss(input1: &Tensor, input2: &Tensor, target: &Tensor) -> Tensor {
        cosine_embedding_loss_with(input1, input2, target, |o| o)
    }

    /// Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn cosine_embedding_loss_with(input1: &Tensor, input2: &Tensor, target: &Tensor, o: impl FnOnce(options::CosineEmbeddingLossOptions) -> options::CosineEmbeddingLossOptions) -> Tensor {
        let o = o(options::CosineEmbeddingLossOptions::default());
        input1.settle();
        input2.settle();
        target.settle();
        record("cosine_embedding_loss", |scope| scope.leave(compose::cosine_embedding_loss(scope.g, input1.enter(scope), input2.enter(scope), target.enter(scope), o.margin, o.reduction)))
    }

    /// Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
    /// it is −1.
    #[track_caller]
    pub fn hinge_embedding_loss(input: &Tensor, target: &Tensor) -> Tensor {
        hinge_embedding_loss_with(input, target, |o| o)
    }

    /// Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
    /// it is −1.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn hinge_embedding_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::HingeEmbeddingLossOptions) -> options::HingeEmbeddingLossOptions) -> Tensor {
        let o = o(options::HingeEmbeddingLossOptions::default());
        input.settle();
        target.settle();
        record("hinge_embedding_loss", |scope| scope.leave(compose::hinge_embedding_loss(scope.g, input.enter(scope), target.enter(scope), o.margin, o.reduction)))
    }

    /// Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
    /// smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
    #[track_caller]
    pub fn margin_ranking_loss(input1: &Tensor, input2: &Tensor, target: &Tensor) -> Tensor {
        margin_ranking_loss_with(input1, input2, target, |o| o)
    }

    /// Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
    /// smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn margin_ranking_loss_with(input1: &Tensor, input2: &Tensor, target: &Tensor, o: impl FnOnce(options::MarginRankingLossOptions) -> options::MarginRankingLossOptions) -> Tensor {
        let o = o(options::MarginRankingLossOptions::default());
        input1.settle();
        input2.settle();
        target.settle();
        record("margin_ranking_loss", |scope| scope.leave(compose::margin_ranking_loss(scope.g, input1.enter(scope), input2.enter(scope), target.enter(scope), o.margin, o.reduction)))
    }

    /// Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
    /// `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
    ///
    /// Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
    /// is used if it is smaller than that of anchor and negative.
    #[track_caller]
    pub fn triplet_margin_loss(anchor: &Tensor, positive: &Tensor, negative: &Tensor) -> Tensor {
        triplet_margin_loss_with(anchor, positive, negative, |o| o)
    }

    /// Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
    /// `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
    ///
    /// Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
    /// is used if it is smaller than that of anchor and negative.
    ///
    /// Options: `margin`, `p`, `eps`, `swap`, `reduction`.
    #[track_caller]
    pub fn triplet_margin_loss_with(anchor: &Tensor, positive: &Tensor, negative: &Tensor, o: impl FnOnce(options::TripletMarginLossOptions) -> options::TripletMarginLossOptions) -> Tensor {
        let o = o(options::TripletMarginLossOptions::default());
        anchor.settle();
        positive.settle();
        negative.settle();
        record("triplet_margin_loss", |scope| scope.leave(compose::triplet_margin_loss(scope.g, anchor.enter(scope), positive.enter(scope), negative.enter(scope), o.margin, o.p, o.eps, o.swap, o.reduction)))
    }
}

impl Tensor {
    /// Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
    #[track_caller]
    pub fn cosine_similarity(&self, x2: &Tensor, dim: isize) -> Tensor {
        functions::cosine_similarity(self, x2, dim)
    }

    /// Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
    ///
    /// Options: `eps`.
    #[track_caller]
    pub fn cosine_similarity_with(&self, x2: &Tensor, dim: isize, o: impl FnOnce(options::CosineSimilarityOptions) -> options::CosineSimilarityOptions) -> Tensor {
        functions::cosine_similarity_with(self, x2, dim, o)
    }

    /// Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
    #[track_caller]
    pub fn cosine_embedding_loss(&self, input2: &Tensor, target: &Tensor) -> Tensor {
        functions::cosine_embedding_loss(self, input2, target)
    }

    /// Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn cosine_embedding_loss_with(&self, input2: &Tensor, target: &Tensor, o: impl FnOnce(options::CosineEmbeddingLossOptions) -> options::CosineEmbeddingLossOptions) -> Tensor {
        functions::cosine_embedding_loss_with(self, input2, target, o)
    }

    /// Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
    /// it is −1.
    #[track_caller]
    pub fn hinge_embedding_loss(&self, target: &Tensor) -> Tensor {
        functions::hinge_embedding_loss(self, target)
    }

    /// Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
    /// it is −1.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn hinge_embedding_loss_with(&self, target: &Tensor, o: impl FnOnce(options::HingeEmbeddingLossOptions) -> options::HingeEmbeddingLossOptions) -> Tensor {
        functions::hinge_embedding_loss_with(self, target, o)
    }

    /// Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
    /// smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
    #[track_caller]
    pub fn margin_ranking_loss(&self, input2: &Tensor, target: &Tensor) -> Tensor {
        functions::margin_ranking_loss(self, input2, target)
    }

    /// Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
    /// smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn margin_ranking_loss_with(&self, input2: &Tensor, target: &Tensor, o: impl FnOnce(options::MarginRankingLossOptions) -> options::MarginRankingLossOptions) -> Tensor {
        functions::margin_ranking_loss_with(self, input2, target, o)
    }

    /// Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
    /// `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
    ///
    /// Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
    /// is used if it is smaller than that of anchor and negative.
    #[track_caller]
    pub fn triplet_margin_loss(&self, positive: &Tensor, negative: &Tensor) -> Tensor {
        functions::triplet_margin_loss(self, positive, negative)
    }

    /// Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
    /// `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
    ///
    /// Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
    /// is used if it is smaller than that of anchor and negative.
    ///
    /// Options: `margin`, `p`, `eps`, `swap`, `reduction`.
    #[track_caller]
    pub fn triplet_margin_loss_with(&self, positive: &Tensor, negative: &Tensor, o: impl FnOnce(options::TripletMarginLossOptions) -> options::TripletMarginLossOptions) -> Tensor {
        functions::triplet_margin_loss_with(self, positive, negative, o)
    }

}
