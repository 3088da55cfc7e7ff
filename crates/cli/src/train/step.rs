//! A training step: the loss, the rule and its rates, and a batch to record it with.
use super::plan::{Plan, Rate, Rule, Shape, Task};
use brasa::nn::Layer;
use brasa::optim::schedule::{ReduceOnPlateau, Schedule};
use brasa::optim::{
    AdaDelta, Adagrad, Adam, AdamW, Clip, Lion, Muon, NAdam, Optimizer, RAdam, RmsProp, Sgd,
};
use brasa::{DType, Result, Tensor, TrainStep, ops};

/// How far the scores of a net are from the classes or characters there are.
pub fn loss<'m>(net: &'m dyn Layer, shape: &Shape) -> impl Fn(&[Tensor]) -> Tensor + 'm {
    let classes = shape.classes as isize;
    move |x| {
        let scores = net.forward(&x[0]).reshape([-1, classes]);
        ops::cross_entropy(&scores, &x[1].flatten(0))
    }
}

/// A batch of the right types, of zeros.
pub fn blank(shape: &Shape, batch: usize) -> [Tensor; 2] {
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

/// The rule of a plan with its settings. Fails where the rule cannot take one of them.
pub fn optimizer(plan: &Plan, net: &dyn Layer) -> Result<Optimizer> {
    let (lr, momentum, params) = (plan.lr, plan.momentum, net.parameters());
    let mut optimizer = brasa::catch(|| match plan.optimizer {
        Rule::Sgd => Sgd::new(lr).momentum(momentum.unwrap_or(0.9)).build(params),
        Rule::Adam => Adam::new(lr).build(params),
        Rule::Adamw => AdamW::new(lr).build(params),
        Rule::Nadam => NAdam::new(lr).build(params),
        Rule::Radam => RAdam::new(lr).build(params),
        Rule::Rmsprop => RmsProp::new(lr).momentum(momentum.unwrap_or(0.0)).build(params),
        Rule::Adagrad => Adagrad::new(lr).build(params),
        Rule::Adadelta => AdaDelta::new(lr).build(params),
        Rule::Lion => Lion::new(lr).build(params),
        Rule::Muon => Muon::new(lr).momentum(momentum.unwrap_or(0.95)).build(params),
    })?;
    if let Some(decay) = plan.weight_decay {
        optimizer.groups().iter_mut().for_each(|group| group.weight_decay = decay);
    }
    Ok(optimizer)
}

/// The step of a plan. It is shown as one, whatever parts it is taken in.
pub fn compiled<'m>(plan: &Plan, net: &'m dyn Layer, shape: &Shape) -> Result<TrainStep<'m>> {
    let mut step = brasa::compile(net, loss(net, shape), optimizer(plan, net)?);
    if let Some(most) = plan.clip {
        step.clip(Clip::Norm(most));
    }
    if let Some(decay) = plan.ema {
        step.ema(decay);
    }
    Ok(step)
}

/// How the rate of a plan changes.
pub enum Change {
    Schedule(Schedule),
    Plateau(ReduceOnPlateau),
}

pub fn change(plan: &Plan, steps: u64) -> Change {
    let (lr, rising) = (plan.lr, steps / 20);
    let falling = steps - rising;
    Change::Schedule(match plan.schedule {
        Rate::Constant => Schedule::constant(lr),
        Rate::Cosine => Schedule::cosine(lr, lr / 20.0, falling).warm_up(rising),
        Rate::Linear => Schedule::linear(lr, lr / 20.0, falling).warm_up(rising),
        Rate::Polynomial => Schedule::polynomial(lr, 0.0, steps, 2.0),
        Rate::Exponential => Schedule::exponential(lr, 0.01f64.powf(1.0 / steps.max(1) as f64)),
        Rate::Step => Schedule::step(lr, steps.div_ceil(3), 0.1),
        Rate::Multistep => {
            Schedule::multi_step(lr, [steps / 2, (u128::from(steps) * 3 / 4) as u64], 0.1)
        }
        Rate::OneCycle => Schedule::one_cycle(lr, steps, 0.3),
        Rate::Plateau => {
            let plateau = ReduceOnPlateau::new(lr, 0.5, 2).goal(plan.judge_by.goal());
            return Change::Plateau(plateau);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa::nn::{Linear, Module};
    use clap::ValueEnum;

    #[test]
    fn every_rule_takes_a_weight_decay() {
        let net = Linear::new(2, 2);
        for rule in Rule::value_variants() {
            let usual = Plan::usual(Task::Spiral, None).unwrap();
            let plan = Plan { optimizer: *rule, weight_decay: Some(0.3), ..usual };
            let mut optimizer = optimizer(&plan, &net).unwrap();
            assert_eq!(optimizer.groups()[0].weight_decay, 0.3, "{rule:?}");
            assert_eq!(optimizer.params().count(), net.parameters().len());
        }
    }

    #[test]
    fn every_schedule_ends_low_or_says_that_it_does_not() {
        for rate in Rate::value_variants() {
            let plan = Plan { schedule: *rate, ..Plan::usual(Task::Spiral, None).unwrap() };
            let Change::Schedule(schedule) = change(&plan, 100) else {
                assert_eq!(*rate, Rate::Plateau);
                continue;
            };
            let rates: Vec<f64> = (0..100).map(|step| schedule.at(step)).collect();
            let most = rates.iter().copied().fold(0.0, f64::max);
            assert!((most - plan.lr).abs() < 1e-12, "{rate:?}: at most {most}");
            let is_low = rates[99] < 0.11 * plan.lr;
            assert_eq!(is_low, *rate != Rate::Constant, "{rate:?} ends at {}", rates[99]);
        }
    }
}
