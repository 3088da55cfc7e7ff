//! Files that are there as a whole or not at all: written beside their place, pushed to the disk,
//! and then moved.
use super::wrong;
use crate::Result;
use flate2::read::GzDecoder;
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

/// The bytes of a file, unpacked where it is packed by gzip: at most `most`, whatever the file says.
pub fn read_unpacked(path: impl AsRef<Path>, most: usize) -> Result<Vec<u8>> {
    let bytes = read(&path)?;
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    let limit = (most as u64).saturating_add(1);
    let unpacked = GzDecoder::new(&*bytes).take(limit).read_to_end(&mut plain);
    unpacked.map_err(|error| wrong(path.as_ref(), format!("cannot be unpacked: {error}")))?;
    if plain.len() > most {
        return Err(wrong(path.as_ref(), format!("unpacks to more than {most} bytes")));
    }
    Ok(plain)
}

pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// One bit of deflated data repeats up to 129 bytes.
const MOST_PER_BYTE: usize = 1032;

/// What a decoder of `packed` deflated bytes gives, which should be `len` bytes. Memory is taken only
/// for what so many packed bytes can hold; one byte too many tells that there is more.
pub(crate) fn inflate(from: impl Read, packed: usize, len: usize) -> Result<Vec<u8>, String> {
    let most = packed.saturating_mul(MOST_PER_BYTE);
    if len > most {
        return Err(format!("{len} bytes are announced, but {packed} packed ones hold {most}"));
    }
    let mut plain = reserved(len.saturating_add(1))?;
    let unpacked = from.take(len as u64 + 1).read_to_end(&mut plain);
    unpacked.map_err(|error| format!("cannot be unpacked: {error}"))?;
    Ok(plain)
}

/// An empty vector with capacity for so many bytes, or an error if memory cannot be allocated.
pub(crate) fn reserved(len: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let full = |_| format!("there is not enough memory for {len} bytes");
    bytes.try_reserve_exact(len).map_err(full)?;
    Ok(bytes)
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
