//! Tasks for threads that keep something between them: each lane has a run of tasks of its own, in
//! order, and takes the last task of another lane when its own are done.
use std::sync::atomic::{AtomicU64, Ordering};

/// Lanes at most; threads beyond these find no task.
const MOST: usize = 32;

#[repr(align(64))]
struct Run(AtomicU64);

pub(super) struct Lanes {
    runs: [Run; MOST],
    count: usize,
}

impl Lanes {
    /// `tasks`, spread evenly over at most `lanes`.
    pub fn new(tasks: usize, lanes: usize) -> Lanes {
        let count = lanes.clamp(1, MOST);
        let border = |lane: usize| (tasks * lane.min(count) / count) as u32;
        let run = |lane: usize| Run(AtomicU64::new(pair(border(lane), border(lane + 1))));
        Lanes { runs: std::array::from_fn(run), count }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// A task that nobody has had.
    pub fn next(&self, lane: usize) -> Option<usize> {
        let first = |begin: u32, end: u32| (begin < end).then(|| (begin, pair(begin + 1, end)));
        let last = |begin: u32, end: u32| (begin < end).then(|| (end - 1, pair(begin, end - 1)));
        self.runs[lane].take(first).or_else(|| {
            let others = (1..self.count).map(|i| (lane + i) % self.count);
            others.into_iter().find_map(|other| self.runs[other].take(last))
        })
    }
}

impl Run {
    /// Takes the task that `choose` finds in what is left, and leaves the rest.
    fn take(&self, choose: impl Fn(u32, u32) -> Option<(u32, u64)>) -> Option<usize> {
        let mut left = self.0.load(Ordering::Relaxed);
        loop {
            let (task, rest) = choose((left >> 32) as u32, left as u32)?;
            match self.0.compare_exchange_weak(left, rest, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(task as usize),
                Err(now) => left = now,
            }
        }
    }
}

fn pair(begin: u32, end: u32) -> u64 {
    u64::from(begin) << 32 | u64::from(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_task_is_taken_once() {
        for lanes in [1, 2, 3, 40] {
            for tasks in [0, 1, 2, 7, 1000] {
                let list = Lanes::new(tasks, lanes);
                let taken = Mutex::new(Vec::new());
                std::thread::scope(|scope| {
                    for lane in 0..list.count() {
                        let (list, taken) = (&list, &taken);
                        scope.spawn(move || {
                            while let Some(task) = list.next(lane) {
                                taken.lock().expect("no thread panics").push(task);
                            }
                        });
                    }
                });
                let mut taken = taken.into_inner().expect("no thread panics");
                taken.sort();
                assert_eq!(taken, (0..tasks).collect::<Vec<_>>(), "{lanes} lanes");
            }
        }
    }

    #[test]
    fn a_lane_goes_through_its_own_tasks_first() {
        let list = Lanes::new(6, 2);
        let all: Vec<usize> = std::iter::from_fn(|| list.next(1)).collect();
        assert_eq!(all, [3, 4, 5, 2, 1, 0]);
    }
}
