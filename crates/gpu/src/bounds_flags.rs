//! Reports indices out of range: shaders write them to two words in their executable's arena (the
//! bounds flag), and the next read of any tensor turns them into an error.
use crate::gpu::Gpu;
use crate::memory::WORD;
use brasa_compile::kernel::Body;
use brasa_compile::program::Launch;
use brasa_compile::{Positions, Program};
use brasa_ir::ops::Op;
use brasa_ir::{Error, Result, Site};
use std::sync::{Arc, PoisonError};

/// The bounds flag of one executable: two words, the number of the cause (from 1, 0 for none) and
/// the offending index.
#[derive(Clone)]
pub(crate) struct BoundsFlag {
    pub(crate) arena: wgpu::Buffer,
    /// Byte offset of the flag in `arena`.
    pub(crate) at: u64,
    pub(crate) causes: Arc<[Option<Cause>]>,
}

/// A launch or a bound that checks indices, and the user's call that it belongs to.
pub(crate) struct Cause {
    positions: Positions,
    call: String,
    site: String,
}

/// Bytes of a flag.
pub(crate) const FLAG_BYTES: usize = 2 * WORD;

/// The possible causes in the order of their numbers: launches, then bounds.
pub(crate) fn causes(program: &Program) -> Arc<[Option<Cause>]> {
    let launches = program.launches.iter().map(|launch| {
        let (call, site) = (launch.call.clone(), launch.site.clone());
        Some(Cause { positions: positions(launch)?, call, site })
    });
    let bounds = program.bounds.iter().map(|bound| {
        let (call, site) = (bound.call.clone(), bound.site.clone());
        Some(Cause { positions: bound.positions.clone(), call, site })
    });
    launches.chain(bounds).collect()
}

/// The positions that a launch looks up, if it is a gather or scatter.
fn positions(launch: &Launch) -> Option<Positions> {
    let Body::Library { op, operands, .. } = &launch.kernel.body else { return None };
    let axis = match op {
        Op::Gather(gather) => gather.axis,
        Op::Scatter(scatter) => scatter.axis,
        _ => return None,
    };
    let (input, index) = (operands[0].ty.clone(), operands[1].ty.clone());
    Some(Positions { op: op.name().to_string(), axis, input, index })
}

impl Cause {
    fn error(&self, index: i64) -> Error {
        let error = self.positions.out_of_range(index);
        error.within(&self.call).at(Site::Text(self.site.as_str().into()))
    }
}

impl Gpu {
    /// Makes the next read check a flag. Also used to put a flag back after a failed read.
    pub(crate) fn watch_flag(&self, flag: &BoundsFlag) {
        let mut watched = self.watched_flags.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.iter().all(|known| known.arena != flag.arena) {
            watched.push(flag.clone());
        }
    }

    pub(crate) fn take_watched_flags(&self) -> Vec<BoundsFlag> {
        std::mem::take(&mut self.watched_flags.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Clears all raised flags and returns the error of the first one.
    pub(crate) fn report_flags(&self, flags: &[BoundsFlag], words: &[u32]) -> Result<()> {
        let mut first = Ok(());
        for (flag, words) in flags.iter().zip(words.chunks_exact(2)) {
            let Some(cause) = (words[0] as usize).checked_sub(1) else { continue };
            self.queue.write_buffer(&flag.arena, flag.at, &[0; FLAG_BYTES]);
            if let Some(Some(cause)) = flag.causes.get(cause) {
                first = first.and(Err(cause.error(words[1] as i32 as i64)));
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait_for;
    use brasa_ir::{DType, ErrorKind, Type};

    /// A failed read reports its own error and keeps the flags for the next read.
    #[test]
    #[ignore = "needs an adapter"]
    fn a_failed_read_keeps_the_flags_for_the_next_read() {
        let gpu = wait_for(Gpu::new()).expect("there is an adapter");
        let arena = gpu.storage("arena", FLAG_BYTES).expect("allocates");
        gpu.write(&arena, 0, &[1, 0, 0, 0, 7, 0, 0, 0]);
        let ty = Type::new(DType::I64, [3]);
        let (input, index) = (ty.clone(), ty);
        let positions = Positions { op: "gather".to_string(), axis: 0, input, index };
        let cause = Cause { positions, call: "gather".to_string(), site: "a.rs:1:1".to_string() };
        gpu.watch_flag(&BoundsFlag { arena: arena.clone(), at: 0, causes: [Some(cause)].into() });

        let error = wait_for(gpu.read_words(&arena, 1 << 20, 16))
            .expect_err("the range is outside of the buffer");
        assert_eq!(error.kind(), ErrorKind::Device, "{}", error.message());
        let error = wait_for(gpu.read_words(&arena, 0, FLAG_BYTES)).expect_err("an index is wrong");
        assert!(error.message().contains("index 7 is out of range"), "{}", error.message());
        let cleared =
            wait_for(gpu.read_words(&arena, 0, FLAG_BYTES)).expect("the flag was cleared");
        assert_eq!(cleared[..4], [0; 4]);
    }
}
