//! The tensors that the page has handles to. JavaScript releases handles late or never, so
//! results of ops are evicted, least recently used first, when they exceed the memory budget.
//! Results that were used since the previous flush, and tensors that the page keeps, are not
//! evicted.
use super::slab::Slab;
use brasa::Tensor;

pub(super) struct TensorTable {
    all: Slab<TensorEntry>,
    /// Bytes of all evictable results.
    evictable_bytes: usize,
    /// The limit of `evictable_bytes`.
    budget: usize,
    /// Incremented with each use.
    clock: u64,
    /// The clock at the last flush.
    flushed: u64,
}

struct TensorEntry {
    tensor: Tensor,
    /// The bytes of an evictable result, else 0.
    evictable_bytes: usize,
    used: u64,
}

impl TensorTable {
    pub(super) const fn new() -> TensorTable {
        // A quarter of wasm's address space.
        TensorTable { all: Slab::new(), evictable_bytes: 0, budget: 1 << 30, clock: 0, flushed: 0 }
    }

    pub(super) fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
    }

    pub(super) fn add(&mut self, tensor: Tensor, is_evictable: bool) -> u32 {
        let evictable_bytes = if is_evictable { tensor.bytes() } else { 0 };
        self.evictable_bytes += evictable_bytes;
        self.clock += 1;
        self.all.add(TensorEntry { tensor, evictable_bytes, used: self.clock })
    }

    pub(super) fn get(&mut self, handle: u32) -> Option<Tensor> {
        self.clock += 1;
        let entry = self.all.get_mut(handle)?;
        entry.used = self.clock;
        Some(entry.tensor.clone())
    }

    pub(super) fn remove(&mut self, handle: u32) -> Option<Tensor> {
        let entry = self.all.remove(handle)?;
        self.evictable_bytes -= entry.evictable_bytes;
        Some(entry.tensor)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// After a flush: evicts results until they take half of the budget, or all are in use.
    pub(super) fn evict(&mut self) {
        let before = std::mem::replace(&mut self.flushed, self.clock);
        if self.evictable_bytes <= self.budget {
            return;
        }
        let is_idle = |entry: &&mut TensorEntry| entry.evictable_bytes > 0 && entry.used <= before;
        let mut idle: Vec<&mut TensorEntry> = self.all.iter_mut().filter(is_idle).collect();
        idle.sort_unstable_by_key(|entry| entry.used);
        for entry in idle {
            if self.evictable_bytes <= self.budget / 2 {
                break;
            }
            if entry.tensor.evict() {
                self.evictable_bytes -= entry.evictable_bytes;
                entry.evictable_bytes = 0;
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
    fn tensors_in_use_or_kept_are_not_evicted() {
        let mut table = TensorTable::new();
        table.set_budget(8);
        let [used, idle, kept] = [(); 3].map(|()| table.add(result(), true));
        let pinned = table.add(result(), false);
        table.get(kept).expect("it is there").keep();
        let is_stale = |table: &mut TensorTable, n| {
            table.get(n).expect("it is there").to_vec::<f32>().is_err()
        };
        table.evict();
        let entry =
            |table: &mut TensorTable, n| table.all.get_mut(n).expect("it is there").tensor.clone();
        assert!([used, idle, kept].iter().all(|n| entry(&mut table, *n).fault().is_none()));
        for _ in 0..3 {
            table.get(used);
            table.evict();
        }
        let stale = [used, idle, kept, pinned].map(|n| is_stale(&mut table, n));
        assert_eq!(stale, [false, true, false, false]);
    }
}
