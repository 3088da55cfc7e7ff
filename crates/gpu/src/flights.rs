//! Runs on their way: nobody waits for the device until so many are ahead of it, or so much was uploaded
//! for them, that it would fill the memory.
use crate::gpu::Gpu;
use crate::memory::Later;
use brasa_ir::{Error, Result};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most runs that the device may be behind. Batches of 128 digits take 0.4 MB each, so this many take 50.
const MOST: usize = 128;
/// The most bytes that may wait for it with them.
const MOST_BYTES: usize = 256 << 20;

/// The runs that were submitted, the oldest first, and what was uploaded since the last.
#[derive(Clone, Default)]
pub(crate) struct Flights(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    flights: VecDeque<Flight>,
    uploaded: usize,
}

struct Flight {
    index: wgpu::SubmissionIndex,
    /// What was uploaded for it.
    bytes: usize,
    done: Later,
}

impl Flights {
    /// Those that are not done.
    fn pending(&self) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while state.flights.front().is_some_and(|flight| flight.done.is_finished()) {
            state.flights.pop_front();
        }
        state
    }

    /// Takes note of bytes that go to the device before the next run.
    pub(crate) fn upload(&self, bytes: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).uploaded += bytes;
    }
}

/// How many of the oldest runs have to be done before more may follow, given what was uploaded for each.
/// The last may be as large as it likes.
fn surplus(bytes: &[usize]) -> usize {
    let mut rest: usize = bytes.iter().sum();
    let mut count = 0;
    while count + 1 < bytes.len() && (bytes.len() - count > MOST || rest > MOST_BYTES) {
        rest -= bytes[count];
        count += 1;
    }
    count
}

impl Gpu {
    /// Runs that were submitted and are not known to be done; at most 128.
    pub fn in_flight(&self) -> usize {
        // What fails here is told by the next read.
        _ = self.device.poll(wgpu::PollType::Poll);
        self.flights.pending().flights.len()
    }

    /// Submits the end of a run; waits for the oldest ones if there are too many.
    pub(crate) async fn submit_run(&self, encoder: wgpu::CommandEncoder) -> Result<()> {
        let index = self.queue.submit([encoder.finish()]);
        let done = Later::default();
        let finished = done.clone();
        self.queue.on_submitted_work_done(move || finished.finish(Ok(())));
        let last = {
            let mut state = self.flights.pending();
            let bytes = std::mem::take(&mut state.uploaded);
            state.flights.push_back(Flight { index, bytes, done });
            let bytes: Vec<usize> = state.flights.iter().map(|flight| flight.bytes).collect();
            state.flights.drain(..surplus(&bytes)).next_back()
        };
        self.check("run")?;
        // Runs are done in their order.
        let Some(Flight { index, done, .. }) = last else { return Ok(()) };
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
        self.device.poll(wait).map_err(|e| Error::device("run", e.to_string()))?;
        self.check("run")?;
        done.await.map_err(|e| Error::device("run", e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_wait_for_others_by_number_and_by_bytes() {
        let large = MOST_BYTES / 4;
        for (bytes, want) in [
            (vec![], 0),
            (vec![0; MOST], 0),
            (vec![0; MOST + 1], 1),
            (vec![large; 4], 0),
            (vec![large; 6], 2),
            (vec![0, large, 5 * large, large], 3),
            (vec![9 * large], 0),
            (vec![1, 9 * large], 1),
        ] {
            assert_eq!(surplus(&bytes), want, "{bytes:?}");
        }
    }
}
