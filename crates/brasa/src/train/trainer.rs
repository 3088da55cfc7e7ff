//! `Trainer`: takes compiled steps over the batches of a loader, and handles metrics, checkpoints,
//! events and stopping. The settings are in this file, the loop is in `trainer/run.rs`.
mod run;

use super::gradients::GradientMonitor;
use super::nan::NanWatch;
use super::{Ended, Event, Measures, NanOrigin};
use crate::data::{Cursor, DataLoader};
use crate::io::{Checkpoints, Progress};
use crate::nn::Module;
use crate::optim::schedule::{Goal, ReduceOnPlateau, Schedule};
use crate::optim::{Clip, Ema, Optimizer};
use crate::{Error, Result, Tensor, TrainStep, compile, set_rng_state};
use run::Run;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The return value of a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Continue the run.
    Continue,
    /// End the run after this step.
    Stop,
}

impl Next {
    /// The old name of [`Next::Continue`].
    #[deprecated(since = "0.2.0", note = "renamed to `Continue`")]
    #[allow(non_upper_case_globals, reason = "it was a variant")]
    pub const GoOn: Next = Next::Continue;
}

/// Ends a run from outside, such as from a signal handler: the run ends after its current step.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Requests the run to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was requested to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The reason it ended.
    pub ended: Ended,
    /// Number of steps taken, including those of earlier runs.
    pub step: u64,
    /// Number of complete epochs.
    pub epochs: u64,
    /// Training time in seconds, including earlier runs.
    pub seconds: f64,
    /// The loss of the last step; NaN if there was none.
    pub loss: f64,
    /// The last metrics.
    pub measures: Measures,
}

type Loss<'m> = Rc<dyn Fn(&[Tensor]) -> Tensor + 'm>;
type Measure<'m> = Box<dyn FnMut() -> Result<Measures> + 'm>;
type Callback<'m> = Box<dyn FnMut(&Event) -> Result<Next> + 'm>;

/// Trains a model. Settings have defaults; see the [module](super) for an example.
pub struct Trainer<'m> {
    model: &'m dyn Module,
    loss: Loss<'m>,
    step: TrainStep<'m>,
    epochs: u64,
    steps: Option<u64>,
    rate: Rate,
    measure: Option<Measure<'m>>,
    measure_every: Option<u64>,
    checkpoints: Option<(Checkpoints, u64)>,
    metadata: BTreeMap<String, String>,
    monitored: (String, Goal),
    patience: Option<u64>,
    keeps_best: bool,
    watch: Option<NanWatch>,
    gradients: Option<GradientMonitor<'m>>,
    stop: StopFlag,
    callbacks: Vec<Callback<'m>>,
    at: Progress,
    saved: Option<u64>,
    /// The op behind the NaN that ended the run.
    origin: Option<NanOrigin>,
}

/// The source of the learning rate.
enum Rate {
    /// The optimizer's own rate.
    Own,
    Schedule(Schedule),
    Plateau(ReduceOnPlateau),
}

impl<'m> Trainer<'m> {
    /// Trains `model` with a loss function of the tensors in a batch.
    pub fn new(
        model: &'m dyn Module,
        loss: impl Fn(&[Tensor]) -> Tensor + 'm,
        optimizer: Optimizer,
    ) -> Trainer<'m> {
        let loss: Loss<'m> = Rc::new(loss);
        let own = loss.clone();
        Trainer {
            model,
            step: compile(model, move |x| own(x), optimizer),
            loss,
            epochs: 1,
            steps: None,
            rate: Rate::Own,
            measure: None,
            measure_every: None,
            checkpoints: None,
            metadata: BTreeMap::new(),
            monitored: ("loss".to_string(), Goal::Min),
            patience: None,
            keeps_best: false,
            watch: None,
            gradients: None,
            stop: StopFlag::default(),
            callbacks: Vec::new(),
            at: Progress::default(),
            saved: None,
            origin: None,
        }
    }

    /// Sets the total number of epochs; 1 by default.
    pub fn epochs(&mut self, epochs: u64) -> &mut Self {
        self.epochs = epochs;
        self
    }

    /// Sets the total number of steps, instead of a number of epochs.
    pub fn steps(&mut self, steps: u64) -> &mut Self {
        self.steps = Some(steps);
        self
    }

    /// Sets the learning rate of each step. The rates of parameter groups keep their proportions.
    pub fn schedule(&mut self, schedule: Schedule) -> &mut Self {
        self.rate = Rate::Schedule(schedule);
        self
    }

    /// Reduces the learning rate when the monitored metric stops improving, instead of a schedule.
    /// The direction of improvement is set in the [`ReduceOnPlateau`]; the metric by
    /// [`Trainer::monitor`].
    pub fn reduce_on_plateau(&mut self, plateau: ReduceOnPlateau) -> &mut Self {
        self.rate = Rate::Plateau(plateau);
        self
    }

    /// Clips the gradients of each step.
    pub fn clip(&mut self, clip: Clip) -> &mut Self {
        self.step.clip(clip);
        self
    }

    /// Splits each batch into parts whose gradients are accumulated: see [`TrainStep::accumulate`].
    pub fn accumulate(&mut self, parts: usize) -> &mut Self {
        self.step.accumulate(parts);
        self
    }

    /// Maintains a moving average of the parameters. Metrics are computed with the average, and
    /// checkpoints contain it in addition to the parameters. After the run, swap it in with
    /// [`Trainer::average`].
    pub fn ema(&mut self, decay: f64) -> &mut Self {
        self.step.ema(decay);
        self
    }

    /// The moving average, if enabled.
    pub fn average(&mut self) -> Option<&mut Ema> {
        self.step.average()
    }

    /// Sets the metric that determines the best model, and its direction of improvement; the lowest
    /// `loss` by default.
    pub fn monitor(&mut self, measure: &str, goal: Goal) -> &mut Self {
        self.monitored = (measure.to_string(), goal);
        self
    }

    /// The old name of [`monitor`](Trainer::monitor).
    #[deprecated(since = "0.2.0", note = "renamed to `monitor`")]
    pub fn judge_by(&mut self, measure: &str, goal: Goal) -> &mut Self {
        self.monitor(measure, goal)
    }

    /// Keeps the checkpoint with the best metric in addition to the most recent ones.
    pub fn keep_best(&mut self) -> &mut Self {
        self.keeps_best = true;
        self
    }

    /// Computes metrics after each epoch and at the end, with the model in evaluation mode.
    pub fn measure(&mut self, measure: impl FnMut() -> Result<Measures> + 'm) -> &mut Self {
        self.measure = Some(Box::new(measure));
        self
    }

    /// Computes metrics every so many steps instead of after each epoch.
    pub fn measure_every(&mut self, steps: u64) -> &mut Self {
        self.measure_every = Some(steps.max(1));
        self
    }

    /// Writes a checkpoint every so many steps (0: never), after each epoch that is not very short,
    /// and at the end.
    pub fn checkpoints(&mut self, checkpoints: Checkpoints, every: u64) -> &mut Self {
        self.checkpoints = Some((checkpoints, every));
        self
    }

    /// Adds metadata to the weights in checkpoints.
    pub fn describe(&mut self, key: &str, value: impl Into<String>) -> &mut Self {
        self.metadata.insert(key.to_string(), value.into());
        self
    }

    /// Ends the run when the monitored metric has not improved for more than `evaluations`
    /// evaluations.
    pub fn patience(&mut self, evaluations: u64) -> &mut Self {
        self.patience = Some(evaluations);
        self
    }

    /// Records the state needed to name the op behind a NaN. Costs a copy of all parameters in each
    /// step.
    pub fn watch_nan(&mut self) -> &mut Self {
        self.watch = Some(NanWatch::default());
        self
    }

    /// Reports gradient norms: uses at most 1/50 of the time while `is_watched` returns true,
    /// otherwise 1/500. Does not affect the run; models with buffers, such as running means, are
    /// not sampled.
    pub fn report_gradients(&mut self, is_watched: impl Fn() -> bool + 'm) -> &mut Self {
        self.gradients = Some(GradientMonitor::new(is_watched));
        self
    }

    /// The old name of [`report_gradients`](Trainer::report_gradients).
    #[deprecated(since = "0.2.0", note = "renamed to `report_gradients`")]
    pub fn tell_gradients(&mut self, is_watched: impl Fn() -> bool + 'm) -> &mut Self {
        self.report_gradients(is_watched)
    }

    /// Ends the run when this flag is set.
    pub fn stop_by(&mut self, stop: &StopFlag) -> &mut Self {
        self.stop = stop.clone();
        self
    }

    /// Calls a function with each event; it can end the run.
    pub fn on(&mut self, callback: impl FnMut(&Event) -> Result<Next> + 'm) -> &mut Self {
        self.callbacks.push(Box::new(callback));
        self
    }

    /// Resumes from the last intact checkpoint, if any. Returns the step it was written at, and the
    /// errors of damaged later ones. Locks the folder of the checkpoints against other runs until
    /// the end of [`Trainer::fit`].
    pub fn resume(&mut self, loader: &mut DataLoader) -> Result<(Option<u64>, Vec<Error>)> {
        let Some((checkpoints, _)) = &mut self.checkpoints else {
            return Err(Error::argument("resume", "the trainer has no checkpoints"));
        };
        checkpoints.lock()?;
        let (found, damaged) = checkpoints.load();
        let Some(checkpoint) = found else { return Ok((None, damaged)) };
        self.model.load_state_dict(&checkpoint.model.tensors)?;
        self.step.optimizer().load_state_dict(&checkpoint.optimizer)?;
        if let Some(average) = self.step.average() {
            average.load_state_dict(&checkpoint.average)?;
        }
        self.at = checkpoint.progress;
        if let (Rate::Plateau(plateau), Some(state)) = (&mut self.rate, self.at.plateau) {
            plateau.restore(state);
        }
        loader.seek(Cursor { epoch: self.at.epoch, batch: self.at.batch });
        set_rng_state(self.at.rng());
        self.saved = Some(self.at.step);
        Ok((Some(self.at.step), damaged))
    }

    /// Trains until all steps are taken or the run is ended early. Fails if another run is writing
    /// to the folder of the checkpoints, or if the folder contains checkpoints that this run does
    /// not continue: use a separate folder for each new run.
    #[track_caller]
    pub fn fit(&mut self, loader: &mut DataLoader) -> Result<Outcome> {
        // This error is not passed to callbacks, which would write to the log of the run that owns
        // the folder.
        if let Some((checkpoints, _)) = &mut self.checkpoints {
            checkpoints.lock()?;
            if self.saved.is_none()
                && let Err(error) = checkpoints.check_is_last(self.at.step)
            {
                checkpoints.unlock();
                return Err(error);
            }
        }
        let outcome = self.take_steps(loader);
        if let Err(error) = &outcome {
            let (step, why, origin) = (self.at.step, error.to_string(), self.origin.take());
            let failed = Event::Failed { step, why, origin };
            // An error of a callback is less important than the original one.
            let _ = self.emit(&mut Run::default(), &failed);
        }
        if let Some((checkpoints, _)) = &mut self.checkpoints {
            checkpoints.unlock();
        }
        outcome
    }
}
