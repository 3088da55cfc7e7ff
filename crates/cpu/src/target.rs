//! What the compiler knows about this device.
use crate::interp::PARALLEL_WORK;
use brasa_compile::{Options, Target};

/// This device's features, sizes and costs.
pub fn target() -> Target {
    Target { parallel_work: PARALLEL_WORK, ..Target::default() }
}

/// Compile options for programs that run on this device.
pub fn options() -> Options {
    Options::new(target())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_target_is_the_cpu() {
        assert_eq!(target(), Target::default());
    }
}
