//! Reads the event log of a run while it grows.
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Reads complete lines from where it last stopped.
pub struct LogReader {
    path: PathBuf,
    /// Number of bytes read so far.
    at: u64,
    /// Number of lines still to skip.
    skip: usize,
    /// The incomplete last line.
    rest: Vec<u8>,
}

/// Longer lines are not events and are discarded.
const MAX_LINE: usize = 16 << 20;
/// Maximum number of bytes per read.
const CHUNK: u64 = 256 << 10;

impl LogReader {
    /// Starts after `skip` lines.
    pub fn new(path: &Path, skip: usize) -> LogReader {
        LogReader { path: path.to_path_buf(), at: 0, skip, rest: Vec::new() }
    }

    /// The complete lines added since the last call, separated by line feeds; empty if there are
    /// none. A log that has become shorter was restarted, and is read from its beginning.
    pub fn read_new(&mut self) -> io::Result<String> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < self.at {
            *self = LogReader::new(&self.path, 0);
        }
        file.seek(SeekFrom::Start(self.at))?;
        self.at += file.take(CHUNK).read_to_end(&mut self.rest)? as u64;
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else {
            // The remainder of the long line is skipped by the page as invalid JSON.
            if self.rest.len() > MAX_LINE {
                self.rest.clear();
            }
            return Ok(String::new());
        };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        let text = String::from_utf8_lossy(&whole);
        let mut lines: Vec<&str> = text.lines().collect();
        let skipped = self.skip.min(lines.len());
        self.skip -= skipped;
        lines.drain(..skipped);
        Ok(lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn complete_lines_are_read_once() {
        let path = std::env::temp_dir().join(format!("brasa-follow-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let mut follower = LogReader::new(&path, 1);
        let mut read = || follower.read_new().expect("readable");
        assert_eq!(read(), "");
        fs::write(&path, "a\nb\nc").expect("writable");
        assert_eq!(read(), "b");
        assert_eq!(read(), "");
        fs::write(&path, "a\nb\ncd\ne\n").expect("writable");
        assert_eq!(read(), "cd\ne");
        fs::write(&path, "new\n").expect("writable");
        assert_eq!(read(), "new");
        fs::remove_file(&path).expect("exists");
    }
}
