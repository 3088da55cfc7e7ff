//! `brasa train`, `eval`, `predict`, `inspect` and `fetch`.
pub mod eval;
pub mod fetch;
pub mod inspect;
mod model;
mod nets;
mod plan;
pub mod predict;
mod probe;
mod sources;
mod step;

use crate::studio::{self, Studio};
use crate::{note, print};
use brasa::Recording;
use brasa::data::DataLoader;
use brasa::io::{Checkpoints, FolderLock};
use brasa::nn::Layer;
use brasa::optim::Clip;
use brasa::train::{Ended, EventLog, Next, Outcome, ProgressBar, StopFlag, Trainer};
use clap::Args;
pub(crate) use model::load;
pub(crate) use nets::build;
use plan::{Metric, OptimizerKind, ScheduleKind};
pub(crate) use plan::{ModelKind, Plan, Shape, Task};
pub(crate) use probe::{Probe, ProbedValue};
use serde_json::{Value, json};
use sources::DataSource;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use step::LrPolicy;

/// Why a command failed: invalid input, or a diverged run.
#[derive(Debug)]
pub enum Failure {
    Input(String),
    Diverged(String),
}

impl From<brasa::Error> for Failure {
    fn from(error: brasa::Error) -> Failure {
        Failure::Input(error.to_string())
    }
}

impl From<String> for Failure {
    fn from(what: String) -> Failure {
        Failure::Input(what)
    }
}

/// How often Ctrl-C is polled while the studio stays open after a run.
const STOP_POLL: Duration = Duration::from_millis(50);

/// Exit code after Ctrl-C, by shell convention.
const INTERRUPTED: u8 = 130;

/// Train a model.
///
/// Writes checkpoints, the event log (events.jsonl) and the trained weights (model.safetensors) to
/// a folder. Ctrl-C writes a checkpoint; --resume continues from the last one.
#[derive(Args)]
pub struct Settings {
    /// The task
    #[arg(value_enum)]
    task: Task,
    /// The model; each task has a default
    #[arg(long, value_enum)]
    model: Option<ModelKind>,
    /// A text file, or the folder with the files of MNIST or Fashion-MNIST
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Use only the first examples, or characters of a text
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Size of the hidden layers
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Number of hidden layers
    #[arg(long, value_name = "N")]
    layers: Option<usize>,
    /// Number of attention heads
    #[arg(long, value_name = "N")]
    heads: Option<usize>,
    /// Context length of a text model, in characters
    #[arg(long, value_name = "N")]
    window: Option<usize>,
    /// The optimizer
    #[arg(long, value_enum)]
    optimizer: Option<OptimizerKind>,
    /// The (peak) learning rate
    #[arg(long, value_parser = not_negative)]
    lr: Option<f64>,
    /// Weight decay; each optimizer has a default
    #[arg(long, value_parser = not_negative)]
    weight_decay: Option<f64>,
    /// Momentum, for sgd, rmsprop and muon
    #[arg(long, value_parser = not_negative)]
    momentum: Option<f64>,
    /// Dropout probability; each model has a default
    #[arg(long, value_name = "SHARE")]
    dropout: Option<f64>,
    /// Clip the global gradient norm to this value
    #[arg(long, value_name = "NORM")]
    clip: Option<f64>,
    /// Split each batch into this many parts and accumulate their gradients, to use less memory
    #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u64).range(1..))]
    accumulate: Option<u64>,
    /// Test and write an exponential moving average of the weights, with this decay per step
    #[arg(long, value_name = "SHARE")]
    ema: Option<f64>,
    /// Learning rate schedule
    #[arg(long, value_enum)]
    schedule: Option<ScheduleKind>,
    /// Number of epochs
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,
    /// Number of steps, instead of epochs
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Batch size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Seed of weights, data order and random ops
    #[arg(long)]
    seed: Option<u64>,
    /// Output folder; a new one in `runs` by default
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Resume the run in --out, with its settings unless overridden
    #[arg(long, requires = "out")]
    resume: bool,
    /// Also write a checkpoint every N steps, in addition to one per epoch
    #[arg(long, value_name = "STEPS")]
    checkpoint_every: Option<u64>,
    /// Number of checkpoints to keep
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Stop when more than this many evaluations bring no improvement
    #[arg(long, value_name = "EVALUATIONS")]
    patience: Option<u64>,
    /// The metric that decides what an improvement is; the loss by default
    #[arg(long, value_enum)]
    judge_by: Option<Metric>,
    /// Keep the best checkpoint and write its weights at the end
    #[arg(long)]
    keep_best: bool,
    /// On NaN, report the op and line that produced it first; slower
    #[arg(long)]
    watch_nan: bool,
    /// Serve the run in the studio and print its address; keeps running until Ctrl-C
    #[arg(long)]
    studio: bool,
    /// The port of the studio; the next free one if it is taken, any free one with 0
    #[arg(long, value_name = "PORT", default_value_t = studio::PORT, requires = "studio")]
    studio_port: u16,
    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

/// The device to compute on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// The CPU
    Cpu,
    /// The system's default GPU
    Gpu,
}

/// Device and thread count arguments, shared by several commands.
#[derive(Args)]
pub(crate) struct ComputeArgs {
    /// The device to compute on
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Number of threads; all cores by default. Does not affect results
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    threads: Option<u64>,
}

impl ComputeArgs {
    /// Sets the thread count and this thread's default device.
    pub(crate) fn apply(&self) -> Result<(), Failure> {
        if let Some(threads) = self.threads {
            let threads = usize::try_from(threads).unwrap_or(usize::MAX);
            brasa::catch(|| brasa::set_num_threads(threads))?;
        }
        if self.device == Device::Gpu {
            brasa::set_default_device(brasa::Device::gpu()?);
        }
        Ok(())
    }
}

pub(crate) const PLAN: &str = "plan.json";
pub(crate) const EVENTS: &str = "events.jsonl";
const CHECKPOINTS: &str = "checkpoints";

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    settings.compute.apply()?;
    let plan = settings.plan()?;
    settings.refuse_taken()?;
    let source = DataSource::new(&plan)?;
    let shape = source.shape(&plan);
    nets::check(&shape)?;
    // Parameters and their gradients.
    nets::check_memory(&shape, 2.0)?;
    let loader = loader(&plan, &source)?;
    // The lock is held until the command ends.
    let (out, _lock) = settings.claim(&plan)?;
    let studio = match settings.studio {
        true => Some(open_studio(settings, &plan, &out)?),
        false => None,
    };
    brasa::manual_seed(plan.seed);
    let net = nets::build(&shape)?;
    let stop = StopFlag::default();
    let flag = stop.clone();
    ctrlc::set_handler(move || match flag.is_set() {
        // A second Ctrl-C exits immediately.
        true => std::process::exit(INTERRUPTED.into()),
        false => flag.stop(),
    })
    .map_err(|error| format!("cannot handle Ctrl-C: {error}"))?;
    let run = Run { plan: &plan, source: &source, out: &out, stop: &stop, studio: studio.as_ref() };
    let outcome = train(settings, run, &*net, loader)?;
    model::save(&*net, &shape, &out.join(model::WEIGHTS_FILE))?;
    report(settings, &plan, &*net, &outcome, &out)?;
    if settings.studio && outcome.ended != Ended::Interrupted {
        eprintln!(
            "the studio keeps running; press Ctrl-C to stop, reopen it with `brasa studio {}`",
            out.display()
        );
        while !stop.is_set() {
            std::thread::sleep(STOP_POLL);
        }
    }
    Ok(match outcome.ended {
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// Opens the studio for the run that is about to start.
fn open_studio(settings: &Settings, plan: &Plan, out: &Path) -> Result<Studio, Failure> {
    let studio = Studio::open(settings.studio_port, out, Some(plan))?;
    eprintln!("Brasa studio   {}", studio.address());
    Ok(studio)
}

impl Settings {
    /// The defaults, or the settings of the resumed run, overridden by the given arguments.
    fn plan(&self) -> Result<Plan, String> {
        let saved = match (&self.out, self.resume) {
            (Some(out), true) => Some(saved_plan(out)?),
            _ => None,
        };
        let mut plan = match saved {
            Some(plan) => plan,
            None => Plan::defaults(self.task, self.model)?,
        };
        if (plan.task, plan.model) != (self.task, self.model.unwrap_or(plan.model)) {
            let (task, model) = (plan.task.name(), plan.model.name());
            return Err(format!("cannot resume: the run trains {task} with model {model}"));
        }
        self.apply_to(&mut plan)?;
        plan.check()?;
        Ok(plan)
    }

    /// Overrides settings of a plan by the given arguments.
    fn apply_to(&self, plan: &mut Plan) -> Result<(), String> {
        fn set<T: Clone>(choice: &mut T, given: &Option<T>) {
            if let Some(given) = given {
                *choice = given.clone();
            }
        }
        set(&mut plan.hidden, &self.hidden);
        set(&mut plan.layers, &self.layers);
        set(&mut plan.heads, &self.heads);
        set(&mut plan.window, &self.window);
        set(&mut plan.optimizer, &self.optimizer);
        set(&mut plan.lr, &self.lr);
        set(&mut plan.weight_decay, &self.weight_decay.map(Some));
        set(&mut plan.momentum, &self.momentum.map(Some));
        set(&mut plan.dropout, &self.dropout.map(Some));
        set(&mut plan.clip, &self.clip.map(Some));
        set(&mut plan.accumulate, &self.accumulate.map(|parts| parts as usize));
        set(&mut plan.ema, &self.ema.map(Some));
        set(&mut plan.judge_by, &self.judge_by);
        plan.keep_best |= self.keep_best;
        set(&mut plan.schedule, &self.schedule);
        set(&mut plan.seed, &self.seed);
        set(&mut plan.batch, &self.batch.map(|batch| batch as usize));
        set(&mut plan.checkpoint_every, &self.checkpoint_every);
        // Absolute, so that the run can be resumed from another directory.
        let data = self.data.as_deref().map(std::path::absolute).transpose();
        let data = data.map_err(|error| format!("--data: {error}"))?;
        set(&mut plan.data, &data.map(Some));
        set(&mut plan.limit, &self.limit.map(Some));
        set(&mut plan.patience, &self.patience.map(Some));
        if let Some(epochs) = self.epochs {
            (plan.epochs, plan.steps, plan.measure_every) = (epochs, None, None);
        }
        set(&mut plan.steps, &self.steps.map(Some));
        Ok(())
    }

    /// Refuses to overwrite an existing run.
    fn refuse_taken(&self) -> Result<(), Failure> {
        match &self.out {
            Some(out) if is_taken(out) && !self.resume => {
                let out = out.display();
                let help = "continue it with --resume, or choose another --out";
                Err(format!("{out} already contains a run\n  help: {help}").into())
            }
            _ => Ok(()),
        }
    }

    /// The run's folder and its lock. No other run can write to the folder while the lock is held.
    fn claim(&self, plan: &Plan) -> Result<(PathBuf, FolderLock), Failure> {
        let help =
            "choose another --out, or wait until that run has ended and continue it with --resume";
        if let Some(out) = &self.out {
            let lock = FolderLock::take(out).map_err(|error| error.help(help))?;
            // Another run may have started and ended since the first check.
            self.refuse_taken()?;
            return Ok((out.clone(), lock));
        }
        let name = format!("{}-{}", plan.task.name(), plan.model.name());
        let mut refused = None;
        for n in (1..).filter(|n| !is_taken(&numbered(&name, *n))).take(CLAIMS) {
            let folder = numbered(&name, n);
            match FolderLock::take(&folder) {
                Ok(lock) if !is_taken(&folder) => return Ok((folder, lock)),
                Ok(_) => {}
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.map_or("no free folder in runs".to_string().into(), Failure::from))
    }
}

/// Attempts to lock a new folder, in case other runs start at the same time.
const CLAIMS: usize = 100;

fn is_taken(folder: &Path) -> bool {
    folder.join(PLAN).exists()
}

fn numbered(name: &str, n: u32) -> PathBuf {
    Path::new("runs").join(format!("{name}-{n}"))
}

/// The batches of a plan. Fails if there are none.
fn loader(plan: &Plan, source: &DataSource) -> Result<DataLoader, String> {
    let loader = DataLoader::new(source.train.clone(), plan.batch);
    let loader = loader.shuffle(plan.seed).drop_last().prefetch(2);
    if loader.batches() == 0 {
        let (examples, batch) = (source.train.len(), plan.batch);
        return Err(format!("{examples} examples are fewer than one batch of {batch}"));
    }
    Ok(loader)
}

pub(crate) fn saved_plan(out: &Path) -> Result<Plan, String> {
    let path = out.join(PLAN);
    let bytes = brasa::io::read(&path)
        .map_err(|_| format!("{} contains no run to resume: {PLAN} is missing", out.display()))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The shape of the model that a plan trains. Reads the data only for text tasks.
pub(crate) fn default_shape(plan: &Plan) -> brasa::Result<Shape> {
    match plan.task.classes() {
        Some(classes) => Ok(plan.shape(classes, String::new())),
        None => Ok(DataSource::new(plan)?.shape(plan)),
    }
}

fn not_negative(word: &str) -> Result<f64, String> {
    let number: f64 = word.parse().map_err(|_| "expected a number".to_string())?;
    if number >= 0.0 { Ok(number) } else { Err("expected a number of at least 0".to_string()) }
}

/// Records a training step of a model, for tools that display it.
pub(crate) fn recording(
    net: &dyn Layer,
    plan: &Plan,
    shape: &Shape,
    batch: usize,
) -> brasa::Result<Recording> {
    let mut step = step::compile_step(plan, net, shape)?;
    let [x, y] = brasa::catch(|| step::zero_batch(shape, batch))?;
    step.recording(&[&x, &y])
}

/// The inputs of a run.
struct Run<'a> {
    plan: &'a Plan,
    source: &'a DataSource,
    out: &'a Path,
    stop: &'a StopFlag,
    studio: Option<&'a Studio>,
}

fn train(
    settings: &Settings,
    run: Run,
    net: &dyn Layer,
    mut loader: DataLoader,
) -> Result<Outcome, Failure> {
    let Run { plan, source, out, .. } = run;
    let mut trainer = trainer(settings, &run, net, loader.batches())?;
    if settings.resume {
        let (step, damaged) = trainer.resume(&mut loader)?;
        damaged
            .iter()
            .for_each(|error| note(format!("warning: skipped a damaged checkpoint: {error}")));
        if step.is_none() {
            eprintln!("warning: no intact checkpoint found, restarting the run");
        }
    }
    let plan_text = serde_json::to_vec_pretty(plan).map_err(|error| error.to_string())?;
    brasa::io::write(out.join(PLAN), &plan_text)?;
    let mut log = EventLog::append(out.join(EVENTS))?;
    let mut bar = ProgressBar::new();
    trainer.on(move |event| {
        bar.show(event);
        log.add(event)?;
        Ok(Next::Continue)
    });
    let outcome = trainer.fit(&mut loader).map_err(|error| match error.op() {
        "train" => Failure::Diverged(error.to_string()),
        _ => Failure::from(error),
    })?;
    if outcome.ended == Ended::Interrupted {
        return Ok(outcome);
    }
    take_final_weights(&run, net, &mut trainer)?;
    drop(trainer);
    if !plan.keep_best {
        return Ok(outcome);
    }
    // Report the measures of the weights that are written.
    net.eval();
    let mut test = model::Evaluator::new(net, source.shape(plan).classes);
    let measures = test.run(&mut source.test_loader())?.measures();
    Ok(Outcome { measures, ..outcome })
}

/// A trainer with the settings of the run, for epochs of `batches` batches.
fn trainer<'a>(
    settings: &Settings,
    run: &Run<'a>,
    net: &'a dyn Layer,
    batches: u64,
) -> Result<Trainer<'a>, Failure> {
    let Run { plan, source, out, stop, studio } = *run;
    let shape = &source.shape(plan);
    let steps = plan.steps.unwrap_or(plan.epochs.saturating_mul(batches));
    let mut trainer = Trainer::new(net, step::loss(net, shape), step::optimizer(plan, net)?);
    let mut test = model::Evaluator::new(net, shape.classes);
    trainer
        .steps(steps)
        .measure(move || Ok(test.run(&mut source.test_loader())?.measures()))
        .checkpoints(
            Checkpoints::new(out.join(CHECKPOINTS)).keep(settings.keep),
            plan.checkpoint_every,
        )
        .describe(model::SHAPE_KEY, model::describe(shape))
        .monitor(plan.judge_by.name(), plan.judge_by.goal())
        .accumulate(plan.accumulate)
        .stop_by(stop);
    match step::lr_policy(plan, steps) {
        LrPolicy::Schedule(schedule) => trainer.schedule(schedule),
        LrPolicy::Plateau(plateau) => trainer.reduce_on_plateau(plateau),
    };
    set_options(&mut trainer, plan);
    if settings.watch_nan {
        trainer.watch_nan();
    }
    trainer.report_gradients(move || studio.is_some_and(Studio::is_watched));
    Ok(trainer)
}

/// Sets what a plan may leave out.
fn set_options(trainer: &mut Trainer, plan: &Plan) {
    if let Some(norm) = plan.clip {
        trainer.clip(Clip::Norm(norm));
    }
    if let Some(decay) = plan.ema {
        trainer.ema(decay);
    }
    if let Some(every) = plan.measure_every {
        trainer.measure_every(every);
    }
    if let Some(evaluations) = plan.patience {
        trainer.patience(evaluations);
    }
    if plan.keep_best {
        trainer.keep_best();
    }
}

/// Loads the best weights and swaps in their average, as far as the plan asks for them.
fn take_final_weights(run: &Run, net: &dyn Layer, trainer: &mut Trainer) -> Result<(), Failure> {
    if run.plan.keep_best
        && let Some(best) = Checkpoints::new(run.out.join(CHECKPOINTS)).load_best()
    {
        let best = best?;
        net.load_state_dict(&best.model.tensors)?;
        if let Some(average) = trainer.average() {
            average.load_state_dict(&best.average)?;
        }
    }
    if let Some(average) = trainer.average() {
        average.swap();
    }
    Ok(())
}

/// Prints the result of a run to standard output.
fn report(
    settings: &Settings,
    plan: &Plan,
    net: &dyn Layer,
    outcome: &Outcome,
    out: &Path,
) -> Result<(), String> {
    let measure = |name: &str| outcome.measures.get(name).copied();
    let weights = out.join(model::WEIGHTS_FILE);
    if settings.json {
        let line: Value = json!({
            "task": plan.task,
            "model": plan.model,
            "parameters": net.num_parameters(),
            "test_accuracy": measure("accuracy"),
            "test_loss": measure("loss"),
            "train_loss": outcome.loss,
            "epochs": outcome.epochs,
            "steps": outcome.step,
            "seconds": outcome.seconds,
            "ended": outcome.ended,
            "weights": weights,
        });
        return print(format!("{line}\n"));
    }
    if let (Some(accuracy), Some(loss)) = (measure("accuracy"), measure("loss")) {
        print(format!("test accuracy {:.2} %, test loss {loss:.4}\n", 100.0 * accuracy))?;
    }
    print(format!("weights in {}\n", weights.display()))?;
    let (out, task) = (out.display(), plan.task.name());
    match outcome.ended {
        Ended::Interrupted => {
            print(format!("resume with: brasa train {task} --out {out} --resume\n"))
        }
        _ if plan.task.is_text() => print(format!("generate text with: brasa predict {out}\n")),
        _ => print(format!("evaluate with: brasa eval {out}\n")),
    }
}
