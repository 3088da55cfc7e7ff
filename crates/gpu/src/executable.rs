//! Runs programs: an `Executable` is a program with its shaders, its arena and the uniform words
//! of each launch. A run is one queue submission, unless an op runs on the CPU in between.
use crate::bounds_flags::{BoundsFlag, causes};
use crate::emit::Word;
use crate::gpu::{Gpu, Pipeline};
use crate::memory::{Buffer, WORD, bytes, to_bytes};
use crate::shaders::Shaders;
use brasa_compile::Program;
use brasa_compile::plan::{BufferId, Place};
use brasa_ir::{Array, Error, Number, Result};
use std::ops::Range;

/// A program that is ready to run.
pub struct Executable {
    pub(crate) gpu: Gpu,
    pub(crate) shaders: Shaders,
    /// One for each shader launch.
    launch_states: Vec<LaunchState>,
    /// The pages of the arena.
    pub(crate) arena: Vec<wgpu::Buffer>,
    /// The uniform words of all launches: a copy on the host, and the buffer.
    words: Vec<u32>,
    words_on_device: wgpu::Buffer,
    flag: Option<BoundsFlag>,
}

/// A launch's pipeline and bindings.
struct LaunchState {
    pipeline: Pipeline,
    /// Offset of its words in the uniform buffer, in words.
    first_word: usize,
    bind_group: Option<CachedBindGroup>,
}

/// A bind group and the inputs that it binds.
struct CachedBindGroup {
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
        let mut launch_states = Vec::with_capacity(pipelines.len());
        for (launch, pipeline) in shaders.launches.iter().zip(pipelines) {
            launch_states.push(LaunchState { pipeline, first_word: count, bind_group: None });
            count += padded_words(launch.text.words.len()).next_multiple_of(align);
        }
        let words = vec![0; count.max(4)];
        let words_on_device = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("words"),
            size: (words.len() * WORD) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.check("compile")?;
        let flag = bounds_flag(&shaders, &arena);
        let gpu = gpu.clone();
        Ok(Executable { gpu, shaders, launch_states, arena, words, words_on_device, flag })
    }

    pub fn program(&self) -> &Program {
        &self.shaders.program
    }

    pub fn shaders(&self) -> &Shaders {
        &self.shaders
    }

    /// Runs the program on its inputs, in order, and updates the inputs that it writes. Does not
    /// wait for the device.
    pub async fn run(&mut self, inputs: &[&Buffer], slots: &[Number]) -> Result<()> {
        let mut encoder = self.begin(inputs, slots)?;
        let mut at = 0;
        while at < self.launch_states.len() {
            let rest = &self.shaders.launches[at + 1..];
            let next = rest.iter().position(|launch| launch.cpu_op.is_some());
            let end = next.map_or(self.launch_states.len(), |n| at + 1 + n);
            if self.shaders.launches[at].cpu_op.is_some() {
                self.gpu.queue.submit([encoder.finish()]);
                self.run_on_cpu(at, inputs).await?;
                encoder = self.gpu.device.create_command_encoder(&Default::default());
            }
            self.encode_pass(&mut encoder, at..end, None);
            at = end;
        }
        self.end(encoder, inputs).await
    }

    /// Binds a run's inputs and slots, and encodes the copies before the first launch.
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

    /// Encodes the copies after the last launch and submits them.
    pub(crate) async fn end(
        &self,
        mut encoder: wgpu::CommandEncoder,
        inputs: &[&Buffer],
    ) -> Result<()> {
        self.copy(&mut encoder, inputs);
        self.watch_flag();
        self.gpu.submit_run(encoder).await
    }

    /// Makes the next read check the flag, if the program has one.
    pub(crate) fn watch_flag(&self) {
        if let Some(flag) = &self.flag {
            self.gpu.watch_flag(flag);
        }
    }

    /// Runs the CPU op in front of a launch, if there is one.
    pub(crate) async fn run_on_cpu(&self, at: usize, inputs: &[&Buffer]) -> Result<()> {
        let launch = &self.shaders.launches[at];
        let Some(cpu_op) = &launch.cpu_op else { return Ok(()) };
        let reads = &self.program().launches[launch.number].reads;
        let location = |read: usize| self.location(inputs, reads[read]);
        let result = cpu_op.run(&self.gpu, location).await?;
        let (page, at) = self.in_arena(self.shaders.layout.scratch);
        cpu_op.store(&self.gpu, &result, page, at)
    }

    pub(crate) fn encode_pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        range: Range<usize>,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites>,
    ) {
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for (launch, state) in
            self.shaders.launches[range.clone()].iter().zip(&self.launch_states[range])
        {
            let bind_group = &state.bind_group.as_ref().expect("bound before").group;
            let [x, y] = launch.text.groups;
            pass.set_pipeline(&state.pipeline.pipeline);
            pass.set_bind_group(0, bind_group, &[(state.first_word * WORD) as u32]);
            pass.dispatch_workgroups(x, y, 1);
        }
    }

    /// Encodes the copies for writes that were not done in place.
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
                (self.location_after_run(inputs, from), self.location_after_run(inputs, to));
            encoder.copy_buffer_to_buffer(from, at as u64, to, target as u64, size);
        }
    }

    /// The `n`-th output of the last run.
    pub async fn output(&self, inputs: &[&Buffer], n: usize) -> Result<Array> {
        let id = self.program().outputs[n];
        let ty = &self.program().buffers[id.index()].ty;
        let (buffer, at) = self.location_after_run(inputs, id);
        self.gpu.read_array(buffer, at, ty).await
    }

    /// The location of a buffer during a run: the wgpu buffer and the byte offset.
    fn location<'a>(&'a self, inputs: &[&'a Buffer], id: BufferId) -> (&'a wgpu::Buffer, usize) {
        match self.shaders.layout.arena_offset(self.program(), id) {
            Some(at) => self.in_arena(at),
            None => self.location_after_run(inputs, id),
        }
    }

    /// The location of a buffer after a run, when staged inputs have been copied back.
    fn location_after_run<'a>(
        &'a self,
        inputs: &[&'a Buffer],
        id: BufferId,
    ) -> (&'a wgpu::Buffer, usize) {
        match self.program().buffers[id.index()].place {
            Place::Input(n) => (&inputs[n].buffer, 0),
            Place::Arena(at) => self.in_arena(at),
        }
    }

    /// The page that holds a byte of the arena, and the offset there.
    fn in_arena(&self, at: usize) -> (&wgpu::Buffer, usize) {
        let (page, at) = self.shaders.layout.page(at);
        (&self.arena[page], at)
    }

    /// Uploads the uniform words, unless they are unchanged since the last run.
    fn write_words(&mut self, slots: &[Number]) {
        let mut words = vec![0; self.words.len()];
        for (launch, state) in self.shaders.launches.iter().zip(&self.launch_states) {
            let own = self.shaders.words(launch, slots);
            own.zip(&mut words[state.first_word..]).for_each(|(value, word)| *word = value);
        }
        if words != self.words {
            self.gpu.queue.write_buffer(&self.words_on_device, 0, &to_bytes(&words));
            self.words = words;
        }
    }

    /// Creates the bind groups, unless the inputs are those of the last run.
    fn bind(&mut self, inputs: &[&Buffer]) {
        for (launch, state) in self.shaders.launches.iter().zip(&mut self.launch_states) {
            let wanted = || launch.bindings.inputs.iter().map(|&n| &inputs[n].buffer);
            if state.bind_group.as_ref().is_some_and(|cached| wanted().eq(&cached.inputs)) {
                continue;
            }
            let words = wgpu::BufferBinding {
                buffer: &self.words_on_device,
                offset: 0,
                size: std::num::NonZeroU64::new(
                    (padded_words(launch.text.words.len()) * WORD) as u64,
                ),
            };
            let mut resources = vec![wgpu::BindingResource::Buffer(words)];
            let pages = launch.bindings.pages.iter().map(|&page| &self.arena[page]);
            resources.extend(pages.chain(wanted()).map(wgpu::Buffer::as_entire_binding));
            let entry = |(n, resource)| wgpu::BindGroupEntry { binding: n as u32, resource };
            let entries: Vec<_> = resources.into_iter().enumerate().map(entry).collect();
            let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&launch.text.name),
                layout: &state.pipeline.layout,
                entries: &entries,
            });
            state.bind_group = Some(CachedBindGroup { inputs: wanted().cloned().collect(), group });
        }
    }

    fn check(&self, inputs: &[&Buffer], slots: &[Number]) -> Result<()> {
        self.gpu.check_lost("run")?;
        if slots.len() < self.program().slots() {
            let what =
                format!("the program takes {} slots, got {}", self.program().slots(), slots.len());
            return Err(Error::data("run", what));
        }
        self.shaders.check_slots(slots)?;
        let wanted = &self.program().inputs;
        if inputs.len() != wanted.len() {
            let what = format!("the program takes {} inputs, got {}", wanted.len(), inputs.len());
            return Err(Error::data("run", what));
        }
        for (input, buffer) in wanted.iter().zip(inputs) {
            self.gpu.check_own("run", &input.name, buffer)?;
            if input.ty != buffer.ty {
                let what = format!("input '{}' is {}, got {}", input.name, input.ty, buffer.ty);
                return Err(Error::data("run", what));
            }
        }
        Ok(())
    }
}

/// The number of words of a launch, rounded up to whole vectors.
fn padded_words(words: usize) -> usize {
    words.max(1).next_multiple_of(4)
}

/// The inputs that launches write in place, sorted.
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

/// The bounds flag of a program, if any of its launches checks indices.
fn bounds_flag(shaders: &Shaders, arena: &[wgpu::Buffer]) -> Option<BoundsFlag> {
    let has_flag = shaders.texts().any(|text| text.words.contains(&Word::BoundsFlag));
    let (page, at) = shaders.layout.page(shaders.layout.bounds_flag);
    has_flag.then(|| {
        let causes = causes(&shaders.program);
        BoundsFlag { arena: arena[page].clone(), at: at as u64, causes }
    })
}
