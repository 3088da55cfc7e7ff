//! Prints the progress of a build: the current part, the number of parts, and the time taken.

use std::time::Instant;

/// A build of several parts.
pub(crate) struct Progress {
    start: Instant,
    done: usize,
    all: usize,
}

impl Progress {
    /// A build of `all` parts.
    pub(crate) fn of(all: usize) -> Progress {
        Progress { start: Instant::now(), done: 0, all }
    }

    /// Makes the next part, and prints a line before and after.
    pub(crate) fn make<T>(
        &mut self,
        part: &str,
        make: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        self.done += 1;
        let head = format!("== build {} of {}: {part}", self.done, self.all);
        println!("{head}");
        let begin = Instant::now();
        let made = make()?;
        let (own, all) = (begin.elapsed().as_secs_f64(), self.start.elapsed().as_secs_f64());
        println!("{head} in {own:.1} s, {all:.1} s so far");
        Ok(made)
    }
}
