//! Waits for a process with a limit on its CPU time, which does not depend on other load of the
//! machine.
use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

/// The time limit for a process that uses no CPU.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// How a process exited.
pub struct End {
    /// Whether it succeeded; `None` if it exceeded a limit and was killed.
    pub success: Option<bool>,
    /// The CPU time that it used.
    pub cpu_time: Duration,
}

/// Waits until a process exits, or kills it after this much CPU time.
pub fn finish(mut child: Child, limit: Duration) -> Result<End, String> {
    let start = Instant::now();
    let (mut cpu_time, mut last_progress) = (Duration::ZERO, start);
    loop {
        let status = child.try_wait().map_err(|error| error.to_string())?;
        if let Some(status) = status {
            return Ok(End { success: Some(status.success()), cpu_time });
        }
        let now = cpu_time_of(child.id()).unwrap_or(start.elapsed());
        if now > cpu_time {
            (cpu_time, last_progress) = (now, Instant::now());
        }
        if cpu_time > limit || last_progress.elapsed() > IDLE_TIMEOUT {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Ok(End { success: None, cpu_time });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The CPU time of a process and of its exited children; `None` without `/proc`.
fn cpu_time_of(id: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may contain spaces.
    let (_, numbers) = text.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(4).map(|number| number.parse::<u64>());
    let ticks = ticks.sum::<Result<u64, _>>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn end(script: &str, limit: Duration) -> Option<bool> {
        let child = Command::new("sh").args(["-c", script]).spawn().expect("sh starts");
        finish(child, limit).expect("wait succeeds").success
    }

    #[test]
    fn processes_succeed_fail_or_are_killed() {
        let limit = Duration::from_millis(200);
        assert_eq!(end("exit 0", limit), Some(true));
        assert_eq!(end("exit 3", limit), Some(false));
        assert_eq!(end("while true; do :; done", limit), None);
    }
}
