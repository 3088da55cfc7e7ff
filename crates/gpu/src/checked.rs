//! The checked mode of the GPU: submits launches one at a time, reads all memory back after each,
//! and compares the results with the reference. Memory that no launch has written yet holds NaN.
use crate::bounds_flags::FLAG_BYTES;
use crate::executable::Executable;
use crate::memory::{Buffer, bytes, to_array};
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::{CheckedLaunch, Region, UNWRITTEN};
use brasa_ir::{Array, Number, Result};
use std::ops::Range;

/// The bytes of all memory that a launch can reach: the pages of the arena, then the inputs.
type Snapshot = Vec<Vec<u8>>;

impl Executable {
    /// `run`, with every launch checked. Fails at the first launch whose results differ from the
    /// reference, or that writes outside of its outputs.
    pub async fn run_checked(&mut self, inputs: &[&Buffer], slots: &[Number]) -> Result<()> {
        let encoder = self.begin(inputs, slots)?;
        self.fill_arena();
        self.gpu.queue.submit([encoder.finish()]);
        let mut before = self.snapshot(inputs).await?;
        for number in 0..self.program().launches.len() {
            self.launch(number, inputs).await?;
            let now = self.snapshot(inputs).await?;
            let launch = &self.program().launches[number];
            let reads = &self.arrays(&before, &launch.reads)?;
            let writes = &self.arrays(&now, &launch.writes)?;
            let memory = &self.regions(&before, &now, &launch.writes);
            CheckedLaunch { number, launch, slots, reads, writes, memory }.verdict()?;
            before = now;
        }
        let encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.end(encoder, inputs).await
    }

    /// Marks the arena as unwritten, except for a bounds flag that has not been reported yet.
    fn fill_arena(&self) {
        let flag = self.flag_bytes();
        for (n, page) in self.arena.iter().enumerate() {
            let size = page.size() as usize;
            let fill = |range: Range<usize>| {
                self.gpu.write(page, range.start, &vec![UNWRITTEN; range.len()]);
            };
            match flag {
                (page, ref flag) if page == n => {
                    fill(0..flag.start);
                    fill(flag.end..size);
                }
                _ => fill(0..size),
            }
        }
    }

    /// Runs the shaders of one launch of the program, and makes the next read check its flag.
    async fn launch(&self, number: usize, inputs: &[&Buffer]) -> Result<()> {
        let own = |n: &usize| self.shaders.launches[*n].number == number;
        for n in (0..self.shaders.launches.len()).filter(own) {
            self.run_on_cpu(n, inputs).await?;
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.encode_pass(&mut encoder, n..n + 1, None);
            self.gpu.queue.submit([encoder.finish()]);
        }
        self.watch_flag();
        Ok(())
    }

    async fn snapshot(&self, inputs: &[&Buffer]) -> Result<Snapshot> {
        let inputs = inputs.iter().map(|input| &input.buffer);
        let mut snapshot = Vec::new();
        for buffer in self.arena.iter().chain(inputs) {
            snapshot.push(self.gpu.read_words(buffer, 0, buffer.size() as usize).await?);
        }
        Ok(snapshot)
    }

    fn arrays(&self, memory: &Snapshot, ids: &[BufferId]) -> Result<Vec<Array>> {
        let array = |&id: &BufferId| {
            let ty = &self.program().buffers[id.index()].ty;
            let (region, bytes) = self.region_of(id);
            let held = if ty.elements() == 0 { &[] } else { &memory[region][bytes] };
            to_array(ty, held.to_vec())
        };
        ids.iter().map(array).collect()
    }

    /// The memory before and after a launch, with the ranges that the launch may write: its
    /// outputs, the flag and scratch.
    fn regions<'a>(
        &self,
        before: &'a Snapshot,
        now: &'a Snapshot,
        writes: &[BufferId],
    ) -> Vec<Region<'a>> {
        let mut owned: Vec<(usize, Range<usize>)> =
            writes.iter().map(|&id| self.region_of(id)).collect();
        let (page, flag) = self.flag_bytes();
        owned.push((page, flag.start..self.arena[page].size() as usize));
        let pages = self.arena.len();
        let name = |n: usize| match n.checked_sub(pages) {
            Some(input) => format!("input {input}"),
            None => format!("page {n} of the arena"),
        };
        let own = |n: usize| owned.iter().filter(move |(region, _)| *region == n);
        let pairs = before.iter().zip(now).enumerate();
        pairs
            .map(|(n, (before, now))| {
                let owned = own(n).map(|(_, range)| range.clone()).collect();
                Region { name: name(n), before, now, owned }
            })
            .collect()
    }

    /// The region that holds a buffer during a run, and its byte range there.
    fn region_of(&self, id: BufferId) -> (usize, Range<usize>) {
        let buffer = &self.program().buffers[id.index()];
        let layout = &self.shaders.layout;
        let (region, start) = match (buffer.place, layout.arena_offset(self.program(), id)) {
            (Place::Input(n), None) => (self.arena.len() + n, 0),
            (Place::Arena(at), _) | (Place::Input(_), Some(at)) => layout.page(at),
        };
        (region, start..start + bytes(&buffer.ty))
    }

    /// The page that holds the bounds flag, and its byte range there. Only scratch memory follows
    /// it.
    fn flag_bytes(&self) -> (usize, Range<usize>) {
        let (page, at) = self.shaders.layout.page(self.shaders.layout.bounds_flag);
        (page, at..at + FLAG_BYTES)
    }
}
