//! The tensors that the page has handles to. JavaScript says late, or never, that it has forgotten one:
//! results of ops are therefore given up, those used longest ago first, where they need too much memory.
//! What was used since the flush before is spared, and so is what the page keeps.
use super::slab::Slab;
use brasa::Tensor;

pub(super) struct Held {
    all: Slab<Entry>,
    /// Bytes of results of ops.
    soft_bytes: usize,
    /// What they may need together.
    budget: usize,
    /// Counts uses.
    clock: u64,
    /// The clock at the last flush.
    flushed: u64,
}

struct Entry {
    tensor: Tensor,
    /// The bytes of a result that may be given up.
    soft_bytes: usize,
    used: u64,
}

impl Held {
    pub(super) const fn new() -> Held {
        // A quarter of what wasm can address.
        Held { all: Slab::new(), soft_bytes: 0, budget: 1 << 30, clock: 0, flushed: 0 }
    }

    pub(super) fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
    }

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

    /// After a flush: gives up results until they need half of what they may, or all are in use.
    pub(super) fn tidy(&mut self) {
        let before = std::mem::replace(&mut self.flushed, self.clock);
        if self.soft_bytes <= self.budget {
            return;
        }
        let is_idle = |entry: &&mut Entry| entry.soft_bytes > 0 && entry.used <= before;
        let mut idle: Vec<&mut Entry> = self.all.iter_mut().filter(is_idle).collect();
        idle.sort_unstable_by_key(|entry| entry.used);
        for entry in idle {
            if self.soft_bytes <= self.budget / 2 {
                break;
            }
            if entry.tensor.give_up() {
                self.soft_bytes -= entry.soft_bytes;
                entry.soft_bytes = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> Tensor {
        let x = Tensor::new([1.0f32, 2.0]) * 2.0;
        brasa::flush();
        x
    }

    #[test]
    fn what_is_in_use_or_kept_is_spared() {
        let mut held = Held::new();
        held.set_budget(8);
        let [used, idle, kept] = [(); 3].map(|()| held.add(result(), true));
        let hard = held.add(result(), false);
        held.get(kept).expect("it is there").keep();
        let is_stale =
            |held: &mut Held, n| held.get(n).expect("it is there").to_vec::<f32>().is_err();
        held.tidy();
        let entry = |held: &mut Held, n| held.all.get_mut(n).expect("it is there").tensor.clone();
        assert!([used, idle, kept].iter().all(|n| entry(&mut held, *n).fault().is_none()));
        for _ in 0..3 {
            held.get(used);
            held.tidy();
        }
        let stale = [used, idle, kept, hard].map(|n| is_stale(&mut held, n));
        assert_eq!(stale, [false, true, false, false]);
    }
}
