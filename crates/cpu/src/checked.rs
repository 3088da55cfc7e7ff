//! The checked mode of the CPU: launches run one at a time, and each is compared with its plain meaning.
//! Memory that nothing has written yet holds NaN. Hundreds of times slower than a run.
use crate::device::Executable;
use crate::memory::Buffer;
use crate::pool::Pool;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::{CheckedLaunch, Region, UNWRITTEN};
use brasa_ir::{Array, Number, Result};
use std::ops::Range;

impl Executable {
    /// `run`, with every kernel checked. The first one that gives what its plain meaning does not, or
    /// that writes outside of its results, is an error.
    pub fn run_checked(
        &mut self,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
    ) -> Result<()> {
        self.check(inputs, slots)?;
        self.have_arena()?;
        self.arena.bytes_mut().fill(UNWRITTEN);
        for number in 0..self.program.launches.len() {
            let reads = self.arrays(inputs, &self.program.launches[number].reads);
            let before: Vec<Vec<u8>> =
                self.memory(inputs).map(|buffer| buffer.bytes().to_vec()).collect();
            self.launch(number..number + 1, pool, inputs, slots)?;
            let launch = &self.program.launches[number];
            let writes = self.arrays(inputs, &launch.writes);
            let memory = self.regions(inputs, &before, &launch.writes);
            let (reads, writes, memory) = (&reads, &writes, &memory);
            CheckedLaunch { number, launch, slots, reads, writes, memory }.verdict()?;
        }
        self.copy(inputs);
        Ok(())
    }

    fn arrays(&self, inputs: &[Buffer], ids: &[BufferId]) -> Vec<Array> {
        ids.iter().map(|&id| self.array(inputs, id)).collect()
    }

    /// All memory that a launch could reach: the arena, then the inputs.
    fn memory<'a>(&'a self, inputs: &'a [Buffer]) -> impl Iterator<Item = &'a Buffer> {
        std::iter::once(&self.arena).chain(inputs)
    }

    /// The memory before a launch and now, of which `writes` are the launch's own.
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

    /// The region that a buffer lies in, and its bytes there.
    fn place_of(&self, id: BufferId) -> (usize, Range<usize>) {
        let buffer = &self.program.buffers[id.index()];
        let bytes = buffer.ty.bytes();
        match buffer.place {
            Place::Input(n) => (n + 1, 0..bytes),
            Place::Arena(offset) => (0, offset..offset + bytes),
        }
    }
}
