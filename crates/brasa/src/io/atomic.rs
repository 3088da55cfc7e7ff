//! Atomic writes: a file is written under a temporary name, synced to disk, and then renamed.
use super::file_error;
use crate::Result;
use flate2::read::GzDecoder;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The prefix of temporary names.
pub(crate) const TEMPORARY: &str = ".unfinished-";

/// The bytes of a file.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    fs::read(path).map_err(|error| file_error(path, error))
}

/// The bytes of a file, decompressed if it is gzipped, up to `most` bytes.
pub fn read_unpacked(path: impl AsRef<Path>, most: usize) -> Result<Vec<u8>> {
    let bytes = read(&path)?;
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    let limit = (most as u64).saturating_add(1);
    let unpacked = GzDecoder::new(&*bytes).take(limit).read_to_end(&mut plain);
    unpacked
        .map_err(|error| file_error(path.as_ref(), format!("cannot be decompressed: {error}")))?;
    if plain.len() > most {
        return Err(file_error(path.as_ref(), format!("decompresses to more than {most} bytes")));
    }
    Ok(plain)
}

pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Deflate's maximum compression ratio: one bit repeats up to 129 bytes.
const MAX_EXPANSION: usize = 1032;

/// Decompresses `packed` deflated bytes to `len` bytes. Rejects lengths that `packed` bytes cannot
/// contain before allocating. The result has one byte too many if there is more data.
pub(crate) fn inflate(from: impl Read, packed: usize, len: usize) -> Result<Vec<u8>, String> {
    let most = packed.saturating_mul(MAX_EXPANSION);
    if len > most {
        let holds = format!("{packed} compressed bytes hold at most {most}");
        return Err(format!("{len} bytes are announced, but {holds}"));
    }
    let mut plain = try_with_capacity(len.saturating_add(1))?;
    let unpacked = from.take(len as u64 + 1).read_to_end(&mut plain);
    unpacked.map_err(|error| format!("cannot be decompressed: {error}"))?;
    Ok(plain)
}

/// An empty vector with this capacity, or an error if memory cannot be allocated.
pub(crate) fn try_with_capacity(len: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let full = |_| format!("out of memory: cannot allocate {len} bytes");
    bytes.try_reserve_exact(len).map_err(full)?;
    Ok(bytes)
}

/// Writes a file so that a crash leaves either the old one or the new one. Creates missing folders.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    let folder = folder_of(path);
    let unfinished = temporary_path(path);
    let result = fs::create_dir_all(folder)
        .and_then(|()| write_through(&unfinished, bytes))
        .and_then(|()| fs::rename(&unfinished, path))
        .and_then(|()| sync_folder(folder));
    result.map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        file_error(path, format!("cannot be written: {error}"))
    })
}

/// Writes a file and syncs it to disk.
pub(crate) fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Syncs the entries of a folder to disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // On other systems folders cannot be opened, and renames are durable by themselves.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The temporary name of a file or folder, unique to this process.
pub(crate) fn temporary_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(format!("{TEMPORARY}{}-", std::process::id()));
    name.push(path.file_name().unwrap_or_default());
    folder_of(path).join(name)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
