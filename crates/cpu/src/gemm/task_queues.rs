//! A work-stealing list of numbered tasks for threads that reuse data between consecutive tasks:
//! each queue is a range of tasks that its owner takes from the front; when it is empty, the owner
//! steals the last task of another queue.
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of queues; further threads get no tasks.
const MAX_QUEUES: usize = 32;

/// A range of tasks: its begin in the high half, its end in the low half.
#[repr(align(64))]
struct Queue(AtomicU64);

pub(super) struct TaskQueues {
    queues: [Queue; MAX_QUEUES],
    count: usize,
}

impl TaskQueues {
    /// Distributes `tasks` evenly over at most `queues` queues.
    pub fn new(tasks: usize, queues: usize) -> TaskQueues {
        let count = queues.clamp(1, MAX_QUEUES);
        let begin = |n: usize| (tasks * n.min(count) / count) as u32;
        let queue = |n: usize| Queue(AtomicU64::new(pair(begin(n), begin(n + 1))));
        TaskQueues { queues: std::array::from_fn(queue), count }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Takes the next task of a queue, or steals one. Each task is returned once.
    pub fn next(&self, own: usize) -> Option<usize> {
        let first = |begin: u32, end: u32| (begin < end).then(|| (begin, pair(begin + 1, end)));
        let last = |begin: u32, end: u32| (begin < end).then(|| (end - 1, pair(begin, end - 1)));
        self.queues[own].take(first).or_else(|| {
            let others = (1..self.count).map(|i| (own + i) % self.count);
            others.into_iter().find_map(|other| self.queues[other].take(last))
        })
    }
}

impl Queue {
    /// Takes the task that `choose` returns for the remaining range, and stores the rest.
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
        for queues in [1, 2, 3, 40] {
            for tasks in [0, 1, 2, 7, 1000] {
                let list = TaskQueues::new(tasks, queues);
                let taken = Mutex::new(Vec::new());
                std::thread::scope(|scope| {
                    for queue in 0..list.count() {
                        let (list, taken) = (&list, &taken);
                        scope.spawn(move || {
                            while let Some(task) = list.next(queue) {
                                taken.lock().expect("no thread panics").push(task);
                            }
                        });
                    }
                });
                let mut taken = taken.into_inner().expect("no thread panics");
                taken.sort();
                assert_eq!(taken, (0..tasks).collect::<Vec<_>>(), "{queues} queues");
            }
        }
    }

    #[test]
    fn a_queue_is_emptied_before_tasks_are_stolen() {
        let list = TaskQueues::new(6, 2);
        let all: Vec<usize> = std::iter::from_fn(|| list.next(1)).collect();
        assert_eq!(all, [3, 4, 5, 2, 1, 0]);
    }
}
