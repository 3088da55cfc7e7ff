//! What happens in a run, as data: for bars, logs, callbacks, and for programs that look on through a
//! file with one line of JSON for each event (docs/events.md).
use super::{Measures, NanOrigin};
use crate::Result;
use crate::io::wrong;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Something that happened in a run. Steps and epochs are counted from one on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        #[serde(deserialize_with = "number")]
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
        #[serde(deserialize_with = "numbers")]
        measures: Measures,
    },
    /// An epoch has ended.
    Epoch {
        /// Its number.
        epoch: u64,
        /// Steps so far.
        step: u64,
        /// The mean loss of its steps.
        #[serde(deserialize_with = "number")]
        loss: f64,
        /// What was measured after it; nothing where measures are taken by steps.
        #[serde(deserialize_with = "numbers")]
        measures: Measures,
        /// Time of training so far.
        seconds: f64,
    },
    /// Gradients were measured.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Goes on with a file, or begins one. A last line that was cut off stays one of its own.
    pub fn append(path: impl AsRef<Path>) -> Result<EventLog> {
        let path = path.as_ref().to_path_buf();
        let folder = crate::io::folder_of(&path);
        let open = || OpenOptions::new().create(true).append(true).open(&path);
        let file = fs::create_dir_all(folder).and_then(|()| {
            let mut file = open()?;
            if is_cut(&path)? {
                file.write_all(b"\n")?;
            }
            Ok(file)
        });
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

/// Whether the last line of a file has no end.
fn is_cut(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// The events of a log as they count, and how many of its lines were left out. A run that was killed
/// and resumed leaves lines that are cut off or of a later version, which are skipped; lines that are
/// missing, which stay so; and steps that were taken again, of which the later count.
pub fn read_events(path: impl AsRef<Path>) -> Result<(Vec<Event>, usize)> {
    let failed = |error| wrong(path.as_ref(), error);
    let mut log = BufReader::new(File::open(&path).map_err(failed)?);
    let (mut events, mut left_out) = (Vec::new(), 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = log.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok((events, left_out));
        }
        let Ok(event) = serde_json::from_slice::<Event>(&line) else {
            left_out += 1;
            continue;
        };
        // The line of a resumed start may be lost too: a step that was there already tells as well.
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

/// The norms of a model of a hundred thousand parameters; longer lines are no events.
const LONGEST_LINE: u64 = 16 << 20;

impl Event {
    /// Steps that were taken when it happened.
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

/// JSON has no NaN and no infinity: they are written as null.
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
