//! PyTorch's optimizers as nodes of the graph of a training step.
use super::Trouble;
use super::format::Plain;
use super::session::Session;
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
    /// Scalar inputs `1 − βᵗ` with their β.
    corrections: Vec<(Expr<'g>, f64)>,
}

impl Update<'_> {
    /// Sets what depends on the number of the step, which counts from one.
    pub(super) fn set_step(&self, session: &mut Session, t: usize) {
        for (input, beta) in &self.corrections {
            session.set(*input, scalar(1.0 - beta.powi(t as i32)));
        }
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
    ) -> Update<'g> {
        let mut pairs = Vec::new();
        let mut state = Vec::new();
        let corrections = match self {
            Optimizer::Sgd { .. } => Vec::new(),
            Optimizer::Adam(adam) => {
                adam.betas.map(|beta| (session.input("correction", scalar(1.0)), beta)).to_vec()
            }
        };
        for (&p, &dp) in params.iter().zip(gradients) {
            let new = match self {
                Optimizer::Sgd { lr, momentum, weight_decay, nesterov } => {
                    let dp = dp + p * *weight_decay;
                    let velocity = moment(session, p);
                    let new = velocity * *momentum + dp;
                    state.push((velocity, new));
                    p - (if *nesterov { dp + new * *momentum } else { new }) * *lr
                }
                Optimizer::Adam(adam) => {
                    let moments = [moment(session, p), moment(session, p)];
                    let (new, moved) =
                        adam.step(p, dp, moments, [corrections[0].0, corrections[1].0]);
                    state.extend(moments.into_iter().zip(moved));
                    new
                }
            };
            pairs.push((p, new));
        }
        pairs.extend(state);
        Update { pairs, corrections }
    }
}

impl Adam {
    /// The new parameter and its new moments.
    fn step<'g>(
        &self,
        p: Expr<'g>,
        dp: Expr<'g>,
        [m, v]: [Expr<'g>; 2],
        [correction1, correction2]: [Expr<'g>; 2],
    ) -> (Expr<'g>, [Expr<'g>; 2]) {
        let Adam { lr, betas: [beta1, beta2], eps, weight_decay, decoupled } = *self;
        let (p, dp) = if decoupled {
            (p * (1.0 - lr * weight_decay), dp)
        } else {
            (p, dp + p * weight_decay)
        };
        let m = m * beta1 + dp * (1.0 - beta1);
        let v = v * beta2 + dp * dp * (1.0 - beta2);
        let scale = (v / correction2).sqrt() + eps;
        (p - m / correction1 / scale * lr, [m, v])
    }
}

/// A state of zeros beside a parameter.
fn moment<'g>(session: &mut Session<'_, 'g>, p: Expr<'g>) -> Expr<'g> {
    session.input("moment", Array::full(&p.ty(), Number::Float(0.0)))
}

fn scalar(x: f64) -> Array {
    Array::full(&Type::new(DType::F32, []), Number::Float(x))
}
