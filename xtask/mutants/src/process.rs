//! Waits for a process that may never end. What counts is the time that it works, for a machine may be
//! busy with other things.
use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

/// How long a process may wait without any work.
const STANDSTILL: Duration = Duration::from_secs(300);

/// How a process ended.
pub struct End {
    /// Whether it succeeded; nothing if it took too long and was ended.
    pub success: Option<bool>,
    /// How long it worked.
    pub work: Duration,
}

/// Waits for a process until it has worked for a time.
pub fn finish(mut child: Child, most: Duration) -> Result<End, String> {
    let start = Instant::now();
    let (mut work, mut moved) = (Duration::ZERO, start);
    loop {
        let status = child.try_wait().map_err(|error| error.to_string())?;
        if let Some(status) = status {
            return Ok(End { success: Some(status.success()), work });
        }
        let now = work_of(child.id()).unwrap_or(start.elapsed());
        if now > work {
            (work, moved) = (now, Instant::now());
        }
        if work > most || moved.elapsed() > STANDSTILL {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Ok(End { success: None, work });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The processor time of a process and of its children that have ended, where the system tells.
fn work_of(id: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may have blanks in it.
    let (_, numbers) = text.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(4).map(|number| number.parse::<u64>());
    let ticks = ticks.sum::<Result<u64, _>>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn end(script: &str, most: Duration) -> Option<bool> {
        let child = Command::new("sh").args(["-c", script]).spawn().expect("there is a shell");
        finish(child, most).expect("it can be waited for").success
    }

    #[test]
    fn processes_succeed_fail_or_are_ended() {
        let most = Duration::from_millis(200);
        assert_eq!(end("exit 0", most), Some(true));
        assert_eq!(end("exit 3", most), Some(false));
        assert_eq!(end("while true; do :; done", most), None);
    }
}
