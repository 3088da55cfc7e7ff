//! `FolderLock`: a folder that one run writes to at a time.
use super::wrong;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// Keeps a folder for its holder, until it is dropped. The system releases it when the process ends,
/// however that happens: a killed run leaves the file behind, but no lock on it.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// The file that is locked. It stays: removing it could take the lock from under somebody else.
pub const LOCK_FILE: &str = ".lock";

impl FolderLock {
    /// Locks a folder, which is made if it is not there. Where another holds it, the error names the
    /// folder and, where the system shows it, the process.
    pub fn take(folder: impl AsRef<Path>) -> Result<FolderLock> {
        let folder = folder.as_ref();
        let path = folder.join(LOCK_FILE);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let file = fs::create_dir_all(folder).and_then(|()| options.open(&path));
        let mut file = file.map_err(|error| wrong(&path, format!("cannot be written: {error}")))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder, &mut file)),
            // Some network file systems have no locks: there it is up to the user.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => {
                return Err(wrong(&path, format!("cannot be locked: {error}")));
            }
        }
        // Only for the message to whoever comes next: a full disk is no reason to give up.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file })
    }
}

fn in_use(folder: &Path, file: &mut File) -> Error {
    let mut text = String::new();
    // Where locks are mandatory, the holder's name cannot be read.
    let id = file.take(32).read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
    let whose = id.map_or("another process".to_string(), |id: u32| format!("process {id}"));
    let help = "choose another folder, or wait until that run has ended and resume it then";
    wrong(folder, format!("is in use: {whose} writes its run there")).help(help)
}
