//! What the compiler knows about a device: its features, and the sizes and costs that decide which
//! nodes share a kernel, which values are recomputed and which kernels run concurrently.
use std::ops::RangeInclusive;

/// A device as the compiler sees it. The crate of a device defines its target. All fields are
/// integers, so that a target can be a part of cache keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Whether the device can reduce short rows of a matrix product in the launch that computes
    /// them.
    pub reduces_products: bool,
    /// Merge independent reductions into one launch if it has at most this many inputs. 0 disables.
    /// Useful on devices with a high launch overhead.
    pub joint_inputs: usize,
    /// Whether the device reads everything a row depends on before it writes the row's values. Row
    /// values can then replace the old ones in place.
    pub overwrites_rows: bool,
    /// Whether the device checks the range of indices that simplification turned into masks. A
    /// class out of range is then an error; otherwise it matches no class.
    pub checks_bounds: bool,
    /// Whether matrix products can compute cheap prologues of their operands while packing them.
    pub packs_prologues: bool,
    /// Whether a matrix product can consume rows of another product in the launch that computes
    /// them.
    pub chains_products: bool,
    /// Run independent kernels that are too small for several threads concurrently when at least
    /// this many have similar cost. 0 disables; a budget disables too. 4 on the CPU: two or three
    /// run faster sequentially, as concurrent ones move values between caches.
    pub min_concurrent: usize,
    /// Work from which the device runs a kernel on several threads, in element steps. Such a kernel
    /// is not run concurrently with others.
    pub parallel_work: usize,
    /// Lengths of rows of a matrix product that a launch may reduce with `reduces_products`: long
    /// enough to reduce rows one by one, and short enough that a few dozen rows stay in the L2
    /// cache.
    pub reduced_row_lens: RangeInclusive<usize>,
    /// Rows of a matrix product up to this length stay in cache for any right operand. Longer rows
    /// do only if the right operand has at most `cached_operand_len` elements.
    pub short_row_len: usize,
    /// Elements of a right operand that stays in the L2 cache together with long rows of its result.
    pub cached_operand_len: usize,
    /// Maximum cost of a value that every consumer recomputes, in additions: about one load from
    /// the L2 cache.
    pub max_light_cost: u32,
    /// Cost of a load that hits the cache, in additions.
    pub load_cost: u32,
    /// Cost of a store, in loads. 2 on the CPU: the cache line is fetched before it is written.
    pub store_cost: usize,
    /// Operations that take as long as moving one byte from or to memory: 9 on a 2-core Xeon with
    /// AVX-512 (350 GFLOP/s, 39 GB/s).
    pub flops_per_byte: u32,
}

impl Default for Target {
    /// The target of the CPU device, as `brasa_cpu::target` returns it.
    fn default() -> Target {
        Target {
            reduces_products: true,
            joint_inputs: 0,
            overwrites_rows: false,
            checks_bounds: true,
            packs_prologues: true,
            chains_products: true,
            min_concurrent: 4,
            parallel_work: 1 << 16,
            reduced_row_lens: 32..=2048,
            short_row_len: 512,
            cached_operand_len: 1 << 18,
            max_light_cost: 24,
            load_cost: 4,
            store_cost: 2,
            flops_per_byte: 9,
        }
    }
}
