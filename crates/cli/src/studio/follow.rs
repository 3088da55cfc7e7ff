//! The event log of a run, as it grows.
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Reads whole lines from where it last stopped.
pub struct Follower {
    path: PathBuf,
    /// Bytes that were read.
    at: u64,
    /// Lines that are left out.
    skip: usize,
    /// A line that is still being written.
    rest: Vec<u8>,
}

/// Longer lines are no events and are not kept until they end.
const LONGEST_LINE: usize = 16 << 20;
/// The most bytes that are read at once.
const PIECE: u64 = 256 << 10;

impl Follower {
    /// Begins behind so many lines.
    pub fn new(path: &Path, skip: usize) -> Follower {
        Follower { path: path.to_path_buf(), at: 0, skip, rest: Vec::new() }
    }

    /// Whole lines that came since the last look, separated by line feeds; empty where there are none.
    /// A log that has become shorter was begun anew, and is read from its start.
    pub fn more(&mut self) -> io::Result<String> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < self.at {
            *self = Follower::new(&self.path, 0);
        }
        file.seek(SeekFrom::Start(self.at))?;
        self.at += file.take(PIECE).read_to_end(&mut self.rest)? as u64;
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else {
            // Its end is read as a line that is no event.
            if self.rest.len() > LONGEST_LINE {
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
    fn lines_are_read_once_and_whole() {
        let path = std::env::temp_dir().join(format!("brasa-follow-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let mut follower = Follower::new(&path, 1);
        let mut look = || follower.more().expect("it can be read");
        assert_eq!(look(), "");
        fs::write(&path, "a\nb\nc").expect("it can be written");
        assert_eq!(look(), "b");
        assert_eq!(look(), "");
        fs::write(&path, "a\nb\ncd\ne\n").expect("it can be written");
        assert_eq!(look(), "cd\ne");
        fs::write(&path, "new\n").expect("it can be written");
        assert_eq!(look(), "new");
        fs::remove_file(&path).expect("it is there");
    }
}
