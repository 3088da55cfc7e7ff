//! PyTorch's optimizers as the op table's updates in the graph of a training step.
use super::Trouble;
use super::format::Plain;
use super::session::Session;
use brasa_ir::compose::{adam_step, sgd_step};
use brasa_ir::{Array, DType, Expr, Number, Type, Value};
use std::collections::BTreeMap;

/// How parameters follow their gradients.
pub(super) enum Optimizer {
    Sgd { lr: f64, momentum: f64, weight_decay: f64, nesterov: bool },
    Adam(Adam),
}

/// Adam, or AdamW where the weights decay by themselves and not through the gradient.
pub(super) struct Adam {
    lr: f64,
    betas: [f64; 2],
    eps: f64,
    weight_decay: f64,
    decoupled: bool,
}

/// What one step changes.
pub(super) struct Update<'g> {
    /// Inputs with their values after the step: parameters first, then the optimizer's state.
    pub(super) pairs: Vec<(Expr<'g>, Expr<'g>)>,
    rates: Option<Rates<'g>>,
}

/// Scalar inputs of Adam that change from step to step.
struct Rates<'g> {
    lr: f64,
    betas: [f64; 2],
    /// `lr / (1 − β₁ᵗ)`
    step_size: Expr<'g>,
    /// `1 / √(1 − β₂ᵗ)`
    correction: Expr<'g>,
}

impl Update<'_> {
    /// Sets what depends on the number of the step, which counts from one.
    pub(super) fn set_step(&self, session: &mut Session, t: usize) {
        let Some(rates) = &self.rates else { return };
        let [first, second] = rates.betas.map(|beta| 1.0 - beta.powi(t as i32));
        session.set(rates.step_size, scalar(rates.lr / first));
        session.set(rates.correction, scalar(1.0 / second.sqrt()));
    }
}

impl Optimizer {
    /// The optimizer of this PyTorch name with these arguments.
    pub(super) fn new(name: &str, args: &BTreeMap<String, Plain>) -> Result<Optimizer, Trouble> {
        let number = |name: &str| match args.get(name).map(|plain| &plain.0) {
            Some(Value::Float(x)) => *x,
            Some(Value::Int(i)) => *i as f64,
            Some(Value::Bool(b)) => *b as i64 as f64,
            _ => 0.0,
        };
        for unknown in ["dampening", "amsgrad", "maximize"] {
            if number(unknown) != 0.0 {
                return Err(Trouble::Unsupported(format!("{name} with {unknown}")));
            }
        }
        let (lr, weight_decay) = (number("lr"), number("weight_decay"));
        let betas = match args.get("betas").map(|plain| &plain.0) {
            Some(Value::List(betas)) => match betas[..] {
                [Value::Float(first), Value::Float(second)] => [first, second],
                _ => return Err(Trouble::Unsupported("betas that are not two floats".to_string())),
            },
            _ => [0.9, 0.999],
        };
        let adam = |decoupled| Adam { lr, betas, eps: number("eps"), weight_decay, decoupled };
        match name.trim_start_matches("torch.optim.") {
            "SGD" => {
                let (momentum, nesterov) = (number("momentum"), number("nesterov") != 0.0);
                Ok(Optimizer::Sgd { lr, momentum, weight_decay, nesterov })
            }
            "Adam" => Ok(Optimizer::Adam(adam(false))),
            "AdamW" => Ok(Optimizer::Adam(adam(true))),
            _ => Err(Trouble::Unsupported(format!("there is no optimizer '{name}'"))),
        }
    }

    /// Records one step.
    pub(super) fn record<'g>(
        &self,
        session: &mut Session<'_, 'g>,
        params: &[Expr<'g>],
        gradients: &[Expr<'g>],
    ) -> Result<Update<'g>, Trouble> {
        let (mut pairs, mut state) = (Vec::new(), Vec::new());
        let rates = match self {
            Optimizer::Sgd { .. } => None,
            Optimizer::Adam(adam) => Some(Rates {
                lr: adam.lr,
                betas: adam.betas,
                step_size: session.input("step_size", scalar(1.0)),
                correction: session.input("correction", scalar(1.0)),
            }),
        };
        for (&p, &dp) in params.iter().zip(gradients) {
            let (m, v) = (moment(session, p), moment(session, p));
            let new = match (self, &rates) {
                (Optimizer::Adam(adam), Some(rates)) => {
                    let (new, new_m, new_v) = adam.step(session, [p, dp, m, v], rates)?;
                    state.extend([(m, new_m), (v, new_v)]);
                    new
                }
                (Optimizer::Sgd { lr, momentum, weight_decay, nesterov }, _) => {
                    let rate = Number::Float(*lr).into();
                    let (g, decay) = (session.g, *weight_decay);
                    let (new, new_m) =
                        sgd_step(g, p, dp, m, rate, *momentum, 0.0, decay, *nesterov)?;
                    state.push((m, new_m));
                    new
                }
                (Optimizer::Adam(_), None) => unreachable!("Adam has rates"),
            };
            pairs.push((p, new));
        }
        pairs.extend(state);
        Ok(Update { pairs, rates })
    }
}

impl Adam {
    /// The new parameter and its new moments.
    fn step<'g>(
        &self,
        session: &Session<'_, 'g>,
        [p, dp, m, v]: [Expr<'g>; 4],
        rates: &Rates<'g>,
    ) -> Result<(Expr<'g>, Expr<'g>, Expr<'g>), Trouble> {
        let Adam { lr, betas: [beta1, beta2], eps, weight_decay, decoupled } = *self;
        let (shrink, dp) = match decoupled {
            true => (1.0 - lr * weight_decay, dp),
            false => (1.0, dp + p * weight_decay),
        };
        let (size, root) = (rates.step_size.into(), rates.correction.into());
        let shrink = Number::Float(shrink).into();
        Ok(adam_step(session.g, p, dp, m, v, size, root, shrink, beta1, beta2, eps)?)
    }
}

/// A state of zeros beside a parameter.
fn moment<'g>(session: &mut Session<'_, 'g>, p: Expr<'g>) -> Expr<'g> {
    session.input("moment", Array::full(&p.ty(), Number::Float(0.0)))
}

fn scalar(x: f64) -> Array {
    Array::full(&Type::new(DType::F32, []), Number::Float(x))
}
