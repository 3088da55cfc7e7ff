//! The state to restore after a device is lost: the last save, and a log of the commands since.
//! Replaying both brings another device to the same state.
use brasa::Error;
use brasa::remote::{Command, message};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// An entry of the log.
#[derive(Clone)]
pub(super) enum LogEntry {
    Command(Rc<Command>),
    Upload(u64, Rc<[u8]>),
    /// Memory without a value because of this error.
    Failed(u64, Error),
}

impl From<Command> for LogEntry {
    fn from(command: Command) -> LogEntry {
        match command {
            Command::Upload { id, bytes } => LogEntry::Upload(id, bytes.into()),
            other => LogEntry::Command(other.into()),
        }
    }
}

/// The saved content of one allocation.
pub(super) enum SavedMemory {
    Bytes(Rc<[u8]>),
    Allocated(usize),
    Failed(Error),
}

#[derive(Default)]
pub(super) struct ReplayLog {
    /// The entries that restore the save.
    saved: Vec<LogEntry>,
    unreported: Option<Error>,
    since: Vec<LogEntry>,
    bytes: usize,
}

/// The approximate size of an entry without its payload.
const ENTRY_OVERHEAD_BYTES: usize = 64;

impl ReplayLog {
    pub(super) fn push(&mut self, entry: LogEntry) {
        self.bytes += ENTRY_OVERHEAD_BYTES
            + match &entry {
                LogEntry::Upload(_, bytes) => bytes.len(),
                LogEntry::Command(command) => match &**command {
                    Command::Program { graph, .. } | Command::Probe { graph, .. } => graph.len(),
                    Command::Run { inputs, slots, .. } => {
                        size_of_val(&inputs[..]) + size_of_val(&slots[..])
                    }
                    _ => 0,
                },
                LogEntry::Failed(..) => 0,
            };
        self.since.push(entry);
    }

    /// Replaces the log by a save: memory, the commands that create the programs, and the error
    /// that has not been reported yet.
    pub(super) fn save(
        &mut self,
        memory: Vec<(u64, SavedMemory)>,
        programs: Vec<Rc<Command>>,
        unreported: Option<Error>,
    ) {
        let memory = memory.into_iter().map(|(id, saved)| match saved {
            SavedMemory::Bytes(bytes) => LogEntry::Upload(id, bytes),
            SavedMemory::Allocated(bytes) => Command::Allocate { id, bytes: bytes as u64 }.into(),
            SavedMemory::Failed(error) => LogEntry::Failed(id, error),
        });
        let saved = memory.chain(programs.into_iter().map(LogEntry::Command)).collect();
        *self = ReplayLog { saved, unreported, since: Vec::new(), bytes: 0 };
    }

    /// The size of the entries since the last save.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The error that had not been reported at the last save.
    pub(super) fn unreported(&self) -> Option<Error> {
        self.unreported.clone()
    }

    /// All entries that lead to the current state.
    pub(super) fn entries(&self) -> Vec<LogEntry> {
        self.saved.iter().chain(&self.since).cloned().collect()
    }

    /// The entries as a message, and the number of runs in it. Reads and memory without a value
    /// are left out.
    pub(super) fn replay_message(&self) -> (Vec<u8>, usize) {
        let as_command = |entry| match entry {
            LogEntry::Upload(id, bytes) => Some(Command::Upload { id, bytes: bytes.to_vec() }),
            LogEntry::Command(command) if matches!(*command, Command::Read { .. }) => None,
            LogEntry::Command(command) => Some((*command).clone()),
            LogEntry::Failed(..) => None,
        };
        let commands: Vec<Command> = self.entries().into_iter().filter_map(as_command).collect();
        let runs = commands.iter().filter(|command| matches!(command, Command::Run { .. }));
        (message(&commands), runs.count())
    }
}

/// The replay log of a lost device, for an engine of another kind.
#[wasm_bindgen]
pub struct ReplayMessage {
    pub(super) message: Vec<u8>,
    /// The number of runs that it repeats.
    pub runs: usize,
}

#[wasm_bindgen]
impl ReplayMessage {
    /// Takes the commands that restore the state.
    pub fn message(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa::remote::commands;

    #[test]
    fn the_save_and_later_entries_restore_the_current_state() {
        let mut log = ReplayLog::default();
        log.push(Command::Upload { id: 1, bytes: vec![1; 4] }.into());
        log.push(Command::Free { id: 1 }.into());
        assert_eq!(log.bytes(), 2 * ENTRY_OVERHEAD_BYTES + 4);
        let why = Error::data("engine", "no");
        let memory = vec![
            (2, SavedMemory::Bytes(vec![2; 4].into())),
            (3, SavedMemory::Allocated(8)),
            (4, SavedMemory::Failed(why.clone())),
        ];
        let program = Command::Program { program: 5, graph: vec![9] };
        log.save(memory, vec![program.into()], Some(why));
        assert_eq!((log.bytes(), log.unreported().is_some()), (0, true));
        log.push(Command::Run { program: 5, inputs: vec![2, 3], slots: Vec::new() }.into());
        log.push(Command::Read { reply: 6, id: 3 }.into());
        assert_eq!(log.entries().len(), 6);
        let (message, runs) = log.replay_message();
        let expected = [
            Command::Upload { id: 2, bytes: vec![2; 4] },
            Command::Allocate { id: 3, bytes: 8 },
            Command::Program { program: 5, graph: vec![9] },
            Command::Run { program: 5, inputs: vec![2, 3], slots: Vec::new() },
        ];
        assert_eq!(commands(&message).expect("it is a message"), expected);
        assert_eq!(runs, 1);
    }
}
