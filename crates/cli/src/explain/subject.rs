//! What can be explained: the usual model of a task, a saved model, or a workload of the benchmark.
use super::vae;
use crate::bench;
use crate::train::{self, Kind, Plan, Task};
use brasa::Recording;
use brasa_compile::bytes::graph_from_bytes;
use brasa_ir::ops::Role;
use brasa_ir::{Graph, Id};
use clap::ValueEnum;
use std::path::Path;

/// A recorded step.
pub struct Subject {
    /// What it is, for people.
    pub title: String,
    pub graph: Graph,
    /// The nodes that are asked for beside what is written.
    pub wanted: Vec<Id>,
    /// What inputs are called.
    pub names: Vec<(Id, String, Role)>,
}

impl Subject {
    /// The subject of this name or in this place.
    pub fn find(name: &str, model: Option<Kind>, batch: Option<usize>) -> Result<Subject, String> {
        if let Ok(task) = Task::from_str(name, false) {
            let mut plan = Plan::usual(task, model)?;
            plan.batch = batch.unwrap_or(plan.batch);
            return Subject::of_plan(&plan);
        }
        if model.is_some() {
            return Err(format!("--model goes with a task, and '{name}' is none"));
        }
        if name == VAE {
            let batch = batch.unwrap_or(64);
            return Subject::recorded(VAE, batch, vae::recording(batch));
        }
        if bench::workload_names().contains(&name) {
            let None = batch else {
                return Err(format!("the batch of the workload {name} cannot be changed"));
            };
            let title = format!("{name}, a workload of `brasa bench`");
            let (graph, wanted) = bench::graph(name)?;
            return Ok(Subject { title, graph, wanted, names: Vec::new() });
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(unknown(name));
        }
        let (net, shape) = train::load(path)?;
        net.train();
        // The plan lies in the folder of the run, and the model there or in a checkpoint.
        let plan = match path.ancestors().take(3).find_map(|at| train::saved_plan(at).ok()) {
            Some(plan) => plan,
            None => Plan::usual(shape.task, Some(shape.model))?,
        };
        let title = format!("{name}, {} {}", shape.task.name(), shape.model.name());
        let batch = batch.unwrap_or(plan.batch);
        Subject::recorded(&title, batch, train::recording(&*net, &plan, &shape, batch))
    }

    /// The step that a plan leads to.
    pub fn of_plan(plan: &Plan) -> Result<Subject, String> {
        let shape = train::usual_shape(plan).map_err(|error| error.to_string())?;
        let net = train::build(&shape)?;
        let name = format!("{} {}", shape.task.name(), shape.model.name());
        let recording = train::recording(&*net, plan, &shape, plan.batch);
        Subject::recorded(&name, plan.batch, recording)
    }

    fn recorded(
        name: &str,
        batch: usize,
        recording: brasa::Result<Recording>,
    ) -> Result<Subject, String> {
        let recording = recording.map_err(|error| error.to_string())?;
        let graph = graph_from_bytes(&recording.graph).map_err(|error| error.to_string())?;
        let title = format!("{name}: a training step of {batch} examples");
        Ok(Subject { title, graph, wanted: Vec::new(), names: recording.names })
    }

    /// What an input is called, and what it is for.
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
        "there is neither an example nor a file '{name}'\n  help: name what `brasa train` has written, \
         an example ({}) or a workload ({})",
        tasks.join(", "),
        workloads.join(", ")
    )
}
