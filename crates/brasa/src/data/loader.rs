//! `DataLoader`: cuts a set of examples into batches, in an order that depends on seed and epoch alone,
//! so that a run can stop anywhere and go on.
use super::{Batch, Dataset, Rng};
use crate::{Error, Result, Tensor, default_device};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// How far a loader has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The epoch that is under way, from zero on.
    pub epoch: u64,
    /// Batches of it that were used.
    pub batch: u64,
}

/// Batches of a set of examples, epoch after epoch.
#[derive(Clone)]
pub struct DataLoader {
    plan: Plan,
    prefetch: usize,
    cursor: Cursor,
}

/// A change to each batch, with random numbers that depend on seed, epoch and batch.
type Map = Arc<dyn Fn(Batch, &mut Rng) -> Result<Batch> + Send + Sync>;

/// How batches are made; shared with the thread that makes them ahead.
#[derive(Clone)]
struct Plan {
    data: Arc<dyn Dataset>,
    size: usize,
    shuffle: Option<u64>,
    drop_last: bool,
    maps: Vec<Map>,
}

impl DataLoader {
    /// Batches of `size` examples, at least one, in order.
    pub fn new(data: impl Dataset + 'static, size: usize) -> DataLoader {
        let data = Arc::new(data);
        let plan =
            Plan { data, size: size.max(1), shuffle: None, drop_last: false, maps: Vec::new() };
        DataLoader { plan, prefetch: 0, cursor: Cursor::default() }
    }

    /// A new order for each epoch, drawn from this seed.
    pub fn shuffle(mut self, seed: u64) -> DataLoader {
        self.plan.shuffle = Some(seed);
        self
    }

    /// Leaves out a last batch that is not full.
    pub fn drop_last(mut self) -> DataLoader {
        self.plan.drop_last = true;
        self
    }

    /// Changes each batch by a function, which may draw random numbers.
    pub fn map(
        mut self,
        change: impl Fn(Batch, &mut Rng) -> Result<Batch> + Send + Sync + 'static,
    ) -> DataLoader {
        self.plan.maps.push(Arc::new(change));
        self
    }

    /// Makes up to this many batches ahead, on a thread of their own.
    pub fn prefetch(mut self, batches: usize) -> DataLoader {
        self.prefetch = batches;
        self
    }

    /// Batches of one epoch.
    pub fn batches(&self) -> u64 {
        self.plan.batches()
    }

    /// Examples of one epoch.
    pub fn examples(&self) -> u64 {
        let len = self.plan.data.len() as u64;
        if self.plan.drop_last { self.batches() * self.plan.size as u64 } else { len }
    }

    /// How far it has come.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Goes on from there.
    pub fn seek(&mut self, cursor: Cursor) {
        self.cursor = cursor;
    }

    /// Begins the next epoch, unless this one has just begun.
    pub fn next_epoch(&mut self) {
        let Cursor { epoch, batch } = self.cursor;
        self.cursor = Cursor { epoch: epoch + u64::from(batch > 0), batch: 0 };
    }

    /// The rest of the epoch that is under way. At its end the next one begins. A loop that is left
    /// before goes on in the middle of the epoch next time; [`DataLoader::next_epoch`] leaves the rest
    /// out.
    pub fn epoch(&mut self) -> Epoch<'_> {
        let Cursor { epoch, batch } = self.cursor;
        let rest = batch..self.plan.batches();
        let order = self.plan.order(epoch);
        let source = match self.prefetch {
            0 => Source::Own(order),
            ahead => Source::Thread(Ahead::new(self.plan.clone(), epoch, order, rest, ahead)),
        };
        Epoch { loader: self, source }
    }
}

/// An epoch whose last batch was handed out has ended, also where nobody has asked for more.
impl Drop for Epoch<'_> {
    fn drop(&mut self) {
        if self.loader.cursor.batch >= self.loader.batches() {
            self.loader.next_epoch();
        }
    }
}

impl Plan {
    fn batches(&self) -> u64 {
        let (len, size) = (self.data.len(), self.size);
        (if self.drop_last { len / size } else { len.div_ceil(size) }) as u64
    }

    /// The order of an epoch; none where it is that of the set.
    fn order(&self, epoch: u64) -> Option<Vec<u32>> {
        let seed = self.shuffle?;
        let mut order: Vec<u32> = (0..self.data.len() as u32).collect();
        Rng::fork(seed, epoch).shuffle(&mut order);
        Some(order)
    }

    fn batch(&self, epoch: u64, order: Option<&[u32]>, number: u64) -> Result<Batch> {
        let start = number as usize * self.size;
        let rows = start..(start + self.size).min(self.data.len());
        let rows: Vec<usize> = match order {
            Some(order) => order[rows].iter().map(|&row| row as usize).collect(),
            None => rows.collect(),
        };
        let mut rng = Rng::fork(self.shuffle.unwrap_or(0) ^ number, epoch);
        let whole = self.data.batch(&rows);
        self.maps.iter().fold(whole, |batch, map| map(batch?, &mut rng))
    }
}

/// The batches of an epoch, made by [`DataLoader::epoch`].
pub struct Epoch<'a> {
    loader: &'a mut DataLoader,
    source: Source,
}

enum Source {
    Own(Option<Vec<u32>>),
    Thread(Ahead),
}

/// Batches that a thread makes ahead.
struct Ahead {
    batches: Option<Receiver<Result<Batch>>>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    fn new(
        plan: Plan,
        epoch: u64,
        order: Option<Vec<u32>>,
        numbers: Range<u64>,
        ahead: usize,
    ) -> Ahead {
        let (send, batches) = sync_channel(ahead);
        let thread = std::thread::spawn(move || {
            for number in numbers {
                let batch = plan.batch(epoch, order.as_deref(), number);
                // What a map has recorded is computed here.
                crate::flush();
                if send.send(batch).is_err() {
                    return;
                }
            }
        });
        Ahead { batches: Some(batches), thread: Some(thread) }
    }

    fn next(&self) -> Result<Batch> {
        let batch = self.batches.as_ref().and_then(|batches| batches.recv().ok());
        let lost = || Error::data("loader", "the thread that makes batches has panicked");
        let batch = batch.unwrap_or_else(|| Err(lost()))?;
        // That thread makes them where it computes, which need not be where they are used.
        let moved = |x: &Tensor| {
            x.data()?;
            Ok(x.to(default_device()))
        };
        batch.iter().map(moved).collect()
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // Without a receiver the thread ends at its next batch.
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // Its panic, if any, was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Epoch<'_> {
    /// How far the loader has come.
    pub fn cursor(&self) -> Cursor {
        self.loader.cursor
    }
}

impl Iterator for Epoch<'_> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let Cursor { epoch, batch: number } = self.loader.cursor;
        if number >= self.loader.batches() {
            self.loader.cursor = Cursor { epoch: epoch + 1, batch: 0 };
            return None;
        }
        let batch = match &self.source {
            Source::Own(order) => self.loader.plan.batch(epoch, order.as_deref(), number),
            Source::Thread(ahead) => ahead.next(),
        };
        self.loader.cursor.batch += 1;
        Some(batch)
    }
}
