//! A cache of executables: the second recording of a step finds the first one's program, by the
//! fingerprint that recording has kept up to date all along.
use crate::device::Executable;
use brasa_compile::{Options, compile_with};
use brasa_ir::graph::Fingerprint;
use brasa_ir::{Graph, Id, Result};

/// Executables by what they were compiled from; the one that was not used for longest goes first.
pub struct Cache {
    /// The latest first.
    entries: Vec<Entry>,
    most_entries: usize,
    most_bytes: usize,
    compiled: u64,
}

struct Entry {
    fingerprint: Fingerprint,
    wanted: Box<[Id]>,
    options: Options,
    executable: Box<Executable>,
}

impl Cache {
    /// A cache of at most so many executables, whose arenas take at most so many bytes together.
    /// The one that was asked for last is kept whatever its size.
    pub fn new(most_entries: usize, most_bytes: usize) -> Cache {
        Cache { entries: Vec::new(), most_entries, most_bytes, compiled: 0 }
    }

    /// The executable for `wanted` of a graph, compiled if it is not known yet. Finding one
    /// allocates nothing and does not look at the graph's nodes.
    pub fn get(&mut self, g: &Graph, wanted: &[Id], options: &Options) -> Result<&mut Executable> {
        let fingerprint = g.fingerprint();
        let is_it = |entry: &Entry| {
            entry.fingerprint == fingerprint
                && *entry.wanted == *wanted
                && entry.options == *options
        };
        match self.entries.iter().position(is_it) {
            Some(n) => self.entries[..=n].rotate_right(1),
            None => {
                let program = compile_with(g, wanted, options)?;
                self.compiled += 1;
                let executable = Box::new(Executable::new(program));
                let (wanted, options) = (wanted.into(), options.clone());
                self.entries.insert(0, Entry { fingerprint, wanted, options, executable });
                self.evict();
            }
        }
        Ok(&mut self.entries[0].executable)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many programs it has compiled since it was made.
    pub fn compiled(&self) -> u64 {
        self.compiled
    }

    /// Bytes of all arenas.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.executable.program().arena_bytes).sum()
    }

    fn evict(&mut self) {
        let is_over = |cache: &Cache| {
            cache.len() > cache.most_entries.max(1) || cache.bytes() > cache.most_bytes
        };
        while self.entries.len() > 1 && is_over(self) {
            self.entries.pop();
        }
    }
}

impl Default for Cache {
    /// Room for the programs of a training loop with its evaluations, and a few shapes of each.
    fn default() -> Cache {
        Cache::new(64, 1 << 30)
    }
}
