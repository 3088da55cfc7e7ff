//! The checked mode of the GPU: launches are submitted one at a time, all memory is read back behind each,
//! and what it wrote is compared with its plain meaning. Memory that nothing has written yet holds NaN.
use crate::alarms::ALARM;
use crate::executable::Executable;
use crate::memory::{Buffer, bytes, to_array};
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::{CheckedLaunch, Region, UNWRITTEN};
use brasa_ir::{Array, Number, Result};
use std::ops::Range;

/// The bytes of all memory that a launch could reach: the pages of the arena, then the inputs.
type Snapshot = Vec<Vec<u8>>;

impl Executable {
    /// `run`, with every kernel checked. The first one that gives what its plain meaning does not, or
    /// that writes outside of its results, is an error.
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

    /// Marks the arena as unwritten, but for alarms that nobody has been told of yet.
    fn fill_arena(&self) {
        let alarm = self.alarm_bytes();
        for (n, page) in self.arena.iter().enumerate() {
            let size = page.size() as usize;
            let fill = |range: Range<usize>| {
                self.gpu.write(page, range.start, &vec![UNWRITTEN; range.len()]);
            };
            match alarm {
                (page, ref alarm) if page == n => {
                    fill(0..alarm.start);
                    fill(alarm.end..size);
                }
                _ => fill(0..size),
            }
        }
    }

    /// Runs the shaders of one launch of the program, and has the next read look at its alarm.
    async fn launch(&self, number: usize, inputs: &[&Buffer]) -> Result<()> {
        let own = |n: &usize| self.shaders.launches[*n].number == number;
        for n in (0..self.shaders.launches.len()).filter(own) {
            self.run_on_cpu(n, inputs).await?;
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.encode_pass(&mut encoder, n..n + 1, None);
            self.gpu.queue.submit([encoder.finish()]);
        }
        self.watch_alarm();
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
            let (region, bytes) = self.place_of(id);
            let held = if ty.elements() == 0 { &[] } else { &memory[region][bytes] };
            to_array(ty, held.to_vec())
        };
        ids.iter().map(array).collect()
    }

    /// The memory before a launch and now, of which `writes` are the launch's own, and what passes of a
    /// launch leave for each other.
    fn regions<'a>(
        &self,
        before: &'a Snapshot,
        now: &'a Snapshot,
        writes: &[BufferId],
    ) -> Vec<Region<'a>> {
        let mut owned: Vec<(usize, Range<usize>)> =
            writes.iter().map(|&id| self.place_of(id)).collect();
        let (page, alarm) = self.alarm_bytes();
        owned.push((page, alarm.start..self.arena[page].size() as usize));
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

    /// The region that a buffer lies in during a run, and its bytes there.
    fn place_of(&self, id: BufferId) -> (usize, Range<usize>) {
        let buffer = &self.program().buffers[id.index()];
        let layout = &self.shaders.layout;
        let (region, start) = match (buffer.place, layout.place(self.program(), id)) {
            (Place::Input(n), None) => (self.arena.len() + n, 0),
            (Place::Arena(at), _) | (Place::Input(_), Some(at)) => layout.page(at),
        };
        (region, start..start + bytes(&buffer.ty))
    }

    /// The page that alarms lie in, and their bytes there. Behind them there is nothing but scratch memory.
    fn alarm_bytes(&self) -> (usize, Range<usize>) {
        let (page, at) = self.shaders.layout.page(self.shaders.layout.alarm);
        (page, at..at + ALARM)
    }
}
