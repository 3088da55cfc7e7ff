//! Running programs: an `Executable` is a program with its shaders, its arena and the words that go
//! with each launch. A run is one submission.
use crate::emit::{
    Home, Operand, Operands, Text, Word, emit, emit_after, literal_word, unsupported,
};
use crate::gpu::{Gpu, Pipeline};
use crate::host::Host;
use crate::memory::{Buffer, WORD, array, bytes, no_f64, to_bytes};
use brasa_compile::Program;
use brasa_compile::kernel::Body;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::Launch;
use brasa_ir::{Array, Error, Number, Result, Type};
use std::collections::HashMap;
use std::fmt::Write;
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

/// A program ready to run.
pub struct Executable {
    gpu: Gpu,
    program: Program,
    launches: Vec<Prepared>,
    arena: wgpu::Buffer,
    layout: Layout,
    /// The words of all launches, here and on the device.
    words: Vec<u32>,
    words_on_device: wgpu::Buffer,
}

/// A launch with its shader.
struct Prepared {
    text: Text,
    pipeline: Pipeline,
    /// The program's inputs that are bound, in order.
    inputs: Vec<usize>,
    /// Where its words begin.
    first_word: usize,
    host: Option<Host>,
    bound: Option<Bound>,
    /// The number of the program's launch.
    number: usize,
}

/// A bind group, and the inputs that it was made for.
struct Bound {
    inputs: Vec<wgpu::Buffer>,
    group: wgpu::BindGroup,
}

/// Where things lie in the arena, in bytes.
#[derive(Default)]
struct Layout {
    /// Inputs that are copied into the arena for a run, as a kernel has too many to bind them.
    staged: HashMap<usize, usize>,
    /// The result of an op that runs on the CPU.
    anchor: usize,
    /// Two words for each launch: whether an index was out of range, and which.
    alarms: usize,
    bytes: usize,
}

impl Executable {
    /// Writes and compiles all shaders.
    pub fn new(gpu: &Gpu, mut program: Program) -> Result<Executable> {
        refuse_f64(&program)?;
        let most = gpu.limits().max_storage_buffers_per_shader_stage as usize - 1;
        let layout = Layout::new(&mut program, most);
        let arena = gpu.storage("the arena", layout.bytes)?;
        let mut launches = Vec::new();
        let align = gpu.limits().min_uniform_buffer_offset_alignment as usize / WORD;
        let mut count = 0;
        for (number, launch) in program.launches.iter().enumerate() {
            let (operands, inputs) = operands(&program, &layout, launch);
            let Some((text, host)) = shader(launch, &operands) else { continue };
            let pipeline = gpu.pipeline(&text, &operands.inputs)?;
            let first_word = count;
            count += text.words.len().max(4).next_multiple_of(4).next_multiple_of(align);
            launches.push(Prepared {
                text,
                pipeline,
                inputs,
                first_word,
                host,
                bound: None,
                number,
            });
        }
        let words = vec![0; count.max(4)];
        let words_on_device = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("words"),
            size: (words.len() * WORD) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.check("compile")?;
        let gpu = gpu.clone();
        Ok(Executable { gpu, program, launches, arena, layout, words, words_on_device })
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many dispatches a run has.
    pub fn dispatches(&self) -> usize {
        self.launches.len()
    }

    /// The shaders, and what runs elsewhere.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        for launch in &self.launches {
            if let Some(host) = &launch.host {
                _ = writeln!(text, "// {} runs on the CPU, with a read-back", host.op.name());
            }
            let [x, y] = launch.text.groups;
            _ = writeln!(text, "// #{}, {x} × {y} workgroups\n{}", launch.number, launch.text.wgsl);
        }
        text
    }

    /// The ops that run on the CPU, for want of a shader.
    pub fn hosted(&self) -> Vec<&'static str> {
        self.launches.iter().filter_map(|l| l.host.as_ref()).map(|host| host.op.name()).collect()
    }

    /// Runs the program on its inputs, in order; those that it writes are changed.
    pub async fn run(&mut self, inputs: &mut [Buffer], slots: &[Number]) -> Result<()> {
        self.check(inputs, slots)?;
        self.write_words(slots);
        self.bind(inputs);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.arena, self.layout.alarms as u64, None);
        for (&n, &at) in &self.layout.staged {
            let size = bytes(&inputs[n].ty) as u64;
            encoder.copy_buffer_to_buffer(&inputs[n].buffer, 0, &self.arena, at as u64, size);
        }
        let mut at = 0;
        while at < self.launches.len() {
            let next = self.launches[at + 1..].iter().position(|l| l.host.is_some());
            let end = next.map_or(self.launches.len(), |n| at + 1 + n);
            if let Some(host) = &self.launches[at].host {
                self.gpu.queue.submit([encoder.finish()]);
                let reads = &self.program.launches[self.launches[at].number].reads;
                let home = |read: usize| {
                    let (buffer, first) = self.home(inputs, reads[read]);
                    (buffer, first / WORD)
                };
                let result = host.run(&self.gpu, home).await?;
                host.store(&self.gpu, &result, &self.arena, self.layout.anchor)?;
                encoder = self.gpu.device.create_command_encoder(&Default::default());
            }
            self.encode(&mut encoder, at..end);
            at = end;
        }
        self.copy(&mut encoder, inputs);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.check("run")
    }

    /// `run`, with the time that each launch takes when it is submitted and awaited alone.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn profile(&mut self, inputs: &mut [Buffer], slots: &[Number]) -> Result<Vec<Duration>> {
        let mut times = vec![Duration::ZERO; self.program.launches.len()];
        // What runs on the CPU, copies and the values that launches start from are those of a run.
        crate::wait_for(self.run(inputs, slots))?;
        for n in 0..self.launches.len() {
            self.gpu.wait()?;
            let start = Instant::now();
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.encode(&mut encoder, n..n + 1);
            self.gpu.queue.submit([encoder.finish()]);
            self.gpu.wait()?;
            times[self.launches[n].number] = start.elapsed();
        }
        Ok(times)
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder, range: std::ops::Range<usize>) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for launch in &self.launches[range] {
            let bound = launch.bound.as_ref().expect("bound before");
            let [x, y] = launch.text.groups;
            pass.set_pipeline(&launch.pipeline.pipeline);
            pass.set_bind_group(0, &bound.group, &[(launch.first_word * WORD) as u32]);
            pass.dispatch_workgroups(x, y, 1);
        }
    }

    /// Carries out the writes that were not done in place.
    fn copy(&self, encoder: &mut wgpu::CommandEncoder, inputs: &[Buffer]) {
        let written = self.program.launches.iter().flat_map(|launch| &launch.writes);
        let mut written: Vec<usize> = written
            .filter_map(|id| match self.program.buffers[id.index()].place {
                Place::Input(n) => Some(n),
                Place::Arena(_) => None,
            })
            .collect();
        written.sort_unstable();
        written.dedup();
        for n in written {
            if let Some(&at) = self.layout.staged.get(&n) {
                let size = bytes(&inputs[n].ty) as u64;
                encoder.copy_buffer_to_buffer(&self.arena, at as u64, &inputs[n].buffer, 0, size);
            }
        }
        let home = |id: BufferId| match self.program.buffers[id.index()].place {
            Place::Input(n) => (&inputs[n].buffer, 0),
            Place::Arena(at) => (&self.arena, at as u64),
        };
        for &(to, from) in &self.program.copies {
            let size = bytes(&self.program.buffers[from.index()].ty) as u64;
            let ((from, at), (to, target)) = (home(from), home(to));
            encoder.copy_buffer_to_buffer(from, at, to, target, size);
        }
    }

    /// The `n`-th wanted value of the last run.
    pub async fn output(&self, inputs: &[Buffer], n: usize) -> Result<Array> {
        self.check_alarms().await?;
        let id = self.program.outputs[n];
        let ty = &self.program.buffers[id.index()].ty;
        let (buffer, at) = match self.program.buffers[id.index()].place {
            Place::Input(n) => (&inputs[n].buffer, 0),
            Place::Arena(at) => (&self.arena, at),
        };
        let words = self.gpu.read_words(buffer, at / WORD, ty.elements()).await?;
        Ok(array(ty, &words))
    }

    /// Whether some launch met an index out of range.
    async fn check_alarms(&self) -> Result<()> {
        let can_alarm = |launch: &Prepared| launch.text.words.contains(&Word::Alarm);
        if !self.launches.iter().any(can_alarm) {
            return Ok(());
        }
        let count = 2 * self.program.launches.len();
        let words = self.gpu.read_words(&self.arena, self.layout.alarms / WORD, count).await?;
        for (launch, alarm) in self.program.launches.iter().zip(words.chunks_exact(2)) {
            let (Body::Library { op, .. }, [1, index]) = (&launch.kernel.body, alarm) else {
                continue;
            };
            let what = format!("index {} is out of range", *index as i32);
            return Err(Error::data(op.name(), what));
        }
        Ok(())
    }

    /// Where a buffer lies during a run: which buffer, and the byte it begins at.
    fn home<'a>(&'a self, inputs: &'a [Buffer], id: BufferId) -> (&'a wgpu::Buffer, usize) {
        match self.layout.place(&self.program, id) {
            Some(at) => (&self.arena, at),
            None => match self.program.buffers[id.index()].place {
                Place::Input(n) => (&inputs[n].buffer, 0),
                Place::Arena(at) => (&self.arena, at),
            },
        }
    }

    /// Sends the words of all launches, if they are not there already.
    fn write_words(&mut self, slots: &[Number]) {
        let mut words = vec![0; self.words.len()];
        for launch in &self.launches {
            let own = &self.program.launches[launch.number];
            for (n, &word) in launch.text.words.iter().enumerate() {
                let start = |id: BufferId| {
                    let at = self.layout.place(&self.program, id);
                    (at.expect("only buffers of the arena have a start") / WORD) as u32
                };
                words[launch.first_word + n] = match word {
                    Word::Read(n) => start(own.reads[n]),
                    Word::Write(n) => start(own.writes[n]),
                    Word::Alarm => (self.layout.alarms / WORD + 2 * launch.number) as u32,
                    Word::Anchor => (self.layout.anchor / WORD) as u32,
                    Word::Slot(slot, dtype) => literal_word(slots[slot], dtype),
                };
            }
        }
        if words != self.words {
            self.gpu.queue.write_buffer(&self.words_on_device, 0, &to_bytes(&words));
            self.words = words;
        }
    }

    /// Makes the bind groups, unless they are those of the last run.
    fn bind(&mut self, inputs: &[Buffer]) {
        for launch in &mut self.launches {
            let wanted: Vec<wgpu::Buffer> =
                launch.inputs.iter().map(|&n| inputs[n].buffer.clone()).collect();
            if launch.bound.as_ref().is_some_and(|bound| bound.inputs == wanted) {
                continue;
            }
            let size = (launch.text.words.len().max(1).next_multiple_of(4) * WORD) as u64;
            let words = wgpu::BufferBinding {
                buffer: &self.words_on_device,
                offset: 0,
                size: std::num::NonZeroU64::new(size),
            };
            let mut entries = vec![
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(words) },
                wgpu::BindGroupEntry { binding: 1, resource: self.arena.as_entire_binding() },
            ];
            for (n, buffer) in wanted.iter().enumerate() {
                let resource = buffer.as_entire_binding();
                entries.push(wgpu::BindGroupEntry { binding: n as u32 + 2, resource });
            }
            let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&launch.text.name),
                layout: &launch.pipeline.layout,
                entries: &entries,
            });
            launch.bound = Some(Bound { inputs: wanted, group });
        }
    }

    fn check(&self, inputs: &[Buffer], slots: &[Number]) -> Result<()> {
        if slots.len() < self.program.slots() {
            let what = format!("takes {} numbers, got {}", self.program.slots(), slots.len());
            return Err(Error::data("run", what));
        }
        let wanted = &self.program.inputs;
        if inputs.len() != wanted.len() {
            let what = format!("takes {} inputs, got {}", wanted.len(), inputs.len());
            return Err(Error::data("run", what));
        }
        for (input, buffer) in wanted.iter().zip(inputs) {
            if input.ty != buffer.ty {
                let what = format!("'{}' is {}, but is given {}", input.name, input.ty, buffer.ty);
                return Err(Error::data("run", what));
            }
        }
        Ok(())
    }
}

/// The shader of a launch, and the op that has to run before it on the CPU.
fn shader(launch: &Launch, operands: &Operands) -> Option<(Text, Option<Host>)> {
    if let Some(text) = emit(&launch.kernel, operands) {
        return Some((text, None));
    }
    let Body::Library { op, operands: read, out } = &launch.kernel.body else { return None };
    let text = emit_after(&launch.kernel, operands, out.dtype)?;
    let host = Host { op: op.clone(), operands: read.clone(), out: out.clone() };
    Some((text, Some(host)))
}

/// The buffers of a launch as its shader sees them, and the inputs to bind.
fn operands(program: &Program, layout: &Layout, launch: &Launch) -> (Operands, Vec<usize>) {
    let mut inputs: Vec<usize> = Vec::new();
    let mut is_written = Vec::new();
    let mut operand = |id: &BufferId, writes: bool| {
        let buffer = &program.buffers[id.index()];
        let home = match buffer.place {
            Place::Input(n) if !layout.staged.contains_key(&n) => {
                let at = inputs.iter().position(|&other| other == n).unwrap_or_else(|| {
                    inputs.push(n);
                    is_written.push(false);
                    inputs.len() - 1
                });
                is_written[at] |= writes;
                Home::Input(at)
            }
            _ => Home::Arena,
        };
        Operand { dtype: buffer.ty.dtype, home }
    };
    let reads = launch.reads.iter().map(|id| operand(id, false)).collect();
    let writes = launch.writes.iter().map(|id| operand(id, true)).collect();
    (Operands { reads, writes, inputs: is_written }, inputs)
}

impl Layout {
    /// Arranges the arena for elements of a word each, with at most `most` inputs bound at once.
    fn new(program: &mut Program, most: usize) -> Layout {
        program.rearrange(bytes);
        let mut layout = Layout { bytes: program.arena_bytes, ..Layout::default() };
        for launch in &program.launches {
            let place = |id: &BufferId| match program.buffers[id.index()].place {
                Place::Input(n) if !layout.staged.contains_key(&n) => Some(n),
                _ => None,
            };
            let mut inputs: Vec<usize> =
                launch.reads.iter().chain(&launch.writes).filter_map(place).collect();
            inputs.sort_unstable();
            inputs.dedup();
            // The smallest cost the least to copy.
            inputs.sort_by_key(|&n| program.inputs[n].ty.elements());
            let surplus = inputs.len().saturating_sub(most);
            for &n in &inputs[..surplus] {
                let at = layout.reserve(bytes(&program.inputs[n].ty));
                layout.staged.insert(n, at);
            }
        }
        let anchor = |launch: &Launch| match &launch.kernel.body {
            Body::Library { out, .. } => bytes(out),
            Body::Loop => 0,
        };
        let largest = program.launches.iter().map(anchor).max().unwrap_or(0);
        layout.anchor = layout.reserve(largest);
        layout.alarms = layout.reserve(2 * WORD * program.launches.len().max(1));
        layout
    }

    fn reserve(&mut self, bytes: usize) -> usize {
        let at = self.bytes;
        self.bytes += bytes.next_multiple_of(4 * WORD);
        at
    }

    /// Where a buffer begins in the arena, if it lies there.
    fn place(&self, program: &Program, id: BufferId) -> Option<usize> {
        match program.buffers[id.index()].place {
            Place::Arena(at) => Some(at),
            Place::Input(n) => self.staged.get(&n).copied(),
        }
    }
}

fn refuse_f64(program: &Program) -> Result<()> {
    for launch in &program.launches {
        if let Some(dtype) = unsupported(&launch.kernel) {
            return Err(no_f64(&Type::new(
                dtype,
                launch.kernel.domain.shape(brasa_compile::kernel::Level::Full),
            )));
        }
    }
    let is_refused =
        |buffer: &&brasa_compile::plan::Buffer| buffer.ty.dtype == brasa_ir::DType::F64;
    match program.buffers.iter().find(is_refused) {
        Some(buffer) => Err(no_f64(&buffer.ty)),
        None => Ok(()),
    }
}
