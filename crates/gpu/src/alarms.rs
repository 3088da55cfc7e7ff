//! Indices out of range: shaders note them in two words of their executable's arena, and the next
//! read of anything reports them.
use crate::gpu::Gpu;
use crate::memory::WORD;
use brasa_compile::kernel::Body;
use brasa_compile::program::Launch;
use brasa_compile::{Positions, Program};
use brasa_ir::ops::Op;
use brasa_ir::{Error, Result, Site};
use std::sync::{Arc, PoisonError};

/// The words of one executable: the cause that met such an index, counted from 1, and the index.
#[derive(Clone)]
pub(crate) struct Alarm {
    pub(crate) arena: wgpu::Buffer,
    /// The byte of the arena at which they lie.
    pub(crate) at: u64,
    pub(crate) causes: Arc<[Option<Cause>]>,
}

/// What looks at indices, and the call that it was recorded for.
pub(crate) struct Cause {
    positions: Positions,
    call: String,
    site: String,
}

/// Bytes of an alarm.
pub(crate) const ALARM: usize = 2 * WORD;

/// What may raise an alarm: launches by their numbers, then bounds.
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

/// The positions that a launch looks up.
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
    /// Has the next read look at an alarm, also if a read that was to do so has failed.
    pub(crate) fn watch(&self, alarm: &Alarm) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.iter().all(|known| known.arena != alarm.arena) {
            watched.push(alarm.clone());
        }
    }

    pub(crate) fn take_watched(&self) -> Vec<Alarm> {
        std::mem::take(&mut self.watched.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reports the first alarm that was raised, and clears all.
    pub(crate) fn report(&self, alarms: &[Alarm], words: &[u32]) -> Result<()> {
        let mut first = Ok(());
        for (alarm, words) in alarms.iter().zip(words.chunks_exact(2)) {
            let Some(cause) = (words[0] as usize).checked_sub(1) else { continue };
            self.queue.write_buffer(&alarm.arena, alarm.at, &[0; ALARM]);
            if let Some(Some(cause)) = alarm.causes.get(cause) {
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

    /// A read that fails tells of its own trouble; what runs before it met is told by the next.
    #[test]
    #[ignore = "needs an adapter"]
    fn alarms_outlive_a_read_that_fails() {
        let gpu = wait_for(Gpu::new()).expect("there is an adapter");
        let arena = gpu.storage("arena", ALARM).expect("is made");
        gpu.write(&arena, 0, &[1, 0, 0, 0, 7, 0, 0, 0]);
        let ty = Type::new(DType::I64, [3]);
        let (input, index) = (ty.clone(), ty);
        let positions = Positions { op: "gather".to_string(), axis: 0, input, index };
        let cause = Cause { positions, call: "gather".to_string(), site: "a.rs:1:1".to_string() };
        gpu.watch(&Alarm { arena: arena.clone(), at: 0, causes: [Some(cause)].into() });

        let error = wait_for(gpu.read_words(&arena, 1 << 20, 16)).expect_err("lies outside");
        assert_eq!(error.kind(), ErrorKind::Device, "{}", error.message());
        let error = wait_for(gpu.read_words(&arena, 0, ALARM)).expect_err("an index is wrong");
        assert!(error.message().contains("index 7 is out of range"), "{}", error.message());
        let cleared = wait_for(gpu.read_words(&arena, 0, ALARM)).expect("is told once");
        assert_eq!(cleared[..4], [0; 4]);
    }
}
