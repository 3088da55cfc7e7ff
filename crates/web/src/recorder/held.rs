//! The tensors that the page has handles to. JavaScript says late, or never, that it has forgotten one:
//! results of ops are therefore given up, those used longest ago first, where they need too much memory.
use super::slab::Slab;
use brasa::Tensor;

#[derive(Default)]
pub(super) struct Held {
    all: Slab<Entry>,
    /// Bytes of results of ops.
    soft_bytes: usize,
    /// Counts uses.
    clock: u64,
}

struct Entry {
    tensor: Tensor,
    /// The bytes of a result that may be given up.
    soft_bytes: usize,
    used: u64,
}

/// What results of ops may need together: a sixteenth of what wasm can address.
const MOST_SOFT_BYTES: usize = 256 << 20;

impl Held {
    pub(super) fn add(&mut self, tensor: Tensor, is_soft: bool) -> u32 {
        let soft_bytes = if is_soft { tensor.bytes() } else { 0 };
        self.soft_bytes += soft_bytes;
        self.clock += 1;
        self.all.add(Entry { tensor, soft_bytes, used: self.clock })
    }

    pub(super) fn get(&mut self, handle: u32) -> Option<Tensor> {
        self.clock += 1;
        let entry = self.all.get_mut(handle)?;
        entry.used = self.clock;
        Some(entry.tensor.clone())
    }

    pub(super) fn remove(&mut self, handle: u32) -> Option<Tensor> {
        let entry = self.all.remove(handle)?;
        self.soft_bytes -= entry.soft_bytes;
        Some(entry.tensor)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// After a flush: gives up results until they need half of what they may.
    pub(super) fn tidy(&mut self) {
        if self.soft_bytes <= MOST_SOFT_BYTES {
            return;
        }
        let mut soft: Vec<&mut Entry> =
            self.all.iter_mut().filter(|entry| entry.soft_bytes > 0).collect();
        soft.sort_by_key(|entry| entry.used);
        for entry in soft {
            if self.soft_bytes <= MOST_SOFT_BYTES / 2 {
                break;
            }
            if entry.tensor.give_up() {
                self.soft_bytes -= entry.soft_bytes;
                entry.soft_bytes = 0;
            }
        }
    }
}
