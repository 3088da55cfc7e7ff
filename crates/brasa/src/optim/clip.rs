//! Gradient clipping.
use crate::{Tensor, no_grad, ops};
use brasa_ir::graph::QuickSet;
use std::borrow::Borrow;

/// How gradients are clipped before a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clip {
    /// By global norm, as by [`clip_grad_norm`].
    Norm(f64),
    /// By element, as by [`clip_grad_value`].
    Value(f64),
}

impl Clip {
    #[track_caller]
    pub(crate) fn apply<'a>(self, params: impl Iterator<Item = &'a Tensor>) {
        match self {
            Clip::Norm(most) => _ = clip_grad_norm(params, most),
            Clip::Value(most) => clip_grad_value(params, most),
        }
    }
}

/// The distinct parameters that have a gradient, with their gradients.
pub(super) fn with_grads(params: impl IntoIterator<Item: Borrow<Tensor>>) -> Vec<(Tensor, Tensor)> {
    let mut seen = QuickSet::default();
    let both = |param: Tensor| Some((param.clone(), param.grad()?));
    let all = crate::args::collected(params).into_iter();
    all.filter(|param| seen.insert(param.identity())).filter_map(both).collect()
}

fn replace(param: &Tensor, grad: Tensor) {
    grad.cell().is_kept = true;
    param.set_grad(Some(grad));
}

/// Scales all gradients by one factor so that their global norm is at most `max_norm`. Returns the
/// norm before scaling, in `f32`, or `f64` if there are `f64` gradients.
#[track_caller]
pub fn clip_grad_norm(params: impl IntoIterator<Item: Borrow<Tensor>>, max_norm: f64) -> Tensor {
    no_grad(|| {
        let pairs = with_grads(params);
        let norm = total_norm(&pairs);
        let factor = (max_norm / (&norm + 1e-6)).clamp_max(1.0);
        for (param, grad) in pairs {
            replace(&param, (widened(&grad) * &factor).to(grad.dtype()));
        }
        norm
    })
}

/// Clamps each element of all gradients to `-max_value ..= max_value`.
#[track_caller]
pub fn clip_grad_value(params: impl IntoIterator<Item: Borrow<Tensor>>, max_value: f64) {
    no_grad(|| {
        for (param, grad) in with_grads(params) {
            replace(&param, grad.clamp_min(-max_value).clamp_max(max_value));
        }
    });
}

/// Scales all gradients by one factor so that their global norm is one. Returns the norm before
/// scaling.
#[track_caller]
pub fn normalize_grads(params: impl IntoIterator<Item: Borrow<Tensor>>) -> Tensor {
    no_grad(|| {
        let pairs = with_grads(params);
        let norm = total_norm(&pairs);
        for (param, grad) in pairs {
            replace(&param, (widened(&grad) / (&norm + 1e-12)).to(grad.dtype()));
        }
        norm
    })
}

/// In a dtype that can hold squares: 256 squared overflows `f16`.
fn widened(grad: &Tensor) -> Tensor {
    grad.to(grad.dtype().wide())
}

fn total_norm(pairs: &[(Tensor, Tensor)]) -> Tensor {
    let squares = pairs.iter().map(|(_, grad)| widened(grad).square().sum(..));
    squares.reduce(|sum, square| sum + square).unwrap_or_else(|| ops::zeros([0; 0])).sqrt()
}
