//! Compares the results and gradients of a call with the expected ones.
use super::CaseError;
use super::compare::{Tally, Want};
use super::format::{Sample, TensorRef, Tolerance};
use super::session::Session;
use crate::data::DataError;
use brasa_ir::{Array, Expr, Id};
use std::collections::BTreeMap;

/// The expected results of a call.
pub(super) struct Expected<'a> {
    pub(super) tolerance: Tolerance,
    pub(super) outputs: Vec<Want<'a>>,
    /// The cotangent of each output, if it has one.
    pub(super) cotangents: Vec<Option<Array>>,
    /// Gradients by input name.
    pub(super) gradients: Vec<(&'a str, Want<'a>)>,
    /// Other results that are already recorded.
    pub(super) others: Vec<(String, Id, Want<'a>)>,
}

impl<'a> Expected<'a> {
    /// Expected results as whole tensors of the session's file.
    pub(super) fn new(
        session: &Session<'a, '_>,
        tolerance: Tolerance,
        outputs: &[TensorRef],
        grads: &'a BTreeMap<String, TensorRef>,
    ) -> Result<Expected<'a>, DataError> {
        let mut expected = Expected::none(tolerance);
        for output in outputs {
            expected.outputs.push(Want::Whole(session.tensor(output)?));
        }
        for (path, gradient) in grads {
            expected.gradients.push((path, Want::Whole(session.tensor(gradient)?)));
        }
        Ok(expected)
    }

    /// Expected results as samples.
    pub(super) fn sampled(
        tolerance: Tolerance,
        outputs: &'a [Sample],
        grads: &'a BTreeMap<String, Sample>,
    ) -> Expected<'a> {
        let mut expected = Expected::none(tolerance);
        expected.outputs = outputs.iter().map(Want::Sample).collect();
        expected.gradients = grads.iter().map(|(path, dx)| (&path[..], Want::Sample(dx))).collect();
        expected
    }

    fn none(tolerance: Tolerance) -> Expected<'a> {
        let (outputs, cotangents) = (Vec::new(), Vec::new());
        let (gradients, others) = (Vec::new(), Vec::new());
        Expected { tolerance, outputs, cotangents, gradients, others }
    }

    pub(super) fn add_cotangents(
        &mut self,
        session: &Session<'a, '_>,
        cotangents: &[Option<TensorRef>],
    ) -> Result<(), DataError> {
        for cotangent in cotangents {
            let array = cotangent.as_ref().map(|c| session.tensor(c)).transpose()?;
            self.cotangents.push(array.cloned());
        }
        Ok(())
    }

    /// The largest error as a fraction of the tolerance.
    pub(super) fn check(
        self,
        session: &mut Session<'a, '_>,
        outputs: &[Id],
    ) -> Result<f64, CaseError> {
        if outputs.len() != self.outputs.len() {
            let (got, want) = (outputs.len(), self.outputs.len());
            return Err(CaseError::failed(format!("returned {got} tensors, expected {want}")));
        }
        let wanted = self.outputs.into_iter().zip(outputs).enumerate();
        let mut compared: Vec<(String, Id, Want)> =
            wanted.map(|(n, (want, &got))| (format!("output {n}"), got, want)).collect();
        compared.extend(self.others);
        check_types(session, &compared)?;

        let paths: Vec<&str> = self.gradients.iter().map(|(path, _)| *path).collect();
        let gradients = differentiate(session, outputs, &self.cotangents, &paths)?;
        for ((path, want), dx) in self.gradients.into_iter().zip(gradients) {
            compared.push((format!("gradient of {path}"), dx, want));
        }
        check_types(session, &compared)?;
        check_values(session, &compared, self.tolerance)
    }
}

fn check_types(session: &Session, compared: &[(String, Id, Want)]) -> Result<(), CaseError> {
    for (what, got, want) in compared {
        let (got, want) = (session.g.expr(*got).ty(), want.ty());
        if got != want {
            return Err(CaseError::failed(format!("{what} is {got}, expected {want}")));
        }
    }
    Ok(())
}

fn check_values(
    session: &mut Session,
    compared: &[(String, Id, Want)],
    tolerance: Tolerance,
) -> Result<f64, CaseError> {
    let ids: Vec<Id> = compared.iter().map(|(_, id, _)| *id).collect();
    let mut tally = Tally::default();
    for (got, (what, _, want)) in session.run(&ids)?.iter().zip(compared) {
        tally.add(what, want, got, tolerance);
    }
    tally.verdict()
}

/// The gradients with respect to the inputs at `paths`; zeros for inputs that no output depends on.
fn differentiate<'g>(
    session: &mut Session<'_, 'g>,
    outputs: &[Id],
    cotangents: &[Option<Array>],
    paths: &[&str],
) -> Result<Vec<Id>, CaseError> {
    let (mut ys, mut dys) = (Vec::new(), Vec::new());
    for (output, cotangent) in outputs.iter().zip(cotangents) {
        let y = session.g.expr(*output);
        if let Some(dy) = cotangent.as_ref().filter(|_| y.dtype().is_float()) {
            ys.push(y);
            dys.push(Some(session.input("cotangent", dy.clone())));
        }
    }
    let leaves = paths.iter().map(|path| session.leaf(path));
    let leaves: Vec<Expr<'g>> = leaves.collect::<Result<_, _>>()?;
    let gradients = brasa_compile::grad(session.g, &ys, &dys, &leaves)?;
    let or_zeros = |(dx, x): (Option<Expr<'g>>, Expr<'g>)| dx.unwrap_or_else(|| x.zeros_like());
    Ok(gradients.into_iter().zip(leaves).map(or_zeros).map(|dx| dx.id()).collect())
}
