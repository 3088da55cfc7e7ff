//! Generated from the `classification` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`cross_entropy`](crate::ops::cross_entropy).
    #[derive(Clone, Debug)]
    pub struct CrossEntropyOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) ignore_index: i64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
        pub(crate) label_smoothing: f64,
    }

    impl Default for CrossEntropyOptions {
        fn default() -> CrossEntropyOptions {
            CrossEntropyOptions {
                weight: None,
                ignore_index: -100,
                reduction: brasa_ir::compose::Reduction::Mean,
                label_smoothing: 0.0,
            }
        }
    }

    impl CrossEntropyOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `ignore_index`; by default `-100`.
        pub fn ignore_index(mut self, ignore_index: i64) -> Self {
            self.ignore_index = ignore_index;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `label_smoothing`; by default `0.0`.
        pub fn label_smoothing(mut self, label_smoothing: f64) -> Self {
            self.label_smoothing = label_smoothing;
            self
        }
    }

    /// Options of [`nll_loss`](crate::ops::nll_loss).
    #[derive(Clone, Debug)]
    pub struct NllLossOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) ignore_index: i64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for NllLossOptions {
        fn default() -> NllLossOptions {
            NllLossOptions {
                weight: None,
                ignore_index: -100,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl NllLossOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `ignore_index`; by default `-100`.
        pub fn ignore_index(mut self, ignore_index: i64) -> Self {
            self.ignore_index = ignore_index;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`binary_cross_entropy`](crate::ops::binary_cross_entropy).
    #[derive(Clone, Debug)]
    pub struct BinaryCrossEntropyOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for BinaryCrossEntropyOptions {
        fn default() -> BinaryCrossEntropyOptions {
            BinaryCrossEntropyOptions {
                weight: None,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl BinaryCrossEntropyOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`binary_cross_entropy_with_logits`](crate::ops::binary_cross_entropy_with_logits).
    #[derive(Clone, Debug)]
    pub struct BinaryCrossEntropyWithLogitsOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) reduction: brasa_ir::compose::Reduction,
        pub(crate) pos_weight: Option<Tensor>,
    }

    impl Default for BinaryCrossEntropyWithLogitsOptions {
        fn default() -> BinaryCrossEntropyWithLogitsOptions {
            BinaryCrossEntropyWithLogitsOptions {
                weight: None,
                reduction: brasa_ir::compose::Reduction::Mean,
                pos_weight: None,
            }
        }
    }

    impl BinaryCrossEntropyWithLogitsOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `pos_weight`; by default not given.
        pub fn pos_weight<'a>(mut self, pos_weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.pos_weight = pos_weight.into().cloned();
            self
        }
    }

    /// Options of [`hinge_loss`](crate::ops::hinge_loss).
    #[derive(Clone, Debug)]
    pub struct HingeLossOptions {
        pub(crate) margin: f64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for HingeLossOptions {
        fn default() -> HingeLossOptions {
            HingeLossOptions {
                margin: 1.0,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl HingeLossOptions {
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

    /// Options of [`soft_margin_loss`](crate::ops::soft_margin_loss).
    #[derive(Clone, Debug)]
    pub struct SoftMarginLossOptions {
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for SoftMarginLossOptions {
        fn default() -> SoftMarginLossOptions {
            SoftMarginLossOptions {
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl SoftMarginLossOptions {
        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`multi_margin_loss`](crate::ops::multi_margin_loss).
    #[derive(Clone, Debug)]
    pub struct MultiMarginLossOptions {
        pub(crate) p: i64,
        pub(crate) margin: f64,
        pub(crate) weight: Option<Tensor>,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for MultiMarginLossOptions {
        fn default() -> MultiMarginLossOptions {
            MultiMarginLossOptions {
                p: 1,
                margin: 1.0,
                weight: None,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl MultiMarginLossOptions {
        /// Sets `p`; by default `1`.
        pub fn p(mut self, p: i64) -> Self {
            self.p = p;
            self
        }

        /// Sets `margin`; by default `1.0`.
        pub fn margin(mut self, margin: f64) -> Self {
            self.margin = margin;
            self
        }

        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`multilabel_margin_loss`](crate::ops::multilabel_margin_loss).
    #[derive(Clone, Debug)]
    pub struct MultilabelMarginLossOptions {
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for MultilabelMarginLossOptions {
        fn default() -> MultilabelMarginLossOptions {
            MultilabelMarginLossOptions {
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl MultilabelMarginLossOptions {
        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`multilabel_soft_margin_loss`](crate::ops::multilabel_soft_margin_loss).
    #[derive(Clone, Debug)]
    pub struct MultilabelSoftMarginLossOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for MultilabelSoftMarginLossOptions {
        fn default() -> MultilabelSoftMarginLossOptions {
            MultilabelSoftMarginLossOptions {
                weight: None,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl MultilabelSoftMarginLossOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
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

    /// Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
    /// `target`, which holds a class for each score vector, or a probability for each score. Floats of
    /// the shape of `input` are probabilities, otherwise classes.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights. `label_smoothing` mixes the target with the uniform
    /// distribution.
    #[track_caller]
    pub fn cross_entropy(input: &Tensor, target: &Tensor) -> Tensor {
        cross_entropy_with(input, target, |o| o)
    }

    /// Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
    /// `target`, which holds a class for each score vector, or a probability for each score. Floats of
    /// the shape of `input` are probabilities, otherwise classes.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights. `label_smoothing` mixes the target with the uniform
    /// distribution.
    ///
    /// Options: `weight`, `ignore_index`, `reduction`, `label_smoothing`.
    #[track_caller]
    pub fn cross_entropy_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::CrossEntropyOptions) -> options::CrossEntropyOptions) -> Tensor {
        let o = o(options::CrossEntropyOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("cross_entropy", |scope| scope.leave(compose::cross_entropy(scope.g, input.enter(scope), target.enter(scope), o.weight.enter(scope), o.ignore_index, o.reduction, o.label_smoothing)))
    }

    /// Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
    /// log-probabilities, at the class `target`.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights.
    #[track_caller]
    pub fn nll_loss(input: &Tensor, target: &Tensor) -> Tensor {
        nll_loss_with(input, target, |o| o)
    }

    /// Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
    /// log-probabilities, at the class `target`.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights.
    ///
    /// Options: `weight`, `ignore_index`, `reduction`.
    #[track_caller]
    pub fn nll_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::NllLossOptions) -> options::NllLossOptions) -> Tensor {
        let o = o(options::NllLossOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("nll_loss", |scope| scope.leave(compose::nll_loss(scope.g, input.enter(scope), target.enter(scope), o.weight.enter(scope), o.ignore_index, o.reduction)))
    }

    /// Cross entropy of probabilities and labels between 0 and 1:
    /// `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
    ///
    /// Logarithms are clamped to at least −100, and the gradient stays finite.
    #[track_caller]
    pub fn binary_cross_entropy(input: &Tensor, target: &Tensor) -> Tensor {
        binary_cross_entropy_with(input, target, |o| o)
    }

    /// Cross entropy of probabilities and labels between 0 and 1:
    /// `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
    ///
    /// Logarithms are clamped to at least −100, and the gradient stays finite.
    ///
    /// Options: `weight`, `reduction`.
    #[track_caller]
    pub fn binary_cross_entropy_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::BinaryCrossEntropyOptions) -> options::BinaryCrossEntropyOptions) -> Tensor {
        let o = o(options::BinaryCrossEntropyOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("binary_cross_entropy", |scope| scope.leave(compose::binary_cross_entropy(scope.g, input.enter(scope), target.enter(scope), o.weight.enter(scope), o.reduction)))
    }

    /// `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
    /// `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
    ///
    /// `pos_weight` multiplies the term of `target`.
    #[track_caller]
    pub fn binary_cross_entropy_with_logits(input: &Tensor, target: &Tensor) -> Tensor {
        binary_cross_entropy_with_logits_with(input, target, |o| o)
    }

    /// `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
    /// `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
    ///
    /// `pos_weight` multiplies the term of `target`.
    ///
    /// Options: `weight`, `reduction`, `pos_weight`.
    #[track_caller]
    pub fn binary_cross_entropy_with_logits_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::BinaryCrossEntropyWithLogitsOptions) -> options::BinaryCrossEntropyWithLogitsOptions) -> Tensor {
        let o = o(options::BinaryCrossEntropyWithLogitsOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        o.pos_weight.settle();
        record("binary_cross_entropy_with_logits", |scope| scope.leave(compose::binary_cross_entropy_with_logits(scope.g, input.enter(scope), target.enter(scope), o.weight.enter(scope), o.reduction, o.pos_weight.enter(scope))))
    }

    /// Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
    #[track_caller]
    pub fn hinge_loss(input: &Tensor, target: &Tensor) -> Tensor {
        hinge_loss_with(input, target, |o| o)
    }

    /// Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn hinge_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::HingeLossOptions) -> options::HingeLossOptions) -> Tensor {
        let o = o(options::HingeLossOptions::default());
        input.settle();
        target.settle();
        record("hinge_loss", |scope| scope.leave(compose::hinge_loss(scope.g, input.enter(scope), target.enter(scope), o.margin, o.reduction)))
    }

    /// Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
    #[track_caller]
    pub fn soft_margin_loss(input: &Tensor, target: &Tensor) -> Tensor {
        soft_margin_loss_with(input, target, |o| o)
    }

    /// Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
    ///
    /// Options: `reduction`.
    #[track_caller]
    pub fn soft_margin_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::SoftMarginLossOptions) -> options::SoftMarginLossOptions) -> Tensor {
        let o = o(options::SoftMarginLossOptions::default());
        input.settle();
        target.settle();
        record("soft_margin_loss", |scope| scope.leave(compose::soft_margin_loss(scope.g, input.enter(scope), target.enter(scope), o.reduction)))
    }

    /// Multi-class margin loss, which asks the score of the class `target` to exceed each other score
    /// by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
    /// input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
    #[track_caller]
    pub fn multi_margin_loss(input: &Tensor, target: &Tensor) -> Tensor {
        multi_margin_loss_with(input, target, |o| o)
    }

    /// Multi-class margin loss, which asks the score of the class `target` to exceed each other score
    /// by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
    /// input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
    ///
    /// Options: `p`, `margin`, `weight`, `reduction`.
    #[track_caller]
    pub fn multi_margin_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::MultiMarginLossOptions) -> options::MultiMarginLossOptions) -> Tensor {
        let o = o(options::MultiMarginLossOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("multi_margin_loss", |scope| scope.leave(compose::multi_margin_loss(scope.g, input.enter(scope), target.enter(scope), o.p, o.margin, o.weight.enter(scope), o.reduction)))
    }

    /// Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
    /// for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
    /// target `t` and another class `c`.
    ///
    /// Each row of `target`, shaped like the input, lists classes and ends with the first −1.
    #[track_caller]
    pub fn multilabel_margin_loss(input: &Tensor, target: &Tensor) -> Tensor {
        multilabel_margin_loss_with(input, target, |o| o)
    }

    /// Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
    /// for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
    /// target `t` and another class `c`.
    ///
    /// Each row of `target`, shaped like the input, lists classes and ends with the first −1.
    ///
    /// Options: `reduction`.
    #[track_caller]
    pub fn multilabel_margin_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::MultilabelMarginLossOptions) -> options::MultilabelMarginLossOptions) -> Tensor {
        let o = o(options::MultilabelMarginLossOptions::default());
        input.settle();
        target.settle();
        record("multilabel_margin_loss", |scope| scope.leave(compose::multilabel_margin_loss(scope.g, input.enter(scope), target.enter(scope), o.reduction)))
    }

    /// `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
    /// a `weight` for each class.
    #[track_caller]
    pub fn multilabel_soft_margin_loss(input: &Tensor, target: &Tensor) -> Tensor {
        multilabel_soft_margin_loss_with(input, target, |o| o)
    }

    /// `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
    /// a `weight` for each class.
    ///
    /// Options: `weight`, `reduction`.
    #[track_caller]
    pub fn multilabel_soft_margin_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::MultilabelSoftMarginLossOptions) -> options::MultilabelSoftMarginLossOptions) -> Tensor {
        let o = o(options::MultilabelSoftMarginLossOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("multilabel_soft_margin_loss", |scope| scope.leave(compose::multilabel_soft_margin_loss(scope.g, input.enter(scope), target.enter(scope), o.weight.enter(scope), o.reduction)))
    }
}

impl Tensor {
    /// Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
    /// `target`, which holds a class for each score vector, or a probability for each score. Floats of
    /// the shape of `input` are probabilities, otherwise classes.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights. `label_smoothing` mixes the target with the uniform
    /// distribution.
    #[track_caller]
    pub fn cross_entropy(&self, target: &Tensor) -> Tensor {
        functions::cross_entropy(self, target)
    }

    /// Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
    /// `target`, which holds a class for each score vector, or a probability for each score. Floats of
    /// the shape of `input` are probabilities, otherwise classes.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights. `label_smoothing` mixes the target with the uniform
    /// distribution.
    ///
    /// Options: `weight`, `ignore_index`, `reduction`, `label_smoothing`.
    #[track_caller]
    pub fn cross_entropy_with(&self, target: &Tensor, o: impl FnOnce(options::CrossEntropyOptions) -> options::CrossEntropyOptions) -> Tensor {
        functions::cross_entropy_with(self, target, o)
    }

    /// Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
    /// log-probabilities, at the class `target`.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights.
    #[track_caller]
    pub fn nll_loss(&self, target: &Tensor) -> Tensor {
        functions::nll_loss(self, target)
    }

    /// Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
    /// log-probabilities, at the class `target`.
    ///
    /// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
    /// divides by the sum of the weights.
    ///
    /// Options: `weight`, `ignore_index`, `reduction`.
    #[track_caller]
    pub fn nll_loss_with(&self, target: &Tensor, o: impl FnOnce(options::NllLossOptions) -> options::NllLossOptions) -> Tensor {
        functions::nll_loss_with(self, target, o)
    }

    /// Cross entropy of probabilities and labels between 0 and 1:
    /// `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
    ///
    /// Logarithms are clamped to at least −100, and the gradient stays finite.
    #[track_caller]
    pub fn binary_cross_entropy(&self, target: &Tensor) -> Tensor {
        functions::binary_cross_entropy(self, target)
    }

    /// Cross entropy of probabilities and labels between 0 and 1:
    /// `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
    ///
    /// Logarithms are clamped to at least −100, and the gradient stays finite.
    ///
    /// Options: `weight`, `reduction`.
    #[track_caller]
    pub fn binary_cross_entropy_with(&self, target: &Tensor, o: impl FnOnce(options::BinaryCrossEntropyOptions) -> options::BinaryCrossEntropyOptions) -> Tensor {
        functions::binary_cross_entropy_with(self, target, o)
    }

    /// `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
    /// `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
    ///
    /// `pos_weight` multiplies the term of `target`.
    #[track_caller]
    pub fn binary_cross_entropy_with_logits(&self, target: &Tensor) -> Tensor {
        functions::binary_cross_entropy_with_logits(self, target)
    }

    /// `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
    /// `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
    ///
    /// `pos_weight` multiplies the term of `target`.
    ///
    /// Options: `weight`, `reduction`, `pos_weight`.
    #[track_caller]
    pub fn binary_cross_entropy_with_logits_with(&self, target: &Tensor, o: impl FnOnce(options::BinaryCrossEntropyWithLogitsOptions) -> options::BinaryCrossEntropyWithLogitsOptions) -> Tensor {
        functions::binary_cross_entropy_with_logits_with(self, target, o)
    }

    /// Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
    #[track_caller]
    pub fn hinge_loss(&self, target: &Tensor) -> Tensor {
        functions::hinge_loss(self, target)
    }

    /// Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
    ///
    /// Options: `margin`, `reduction`.
    #[track_caller]
    pub fn hinge_loss_with(&self, target: &Tensor, o: impl FnOnce(options::HingeLossOptions) -> options::HingeLossOptions) -> Tensor {
        functions::hinge_loss_with(self, target, o)
    }

    /// Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
    #[track_caller]
    pub fn soft_margin_loss(&self, target: &Tensor) -> Tensor {
        functions::soft_margin_loss(self, target)
    }

    /// Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
    ///
    /// Options: `reduction`.
    #[track_caller]
    pub fn soft_margin_loss_with(&self, target: &Tensor, o: impl FnOnce(options::SoftMarginLossOptions) -> options::SoftMarginLossOptions) -> Tensor {
        functions::soft_margin_loss_with(self, target, o)
    }

    /// Multi-class margin loss, which asks the score of the class `target` to exceed each other score
    /// by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
    /// input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
    #[track_caller]
    pub fn multi_margin_loss(&self, target: &Tensor) -> Tensor {
        functions::multi_margin_loss(self, target)
    }

    /// Multi-class margin loss, which asks the score of the class `target` to exceed each other score
    /// by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
    /// input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
    ///
    /// Options: `p`, `margin`, `weight`, `reduction`.
    #[track_caller]
    pub fn multi_margin_loss_with(&self, target: &Tensor, o: impl FnOnce(options::MultiMarginLossOptions) -> options::MultiMarginLossOptions) -> Tensor {
        functions::multi_margin_loss_with(self, target, o)
    }

    /// Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
    /// for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
    /// target `t` and another class `c`.
    ///
    /// Each row of `target`, shaped like the input, lists classes and ends with the first −1.
    #[track_caller]
    pub fn multilabel_margin_loss(&self, target: &Tensor) -> Tensor {
        functions::multilabel_margin_loss(self, target)
    }

    /// Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
    /// for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
    /// target `t` and another class `c`.
    ///
    /// Each row of `target`, shaped like the input, lists classes and ends with the first −1.
    ///
    /// Options: `reduction`.
    #[track_caller]
    pub fn multilabel_margin_loss_with(&self, target: &Tensor, o: impl FnOnce(options::MultilabelMarginLossOptions) -> options::MultilabelMarginLossOptions) -> Tensor {
        functions::multilabel_margin_loss_with(self, target, o)
    }

    /// `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
    /// a `weight` for each class.
    #[track_caller]
    pub fn multilabel_soft_margin_loss(&self, target: &Tensor) -> Tensor {
        functions::multilabel_soft_margin_loss(self, target)
    }

    /// `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
    /// a `weight` for each class.
    ///
    /// Options: `weight`, `reduction`.
    #[track_caller]
    pub fn multilabel_soft_margin_loss_with(&self, target: &Tensor, o: impl FnOnce(options::MultilabelSoftMarginLossOptions) -> options::MultilabelSoftMarginLossOptions) -> Tensor {
        functions::multilabel_soft_margin_loss_with(self, target, o)
    }

}
