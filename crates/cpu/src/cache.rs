//! An LRU cache of executables: recording the same step again finds the compiled program by the
//! graph's fingerprint, which the recorder updates with every node.
use crate::device::Executable;
use brasa_compile::{Options, compile_with};
use brasa_ir::graph::Fingerprint;
use brasa_ir::{Graph, Id, Result};

/// Executables, keyed by graph fingerprint, wanted values and options. Evicts the least recently
/// used.
pub struct Cache {
    /// Most recently used first.
    entries: Vec<CacheEntry>,
    max_entries: usize,
    max_bytes: usize,
    compiled: u64,
}

struct CacheEntry {
    fingerprint: Fingerprint,
    wanted: Box<[Id]>,
    options: Options,
    executable: Box<Executable>,
}

impl Cache {
    /// A cache of at most `max_entries` executables, whose arenas take at most `max_bytes` in
    /// total. The most recently used executable is kept whatever its size.
    pub fn new(max_entries: usize, max_bytes: usize) -> Cache {
        Cache { entries: Vec::new(), max_entries, max_bytes, compiled: 0 }
    }

    /// The executable for `wanted` of a graph, compiled if it is not in the cache. A hit allocates
    /// nothing and does not visit the graph's nodes.
    pub fn get(&mut self, g: &Graph, wanted: &[Id], options: &Options) -> Result<&mut Executable> {
        let fingerprint = g.fingerprint();
        let is_it = |entry: &CacheEntry| {
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
                self.entries.insert(0, CacheEntry { fingerprint, wanted, options, executable });
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

    /// Number of programs compiled so far.
    pub fn compiled(&self) -> u64 {
        self.compiled
    }

    /// Total bytes of all arenas.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.executable.program().arena_bytes).sum()
    }

    fn evict(&mut self) {
        let is_over = |cache: &Cache| {
            cache.len() > cache.max_entries.max(1) || cache.bytes() > cache.max_bytes
        };
        while self.entries.len() > 1 && is_over(self) {
            self.entries.pop();
        }
    }
}

impl Default for Cache {
    /// Large enough for the programs of a training loop with its evaluations, at a few shapes
    /// each.
    fn default() -> Cache {
        Cache::new(64, 1 << 30)
    }
}
