//! `FolderLock`: lets only one run at a time write to a folder.
use super::file_error;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// An exclusive lock on a folder, released on drop. The system also releases it when the process
/// ends in any way: a killed run leaves the lock file behind, but not the lock.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// The lock file. It is never removed, since another process may have locked it.
pub const LOCK_FILE: &str = ".lock";

impl FolderLock {
    /// Locks a folder, which is created if necessary. If it is locked already, the error names the
    /// folder and, where the system allows it, the process.
    pub fn take(folder: impl AsRef<Path>) -> Result<FolderLock> {
        let folder = folder.as_ref();
        let path = folder.join(LOCK_FILE);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let file = fs::create_dir_all(folder).and_then(|()| options.open(&path));
        let mut file =
            file.map_err(|error| file_error(&path, format!("cannot be written: {error}")))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder, &mut file)),
            // Some network file systems do not support locks.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => {
                return Err(file_error(&path, format!("cannot be locked: {error}")));
            }
        }
        // The process id is only used in error messages, so a full disk is no reason to fail.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file })
    }
}

fn in_use(folder: &Path, file: &mut File) -> Error {
    let mut text = String::new();
    // Where locks are mandatory, the file cannot be read.
    let id = file.take(32).read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
    let whose = id.map_or("another process".to_string(), |id: u32| format!("process {id}"));
    let help = "use another folder, or wait until that run has ended and resume it";
    file_error(folder, format!("is in use: {whose} is writing a run there")).help(help)
}
