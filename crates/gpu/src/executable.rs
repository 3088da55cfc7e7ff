//! Running programs: an `Executable` is a program with its shaders, its arena and the words that go
//! with each launch. A run is one submission.
use crate::alarms::{Alarm, causes};
use crate::emit::Word;
use crate::gpu::{Gpu, Pipeline};
use crate::memory::{Buffer, WORD, bytes, to_bytes};
use crate::shaders::Shaders;
use brasa_compile::Program;
use brasa_compile::plan::{BufferId, Place};
use brasa_ir::{Array, Error, Number, Result};
use std::ops::Range;

/// A program ready to run.
pub struct Executable {
    pub(crate) gpu: Gpu,
    pub(crate) shaders: Shaders,
    /// One for each shader.
    ready: Vec<Ready>,
    /// The pages of the arena.
    pub(crate) arena: Vec<wgpu::Buffer>,
    /// The words of all launches, here and on the device.
    words: Vec<u32>,
    words_on_device: wgpu::Buffer,
    alarm: Option<Alarm>,
}

/// What a launch needs beside its shader's text.
struct Ready {
    pipeline: Pipeline,
    /// Where its words begin.
    first_word: usize,
    bound: Option<Bound>,
}

/// A bind group, and the inputs that it was made for.
struct Bound {
    inputs: Vec<wgpu::Buffer>,
    group: wgpu::BindGroup,
}

impl Executable {
    /// Writes and compiles all shaders of a program that was compiled with
    /// [`options`](crate::options).
    pub async fn new(gpu: &Gpu, program: Program) -> Result<Executable> {
        let shaders = Shaders::new(program, gpu.limits())?;
        let page = |bytes: usize| gpu.storage("the arena of a program", bytes);
        let arena = shaders.layout.pages().into_iter().map(page).collect::<Result<Vec<_>>>()?;
        gpu.check(&format!("allocate {} bytes", shaders.program.arena_bytes))?;
        let pipelines = gpu.pipelines(&shaders.launches).await?;
        let align = gpu.device.limits().min_uniform_buffer_offset_alignment as usize / WORD;
        let mut count = 0;
        let mut ready = Vec::with_capacity(pipelines.len());
        for (launch, pipeline) in shaders.launches.iter().zip(pipelines) {
            ready.push(Ready { pipeline, first_word: count, bound: None });
            count += room(launch.text.words.len()).next_multiple_of(align);
        }
        let words = vec![0; count.max(4)];
        let words_on_device = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("words"),
            size: (words.len() * WORD) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.check("compile")?;
        let alarm = alarm(&shaders, &arena);
        let gpu = gpu.clone();
        Ok(Executable { gpu, shaders, ready, arena, words, words_on_device, alarm })
    }

    pub fn program(&self) -> &Program {
        &self.shaders.program
    }

    pub fn shaders(&self) -> &Shaders {
        &self.shaders
    }

    /// Runs the program on its inputs, in order; those that it writes are changed. What runs on the
    /// device is not waited for.
    pub async fn run(&mut self, inputs: &[&Buffer], slots: &[Number]) -> Result<()> {
        let mut encoder = self.begin(inputs, slots)?;
        let mut at = 0;
        while at < self.ready.len() {
            let rest = &self.shaders.launches[at + 1..];
            let next = rest.iter().position(|launch| launch.host.is_some());
            let end = next.map_or(self.ready.len(), |n| at + 1 + n);
            if self.shaders.launches[at].host.is_some() {
                self.gpu.queue.submit([encoder.finish()]);
                self.run_on_cpu(at, inputs).await?;
                encoder = self.gpu.device.create_command_encoder(&Default::default());
            }
            self.encode_pass(&mut encoder, at..end, None);
            at = end;
        }
        self.end(encoder, inputs).await
    }

    /// Binds a run's inputs and numbers; begins with what has to be copied before the first launch.
    pub(crate) fn begin(
        &mut self,
        inputs: &[&Buffer],
        slots: &[Number],
    ) -> Result<wgpu::CommandEncoder> {
        self.check(inputs, slots)?;
        self.write_words(slots);
        self.bind(inputs);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        for (&n, &at) in &self.shaders.layout.staged {
            let (page, at) = self.in_arena(at);
            let size = bytes(&inputs[n].ty) as u64;
            encoder.copy_buffer_to_buffer(&inputs[n].buffer, 0, page, at as u64, size);
        }
        Ok(encoder)
    }

    /// Submits the end of a run: what has to be copied after the last launch.
    pub(crate) async fn end(
        &self,
        mut encoder: wgpu::CommandEncoder,
        inputs: &[&Buffer],
    ) -> Result<()> {
        self.copy(&mut encoder, inputs);
        self.watch_alarm();
        self.gpu.submit_run(encoder).await
    }

    /// Has the next read look at the alarm, if there is one.
    pub(crate) fn watch_alarm(&self) {
        if let Some(alarm) = &self.alarm {
            self.gpu.watch(alarm);
        }
    }

    /// Runs the op before a launch that has no shader.
    pub(crate) async fn run_on_cpu(&self, at: usize, inputs: &[&Buffer]) -> Result<()> {
        let launch = &self.shaders.launches[at];
        let Some(host) = &launch.host else { return Ok(()) };
        let reads = &self.program().launches[launch.number].reads;
        let home = |read: usize| self.home(inputs, reads[read]);
        let result = host.run(&self.gpu, home).await?;
        let (page, at) = self.in_arena(self.shaders.layout.scratch);
        host.store(&self.gpu, &result, page, at)
    }

    pub(crate) fn encode_pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        range: Range<usize>,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites>,
    ) {
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for (launch, ready) in self.shaders.launches[range.clone()].iter().zip(&self.ready[range]) {
            let bound = ready.bound.as_ref().expect("bound before");
            let [x, y] = launch.text.groups;
            pass.set_pipeline(&ready.pipeline.pipeline);
            pass.set_bind_group(0, &bound.group, &[(ready.first_word * WORD) as u32]);
            pass.dispatch_workgroups(x, y, 1);
        }
    }

    /// Carries out the writes that were not done in place.
    fn copy(&self, encoder: &mut wgpu::CommandEncoder, inputs: &[&Buffer]) {
        for n in written_inputs(self.program()) {
            if let Some(&at) = self.shaders.layout.staged.get(&n) {
                let (page, at) = self.in_arena(at);
                let size = bytes(&inputs[n].ty) as u64;
                encoder.copy_buffer_to_buffer(page, at as u64, &inputs[n].buffer, 0, size);
            }
        }
        for &(to, from) in &self.program().copies {
            let size = bytes(&self.program().buffers[from.index()].ty) as u64;
            let ((from, at), (to, target)) =
                (self.last_home(inputs, from), self.last_home(inputs, to));
            encoder.copy_buffer_to_buffer(from, at as u64, to, target as u64, size);
        }
    }

    /// The `n`-th wanted value of the last run.
    pub async fn output(&self, inputs: &[&Buffer], n: usize) -> Result<Array> {
        let id = self.program().outputs[n];
        let ty = &self.program().buffers[id.index()].ty;
        let (buffer, at) = self.last_home(inputs, id);
        self.gpu.read_array(buffer, at, ty).await
    }

    /// Where a buffer lies during a run: which buffer, and the byte it begins at.
    fn home<'a>(&'a self, inputs: &[&'a Buffer], id: BufferId) -> (&'a wgpu::Buffer, usize) {
        match self.shaders.layout.place(self.program(), id) {
            Some(at) => self.in_arena(at),
            None => self.last_home(inputs, id),
        }
    }

    /// Where a buffer lies after a run, when what was staged is back in place.
    fn last_home<'a>(&'a self, inputs: &[&'a Buffer], id: BufferId) -> (&'a wgpu::Buffer, usize) {
        match self.program().buffers[id.index()].place {
            Place::Input(n) => (&inputs[n].buffer, 0),
            Place::Arena(at) => self.in_arena(at),
        }
    }

    /// A byte of the arena: its page, and where it lies there.
    fn in_arena(&self, at: usize) -> (&wgpu::Buffer, usize) {
        let (page, at) = self.shaders.layout.page(at);
        (&self.arena[page], at)
    }

    /// Sends the words of all launches, if they are not there already.
    fn write_words(&mut self, slots: &[Number]) {
        let mut words = vec![0; self.words.len()];
        for (launch, ready) in self.shaders.launches.iter().zip(&self.ready) {
            let own = self.shaders.words(launch, slots);
            own.zip(&mut words[ready.first_word..]).for_each(|(word, place)| *place = word);
        }
        if words != self.words {
            self.gpu.queue.write_buffer(&self.words_on_device, 0, &to_bytes(&words));
            self.words = words;
        }
    }

    /// Makes the bind groups, unless they are those of the last run.
    fn bind(&mut self, inputs: &[&Buffer]) {
        for (launch, ready) in self.shaders.launches.iter().zip(&mut self.ready) {
            let wanted = || launch.bindings.inputs.iter().map(|&n| &inputs[n].buffer);
            if ready.bound.as_ref().is_some_and(|bound| wanted().eq(&bound.inputs)) {
                continue;
            }
            let words = wgpu::BufferBinding {
                buffer: &self.words_on_device,
                offset: 0,
                size: std::num::NonZeroU64::new((room(launch.text.words.len()) * WORD) as u64),
            };
            let mut resources = vec![wgpu::BindingResource::Buffer(words)];
            let pages = launch.bindings.pages.iter().map(|&page| &self.arena[page]);
            resources.extend(pages.chain(wanted()).map(wgpu::Buffer::as_entire_binding));
            let entry = |(n, resource)| wgpu::BindGroupEntry { binding: n as u32, resource };
            let entries: Vec<_> = resources.into_iter().enumerate().map(entry).collect();
            let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&launch.text.name),
                layout: &ready.pipeline.layout,
                entries: &entries,
            });
            ready.bound = Some(Bound { inputs: wanted().cloned().collect(), group });
        }
    }

    fn check(&self, inputs: &[&Buffer], slots: &[Number]) -> Result<()> {
        self.gpu.check_lost("run")?;
        if slots.len() < self.program().slots() {
            let what = format!("takes {} numbers, got {}", self.program().slots(), slots.len());
            return Err(Error::data("run", what));
        }
        self.shaders.check_slots(slots)?;
        let wanted = &self.program().inputs;
        if inputs.len() != wanted.len() {
            let what = format!("takes {} inputs, got {}", wanted.len(), inputs.len());
            return Err(Error::data("run", what));
        }
        for (input, buffer) in wanted.iter().zip(inputs) {
            self.gpu.check_own("run", &input.name, buffer)?;
            if input.ty != buffer.ty {
                let what = format!("'{}' is {}, but is given {}", input.name, input.ty, buffer.ty);
                return Err(Error::data("run", what));
            }
        }
        Ok(())
    }
}

/// The words of a launch, in whole vectors.
fn room(words: usize) -> usize {
    words.max(1).next_multiple_of(4)
}

/// The inputs that launches write in place.
fn written_inputs(program: &Program) -> Vec<usize> {
    let written = program.launches.iter().flat_map(|launch| &launch.writes);
    let input = |id: &BufferId| match program.buffers[id.index()].place {
        Place::Input(n) => Some(n),
        Place::Arena(_) => None,
    };
    let mut written: Vec<usize> = written.filter_map(input).collect();
    written.sort_unstable();
    written.dedup();
    written
}

/// Where launches note indices out of range, if they look any up.
fn alarm(shaders: &Shaders, arena: &[wgpu::Buffer]) -> Option<Alarm> {
    let has_alarm = shaders.texts().any(|text| text.words.contains(&Word::Alarm));
    let (page, at) = shaders.layout.page(shaders.layout.alarm);
    has_alarm.then(|| {
        let causes = causes(&shaders.program);
        Alarm { arena: arena[page].clone(), at: at as u64, causes }
    })
}
