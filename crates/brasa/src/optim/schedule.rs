//! Learning rate schedules: plain functions of the step, which can be combined.
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

/// A learning rate for every step, counted from zero.
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

    /// A constant rate.
    pub fn constant(lr: f64) -> Schedule {
        Schedule::new(move |_| lr)
    }

    /// Multiplied by `gamma` every `every` steps.
    pub fn step(lr: f64, every: u64, gamma: f64) -> Schedule {
        Schedule::new(move |t| lr * gamma.powf((t / every.max(1)) as f64))
    }

    /// Multiplied by `gamma` at each of these steps.
    pub fn multi_step(lr: f64, steps: impl Into<Vec<u64>>, gamma: f64) -> Schedule {
        let steps = steps.into();
        Schedule::new(move |t| lr * gamma.powi(steps.iter().filter(|&&at| at <= t).count() as i32))
    }

    /// Linear over `steps` steps, then constant.
    pub fn linear(from: f64, to: f64, steps: u64) -> Schedule {
        Schedule::new(move |t| from + (to - from) * part(t, steps))
    }

    /// A half cosine from one rate to another, then constant.
    pub fn cosine(from: f64, to: f64, steps: u64) -> Schedule {
        Schedule::new(move |t| to + (from - to) * (1.0 + (PI * part(t, steps)).cos()) / 2.0)
    }

    /// `(1 − t / steps)^power` between two rates.
    pub fn polynomial(from: f64, to: f64, steps: u64, power: f64) -> Schedule {
        Schedule::new(move |t| to + (from - to) * (1.0 - part(t, steps)).powf(power))
    }

    /// Multiplied by `gamma` at every step.
    pub fn exponential(lr: f64, gamma: f64) -> Schedule {
        Schedule::new(move |t| lr * gamma.powf(t as f64))
    }

    /// Rises to `max` on a cosine over the first fraction of the steps (usually 0.3), then falls to
    /// nearly zero at the last step, as PyTorch's `OneCycleLR`.
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

    /// Rises linearly from zero over `steps` steps, then follows this schedule from its beginning.
    pub fn warm_up(self, steps: u64) -> Schedule {
        let first = self.at(0);
        Schedule::linear(0.0, first, steps).then(steps, self)
    }

    /// This schedule until step `at`, then another from its beginning.
    pub fn then(self, at: u64, next: Schedule) -> Schedule {
        Schedule::new(move |t| if t < at { self.at(t) } else { next.at(t - at) })
    }

    /// The product of two schedules.
    pub fn times(self, other: Schedule) -> Schedule {
        Schedule::new(move |t| self.at(t) * other.at(t))
    }
}

fn part(t: u64, steps: u64) -> f64 {
    if steps == 0 { 1.0 } else { t.min(steps) as f64 / steps as f64 }
}

/// The direction in which a metric improves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Lower is better, as for a loss.
    #[default]
    Min,
    /// Higher is better, as for an accuracy.
    Max,
}

impl Goal {
    /// Whether `measure` is better than `best`. NaN and infinities never are; any finite number is
    /// better than `None`.
    pub fn is_better(self, measure: f64, best: Option<f64>) -> bool {
        let is_better = |best: f64| match self {
            Goal::Min => measure < best,
            Goal::Max => measure > best,
        };
        measure.is_finite() && best.is_none_or(is_better)
    }
}

/// A learning rate that is reduced when a metric stops improving.
#[derive(Clone, Debug)]
pub struct ReduceOnPlateau {
    goal: Goal,
    factor: f64,
    patience: u64,
    threshold: f64,
    min_lr: f64,
    state: PlateauState,
}

/// The state of a [`ReduceOnPlateau`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
pub struct PlateauState {
    /// The learning rate.
    pub lr: f64,
    /// The best metric so far.
    pub best: Option<f64>,
    /// Updates since the best metric or the last reduction.
    pub bad: u64,
}

impl ReduceOnPlateau {
    /// Multiplies the rate by `factor` when the metric has not fallen for more than `patience`
    /// updates.
    pub fn new(lr: f64, factor: f64, patience: u64) -> ReduceOnPlateau {
        let (goal, threshold, min_lr) = (Goal::Min, 1e-4, 0.0);
        let state = PlateauState { lr, best: None, bad: 0 };
        ReduceOnPlateau { goal, factor, patience, threshold, min_lr, state }
    }

    /// Sets the direction of improvement; lower is better by default.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the relative improvement that is required; 1e-4 by default.
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets the minimum rate; 0 by default.
    pub fn min_lr(mut self, min_lr: f64) -> Self {
        self.min_lr = min_lr;
        self
    }

    /// The current rate.
    pub fn lr(&self) -> f64 {
        self.state.lr
    }

    /// The state, for [`restore`](ReduceOnPlateau::restore).
    pub fn state(&self) -> PlateauState {
        self.state
    }

    /// Continues from a state.
    pub fn restore(&mut self, state: PlateauState) {
        self.state = state;
    }

    /// Takes the latest metric into account, and returns the new rate.
    pub fn update(&mut self, measure: f64) -> f64 {
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

    /// The old name of [`update`](ReduceOnPlateau::update).
    #[deprecated(since = "0.2.0", note = "renamed to `update`")]
    pub fn look(&mut self, measure: f64) -> f64 {
        self.update(measure)
    }
}
