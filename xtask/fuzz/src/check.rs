//! Compares the results of one graph on one device with the oracle.
use crate::device::Device;
use crate::generate::Case;
use brasa_ir::bounds::{self, Bounded, Difference};
use brasa_ir::ops::Role;
use brasa_ir::{Id, text};
use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of steps to run each program for.
pub const STEPS: usize = 3;

/// The result of a check.
pub enum Outcome {
    /// The number of elements that were compared, and of those with an infinite error bound.
    Same {
        known: usize,
        open: usize,
    },
    Failed(Failure),
}

#[derive(Clone, Debug)]
pub struct Failure {
    /// The failure in one line.
    pub what: String,
    /// The output that differs, if one does.
    pub output: Option<usize>,
}

impl Failure {
    fn new(what: String) -> Failure {
        Failure { what, output: None }
    }
}

/// Runs a graph for some steps and compares all its results.
pub fn check(device: &Device, case: &Case, seed: u64) -> Outcome {
    let want = match attempt(|| expected(case)) {
        Ok(want) => want,
        Err(what) if what.contains(bounds::OUT_OF_RANGE) => {
            return check_rejected(device, case, seed);
        }
        Err(what) => return Outcome::Failed(Failure::new(format!("oracle: {what}"))),
    };
    let got = match attempt(|| device.run(case, STEPS, seed)) {
        Ok(got) => got,
        Err(what) => return Outcome::Failed(Failure::new(what)),
    };
    let (mut known, mut open) = (0, 0);
    for (step, (got, want)) in got.iter().zip(&want).enumerate() {
        for (n, (got, want)) in got.iter().zip(want).enumerate() {
            if let Some(difference) = bounds::difference(got, want) {
                let Difference { element, got, want: value, bound } = difference;
                let what = format!(
                    "step {step}, output {n} {}, element {element}: \
                     {got}, expected {value} ± {bound:.1e}",
                    want.ty
                );
                return Outcome::Failed(Failure { what, output: Some(n) });
            }
            let count = want.error.iter().filter(|error| error.is_infinite()).count();
            (known, open) = (known + want.error.len() - count, open + count);
        }
    }
    Outcome::Same { known, open }
}

/// A graph with an index out of range: the device must report it.
fn check_rejected(device: &Device, case: &Case, seed: u64) -> Outcome {
    let what = match attempt(|| device.run(case, STEPS, seed)) {
        Err(what) if what.contains(bounds::OUT_OF_RANGE) => {
            return Outcome::Same { known: 0, open: 0 };
        }
        Err(what) => what,
        Ok(_) => "an index out of range was not reported".to_string(),
    };
    Outcome::Failed(Failure::new(what))
}

/// Calls a function; turns a panic into an error.
fn attempt<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f))
        .unwrap_or_else(|panic| Err(format!("panic: {}", panic_text(&*panic))))
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or(panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

/// The expected results of each step: outputs, then written values.
fn expected(case: &Case) -> Result<Vec<Vec<Bounded>>, String> {
    let writes = case.writes();
    let wanted: Vec<Id> =
        case.outputs.iter().copied().chain(writes.iter().map(|(_, write)| *write)).collect();
    let mut inputs: HashMap<Id, Bounded> = HashMap::new();
    let mut steps = Vec::new();
    for step in 0..STEPS {
        for (id, role, value) in case.inputs(step) {
            if step == 0 || role == Role::Data {
                inputs.insert(id, Bounded::exact(&value));
            }
        }
        let values = bounds::eval(&case.graph, &inputs, &wanted)?;
        for ((input, _), value) in writes.iter().zip(&values[case.outputs.len()..]) {
            inputs.insert(*input, value.clone());
        }
        steps.push(values);
    }
    Ok(steps)
}

/// A graph as a text file for `cargo x fuzz --replay`.
pub fn to_text(case: &Case, what: &str) -> String {
    let comment: String = what.lines().map(|line| format!("# {line}\n")).collect();
    comment + &text::print(&case.graph, &case.outputs)
}

pub fn from_text(source: &str) -> Result<Case, String> {
    let lines = source.lines().filter(|line| !line.starts_with('#'));
    let source: String = lines.map(|line| format!("{line}\n")).collect();
    let parsed = text::parse(&source).map_err(|error| error.to_string())?;
    Ok(Case { graph: parsed.graph, outputs: parsed.outputs })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph is a function of kind and seed, and round-trips as text.
    #[test]
    fn graphs_are_reproducible_by_seed_and_by_text() {
        use crate::generate::Kind;
        for &kind in Kind::ALL {
            let [one, two] = [(); 2].map(|()| Case::generate(kind, 5, true));
            assert_eq!(one.graph.fingerprint(), two.graph.fingerprint(), "{}", kind.name());
            let again = from_text(&to_text(&one, "a comment")).expect("a graph");
            assert_eq!(one.graph.fingerprint(), again.graph.fingerprint(), "{}", kind.name());
        }
    }
}
