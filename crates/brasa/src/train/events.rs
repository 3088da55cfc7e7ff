//! The events of a training run as data: for progress bars, logs, callbacks, and for other
//! programs, which read them from a file with one line of JSON per event (docs/events.md).
use super::{Measures, NanOrigin};
use crate::Result;
use crate::io::file_error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// An event of a run. Steps and epochs are counted from one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A run starts or resumes.
    Start {
        /// Steps taken in earlier runs.
        step: u64,
        /// The total number of steps.
        steps: u64,
        /// Number of batches per epoch.
        steps_per_epoch: u64,
        /// Number of trained elements of the model.
        parameters: usize,
        /// The device: `cpu` or `gpu`.
        device: String,
    },
    /// A step was taken.
    Step {
        /// The number of the step.
        step: u64,
        /// The number of the epoch.
        epoch: u64,
        /// The loss before the step.
        #[serde(deserialize_with = "number")]
        loss: f64,
        /// The learning rate.
        lr: f64,
        /// Number of examples in the batch.
        examples: usize,
        /// Total training time in seconds, including earlier runs.
        seconds: f64,
        /// Duration of this step in seconds.
        took: f64,
        /// Resident memory of the process in bytes; sampled occasionally, on systems that report
        /// it.
        #[serde(skip_serializing_if = "Option::is_none")]
        memory: Option<u64>,
    },
    /// The model was evaluated during an epoch.
    Measured {
        /// Steps so far.
        step: u64,
        /// The epoch.
        epoch: u64,
        /// The metrics.
        #[serde(deserialize_with = "numbers")]
        measures: Measures,
    },
    /// An epoch has ended.
    Epoch {
        /// The number of the epoch.
        epoch: u64,
        /// Steps so far.
        step: u64,
        /// The mean loss of the epoch.
        #[serde(deserialize_with = "number")]
        loss: f64,
        /// The metrics after the epoch; empty if they are taken every few steps instead.
        #[serde(deserialize_with = "numbers")]
        measures: Measures,
        /// Total training time in seconds.
        seconds: f64,
    },
    /// Gradient norms were computed.
    Gradients {
        /// Steps so far.
        step: u64,
        /// The norm of the gradient of each parameter.
        #[serde(deserialize_with = "numbers_in_order")]
        norms: Vec<(String, f64)>,
    },
    /// A checkpoint was written.
    Checkpoint {
        /// Steps so far.
        step: u64,
        /// The folder of the checkpoint.
        path: PathBuf,
    },
    /// The run has ended.
    End {
        /// The reason.
        ended: Ended,
        /// Steps so far.
        step: u64,
        /// Total training time in seconds.
        seconds: f64,
    },
    /// The run failed with an error.
    Failed {
        /// Steps so far.
        step: u64,
        /// The error.
        why: String,
        /// The op that produced the first NaN, if the trainer watches for NaN.
        #[serde(skip_serializing_if = "Option::is_none")]
        origin: Option<NanOrigin>,
    },
}

/// The reason for which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All steps were taken.
    Done,
    /// The monitored metric stopped improving.
    Early,
    /// A callback returned [`Next::Stop`](super::Next::Stop).
    Stopped,
    /// The stop flag was set.
    Interrupted,
}

/// A file of events, one per line.
pub struct EventLog {
    path: PathBuf,
    file: BufWriter<File>,
    flushed: Instant,
}

/// Lines about steps are buffered for at most this long: viewers see them soon enough, and steps of
/// a tenth of a millisecond do not each cost a write.
const PACE: Duration = Duration::from_millis(200);

impl EventLog {
    /// Opens a log for appending, and creates it if necessary. A truncated last line is kept as a
    /// separate line.
    pub fn append(path: impl AsRef<Path>) -> Result<EventLog> {
        let path = path.as_ref().to_path_buf();
        let folder = crate::io::folder_of(&path);
        let open = || OpenOptions::new().create(true).append(true).open(&path);
        let file = fs::create_dir_all(folder).and_then(|()| {
            let mut file = open()?;
            if is_truncated(&path)? {
                file.write_all(b"\n")?;
            }
            Ok(file)
        });
        let file = file.map_err(|error| file_error(&path, error))?;
        Ok(EventLog { file: BufWriter::new(file), path, flushed: Instant::now() })
    }

    /// Creates a log, or truncates an existing one.
    pub fn create(path: impl AsRef<Path>) -> Result<EventLog> {
        let log = EventLog::append(&path)?;
        log.file.get_ref().set_len(0).map_err(|error| file_error(path.as_ref(), error))?;
        Ok(log)
    }

    /// Appends an event with a time stamp. Steps are buffered, other events are flushed at once.
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
        written.map_err(|error| file_error(&self.path, error))
    }
}

/// Whether the last line of a file is incomplete.
fn is_truncated(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// The effective events of a log, and the number of lines that were left out. A run that was killed
/// and resumed leaves three kinds of lines: truncated lines and lines of a later version are
/// skipped; missing lines stay missing; of steps that were taken twice the later line counts.
pub fn read_events(path: impl AsRef<Path>) -> Result<(Vec<Event>, usize)> {
    let failed = |error| file_error(path.as_ref(), error);
    let mut log = BufReader::new(File::open(&path).map_err(failed)?);
    let (mut events, mut left_out) = (Vec::new(), 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = log.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok((events, left_out));
        }
        let Ok(event) = serde_json::from_slice::<Event>(&line) else {
            left_out += 1;
            continue;
        };
        // The start line of a resumed run may be missing too; a repeated step number also shows the
        // restart.
        let from = match event {
            Event::Start { step, .. } => Some(step),
            Event::Step { step, .. } => step.checked_sub(1),
            _ => None,
        };
        if let Some(from) = from {
            let is_later = |event: &&Event| event.step() > from;
            let repeated = events.iter().rev().take_while(is_later).count();
            left_out += repeated;
            events.truncate(events.len() - repeated);
        }
        events.push(event);
    }
}

/// Enough for the norms of a model with a hundred thousand parameters; longer lines are not events.
const MAX_LINE: u64 = 16 << 20;

impl Event {
    /// Number of steps taken when the event occurred.
    pub fn step(&self) -> u64 {
        match *self {
            Event::Start { step, .. }
            | Event::Step { step, .. }
            | Event::Measured { step, .. }
            | Event::Epoch { step, .. }
            | Event::Gradients { step, .. }
            | Event::Checkpoint { step, .. }
            | Event::End { step, .. }
            | Event::Failed { step, .. } => step,
        }
    }
}

/// JSON has neither NaN nor infinity: they are written as null.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Option::deserialize(from).map(|number| number.unwrap_or(f64::NAN))
}

fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Measures, D::Error> {
    let found = BTreeMap::<String, Option<f64>>::deserialize(from)?;
    Ok(found.into_iter().map(|(name, number)| (name, number.unwrap_or(f64::NAN))).collect())
}

fn numbers_in_order<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, f64)>, D::Error> {
    let found = Vec::<(String, Option<f64>)>::deserialize(from)?;
    Ok(found.into_iter().map(|(name, number)| (name, number.unwrap_or(f64::NAN))).collect())
}
