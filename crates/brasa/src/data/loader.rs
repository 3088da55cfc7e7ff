//! `DataLoader`: batches of a data set in an order that depends only on seed and epoch, so that a
//! run can stop and resume anywhere.
use super::{Batch, Dataset, Rng};
use crate::{Error, Result, Tensor, default_device};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// The position of a loader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The current epoch, counted from zero.
    pub epoch: u64,
    /// Number of its batches already used.
    pub batch: u64,
}

/// Batches of a data set, epoch after epoch.
#[derive(Clone)]
pub struct DataLoader {
    plan: Plan,
    prefetch: usize,
    cursor: Cursor,
}

/// A transformation of batches, with random numbers that depend on seed, epoch and batch.
type Map = Arc<dyn Fn(Batch, &mut Rng) -> Result<Batch> + Send + Sync>;

/// How batches are made; shared with the prefetch thread.
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

    /// Shuffles each epoch differently, based on this seed.
    pub fn shuffle(mut self, seed: u64) -> DataLoader {
        self.plan.shuffle = Some(seed);
        self
    }

    /// Drops a last batch that is not full.
    pub fn drop_last(mut self) -> DataLoader {
        self.plan.drop_last = true;
        self
    }

    /// Applies a function to each batch; it may draw random numbers.
    pub fn map(
        mut self,
        change: impl Fn(Batch, &mut Rng) -> Result<Batch> + Send + Sync + 'static,
    ) -> DataLoader {
        self.plan.maps.push(Arc::new(change));
        self
    }

    /// Prepares up to this many batches in advance, on a separate thread.
    pub fn prefetch(mut self, batches: usize) -> DataLoader {
        self.prefetch = batches;
        self
    }

    /// Number of batches per epoch.
    pub fn batches(&self) -> u64 {
        self.plan.batches()
    }

    /// Number of examples per epoch.
    pub fn examples(&self) -> u64 {
        let len = self.plan.data.len() as u64;
        if self.plan.drop_last { self.batches() * self.plan.size as u64 } else { len }
    }

    /// The current position.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Continues from a position.
    pub fn seek(&mut self, cursor: Cursor) {
        self.cursor = cursor;
    }

    /// Moves to the start of the next epoch, unless the position is the start of one.
    pub fn next_epoch(&mut self) {
        let Cursor { epoch, batch } = self.cursor;
        self.cursor = Cursor { epoch: epoch + u64::from(batch > 0), batch: 0 };
    }

    /// The remaining batches of the current epoch; after them the next epoch begins. If a loop is
    /// left early, the next call continues in the middle of the epoch; [`DataLoader::next_epoch`]
    /// skips the rest.
    pub fn epoch(&mut self) -> Epoch<'_> {
        let Cursor { epoch, batch } = self.cursor;
        let rest = batch..self.plan.batches();
        let order = self.plan.order(epoch);
        let source = match self.prefetch {
            0 => BatchSource::Inline(order),
            ahead => BatchSource::Prefetched(Prefetcher::new(
                self.plan.clone(),
                epoch,
                order,
                rest,
                ahead,
            )),
        };
        Epoch { loader: self, source }
    }
}

/// An epoch ends with its last batch, even if the iterator is not polled again.
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

    /// The order of an epoch; `None` if it is not shuffled.
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

/// The batches of an epoch, returned by [`DataLoader::epoch`].
pub struct Epoch<'a> {
    loader: &'a mut DataLoader,
    source: BatchSource,
}

enum BatchSource {
    Inline(Option<Vec<u32>>),
    Prefetched(Prefetcher),
}

/// Batches prepared by a thread.
struct Prefetcher {
    batches: Option<Receiver<Result<Batch>>>,
    thread: Option<JoinHandle<()>>,
}

impl Prefetcher {
    fn new(
        plan: Plan,
        epoch: u64,
        order: Option<Vec<u32>>,
        numbers: Range<u64>,
        ahead: usize,
    ) -> Prefetcher {
        let (send, batches) = sync_channel(ahead);
        let thread = std::thread::spawn(move || {
            for number in numbers {
                let batch = plan.batch(epoch, order.as_deref(), number);
                // Computes ops that a map has recorded.
                crate::flush();
                if send.send(batch).is_err() {
                    return;
                }
            }
        });
        Prefetcher { batches: Some(batches), thread: Some(thread) }
    }

    fn next(&self) -> Result<Batch> {
        let batch = self.batches.as_ref().and_then(|batches| batches.recv().ok());
        let lost = || Error::data("loader", "the prefetch thread has panicked");
        let batch = batch.unwrap_or_else(|| Err(lost()))?;
        // The thread's default device may differ from the caller's.
        let moved = |x: &Tensor| {
            x.data()?;
            Ok(x.to(default_device()))
        };
        batch.iter().map(moved).collect()
    }
}

impl Drop for Prefetcher {
    fn drop(&mut self) {
        // Without a receiver the thread ends at its next batch.
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Epoch<'_> {
    /// The current position of the loader.
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
            BatchSource::Inline(order) => self.loader.plan.batch(epoch, order.as_deref(), number),
            BatchSource::Prefetched(ahead) => ahead.next(),
        };
        self.loader.cursor.batch += 1;
        Some(batch)
    }
}
