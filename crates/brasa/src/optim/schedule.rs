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
    /// nearly nothing.
    pub fn one_cycle(max: f64, steps: u64, rising: f64) -> Schedule {
        let up = (steps as f64 * rising) as u64;
        let rise = Schedule::cosine(max / 25.0, max, up);
        rise.then(up, Schedule::cosine(max, max / 25e4, steps.saturating_sub(up)))
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

/// A rate that falls when a measure no longer gets better.
#[derive(Clone, Debug)]
pub struct ReduceOnPlateau {
    lr: f64,
    factor: f64,
    patience: u64,
    threshold: f64,
    min_lr: f64,
    best: f64,
    bad: u64,
}

impl ReduceOnPlateau {
    /// Times `factor` when the measure, which should fall, has not for more than `patience` looks.
    pub fn new(lr: f64, factor: f64, patience: u64) -> ReduceOnPlateau {
        let (threshold, min_lr, best) = (1e-4, 0.0, f64::INFINITY);
        ReduceOnPlateau { lr, factor, patience, threshold, min_lr, best, bad: 0 }
    }

    /// Sets the least rate; 0 at first.
    pub fn min_lr(mut self, min_lr: f64) -> Self {
        self.min_lr = min_lr;
        self
    }

    /// Looks at a measure and gives the rate from here on.
    pub fn look(&mut self, measure: f64) -> f64 {
        if measure < self.best * (1.0 - self.threshold) {
            (self.best, self.bad) = (measure, 0);
            return self.lr;
        }
        self.bad += 1;
        if self.bad > self.patience {
            self.bad = 0;
            self.lr = (self.lr * self.factor).max(self.min_lr);
        }
        self.lr
    }
}
