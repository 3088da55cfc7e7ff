//! Maps PyTorch optimizers with their constructor arguments to `brasa::optim`.
use super::CaseError;
use super::format::TraceRun;
use super::settings::Settings;
use brasa::nn::Param;
use brasa::optim::{AdaDelta, Adagrad, Adam, AdamW, NAdam, Optimizer, RAdam, RmsProp, Sgd};

/// The optimizer of a run. As in PyTorch, weight decay applies to all parameters.
pub(super) fn build(run: &TraceRun, params: Vec<Param>) -> Result<Optimizer, CaseError> {
    let s = Settings::new(&run.optimizer, &run.args);
    macro_rules! adam {
        ($ty:ident, $lr:literal, $decay:literal) => {{
            let [beta1, beta2] = s.pair("betas", [0.9, 0.999])?;
            $ty::new(s.number("lr", $lr)?)
                .beta1(beta1)
                .beta2(beta2)
                .eps(s.number("eps", 1e-8)?)
                .weight_decay(s.number("weight_decay", $decay)?)
        }};
    }
    let decay = s.number("weight_decay", 0.0)?;
    let optimizer = match run.optimizer.trim_start_matches("torch.optim.") {
        "SGD" => Sgd::new(s.number("lr", 1e-3)?)
            .momentum(s.number("momentum", 0.0)?)
            .dampening(s.number("dampening", 0.0)?)
            .nesterov(s.flag("nesterov", false)?)
            .weight_decay(decay)
            .build(params),
        "Adam" if s.flag("decoupled_weight_decay", false)? => adam!(AdamW, 1e-3, 0.0).build(params),
        "Adam" => adam!(Adam, 1e-3, 0.0).build(params),
        "AdamW" => adam!(AdamW, 1e-3, 0.01).build(params),
        "NAdam" => {
            let momentum_decay = s.number("momentum_decay", 4e-3)?;
            adam!(NAdam, 2e-3, 0.0).momentum_decay(momentum_decay).build(params)
        }
        "RAdam" => adam!(RAdam, 1e-3, 0.0).build(params),
        "RMSprop" => RmsProp::new(s.number("lr", 1e-2)?)
            .alpha(s.number("alpha", 0.99)?)
            .eps(s.number("eps", 1e-8)?)
            .momentum(s.number("momentum", 0.0)?)
            .centered(s.flag("centered", false)?)
            .weight_decay(decay)
            .build(params),
        "Adagrad" if s.number("initial_accumulator_value", 0.0)? == 0.0 => {
            Adagrad::new(s.number("lr", 1e-2)?)
                .lr_decay(s.number("lr_decay", 0.0)?)
                .eps(s.number("eps", 1e-10)?)
                .weight_decay(decay)
                .build(params)
        }
        "Adadelta" => AdaDelta::new(s.number("lr", 1.0)?)
            .rho(s.number("rho", 0.9)?)
            .eps(s.number("eps", 1e-6)?)
            .weight_decay(decay)
            .build(params),
        _ => return Err(s.unsupported("these settings")),
    };
    s.finish()?;
    Ok(optimizer.decay_all())
}
