//! Programs and graphs as bytes: a head with the build that wrote them and a checksum, then every
//! field in order, numbers in as few bytes as they need. Whatever the bytes are, reading them ends in
//! a checked program or in an error, and takes no more memory than a small multiple of their number.
mod graph;

pub use graph::{graph_from_bytes, graph_to_bytes};

use crate::bound::{Bound, Positions};
use crate::budget::Recomputed;
use crate::check::check;
use crate::kernel::{
    Body, Code, Domain, DomainAxis, Kernel, Level, Operand, Ref, Step, What, Work,
};
use crate::plan::{Buffer, BufferId, Place};
use crate::program::{Launch, Program, ProgramInput};
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::{Op, ReduceOp, Role, Scalar};
use brasa_ir::view::{Axis, Layer, View};
use brasa_ir::{DType, Error, Id, Number, Result, Shape, Type, Value};
use std::hash::Hasher;

/// Says that these bytes are a program.
const MAGIC: &[u8; 8] = b"brasa\0p\x01";

impl Program {
    /// The program as bytes, for the same build of Brasa to read.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let ops = self.launches.iter().filter_map(|launch| match &launch.kernel.body {
            Body::Library { op: op @ Op::Custom(_), .. } => Some(op.name()),
            _ => None,
        });
        if let Some(name) = ops.into_iter().next() {
            let what = format!("the custom op '{name}' has no form in bytes");
            return Err(Error::argument("program", what));
        }
        let mut body = Vec::new();
        self.write(&mut body);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(build().to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        Ok(bytes)
    }

    /// The program that these bytes hold. Fails where they are damaged, of another build, or do not
    /// describe a program that is safe to run.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program> {
        let body = body(bytes, MAGIC, "program")?;
        let mut from = Reader::new(body);
        let program = Program::read(&mut from).and_then(|program| match from.rest {
            [] => check(&program, false).map(|()| program),
            _ => Err("bytes follow the end".to_string()),
        });
        let invalid = |what| Error::data("program", format!("the program is not valid: {what}"));
        program.map_err(invalid)
    }
}

/// What follows the head, which must be that of this build.
fn body<'a>(bytes: &'a [u8], magic: &[u8; 8], what: &str) -> Result<&'a [u8]> {
    let fault = |why: String| Err(Error::data(what, why));
    let Some((head, body)) = bytes.split_at_checked(24).filter(|(h, _)| h.starts_with(magic))
    else {
        return fault(format!("these bytes hold no {what}"));
    };
    let word = |at: usize| {
        let word = head[at..at + 8].try_into();
        u64::from_le_bytes(word.expect("eight bytes"))
    };
    if word(8) != build() {
        return fault(format!("another build of Brasa wrote this {what}; compile it anew"));
    }
    if word(16) != checksum(body) {
        return fault(format!("the {what} is damaged: its checksum is another"));
    }
    Ok(body)
}

/// Stands for everything that the meaning of the bytes depends on: the version of the library, the
/// names of its ops in order, and the form itself.
fn build() -> u64 {
    let mut hash = Fingerprint::default();
    hash.write(env!("CARGO_PKG_VERSION").as_bytes());
    Scalar::ALL.iter().for_each(|row| hash.write(row.def().name.as_bytes()));
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

/// A part, or why the bytes hold none.
pub type Read<T> = std::result::Result<T, String>;

/// Bytes that are read from the front.
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

    pub fn take(&mut self, len: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or("it ends early")?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Read<u8> {
        Ok(self.take(1)?[0])
    }

    /// One of a list, by its number.
    fn one_of<T: Copy>(&mut self, all: &[T]) -> Read<T> {
        let n = usize::read(self)?;
        all.get(n).copied().ok_or_else(|| format!("choice {n} of {}", all.len()))
    }
}

/// A part of what is written.
pub trait Part: Sized {
    fn write(&self, to: &mut Vec<u8>);
    fn read(from: &mut Reader) -> Read<Self>;
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
impl Part for u64 {
    fn write(&self, to: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 128 {
            to.push(rest as u8 | 128);
            rest >>= 7;
        }
        to.push(rest as u8);
    }

    fn read(from: &mut Reader) -> Read<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = from.byte()?;
            number |= ((byte & 127) as u64) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err("a number without end".to_string())
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Part for $ty {
            fn write(&self, to: &mut Vec<u8>) {
                (*self as u64).write(to);
            }

            fn read(from: &mut Reader) -> Read<$ty> {
                let number = u64::read(from)?;
                <$ty>::try_from(number).map_err(|_| format!("{number} is too large"))
            }
        }
    )*};
}
numbers!(usize, u32);

/// Small numbers of either sign are short.
impl Part for i64 {
    fn write(&self, to: &mut Vec<u8>) {
        (((self << 1) ^ (self >> 63)) as u64).write(to);
    }

    fn read(from: &mut Reader) -> Read<i64> {
        let folded = u64::read(from)?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }
}

impl Part for isize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as i64).write(to);
    }

    fn read(from: &mut Reader) -> Read<isize> {
        isize::try_from(i64::read(from)?).map_err(|_| "a number is too large".to_string())
    }
}

impl Part for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(*self as u8);
    }

    fn read(from: &mut Reader) -> Read<bool> {
        from.one_of(&[false, true])
    }
}

impl Part for f64 {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.to_le_bytes());
    }

    fn read(from: &mut Reader) -> Read<f64> {
        Ok(f64::from_le_bytes(from.take(8)?.try_into().expect("eight bytes")))
    }
}

impl Part for String {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        to.extend(self.as_bytes());
    }

    fn read(from: &mut Reader) -> Read<String> {
        let len = usize::read(from)?;
        let text = std::str::from_utf8(from.take(len)?);
        Ok(text.map_err(|_| "a text that is none")?.to_string())
    }
}

impl<T: Part> Part for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(from: &mut Reader) -> Read<Vec<T>> {
        let len = usize::read(from)?;
        // Every item is at least a byte, so what is not there is not allocated.
        let mut items = Vec::new();
        for _ in 0..len {
            items.push(T::read(from)?);
        }
        Ok(items)
    }
}

impl<T: Part> Part for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(from: &mut Reader) -> Read<Option<T>> {
        let is_some = bool::read(from)?;
        is_some.then(|| T::read(from)).transpose()
    }
}

impl<A: Part, B: Part> Part for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader) -> Read<(A, B)> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

/// Parts that are a list of fields.
macro_rules! fields {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl Part for $name {
            fn write(&self, to: &mut Vec<u8>) {
                $(self.$field.write(to);)*
            }

            fn read(from: &mut Reader) -> Read<$name> {
                Ok($name { $($field: Part::read(from)?),* })
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
    Kernel { body, domain, code, reads, writes, nodes, why, is_beside }
    Domain { axes }
    DomainAxis { len, is_reduced }
    Code { steps, stores }
    Step { what, dtype, level }
    Operand { read, ty, view, work }
    Work { body, domain, code }
    Type { dtype, shape }
    Axis { len, stride, lo, hi }
}

/// Parts that are another part in disguise.
macro_rules! same_as {
    ($($name:ty: $other:ty, $out:expr, $in:expr;)*) => {$(
        impl Part for $name {
            fn write(&self, to: &mut Vec<u8>) {
                let out: fn(&$name) -> $other = $out;
                out(self).write(to);
            }

            fn read(from: &mut Reader) -> Read<$name> {
                let make: fn($other) -> Read<$name> = $in;
                make(Part::read(from)?)
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
        |layers| View::from_layers(layers).ok_or("a view leaves what it reads".to_string());
    Level: bool, |x| *x == Level::Full,
        |is_full| Ok(if is_full { Level::Full } else { Level::Row });
}

/// Parts that are one of a list.
macro_rules! choices {
    ($($name:ident: $all:expr;)*) => {$(
        impl Part for $name {
            fn write(&self, to: &mut Vec<u8>) {
                (*self as usize).write(to);
            }

            fn read(from: &mut Reader) -> Read<$name> {
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

/// Parts of several forms: each a number and its fields.
macro_rules! forms {
    ($($name:ident { $($number:literal = $variant:ident $fields:tt),* $(,)? })*) => {$(
        impl Part for $name {
            fn write(&self, to: &mut Vec<u8>) {
                match self {
                    $(forms!(@pattern $name $variant $fields) => {
                        to.push($number);
                        forms!(@write to $fields);
                    })*
                    #[allow(unreachable_patterns, reason = "lists without an end have no others")]
                    _ => unreachable!("it has no form in bytes"),
                }
            }

            fn read(from: &mut Reader) -> Read<$name> {
                match from.byte()? {
                    $($number => Ok(forms!(@make from $name $variant $fields)),)*
                    other => Err(format!("form {other}")),
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
        $name::$variant(Part::read($from)?)
    };
    (@make $from:ident $name:ident $variant:ident { $($x:ident),* }) => {
        $name::$variant { $($x: Part::read($from)?),* }
    };
}

forms! {
    Place { 0 = Input(n), 1 = Arena(offset) }
    Number { 0 = Bool(x), 1 = Int(x), 2 = Float(x) }
    Body { 0 = Loop(), 1 = Library { op, operands, out } }
    What {
        0 = Load { read, view, fill },
        1 = Const(value),
        2 = Slot(slot),
        3 = Iota { view },
        4 = Bits { draw, seed, view },
        5 = Valid { view },
        6 = Map { row, args },
        7 = Cast(of),
        8 = Reduce { by, of },
        9 = Anchor(),
    }
}

/// Library ops, by name and attributes.
impl Part for Op {
    fn write(&self, to: &mut Vec<u8>) {
        self.name().to_string().write(to);
        let attributes = self.attributes().into_iter();
        attributes.map(|(name, value)| (name.to_string(), value)).collect::<Vec<_>>().write(to);
    }

    fn read(from: &mut Reader) -> Read<Op> {
        let name = String::read(from)?;
        let attributes: Vec<(String, Value)> = Part::read(from)?;
        Op::from_parts(&name, &attributes)
    }
}

/// Lists in lists go no deeper than those of any op.
const DEEPEST: usize = 4;

impl Part for Value {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Value::Bool(x) => (0u64, *x).write(to),
            Value::Int(x) => (1u64, *x).write(to),
            Value::Float(x) => (2u64, *x).write(to),
            Value::Str(x) => (3u64, x.clone()).write(to),
            Value::DType(x) => (4u64, *x).write(to),
            Value::List(x) => (5u64, x.clone()).write(to),
            other => unreachable!("{other} is no attribute of a library op"),
        }
    }

    fn read(from: &mut Reader) -> Read<Value> {
        Ok(match from.byte()? {
            0 => Value::Bool(Part::read(from)?),
            1 => Value::Int(Part::read(from)?),
            2 => Value::Float(Part::read(from)?),
            3 => Value::Str(Part::read(from)?),
            4 => Value::DType(Part::read(from)?),
            5 if from.depth < DEEPEST => {
                from.depth += 1;
                let list = Value::List(Part::read(from)?);
                from.depth -= 1;
                list
            }
            other => return Err(format!("a value of form {other}")),
        })
    }
}
