//! What happens in a run, as data: for bars, logs, callbacks, and for programs that look on through a
//! file with one line of JSON for each event (docs/events.md).
use super::{Measures, NanOrigin};
use crate::Result;
use crate::io::wrong;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Something that happened in a run. Steps and epochs are counted from one on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A run begins or goes on.
    Start {
        /// Steps that were taken in earlier runs.
        step: u64,
        /// The last step there will be.
        steps: u64,
        /// Batches of an epoch.
        steps_per_epoch: u64,
        /// Trained elements of the model.
        parameters: usize,
        /// Where it computes: `cpu` or `gpu`.
        device: String,
    },
    /// A step was taken.
    Step {
        /// Its number.
        step: u64,
        /// Its epoch.
        epoch: u64,
        /// The loss before it.
        loss: f64,
        /// The learning rate.
        lr: f64,
        /// Examples of its batch.
        examples: usize,
        /// Time of training so far, earlier runs included.
        seconds: f64,
        /// Seconds that the step itself took.
        took: f64,
        /// Bytes that the program has in memory, some of the time, where the system tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        memory: Option<u64>,
    },
    /// The model was measured between two epochs' ends.
    Measured {
        /// Steps so far.
        step: u64,
        /// The epoch.
        epoch: u64,
        /// What was found.
        measures: Measures,
    },
    /// An epoch has ended.
    Epoch {
        /// Its number.
        epoch: u64,
        /// Steps so far.
        step: u64,
        /// The mean loss of its steps.
        loss: f64,
        /// What was measured after it; nothing where measures are taken by steps.
        measures: Measures,
        /// Time of training so far.
        seconds: f64,
    },
    /// Gradients were measured.
    Gradients {
        /// Steps so far.
        step: u64,
        /// The norm of the gradient of each parameter.
        norms: Vec<(String, f64)>,
    },
    /// A checkpoint was written.
    Checkpoint {
        /// Steps so far.
        step: u64,
        /// Where it is.
        path: PathBuf,
    },
    /// The run has ended.
    End {
        /// Why.
        ended: Ended,
        /// Steps so far.
        step: u64,
        /// Time of training so far.
        seconds: f64,
    },
    /// The run has ended by an error.
    Failed {
        /// Steps so far.
        step: u64,
        /// The error.
        why: String,
        /// The op behind a NaN, where it was watched for.
        #[serde(skip_serializing_if = "Option::is_none")]
        origin: Option<NanOrigin>,
    },
}

/// Why a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All steps were taken.
    Done,
    /// No measure got better any more.
    Early,
    /// A callback said so.
    Stopped,
    /// It was interrupted from outside.
    Interrupted,
}

/// A file of events, one a line.
pub struct EventLog {
    path: PathBuf,
    file: BufWriter<File>,
    flushed: Instant,
}

/// Lines about steps wait for others no longer than this: a page that looks on sees them in time, and
/// steps of a tenth of a millisecond do not each cost a write.
const PACE: Duration = Duration::from_millis(200);

impl EventLog {
    /// Goes on with a file, or begins one.
    pub fn append(path: impl AsRef<Path>) -> Result<EventLog> {
        let path = path.as_ref().to_path_buf();
        let folder = crate::io::folder_of(&path);
        let open = || OpenOptions::new().create(true).append(true).open(&path);
        let file = fs::create_dir_all(folder).and_then(|()| open());
        let file = file.map_err(|error| wrong(&path, error))?;
        Ok(EventLog { file: BufWriter::new(file), path, flushed: Instant::now() })
    }

    /// Begins a new file.
    pub fn create(path: impl AsRef<Path>) -> Result<EventLog> {
        let log = EventLog::append(&path)?;
        log.file.get_ref().set_len(0).map_err(|error| wrong(path.as_ref(), error))?;
        Ok(log)
    }

    /// Adds an event, with the time. What is not a step can be read at once, steps some of the time.
    pub fn add(&mut self, event: &Event) -> Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            time: f64,
            #[serde(flatten)]
            event: &'a Event,
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64());
        let written = serde_json::to_writer(&mut self.file, &Line { time, event });
        let written = written.map_err(std::io::Error::from).and_then(|()| {
            self.file.write_all(b"\n")?;
            let may_wait = matches!(event, Event::Step { .. }) && self.flushed.elapsed() < PACE;
            if may_wait {
                return Ok(());
            }
            self.flushed = Instant::now();
            self.file.flush()
        });
        written.map_err(|error| wrong(&self.path, error))
    }
}
