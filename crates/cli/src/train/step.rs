//! The parts of a training step: loss, optimizer, schedule, and a batch to record it with.
use super::plan::{OptimizerKind, Plan, ScheduleKind, Shape, Task};
use brasa::nn::Layer;
use brasa::optim::schedule::{ReduceOnPlateau, Schedule};
use brasa::optim::{
    AdaDelta, Adagrad, Adam, AdamW, Clip, Lion, Muon, NAdam, Optimizer, RAdam, RmsProp, Sgd,
};
use brasa::{DType, Result, Tensor, TrainStep, ops};

/// Cross entropy of the model's scores with classes or characters.
pub fn loss<'m>(net: &'m dyn Layer, shape: &Shape) -> impl Fn(&[Tensor]) -> Tensor + 'm {
    let classes = shape.classes as isize;
    move |x| {
        let scores = net.forward(&x[0]).reshape([-1, classes]);
        ops::cross_entropy(&scores, &x[1].flatten(0))
    }
}

/// A batch of zeros with the task's types and shapes.
pub fn zero_batch(shape: &Shape, batch: usize) -> [Tensor; 2] {
    let zeros = |lens: &[usize], dtype| Tensor::zeros(lens).to(dtype);
    match shape.task {
        Task::Mnist | Task::Fashion | Task::Digits => {
            [zeros(&[batch, 28, 28], DType::U8), zeros(&[batch], DType::I64)]
        }
        Task::Spiral => [zeros(&[batch, 2], DType::F32), zeros(&[batch], DType::I64)],
        Task::Names | Task::Text => {
            let text = || zeros(&[batch, shape.window], DType::I64);
            [text(), text()]
        }
    }
}

/// The optimizer of a plan. Fails if a setting is invalid for it.
pub fn optimizer(plan: &Plan, net: &dyn Layer) -> Result<Optimizer> {
    let (lr, momentum, params) = (plan.lr, plan.momentum, net.parameters());
    let mut optimizer = brasa::catch(|| match plan.optimizer {
        OptimizerKind::Sgd => Sgd::new(lr).momentum(momentum.unwrap_or(0.9)).build(params),
        OptimizerKind::Adam => Adam::new(lr).build(params),
        OptimizerKind::Adamw => AdamW::new(lr).build(params),
        OptimizerKind::Nadam => NAdam::new(lr).build(params),
        OptimizerKind::Radam => RAdam::new(lr).build(params),
        OptimizerKind::Rmsprop => RmsProp::new(lr).momentum(momentum.unwrap_or(0.0)).build(params),
        OptimizerKind::Adagrad => Adagrad::new(lr).build(params),
        OptimizerKind::Adadelta => AdaDelta::new(lr).build(params),
        OptimizerKind::Lion => Lion::new(lr).build(params),
        OptimizerKind::Muon => Muon::new(lr).momentum(momentum.unwrap_or(0.95)).build(params),
    })?;
    if let Some(decay) = plan.weight_decay {
        optimizer.groups().iter_mut().for_each(|group| group.weight_decay = decay);
    }
    Ok(optimizer)
}

/// The compiled step of a plan. Ignores `accumulate`.
pub fn compile_step<'m>(plan: &Plan, net: &'m dyn Layer, shape: &Shape) -> Result<TrainStep<'m>> {
    let mut step = brasa::compile(net, loss(net, shape), optimizer(plan, net)?);
    if let Some(norm) = plan.clip {
        step.clip(Clip::Norm(norm));
    }
    if let Some(decay) = plan.ema {
        step.ema(decay);
    }
    Ok(step)
}

/// How the learning rate changes.
pub enum LrPolicy {
    Schedule(Schedule),
    Plateau(ReduceOnPlateau),
}

pub fn lr_policy(plan: &Plan, steps: u64) -> LrPolicy {
    let (lr, warm_up) = (plan.lr, steps / 20);
    let decay = steps - warm_up;
    LrPolicy::Schedule(match plan.schedule {
        ScheduleKind::Constant => Schedule::constant(lr),
        ScheduleKind::Cosine => Schedule::cosine(lr, lr / 20.0, decay).warm_up(warm_up),
        ScheduleKind::Linear => Schedule::linear(lr, lr / 20.0, decay).warm_up(warm_up),
        ScheduleKind::Polynomial => Schedule::polynomial(lr, 0.0, steps, 2.0),
        ScheduleKind::Exponential => {
            Schedule::exponential(lr, 0.01f64.powf(1.0 / steps.max(1) as f64))
        }
        ScheduleKind::Step => Schedule::step(lr, steps.div_ceil(3), 0.1),
        ScheduleKind::Multistep => {
            Schedule::multi_step(lr, [steps / 2, (u128::from(steps) * 3 / 4) as u64], 0.1)
        }
        ScheduleKind::OneCycle => Schedule::one_cycle(lr, steps, 0.3),
        ScheduleKind::Plateau => {
            let plateau = ReduceOnPlateau::new(lr, 0.5, 2).goal(plan.judge_by.goal());
            return LrPolicy::Plateau(plateau);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa::nn::{Linear, Module};
    use clap::ValueEnum;

    #[test]
    fn every_optimizer_takes_a_weight_decay() {
        let net = Linear::new(2, 2);
        for rule in OptimizerKind::value_variants() {
            let usual = Plan::defaults(Task::Spiral, None).unwrap();
            let plan = Plan { optimizer: *rule, weight_decay: Some(0.3), ..usual };
            let mut optimizer = optimizer(&plan, &net).unwrap();
            assert_eq!(optimizer.groups()[0].weight_decay, 0.3, "{rule:?}");
            assert_eq!(optimizer.params().count(), net.parameters().len());
        }
    }

    #[test]
    fn every_schedule_but_constant_ends_low() {
        for rate in ScheduleKind::value_variants() {
            let plan = Plan { schedule: *rate, ..Plan::defaults(Task::Spiral, None).unwrap() };
            let LrPolicy::Schedule(schedule) = lr_policy(&plan, 100) else {
                assert_eq!(*rate, ScheduleKind::Plateau);
                continue;
            };
            let rates: Vec<f64> = (0..100).map(|step| schedule.at(step)).collect();
            let most = rates.iter().copied().fold(0.0, f64::max);
            assert!((most - plan.lr).abs() < 1e-12, "{rate:?}: at most {most}");
            let is_low = rates[99] < 0.11 * plan.lr;
            assert_eq!(is_low, *rate != ScheduleKind::Constant, "{rate:?} ends at {}", rates[99]);
        }
    }
}
