//! Files that are there as a whole or not at all: written beside their place, pushed to the disk,
//! and then moved.
use super::wrong;
use crate::Result;
use flate2::read::GzDecoder;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What the names of unfinished files begin with.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// The bytes of a file.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    fs::read(path).map_err(|error| wrong(path, error))
}

/// The bytes of a file, unpacked where it is packed by gzip.
pub fn read_unpacked(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let bytes = read(&path)?;
    unpacked(bytes.into()).map(Cow::into_owned).map_err(|what| wrong(path.as_ref(), what))
}

/// What claims to unpack to more is refused.
const MOST_BYTES: u64 = 4 << 30;

/// Bytes that may be packed by gzip.
pub(crate) fn unpacked(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>, String> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    let read = GzDecoder::new(&*bytes).take(MOST_BYTES).read_to_end(&mut plain);
    read.map_err(|error| format!("cannot be unpacked: {error}"))?;
    Ok(plain.into())
}

/// Writes a file so that a crash leaves either the old one or the new one. Folders above it are made.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    let folder = folder_of(path);
    let unfinished = unfinished(path);
    let result = fs::create_dir_all(folder)
        .and_then(|()| write_through(&unfinished, bytes))
        .and_then(|()| fs::rename(&unfinished, path))
        .and_then(|()| sync_folder(folder));
    result.map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        wrong(path, format!("cannot be written: {error}"))
    })
}

/// Writes a file and waits until the disk has it.
pub(crate) fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the disk remember which names a folder holds.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere folders cannot be opened, and renames are durable on their own.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Where a file or folder stands until it is whole. Differs between processes.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = OsString::from(format!("{UNFINISHED}{}-", std::process::id()));
    name.push(path.file_name().unwrap_or_default());
    folder_of(path).join(name)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
