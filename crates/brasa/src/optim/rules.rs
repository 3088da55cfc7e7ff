//! The update rules, as defined by their papers and PyTorch.
use super::{Optimizer, Rule, StepParams, check_settings};
use crate::nn::Param;
use crate::{Error, Result};
use brasa_ir::compose::{adam_step, sgd_step};
use brasa_ir::{Expr, Number, Recorder};

/// A number in the parameter's dtype, as a slot of the program.
fn number<'g>(like: Expr<'g>, x: f64) -> Expr<'g> {
    like.recorder().number(Number::Float(x), like.dtype())
}

/// The gradient with weight decay added (L2 regularization).
fn with_decay<'g>(at: &StepParams, param: Expr<'g>, grad: Expr<'g>) -> Expr<'g> {
    if at.weight_decay == 0.0 {
        return grad;
    }
    grad + param * number(param, at.weight_decay)
}

/// The parameter after decoupled weight decay, which does not pass through the gradient.
fn decoupled_decay<'g>(at: &StepParams, param: Expr<'g>) -> Expr<'g> {
    if at.weight_decay == 0.0 {
        return param;
    }
    param * number(param, 1.0 - at.lr * at.weight_decay)
}

/// `old · share + new · (1 − share)`
fn blend<'g>(old: Expr<'g>, new: Expr<'g>, share: f64) -> Expr<'g> {
    old * number(old, share) + new * number(old, 1.0 - share)
}

/// A setting as a number, for `check_settings`.
trait Setting {
    fn number(&self) -> f64;
}

impl Setting for f64 {
    fn number(&self) -> f64 {
        *self
    }
}

impl Setting for bool {
    fn number(&self) -> f64 {
        f64::from(*self)
    }
}

impl Setting for usize {
    fn number(&self) -> f64 {
        *self as f64
    }
}

macro_rules! rule {
    ($(#[$doc:meta])* $name:ident($lr:literal, $decay:literal) {
        $($(#[$inner:meta])* $field:ident: $ty:ty = $default:expr),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name { lr: f64, weight_decay: f64, $($field: $ty),* }

        impl $name {
            #[doc = concat!("The rule with this learning rate; PyTorch's default is ", stringify!($lr), ".")]
            pub fn new(lr: f64) -> $name {
                $name { lr, weight_decay: $decay, $($field: $default),* }
            }

            #[doc = concat!("Sets the weight decay; by default ", stringify!($decay), ".")]
            pub fn weight_decay(mut self, weight_decay: f64) -> Self {
                self.weight_decay = weight_decay;
                self
            }

            $(
                $(#[$inner])*
                pub fn $field(mut self, $field: $ty) -> Self {
                    self.$field = $field;
                    self
                }
            )*

            /// The optimizer of these parameters.
            #[track_caller]
            pub fn build<P: AsRef<Param>>(self, params: impl IntoIterator<Item = P>) -> Optimizer {
                let (lr, weight_decay) = (self.lr, self.weight_decay);
                check_settings(&[$((stringify!($field), self.$field.number())),*]);
                Optimizer::new(self, params, lr, weight_decay)
            }
        }
    };
}

rule! {
    /// Stochastic gradient descent.
    Sgd(1e-3, 0.0) {
        /// Sets the momentum: the fraction of the last update that is kept; 0 by default.
        momentum: f64 = 0.0,
        /// Sets the dampening: the fraction of the gradient left out of the momentum; 0 by default.
        dampening: f64 = 0.0,
        /// Enables Nesterov momentum, which requires a momentum.
        nesterov: bool = false,
    }
}

impl Rule for Sgd {
    fn check(&self) -> Result<()> {
        if !self.nesterov || (self.momentum > 0.0 && self.dampening == 0.0) {
            return Ok(());
        }
        let what = "nesterov requires a momentum and no dampening";
        Err(Error::argument("sgd", what).help("set a momentum: Sgd::new(lr).momentum(0.9)"))
    }

    fn state(&self) -> &'static [&'static str] {
        if self.momentum == 0.0 { &[] } else { &["momentum_buffer"] }
    }

    fn update<'g>(
        &self,
        g: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let [buffer] = state else {
            let step = with_decay(at, param, grad) * number(param, at.lr);
            return Ok((param - step, Vec::new()));
        };
        // The first gradient enters the buffer undampened.
        let is_whole = self.dampening == 0.0 || at.step() == 1;
        let dampening = if is_whole { 0.0 } else { self.dampening };
        let (lr, decay) = (Number::Float(at.lr).into(), at.weight_decay);
        let (momentum, nesterov) = (self.momentum, self.nesterov);
        let (new, buffer) =
            sgd_step(g, param, grad, *buffer, lr, momentum, dampening, decay, nesterov)?;
        Ok((new, vec![buffer]))
    }
}

rule! {
    /// Adam; weight decay is added to the gradient.
    Adam(1e-3, 0.0) {
        /// Sets the decay rate of the mean gradient; 0.9 by default.
        beta1: f64 = 0.9,
        /// Sets the decay rate of the mean square; 0.999 by default.
        beta2: f64 = 0.999,
        /// Sets the term that keeps the divisor from zero; 1e-8 by default.
        eps: f64 = 1e-8,
    }
}

rule! {
    /// Adam with decoupled weight decay.
    AdamW(1e-3, 0.01) {
        /// Sets the decay rate of the mean gradient; 0.9 by default.
        beta1: f64 = 0.9,
        /// Sets the decay rate of the mean square; 0.999 by default.
        beta2: f64 = 0.999,
        /// Sets the term that keeps the divisor from zero; 1e-8 by default.
        eps: f64 = 1e-8,
    }
}

const MOMENTS: &[&str] = &["exp_avg", "exp_avg_sq"];

/// One step of Adam. `shrink` is the factor of decoupled weight decay.
fn adam<'g>(
    at: &StepParams,
    [beta1, beta2, eps]: [f64; 3],
    [param, grad, m, v]: [Expr<'g>; 4],
    shrink: f64,
) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
    let t = at.step() as i32;
    let size = Number::Float(at.lr / (1.0 - beta1.powi(t))).into();
    let correction = Number::Float(1.0 / (1.0 - beta2.powi(t)).sqrt()).into();
    let shrink = Number::Float(shrink).into();
    let g = param.recorder();
    let (new, m, v) = adam_step(g, param, grad, m, v, size, correction, shrink, beta1, beta2, eps)?;
    Ok((new, vec![m, v]))
}

impl Rule for Adam {
    fn state(&self) -> &'static [&'static str] {
        MOMENTS
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let grad = with_decay(at, param, grad);
        adam(at, [self.beta1, self.beta2, self.eps], [param, grad, state[0], state[1]], 1.0)
    }
}

impl Rule for AdamW {
    fn state(&self) -> &'static [&'static str] {
        MOMENTS
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let shrink = 1.0 - at.lr * at.weight_decay;
        adam(at, [self.beta1, self.beta2, self.eps], [param, grad, state[0], state[1]], shrink)
    }
}

rule! {
    /// RMSprop.
    RmsProp(1e-2, 0.0) {
        /// Sets the decay rate of the mean square; 0.99 by default.
        alpha: f64 = 0.99,
        /// Sets the term that keeps the divisor from zero; 1e-8 by default.
        eps: f64 = 1e-8,
        /// Sets the momentum: the fraction of the last update that is kept; 0 by default.
        momentum: f64 = 0.0,
        /// Sets whether the mean gradient is subtracted.
        centered: bool = false,
    }
}

impl Rule for RmsProp {
    fn state(&self) -> &'static [&'static str] {
        &["square_avg", "momentum_buffer", "grad_avg"]
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let grad = with_decay(at, param, grad);
        let square = blend(state[0], grad * grad, self.alpha);
        let (mut mean, mut variance) = (state[2], square);
        if self.centered {
            mean = blend(mean, grad, self.alpha);
            variance = square - mean * mean;
        }
        let mut step = grad / (variance.sqrt() + number(param, self.eps));
        let mut buffer = state[1];
        if self.momentum != 0.0 {
            buffer = buffer * number(param, self.momentum) + step;
            step = buffer;
        }
        Ok((param - step * number(param, at.lr), vec![square, buffer, mean]))
    }
}

rule! {
    /// Adagrad.
    Adagrad(1e-2, 0.0) {
        /// Sets how fast the rate falls; 0 by default.
        lr_decay: f64 = 0.0,
        /// Sets the term that keeps the divisor from zero; 1e-10 by default.
        eps: f64 = 1e-10,
    }
}

impl Rule for Adagrad {
    fn state(&self) -> &'static [&'static str] {
        &["sum"]
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let grad = with_decay(at, param, grad);
        let rate = at.lr / (1.0 + (at.step() - 1) as f64 * self.lr_decay);
        let sum = state[0] + grad * grad;
        let step = grad / (sum.sqrt() + number(param, self.eps)) * number(param, rate);
        Ok((param - step, vec![sum]))
    }
}

rule! {
    /// Adadelta.
    AdaDelta(1.0, 0.0) {
        /// Sets the decay rate of the mean squares; 0.9 by default.
        rho: f64 = 0.9,
        /// Sets the term that keeps the divisor from zero; 1e-6 by default.
        eps: f64 = 1e-6,
    }
}

impl Rule for AdaDelta {
    fn state(&self) -> &'static [&'static str] {
        &["square_avg", "acc_delta"]
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let grad = with_decay(at, param, grad);
        let square = blend(state[0], grad * grad, self.rho);
        let eps = number(param, self.eps);
        let delta = (state[1] + eps).sqrt() / (square + eps).sqrt() * grad;
        let total = blend(state[1], delta * delta, self.rho);
        Ok((param - delta * number(param, at.lr), vec![square, total]))
    }
}

rule! {
    /// Adam with Nesterov momentum.
    NAdam(2e-3, 0.0) {
        /// Sets the decay rate of the mean gradient; 0.9 by default.
        beta1: f64 = 0.9,
        /// Sets the decay rate of the mean square; 0.999 by default.
        beta2: f64 = 0.999,
        /// Sets the term that keeps the divisor from zero; 1e-8 by default.
        eps: f64 = 1e-8,
        /// Sets how fast the momentum grows; 4e-3 by default.
        momentum_decay: f64 = 4e-3,
    }
}

impl NAdam {
    /// The momentum of step `t`.
    fn mu(&self, t: u64) -> f64 {
        self.beta1 * (1.0 - 0.5 * 0.96f64.powf(t as f64 * self.momentum_decay))
    }
}

impl Rule for NAdam {
    fn state(&self) -> &'static [&'static str] {
        MOMENTS
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let grad = with_decay(at, param, grad);
        let (mu, next) = (self.mu(at.step()), self.mu(at.step() + 1));
        // After 20,000 steps the product is zero in any precision.
        let product: f64 = (1..=at.step().min(20_000)).map(|t| self.mu(t)).product();
        let m = blend(state[0], grad, self.beta1);
        let v = blend(state[1], grad * grad, self.beta2);
        let bias = 1.0 - self.beta2.powi(at.step() as i32);
        let root = (v / number(param, bias)).sqrt() + number(param, self.eps);
        let own = number(param, at.lr * (1.0 - mu) / (1.0 - product));
        let ahead = number(param, at.lr * next / (1.0 - product * next));
        Ok((param - grad / root * own - m / root * ahead, vec![m, v]))
    }
}

rule! {
    /// Adam that uses momentum only until the variance of its mean square is small enough.
    RAdam(1e-3, 0.0) {
        /// Sets the decay rate of the mean gradient; 0.9 by default.
        beta1: f64 = 0.9,
        /// Sets the decay rate of the mean square; 0.999 by default.
        beta2: f64 = 0.999,
        /// Sets the term that keeps the divisor from zero; 1e-8 by default.
        eps: f64 = 1e-8,
    }
}

impl Rule for RAdam {
    fn state(&self) -> &'static [&'static str] {
        MOMENTS
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let grad = with_decay(at, param, grad);
        let m = blend(state[0], grad, self.beta1);
        let v = blend(state[1], grad * grad, self.beta2);
        let t = at.step() as i32;
        let (bias1, bias2) = (1.0 - self.beta1.powi(t), 1.0 - self.beta2.powi(t));
        let most = 2.0 / (1.0 - self.beta2) - 1.0;
        let rho = most - 2.0 * at.step() as f64 * self.beta2.powi(t) / bias2;
        let mut step = m * number(param, at.lr / bias1);
        if rho > 5.0 {
            let rectified = (rho - 4.0) * (rho - 2.0) * most / ((most - 4.0) * (most - 2.0) * rho);
            let root = v.sqrt() + number(param, self.eps);
            step = step * number(param, (rectified * bias2).sqrt()) / root;
        }
        Ok((param - step, vec![m, v]))
    }
}

rule! {
    /// Lion: steps of constant size, in the direction of the sign of the mean gradient.
    Lion(1e-4, 0.0) {
        /// Sets the weight of the mean in the direction; 0.9 by default.
        beta1: f64 = 0.9,
        /// Sets the decay rate of the mean; 0.99 by default.
        beta2: f64 = 0.99,
    }
}

impl Rule for Lion {
    fn state(&self) -> &'static [&'static str] {
        &["exp_avg"]
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        let direction = blend(state[0], grad, self.beta1).sign();
        let m = blend(state[0], grad, self.beta2);
        Ok((decoupled_decay(at, param) - direction * number(param, at.lr), vec![m]))
    }
}

rule! {
    /// Muon: orthogonalized momentum for matrices. Other parameters are updated by Adam.
    Muon(2e-2, 0.0) {
        /// Sets the momentum: the fraction of the last update that is kept; 0.95 by default.
        momentum: f64 = 0.95,
        /// Sets whether to use Nesterov momentum; true by default.
        nesterov: bool = true,
        /// Sets the number of orthogonalization iterations; 5 by default.
        iterations: usize = 5,
    }
}

impl Rule for Muon {
    fn depends_on_shape(&self) -> bool {
        true
    }

    fn state(&self) -> &'static [&'static str] {
        &["momentum_buffer", "exp_avg_sq"]
    }

    fn update<'g>(
        &self,
        _: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)> {
        if param.rank() != 2 {
            let operands = [param, grad, state[0], state[1]];
            return adam(at, [0.9, 0.999, 1e-8], operands, 1.0 - at.lr * at.weight_decay);
        }
        let buffer = blend(state[0], grad, self.momentum);
        let wanted = if self.nesterov { blend(grad, buffer, 1.0 - self.momentum) } else { buffer };
        let direction = orthogonal(wanted, self.iterations);
        let [rows, columns] = [param.len(0), param.len(1)].map(|n| n as f64);
        let scale = (rows / columns).max(1.0).sqrt();
        let step = direction * number(param, at.lr * scale);
        Ok((decoupled_decay(at, param) - step, vec![buffer, state[1]]))
    }
}

/// Approximates the nearest orthogonal matrix by Newton-Schulz iteration: all singular values
/// become about one.
fn orthogonal(x: Expr, iterations: usize) -> Expr {
    // The coefficients of Jordan et al., 2024, which raise small singular values fastest.
    let (a, b, c) = (3.4445, -4.7750, 2.0315);
    let is_tall = x.len(0) > x.len(1);
    let x = if is_tall { x.transposed() } else { x };
    let wide = x.widened();
    let norm = (wide * wide).sum_keep(&[0, 1]).sqrt() + 1e-7;
    let mut x = (wide / norm).cast(x.dtype());
    for _ in 0..iterations {
        let square = x.contract(x.transposed());
        let factor = square * b + square.contract(square) * c;
        x = x * a + factor.contract(x);
    }
    if is_tall { x.transposed() } else { x }
}
