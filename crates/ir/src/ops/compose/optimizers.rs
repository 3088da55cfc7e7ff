//! Optimizer updates: new values of a parameter and of its optimizer state. Rates that change
//! between steps are operands, so that they can be slots.
use super::prelude::*;

/// The new parameter and momentum buffer of one step of stochastic gradient descent: `buffer =
/// momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov `param −
/// lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
#[op(case = "f32[3], f32[3], f32[3], 0.1, momentum=0.9")]
pub fn sgd_step(
    g: &Recorder,
    param: Expr,
    grad: Expr,
    buffer: Expr,
    lr: Operand,
    #[default(0.0)] momentum: f64,
    #[default(0.0)] dampening: f64,
    #[default(0.0)] weight_decay: f64,
    #[default(false)] nesterov: bool,
) -> Result<(Expr, Expr)> {
    same_type("sgd_step", param, &[grad, buffer])?;
    let number = |x: f64| g.number(x.into(), param.dtype());
    let grad = if weight_decay == 0.0 { grad } else { grad + param * number(weight_decay) };
    let buffer = buffer * number(momentum) + grad * number(1.0 - dampening);
    let direction = if nesterov { grad + buffer * number(momentum) } else { buffer };
    let lr = rate(g, lr, param)?;
    Ok((param - direction * lr, buffer))
}

/// The new parameter and the new moments of one step of Adam:
/// `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
/// `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
/// `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
/// (AdamW).
#[op(
    alias = "adamw_step",
    case = "f32[3], f32[3], f32[3], f32[3] in 0.1..1, 0.01, 1.5, shrink=0.99"
)]
pub fn adam_step(
    g: &Recorder,
    param: Expr,
    grad: Expr,
    exp_avg: Expr,
    exp_avg_sq: Expr,
    step_size: Operand,
    correction: Operand,
    #[default(1.0.into())] shrink: Operand,
    #[default(0.9)] beta1: f64,
    #[default(0.999)] beta2: f64,
    #[default(1e-8)] eps: f64,
) -> Result<(Expr, Expr, Expr)> {
    same_type("adam_step", param, &[grad, exp_avg, exp_avg_sq])?;
    let number = |x: f64| g.number(x.into(), param.dtype());
    let m = exp_avg * number(beta1) + grad * number(1.0 - beta1);
    let v = exp_avg_sq * number(beta2) + grad * grad * number(1.0 - beta2);
    let denominator = v.sqrt() * rate(g, correction, param)? + number(eps);
    let update = m / denominator * rate(g, step_size, param)?;
    Ok((param * rate(g, shrink, param)? - update, m, v))
}

/// A number or a scalar tensor, in the parameter's dtype.
fn rate<'g>(g: &'g Recorder, value: Operand<'g>, param: Expr<'g>) -> Result<Expr<'g>> {
    match value {
        Operand::Number(n) => Ok(g.number(n, param.dtype())),
        Operand::Tensor(x) if x.rank() == 0 => Ok(x.cast(param.dtype())),
        Operand::Tensor(x) => {
            let error = Error::shape(g.call().unwrap_or("step"), "a rate must be a scalar");
            Err(error.operand("rate", &x.ty()))
        }
    }
}

fn same_type<'g>(op: &str, param: Expr<'g>, others: &[Expr<'g>]) -> Result<()> {
    if !param.dtype().is_float() {
        return Err(Error::dtype(op, "only floats can be trained").operand("param", &param.ty()));
    }
    match others.iter().find(|other| other.ty() != param.ty()) {
        None => Ok(()),
        Some(other) => {
            let error = Error::shape(op, "gradient and state must have the type of the parameter");
            Err(error.operand("param", &param.ty()).operand("other", &other.ty()))
        }
    }
}

entries![sgd_step, adam_step];
