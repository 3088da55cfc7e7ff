//! Answers queries of pages about a run's step: node values and kernel times. A single thread
//! handles them, and loads data and model with the first query.
use crate::explain;
use crate::train::{Plan, Probe, ProbedValue};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Handle to the query thread.
pub struct Queries(Sender<Query>);

/// A query and the channel for its result.
enum Query {
    Times(Sender<Result<Vec<f64>, String>>),
    Value(usize, Sender<Result<ProbedValue, String>>),
}

impl Queries {
    /// Starts the query thread for the run in a folder.
    pub fn start(run: &Path, plan: Plan) -> Queries {
        let (send, receive) = channel();
        let run = run.to_path_buf();
        std::thread::spawn(move || answer(&run, &plan, &receive));
        Queries(send)
    }

    /// Microseconds of each kernel.
    pub fn times(&self) -> Result<Vec<f64>, String> {
        self.ask(Query::Times)
    }

    /// The value of a node of the step, by its number in the trace.
    pub fn value(&self, node: usize) -> Result<ProbedValue, String> {
        self.ask(|to| Query::Value(node, to))
    }

    fn ask<T>(&self, query: impl FnOnce(Sender<Result<T, String>>) -> Query) -> Result<T, String> {
        let gone = || "the query thread has stopped".to_string();
        let (send, receive) = channel();
        self.0.send(query(send)).map_err(|_| gone())?;
        receive.recv().map_err(|_| gone())?
    }
}

fn answer(run: &Path, plan: &Plan, queries: &Receiver<Query>) {
    let probe = OnceCell::new();
    let mut step = None;
    for query in queries {
        // The page may have disconnected.
        let _ = match query {
            Query::Times(to) => to.send(explain::times_of(plan)).map_err(drop),
            Query::Value(node, to) => {
                let value = match probe.get_or_init(|| Probe::new(plan)) {
                    Ok(probe) => {
                        let step = step.get_or_insert_with(|| probe.step());
                        let step = step.as_mut().map_err(|error| error.clone());
                        let value = step.and_then(|step| probe.value(step, run, node));
                        value.map_err(|error| error.to_string())
                    }
                    Err(why) => Err(why.clone()),
                };
                to.send(value).map_err(drop)
            }
        };
    }
}
