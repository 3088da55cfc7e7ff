//! `brasa explain`: what becomes of a training step. Its graph, the kernels and why they begin where
//! they do, the plan of the memory, and the code for a device.
mod show;
mod subject;
mod times;
mod trace;
mod vae;

use crate::device::Device;
use crate::print;
use crate::train::{Failure, Kind, Plan};
use brasa_compile::compile_with;
use brasa_gpu::Shaders;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use show::Page;
use std::process::ExitCode;
use subject::Subject;
use trace::Trace;

/// Show what becomes of a model: graph, kernels, memory and code.
///
/// Nothing is trained and no data are read, but for the text that a text model takes its characters from.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    brasa explain mnist --model mlp            all about a step of the usual net\n  \
    brasa explain text --only kernels,memory   two parts of it\n  \
    brasa explain W2 --device gpu --kernel 3   one kernel in full, with its shader\n  \
    brasa explain runs/mnist-cnn-1 --json      a trained model, for a program (docs/trace.md)")]
pub struct Settings {
    /// A task of `brasa train`, `vae`, a workload of `brasa bench`, or what `brasa train` has written
    subject: String,
    /// The model of a task; each has a usual one
    #[arg(long, value_enum)]
    model: Option<Kind>,
    /// Examples of the step
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,
    /// What it is compiled for; no such device has to be there
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Show these parts only
    #[arg(
        long,
        value_enum,
        value_name = "PARTS",
        value_delimiter = ',',
        conflicts_with = "kernel"
    )]
    only: Vec<Part>,
    /// Show one kernel in full, by its number
    #[arg(long, value_name = "N")]
    kernel: Option<usize>,
    /// Print all as one line of JSON
    #[arg(long, conflicts_with_all = ["only", "kernel"])]
    json: bool,
}

/// A part of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The nodes, with the calls they come from
    Graph,
    /// The launches, and why they begin where they do
    Kernels,
    /// What lies where in memory, and when
    Memory,
    /// The listing of each kernel, or its shader
    Code,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    if settings.device == Device::Reference {
        let what = "the reference device compiles nothing; use --device cpu or gpu";
        return Err(what.to_string().into());
    }
    let batch = settings.batch.map(|batch| batch as usize);
    let subject = Subject::find(&settings.subject, settings.model, batch)?;
    let explained = explained(&subject, settings.device)?;
    if settings.json {
        print(format!("{explained}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let trace: Trace = serde_json::from_value(explained).map_err(|error| error.to_string())?;
    let page = Page::new(&trace);
    if let Some(n) = settings.kernel {
        let Some(kernel) = trace.kernels.get(n) else {
            let most = trace.kernels.len() - 1;
            return Err(
                format!("there is no kernel {n}; they are numbered from 0 to {most}").into()
            );
        };
        print(page.kernel(n, kernel))?;
        return Ok(ExitCode::SUCCESS);
    }
    let has = |part: Part| settings.only.is_empty() || settings.only.contains(&part);
    print(page.summary(&subject.title, settings.device))?;
    for part in Part::value_variants().iter().filter(|part| has(**part)) {
        print(match part {
            Part::Graph => page.graph(),
            Part::Kernels => page.kernels(),
            Part::Memory => page.memory(),
            Part::Code => page.code(),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// All that there is to say, as docs/trace.md has it, with the shaders of a GPU.
fn explained(subject: &Subject, device: Device) -> Result<Value, String> {
    let options = device.options();
    let name = |id| subject.name(id);
    let text = brasa_compile::explain(&subject.graph, &subject.wanted, &options, &name);
    let mut all: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    all["subject"] = json!(subject.title);
    if device != Device::Gpu {
        return Ok(all);
    }
    let program = compile_with(&subject.graph, &subject.wanted, &options);
    let shaders = program.and_then(|program| Shaders::new(program, Default::default()));
    let shaders = shaders.map_err(|error| error.to_string())?;
    for (n, kernel) in all["kernels"].as_array_mut().into_iter().flatten().enumerate() {
        kernel["wgsl"] = json!(shaders.listing(n));
    }
    Ok(all)
}

/// What there is to say about the step of a run, as JSON. Draws from the random generator.
pub(crate) fn of_plan(plan: &Plan) -> Result<String, String> {
    explained(&Subject::of_plan(plan)?, Device::Cpu).map(|all| all.to_string())
}

/// Microseconds of each kernel of the step of a plan, in the order of its trace.
pub(crate) fn times_of(plan: &Plan) -> Result<Vec<f64>, String> {
    times::micros(&Subject::of_plan(plan)?).map_err(|error| error.to_string())
}
