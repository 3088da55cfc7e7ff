//! The scratch: the buffer for arguments and results. Numbers are little-endian; texts and lists
//! begin with their length.
use super::tensor;
use brasa::dynamic::Argument;
use brasa::{Error, Result};
use brasa_ir::value::Value;

#[derive(Default)]
pub(super) struct Scratch(Vec<u8>);

impl Scratch {
    pub(super) const fn new() -> Scratch {
        Scratch(Vec::new())
    }

    pub(super) fn reserve(&mut self, len: usize) -> *mut u8 {
        if self.0.len() < len {
            self.0.resize(len.next_power_of_two().max(4096), 0);
        }
        self.0.as_mut_ptr()
    }

    pub(super) fn read(&self, len: usize) -> Reader<'_> {
        Reader(&self.0[..len.min(self.0.len())])
    }

    pub(super) fn write(&mut self, Writer(bytes): Writer) -> u32 {
        let len = bytes.len();
        self.reserve(len);
        self.0[..len].copy_from_slice(&bytes);
        len as u32
    }
}

#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, x: u8) {
        self.0.push(x);
    }

    pub(super) fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }

    pub(super) fn f64(&mut self, x: f64) {
        self.0.extend(x.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
}

pub(super) struct Reader<'a>(&'a [u8]);

fn too_short() -> Error {
    Error::argument("call", "the arguments end too early")
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or_else(too_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| too_short())
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64> {
        self.array().map(f64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.u32()?;
        self.take(len as usize)
    }

    pub(super) fn text(&mut self) -> Result<&'a str> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map_err(|_| Error::argument("call", "a text is not UTF-8"))
    }

    /// A shape: the rank, then the lengths of the axes.
    pub(super) fn shape(&mut self) -> Result<Vec<usize>> {
        let rank = self.u32()?;
        (0..rank).map(|_| self.u32().map(|len| len as usize)).collect()
    }

    /// A list of items that begins with their number.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.u32()?;
        (0..count).map(|_| item(self)).collect()
    }

    pub(super) fn tensors(&mut self) -> Result<Vec<brasa::Tensor>> {
        self.list(|from| tensor(from.u32()?))
    }

    /// An argument; `None` if it is omitted.
    pub(super) fn argument(&mut self) -> Result<Option<Argument>> {
        let value = match self.byte()? {
            0 => Value::None,
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::Int(self.f64()? as i64),
            4 => Value::Float(self.f64()?),
            5 => Value::Str(self.text()?.to_string()),
            6 => return Ok(Some(Argument::Tensor(tensor(self.u32()?)?))),
            7 => {
                let items = self.list(|from| from.given())?;
                return Ok(Some(Argument::List(items)));
            }
            8 => {
                let mut part = || {
                    let is_given = self.byte()? != 0;
                    let at = self.f64()?;
                    Ok::<_, Error>(is_given.then_some(at as i64))
                };
                Value::Slice(part()?, part()?, part()?)
            }
            9 => Value::Ellipsis,
            10 => return Ok(None),
            other => return Err(Error::argument("call", format!("unknown argument kind {other}"))),
        };
        Ok(Some(Argument::Value(value)))
    }

    /// An argument that must not be omitted.
    pub(super) fn given(&mut self) -> Result<Argument> {
        let missing = || Error::argument("call", "an argument is undefined");
        self.argument()?.ok_or_else(missing)
    }
}
