//! Learning rates that change: plain functions of the step, which can be put together.
//!
//! ```
//! use brasa::optim::schedule::Schedule;
//! let lr = Schedule::linear(0.0, 1.0, 10).then(10, Schedule::cosine(1.0, 0.1, 90));
//! assert_eq!(lr.at(5), 0.5);
//! assert_eq!(lr.at(10), 1.0);
//! assert!((lr.at(100) - 0.1).abs() < 1e-12);
//! ```
use std::f64::consts::PI;
use std::sync::Arc;

/// A rate for every step, counted from zero.
#[derive(Clone)]
pub struct Schedule(Arc<dyn Fn(u64) -> f64 + Send + Sync>);

impl Schedule {
    /// Any function of the step.
    pub fn new(rate: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Schedule {
        Schedule(Arc::new(rate))
    }

    /// The rate of a step.
    pub fn at(&self, step: u64) -> f64 {
        (self.0)(step)
    }

    /// Always the same.
    pub fn constant(lr: f64) -> Schedule {
        Schedule::new(move |_| lr)
    }

    /// Times `gamma` after every `every` steps.
    pub fn step(lr: f64, every: u64, gamma: f64) -> Schedule {
        Schedule::new(move |t| lr * gamma.powf((t / every.max(1)) as f64))
    }

    /// Times `gamma` at each of these steps.
    pub fn multi_step(lr: f64, steps: impl Into<Vec<u64>>, gamma: f64) -> Schedule {
        let steps = steps.into();
        Schedule::new(move |t| lr * gamma.powi(steps.iter().filter(|&&at| at <= t).count() as i32))
    }

    /// On a straight line over `steps` steps, then as at its end.
    pub fn linear(from: f64, to: f64, steps: u64) -> Schedule {
        Schedule::new(move |t| from + (to - from) * part(t, steps))
    }

    /// On half a wave from one rate to another.
    pub fn cosine(from: f64, to: f64, steps: u64) -> Schedule {
        Schedule::new(move |t| to + (from - to) * (1.0 + (PI * part(t, steps)).cos()) / 2.0)
    }

    /// `(1 − t / steps)^power` between two rates.
    pub fn polynomial(from: f64, to: f64, steps: u64, power: f64) -> Schedule {
        Schedule::new(move |t| to + (from - to) * (1.0 - part(t, steps)).powf(power))
    }

    /// Times `gamma` at every step.
    pub fn exponential(lr: f64, gamma: f64) -> Schedule {
        Schedule::new(move |t| lr * gamma.powf(t as f64))
    }

    /// Up to `max` on a wave over the first part of the steps (0.3 of them is usual), then down to
    /// nearly nothing at the last step, as PyTorch's `OneCycleLR`.
    pub fn one_cycle(max: f64, steps: u64, rising: f64) -> Schedule {
        let last = steps.saturating_sub(1) as f64;
        let peak = (steps as f64 * rising - 1.0).clamp(0.0, last);
        let wave =
            |from: f64, to: f64, part: f64| to + (from - to) * (1.0 + (PI * part).cos()) / 2.0;
        Schedule::new(move |t| match (t as f64).min(last) {
            t if t < peak => wave(max / 25.0, max, t / peak),
            t if t > peak => wave(max, max / 25e4, (t - peak) / (last - peak)),
            _ => max,
        })
    }

    /// From zero over `steps` steps, then this schedule from its beginning.
    pub fn warm_up(self, steps: u64) -> Schedule {
        let first = self.at(0);
        Schedule::linear(0.0, first, steps).then(steps, self)
    }

    /// This schedule up to step `at`, then another from its beginning.
    pub fn then(self, at: u64, next: Schedule) -> Schedule {
        Schedule::new(move |t| if t < at { self.at(t) } else { next.at(t - at) })
    }

    /// This schedule times another.
    pub fn times(self, other: Schedule) -> Schedule {
        Schedule::new(move |t| self.at(t) * other.at(t))
    }
}

fn part(t: u64, steps: u64) -> f64 {
    if steps == 0 { 1.0 } else { t.min(steps) as f64 / steps as f64 }
}

/// Where a measure should go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// It should fall, as a loss.
    #[default]
    Min,
    /// It should rise, as an accuracy.
    Max,
}

impl Goal {
    /// Whether `measure` is better than `best`. What is no number never is; any number is better than
    /// none.
    pub fn is_better(self, measure: f64, best: Option<f64>) -> bool {
        let is_better = |best: f64| match self {
            Goal::Min => measure < best,
            Goal::Max => measure > best,
        };
        measure.is_finite() && best.is_none_or(is_better)
    }
}

/// A rate that falls when a measure no longer gets better.
#[derive(Clone, Debug)]
pub struct ReduceOnPlateau {
    goal: Goal,
    factor: f64,
    patience: u64,
    threshold: f64,
    min_lr: f64,
    state: PlateauState,
}

/// What a [`ReduceOnPlateau`] goes on from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
pub struct PlateauState {
    /// The rate.
    pub lr: f64,
    /// The best measure so far.
    pub best: Option<f64>,
    /// Looks since the best one or the last fall of the rate.
    pub bad: u64,
}

impl ReduceOnPlateau {
    /// Times `factor` when the measure, which should fall, has not for more than `patience` looks.
    pub fn new(lr: f64, factor: f64, patience: u64) -> ReduceOnPlateau {
        let (goal, threshold, min_lr) = (Goal::Min, 1e-4, 0.0);
        let state = PlateauState { lr, best: None, bad: 0 };
        ReduceOnPlateau { goal, factor, patience, threshold, min_lr, state }
    }

    /// Sets where the measure should go; it should fall at first.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the share by which a measure has to be better to count; 1e-4 at first.
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets the least rate; 0 at first.
    pub fn min_lr(mut self, min_lr: f64) -> Self {
        self.min_lr = min_lr;
        self
    }

    /// The rate of now.
    pub fn lr(&self) -> f64 {
        self.state.lr
    }

    /// What it needs to go on later.
    pub fn state(&self) -> PlateauState {
        self.state
    }

    /// Goes on from there.
    pub fn restore(&mut self, state: PlateauState) {
        self.state = state;
    }

    /// Looks at a measure and gives the rate from here on.
    pub fn look(&mut self, measure: f64) -> f64 {
        let state = &mut self.state;
        let by = match self.goal {
            Goal::Min => 1.0 - self.threshold,
            Goal::Max => 1.0 + self.threshold,
        };
        if self.goal.is_better(measure, state.best.map(|best| best * by)) {
            (state.best, state.bad) = (Some(measure), 0);
            return state.lr;
        }
        state.bad += 1;
        if state.bad > self.patience {
            state.bad = 0;
            state.lr = (state.lr * self.factor).max(self.min_lr);
        }
        state.lr
    }
}
