//! Taming gradients before a step.
use crate::{Tensor, no_grad, ops};
use std::borrow::Borrow;

/// The gradients of those parameters that have one.
fn with_grads(params: impl IntoIterator<Item: Borrow<Tensor>>) -> Vec<(Tensor, Tensor)> {
    let both = |param: Tensor| Some((param.clone(), param.grad()?));
    crate::args::collected(params).into_iter().filter_map(both).collect()
}

fn replace(param: &Tensor, grad: Tensor) {
    grad.cell().is_kept = true;
    param.set_grad(Some(grad));
}

/// Scales all gradients by one factor so that together they are no longer than `max_norm`, and gives
/// how long they were.
#[track_caller]
pub fn clip_grad_norm(params: impl IntoIterator<Item: Borrow<Tensor>>, max_norm: f64) -> Tensor {
    no_grad(|| {
        let pairs = with_grads(params);
        let norm = total_norm(&pairs);
        let factor = (max_norm / (&norm + 1e-6)).clamp_max(1.0);
        for (param, grad) in pairs {
            replace(&param, grad * &factor);
        }
        norm
    })
}

/// Limits each element of all gradients to `-max_value ..= max_value`.
#[track_caller]
pub fn clip_grad_value(params: impl IntoIterator<Item: Borrow<Tensor>>, max_value: f64) {
    no_grad(|| {
        for (param, grad) in with_grads(params) {
            replace(&param, grad.clamp_min(-max_value).clamp_max(max_value));
        }
    });
}

/// Scales all gradients by one factor so that together they are of length one.
#[track_caller]
pub fn normalize_grads(params: impl IntoIterator<Item: Borrow<Tensor>>) -> Tensor {
    no_grad(|| {
        let pairs = with_grads(params);
        let norm = total_norm(&pairs);
        for (param, grad) in pairs {
            replace(&param, grad / (&norm + 1e-12));
        }
        norm
    })
}

fn total_norm(pairs: &[(Tensor, Tensor)]) -> Tensor {
    let squares = pairs.iter().map(|(_, grad)| grad.square().sum(..));
    squares.reduce(|sum, square| sum + square).unwrap_or_else(|| ops::zeros([0; 0])).sqrt()
}
