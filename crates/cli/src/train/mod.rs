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
use plan::{Judge, Rate, Rule};
pub(crate) use plan::{Kind, Plan, Shape, Task};
pub(crate) use probe::{Probe, Probed};
use serde_json::{Value, json};
use sources::Source;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use step::Change;

/// Why a command failed: a bad input, a run that led nowhere, or an interruption.
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

/// How soon Ctrl-C is noticed once a run has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Ended by Ctrl-C, as shells report it.
const INTERRUPTED: u8 = 130;

/// Train a model.
///
/// Results lie in a folder: checkpoints, the log of events (events.jsonl) and the trained weights
/// (model.safetensors). Ctrl-C writes a checkpoint; --resume goes on from the last one.
#[derive(Args)]
pub struct Settings {
    /// What to learn
    #[arg(value_enum)]
    task: Task,
    /// The model; each task has a usual one
    #[arg(long, value_enum)]
    model: Option<Kind>,
    /// A text file, or the folder with the files of MNIST or Fashion-MNIST
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Use only the first examples, or characters of a text
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Features of the hidden layers
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Number of hidden layers
    #[arg(long, value_name = "N")]
    layers: Option<usize>,
    /// Heads of attention
    #[arg(long, value_name = "N")]
    heads: Option<usize>,
    /// Characters that a text model looks at
    #[arg(long, value_name = "N")]
    window: Option<usize>,
    /// The rule that updates parameters
    #[arg(long, value_enum)]
    optimizer: Option<Rule>,
    /// The (largest) learning rate
    #[arg(long, value_parser = not_negative)]
    lr: Option<f64>,
    /// How fast unused weights fade; each rule has a usual value
    #[arg(long, value_parser = not_negative)]
    weight_decay: Option<f64>,
    /// The share of the last update that is kept, for sgd, rmsprop and muon
    #[arg(long, value_parser = not_negative)]
    momentum: Option<f64>,
    /// The share of signals that is dropped in training; each model has a usual one
    #[arg(long, value_name = "SHARE")]
    dropout: Option<f64>,
    /// Scale gradients down to this length, all together
    #[arg(long, value_name = "NORM")]
    clip: Option<f64>,
    /// Cut each batch into parts that are computed one after the other, to need less memory
    #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u64).range(1..))]
    accumulate: Option<u64>,
    /// Test and write a moving average of the weights, of which this share stays in each step
    #[arg(long, value_name = "SHARE")]
    ema: Option<f64>,
    /// How the learning rate changes
    #[arg(long, value_enum)]
    schedule: Option<Rate>,
    /// Passes over the data
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,
    /// Steps, whatever the epochs
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Examples of a step
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,
    #[command(flatten)]
    place: Place,
    /// Seed of weights, order of the data and draws
    #[arg(long)]
    seed: Option<u64>,
    /// The folder for results; a new one below `runs` by default
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on with the run in --out, with its settings where none are given
    #[arg(long, requires = "out")]
    resume: bool,
    /// Write a checkpoint after this many steps too; after each epoch there is one
    #[arg(long, value_name = "STEPS")]
    checkpoint_every: Option<u64>,
    /// Checkpoints that are kept
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Stop when the model has got no better for more than this many looks
    #[arg(long, value_name = "LOOKS")]
    patience: Option<u64>,
    /// What tells how good the model is; the loss by default
    #[arg(long, value_enum)]
    judge_by: Option<Judge>,
    /// Keep the best checkpoint, and write its weights at the end
    #[arg(long)]
    keep_best: bool,
    /// Name the op and line that first produce a NaN; slower
    #[arg(long)]
    watch_nan: bool,
    /// Show the run in the studio, at an address that is printed; stays open until Ctrl-C
    #[arg(long)]
    studio: bool,
    /// The port of the studio; the next free one if it is taken, any with 0
    #[arg(long, value_name = "PORT", default_value_t = studio::PORT, requires = "studio")]
    studio_port: u16,
    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

/// Where to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// The threads of the processor
    Cpu,
    /// The graphics processor that the system prefers
    Gpu,
}

/// Where a model is run, and by how many threads.
#[derive(Args)]
pub(crate) struct Place {
    /// Where to compute
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Threads; all cores by default. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    threads: Option<u64>,
}

impl Place {
    /// Lets this thread compute there from here on.
    pub(crate) fn take(&self) -> Result<(), Failure> {
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
    settings.place.take()?;
    let plan = settings.plan()?;
    settings.refuse_taken()?;
    let source = Source::new(&plan)?;
    let shape = source.shape(&plan);
    nets::check(&shape)?;
    // Parameters and their gradients.
    nets::afford(&shape, 2.0)?;
    let loader = loader(&plan, &source)?;
    // Both are kept to the end, however that comes.
    let (out, _lock) = settings.claim(&plan)?;
    let studio = match settings.studio {
        true => Some(studio(settings, &plan, &out)?),
        false => None,
    };
    brasa::manual_seed(plan.seed);
    let net = nets::build(&shape)?;
    let stop = StopFlag::default();
    let flag = stop.clone();
    ctrlc::set_handler(move || match flag.is_set() {
        // A second time, somebody is in a hurry.
        true => std::process::exit(INTERRUPTED.into()),
        false => flag.stop(),
    })
    .map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
    let run = Run { plan: &plan, source: &source, out: &out, stop: &stop, studio: studio.as_ref() };
    let outcome = train(settings, run, &*net, loader)?;
    model::save(&*net, &shape, &out.join(model::FILE))?;
    report(settings, &plan, &*net, &outcome, &out)?;
    if settings.studio && outcome.ended != Ended::Interrupted {
        eprintln!(
            "the studio stays open; Ctrl-C ends it, `brasa studio {}` opens it again",
            out.display()
        );
        while !stop.is_set() {
            std::thread::sleep(LOOK_AGAIN);
        }
    }
    Ok(match outcome.ended {
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// Shows the run that is to begin.
fn studio(settings: &Settings, plan: &Plan, out: &Path) -> Result<Studio, Failure> {
    let studio = Studio::open(settings.studio_port, out, Some(plan))?;
    eprintln!("Brasa studio   {}", studio.address());
    Ok(studio)
}

impl Settings {
    /// The usual choices, or those of the run to go on with, and what was given over them.
    fn plan(&self) -> Result<Plan, String> {
        let saved = match (&self.out, self.resume) {
            (Some(out), true) => Some(saved_plan(out)?),
            _ => None,
        };
        let mut plan = match saved {
            Some(plan) => plan,
            None => Plan::usual(self.task, self.model)?,
        };
        if (plan.task, plan.model) != (self.task, self.model.unwrap_or(plan.model)) {
            let (task, model) = (plan.task.name(), plan.model.name());
            return Err(format!("the run to go on with learns {task} with a {model}"));
        }
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
        // A run goes on from anywhere.
        let data = self.data.as_deref().map(std::path::absolute).transpose();
        let data = data.map_err(|error| format!("--data: {error}"))?;
        set(&mut plan.data, &data.map(Some));
        set(&mut plan.limit, &self.limit.map(Some));
        set(&mut plan.patience, &self.patience.map(Some));
        if let Some(epochs) = self.epochs {
            (plan.epochs, plan.steps, plan.measure_every) = (epochs, None, None);
        }
        set(&mut plan.steps, &self.steps.map(Some));
        plan.check()?;
        Ok(plan)
    }

    /// A run that is there already is not overwritten.
    fn refuse_taken(&self) -> Result<(), Failure> {
        match &self.out {
            Some(out) if is_taken(out) && !self.resume => {
                let out = out.display();
                let help = "go on with it by --resume, or choose another --out";
                Err(format!("{out} holds a run already\n  help: {help}").into())
            }
            _ => Ok(()),
        }
    }

    /// The folder of the run, which no other run can write to as long as the lock is held.
    fn claim(&self, plan: &Plan) -> Result<(PathBuf, FolderLock), Failure> {
        let help =
            "choose another --out, or wait until that run has ended and go on with it by --resume";
        if let Some(out) = &self.out {
            let lock = FolderLock::take(out).map_err(|error| error.help(help))?;
            // Another run may have come and gone since the first look.
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
        Err(refused.map_or("there is no free folder below runs".to_string().into(), Failure::from))
    }
}

/// Runs that may begin at the same time, each in a folder of its own.
const CLAIMS: usize = 100;

fn is_taken(folder: &Path) -> bool {
    folder.join(PLAN).exists()
}

fn numbered(name: &str, n: u32) -> PathBuf {
    Path::new("runs").join(format!("{name}-{n}"))
}

/// The batches of a plan, of which there must be one.
fn loader(plan: &Plan, source: &Source) -> Result<DataLoader, String> {
    let loader = DataLoader::new(source.train.clone(), plan.batch);
    let loader = loader.shuffle(plan.seed).drop_last().prefetch(2);
    if loader.batches() == 0 {
        let (examples, batch) = (source.train.len(), plan.batch);
        return Err(format!("{examples} examples make no batch of {batch}"));
    }
    Ok(loader)
}

pub(crate) fn saved_plan(out: &Path) -> Result<Plan, String> {
    let path = out.join(PLAN);
    let bytes = brasa::io::read(&path).map_err(|_| {
        format!("{} holds no run to go on with: there is no {PLAN} in it", out.display())
    })?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The net that a plan would train, without its data where these are large.
pub(crate) fn usual_shape(plan: &Plan) -> brasa::Result<Shape> {
    match plan.task.classes() {
        Some(classes) => Ok(plan.shape(classes, String::new())),
        None => Ok(Source::new(plan)?.shape(plan)),
    }
}

fn not_negative(word: &str) -> Result<f64, String> {
    let number: f64 = word.parse().map_err(|_| "expected a number".to_string())?;
    if number >= 0.0 { Ok(number) } else { Err("expected a number of at least 0".to_string()) }
}

/// A training step of a net, for tools that show it.
pub(crate) fn recording(
    net: &dyn Layer,
    plan: &Plan,
    shape: &Shape,
    batch: usize,
) -> brasa::Result<Recording> {
    let mut step = step::compiled(plan, net, shape)?;
    let [x, y] = brasa::catch(|| step::blank(shape, batch))?;
    step.recording(&[&x, &y])
}

/// What a run is made of.
struct Run<'a> {
    plan: &'a Plan,
    source: &'a Source,
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
    let Run { plan, source, out, stop, studio } = run;
    let shape = &source.shape(plan);
    let steps = plan.steps.unwrap_or(plan.epochs.saturating_mul(loader.batches()));
    let mut trainer = Trainer::new(net, step::loss(net, shape), step::optimizer(plan, net)?);
    let mut test = model::Tester::new(net, shape.classes);
    trainer
        .steps(steps)
        .measure(move || Ok(test.run(&mut source.test_loader())?.measures()))
        .checkpoints(
            Checkpoints::new(out.join(CHECKPOINTS)).keep(settings.keep),
            plan.checkpoint_every,
        )
        .describe(model::SHAPE, model::describe(shape))
        .judge_by(plan.judge_by.name(), plan.judge_by.goal())
        .accumulate(plan.accumulate)
        .stop_by(stop);
    match step::change(plan, steps) {
        Change::Schedule(schedule) => trainer.schedule(schedule),
        Change::Plateau(plateau) => trainer.reduce_on_plateau(plateau),
    };
    if let Some(most) = plan.clip {
        trainer.clip(Clip::Norm(most));
    }
    if let Some(decay) = plan.ema {
        trainer.ema(decay);
    }
    if let Some(every) = plan.measure_every {
        trainer.measure_every(every);
    }
    if let Some(looks) = plan.patience {
        trainer.patience(looks);
    }
    if plan.keep_best {
        trainer.keep_best();
    }
    if settings.watch_nan {
        trainer.watch_nan();
    }
    trainer.tell_gradients(move || studio.is_some_and(Studio::is_watched));
    if settings.resume {
        let (step, damaged) = trainer.resume(&mut loader)?;
        damaged
            .iter()
            .for_each(|error| note(format!("warning: a checkpoint is left out: {error}")));
        if step.is_none() {
            eprintln!("warning: there is no whole checkpoint, the run begins anew");
        }
    }
    let plan_text = serde_json::to_vec_pretty(plan).map_err(|error| error.to_string())?;
    brasa::io::write(out.join(PLAN), &plan_text)?;
    let mut log = EventLog::append(out.join(EVENTS))?;
    let mut bar = ProgressBar::new();
    trainer.on(move |event| {
        bar.show(event);
        log.add(event)?;
        Ok(Next::GoOn)
    });
    let outcome = trainer.fit(&mut loader).map_err(|error| match error.op() {
        "train" => Failure::Diverged(error.to_string()),
        _ => Failure::from(error),
    })?;
    if outcome.ended == Ended::Interrupted {
        return Ok(outcome);
    }
    if plan.keep_best
        && let Some(best) = Checkpoints::new(out.join(CHECKPOINTS)).load_best()
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
    drop(trainer);
    if !plan.keep_best {
        return Ok(outcome);
    }
    // What is told is what the weights that are written can do.
    net.eval();
    let mut test = model::Tester::new(net, shape.classes);
    let measures = test.run(&mut source.test_loader())?.measures();
    Ok(Outcome { measures, ..outcome })
}

/// Tells what became of the run: on standard output what a program would read.
fn report(
    settings: &Settings,
    plan: &Plan,
    net: &dyn Layer,
    outcome: &Outcome,
    out: &Path,
) -> Result<(), String> {
    let measure = |name: &str| outcome.measures.get(name).copied();
    let weights = out.join(model::FILE);
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
            print(format!("go on with: brasa train {task} --out {out} --resume\n"))
        }
        _ if plan.task.is_text() => print(format!("let it write: brasa predict {out}\n")),
        _ => print(format!("look closer: brasa eval {out}\n")),
    }
}
