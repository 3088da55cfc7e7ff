//! Runs engines of the built npm package in a child process: writes commands to its stdin and reads
//! replies from its stdout. See `packages/brasa/scripts/engine.mjs`.
use crate::device::Results;
use crate::generate::Case;
use crate::report::Paths;
use brasa::remote::{self, Command};
use brasa_compile::bytes::graph_to_bytes;
use brasa_ir::ops::{Op, Role, Write as WriteOp};
use brasa_ir::{Array, Graph, Id, Recorder, Type};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

const SCRIPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../packages/brasa/scripts/engine.mjs");

/// The time limit for a graph, and for starting an engine.
const REPLY_TIMEOUT: Duration = Duration::from_secs(60);
/// The time limit for a process to exit by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// An engine that is restarted after it has failed.
pub struct Remote {
    arguments: Vec<String>,
    engine: RefCell<Option<Engine>>,
}

impl Remote {
    /// Starts an engine with these arguments of the script.
    pub fn open(arguments: &[&str]) -> Result<Remote, String> {
        let arguments: Vec<String> = arguments.iter().map(|word| word.to_string()).collect();
        let engine = Engine::start(&arguments)?;
        Ok(Remote { arguments, engine: RefCell::new(Some(engine)) })
    }

    /// Runs a graph for some steps. Drops the engine if it fails, exits or hangs.
    pub fn run(&self, case: &Case, steps: usize) -> Result<Results, String> {
        let mut kept = self.engine.borrow_mut();
        let mut engine = match kept.take() {
            Some(engine) => engine,
            None => Engine::start(&self.arguments)?,
        };
        let script = Script::new(case, steps, &mut engine.next)?;
        let replies = engine.ask(&script)?;
        *kept = Some(engine);
        let values = script.reads.iter().zip(replies);
        let values = values.map(|(ty, reply)| Array::from_bytes(ty, &reply?));
        let values = values.collect::<Result<Vec<Array>, String>>()?;
        let width = values.len() / steps;
        Ok((0..steps).map(|step| values[step * width..][..width].to_vec()).collect())
    }

    /// How often the engine took each fast path, if it counts that.
    pub fn paths(&self) -> Result<Paths, String> {
        let mut kept = self.engine.borrow_mut();
        let Some(engine) = &mut *kept else { return Ok(Vec::new()) };
        engine.send(&[])?;
        let text = String::from_utf8_lossy(&engine.reply()??).into_owned();
        let path = |line: &str| {
            let (count, name) = line.split_once(' ').ok_or("a path without a count")?;
            Ok((name.to_string(), count.parse().map_err(|_| "a count that is not a number")?))
        };
        text.lines().map(path).collect()
    }
}

/// A reply for one value: its bytes, or an error.
type Reply = Result<Vec<u8>, String>;

struct Engine {
    child: Child,
    /// `None` when the process should exit.
    stdin: Option<ChildStdin>,
    replies: Receiver<Result<Reply, Stopped>>,
    /// The next free id for memory, programs and replies.
    next: u64,
}

/// Why an engine has failed.
struct Stopped(String);

impl Engine {
    fn start(arguments: &[String]) -> Result<Engine, String> {
        let mut command = std::process::Command::new("node");
        command.arg(SCRIPT).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot start node: {error}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, replies) = channel();
        std::thread::spawn(move || receive(stdout, &sender));
        let engine = Engine { child, stdin, replies, next: 1 };
        engine.reply()??;
        Ok(engine)
    }

    /// Sends a script and returns a reply for each value that it reads.
    fn ask(&mut self, script: &Script) -> Result<Vec<Reply>, String> {
        self.send(&remote::message(&script.commands))?;
        script.reads.iter().map(|_| self.reply()).collect()
    }

    fn send(&mut self, message: &[u8]) -> Result<(), String> {
        let stdin = self.stdin.as_mut().expect("stdin is open until drop");
        let length = u32::try_from(message.len()).map_err(|_| "the message is too long")?;
        let sent = stdin.write_all(&length.to_le_bytes()).and_then(|()| stdin.write_all(message));
        sent.map_err(|error| format!("cannot send to the engine: {error}"))
    }

    fn reply(&self) -> Result<Reply, String> {
        match self.replies.recv_timeout(REPLY_TIMEOUT) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(Stopped(why))) => Err(format!("the engine has failed: {why}")),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("the engine did not reply within {} s", REPLY_TIMEOUT.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err("the engine's process has exited".into()),
        }
    }
}

impl Drop for Engine {
    /// The process exits, and closes its browser, when its stdin is closed.
    fn drop(&mut self) {
        drop(self.stdin.take());
        while self.replies.recv_timeout(EXIT_TIMEOUT).is_ok() {}
        // Fails if the process has exited already, which is expected.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Forwards replies until the process exits.
fn receive(stdout: ChildStdout, to: &Sender<Result<Reply, Stopped>>) {
    let mut from = BufReader::new(stdout);
    while let Ok(reply) = frame(&mut from) {
        if to.send(reply).is_err() {
            return;
        }
    }
}

/// Reads a reply as `packages/brasa/tests/remote.ts` frames it: length, tag, bytes or text.
fn frame(from: &mut impl Read) -> io::Result<Result<Reply, Stopped>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut tag = [0];
    from.read_exact(&mut tag)?;
    let mut body = vec![0; (u32::from_le_bytes(length) as usize).saturating_sub(1)];
    from.read_exact(&mut body)?;
    Ok(match tag {
        [0] => Ok(Ok(body)),
        [1] => Ok(Err(String::from_utf8_lossy(&body).into_owned())),
        _ => Err(Stopped(String::from_utf8_lossy(&body).into_owned())),
    })
}

/// The commands that run a graph, as a recorder sends them.
struct Script {
    commands: Vec<Command>,
    /// The types of all values that are read, step by step: outputs, then written inputs.
    reads: Vec<Type>,
}

impl Script {
    /// `next` is the first free id for memory, programs and replies.
    fn new(case: &Case, steps: usize, next: &mut u64) -> Result<Script, String> {
        let mut new_id = || {
            *next += 1;
            *next - 1
        };
        let (graph, targets) = with_outputs_written(case);
        let bytes = graph_to_bytes(&graph).map_err(|error| error.to_string())?;
        let program = new_id();
        let mut commands = vec![Command::Program { program, graph: bytes }];
        let mut memory: HashMap<Id, u64> = HashMap::new();
        for &target in &targets {
            let id = new_id();
            commands.push(Command::Allocate { id, bytes: graph[target].ty.bytes() as u64 });
            memory.insert(target, id);
        }
        let read: Vec<Id> =
            targets.into_iter().chain(case.writes().into_iter().map(|(input, _)| input)).collect();
        let mut reads = Vec::new();
        for step in 0..steps {
            for (input, role, value) in case.inputs(step) {
                if step > 0 && role != Role::Data {
                    continue;
                }
                let id = new_id();
                commands.push(Command::Upload { id, bytes: value.to_bytes() });
                let old = memory.insert(input, id);
                commands.extend(old.map(|id| Command::Free { id }));
            }
            let inputs = remote::inputs(&graph).iter().map(|input| memory[input]).collect();
            commands.push(Command::Run { program, inputs, slots: graph.slots().to_vec() });
            for input in &read {
                commands.push(Command::Read { reply: new_id(), id: memory[input] });
                reads.push(graph[*input].ty.clone());
            }
        }
        commands.extend(memory.into_values().map(|id| Command::Free { id }));
        commands.push(Command::Forget { program });
        Ok(Script { commands, reads })
    }
}

/// The graph of a case with each output written to an additional input, since engines have no
/// outputs.
fn with_outputs_written(case: &Case) -> (Graph, Vec<Id>) {
    let g = Recorder::new(case.graph.clone());
    let write = |&output: &Id| {
        let node = &case.graph[output];
        // The value of a write node is the written value.
        let value = if matches!(node.op, Op::Write(_)) { node.inputs[1] } else { output };
        let target = g.input("", Role::State, node.ty.clone());
        g.emit(WriteOp {}, &[target, g.expr(value)]);
        target.id()
    };
    let targets = case.outputs.iter().map(write).collect();
    (g.into_graph(), targets)
}
