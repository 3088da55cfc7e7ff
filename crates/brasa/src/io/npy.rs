//! `.npy`: NumPy's format for one array.
use crate::{DType, Error, Result, Tensor};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Decodes a `.npy` file. Big-endian and Fortran-order arrays are converted; 16-bit integers become
/// 32-bit ones.
pub fn from_npy(bytes: &[u8]) -> Result<Tensor> {
    parse(bytes).map_err(|what| Error::data("npy", what))
}

/// Encodes a `.npy` file. NumPy has no bf16, so it is stored as f32.
pub fn to_npy(x: &Tensor) -> Result<Vec<u8>> {
    let x = if x.dtype() == DType::BF16 { x.to(DType::F32) } else { x.clone() };
    let descr = match x.dtype() {
        DType::Bool => "|b1",
        DType::U8 => "|u1",
        DType::I8 => "|i1",
        DType::I32 => "<i4",
        DType::U32 => "<u4",
        DType::I64 => "<i8",
        DType::F16 => "<f2",
        DType::F64 => "<f8",
        DType::F32 | DType::BF16 => "<f4",
    };
    let lens: Vec<String> = x.shape().iter().map(usize::to_string).collect();
    // A one-element tuple needs a comma.
    let shape = lens.join(", ") + if lens.len() == 1 { "," } else { "" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // NumPy aligns the data to 64 bytes.
    let used = MAGIC.len() + 4 + header.len() + 1;
    header += &" ".repeat(used.next_multiple_of(64) - used);
    header += "\n";
    let len = u16::try_from(header.len())
        .map_err(|_| Error::data("npy", "the shape has too many axes for the header"))?;
    let data = x.to_bytes()?;
    let mut bytes = Vec::with_capacity(MAGIC.len() + 4 + header.len() + data.len());
    bytes.extend(MAGIC);
    bytes.extend([1, 0]);
    bytes.extend(len.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    Ok(bytes)
}

/// The header of an array.
struct Header {
    /// Kind and size of an element, such as `f4`.
    descr: String,
    is_big_endian: bool,
    is_fortran: bool,
    shape: Vec<usize>,
}

fn parse(bytes: &[u8]) -> Result<Tensor, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a .npy file")?;
    let cut = || "the header is truncated".to_string();
    let (version, rest) = rest.split_at_checked(2).ok_or_else(cut)?;
    let width = if version[0] == 1 { 2 } else { 4 };
    let (len, rest) = rest.split_at_checked(width).ok_or_else(cut)?;
    let len = len.iter().rev().fold(0usize, |len, &byte| len << 8 | byte as usize);
    let (header, data) = rest.split_at_checked(len).ok_or_else(cut)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not UTF-8")?;
    let header = Header::parse(header)?;
    let (dtype, bytes) = header.elements(data)?;
    let failed = |error: Error| error.to_string();
    if !header.is_fortran {
        return Tensor::from_bytes(dtype, header.shape, &bytes).map_err(failed);
    }
    let width = dtype.bytes();
    let bytes = from_fortran(&bytes, &header.shape, width);
    Tensor::from_bytes(dtype, header.shape, &bytes).map_err(failed)
}

impl Header {
    /// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, with keys in any
    /// order.
    fn parse(text: &str) -> Result<Header, String> {
        let after = |key: &str| {
            let quoted = [format!("'{key}'"), format!("\"{key}\"")];
            let at = quoted.iter().find_map(|name| text.split_once(name.as_str()));
            let value = at.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
            value.map(str::trim_start).ok_or_else(|| format!("the header has no {key}: {text}"))
        };
        let descr = after("descr")?;
        let quote = descr.chars().next().filter(|c| "'\"".contains(*c));
        let quote = quote.ok_or("arrays of records are not supported")?;
        let descr = descr[1..].split(quote).next().unwrap_or_default();
        let order = descr.get(..1).unwrap_or_default();
        let known = ["<", ">", "|", "="].contains(&order);
        let descr = if known { &descr[1..] } else { descr };
        let shape = after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (shape, _) = shape.ok_or("the shape is not a tuple")?;
        let lens = shape.split(',').map(str::trim).filter(|len| !len.is_empty());
        let lens = lens.map(|len| len.trim_end_matches('L').parse().map_err(|_| len.to_string()));
        let shape = lens.collect::<Result<Vec<usize>, _>>();
        Ok(Header {
            descr: descr.to_string(),
            is_big_endian: order == ">",
            is_fortran: after("fortran_order")?.starts_with("True"),
            shape: shape.map_err(|len| format!("'{len}' is not an axis length"))?,
        })
    }

    /// Converts the elements to a supported dtype in native byte order.
    fn elements(&self, data: &[u8]) -> Result<(DType, Vec<u8>), String> {
        let descr = self.descr.as_str();
        let width = descr.get(1..).and_then(|width| width.parse::<usize>().ok());
        let width = width.filter(|width| (1..=8).contains(width));
        let unknown = || format!("dtype '{descr}' is not supported");
        let width = width.ok_or_else(unknown)?;
        let needed = self.shape.iter().try_fold(width, |all, &len| all.checked_mul(len));
        if needed != Some(data.len()) {
            let needed = needed.map_or("too many".to_string(), |n| n.to_string());
            let (shape, len) = (&self.shape, data.len());
            return Err(format!("shape {shape:?} of {descr} needs {needed} bytes, got {len}"));
        }
        let mut bytes = data.to_vec();
        if self.is_big_endian {
            bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        Ok(match descr {
            "f2" => (DType::F16, bytes),
            "f4" => (DType::F32, bytes),
            "f8" => (DType::F64, bytes),
            "i1" => (DType::I8, bytes),
            "i2" => (DType::I32, widen_i16(&bytes)),
            "i4" => (DType::I32, bytes),
            "i8" => (DType::I64, bytes),
            "u1" => (DType::U8, bytes),
            "u2" => (DType::U32, widen_u16(&bytes)),
            "u4" => (DType::U32, bytes),
            "u8" => (DType::I64, narrow_u64(&bytes)?),
            "b1" => (DType::Bool, bytes.into_iter().map(|b| u8::from(b != 0)).collect()),
            _ => return Err(unknown()),
        })
    }
}

/// Converts from column-major to row-major order.
fn from_fortran(bytes: &[u8], shape: &[usize], width: usize) -> Vec<u8> {
    let mut ordered = Vec::with_capacity(bytes.len());
    let mut at = vec![0; shape.len()];
    for _ in 0..bytes.len() / width {
        let place = at.iter().zip(shape).rev().fold(0, |place, (i, len)| place * len + i);
        ordered.extend(&bytes[place * width..(place + 1) * width]);
        for (i, len) in at.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *len {
                break;
            }
            *i = 0;
        }
    }
    ordered
}

pub(super) fn widen_i16(bytes: &[u8]) -> Vec<u8> {
    let pairs = bytes.chunks_exact(2);
    pairs.flat_map(|b| i32::from(i16::from_le_bytes([b[0], b[1]])).to_le_bytes()).collect()
}

pub(super) fn widen_u16(bytes: &[u8]) -> Vec<u8> {
    let pairs = bytes.chunks_exact(2);
    pairs.flat_map(|b| u32::from(u16::from_le_bytes([b[0], b[1]])).to_le_bytes()).collect()
}

/// Converts u64 to i64, the widest supported integer.
pub(super) fn narrow_u64(bytes: &[u8]) -> Result<Vec<u8>, String> {
    match bytes.chunks_exact(8).any(|number| number[7] >= 0x80) {
        true => Err("a u64 value is too large for i64".to_string()),
        false => Ok(bytes.to_vec()),
    }
}
