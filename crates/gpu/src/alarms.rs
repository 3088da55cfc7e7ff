//! Indices out of range: shaders note them in two words of their executable's arena, and the next
//! read of anything reports them.
use crate::gpu::Gpu;
use crate::memory::WORD;
use brasa_ir::{Error, Result};
use std::sync::{Arc, PoisonError};

/// The words of one executable: the launch that met such an index, counted from 1, and the index.
#[derive(Clone)]
pub(crate) struct Alarm {
    pub(crate) arena: wgpu::Buffer,
    /// The byte of the arena at which they lie.
    pub(crate) at: u64,
    /// The ops of all launches.
    pub(crate) ops: Arc<[&'static str]>,
}

/// Bytes of an alarm.
pub(crate) const ALARM: usize = 2 * WORD;

impl Gpu {
    /// Has the next read look at an alarm.
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
            let Some(launch) = (words[0] as usize).checked_sub(1) else { continue };
            self.queue.write_buffer(&alarm.arena, alarm.at, &[0; ALARM]);
            let what = format!("index {} is out of range", words[1] as i32);
            first = first.and(Err(Error::data(alarm.ops[launch], what)));
        }
        first
    }
}
