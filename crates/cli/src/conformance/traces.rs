//! Whole trainings, step by step: losses, first gradients and weights as PyTorch has them.
use super::compare::{Tally, Want};
use super::format::{Format, Tolerance, Trace, TraceRun};
use super::optimizers::{Optimizer, Update};
use super::session::{Session, Source};
use super::{Runner, Trouble, models};
use crate::data::{self, DataError, Tensors};
use crate::device::Device;
use brasa_ir::{Array, Expr, Id, Recorder, Type};
use std::path::{Path, PathBuf};

const FORMAT: &str = "torch-training-trace/1";

/// Replays the traces of a directory: one case for each optimizer.
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
            runner.case(&format!("{}/{name}", trace.name), &run.optimizer, || replay.run())?;
        }
    }
    Ok(())
}

/// The traces of a directory, of which there must be one.
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

/// One training.
struct Replay<'a> {
    trace: &'a Trace,
    name: &'a str,
    run: &'a TraceRun,
    source: Source<'a>,
}

/// The graph of one training step.
struct Step<'g> {
    x: Expr<'g>,
    y: Expr<'g>,
    params: Vec<(&'g str, Expr<'g>)>,
    logits: Id,
    loss: Id,
    gradients: Vec<Id>,
    update: Update<'g>,
}

impl<'a> Replay<'a> {
    fn run(&self) -> Result<f64, Trouble> {
        let g = Recorder::default();
        let names = self.parameter_names();
        let mut session = Session::new(&g, self.source);
        let step = self.record(&mut session, &names)?;
        let mut tally = Tally::default();
        for t in 0..self.trace.steps {
            self.advance(&mut session, &step, t, &mut tally)?;
        }
        session.set(step.x, self.batch("batches.x", 0)?);
        let logits = session.run(&[step.logits])?.remove(0);
        let name = format!("{}.eval_logits", self.name);
        self.compare(&mut tally, &name, &logits, self.run.tolerance.eval_logits_atol)?;
        tally.verdict()
    }

    fn parameter_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.source.tensors.under("init.").map(|(name, _)| name.to_string()).collect();
        names.sort();
        names
    }

    fn record<'g>(
        &self,
        session: &mut Session<'a, 'g>,
        names: &'g [String],
    ) -> Result<Step<'g>, Trouble> {
        let x = session.input("x", self.batch("batches.x", 0)?);
        let y = session.input("y", self.batch("batches.y", 0)?);
        let mut params = Vec::new();
        for name in names {
            let value = self.source.tensors.get(&format!("init.{name}"))?.clone();
            params.push((&name[..], session.input(name, value)));
        }
        let logits = models::logits(self.trace, session, x)?;
        let loss = models::loss(session, logits, y)?;
        let exprs: Vec<Expr> = params.iter().map(|(_, p)| *p).collect();
        let gradients = brasa_compile::grad(session.g, &[loss], &[], &exprs)?;
        let gradients: Vec<Expr> = gradients
            .into_iter()
            .zip(&exprs)
            .map(|(dp, p)| dp.unwrap_or_else(|| p.zeros_like()))
            .collect();
        let optimizer = Optimizer::new(&self.run.optimizer, &self.run.args)?;
        let update = optimizer.record(session, &exprs, &gradients)?;
        let gradients = gradients.iter().map(Expr::id).collect();
        Ok(Step { x, y, params, logits: logits.id(), loss: loss.id(), gradients, update })
    }

    /// Runs step `t` and carries the weights over to the next one.
    fn advance<'g>(
        &self,
        session: &mut Session<'a, 'g>,
        step: &Step<'g>,
        t: usize,
        tally: &mut Tally,
    ) -> Result<(), Trouble> {
        session.set(step.x, self.batch("batches.x", t)?);
        session.set(step.y, self.batch("batches.y", t)?);
        step.update.set_step(session, t + 1);
        let updated = step.update.pairs.iter().map(|(_, new)| new.id());
        let mut wanted = vec![step.loss];
        wanted.extend(&step.gradients);
        wanted.extend(updated);
        let values = session.run(&wanted)?;
        let (loss, values) = values.split_first().expect("the loss was wanted");
        let (gradients, updated) = values.split_at(step.gradients.len());

        let tolerance = &self.run.tolerance;
        let rtol = Tolerance { rtol: tolerance.loss_rtol, atol: 0.0 };
        tally.number(&format!("loss of step {t}"), loss.f64(0), self.run.losses[t], rtol);
        for ((name, _), dp) in step.params.iter().zip(gradients).filter(|_| t == 0) {
            self.compare(tally, &format!("grad_step0.{name}"), dp, tolerance.grad_step0_atol)?;
        }
        for ((name, _), p) in step.params.iter().zip(updated) {
            if t == 0 {
                let name = format!("{}.after_step1.{name}", self.name);
                self.compare(tally, &name, p, tolerance.after_step1_atol)?;
            }
            if t + 1 == self.trace.steps {
                let name = format!("{}.final.{name}", self.name);
                self.compare(tally, &name, p, tolerance.final_atol)?;
            }
        }
        for ((old, _), new) in step.update.pairs.iter().zip(updated) {
            session.set(*old, new.clone());
        }
        Ok(())
    }

    /// Compares with a tensor of the trace.
    fn compare(
        &self,
        tally: &mut Tally,
        name: &str,
        got: &Array,
        atol: f64,
    ) -> Result<(), Trouble> {
        let want = self.source.tensors.get(name)?;
        if got.ty != want.ty {
            return Err(Trouble::failed(format!("{name} is {}, expected {}", got.ty, want.ty)));
        }
        tally.add(name, &Want::Whole(want), got, Tolerance { rtol: 0.0, atol });
        Ok(())
    }

    /// Batch `t` of all batches.
    fn batch(&self, name: &str, t: usize) -> Result<Array, DataError> {
        let all = self.source.tensors.get(name)?;
        let wrong =
            |what: String| DataError::new(self.source.tensors.path(), format!("{name}: {what}"));
        let Some((&steps, shape)) = all.shape().split_first().filter(|(steps, _)| t < **steps)
        else {
            return Err(wrong(format!("{} has no batch {t}", all.ty)));
        };
        let ty = Type::new(all.dtype(), shape);
        let len = all.len() / steps;
        let range = t * len..(t + 1) * len;
        Ok(if all.dtype().is_float() {
            Array::from_f64(&ty, range.map(|i| all.f64(i)))
        } else {
            Array::from_i64(&ty, range.map(|i| all.i64(i)))
        })
    }
}
