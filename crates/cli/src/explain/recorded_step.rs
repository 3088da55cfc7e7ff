//! Records the step to explain: the default model of a task, a saved model, or a workload of `brasa
//! bench`.
use super::vae;
use crate::bench;
use crate::train::{self, ModelKind, Plan, Task};
use brasa::Recording;
use brasa_compile::bytes::graph_from_bytes;
use brasa_ir::ops::Role;
use brasa_ir::{Graph, Id};
use clap::ValueEnum;
use std::path::Path;

/// A recorded step.
pub struct RecordedStep {
    /// Title of the output.
    pub title: String,
    pub graph: Graph,
    /// The requested nodes, in addition to writes.
    pub wanted: Vec<Id>,
    /// Names and roles of the inputs.
    pub names: Vec<(Id, String, Role)>,
}

impl RecordedStep {
    /// The step of a task, a workload or a path.
    pub fn find(
        name: &str,
        model: Option<ModelKind>,
        batch: Option<usize>,
    ) -> Result<RecordedStep, String> {
        if let Ok(task) = Task::from_str(name, false) {
            let mut plan = Plan::defaults(task, model)?;
            plan.batch = batch.unwrap_or(plan.batch);
            return RecordedStep::of_plan(&plan);
        }
        if model.is_some() {
            return Err(format!("--model requires a task, and '{name}' is not one"));
        }
        if name == VAE {
            let batch = batch.unwrap_or(64);
            return RecordedStep::recorded(VAE, batch, vae::recording(batch));
        }
        if bench::workload_names().contains(&name) {
            let None = batch else {
                return Err(format!("the batch size of the workload {name} cannot be changed"));
            };
            let title = format!("{name}, a workload of `brasa bench`");
            let (graph, wanted) = bench::graph(name)?;
            return Ok(RecordedStep { title, graph, wanted, names: Vec::new() });
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(unknown(name));
        }
        let (net, shape) = train::load(path)?;
        net.train();
        // The plan is in the run's folder; the model is there or in a checkpoint.
        let plan = match path.ancestors().take(3).find_map(|at| train::saved_plan(at).ok()) {
            Some(plan) => plan,
            None => Plan::defaults(shape.task, Some(shape.model))?,
        };
        let title = format!("{name}, {} {}", shape.task.name(), shape.model.name());
        let batch = batch.unwrap_or(plan.batch);
        RecordedStep::recorded(&title, batch, train::recording(&*net, &plan, &shape, batch))
    }

    /// The step of a plan.
    pub fn of_plan(plan: &Plan) -> Result<RecordedStep, String> {
        let shape = train::default_shape(plan).map_err(|error| error.to_string())?;
        let net = train::build(&shape)?;
        let name = format!("{} {}", shape.task.name(), shape.model.name());
        let recording = train::recording(&*net, plan, &shape, plan.batch);
        RecordedStep::recorded(&name, plan.batch, recording)
    }

    fn recorded(
        name: &str,
        batch: usize,
        recording: brasa::Result<Recording>,
    ) -> Result<RecordedStep, String> {
        let recording = recording.map_err(|error| error.to_string())?;
        let graph = graph_from_bytes(&recording.graph).map_err(|error| error.to_string())?;
        let title = format!("{name}: a training step of {batch} examples");
        Ok(RecordedStep { title, graph, wanted: Vec::new(), names: recording.names })
    }

    /// The name and role of an input.
    pub fn name(&self, id: Id) -> Option<(String, Role)> {
        let (_, name, role) = self.names.iter().find(|(other, ..)| *other == id)?;
        Some((name.clone(), *role))
    }
}

/// The name of the autoencoder.
const VAE: &str = "vae";

fn unknown(name: &str) -> String {
    let tasks = Task::value_variants().iter().map(|task| task.name()).chain([VAE]);
    let (tasks, workloads) = (tasks.collect::<Vec<_>>(), bench::workload_names());
    format!(
        "'{name}' is neither an example nor a file\n  help: pass a run or file of `brasa train`, \
         an example ({}) or a workload ({})",
        tasks.join(", "),
        workloads.join(", ")
    )
}
