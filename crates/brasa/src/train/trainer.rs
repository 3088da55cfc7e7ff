//! `Trainer`: takes compiled steps over the batches of a loader, and does at the right moments what
//! a run needs besides: measures, checkpoints, events, and an end.
use super::gradients::Gradients;
use super::{Ended, Event, Measures, NanOrigin, find_nan};
use crate::data::{Cursor, DataLoader};
use crate::io::{Checkpoint, Checkpoints, Progress, Safetensors};
use crate::nn::{Mode, Module, Part, StateDict};
use crate::optim::schedule::{Goal, ReduceOnPlateau, Schedule};
use crate::optim::{Clip, Ema, Optimizer};
use crate::{
    Error, Result, RngState, Tensor, TrainStep, compile, default_device, rng_state, set_rng_state,
};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Epochs that are shorter do not each get a checkpoint: to push one to the disk takes some 50 ms.
const SAVE_APART: Duration = Duration::from_secs(2);

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

/// The modes of a model's layers as they are.
fn modes(model: &dyn Module) -> Vec<(Mode, bool)> {
    let mut found = Vec::new();
    model.each(&mut |_, part| {
        if let Part::Mode(mode) = part {
            found.push((mode.clone(), mode.is_training()));
        }
    });
    found
}

/// Puts the average, if there is one, in the place of the parameters, and back.
fn swap_average(step: &mut TrainStep) {
    if let Some(average) = step.average() {
        average.swap();
    }
}

/// What the last two steps began with, to find the origin of a NaN.
#[derive(Default)]
struct Watch(Vec<Moment>);

struct Moment {
    rng: RngState,
    state: Vec<(String, crate::DType, Vec<usize>, Vec<u8>)>,
    batch: Vec<Tensor>,
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
    /// wrong with later ones.
    pub fn resume(&mut self, loader: &mut DataLoader) -> Result<(Option<u64>, Vec<Error>)> {
        let Some((checkpoints, _)) = &self.checkpoints else {
            return Err(Error::argument("resume", "the trainer has no checkpoints"));
        };
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

    /// Trains until all steps are taken or something ends the run.
    #[track_caller]
    pub fn fit(&mut self, loader: &mut DataLoader) -> Result<Outcome> {
        let outcome = self.take_steps(loader);
        if let Err(error) = &outcome {
            let (step, why, origin) = (self.at.step, error.to_string(), self.origin.take());
            let failed = Event::Failed { step, why, origin };
            // The error itself matters more than one in telling it.
            let _ = self.tell(&mut Run::default(), &failed);
        }
        outcome
    }

    #[track_caller]
    fn take_steps(&mut self, loader: &mut DataLoader) -> Result<Outcome> {
        let per_epoch = loader.batches();
        if per_epoch == 0 {
            return Err(Error::data("train", "the data make no batch"));
        }
        let steps = self.steps.unwrap_or(self.epochs * per_epoch);
        let (step, parameters) = (self.at.step, self.model.num_parameters());
        let mut run = Run { start: Instant::now(), before: self.at.seconds, ..Run::default() };
        let (steps_per_epoch, device) = (per_epoch, default_device().to_string());
        let start = Event::Start { step, steps, steps_per_epoch, parameters, device };
        self.tell(&mut run, &start)?;
        if modes(self.model).iter().all(|(_, training)| !training) {
            // It was in use as a whole. Single layers that are kept so stay so.
            self.model.train();
        }
        while self.at.step < steps && run.ended.is_none() {
            self.epoch(loader, steps, &mut run)?;
        }
        if run.measured != Some(self.at.step) && run.ended != Some(Ended::Interrupted) {
            self.look_between(&mut run)?;
        }
        self.save(&mut run)?;
        let ended = run.ended.unwrap_or(Ended::Done);
        let seconds = self.at.seconds;
        self.tell(&mut run, &Event::End { ended, step: self.at.step, seconds })?;
        let epochs = self.at.step / per_epoch;
        let (loss, measures) = (run.loss, run.measures);
        Ok(Outcome { ended, step: self.at.step, epochs, seconds, loss, measures })
    }

    /// The rest of an epoch.
    fn epoch(&mut self, loader: &mut DataLoader, steps: u64, run: &mut Run) -> Result<()> {
        let mut batches = loader.epoch();
        while self.at.step < steps && run.ended.is_none() {
            let Some(batch) = batches.next() else { break };
            let cursor = batches.cursor();
            (self.at.epoch, self.at.batch) = (cursor.epoch, cursor.batch);
            self.take_step(&batch?, run)?;
            if self.measure_every.is_some_and(|every| self.at.step.is_multiple_of(every)) {
                self.look_between(run)?;
            }
            let every = self.checkpoints.as_ref().map_or(0, |(_, every)| *every);
            if every > 0 && self.at.step.is_multiple_of(every) {
                self.save(run)?;
            }
            if self.stop.is_set() {
                run.ended = Some(Ended::Interrupted);
            }
        }
        drop(batches);
        let is_whole = self.at.batch >= loader.batches();
        if !is_whole || run.ended == Some(Ended::Interrupted) {
            return Ok(());
        }
        self.end_epoch(loader, run)
    }

    fn end_epoch(&mut self, loader: &mut DataLoader, run: &mut Run) -> Result<()> {
        let loss = self.at.loss_sum / self.at.loss_steps.max(1) as f64;
        (self.at.loss_sum, self.at.loss_steps) = (0.0, 0);
        (self.at.epoch, self.at.batch) = (self.at.epoch + 1, 0);
        loader.seek(Cursor { epoch: self.at.epoch, batch: 0 });
        let mut measures = Measures::new();
        if self.measure_every.is_none() {
            self.look(run)?;
            measures.clone_from(&run.measures);
        }
        let Progress { epoch, step, seconds, .. } = self.at;
        self.tell(run, &Event::Epoch { epoch, step, loss, measures, seconds })?;
        if run.saved.is_none_or(|saved| saved.elapsed() >= SAVE_APART) {
            self.save(run)?;
        }
        Ok(())
    }

    fn take_step(&mut self, batch: &[Tensor], run: &mut Run) -> Result<()> {
        match &self.rate {
            Rate::Own => {}
            Rate::Schedule(schedule) => self.step.set_lr(schedule.at(self.at.step)),
            Rate::Plateau(plateau) => self.step.set_lr(plateau.lr()),
        }
        if let Some(watch) = &mut self.watch {
            watch.note(self.model, batch)?;
        }
        let inputs: Vec<&Tensor> = batch.iter().collect();
        let begin = Instant::now();
        let loss = f64::from(self.step.run(&inputs)?);
        let took = begin.elapsed().as_secs_f64();
        self.at.step += 1;
        if !loss.is_finite() {
            return Err(self.not_finite(loss));
        }
        self.at.loss_sum += loss;
        self.at.loss_steps += 1;
        self.at.seconds = run.before + run.start.elapsed().as_secs_f64();
        run.loss = loss;
        let event = Event::Step {
            step: self.at.step,
            epoch: self.at.epoch + 1,
            loss,
            lr: self.step.optimizer().lr(),
            examples: batch.first().map_or(0, |x| x.len_of(0)),
            seconds: self.at.seconds,
            took,
            memory: run.memory(),
        };
        self.tell(run, &event)?;
        let Some(gradients) = &mut self.gradients else { return Ok(()) };
        match gradients.look(self.model, &mut self.step, &inputs)? {
            Some(norms) => self.tell(run, &Event::Gradients { step: self.at.step, norms }),
            None => Ok(()),
        }
    }

    /// Measures the model.
    fn look(&mut self, run: &mut Run) -> Result<()> {
        let Some(measure) = &mut self.measure else { return Ok(()) };
        let before = modes(self.model);
        self.model.eval();
        swap_average(&mut self.step);
        let measures = measure();
        swap_average(&mut self.step);
        before.iter().for_each(|(mode, training)| mode.set(*training));
        run.measures = measures?;
        run.measured = Some(self.at.step);
        let is_judged =
            self.patience.is_some() || self.keeps_best || matches!(self.rate, Rate::Plateau(_));
        if is_judged { self.judge(run) } else { Ok(()) }
    }

    /// Compares a measure with the best so far.
    fn judge(&mut self, run: &mut Run) -> Result<()> {
        let (name, goal) = &self.judged_by;
        let Some(&value) = run.measures.get(name) else {
            let known: Vec<&str> = run.measures.keys().map(String::as_str).collect();
            let what = format!("there is no measure '{name}', only {}", known.join(", "));
            return Err(Error::argument("judge_by", what));
        };
        let (best, bad) = self.at.best.unwrap_or_default();
        let is_better = goal.is_better(value, best);
        self.at.best = Some(if is_better { (Some(value), 0) } else { (best, bad + 1) });
        if let Rate::Plateau(plateau) = &mut self.rate {
            plateau.look(value);
            self.at.plateau = Some(plateau.state());
        }
        if self.patience.is_some_and(|looks| !is_better && bad + 1 > looks) {
            run.ended = Some(Ended::Early);
        }
        if is_better && self.keeps_best {
            self.save_best()?;
        }
        Ok(())
    }

    /// Measures the model and tells what was found.
    fn look_between(&mut self, run: &mut Run) -> Result<()> {
        self.look(run)?;
        if self.measure.is_none() {
            return Ok(());
        }
        let (step, epoch, measures) = (self.at.step, self.at.epoch + 1, run.measures.clone());
        self.tell(run, &Event::Measured { step, epoch, measures })
    }

    fn save_best(&mut self) -> Result<()> {
        let checkpoint = self.checkpoint();
        let Some((checkpoints, _)) = &self.checkpoints else {
            return Err(Error::argument("keep_best", "the trainer has no checkpoints"));
        };
        checkpoints.save_best(&checkpoint).map(|_| ())
    }

    /// The run as it stands.
    fn checkpoint(&mut self) -> Checkpoint {
        let rng = rng_state();
        (self.at.seed, self.at.draws) = (rng.seed, rng.draws);
        let model =
            Safetensors { tensors: self.model.state_dict(), metadata: self.metadata.clone() };
        let optimizer = self.step.optimizer().state_dict();
        let average = self.step.average().map_or(StateDict::new(), |average| average.state_dict());
        Checkpoint { model, optimizer, average, progress: self.at.clone() }
    }

    /// Writes a checkpoint, unless there is one of this step.
    fn save(&mut self, run: &mut Run) -> Result<()> {
        if self.saved == Some(self.at.step) {
            return Ok(());
        }
        let checkpoint = self.checkpoint();
        let Some((checkpoints, _)) = &self.checkpoints else { return Ok(()) };
        let path = checkpoints.save(&checkpoint)?;
        self.saved = Some(self.at.step);
        run.saved = Some(Instant::now());
        self.tell(run, &Event::Checkpoint { step: self.at.step, path })
    }

    fn tell(&mut self, run: &mut Run, event: &Event) -> Result<()> {
        for callback in &mut self.callbacks {
            if callback(event)? == Next::Stop {
                run.ended.get_or_insert(Ended::Stopped);
            }
        }
        Ok(())
    }

    /// Why the loss is no number any more.
    fn not_finite(&mut self, loss: f64) -> Error {
        let what = format!("the loss is {loss} at step {}", self.at.step);
        let Some(watch) = self.watch.take() else {
            let help = "a smaller learning rate may help; watch for NaN to see where it began";
            return Error::data("train", what).help(help);
        };
        for moment in &watch.0 {
            let origin =
                moment.restore(self.model).and_then(|()| find_nan(|| (self.loss)(&moment.batch)));
            self.model.zero_grad();
            // What is bad before a step was made bad by the update of the step before.
            if let Ok(Some(origin)) = origin
                && origin.op != "input"
            {
                let error = Error::data("train", format!("{what}: {origin}"));
                self.origin = Some(origin);
                return error;
            }
        }
        let help = "a smaller learning rate may help";
        Error::data("train", format!("{what}: it comes from the optimizer's update")).help(help)
    }
}

impl Watch {
    fn note(&mut self, model: &dyn Module, batch: &[Tensor]) -> Result<()> {
        if self.0.len() == 2 {
            self.0.remove(0);
        }
        let state = model.state_dict().into_iter().map(|(name, x)| {
            let bytes = x.to_bytes()?;
            Ok((name, x.dtype(), x.shape().to_vec(), bytes))
        });
        let state = state.collect::<Result<_>>()?;
        self.0.push(Moment { rng: rng_state(), state, batch: batch.to_vec() });
        Ok(())
    }
}

impl Moment {
    fn restore(&self, model: &dyn Module) -> Result<()> {
        let tensors = self.state.iter().map(|(name, dtype, shape, bytes)| {
            Ok((name.clone(), Tensor::from_bytes(*dtype, shape, bytes)?))
        });
        model.load_state_dict(&tensors.collect::<Result<StateDict>>()?)?;
        set_rng_state(self.rng);
        Ok(())
    }
}

/// What is known only while a run is under way.
struct Run {
    start: Instant,
    before: f64,
    ended: Option<Ended>,
    loss: f64,
    measures: Measures,
    measured: Option<u64>,
    /// When the last checkpoint was written.
    saved: Option<Instant>,
    /// When it was last asked how much memory is used.
    weighed: Option<Instant>,
}

/// Between two looks at the memory of the program: one takes some microseconds.
const WEIGH_APART: Duration = Duration::from_secs(1);

impl Run {
    /// Bytes that the program has in memory, if it is time to look.
    fn memory(&mut self) -> Option<u64> {
        if self.weighed.is_some_and(|last| last.elapsed() < WEIGH_APART) {
            return None;
        }
        self.weighed = Some(Instant::now());
        resident()
    }
}

/// What the system says that this program has in memory; nothing where it is not Linux.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kib)
}

impl Default for Run {
    fn default() -> Run {
        Run {
            start: Instant::now(),
            before: 0.0,
            ended: None,
            loss: f64::NAN,
            measures: Measures::new(),
            measured: None,
            saved: None,
            weighed: None,
        }
    }
}
