//! Replays complete training runs: compares losses, the first gradients, weights and buffers.
use super::compare::Tally;
use super::format::{Format, Tolerance, Trace, TraceRun};
use super::inputs::tensor;
use super::models::{self, Net};
use super::session::Source;
use super::{CaseError, Runner, optimizers};
use crate::data::{self, DataError, Tensors};
use crate::device::Device;
use brasa::nn::StateDict;
use brasa::{DType, Tensor};
use std::path::{Path, PathBuf};

const FORMAT: &str = "torch-training-trace/1";

/// Replays the traces of a directory: one case per optimizer.
pub(super) fn run(dir: &Path, device: Device, runner: &mut Runner) -> Result<(), DataError> {
    for path in find(dir)? {
        let trace: Trace = data::read_json(&path)?;
        let tensors = Tensors::open(&path.with_file_name(&trace.tensors_file))?;
        let source = Source { index: &path, tensors: &tensors, device };
        for (name, run) in &trace.runs {
            if run.losses.len() != trace.steps {
                let what = format!("{} losses of {} steps", run.losses.len(), trace.steps);
                return Err(source.error(what).within(name));
            }
            let replay = Replay { trace: &trace, name, run, source };
            let id = format!("{}/{name}", trace.name);
            runner.case(&id, &run.optimizer, || brasa::catch(|| replay.run())?)?;
        }
    }
    Ok(())
}

/// The traces of a directory. Fails if there are none.
fn find(dir: &Path) -> Result<Vec<PathBuf>, DataError> {
    let unreadable = |error: std::io::Error| DataError::new(dir, error.to_string());
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if is_json && data::read_json::<Format>(&path)?.format == FORMAT {
            traces.push(path);
        }
    }
    if traces.is_empty() {
        let what = format!("has neither an index.json nor a trace of format {FORMAT}");
        return Err(DataError::new(dir, what));
    }
    traces.sort();
    Ok(traces)
}

/// One training run.
struct Replay<'a> {
    trace: &'a Trace,
    name: &'a str,
    run: &'a TraceRun,
    source: Source<'a>,
}

impl Replay<'_> {
    fn run(&self) -> Result<f64, CaseError> {
        brasa::set_default_device(self.source.device.tensors()?);
        let tensors = self.source.tensors;
        let (xs, ys) = (self.batches("batches.x")?, self.batches("batches.y")?);
        let init: models::State = tensors.under("init.").collect();
        let model = models::build(self.trace, &init, &xs.i(0))?;
        let state = init.iter().map(|(name, array)| Ok((name.to_string(), tensor(array)?)));
        let state: StateDict = state.collect::<brasa::Result<_>>()?;
        self.load(&*model, &state)?;
        model.train();
        let mut optimizer = optimizers::build(self.run, model.parameters())?;

        let mut tally = Tally::default();
        for (t, &want) in self.run.losses.iter().enumerate() {
            let loss = models::loss(self.trace, &model.logits(&xs.i(t)), &ys.i(t))?;
            optimizer.zero_grad();
            loss.backward();
            if t == 0 {
                self.compare_gradients(&*model, &mut tally)?;
            }
            optimizer.step()?;
            let rtol = Tolerance { rtol: self.run.tolerance.loss_rtol, atol: 0.0 };
            tally.number(&format!("loss of step {t}"), loss.item::<f64>()?, want, rtol);
            if t == 0 {
                let atol = self.run.tolerance.after_step1_atol;
                self.compare_state(&*model, "after_step1", atol, &mut tally)?;
            }
        }
        self.compare_state(&*model, "final", self.run.tolerance.final_atol, &mut tally)?;
        model.eval();
        let logits = brasa::no_grad(|| model.logits(&xs.i(0)));
        let name = format!("{}.eval_logits", self.name);
        let atol = self.run.tolerance.eval_logits_atol;
        tally.tensor(&name, &logits, tensors.get(&name)?, within(atol))?;
        tally.verdict()
    }

    /// Loads the recorded initial state. Buffers that were not recorded keep their initial values.
    fn load(&self, model: &dyn Net, state: &StateDict) -> Result<(), CaseError> {
        let unmatched = model.load_matching(state)?;
        let params = model.named_parameters();
        let is_param = |name: &&String| params.iter().any(|(own, _)| own == *name);
        let missing = unmatched.missing.iter().filter(is_param);
        let all: Vec<&str> = missing.chain(&unmatched.unknown).map(String::as_str).collect();
        match all.is_empty() {
            true => Ok(()),
            false => Err(CaseError::failed(format!("the model does not have {}", all.join(", ")))),
        }
    }

    fn compare_gradients(&self, model: &dyn Net, tally: &mut Tally) -> Result<(), CaseError> {
        let atol = self.run.tolerance.grad_step0_atol;
        for (own, param) in model.named_parameters() {
            let name = format!("grad_step0.{own}");
            let gradient = param.grad().unwrap_or_else(|| param.zeros_like());
            tally.tensor(&name, &gradient, self.source.tensors.get(&name)?, within(atol))?;
        }
        Ok(())
    }

    /// Compares parameters, and those buffers that were recorded at this stage.
    fn compare_state(
        &self,
        model: &dyn Net,
        stage: &str,
        atol: f64,
        tally: &mut Tally,
    ) -> Result<(), CaseError> {
        let prefix = format!("{}.{stage}.", self.name);
        let state = model.state_dict();
        for (own, _) in model.named_parameters() {
            self.source.tensors.get(&format!("{prefix}{own}"))?;
        }
        for (own, want) in self.source.tensors.under(&prefix) {
            let name = format!("{prefix}{own}");
            let unknown = || CaseError::failed(format!("{name}: the model has no '{own}'"));
            let got = state.get(own).ok_or_else(unknown)?;
            tally.tensor(&name, got, want, within(atol))?;
        }
        Ok(())
    }

    /// All batches. Fails if there are fewer than steps.
    fn batches(&self, name: &str) -> Result<Tensor, CaseError> {
        let all = self.source.tensors.get(name)?;
        if all.shape().first().is_none_or(|&batches| batches < self.trace.steps.max(1)) {
            let what = format!("{name}: {} has fewer than {} batches", all.ty, self.trace.steps);
            return Err(DataError::new(self.source.tensors.path(), what).into());
        }
        let all = tensor(all)?;
        // Training runs in single precision.
        Ok(if all.dtype() == DType::F64 { all.to(DType::F32) } else { all })
    }
}

fn within(atol: f64) -> Tolerance {
    Tolerance { rtol: 0.0, atol }
}
