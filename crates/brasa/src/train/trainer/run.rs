//! The training loop: steps, evaluations and checkpoints, until all steps are taken or the run is
//! ended early.
use super::{Outcome, Rate, Trainer};
use crate::data::{Cursor, DataLoader};
use crate::io::{Checkpoint, Progress, Safetensors};
use crate::nn::{Mode, Module, Part, StateDict};
use crate::train::{Ended, Event, Measures, Next};
use crate::{Error, Result, Tensor, TrainStep, default_device, rng_state};
use std::time::{Duration, Instant};

/// Epochs shorter than this do not each get a checkpoint: syncing one to disk takes some 50 ms.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);

/// Minimum time between two memory samples: one takes some microseconds.
const MEMORY_INTERVAL: Duration = Duration::from_secs(1);

/// The state of a run that is not saved in checkpoints.
pub(super) struct Run {
    start: Instant,
    before: f64,
    ended: Option<Ended>,
    loss: f64,
    measures: Measures,
    measured: Option<u64>,
    /// When the last checkpoint was written.
    saved: Option<Instant>,
    /// When the memory was last sampled.
    sampled_memory: Option<Instant>,
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
            sampled_memory: None,
        }
    }
}

impl Run {
    /// Resident memory in bytes, if a sample is due.
    fn memory(&mut self) -> Option<u64> {
        if self.sampled_memory.is_some_and(|last| last.elapsed() < MEMORY_INTERVAL) {
            return None;
        }
        self.sampled_memory = Some(Instant::now());
        resident()
    }
}

impl Trainer<'_> {
    #[track_caller]
    pub(super) fn take_steps(&mut self, loader: &mut DataLoader) -> Result<Outcome> {
        let per_epoch = loader.batches();
        if per_epoch == 0 {
            return Err(Error::data("train", "the data set is smaller than one batch"));
        }
        let steps = self.steps.unwrap_or(self.epochs.saturating_mul(per_epoch));
        let (step, parameters) = (self.at.step, self.model.num_parameters());
        let mut run = Run { start: Instant::now(), before: self.at.seconds, ..Run::default() };
        let (steps_per_epoch, device) = (per_epoch, default_device().to_string());
        let start = Event::Start { step, steps, steps_per_epoch, parameters, device };
        self.emit(&mut run, &start)?;
        if modes(self.model).iter().all(|(_, training)| !training) {
            // The whole model was in evaluation mode. If only some layers are, they stay so.
            self.model.train();
        }
        while self.at.step < steps && run.ended.is_none() {
            self.epoch(loader, steps, &mut run)?;
        }
        if run.measured != Some(self.at.step) && run.ended != Some(Ended::Interrupted) {
            self.evaluate_and_report(&mut run)?;
        }
        self.save(&mut run)?;
        let ended = run.ended.unwrap_or(Ended::Done);
        let seconds = self.at.seconds;
        self.emit(&mut run, &Event::End { ended, step: self.at.step, seconds })?;
        let epochs = self.at.step / per_epoch;
        let (loss, measures) = (run.loss, run.measures);
        Ok(Outcome { ended, step: self.at.step, epochs, seconds, loss, measures })
    }

    /// Trains to the end of the current epoch.
    fn epoch(&mut self, loader: &mut DataLoader, steps: u64, run: &mut Run) -> Result<()> {
        let mut batches = loader.epoch();
        while self.at.step < steps && run.ended.is_none() {
            let Some(batch) = batches.next() else { break };
            let cursor = batches.cursor();
            (self.at.epoch, self.at.batch) = (cursor.epoch, cursor.batch);
            self.take_step(&batch?, run)?;
            if self.measure_every.is_some_and(|every| self.at.step.is_multiple_of(every)) {
                self.evaluate_and_report(run)?;
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
            self.evaluate(run)?;
            measures.clone_from(&run.measures);
        }
        let Progress { epoch, step, seconds, .. } = self.at;
        self.emit(run, &Event::Epoch { epoch, step, loss, measures, seconds })?;
        if run.saved.is_none_or(|saved| saved.elapsed() >= SAVE_INTERVAL) {
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
            watch.take_snapshot(self.model, batch)?;
        }
        let inputs: Vec<&Tensor> = batch.iter().collect();
        let begin = Instant::now();
        let loss = f64::from(self.step.run(&inputs)?);
        let took = begin.elapsed().as_secs_f64();
        self.at.step += 1;
        if !loss.is_finite() {
            return Err(self.non_finite_loss(loss));
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
        self.emit(run, &event)?;
        let Some(gradients) = &mut self.gradients else { return Ok(()) };
        match gradients.sample(self.model, &mut self.step, &inputs)? {
            Some(norms) => self.emit(run, &Event::Gradients { step: self.at.step, norms }),
            None => Ok(()),
        }
    }

    /// Computes metrics.
    fn evaluate(&mut self, run: &mut Run) -> Result<()> {
        let Some(measure) = &mut self.measure else { return Ok(()) };
        let before = modes(self.model);
        self.model.eval();
        swap_average(&mut self.step);
        let measures = measure();
        swap_average(&mut self.step);
        before.iter().for_each(|(mode, training)| mode.set(*training));
        run.measures = measures?;
        run.measured = Some(self.at.step);
        let is_monitored =
            self.patience.is_some() || self.keeps_best || matches!(self.rate, Rate::Plateau(_));
        if is_monitored { self.compare_with_best(run) } else { Ok(()) }
    }

    /// Compares the monitored metric with the best so far.
    fn compare_with_best(&mut self, run: &mut Run) -> Result<()> {
        let (name, goal) = &self.monitored;
        let Some(&value) = run.measures.get(name) else {
            let known: Vec<&str> = run.measures.keys().map(String::as_str).collect();
            let what = format!("unknown metric '{name}', expected one of {}", known.join(", "));
            return Err(Error::argument("monitor", what));
        };
        let (best, bad) = self.at.best.unwrap_or_default();
        let is_better = goal.is_better(value, best);
        self.at.best = Some(if is_better { (Some(value), 0) } else { (best, bad + 1) });
        if let Rate::Plateau(plateau) = &mut self.rate {
            plateau.update(value);
            self.at.plateau = Some(plateau.state());
        }
        if self.patience.is_some_and(|evaluations| !is_better && bad + 1 > evaluations) {
            run.ended = Some(Ended::Early);
        }
        if is_better && self.keeps_best {
            self.save_best()?;
        }
        Ok(())
    }

    /// Computes metrics and reports them.
    fn evaluate_and_report(&mut self, run: &mut Run) -> Result<()> {
        self.evaluate(run)?;
        if self.measure.is_none() {
            return Ok(());
        }
        let (step, epoch, measures) = (self.at.step, self.at.epoch + 1, run.measures.clone());
        self.emit(run, &Event::Measured { step, epoch, measures })
    }

    fn save_best(&mut self) -> Result<()> {
        let checkpoint = self.checkpoint();
        let Some((checkpoints, _)) = &self.checkpoints else {
            return Err(Error::argument("keep_best", "the trainer has no checkpoints"));
        };
        checkpoints.save_best(&checkpoint).map(|_| ())
    }

    /// A checkpoint of the current state.
    fn checkpoint(&mut self) -> Checkpoint {
        let rng = rng_state();
        (self.at.seed, self.at.draws) = (rng.seed, rng.draws);
        let model =
            Safetensors { tensors: self.model.state_dict(), metadata: self.metadata.clone() };
        let optimizer = self.step.optimizer().state_dict();
        let average = self.step.average().map_or(StateDict::new(), |average| average.state_dict());
        Checkpoint { model, optimizer, average, progress: self.at.clone() }
    }

    /// Writes a checkpoint, unless this step has one.
    fn save(&mut self, run: &mut Run) -> Result<()> {
        if self.saved == Some(self.at.step) {
            return Ok(());
        }
        let checkpoint = self.checkpoint();
        let Some((checkpoints, _)) = &self.checkpoints else { return Ok(()) };
        let path = checkpoints.save(&checkpoint)?;
        self.saved = Some(self.at.step);
        run.saved = Some(Instant::now());
        self.emit(run, &Event::Checkpoint { step: self.at.step, path })
    }

    pub(super) fn emit(&mut self, run: &mut Run, event: &Event) -> Result<()> {
        for callback in &mut self.callbacks {
            if callback(event)? == Next::Stop {
                run.ended.get_or_insert(Ended::Stopped);
            }
        }
        Ok(())
    }

    /// The error for a loss that is NaN or infinite.
    fn non_finite_loss(&mut self, loss: f64) -> Error {
        let what = format!("the loss is {loss} at step {}", self.at.step);
        let Some(watch) = self.watch.take() else {
            let help = "try a smaller learning rate, or call watch_nan to find the origin";
            return Error::data("train", what).help(help);
        };
        let Some(origin) = watch.origin(self.model, &*self.loss) else {
            let help = "try a smaller learning rate";
            let what = format!("{what}: it comes from the optimizer's update");
            return Error::data("train", what).help(help);
        };
        let error = Error::data("train", format!("{what}: {origin}"));
        self.origin = Some(origin);
        error
    }
}

/// The modes of all layers, and their values.
fn modes(model: &dyn Module) -> Vec<(Mode, bool)> {
    let mut found = Vec::new();
    model.each(&mut |_, part| {
        if let Part::Mode(mode) = part {
            found.push((mode.clone(), mode.is_training()));
        }
    });
    found
}

/// Swaps the parameters with their average, if enabled.
fn swap_average(step: &mut TrainStep) {
    if let Some(average) = step.average() {
        average.swap();
    }
}

/// Resident memory of the process; `None` on systems other than Linux.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kib)
}
