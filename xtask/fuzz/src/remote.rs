//! Engines of the built npm package, in a process of their own: commands go to its stdin, replies come
//! from its stdout. See `packages/brasa/scripts/engine.mjs`.
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

/// How long a graph may take, and an engine to start.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a process may take to end by itself.
const ENDING: Duration = Duration::from_secs(5);

/// An engine that is started again when it has died.
pub struct Remote {
    arguments: Vec<String>,
    engine: RefCell<Option<Engine>>,
}

impl Remote {
    /// Starts the engine that these arguments of the script ask for.
    pub fn open(arguments: &[&str]) -> Result<Remote, String> {
        let arguments: Vec<String> = arguments.iter().map(|word| word.to_string()).collect();
        let engine = Engine::start(&arguments)?;
        Ok(Remote { arguments, engine: RefCell::new(Some(engine)) })
    }

    /// Runs a graph for some steps. An engine that stops, ends or hangs is given up.
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
            Ok((name.to_string(), count.parse().map_err(|_| "a count that is no number")?))
        };
        text.lines().map(path).collect()
    }
}

/// What a process says of a value: its bytes, or why there are none.
type Reply = Result<Vec<u8>, String>;

struct Engine {
    child: Child,
    /// Taken when the process is to end.
    stdin: Option<ChildStdin>,
    replies: Receiver<Result<Reply, Stopped>>,
    /// The number that memory or a program gets next.
    next: u64,
}

/// Why an engine can go on no more.
struct Stopped(String);

impl Engine {
    fn start(arguments: &[String]) -> Result<Engine, String> {
        let mut command = std::process::Command::new("node");
        command.arg(SCRIPT).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("node cannot start: {error}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, replies) = channel();
        std::thread::spawn(move || receive(stdout, &sender));
        let engine = Engine { child, stdin, replies, next: 1 };
        engine.reply()??;
        Ok(engine)
    }

    /// Sends a script and gives a reply for each value that it reads.
    fn ask(&mut self, script: &Script) -> Result<Vec<Reply>, String> {
        self.send(&remote::message(&script.commands))?;
        script.reads.iter().map(|_| self.reply()).collect()
    }

    fn send(&mut self, message: &[u8]) -> Result<(), String> {
        let stdin = self.stdin.as_mut().expect("it has not ended");
        let length = u32::try_from(message.len()).map_err(|_| "the message is too long")?;
        let sent = stdin.write_all(&length.to_le_bytes()).and_then(|()| stdin.write_all(message));
        sent.map_err(|error| format!("the engine takes no message: {error}"))
    }

    fn reply(&self) -> Result<Reply, String> {
        match self.replies.recv_timeout(PATIENCE) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(Stopped(why))) => Err(format!("the engine has stopped: {why}")),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("the engine gave no reply in {} s", PATIENCE.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err("the engine's process has ended".into()),
        }
    }
}

impl Drop for Engine {
    /// A process ends, and closes its browser, when its input ends.
    fn drop(&mut self) {
        drop(self.stdin.take());
        while self.replies.recv_timeout(ENDING).is_ok() {}
        // It may have ended by then, which is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes on what a process says, until it ends.
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

/// The commands that run a graph, as a recorder gives them.
struct Script {
    commands: Vec<Command>,
    /// The types of all values that are read, step by step: outputs, then what the graph writes.
    reads: Vec<Type>,
}

impl Script {
    /// `next` is the first number that is free for memory, programs and replies.
    fn new(case: &Case, steps: usize, next: &mut u64) -> Result<Script, String> {
        let mut number = || {
            *next += 1;
            *next - 1
        };
        let (graph, targets) = with_outputs_written(case);
        let bytes = graph_to_bytes(&graph).map_err(|error| error.to_string())?;
        let program = number();
        let mut commands = vec![Command::Program { program, graph: bytes }];
        let mut memory: HashMap<Id, u64> = HashMap::new();
        for &target in &targets {
            let id = number();
            commands.push(Command::Room { id, bytes: graph[target].ty.bytes() as u64 });
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
                let id = number();
                commands.push(Command::Upload { id, bytes: value.to_bytes() });
                let old = memory.insert(input, id);
                commands.extend(old.map(|id| Command::Free { id }));
            }
            let inputs = remote::inputs(&graph).iter().map(|input| memory[input]).collect();
            commands.push(Command::Run { program, inputs, slots: graph.slots().to_vec() });
            for input in &read {
                commands.push(Command::Read { reply: number(), id: memory[input] });
                reads.push(graph[*input].ty.clone());
            }
        }
        commands.extend(memory.into_values().map(|id| Command::Free { id }));
        commands.push(Command::Forget { program });
        Ok(Script { commands, reads })
    }
}

/// The graph of a case with each output written to an input of its own, as engines know no outputs.
fn with_outputs_written(case: &Case) -> (Graph, Vec<Id>) {
    let g = Recorder::new(case.graph.clone());
    let write = |&output: &Id| {
        let node = &case.graph[output];
        // The value of a write is what is written.
        let value = if matches!(node.op, Op::Write(_)) { node.inputs[1] } else { output };
        let target = g.input("", Role::State, node.ty.clone());
        g.emit(WriteOp {}, &[target, g.expr(value)]);
        target.id()
    };
    let targets = case.outputs.iter().map(write).collect();
    (g.into_graph(), targets)
}
