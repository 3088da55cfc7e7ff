//! The checked mode: compares the results of every kernel with the reference evaluation.
use crate::{Error, Result};
use std::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;
static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Turns the checked mode on or off for the whole process. By default it is on if the environment
/// variable `BRASA_CHECK` is 1. In the checked mode every kernel, on the CPU and on the GPU, is
/// recomputed by the reference, and the first result that disagrees is an error that names op, line
/// and element. Uninitialized memory holds NaN, and a kernel that writes beyond its results is an
/// error too. It is hundreds of times slower: use it to find out whether a surprising result is due
/// to the model or to Brasa.
pub fn set_checked(is_on: bool) {
    MODE.store(if is_on { ON } else { OFF }, Ordering::Relaxed);
}

/// Whether runs are checked.
pub(super) fn is_checked() -> Result<bool> {
    match MODE.load(Ordering::Relaxed) {
        UNKNOWN => {
            let is_on = read_environment()?;
            set_checked(is_on);
            Ok(is_on)
        }
        mode => Ok(mode == ON),
    }
}

/// Reads the environment variable.
fn read_environment() -> Result<bool> {
    match std::env::var("BRASA_CHECK").as_deref() {
        Ok("1") => Ok(true),
        Ok("0" | "") | Err(_) => Ok(false),
        Ok(other) => {
            let what = format!("the variable BRASA_CHECK is '{other}'");
            Err(Error::argument("run", what).help("set it to 1 or 0"))
        }
    }
}
