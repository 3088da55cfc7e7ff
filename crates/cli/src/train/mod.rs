//! `brasa train`, `eval`, `predict`, `inspect` and `fetch`.
pub mod eval;
pub mod fetch;
pub mod inspect;
mod model;
mod nets;
mod plan;
pub mod predict;
mod sources;

use brasa::data::DataLoader;
use brasa::io::Checkpoints;
use brasa::nn::Layer;
use brasa::optim::schedule::Schedule;
use brasa::optim::{Adam, AdamW, Lion, Muon, Optimizer, RmsProp, Sgd};
use brasa::train::{Ended, EventLog, Next, Outcome, ProgressBar, StopFlag, Trainer};
use brasa::{Tensor, ops};
use clap::Args;
use plan::{Kind, Plan, Rate, Rule, Shape, Task};
use serde_json::{Value, json};
use sources::Source;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    #[arg(long)]
    lr: Option<f64>,
    /// How fast unused weights fade
    #[arg(long)]
    weight_decay: Option<f64>,
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
    /// Where to compute
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Seed of weights, order of the data and draws
    #[arg(long)]
    seed: Option<u64>,
    /// Threads; all cores by default. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    threads: Option<u64>,
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
    /// Stop when the test loss has not fallen for more than this many looks
    #[arg(long, value_name = "LOOKS")]
    patience: Option<u64>,
    /// Name the op and line that first produce a NaN; slower
    #[arg(long)]
    watch_nan: bool,
    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

/// Where to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// The threads of the processor
    Cpu,
}

const PLAN: &str = "plan.json";

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    use_threads(settings.threads)?;
    let Device::Cpu = settings.device;
    let plan = settings.plan()?;
    let out = settings.folder(&plan)?;
    let source = Source::new(&plan)?;
    brasa::manual_seed(plan.seed);
    let shape = source.shape(&plan);
    let net = nets::build(&shape)?;
    let stop = StopFlag::default();
    let flag = stop.clone();
    ctrlc::set_handler(move || match flag.is_set() {
        // A second time, somebody is in a hurry.
        true => std::process::exit(INTERRUPTED.into()),
        false => flag.stop(),
    })
    .map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
    let outcome = train(settings, &plan, &source, &*net, &shape, &out, &stop)?;
    model::save(&*net, &shape, &out.join(model::FILE))?;
    report(settings, &plan, &*net, &outcome, &out);
    Ok(match outcome.ended {
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// The pool of threads takes its size from a variable, once: the command starts itself anew with it.
fn use_threads(threads: Option<u64>) -> Result<(), String> {
    let Some(threads) = threads.map(|n| n.to_string()) else { return Ok(()) };
    if std::env::var("BRASA_THREADS").is_ok_and(|set| set == threads) {
        return Ok(());
    }
    let failed = |error| format!("cannot start again with --threads: {error}");
    let own = std::env::current_exe().map_err(failed)?;
    let mut again = std::process::Command::new(own);
    again.args(std::env::args_os().skip(1)).env("BRASA_THREADS", threads);
    #[cfg(unix)]
    return Err(failed(std::os::unix::process::CommandExt::exec(&mut again)));
    #[cfg(not(unix))]
    std::process::exit(again.status().map_err(failed)?.code().unwrap_or(2));
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
        set(&mut plan.weight_decay, &self.weight_decay);
        set(&mut plan.schedule, &self.schedule);
        set(&mut plan.seed, &self.seed);
        set(&mut plan.batch, &self.batch.map(|batch| batch as usize));
        set(&mut plan.checkpoint_every, &self.checkpoint_every);
        set(&mut plan.data, &self.data.clone().map(Some));
        set(&mut plan.limit, &self.limit.map(Some));
        set(&mut plan.patience, &self.patience.map(Some));
        if let Some(epochs) = self.epochs {
            (plan.epochs, plan.steps, plan.measure_every) = (epochs, None, None);
        }
        set(&mut plan.steps, &self.steps.map(Some));
        Ok(plan)
    }

    /// The folder of the run. A run that is there already is not overwritten.
    fn folder(&self, plan: &Plan) -> Result<PathBuf, Failure> {
        let is_taken = |folder: &Path| folder.join(PLAN).exists();
        let out = match &self.out {
            Some(out) => out.clone(),
            None => {
                let name = format!("{}-{}", plan.task.name(), plan.model.name());
                let numbered = |n: u32| Path::new("runs").join(format!("{name}-{n}"));
                let mut free = (1..).map(numbered).skip_while(|folder| is_taken(folder));
                free.next().ok_or_else(|| "there is no free folder below runs".to_string())?
            }
        };
        if is_taken(&out) && !self.resume {
            let out = out.display();
            let help = "go on with it by --resume, or choose another --out";
            return Err(format!("{out} holds a run already\n  help: {help}").into());
        }
        Ok(out)
    }
}

fn saved_plan(out: &Path) -> Result<Plan, String> {
    let path = out.join(PLAN);
    let bytes = brasa::io::read(&path).map_err(|_| {
        format!("{} holds no run to go on with: there is no {PLAN} in it", out.display())
    })?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn optimizer(plan: &Plan, net: &dyn Layer) -> Optimizer {
    let (lr, decay, params) = (plan.lr, plan.weight_decay, net.parameters());
    match plan.optimizer {
        Rule::Sgd => Sgd::new(lr).momentum(0.9).build(params),
        Rule::Adam => Adam::new(lr).build(params),
        Rule::Adamw => AdamW::new(lr).weight_decay(decay).build(params),
        Rule::Rmsprop => RmsProp::new(lr).build(params),
        Rule::Lion => Lion::new(lr).build(params),
        Rule::Muon => Muon::new(lr).build(params),
    }
}

fn schedule(plan: &Plan, steps: u64) -> Schedule {
    match plan.schedule {
        Rate::Constant => Schedule::constant(plan.lr),
        Rate::Cosine => {
            let rising = steps / 20;
            Schedule::cosine(plan.lr, plan.lr / 20.0, steps - rising).warm_up(rising)
        }
    }
}

fn train(
    settings: &Settings,
    plan: &Plan,
    source: &Source,
    net: &dyn Layer,
    shape: &Shape,
    out: &Path,
    stop: &StopFlag,
) -> Result<Outcome, Failure> {
    let classes = shape.classes;
    let loss = |x: &[Tensor]| {
        let scores = net.forward(&x[0]).reshape([-1, classes as isize]);
        ops::cross_entropy(&scores, &x[1].flatten(0))
    };
    let mut loader = DataLoader::new(source.train.clone(), plan.batch);
    loader = loader.shuffle(plan.seed).drop_last().prefetch(2);
    if loader.batches() == 0 {
        let (examples, batch) = (source.train.len(), plan.batch);
        return Err(format!("{examples} examples make no batch of {batch}").into());
    }
    let steps = plan.steps.unwrap_or(plan.epochs * loader.batches());
    let mut trainer = Trainer::new(net, loss, optimizer(plan, net));
    let mut test = model::Tester::new(net, classes);
    trainer
        .steps(steps)
        .schedule(schedule(plan, steps))
        .measure(move || Ok(test.run(&mut source.test_loader())?.measures()))
        .checkpoints(
            Checkpoints::new(out.join("checkpoints")).keep(settings.keep),
            plan.checkpoint_every,
        )
        .describe(model::SHAPE, model::describe(shape))
        .stop_by(stop);
    if let Some(every) = plan.measure_every {
        trainer.measure_every(every);
    }
    if let Some(looks) = plan.patience {
        trainer.patience("loss", looks);
    }
    if settings.watch_nan {
        trainer.watch_nan();
    }
    if settings.resume {
        let (step, damaged) = trainer.resume(&mut loader)?;
        damaged.iter().for_each(|error| eprintln!("warning: a checkpoint is left out: {error}"));
        if step.is_none() {
            eprintln!("warning: there is no whole checkpoint, the run begins anew");
        }
    }
    let plan_text = serde_json::to_vec_pretty(plan).map_err(|error| error.to_string())?;
    brasa::io::write(out.join(PLAN), &plan_text)?;
    let mut log = EventLog::append(out.join("events.jsonl"))?;
    let mut bar = ProgressBar::new();
    trainer.on(move |event| {
        bar.show(event);
        log.add(event)?;
        Ok(Next::GoOn)
    });
    trainer.fit(&mut loader).map_err(|error| match error.op() {
        "train" => Failure::Diverged(error.to_string()),
        _ => error.into(),
    })
}

/// Tells what became of the run: on standard output what a program would read.
fn report(settings: &Settings, plan: &Plan, net: &dyn Layer, outcome: &Outcome, out: &Path) {
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
        println!("{line}");
        return;
    }
    if let (Some(accuracy), Some(loss)) = (measure("accuracy"), measure("loss")) {
        println!("test accuracy {:.2} %, test loss {loss:.4}", 100.0 * accuracy);
    }
    println!("weights in {}", weights.display());
    let (out, task) = (out.display(), plan.task.name());
    match outcome.ended {
        Ended::Interrupted => println!("go on with: brasa train {task} --out {out} --resume"),
        _ if plan.task.is_text() => println!("let it write: brasa predict {out}"),
        _ => println!("look closer: brasa eval {out}"),
    }
}
