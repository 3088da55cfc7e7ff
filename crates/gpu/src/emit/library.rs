//! Emits library ops and their epilogues. Larger ops have modules of their own; the others take
//! one thread per element of the result.
use super::code::{Code, class, reduction};
use super::index::{sum, term};
use super::loops::{THREADS, describe, per_element};
use super::product::Product;
use super::scalar::narrow_to;
use super::shader::{DeviceTraits, LaunchBuffers, Shader, ShaderText, Word};
use super::{arg_reduce, contract, scan, scatter, sort};
use crate::paths::{self, Path};
use brasa_compile::kernel::{Kernel, Operand};
use brasa_ir::ops::{ArgReduce, Conv, Fold, Gather, Op, ReduceOp, Scan, Scatter, Sort};
use brasa_ir::{DType, Shape, Type};

/// An operand that is addressed by strides.
pub(crate) struct Strided {
    pub(crate) read: usize,
    pub(crate) offset: isize,
    pub(crate) strides: Vec<isize>,
    pub(crate) shape: Shape,
    pub(crate) dtype: DType,
}

impl Strided {
    fn new(operand: &Operand) -> Strided {
        let layer = operand.view.affine().expect("library ops read operands by strides");
        Strided {
            read: operand.read,
            offset: layer.offset,
            strides: layer.strides().to_vec(),
            shape: operand.ty.shape.clone(),
            dtype: operand.ty.dtype,
        }
    }

    /// Whether elements along an axis can be loaded as vec4: they are neighbours in memory, and
    /// all other offsets are multiples of four.
    pub(crate) fn is_vec4_aligned(&self, axis: usize) -> bool {
        let is_whole = |stride: isize| stride % 4 == 0;
        let others = |n: usize| n == axis || self.shape[n] == 1 || is_whole(self.strides[n]);
        self.dtype == DType::F32
            && self.strides[axis] == 1
            && self.shape[axis].is_multiple_of(4)
            && is_whole(self.offset)
            && (0..self.shape.len()).all(others)
    }

    /// The index of the first element of a line along an axis, by the names of the other indices.
    pub(crate) fn start(&self, names: &[String], axis: usize) -> String {
        let others = (0..names.len()).filter(|&n| n != axis && self.shape[n] > 1);
        sum(self.offset, others.filter_map(|n| term(self.strides[n], &names[n])).collect())
    }

    /// The `n`-th element of a line that starts at index `start`.
    pub(crate) fn along(&self, axis: usize, start: &str, n: &str) -> String {
        let place = term(self.strides[axis], n).map_or(String::new(), |n| format!(" + {n}"));
        format!("read{}({start}{place})", self.read)
    }

    /// The element at indices with these names.
    pub(crate) fn at(&self, names: &[String]) -> String {
        let terms = self.strides.iter().zip(names).filter_map(|(&stride, name)| term(stride, name));
        format!("read{}({})", self.read, sum(self.offset, terms.collect()))
    }
}

/// A library op that has shaders.
#[derive(Clone, Copy)]
pub(crate) enum ShaderOp<'a> {
    Contract,
    Conv(&'a Conv),
    Gather(&'a Gather),
    Scatter(&'a Scatter),
    Scan(&'a Scan),
    Sort(&'a Sort),
    ArgReduce(&'a ArgReduce),
    Fold(&'a Fold),
}

impl<'a> ShaderOp<'a> {
    /// `None` for an op without shaders, which runs on the CPU.
    pub(crate) fn of(op: &'a Op) -> Option<ShaderOp<'a>> {
        Some(match op {
            Op::Contract(_) => ShaderOp::Contract,
            Op::Conv(op) => ShaderOp::Conv(op),
            Op::Gather(op) => ShaderOp::Gather(op),
            Op::Scatter(op) => ShaderOp::Scatter(op),
            Op::Scan(op) => ShaderOp::Scan(op),
            Op::Sort(op) => ShaderOp::Sort(op),
            Op::ArgReduce(op) => ShaderOp::ArgReduce(op),
            Op::Fold(op) => ShaderOp::Fold(op),
            _ => return None,
        })
    }
}

/// The shaders of a library kernel.
pub(crate) fn emit(
    kernel: &Kernel,
    op: ShaderOp,
    operands: &[Operand],
    out: &Type,
    buffers: &LaunchBuffers,
) -> Vec<ShaderText> {
    let x: Vec<Strided> = operands.iter().map(Strided::new).collect();
    let code = Code::new(kernel);
    match op {
        ShaderOp::Contract => contract::emit(&Product::contract(&x), kernel, buffers),
        ShaderOp::Conv(conv) => {
            paths::hit(Path::Convolution);
            contract::emit(&Product::conv(conv, &x, out), kernel, buffers)
        }
        ShaderOp::Scatter(op) => scatter::emit(op, &code, &x, out, buffers),
        ShaderOp::ArgReduce(op) => arg_reduce::emit(op, &code, &x[0], out, buffers),
        ShaderOp::Sort(op) => sort::emit(op, &code, &x[0], out, buffers),
        ShaderOp::Scan(op) => scan::emit(op, &code, &x, out, buffers),
        ShaderOp::Gather(op) => {
            paths::hit(Path::Gather);
            vec![elementwise(&code, "gather", out, buffers, |shader| gather(shader, op, &x))]
        }
        ShaderOp::Fold(op) => {
            paths::hit(Path::Fold);
            vec![elementwise(&code, "fold", out, buffers, |shader| fold(shader, op, &x[0], out))]
        }
    }
}

/// The scratch words that a library op needs between its passes.
pub(crate) fn scratch(
    op: ShaderOp,
    operands: &[Operand],
    out: &Type,
    device: DeviceTraits,
    most: usize,
) -> usize {
    let x: Vec<Strided> = operands.iter().map(Strided::new).collect();
    match op {
        ShaderOp::Contract => contract::parts_words(&Product::contract(&x), device, most),
        ShaderOp::Conv(conv) => contract::parts_words(&Product::conv(conv, &x, out), device, most),
        ShaderOp::Scatter(op) => scatter::scratch(op, &x, out, device, most),
        ShaderOp::ArgReduce(op) => arg_reduce::scratch(op, &x[0], device, most),
        ShaderOp::Sort(op) => sort::scratch(op, &x[0], most),
        ShaderOp::Scan(op) => scan::scratch(op, out, device, most),
        ShaderOp::Gather(_) | ShaderOp::Fold(_) => 0,
    }
}

/// An op with one thread per element of its result, which `value` computes.
fn elementwise(
    code: &Code,
    name: &str,
    out: &Type,
    buffers: &LaunchBuffers,
    value: impl FnOnce(&mut Shader),
) -> ShaderText {
    let mut shader = per_element(out.elements(), buffers, THREADS);
    describe(&mut shader, name, code);
    value(&mut shader);
    code.element(&mut shader, "flat");
    shader.finish()
}

/// Emits `finish(flat, value)`, which runs the epilogue for one element of the op's result.
pub(crate) fn finish_function(shader: &mut Shader, code: &Code, dtype: DType) {
    let ty = class(dtype).wgsl();
    shader.function(&format!("fn finish(flat: u32, value: {ty})"), |shader| {
        shader.line(&format!("let anchor = {};", narrow_to(dtype, "value")));
        code.element(shader, "flat");
    });
}

/// Lines that set `o0`, `o1` … to the indices of element `flat` of a shape, and these names.
pub(crate) fn unravel(flat: &str, shape: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut lines = Vec::new();
    let mut below = 1;
    for (n, len) in shape.iter().enumerate().rev() {
        let divided = if below == 1 { flat.to_string() } else { format!("{flat} / {below}u") };
        let rest = if n == 0 { divided } else { format!("{divided} % {len}u") };
        lines.push(format!("let o{n} = i32({rest});"));
        below *= len;
    }
    (lines, (0..shape.len()).map(|n| format!("o{n}")).collect())
}

fn gather(shader: &mut Shader, op: &Gather, x: &[Strided]) {
    let (x, index) = (&x[0], &x[1]);
    let (lines, mut names) = unravel("flat", &index.shape);
    shader.lines(&lines);
    shader.line(&format!("let index = i32({});", index.at(&names)));
    let len = x.shape[op.axis];
    shader.flag_out_of_range("index", len, Word::Launch);
    names[op.axis] = format!("clamp(index, 0, {})", len.saturating_sub(1));
    shader.line(&format!("let anchor = {};", x.at(&names)));
}

/// Each element sums over the windows that contain it: loops over the taps, or over the windows
/// if there are fewer.
fn fold(shader: &mut Shader, op: &Fold, x: &Strided, out: &Type) {
    let Fold { axis, step, dilation, .. } = *op;
    let (windows, taps) = (x.shape[axis], x.shape[x.shape.len() - 1]);
    let (lines, mut names) = unravel("flat", &out.shape);
    shader.lines(&lines);
    let (zero, _) = reduction(ReduceOp::Sum, class(x.dtype));
    shader.line(&format!("var value = {zero};"));
    let is_by_taps = taps <= windows;
    let (each, count, apart) =
        if is_by_taps { ("tap", taps, dilation) } else { ("window", windows, step) };
    let (other, most, steps) =
        if is_by_taps { ("window", windows, step) } else { ("tap", taps, dilation) };
    shader.block(&format!("for (var {each} = 0; {each} < {count}; {each}++)"), |shader| {
        shader.line(&format!("let place = o{axis} - {each} * {apart};"));
        let hits = match steps {
            1 => format!("place >= 0 && place < {most}"),
            _ => format!("place >= 0 && place % {steps} == 0 && place / {steps} < {most}"),
        };
        let place = if steps == 1 { "place".to_string() } else { format!("(place / {steps})") };
        let of = |name: &str| if name == other { place.clone() } else { each.to_string() };
        names[axis] = of("window");
        names.push(of("tap"));
        shader.line(&format!("if ({hits}) {{ value += {}; }}", x.at(&names)));
    });
    shader.line(&format!("let anchor = {};", narrow_to(x.dtype, "value")));
}
