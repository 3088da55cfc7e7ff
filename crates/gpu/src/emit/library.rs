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
use brasa_ir::ops::{Fold, Gather, Op, ReduceOp};
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

/// The shaders of a library kernel.
pub(crate) fn emit(
    kernel: &Kernel,
    op: &Op,
    operands: &[Operand],
    out: &Type,
    buffers: &LaunchBuffers,
) -> Vec<ShaderText> {
    if let Some(product) = product(op, operands, out) {
        if matches!(op, Op::Conv(_)) {
            paths::hit(Path::Convolution);
        }
        return contract::emit(&product, kernel, buffers);
    }
    let x: Vec<Strided> = operands.iter().map(Strided::new).collect();
    let code = Code::new(kernel);
    match op {
        Op::Scatter(op) => scatter::emit(op, &code, &x, out, buffers),
        Op::ArgReduce(op) => arg_reduce::emit(op, &code, &x[0], out, buffers),
        Op::Sort(op) => sort::emit(op, &code, &x[0], out, buffers),
        Op::Scan(op) => scan::emit(op, &code, &x, out, buffers),
        _ => vec![elementwise(&code, op, &x, out, buffers)],
    }
}

/// The scratch words that a library op needs between its passes.
pub(crate) fn scratch(
    op: &Op,
    operands: &[Operand],
    out: &Type,
    device: DeviceTraits,
    most: usize,
) -> usize {
    if let Some(product) = product(op, operands, out) {
        return contract::parts_words(&product, device, most);
    }
    let x: Vec<Strided> = operands.iter().map(Strided::new).collect();
    match op {
        Op::Scatter(op) => scatter::scratch(op, &x, out, device, most),
        Op::ArgReduce(op) => arg_reduce::scratch(op, &x[0], device, most),
        Op::Sort(op) => sort::scratch(op, &x[0], most),
        Op::Scan(op) => scan::scratch(op, out, device, most),
        _ => 0,
    }
}

/// The op as a matrix product, if it is one.
fn product(op: &Op, operands: &[Operand], out: &Type) -> Option<Product> {
    let strided = || operands.iter().map(Strided::new).collect::<Vec<_>>();
    match op {
        Op::Contract(_) => Some(Product::contract(&strided())),
        Op::Conv(conv) => Some(Product::conv(conv, &strided(), out)),
        _ => None,
    }
}

/// An op with one thread per element of its result.
fn elementwise(
    code: &Code,
    op: &Op,
    x: &[Strided],
    out: &Type,
    buffers: &LaunchBuffers,
) -> ShaderText {
    let mut shader = per_element(out.elements(), buffers, THREADS);
    describe(&mut shader, op.name(), code);
    match op {
        Op::Gather(op) => {
            paths::hit(Path::Gather);
            gather(&mut shader, op, x);
        }
        Op::Fold(op) => {
            paths::hit(Path::Fold);
            fold(&mut shader, op, &x[0], out);
        }
        other => unreachable!("{} runs on the CPU", other.name()),
    }
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
