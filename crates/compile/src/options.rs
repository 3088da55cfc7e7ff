//! How to compile: for which device, within which memory budget, and whether to verify.
use crate::target::Target;

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Maximum bytes of inputs and intermediate values together. Values are recomputed instead of
    /// kept if necessary.
    pub budget: Option<usize>,
    /// Whether to verify the result of each pass. Debug builds always do.
    pub verify: bool,
    /// The device that runs the program.
    pub target: Target,
}

impl Options {
    /// No budget and no verification, for a device.
    pub fn new(target: Target) -> Options {
        Options { budget: None, verify: false, target }
    }
}

impl Default for Options {
    /// No budget and no verification, for the CPU device: its features and numbers.
    fn default() -> Options {
        Options::new(Target::default())
    }
}
