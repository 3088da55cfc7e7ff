//! Kernels without reductions whose elements are stored in order: a thread loads and stores four
//! elements at a time as vec4.
use super::code::{Code, class};
use super::loops::describe;
use super::narrow::{PARTS, pack_word};
use super::row_partition::BUSY_THREADS;
use super::scalar::Class;
use super::shader::{LaunchBuffer, LaunchBuffers, Location, Shader, ShaderText};
use super::threads::per_thread;
use brasa_compile::kernel::{Granularity, StepOp};

/// Code of more steps is not emitted for sixteen elements: compilers take long for it.
const LONG_CODE: usize = 48;

/// The shader, if there are enough elements and all results are stored in order. A thread takes
/// enough elements to fill whole vectors of its narrowest dtype.
pub(crate) fn emit(code: &Code, buffers: &LaunchBuffers, threads: usize) -> Option<ShaderText> {
    let elements = code.kernel.domain.elements(Granularity::PerElement);
    // A software adapter has few cores to keep busy.
    let enough = if buffers.is_software { 4096 } else { 4 * BUSY_THREADS };
    if elements < enough || !code.stores_in_order() {
        return None;
    }
    let loads = loads(code, buffers).filter(|loads| !loads.is_empty())?;
    let reads: Vec<usize> = loads.iter().map(|&n| read_of(code, n)).collect();
    let touched = reads.iter().map(|&read| &buffers.reads[read]).chain(&buffers.writes);
    let vectors_per_thread = touched.map(LaunchBuffer::per_word).max().unwrap_or(1);
    let is_long = vectors_per_thread == 4 && code.steps().len() > LONG_CODE;
    if is_long || !elements.is_multiple_of(4 * vectors_per_thread) {
        return None;
    }
    let mut shader = per_thread(elements / (4 * vectors_per_thread), buffers, threads);
    shader.use_vec4(reads);
    describe(&mut shader, "map", code);
    let count = ["four", "eight", "", "sixteen"][vectors_per_thread - 1];
    shader.comment(format!("{count} elements for each thread"));
    let writer = Vec4Map { code, buffers, loads: &loads, vectors_per_thread, anchor: None };
    writer.element_function(&mut shader);
    writer.write(&mut shader);
    Some(shader.finish())
}

/// Emits `finish_4(flat, value)`, which runs the kernel's epilogue for four neighbouring results
/// of an op, the `flat`-th vector.
pub(crate) fn finish_function(
    shader: &mut Shader,
    code: &Code,
    buffers: &LaunchBuffers,
    loads: &[usize],
) {
    let writer = Vec4Map { code, buffers, loads, vectors_per_thread: 1, anchor: Some("value") };
    writer.element_function(shader);
    shader.function("fn finish_4(flat: u32, value: vec4<f32>)", |shader| writer.write(shader));
}

struct Vec4Map<'a> {
    code: &'a Code<'a>,
    buffers: &'a LaunchBuffers,
    loads: &'a [usize],
    /// Groups of four elements for each thread.
    vectors_per_thread: usize,
    /// The variable with four results of the library op, if there is one.
    anchor: Option<&'static str>,
}

impl Vec4Map<'_> {
    fn write(&self, shader: &mut Shader) {
        shader.line(&format!("let first = flat * {}u;", 4 * self.vectors_per_thread));
        for &n in self.loads {
            let read = read_of(self.code, n);
            for (vector, at) in self.vectors(&self.buffers.reads[read]).enumerate() {
                shader.line(&format!("let x{n}_{vector} = read{read}_4({at});"));
            }
        }
        for (n, write) in self.buffers.writes.iter().enumerate() {
            let ty = if write.per_word() > 1 { Class::Uint } else { class(write.dtype) };
            for vector in 0..self.vectors_per_thread / write.per_word() {
                shader.line(&format!("var y{n}_{vector}: vec4<{}>;", ty.wgsl()));
            }
        }
        for quad in 0..self.vectors_per_thread {
            shader.block("", |shader| self.quad(shader, quad));
        }
        for (n, write) in self.buffers.writes.iter().enumerate() {
            for (vector, at) in self.vectors(write).enumerate() {
                shader.line(&format!("write{n}_4({at}, y{n}_{vector});"));
            }
        }
    }

    /// Emits `element`, which computes all results of one element.
    fn element_function(&self, shader: &mut Shader) {
        let Vec4Map { code, loads, .. } = *self;
        let stores = || code.kernel.code.stores.iter().map(|value| value.index());
        let fields: Vec<String> =
            stores().enumerate().map(|(w, n)| format!("w{w}: {}", code.class(n).wgsl())).collect();
        shader.global(&format!("struct Results {{ {} }}\n", fields.join(", ")));
        let own: String =
            loads.iter().map(|&n| format!(", x{n}: {}", code.class(n).wgsl())).collect();
        let anchor = if self.anchor.is_some() { ", anchor: f32" } else { "" };
        shader.function(&format!("fn element(flat: u32{own}{anchor}) -> Results"), |shader| {
            code.indices(shader, "flat");
            for n in 0..code.steps().len() {
                match loads.contains(&n) {
                    true => shader.line(&format!("let v{n} = x{n};")),
                    false => code.step(shader, n, Some("flat")),
                }
            }
            let results: Vec<String> = stores().map(|n| code.value(n)).collect();
            shader.line(&format!("return Results({});", results.join(", ")));
        });
    }

    /// The indices of a thread's vectors of a buffer.
    fn vectors(&self, buffer: &LaunchBuffer) -> impl Iterator<Item = String> + use<> {
        let count = self.vectors_per_thread / buffer.per_word();
        (0..count).map(move |n| {
            if count == 1 { "flat".to_string() } else { format!("flat * {count}u + {n}u") }
        })
    }

    /// Emits the `quad`-th group of four elements of a thread.
    fn quad(&self, shader: &mut Shader, quad: usize) {
        let Vec4Map { code, buffers, loads, anchor, .. } = self;
        for &n in *loads {
            let buffer = &buffers.reads[read_of(code, n)];
            let count = buffer.per_word();
            let vector = format!("x{n}_{}", quad / count);
            let elements = buffers.vec4(buffer.dtype, &vector, quad % count);
            shader.line(&format!("let x{n} = {elements};"));
        }
        for (lane, part) in PARTS.into_iter().enumerate() {
            let own: String = loads.iter().map(|n| format!(", x{n}.{part}")).collect();
            let anchor = anchor.map_or(String::new(), |value| format!(", {value}.{part}"));
            let number = 4 * quad + lane;
            shader.line(&format!("let {part} = element(first + {number}u{own}{anchor});"));
        }
        for (n, write) in buffers.writes.iter().enumerate() {
            let parts = PARTS.map(|part| format!("{part}.w{n}"));
            let count = write.per_word();
            let vector = format!("y{n}_{}", quad / count);
            if count == 1 {
                let ty = class(write.dtype).wgsl();
                shader.line(&format!("{vector} = vec4<{ty}>({});", parts.join(", ")));
                continue;
            }
            for (at, elements) in parts.chunks(count).enumerate() {
                let word = PARTS[quad % count * (4 / count) + at];
                shader.line(&format!("{vector}.{word} = {};", pack_word(write.dtype, elements)));
            }
        }
    }
}

/// The loads that can be vec4: they read elements in order, from bindings that nothing else
/// reads. `None` if a written binding is read in another order.
pub(crate) fn loads(code: &Code, buffers: &LaunchBuffers) -> Option<Vec<usize>> {
    let all: Vec<usize> = all_loads(code).collect();
    let location = |n: usize| buffers.reads[read_of(code, n)].location;
    let is_whole = |n: usize| match location(n) {
        Location::Arena(_) => code.loads_in_order(n),
        own => all.iter().all(|&other| location(other) != own || code.loads_in_order(other)),
    };
    let is_written_input = |n: usize| {
        let is_home = |write: &LaunchBuffer| write.location == location(n);
        matches!(location(n), Location::Input(_)) && buffers.writes.iter().any(is_home)
    };
    let (uses_vec4, others): (Vec<usize>, Vec<usize>) = all.iter().partition(|n| is_whole(**n));
    let fits = !others.iter().any(|&n| is_written_input(n));
    fits.then_some(uses_vec4)
}

/// The load steps.
pub(crate) fn all_loads(code: &Code) -> impl Iterator<Item = usize> {
    let is_load = |n: &usize| matches!(code.steps()[*n].op, StepOp::Load { .. });
    (0..code.steps().len()).filter(is_load)
}

/// The buffer that a load reads.
pub(crate) fn read_of(code: &Code, n: usize) -> usize {
    match code.steps()[n].op {
        StepOp::Load { read, .. } => read,
        _ => unreachable!("step {n} is a load"),
    }
}
