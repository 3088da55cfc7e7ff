//! The messages between a recorder and an engine as bytes: commands one way, replies the other.
//! Decoding arbitrary bytes returns messages or an error and never panics.
use crate::{Error, ErrorKind, Result};
use brasa_compile::bytes::{Codec, Decoded, Reader};
use brasa_ir::{Number, Site, Type};

/// An instruction to an engine. Memory and programs are named by unique numbers that the recorder
/// assigns.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the line above each variant describes its fields")]
pub enum Command {
    /// Allocate `bytes` bytes of uninitialized memory.
    Allocate { id: u64, bytes: u64 },
    /// Allocate memory with these bytes.
    Upload { id: u64, bytes: Vec<u8> },
    /// Allocate a copy of `from`.
    Copy { id: u64, from: u64 },
    /// Free memory.
    Free { id: u64 },
    /// Compile the writes of a graph, given by
    /// [`graph_to_bytes`](brasa_compile::bytes::graph_to_bytes).
    Program { program: u64, graph: Vec<u8> },
    /// Compile a program that computes one node of a graph, which has type `ty`. Runs take the
    /// memory for its value after the inputs of the graph.
    Probe { program: u64, node: u64, ty: Type, graph: Vec<u8> },
    /// Run a program on the memory of all inputs of its graph, in order, with these slot values.
    Run { program: u64, inputs: Vec<u64>, slots: Vec<Number> },
    /// Free a program.
    Forget { program: u64 },
    /// Send the bytes of `id` in the reply with this number.
    Read { reply: u64, id: u64 },
}

/// The engine's answer to [`Command::Read`]: bytes, or the error that prevented computing them.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The number that the command specified.
    pub number: u64,
    /// The little-endian bytes of the elements.
    pub value: Result<Vec<u8>>,
}

/// The format version, the first byte of each message.
const VERSION: u8 = 1;

/// Begins a message, to which [`Command::write`] and [`Reply::write`] append.
fn begin(message: &mut Vec<u8>) {
    if message.is_empty() {
        message.push(VERSION);
    }
}

/// Encodes commands as a message.
pub fn message(commands: &[Command]) -> Vec<u8> {
    let mut message = Vec::new();
    commands.iter().for_each(|command| command.write(&mut message));
    message
}

/// Decodes the commands of a message.
pub fn commands(message: &[u8]) -> Result<Vec<Command>> {
    parts(message, "commands", Command::read)
}

/// Decodes the replies of a message.
pub fn replies(message: &[u8]) -> Result<Vec<Reply>> {
    parts(message, "replies", Reply::read)
}

fn parts<T>(
    message: &[u8],
    name: &str,
    read: impl Fn(&mut Reader) -> Decoded<T>,
) -> Result<Vec<T>> {
    let fault = |what: String| Error::data(name, what);
    let Some((&version, rest)) = message.split_first() else { return Ok(Vec::new()) };
    if version != VERSION {
        let what = format!("message version {version}, this build of Brasa expects {VERSION}");
        return Err(fault(what));
    }
    let mut from = Reader::new(rest);
    let mut all = Vec::new();
    while !from.is_at_end() {
        all.push(read(&mut from).map_err(fault)?);
    }
    Ok(all)
}

fn write_bytes(bytes: &[u8], to: &mut Vec<u8>) {
    bytes.len().write(to);
    to.extend(bytes);
}

fn read_bytes(from: &mut Reader) -> Decoded<Vec<u8>> {
    let len = usize::read(from)?;
    Ok(from.take(len)?.to_vec())
}

impl Command {
    /// Appends the command to a message.
    pub fn write(&self, to: &mut Vec<u8>) {
        begin(to);
        match self {
            Command::Allocate { id, bytes } => (0u64, (*id, *bytes)).write(to),
            Command::Upload { id, bytes } => {
                (1u64, *id).write(to);
                write_bytes(bytes, to);
            }
            Command::Copy { id, from } => (2u64, (*id, *from)).write(to),
            Command::Free { id } => (3u64, *id).write(to),
            Command::Program { program, graph } => {
                (4u64, *program).write(to);
                write_bytes(graph, to);
            }
            Command::Run { program, inputs, slots } => {
                (5u64, *program).write(to);
                inputs.write(to);
                slots.write(to);
            }
            Command::Forget { program } => (6u64, *program).write(to),
            Command::Read { reply, id } => (7u64, (*reply, *id)).write(to),
            Command::Probe { program, node, ty, graph } => {
                (8u64, (*program, *node)).write(to);
                ty.write(to);
                write_bytes(graph, to);
            }
        }
    }

    fn read(from: &mut Reader) -> Decoded<Command> {
        Ok(match from.byte()? {
            0 => Command::Allocate { id: Codec::read(from)?, bytes: Codec::read(from)? },
            1 => Command::Upload { id: Codec::read(from)?, bytes: read_bytes(from)? },
            2 => Command::Copy { id: Codec::read(from)?, from: Codec::read(from)? },
            3 => Command::Free { id: Codec::read(from)? },
            4 => Command::Program { program: Codec::read(from)?, graph: read_bytes(from)? },
            5 => Command::Run {
                program: Codec::read(from)?,
                inputs: Codec::read(from)?,
                slots: Codec::read(from)?,
            },
            6 => Command::Forget { program: Codec::read(from)? },
            7 => Command::Read { reply: Codec::read(from)?, id: Codec::read(from)? },
            8 => Command::Probe {
                program: Codec::read(from)?,
                node: Codec::read(from)?,
                ty: Codec::read(from)?,
                graph: read_bytes(from)?,
            },
            other => return Err(format!("unknown command {other}")),
        })
    }
}

const KINDS: [ErrorKind; 6] = [
    ErrorKind::Shape,
    ErrorKind::DType,
    ErrorKind::Argument,
    ErrorKind::Data,
    ErrorKind::Stale,
    ErrorKind::Device,
];

impl Reply {
    /// Appends the reply to a message.
    pub fn write(&self, to: &mut Vec<u8>) {
        begin(to);
        self.number.write(to);
        match &self.value {
            Ok(bytes) => {
                to.push(0);
                write_bytes(bytes, to);
            }
            Err(error) => {
                to.push(1);
                let kind = KINDS.iter().position(|kind| *kind == error.kind());
                kind.unwrap_or_default().write(to);
                let op = error.op().to_string();
                let message = error.message();
                let what = message.strip_prefix(&format!("{op}: ")).unwrap_or(&message).to_string();
                let site = error.site().map_or(String::new(), Site::to_string);
                (op, (what, site)).write(to);
            }
        }
    }

    fn read(from: &mut Reader) -> Decoded<Reply> {
        let number = Codec::read(from)?;
        let value = match from.byte()? {
            0 => Ok(read_bytes(from)?),
            1 => {
                let kind = usize::read(from)?;
                let (op, (what, site)): (String, (String, String)) = Codec::read(from)?;
                let error =
                    match KINDS.get(kind).ok_or_else(|| format!("an error of kind {kind}"))? {
                        ErrorKind::Shape => Error::shape(&op, what),
                        ErrorKind::DType => Error::dtype(&op, what),
                        ErrorKind::Argument => Error::argument(&op, what),
                        ErrorKind::Data => Error::data(&op, what),
                        ErrorKind::Device => Error::device(&op, what),
                        ErrorKind::Stale => Error::stale(&op, what),
                    };
                Err(if site.is_empty() { error } else { error.at(Site::Text(site.into())) })
            }
            other => return Err(format!("unknown reply status {other}")),
        };
        Ok(Reply { number, value })
    }
}
