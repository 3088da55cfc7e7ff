//! How to compile: the memory budget, and what the device can do.

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Maximum bytes of inputs and intermediate values together. Values are recomputed instead of
    /// kept if necessary.
    pub budget: Option<usize>,
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
    /// this many have similar cost. 0 disables; a budget disables too.
    pub min_concurrent: usize,
    /// Whether to verify the result of each pass. Debug builds always do.
    pub verify: bool,
}

impl Default for Options {
    /// No budget, and the features of the CPU device.
    fn default() -> Options {
        Options {
            budget: None,
            reduces_products: true,
            joint_inputs: 0,
            overwrites_rows: false,
            checks_bounds: true,
            packs_prologues: true,
            chains_products: true,
            // Two or three run faster sequentially: concurrent ones move values between caches.
            min_concurrent: 4,
            verify: false,
        }
    }
}
