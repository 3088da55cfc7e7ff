//! Kernels without reductions whose elements lie in order: a thread takes four of them, which it
//! reads and writes as vectors.
use super::code::{Code, class};
use super::narrow::{PARTS, packed};
use super::rows::describe;
use super::scalar::Class;
use super::shader::{Home, Operand, Operands, Shader, Text};
use super::sharing::BUSY;
use super::threads::per_thread;
use brasa_compile::kernel::{Level, What};

/// Code this long is not written for sixteen elements, which takes compilers long.
const LONG_CODE: usize = 48;

/// The shader, if there are elements enough and all results lie in order. A thread takes as many fours
/// as fill whole vectors of what is narrow.
pub(crate) fn emit(code: &Code, operands: &Operands, threads: usize) -> Option<Text> {
    let elements = code.kernel.domain.elements(Level::Full);
    // Software has few cores to keep busy.
    let enough = if operands.is_software { 4096 } else { 4 * BUSY };
    if elements < enough || !code.stores_in_order() {
        return None;
    }
    let loads = loads(code, operands).filter(|loads| !loads.is_empty())?;
    let reads: Vec<usize> = loads.iter().map(|&n| read_of(code, n)).collect();
    let touched = reads.iter().map(|&read| &operands.reads[read]).chain(&operands.writes);
    let quads = touched.map(Operand::per_word).max().unwrap_or(1);
    let is_long = quads == 4 && code.steps().len() > LONG_CODE;
    if is_long || !elements.is_multiple_of(4 * quads) {
        return None;
    }
    let mut shader = per_thread(elements / (4 * quads), operands, threads);
    shader.use_quads(reads);
    describe(&mut shader, "map", code);
    let count = ["four", "eight", "", "sixteen"][quads - 1];
    shader.about(format!("{count} elements for each thread"));
    let writer = Quads { code, operands, loads: &loads, quads, anchor: None };
    writer.element_function(&mut shader);
    writer.write(&mut shader);
    Some(shader.finish())
}

/// Writes `finish_4`, which takes four neighbours of the result of an op, from the `flat`-th vector on, and
/// does the rest of the kernel.
pub(crate) fn finish_function(
    shader: &mut Shader,
    code: &Code,
    operands: &Operands,
    loads: &[usize],
) {
    let writer = Quads { code, operands, loads, quads: 1, anchor: Some("value") };
    writer.element_function(shader);
    shader.function("fn finish_4(flat: u32, value: vec4<f32>)", |shader| writer.write(shader));
}

struct Quads<'a> {
    code: &'a Code<'a>,
    operands: &'a Operands,
    loads: &'a [usize],
    /// The fours of a thread.
    quads: usize,
    /// Four elements of the op before, if there is one.
    anchor: Option<&'static str>,
}

impl Quads<'_> {
    fn write(&self, shader: &mut Shader) {
        shader.line(&format!("let first = flat * {}u;", 4 * self.quads));
        for &n in self.loads {
            let read = read_of(self.code, n);
            for (vector, at) in self.vectors(&self.operands.reads[read]).enumerate() {
                shader.line(&format!("let x{n}_{vector} = read{read}_4({at});"));
            }
        }
        for (n, write) in self.operands.writes.iter().enumerate() {
            let ty = if write.per_word() > 1 { Class::Uint } else { class(write.dtype) };
            for vector in 0..self.quads / write.per_word() {
                shader.line(&format!("var y{n}_{vector}: vec4<{}>;", ty.wgsl()));
            }
        }
        for quad in 0..self.quads {
            shader.block("", |shader| self.quad(shader, quad));
        }
        for (n, write) in self.operands.writes.iter().enumerate() {
            for (vector, at) in self.vectors(write).enumerate() {
                shader.line(&format!("write{n}_4({at}, y{n}_{vector});"));
            }
        }
    }

    /// `element`, which computes all results of one element.
    fn element_function(&self, shader: &mut Shader) {
        let Quads { code, loads, .. } = *self;
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

    /// The numbers of a thread's vectors of an operand.
    fn vectors(&self, operand: &Operand) -> impl Iterator<Item = String> + use<> {
        let count = self.quads / operand.per_word();
        (0..count).map(move |n| {
            if count == 1 { "flat".to_string() } else { format!("flat * {count}u + {n}u") }
        })
    }

    /// Four elements: the `quad`-th of a thread.
    fn quad(&self, shader: &mut Shader, quad: usize) {
        let Quads { code, operands, loads, anchor, .. } = self;
        for &n in *loads {
            let operand = &operands.reads[read_of(code, n)];
            let count = operand.per_word();
            let vector = format!("x{n}_{}", quad / count);
            let elements = operands.quad(operand.dtype, &vector, quad % count);
            shader.line(&format!("let x{n} = {elements};"));
        }
        for (lane, part) in PARTS.into_iter().enumerate() {
            let own: String = loads.iter().map(|n| format!(", x{n}.{part}")).collect();
            let anchor = anchor.map_or(String::new(), |value| format!(", {value}.{part}"));
            let number = 4 * quad + lane;
            shader.line(&format!("let {part} = element(first + {number}u{own}{anchor});"));
        }
        for (n, write) in operands.writes.iter().enumerate() {
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
                shader.line(&format!("{vector}.{word} = {};", packed(write.dtype, elements)));
            }
        }
    }
}

/// The steps that read elements in order, from bindings of which nothing else is read; none where
/// something else is read of a binding that is written.
pub(crate) fn loads(code: &Code, operands: &Operands) -> Option<Vec<usize>> {
    let all: Vec<usize> = all_loads(code).collect();
    let home = |n: usize| operands.reads[read_of(code, n)].home;
    let is_whole = |n: usize| match home(n) {
        Home::Arena(_) => code.loads_in_order(n),
        own => all.iter().all(|&other| home(other) != own || code.loads_in_order(other)),
    };
    let is_written_input = |n: usize| {
        let is_home = |write: &Operand| write.home == home(n);
        matches!(home(n), Home::Input(_)) && operands.writes.iter().any(is_home)
    };
    let (by_fours, others): (Vec<usize>, Vec<usize>) = all.iter().partition(|n| is_whole(**n));
    let fits = !others.iter().any(|&n| is_written_input(n));
    fits.then_some(by_fours)
}

/// The steps that read memory.
pub(crate) fn all_loads(code: &Code) -> impl Iterator<Item = usize> {
    let is_load = |n: &usize| matches!(code.steps()[*n].what, What::Load { .. });
    (0..code.steps().len()).filter(is_load)
}

/// The buffer that a load reads.
pub(crate) fn read_of(code: &Code, n: usize) -> usize {
    match code.steps()[n].what {
        What::Load { read, .. } => read,
        _ => unreachable!("step {n} is a load"),
    }
}
