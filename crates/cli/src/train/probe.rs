//! Computes node values of a step with the weights of a run's last checkpoint.
use super::plan::{Plan, Shape};
use super::sources::DataSource;
use super::{nets, step};
use brasa::data::DataLoader;
use brasa::io::Checkpoints;
use brasa::nn::{Layer, Module};
use brasa::{DType, Error, Result, Tensor, TrainStep};
use std::path::Path;

/// The model of a plan and one batch.
pub(crate) struct Probe {
    plan: Plan,
    shape: Shape,
    net: Box<dyn Layer>,
    batch: Vec<Tensor>,
}

/// The value of a node.
pub(crate) struct ProbedValue {
    pub shape: Vec<usize>,
    /// Elements as little-endian `f32`.
    pub bytes: Vec<u8>,
    /// The training step of the weights.
    pub step: u64,
}

impl Probe {
    pub(crate) fn new(plan: &Plan) -> Result<Probe, String> {
        let source = DataSource::new(plan).map_err(|error| error.to_string())?;
        let shape = source.shape(plan);
        let net = nets::build(&shape)?;
        net.train();
        let mut loader = DataLoader::new(source.train.clone(), plan.batch).drop_last();
        let batch = loader.epoch().next().ok_or("the data set is smaller than one batch")?;
        let batch = batch.map_err(|error| error.to_string())?;
        Ok(Probe { plan: plan.clone(), shape, net, batch })
    }

    /// Compiles the run's training step.
    pub(crate) fn step(&self) -> Result<TrainStep<'_>> {
        step::compile_step(&self.plan, &*self.net, &self.shape)
    }

    /// The value of a node, by its number in the trace. Does not change the weights.
    pub(crate) fn value(
        &self,
        step: &mut TrainStep,
        run: &Path,
        node: usize,
    ) -> Result<ProbedValue> {
        let (found, _) = Checkpoints::new(run.join(super::CHECKPOINTS)).load();
        let Some(checkpoint) = found else {
            return Err(Error::data("studio", "the run has written no checkpoint yet"));
        };
        self.net.load_state_dict(&checkpoint.model.tensors)?;
        step.optimizer().load_state_dict(&checkpoint.optimizer)?;
        let inputs: Vec<&Tensor> = self.batch.iter().collect();
        let value = step.probe(&inputs, node)?.to(DType::F32);
        let (shape, bytes) = (value.shape().to_vec(), value.to_bytes()?);
        Ok(ProbedValue { shape, bytes, step: checkpoint.progress.step })
    }
}
