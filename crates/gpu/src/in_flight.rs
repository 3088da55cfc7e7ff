//! Bounds the work in flight: `run` returns without waiting for the device until too many runs,
//! or too many uploaded bytes, are pending, which would fill the memory.
use crate::gpu::Gpu;
use crate::memory::Completion;
use brasa_ir::{Error, Result};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum runs in flight. Batches of 128 digits take 0.4 MB each, so this many take 50 MB.
const MAX_RUNS: usize = 128;
/// Maximum uploaded bytes in flight.
const MAX_BYTES: usize = 256 << 20;

/// The submitted runs, oldest first, and the bytes uploaded since the last one.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    runs: VecDeque<SubmittedRun>,
    uploaded: usize,
}

struct SubmittedRun {
    index: wgpu::SubmissionIndex,
    /// Bytes uploaded for it.
    bytes: usize,
    done: Completion,
}

impl InFlight {
    /// The queue without completed runs.
    fn pending_runs(&self) -> MutexGuard<'_, Queue> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while queue.runs.front().is_some_and(|run| run.done.is_finished()) {
            queue.runs.pop_front();
        }
        queue
    }

    /// Counts bytes that are uploaded before the next run.
    pub(crate) fn count_upload(&self, bytes: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).uploaded += bytes;
    }
}

/// How many of the oldest runs must complete before another may follow, given the bytes uploaded
/// for each. The last one may have any size.
fn runs_to_await(bytes: &[usize]) -> usize {
    let mut rest: usize = bytes.iter().sum();
    let mut count = 0;
    while count + 1 < bytes.len() && (bytes.len() - count > MAX_RUNS || rest > MAX_BYTES) {
        rest -= bytes[count];
        count += 1;
    }
    count
}

impl Gpu {
    /// Number of submitted runs that are not known to be done; at most 128.
    pub fn in_flight(&self) -> usize {
        // The next read reports a failure of this poll.
        _ = self.device.poll(wgpu::PollType::Poll);
        self.in_flight.pending_runs().runs.len()
    }

    /// Submits the end of a run; waits for the oldest runs if too many are in flight.
    pub(crate) async fn submit_run(&self, encoder: wgpu::CommandEncoder) -> Result<()> {
        let index = self.queue.submit([encoder.finish()]);
        let done = Completion::default();
        let finished = done.clone();
        self.queue.on_submitted_work_done(move || finished.finish(Ok(())));
        let last = {
            let mut queue = self.in_flight.pending_runs();
            let bytes = std::mem::take(&mut queue.uploaded);
            queue.runs.push_back(SubmittedRun { index, bytes, done });
            let bytes: Vec<usize> = queue.runs.iter().map(|run| run.bytes).collect();
            queue.runs.drain(..runs_to_await(&bytes)).next_back()
        };
        self.check("run")?;
        // Runs complete in order, so waiting for the last of them is enough.
        let Some(SubmittedRun { index, done, .. }) = last else { return Ok(()) };
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
    fn runs_in_flight_are_limited_by_count_and_by_bytes() {
        let large = MAX_BYTES / 4;
        for (bytes, want) in [
            (vec![], 0),
            (vec![0; MAX_RUNS], 0),
            (vec![0; MAX_RUNS + 1], 1),
            (vec![large; 4], 0),
            (vec![large; 6], 2),
            (vec![0, large, 5 * large, large], 3),
            (vec![9 * large], 0),
            (vec![1, 9 * large], 1),
        ] {
            assert_eq!(runs_to_await(&bytes), want, "{bytes:?}");
        }
    }
}
