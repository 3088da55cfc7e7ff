//! Checked mode: launches run one at a time, and the result of each is compared with the reference
//! evaluation. Memory not yet written holds NaN. Hundreds of times slower than a normal run.
use crate::device::Executable;
use crate::memory::Buffer;
use crate::pool::Pool;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::{CheckedLaunch, Region, UNWRITTEN};
use brasa_ir::{Array, Number, Result};
use std::ops::Range;

impl Executable {
    /// Runs the program and checks every kernel. Returns an error for the first kernel whose
    /// result differs from the reference evaluation or that writes outside of its results.
    pub fn run_checked(
        &mut self,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
    ) -> Result<()> {
        self.check(inputs, slots)?;
        self.allocate_arena()?;
        self.arena.bytes_mut().fill(UNWRITTEN);
        for number in 0..self.program.launches.len() {
            let reads = self.arrays(inputs, &self.program.launches[number].reads);
            let before: Vec<Vec<u8>> =
                self.memory(inputs).map(|buffer| buffer.bytes().to_vec()).collect();
            self.launch_wave(number..number + 1, pool, inputs, slots)?;
            let launch = &self.program.launches[number];
            let writes = self.arrays(inputs, &launch.writes);
            let memory = self.regions(inputs, &before, &launch.writes);
            let (reads, writes, memory) = (&reads, &writes, &memory);
            CheckedLaunch { number, launch, slots, reads, writes, memory }.verdict()?;
        }
        self.copy_writes(inputs);
        Ok(())
    }

    fn arrays(&self, inputs: &[Buffer], ids: &[BufferId]) -> Vec<Array> {
        ids.iter().map(|&id| self.value(inputs, id)).collect()
    }

    /// All memory that a launch can reach: the arena, then the inputs.
    fn memory<'a>(&'a self, inputs: &'a [Buffer]) -> impl Iterator<Item = &'a Buffer> {
        std::iter::once(&self.arena).chain(inputs)
    }

    /// The memory before and after a launch, with the ranges that the launch owns (`writes`).
    fn regions<'a>(
        &'a self,
        inputs: &'a [Buffer],
        before: &'a [Vec<u8>],
        writes: &[BufferId],
    ) -> Vec<Region<'a>> {
        let owned = |region: usize| -> Vec<Range<usize>> {
            let places = writes.iter().map(|&id| self.place_of(id));
            places.filter(|(of, _)| *of == region).map(|(_, bytes)| bytes).collect()
        };
        let name = |region: usize| match region {
            0 => "the arena".to_string(),
            n => format!("input {}", n - 1),
        };
        let pairs = self.memory(inputs).zip(before).enumerate();
        pairs
            .map(|(n, (now, before))| Region {
                name: name(n),
                before,
                now: now.bytes(),
                owned: owned(n),
            })
            .collect()
    }

    /// The region of a buffer (0 is the arena, `n + 1` is input `n`), and its bytes there.
    fn place_of(&self, id: BufferId) -> (usize, Range<usize>) {
        let buffer = &self.program.buffers[id.index()];
        let bytes = buffer.ty.bytes();
        match buffer.place {
            Place::Input(n) => (n + 1, 0..bytes),
            Place::Arena(offset) => (0, offset..offset + bytes),
        }
    }
}
