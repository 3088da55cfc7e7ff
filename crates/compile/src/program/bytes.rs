//! Serialization of programs and graphs: a header with the build id and a checksum, then every
//! field in order, integers as varints. Reading is safe for any bytes: it returns a validated
//! program or an error, and takes memory proportional to their number.
mod graph;

pub use graph::{graph_from_bytes, graph_to_bytes};

use crate::graph::index_check::Positions;
use crate::memory::budget::Recomputed;
use crate::memory::plan::{Buffer, BufferId, Place};
use crate::program::bound::Bound;
use crate::program::check::check;
use crate::program::{Launch, Program, ProgramInput};
use crate::schedule::kernel::{
    Body, Code, Domain, DomainAxis, Granularity, Kernel, Operand, Prologue, Ref, Step, StepOp,
};
use crate::target::Target;
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::{Op, ReduceOp, Role, Scalar};
use brasa_ir::view::{Axis, Layer, View};
use brasa_ir::{DType, Error, Id, Number, Result, Shape, Type, Value};
use std::hash::Hasher;

/// Identifies a serialized program.
const MAGIC: &[u8; 8] = b"brasa\0p\x01";

impl Program {
    /// Serializes the program. Only the same build of Brasa can read it.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let ops = self.launches.iter().filter_map(|launch| match &launch.kernel.body {
            Body::Library { op: op @ Op::Custom(_), .. } => Some(op.name()),
            _ => None,
        });
        if let Some(name) = ops.into_iter().next() {
            let what = format!("the custom op '{name}' cannot be serialized");
            return Err(Error::argument("program", what));
        }
        let mut body = Vec::new();
        self.write(&mut body);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(build_id().to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        Ok(bytes)
    }

    /// Deserializes a program. Fails if the bytes are corrupted, from another build, or not a
    /// program that is safe to run.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program> {
        let body = body(bytes, MAGIC, "program")?;
        let mut from = Reader::new(body);
        let program = Program::read(&mut from).and_then(|program| match from.rest {
            // Bytes do not name a device: they are checked as a program of the CPU.
            [] => check(&program, &Target::default()).map(|()| program),
            _ => Err("unexpected bytes after the end".to_string()),
        });
        let invalid = |what| Error::data("program", format!("the program is not valid: {what}"));
        program.map_err(invalid)
    }
}

/// The bytes after the header. Fails if the header is not of this build.
fn body<'a>(bytes: &'a [u8], magic: &[u8; 8], what: &str) -> Result<&'a [u8]> {
    let fault = |why: String| Err(Error::data(what, why));
    let Some((head, body)) = bytes.split_at_checked(24).filter(|(h, _)| h.starts_with(magic))
    else {
        return fault(format!("these bytes are not a {what}"));
    };
    let word = |at: usize| {
        let word = head[at..at + 8].try_into();
        u64::from_le_bytes(word.expect("eight bytes"))
    };
    if word(8) != build_id() {
        return fault(format!(
            "this {what} was written by another build of Brasa; compile it again"
        ));
    }
    if word(16) != checksum(body) {
        return fault(format!("the {what} is corrupted: its checksum does not match"));
    }
    Ok(body)
}

/// Identifies the format: a hash of the library's version and the names of its ops in order.
fn build_id() -> u64 {
    let mut hash = Fingerprint::default();
    hash.write(env!("CARGO_PKG_VERSION").as_bytes());
    Scalar::ALL.iter().for_each(|function| hash.write(function.def().name.as_bytes()));
    DType::ALL.iter().for_each(|dtype| hash.write(dtype.name().as_bytes()));
    [Role::WORDS, ReduceOp::WORDS].concat().iter().for_each(|word| hash.write(word.as_bytes()));
    hash.finish()
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Fingerprint::default();
    hash.write(bytes);
    hash.write_usize(bytes.len());
    hash.finish()
}

/// A decoded value, or why the bytes are invalid.
pub type Decoded<T> = std::result::Result<T, String>;

/// Reads bytes from front to back.
pub struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, depth: 0 }
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn take(&mut self, len: usize) -> Decoded<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or("it ends early")?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Decoded<u8> {
        Ok(self.take(1)?[0])
    }

    /// An item of a list, by its index.
    fn one_of<T: Copy>(&mut self, all: &[T]) -> Decoded<T> {
        let n = usize::read(self)?;
        all.get(n).copied().ok_or_else(|| format!("index {n} into a list of {}", all.len()))
    }
}

/// A value that can be written as bytes and read back.
pub trait Codec: Sized {
    fn write(&self, to: &mut Vec<u8>);
    fn read(from: &mut Reader) -> Decoded<Self>;
}

/// Varint: seven bits per byte, lowest first; the eighth bit marks that more bytes follow.
impl Codec for u64 {
    fn write(&self, to: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 128 {
            to.push(rest as u8 | 128);
            rest >>= 7;
        }
        to.push(rest as u8);
    }

    fn read(from: &mut Reader) -> Decoded<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = from.byte()?;
            number |= ((byte & 127) as u64) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err("an integer is too long".to_string())
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Codec for $ty {
            fn write(&self, to: &mut Vec<u8>) {
                (*self as u64).write(to);
            }

            fn read(from: &mut Reader) -> Decoded<$ty> {
                let number = u64::read(from)?;
                <$ty>::try_from(number).map_err(|_| format!("{number} is too large"))
            }
        }
    )*};
}
numbers!(usize, u32);

/// Zigzag encoding, so that small numbers of either sign are short.
impl Codec for i64 {
    fn write(&self, to: &mut Vec<u8>) {
        (((self << 1) ^ (self >> 63)) as u64).write(to);
    }

    fn read(from: &mut Reader) -> Decoded<i64> {
        let folded = u64::read(from)?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }
}

impl Codec for isize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as i64).write(to);
    }

    fn read(from: &mut Reader) -> Decoded<isize> {
        isize::try_from(i64::read(from)?).map_err(|_| "a number is too large".to_string())
    }
}

impl Codec for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(*self as u8);
    }

    fn read(from: &mut Reader) -> Decoded<bool> {
        from.one_of(&[false, true])
    }
}

impl Codec for f64 {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }

    fn read(from: &mut Reader) -> Decoded<f64> {
        Ok(f64::from_le_bytes(from.take(8)?.try_into().expect("eight bytes")))
    }
}

impl Codec for String {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        to.extend(self.as_bytes());
    }

    fn read(from: &mut Reader) -> Decoded<String> {
        let len = usize::read(from)?;
        let text = std::str::from_utf8(from.take(len)?);
        Ok(text.map_err(|_| "a string is not valid UTF-8")?.to_string())
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(from: &mut Reader) -> Decoded<Vec<T>> {
        let len = usize::read(from)?;
        // Every item takes at least one byte, so a wrong length fails before it allocates much.
        let mut items = Vec::new();
        for _ in 0..len {
            items.push(T::read(from)?);
        }
        Ok(items)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(from: &mut Reader) -> Decoded<Option<T>> {
        let is_some = bool::read(from)?;
        is_some.then(|| T::read(from)).transpose()
    }
}

impl<A: Codec, B: Codec> Codec for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader) -> Decoded<(A, B)> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

/// Structs, field by field.
macro_rules! fields {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl Codec for $name {
            fn write(&self, to: &mut Vec<u8>) {
                $(self.$field.write(to);)*
            }

            fn read(from: &mut Reader) -> Decoded<$name> {
                Ok($name { $($field: Codec::read(from)?),* })
            }
        }
    )*};
}

fields! {
    Program {
        launches, buffers, arena_bytes, live_bytes, inputs, outputs, copies, bounds, recomputed
    }
    Launch { kernel, reads, writes, call, site }
    ProgramInput { node, name, role, ty, is_written }
    Buffer { node, ty, place, first, last }
    Bound { launch, before, at, positions, call, site }
    Positions { op, axis, input, index }
    Recomputed { launches, nodes, flops, bytes }
    Kernel { body, domain, code, reads, writes, nodes, why, is_concurrent }
    Domain { axes }
    DomainAxis { len, is_reduced }
    Code { steps, stores }
    Step { op, dtype, granularity }
    Operand { read, ty, view, prologue }
    Prologue { body, domain, code }
    Type { dtype, shape }
    Axis { len, stride, lo, hi }
}

/// Types that are encoded as another type.
macro_rules! same_as {
    ($($name:ty: $other:ty, $out:expr, $in:expr;)*) => {$(
        impl Codec for $name {
            fn write(&self, to: &mut Vec<u8>) {
                let out: fn(&$name) -> $other = $out;
                out(self).write(to);
            }

            fn read(from: &mut Reader) -> Decoded<$name> {
                let make: fn($other) -> Decoded<$name> = $in;
                make(Codec::read(from)?)
            }
        }
    )*};
}

same_as! {
    BufferId: u32, |x| x.0, |x| Ok(BufferId(x));
    Ref: u32, |x| x.0, |x| Ok(Ref(x));
    Id: u32, |x| x.index() as u32, |x| Ok(Id::at(x));
    Shape: Vec<usize>, |x| x.to_vec(), |x| Ok(Shape::from(x));
    Layer: (Vec<Axis>, isize), |x| (x.axes.to_vec(), x.offset),
        |(axes, offset)| Ok(Layer { axes: axes.into_iter().collect(), offset });
    View: Vec<Layer>, |x| x.layers().cloned().collect(),
        |layers| View::from_layers(layers).ok_or("a view reads outside its storage".to_string());
    Granularity: bool, |x| *x == Granularity::PerElement,
        |is_full| Ok(if is_full { Granularity::PerElement } else { Granularity::PerRow });
}

/// Types with a fixed list of values, encoded by index.
macro_rules! choices {
    ($($name:ident: $all:expr;)*) => {$(
        impl Codec for $name {
            fn write(&self, to: &mut Vec<u8>) {
                (*self as usize).write(to);
            }

            fn read(from: &mut Reader) -> Decoded<$name> {
                from.one_of(&$all)
            }
        }
    )*};
}

choices! {
    DType: DType::ALL;
    Scalar: *Scalar::ALL;
    Role: [Role::Data, Role::Param, Role::State];
    ReduceOp: [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min];
}

/// Enums: a tag byte, then the fields of the variant.
macro_rules! variants {
    ($($name:ident { $($number:literal = $variant:ident $fields:tt),* $(,)? })*) => {$(
        impl Codec for $name {
            fn write(&self, to: &mut Vec<u8>) {
                match self {
                    $(variants!(@pattern $name $variant $fields) => {
                        to.push($number);
                        variants!(@write to $fields);
                    })*
                    #[allow(unreachable_patterns, reason = "some enums have no further variants")]
                    _ => unreachable!("this variant cannot be serialized"),
                }
            }

            fn read(from: &mut Reader) -> Decoded<$name> {
                match from.byte()? {
                    $($number => Ok(variants!(@make from $name $variant $fields)),)*
                    other => Err(format!("unknown tag {other}")),
                }
            }
        }
    )*};
    (@pattern $name:ident $variant:ident ()) => { $name::$variant };
    (@pattern $name:ident $variant:ident ($x:ident)) => { $name::$variant($x) };
    (@pattern $name:ident $variant:ident { $($x:ident),* }) => { $name::$variant { $($x),* } };
    (@write $to:ident ()) => {};
    (@write $to:ident ($x:ident)) => { $x.write($to) };
    (@write $to:ident { $($x:ident),* }) => { $($x.write($to);)* };
    (@make $from:ident $name:ident $variant:ident ()) => { $name::$variant };
    (@make $from:ident $name:ident $variant:ident ($x:ident)) => {
        $name::$variant(Codec::read($from)?)
    };
    (@make $from:ident $name:ident $variant:ident { $($x:ident),* }) => {
        $name::$variant { $($x: Codec::read($from)?),* }
    };
}

variants! {
    Place { 0 = Input(n), 1 = Arena(offset) }
    Number { 0 = Bool(x), 1 = Int(x), 2 = Float(x) }
    Body { 0 = Loop(), 1 = Library { op, operands, out } }
    StepOp {
        0 = Load { read, view, fill },
        1 = Const(value),
        2 = Slot(slot),
        3 = Iota { view },
        4 = Bits { draw, seed, view },
        5 = Valid { view },
        6 = Map { function, args },
        7 = Cast(of),
        8 = Reduce { by, of },
        9 = Anchor(),
    }
}

/// Ops, by name and attributes.
impl Codec for Op {
    fn write(&self, to: &mut Vec<u8>) {
        self.name().to_string().write(to);
        let attributes = self.attributes().into_iter();
        attributes.map(|(name, value)| (name.to_string(), value)).collect::<Vec<_>>().write(to);
    }

    fn read(from: &mut Reader) -> Decoded<Op> {
        let name = String::read(from)?;
        let attributes: Vec<(String, Value)> = Codec::read(from)?;
        Op::from_parts(&name, &attributes)
    }
}

/// Maximum nesting of lists: at least that of the attributes of any op.
const MAX_DEPTH: usize = 4;

impl Codec for Value {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Value::Bool(x) => (0u64, *x).write(to),
            Value::Int(x) => (1u64, *x).write(to),
            Value::Float(x) => (2u64, *x).write(to),
            Value::Str(x) => (3u64, x.clone()).write(to),
            Value::DType(x) => (4u64, *x).write(to),
            Value::List(x) => (5u64, x.clone()).write(to),
            other => unreachable!("{other} is not an attribute of an op"),
        }
    }

    fn read(from: &mut Reader) -> Decoded<Value> {
        Ok(match from.byte()? {
            0 => Value::Bool(Codec::read(from)?),
            1 => Value::Int(Codec::read(from)?),
            2 => Value::Float(Codec::read(from)?),
            3 => Value::Str(Codec::read(from)?),
            4 => Value::DType(Codec::read(from)?),
            5 if from.depth < MAX_DEPTH => {
                from.depth += 1;
                let list = Value::List(Codec::read(from)?);
                from.depth -= 1;
                list
            }
            other => return Err(format!("a value with unknown tag {other}")),
        })
    }
}
