//! What an engine would lose with its device: what was saved of it last, and what was done since. From
//! both another device comes to the same state.
use brasa::Error;
use brasa::remote::{Command, message};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Something that was done.
#[derive(Clone)]
pub(super) enum Entry {
    Command(Rc<Command>),
    Upload(u64, Rc<[u8]>),
    /// Memory that holds no value, for this reason.
    Failed(u64, Error),
}

impl From<Command> for Entry {
    fn from(command: Command) -> Entry {
        match command {
            Command::Upload { id, bytes } => Entry::Upload(id, bytes.into()),
            other => Entry::Command(other.into()),
        }
    }
}

/// What a piece of memory held.
pub(super) enum Saved {
    Bytes(Rc<[u8]>),
    Room(usize),
    Failed(Error),
}

#[derive(Default)]
pub(super) struct Journal {
    /// What leads to the state that was saved.
    saved: Vec<Entry>,
    unreported: Option<Error>,
    since: Vec<Entry>,
    bytes: usize,
}

/// What a command takes in the journal beside its bytes, about.
const ENTRY_BYTES: usize = 64;

impl Journal {
    pub(super) fn note(&mut self, entry: Entry) {
        self.bytes += ENTRY_BYTES
            + match &entry {
                Entry::Upload(_, bytes) => bytes.len(),
                Entry::Command(command) => match &**command {
                    Command::Program { graph, .. } | Command::Probe { graph, .. } => graph.len(),
                    Command::Run { inputs, slots, .. } => {
                        size_of_val(&inputs[..]) + size_of_val(&slots[..])
                    }
                    _ => 0,
                },
                Entry::Failed(..) => 0,
            };
        self.since.push(entry);
    }

    /// Begins anew from this state: memory, what makes the programs, and the error that nobody was told.
    pub(super) fn save(
        &mut self,
        memory: Vec<(u64, Saved)>,
        programs: Vec<Rc<Command>>,
        unreported: Option<Error>,
    ) {
        let held = memory.into_iter().map(|(id, saved)| match saved {
            Saved::Bytes(bytes) => Entry::Upload(id, bytes),
            Saved::Room(bytes) => Command::Room { id, bytes: bytes as u64 }.into(),
            Saved::Failed(error) => Entry::Failed(id, error),
        });
        let saved = held.chain(programs.into_iter().map(Entry::Command)).collect();
        *self = Journal { saved, unreported, since: Vec::new(), bytes: 0 };
    }

    /// Bytes that were noted since all was saved.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What was not told when all was saved.
    pub(super) fn unreported(&self) -> Option<Error> {
        self.unreported.clone()
    }

    /// All that leads to the present state.
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.saved.iter().chain(&self.since).cloned().collect()
    }

    /// The same as a message, and how many runs are in it. Memory without a value is left out.
    pub(super) fn legacy(&self) -> (Vec<u8>, usize) {
        let as_command = |entry| match entry {
            Entry::Upload(id, bytes) => Some(Command::Upload { id, bytes: bytes.to_vec() }),
            Entry::Command(command) if matches!(*command, Command::Read { .. }) => None,
            Entry::Command(command) => Some((*command).clone()),
            Entry::Failed(..) => None,
        };
        let commands: Vec<Command> = self.entries().into_iter().filter_map(as_command).collect();
        let runs = commands.iter().filter(|command| matches!(command, Command::Run { .. }));
        (message(&commands), runs.count())
    }
}

/// What a device that is gone held, for an engine of another kind.
#[wasm_bindgen]
pub struct Legacy {
    pub(super) message: Vec<u8>,
    /// How many runs it takes again.
    pub runs: usize,
}

#[wasm_bindgen]
impl Legacy {
    /// The commands that lead to what it held.
    pub fn message(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa::remote::commands;

    #[test]
    fn what_was_saved_and_done_since_leads_to_the_present() {
        let mut journal = Journal::default();
        journal.note(Command::Upload { id: 1, bytes: vec![1; 4] }.into());
        journal.note(Command::Free { id: 1 }.into());
        assert_eq!(journal.bytes(), 2 * ENTRY_BYTES + 4);
        let why = Error::data("engine", "no");
        let memory = vec![
            (2, Saved::Bytes(vec![2; 4].into())),
            (3, Saved::Room(8)),
            (4, Saved::Failed(why.clone())),
        ];
        let program = Command::Program { program: 5, graph: vec![9] };
        journal.save(memory, vec![program.into()], Some(why));
        assert_eq!((journal.bytes(), journal.unreported().is_some()), (0, true));
        journal.note(Command::Run { program: 5, inputs: vec![2, 3], slots: Vec::new() }.into());
        journal.note(Command::Read { reply: 6, id: 3 }.into());
        assert_eq!(journal.entries().len(), 6);
        let (message, runs) = journal.legacy();
        let expected = [
            Command::Upload { id: 2, bytes: vec![2; 4] },
            Command::Room { id: 3, bytes: 8 },
            Command::Program { program: 5, graph: vec![9] },
            Command::Run { program: 5, inputs: vec![2, 3], slots: Vec::new() },
        ];
        assert_eq!(commands(&message).expect("it is a message"), expected);
        assert_eq!(runs, 1);
    }
}
