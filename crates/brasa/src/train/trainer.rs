//! `Trainer`: takes compiled steps over the batches of a loader, and does at the right moments what
//! a run needs besides: measures, checkpoints, events, and an end. Its settings are here, the run
//! itself is in `trainer/run.rs`.
mod run;

use super::gradients::Gradients;
use super::nan::Watch;
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

/// What a callback wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Go on.
    GoOn,
    /// End the run after this step.
    Stop,
}

/// Ends a run from outside, such as from a signal: set, it lets the run end after its current step.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the run to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What became of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ended: Ended,
    /// Steps taken, those of earlier runs included.
    pub step: u64,
    /// Whole epochs.
    pub epochs: u64,
    /// Time of training, that of earlier runs included.
    pub seconds: f64,
    /// The loss of the last step; NaN where there was none.
    pub loss: f64,
    /// What was measured last.
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
    judged_by: (String, Goal),
    patience: Option<u64>,
    keeps_best: bool,
    watch: Option<Watch>,
    gradients: Option<Gradients<'m>>,
    stop: StopFlag,
    callbacks: Vec<Callback<'m>>,
    at: Progress,
    saved: Option<u64>,
    /// The op behind the NaN that has ended the run.
    origin: Option<NanOrigin>,
}

/// Where the learning rate comes from.
enum Rate {
    /// From the optimizer.
    Own,
    Schedule(Schedule),
    Plateau(ReduceOnPlateau),
}

impl<'m> Trainer<'m> {
    /// Trains `model` by a loss of the tensors in a batch.
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
            judged_by: ("loss".to_string(), Goal::Min),
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

    /// Sets how many epochs the whole run has; 1 at first.
    pub fn epochs(&mut self, epochs: u64) -> &mut Self {
        self.epochs = epochs;
        self
    }

    /// Sets how many steps the whole run has, whatever the epochs.
    pub fn steps(&mut self, steps: u64) -> &mut Self {
        self.steps = Some(steps);
        self
    }

    /// Sets the learning rate of each step. Groups of parameters keep the proportions of their rates.
    pub fn schedule(&mut self, schedule: Schedule) -> &mut Self {
        self.rate = Rate::Schedule(schedule);
        self
    }

    /// Lets the learning rate fall when the measure that the model is judged by gets no better, instead
    /// of a schedule. Where that should go is set by [`Trainer::judge_by`].
    pub fn reduce_on_plateau(&mut self, plateau: ReduceOnPlateau) -> &mut Self {
        self.rate = Rate::Plateau(plateau);
        self
    }

    /// Tames the gradients of each step.
    pub fn clip(&mut self, clip: Clip) -> &mut Self {
        self.step.clip(clip);
        self
    }

    /// Cuts each batch into parts whose gradients are summed up: see [`TrainStep::accumulate`].
    pub fn accumulate(&mut self, parts: usize) -> &mut Self {
        self.step.accumulate(parts);
        self
    }

    /// Keeps a moving average of the parameters, which the model is measured with and which checkpoints
    /// hold beside them. After the run [`Trainer::average`] puts it in their place.
    pub fn ema(&mut self, decay: f64) -> &mut Self {
        self.step.ema(decay);
        self
    }

    /// The moving average, if there is one.
    pub fn average(&mut self) -> Option<&mut Ema> {
        self.step.average()
    }

    /// Sets the measure that tells how good the model is, and where it should go; a loss that should
    /// fall at first.
    pub fn judge_by(&mut self, measure: &str, goal: Goal) -> &mut Self {
        self.judged_by = (measure.to_string(), goal);
        self
    }

    /// Keeps the checkpoint of the best look beside the last ones.
    pub fn keep_best(&mut self) -> &mut Self {
        self.keeps_best = true;
        self
    }

    /// Measures the model after each epoch and at the end. The model is in evaluation mode meanwhile.
    pub fn measure(&mut self, measure: impl FnMut() -> Result<Measures> + 'm) -> &mut Self {
        self.measure = Some(Box::new(measure));
        self
    }

    /// Measures after this many steps instead of after epochs.
    pub fn measure_every(&mut self, steps: u64) -> &mut Self {
        self.measure_every = Some(steps.max(1));
        self
    }

    /// Writes a checkpoint after this many steps (0: never for that reason), after each epoch that is
    /// not very short, and at the end.
    pub fn checkpoints(&mut self, checkpoints: Checkpoints, every: u64) -> &mut Self {
        self.checkpoints = Some((checkpoints, every));
        self
    }

    /// Adds words to the weights in checkpoints.
    pub fn describe(&mut self, key: &str, value: impl Into<String>) -> &mut Self {
        self.metadata.insert(key.to_string(), value.into());
        self
    }

    /// Ends the run when the measure that the model is judged by has got no better for more than `looks`
    /// looks.
    pub fn patience(&mut self, looks: u64) -> &mut Self {
        self.patience = Some(looks);
        self
    }

    /// Keeps what is needed to name the op behind a NaN. Costs a copy of all parameters in each step.
    pub fn watch_nan(&mut self) -> &mut Self {
        self.watch = Some(Watch::default());
        self
    }

    /// Tells how long the gradients of the parameters are, some of the time: in at most a fiftieth of it
    /// while `is_watched` says that somebody looks on, else in a five-hundredth. Changes nothing of the
    /// run: models with running means are left out.
    pub fn tell_gradients(&mut self, is_watched: impl Fn() -> bool + 'm) -> &mut Self {
        self.gradients = Some(Gradients::new(is_watched));
        self
    }

    /// Lets this flag end the run.
    pub fn stop_by(&mut self, stop: &StopFlag) -> &mut Self {
        self.stop = stop.clone();
        self
    }

    /// Hands all events to a function, which can end the run.
    pub fn on(&mut self, callback: impl FnMut(&Event) -> Result<Next> + 'm) -> &mut Self {
        self.callbacks.push(Box::new(callback));
        self
    }

    /// Goes on from the last whole checkpoint, if there is one: the step it was written at, and what was
    /// wrong with later ones. From here to the end of [`Trainer::fit`] no other run can write to the
    /// folder of the checkpoints.
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

    /// Trains until all steps are taken or something ends the run. Fails where another run writes to the
    /// folder of the checkpoints, or has left some there that this one does not go on from: a run that
    /// begins anew needs a folder of its own.
    #[track_caller]
    pub fn fit(&mut self, loader: &mut DataLoader) -> Result<Outcome> {
        // An error of this is told to no callback: they would write to the log of the run that has
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
            // The error itself matters more than one in telling it.
            let _ = self.tell(&mut Run::default(), &failed);
        }
        if let Some((checkpoints, _)) = &mut self.checkpoints {
            checkpoints.unlock();
        }
        outcome
    }
}
