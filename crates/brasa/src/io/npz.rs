//! `.npz`: named arrays in a zip archive. Supports the subset of zip that NumPy writes and reads.
use super::atomic::inflate;
use super::{from_npy, to_npy};
use crate::nn::StateDict;
use crate::{Error, Result};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::ops::Range;

/// Decodes a `.npz` file into tensors by name.
pub fn from_npz(bytes: &[u8]) -> Result<StateDict> {
    let mut tensors = StateDict::new();
    let entries = entries(bytes).map_err(|what| Error::data("npz", what))?;
    check_overlaps(bytes, &entries).map_err(|what| Error::data("npz", what))?;
    for entry in entries {
        let Some(name) = entry.name.strip_suffix(".npy") else { continue };
        let place = |what: String| Error::data("npz", format!("'{}': {what}", entry.name));
        let content = entry.content(bytes).map_err(place)?;
        let tensor = from_npy(&content).map_err(|error| place(error.to_string()))?;
        tensors.insert(name.to_string(), tensor);
    }
    Ok(tensors)
}

/// Encodes tensors as an uncompressed `.npz` file.
pub fn to_npz(tensors: &StateDict) -> Result<Vec<u8>> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, tensor) in tensors {
        let (name, content) = (format!("{name}.npy"), to_npy(tensor)?);
        let start = small(bytes.len())?;
        let common = common_fields(&name, &content)?;
        bytes.extend(LOCAL.to_le_bytes());
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(&content);
        directory.extend(ENTRY.to_le_bytes());
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&common);
        // Comment, disk and attributes: empty.
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, len) = (small(bytes.len())?, small(directory.len())?);
    let too_many = |_| Error::data("npz", "an archive can hold at most 65535 arrays");
    let count = u16::try_from(tensors.len()).map_err(too_many)?.to_le_bytes();
    bytes.extend(directory);
    bytes.extend(END.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend([count, count].as_flattened());
    bytes.extend(len.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    Ok(bytes)
}

const LOCAL: u32 = 0x0403_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const VERSION: u16 = 20;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// 1 January 1980, so that archives of the same arrays are identical.
const DATE: u16 = 0x21;

/// The fields shared by both headers of a file: from the version to the lengths of its names.
fn common_fields(name: &str, content: &[u8]) -> Result<Vec<u8>> {
    let mut crc = Crc::new();
    crc.update(content);
    let len = small(content.len())?.to_le_bytes();
    let too_long = |_| Error::data("npz", format!("the name '{name}' is too long"));
    let name_len = u16::try_from(name.len()).map_err(too_long)?;
    let mut fields = Vec::new();
    // Bit 11 of the flags: names are UTF-8.
    for field in [VERSION, 1 << 11, STORED, 0, DATE] {
        fields.extend(field.to_le_bytes());
    }
    fields.extend(crc.sum().to_le_bytes());
    fields.extend([len, len].as_flattened());
    fields.extend(name_len.to_le_bytes());
    fields.extend([0; 2]);
    Ok(fields)
}

fn small(len: usize) -> Result<u32> {
    let too_large = |_| Error::data("npz", "an archive can hold at most 4 GiB; use safetensors");
    u32::try_from(len).map_err(too_large)
}

/// An entry of the central directory.
struct Entry {
    name: String,
    method: u16,
    crc: u32,
    packed: usize,
    len: usize,
    start: usize,
}

/// Bounds-checked access to little-endian fields.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn at<const N: usize>(&self, place: usize) -> Result<[u8; N], String> {
        let bytes = place.checked_add(N).and_then(|end| self.0.get(place..end));
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or_else(|| "the archive is truncated".to_string())
    }
    fn u16(&self, place: usize) -> Result<u16, String> {
        self.at(place).map(u16::from_le_bytes)
    }
    fn u32(&self, place: usize) -> Result<u32, String> {
        self.at(place).map(u32::from_le_bytes)
    }
}

fn entries(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let at = Fields(bytes);
    // The end record has 22 bytes and a comment of up to 64 KiB.
    let last = bytes.len().checked_sub(22).ok_or("too short for a zip archive")?;
    let end = (last.saturating_sub(1 << 16)..=last).rev();
    let end = end.into_iter().find(|&place| at.u32(place) == Ok(END));
    let end = end.ok_or("not a zip archive, or truncated")?;
    let count = at.u16(end + 10)?;
    let mut place = at.u32(end + 16)? as usize;
    let mut found = Vec::new();
    for _ in 0..count {
        if at.u32(place)? != ENTRY {
            return Err("the directory of the archive is damaged".to_string());
        }
        let name_len = at.u16(place + 28)? as usize;
        let name =
            bytes.get(place + 46..place + 46 + name_len).ok_or("the archive is truncated")?;
        let (packed, len, start) = (at.u32(place + 20)?, at.u32(place + 24)?, at.u32(place + 42)?);
        if [packed, len, start].contains(&u32::MAX) {
            return Err("archives above 4 GiB are not supported".to_string());
        }
        found.push(Entry {
            name: String::from_utf8_lossy(name).into_owned(),
            method: at.u16(place + 10)?,
            crc: at.u32(place + 16)?,
            packed: packed as usize,
            len: len as usize,
            start: start as usize,
        });
        place += 46 + name_len + at.u16(place + 30)? as usize + at.u16(place + 32)? as usize;
    }
    Ok(found)
}

/// Rejects entries that share bytes: a zip bomb could name one compressed section in a thousand
/// entries.
fn check_overlaps(bytes: &[u8], entries: &[Entry]) -> Result<(), String> {
    let mut ranges = Vec::with_capacity(entries.len());
    for entry in entries {
        ranges.push((entry.start, entry.data(bytes)?.end, entry.name.as_str()));
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let [(_, end, first), (start, _, second)] = [pair[0], pair[1]];
        if start < end {
            return Err(format!("'{first}' and '{second}' overlap in the archive"));
        }
    }
    Ok(())
}

impl Entry {
    /// The byte range of the compressed content.
    fn data(&self, bytes: &[u8]) -> Result<Range<usize>, String> {
        let at = Fields(bytes);
        if at.u32(self.start)? != LOCAL {
            return Err("the archive is damaged".to_string());
        }
        let names = at.u16(self.start + 26)? as usize + at.u16(self.start + 28)? as usize;
        let start = self.start + 30 + names;
        let end = start.checked_add(self.packed).filter(|&end| end <= bytes.len());
        Ok(start..end.ok_or("the archive is truncated")?)
    }

    fn content(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let packed = &bytes[self.data(bytes)?];
        let content = match self.method {
            STORED => packed.to_vec(),
            DEFLATED => inflate(DeflateDecoder::new(packed), packed.len(), self.len)?,
            other => return Err(format!("compression method {other} is not supported")),
        };
        let mut crc = Crc::new();
        crc.update(&content);
        if content.len() != self.len || crc.sum() != self.crc {
            return Err("checksum mismatch".to_string());
        }
        Ok(content)
    }
}
