//! What pages ask about the step of a run: the value of a node, and the times of its kernels. One thread
//! answers, and loads what it needs with the first question.
use crate::explain;
use crate::train::{Plan, Probe, Probed};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Where questions are put.
pub struct Asked(Sender<Question>);

/// What a page may want to know, and where the answer goes.
enum Question {
    Times(Sender<Result<Vec<f64>, String>>),
    Value(usize, Sender<Result<Probed, String>>),
}

impl Asked {
    /// Begins to answer for the run in a folder.
    pub fn about(run: &Path, plan: Plan) -> Asked {
        let (send, receive) = channel();
        let run = run.to_path_buf();
        std::thread::spawn(move || answer(&run, &plan, &receive));
        Asked(send)
    }

    /// Microseconds of each kernel.
    pub fn times(&self) -> Result<Vec<f64>, String> {
        self.ask(Question::Times)
    }

    /// The value of a node of the step, by its number in the trace.
    pub fn value(&self, node: usize) -> Result<Probed, String> {
        self.ask(|to| Question::Value(node, to))
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(Sender<Result<T, String>>) -> Question,
    ) -> Result<T, String> {
        let gone = || "nobody answers any more".to_string();
        let (send, receive) = channel();
        self.0.send(question(send)).map_err(|_| gone())?;
        receive.recv().map_err(|_| gone())?
    }
}

fn answer(run: &Path, plan: &Plan, questions: &Receiver<Question>) {
    let probe = OnceCell::new();
    let mut step = None;
    for question in questions {
        // A page that has gone waits for nothing.
        let _ = match question {
            Question::Times(to) => to.send(explain::times_of(plan)).map_err(drop),
            Question::Value(node, to) => {
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
