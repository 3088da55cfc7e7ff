//! The values of the nodes of a step, with the weights of the last checkpoint of a run.
use super::plan::{Plan, Shape};
use super::sources::Source;
use super::{nets, step};
use brasa::data::DataLoader;
use brasa::io::Checkpoints;
use brasa::nn::{Layer, Module};
use brasa::{DType, Error, Result, Tensor, TrainStep};
use std::path::Path;

/// The net of a plan, and a batch for it.
pub(crate) struct Probe {
    plan: Plan,
    shape: Shape,
    net: Box<dyn Layer>,
    batch: Vec<Tensor>,
}

/// The value of a node.
pub(crate) struct Probed {
    pub shape: Vec<usize>,
    /// Elements as little-endian `f32`.
    pub bytes: Vec<u8>,
    /// The step of the weights.
    pub step: u64,
}

impl Probe {
    pub(crate) fn new(plan: &Plan) -> Result<Probe, String> {
        let source = Source::new(plan).map_err(|error| error.to_string())?;
        let shape = source.shape(plan);
        let net = nets::build(&shape)?;
        net.train();
        let mut loader = DataLoader::new(source.train.clone(), plan.batch).drop_last();
        let batch = loader.epoch().next().ok_or("the data make no batch")?;
        let batch = batch.map_err(|error| error.to_string())?;
        Ok(Probe { plan: plan.clone(), shape, net, batch })
    }

    /// The step that the run takes.
    pub(crate) fn step(&self) -> Result<TrainStep<'_>> {
        step::compiled(&self.plan, &*self.net, &self.shape)
    }

    /// The value of a node of the step, by its number in the trace. No step is taken.
    pub(crate) fn value(&self, step: &mut TrainStep, run: &Path, node: usize) -> Result<Probed> {
        let (found, _) = Checkpoints::new(run.join(super::CHECKPOINTS)).load();
        let Some(checkpoint) = found else {
            return Err(Error::data("studio", "the run has written no checkpoint yet"));
        };
        self.net.load_state_dict(&checkpoint.model.tensors)?;
        step.optimizer().load_state_dict(&checkpoint.optimizer)?;
        let inputs: Vec<&Tensor> = self.batch.iter().collect();
        let value = step.probe(&inputs, node)?.to(DType::F32);
        let (shape, bytes) = (value.shape().to_vec(), value.to_bytes()?);
        Ok(Probed { shape, bytes, step: checkpoint.progress.step })
    }
}
