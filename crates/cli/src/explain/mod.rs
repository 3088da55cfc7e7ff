//! `brasa explain`: shows how a training step is compiled: its graph, its kernels and the reasons
//! for their boundaries, the memory plan, and the generated code.
mod recorded_step;
mod show;
mod times;
mod trace;
mod vae;

use crate::device::Device;
use crate::print;
use crate::train::{Failure, ModelKind, Plan};
use brasa_compile::compile_with;
use brasa_gpu::Shaders;
use clap::{Args, ValueEnum};
use recorded_step::RecordedStep;
use serde_json::{Value, json};
use show::Page;
use std::process::ExitCode;
use trace::Trace;

/// Show how a model is compiled: graph, kernels, memory plan and code.
///
/// Does not train. Reads no data, except the text from which a text model takes its vocabulary.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    brasa explain mnist --model mlp            everything about a step of the default MLP\n  \
    brasa explain text --only kernels,memory   only two sections\n  \
    brasa explain W2 --device gpu --kernel 3   one kernel in full, with its shader\n  \
    brasa explain runs/mnist-cnn-1 --json      a trained model, as JSON (docs/trace.md)")]
pub struct Settings {
    /// A task of `brasa train`, `vae`, a workload of `brasa bench`, or the output of `brasa train`
    subject: String,
    /// The model of a task; each task has a default
    #[arg(long, value_enum)]
    model: Option<ModelKind>,
    /// Batch size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,
    /// The device to compile for; it need not be available
    #[arg(long, value_enum, default_value = "cpu")]
    device: Device,
    /// Show only these sections
    #[arg(
        long,
        value_enum,
        value_name = "PARTS",
        value_delimiter = ',',
        conflicts_with = "kernel"
    )]
    only: Vec<Section>,
    /// Show one kernel in full, by its number
    #[arg(long, value_name = "N")]
    kernel: Option<usize>,
    /// Print everything as one line of JSON
    #[arg(long, conflicts_with_all = ["only", "kernel"])]
    json: bool,
}

/// A section of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Section {
    /// The nodes, with the calls that recorded them
    Graph,
    /// The kernel launches, with the reasons for their boundaries
    Kernels,
    /// The memory plan: offsets and lifetimes of buffers
    Memory,
    /// The code of each kernel, for the CPU or as a shader
    Code,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    if settings.device == Device::Reference {
        let what = "the reference device does not compile; use --device cpu or gpu";
        return Err(what.to_string().into());
    }
    let batch = settings.batch.map(|batch| batch as usize);
    let step = RecordedStep::find(&settings.subject, settings.model, batch)?;
    let json = explain_step(&step, settings.device)?;
    if settings.json {
        print(format!("{json}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let trace: Trace = serde_json::from_value(json).map_err(|error| error.to_string())?;
    let page = Page::new(&trace);
    if let Some(n) = settings.kernel {
        let Some(kernel) = trace.kernels.get(n) else {
            let last = trace.kernels.len() - 1;
            return Err(format!("there is no kernel {n}, expected 0 to {last}").into());
        };
        print(page.kernel(n, kernel))?;
        return Ok(ExitCode::SUCCESS);
    }
    let has = |section: Section| settings.only.is_empty() || settings.only.contains(&section);
    print(page.summary(&step.title, settings.device))?;
    for section in Section::value_variants().iter().filter(|section| has(**section)) {
        print(match section {
            Section::Graph => page.graph(),
            Section::Kernels => page.kernels(),
            Section::Memory => page.memory(),
            Section::Code => page.code(),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The explanation in the format of docs/trace.md, with shaders if the device is a GPU.
fn explain_step(step: &RecordedStep, device: Device) -> Result<Value, String> {
    let options = device.options();
    let name = |id| step.name(id);
    let text = brasa_compile::explain(&step.graph, &step.wanted, &options, &name);
    let mut all: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    all["subject"] = json!(step.title);
    if device != Device::Gpu {
        return Ok(all);
    }
    let program = compile_with(&step.graph, &step.wanted, &options);
    let shaders = program.and_then(|program| Shaders::new(program, Default::default()));
    let shaders = shaders.map_err(|error| error.to_string())?;
    for (n, kernel) in all["kernels"].as_array_mut().into_iter().flatten().enumerate() {
        kernel["wgsl"] = json!(shaders.listing(n));
    }
    Ok(all)
}

/// The explanation of a run's step, as JSON. Advances the random generator.
pub(crate) fn of_plan(plan: &Plan) -> Result<String, String> {
    explain_step(&RecordedStep::of_plan(plan)?, Device::Cpu).map(|all| all.to_string())
}

/// Microseconds of each kernel of a plan's step, in the order of the trace.
pub(crate) fn times_of(plan: &Plan) -> Result<Vec<f64>, String> {
    times::micros(&RecordedStep::of_plan(plan)?).map_err(|error| error.to_string())
}
