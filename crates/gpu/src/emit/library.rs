//! Library ops with shaders of their own, and the code that follows them. Most have a thread for
//! each element of their result.
use super::code::{Code, class, reduction};
use super::contract::Product;
use super::index::{sum, term};
use super::rows::{THREADS, describe, per_element};
use super::scalar::{Class, narrowed};
use super::shader::{Operands, Shader, Text, Word};
use brasa_compile::kernel::{Kernel, Operand};
use brasa_ir::ops::{
    ArgReduce, Fold, Gather, Op, ReduceOp, Scan, ScanOp, Scatter, ScatterOp, Sort,
};
use brasa_ir::{DType, Shape, Type};

/// An operand that is found by strides.
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

    /// The element at indices with these names.
    fn at(&self, names: &[String]) -> String {
        let terms = self.strides.iter().zip(names).filter_map(|(&stride, name)| term(stride, name));
        format!("read{}({})", self.read, sum(self.offset, terms.collect()))
    }
}

/// The shader of a library kernel.
pub(crate) fn emit(
    kernel: &Kernel,
    op: &Op,
    operands: &[Operand],
    out: &Type,
    homes: &Operands,
) -> Text {
    let operands: Vec<Strided> = operands.iter().map(Strided::new).collect();
    match op {
        Op::Contract(_) => Product::contract(&operands).emit(kernel, homes),
        Op::Conv(conv) => Product::conv(conv, &operands, out).emit(kernel, homes),
        _ => plain(kernel, op, &operands, out, homes),
    }
}

fn plain(kernel: &Kernel, op: &Op, x: &[Strided], out: &Type, homes: &Operands) -> Text {
    let code = Code::new(kernel);
    let elements = out.elements();
    let mut shader = match op {
        Op::Scan(scan) => per_element(elements / out.shape[scan.axis], homes, THREADS),
        Op::Sort(_) => per_element(x[0].shape.elements(), homes, THREADS),
        _ => per_element(elements, homes, THREADS),
    };
    describe(&mut shader, op.name(), &code);
    match op {
        Op::Gather(op) => gather(&mut shader, op, x),
        Op::Scatter(op) => scatter(&mut shader, op, x, out),
        Op::ArgReduce(op) => arg_reduce(&mut shader, op, &x[0], out),
        Op::Fold(op) => fold(&mut shader, op, &x[0], out),
        Op::Sort(op) => {
            finish_function(&mut shader, &code, out.dtype);
            sort(&mut shader, op, &x[0], out);
            return shader.finish();
        }
        Op::Scan(op) => {
            finish_function(&mut shader, &code, out.dtype);
            scan(&mut shader, op, x, out);
            return shader.finish();
        }
        other => unreachable!("{} runs on the CPU", other.name()),
    }
    code.element(&mut shader, "flat");
    shader.finish()
}

/// Writes `finish`, which takes an element of the op's result and does the rest of the kernel.
pub(crate) fn finish_function(shader: &mut Shader, code: &Code, dtype: DType) {
    let ty = class(dtype).wgsl();
    shader.function(&format!("fn finish(flat: u32, value: {ty})"), |shader| {
        shader.line(&format!("let anchor = {};", narrowed(dtype, "value")));
        code.element(shader, "flat");
    });
}

/// Lines that set `o0`, `o1` … to the index of element `flat` of a shape, and these names.
fn unravel(flat: &str, shape: &[usize]) -> (Vec<String>, Vec<String>) {
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

/// Notes an index out of range.
fn alarm(shader: &mut Shader, index: &str, len: usize) {
    let (word, launch) = (shader.word(Word::Alarm), shader.word(Word::Launch));
    let arena = shader.extra();
    shader.block(&format!("if ({index} < 0 || {index} >= {len})"), |shader| {
        shader.line(&format!("{arena}[{word}] = {launch};"));
        shader.line(&format!("{arena}[{word} + 1u] = bitcast<u32>({index});"));
    });
}

fn gather(shader: &mut Shader, op: &Gather, x: &[Strided]) {
    let (x, index) = (&x[0], &x[1]);
    let (lines, mut names) = unravel("flat", &index.shape);
    shader.lines(&lines);
    shader.line(&format!("let index = i32({});", index.at(&names)));
    let len = x.shape[op.axis];
    alarm(shader, "index", len);
    names[op.axis] = format!("clamp(index, 0, {})", len.saturating_sub(1));
    shader.line(&format!("let anchor = {};", x.at(&names)));
}

/// Each target looks for its sources, in their order: no two threads write one element.
fn scatter(shader: &mut Shader, op: &Scatter, x: &[Strided], out: &Type) {
    let (x, index, src) = (&x[0], &x[1], &x[2]);
    let axis = op.axis;
    let (lines, mut names) = unravel("flat", &out.shape);
    shader.lines(&lines);
    shader.line(&format!("var value = {};", x.at(&names)));
    let is_short = |&n: &usize| n != axis && index.shape[n] < out.shape[n];
    let conditions: Vec<String> = (0..out.shape.len())
        .filter(is_short)
        .map(|n| format!("o{n} < {}", index.shape[n]))
        .collect();
    let sources = index.shape[axis];
    let head = match conditions.is_empty() {
        true => format!("for (var source = 0; source < {sources}; source++)"),
        false => format!(
            "for (var source = 0; source < {sources} && {}; source++)",
            conditions.join(" && ")
        ),
    };
    names[axis] = "source".to_string();
    let class = class(x.dtype);
    let combined = match (op.by, class) {
        (ScatterOp::Set, _) => "{b}",
        (ScatterOp::Add, Class::Bool) => "{a} | {b}",
        (ScatterOp::Add, _) => "{a} + {b}",
        (ScatterOp::Prod, Class::Bool) => "{a} & {b}",
        (ScatterOp::Prod, _) => "{a} * {b}",
        (ScatterOp::Max, _) => reduction(ReduceOp::Max, class).1,
        (ScatterOp::Min, _) => reduction(ReduceOp::Min, class).1,
    };
    let combined = combined.replace("{a}", "value").replace("{b}", &src.at(&names));
    shader.block(&head, |shader| {
        shader.line(&format!("let index = i32({});", index.at(&names)));
        shader.line(&format!("if (index == o{axis}) {{ value = {combined}; }}"));
        shader.block(&format!("if (o{axis} == 0)"), |shader| {
            alarm(shader, "index", out.shape[axis]);
        });
    });
    shader.line(&format!("let anchor = {};", narrowed(x.dtype, "value")));
}

fn arg_reduce(shader: &mut Shader, op: &ArgReduce, x: &Strided, out: &Type) {
    let (lines, mut names) = unravel("flat", &out.shape);
    shader.lines(&lines);
    names.insert(op.axis, "0".to_string());
    shader.line(&format!("var best = {};", x.at(&names)));
    shader.line("var anchor = 0;");
    names[op.axis] = "position".to_string();
    let wins = match (class(x.dtype), op.by) {
        (Class::Float, ReduceOp::Min) => "!is_nan(best) && (is_nan(x) || x < best)",
        (Class::Float, _) => "!is_nan(best) && (is_nan(x) || x > best)",
        (Class::Bool, ReduceOp::Min) => "best && !x",
        (Class::Bool, _) => "x && !best",
        (_, ReduceOp::Min) => "x < best",
        _ => "x > best",
    };
    let len = x.shape[op.axis];
    shader.block(&format!("for (var position = 1; position < {len}; position++)"), |shader| {
        shader.line(&format!("let x = {};", x.at(&names)));
        shader.block(&format!("if ({wins})"), |shader| {
            shader.line("best = x;");
            shader.line("anchor = position;");
        });
    });
}

/// Each element adds up the windows that it is part of.
fn fold(shader: &mut Shader, op: &Fold, x: &Strided, out: &Type) {
    let Fold { axis, step, dilation, .. } = *op;
    let (windows, taps) = (x.shape[axis], x.shape[x.shape.len() - 1]);
    let (lines, mut names) = unravel("flat", &out.shape);
    shader.lines(&lines);
    let (zero, _) = reduction(ReduceOp::Sum, class(x.dtype));
    shader.line(&format!("var value = {zero};"));
    names[axis] = if step == 1 { "place".to_string() } else { format!("(place / {step})") };
    names.push("tap".to_string());
    shader.block(&format!("for (var tap = 0; tap < {taps}; tap++)"), |shader| {
        shader.line(&format!("let place = o{axis} - tap * {dilation};"));
        let hits = match step {
            1 => format!("place >= 0 && place < {windows}"),
            _ => format!("place >= 0 && place % {step} == 0 && place / {step} < {windows}"),
        };
        shader.line(&format!("if ({hits}) {{ value += {}; }}", x.at(&names)));
    });
    shader.line(&format!("let anchor = {};", narrowed(x.dtype, "value")));
}

/// Each element counts those that come before it.
fn sort(shader: &mut Shader, op: &Sort, x: &Strided, out: &Type) {
    let (lines, mut names) = unravel("flat", &x.shape);
    shader.lines(&lines);
    let key = |value: String| match class(x.dtype) {
        Class::Bool => format!("select(0, 1, {value})"),
        _ => value,
    };
    shader.line(&format!("let own = {};", key(x.at(&names))));
    names[op.axis] = "other".to_string();
    let is_less = |a: &str, b: &str| match class(x.dtype) {
        Class::Float => format!("{a} < {b} || (is_nan({b}) && !is_nan({a}))"),
        _ => format!("{a} < {b}"),
    };
    let (before, after) = match op.descending {
        false => (is_less("x", "own"), is_less("own", "x")),
        true => (is_less("own", "x"), is_less("x", "own")),
    };
    let (axis, len) = (op.axis, x.shape[op.axis]);
    shader.line("var rank = 0;");
    shader.block(&format!("for (var other = 0; other < {len}; other++)"), |shader| {
        shader.line(&format!("let x = {};", key(x.at(&names))));
        shader.line(&format!("let is_before = {before};"));
        shader.line(&format!("let is_after = {after};"));
        shader.line(&format!("if (is_before || (!is_after && other < o{axis})) {{ rank++; }}"));
    });
    names[axis] = "rank".to_string();
    let strides = out.shape.strides();
    let terms = strides.iter().zip(&names).filter_map(|(&s, name)| term(s as isize, name));
    let place = sum(0, terms.collect());
    shader.line(&format!("if (rank < {}) {{ finish(u32({place}), o{axis}); }}", op.keep));
}

/// A thread for each line.
fn scan(shader: &mut Shader, op: &Scan, x: &[Strided], out: &Type) {
    let (len, stride) = (out.shape[op.axis], out.shape.strides()[op.axis]);
    let last = &x[x.len() - 1];
    shader.line(&format!("let start = flat / {stride}u * {}u + flat % {stride}u;", len * stride));
    let class = class(out.dtype);
    let ty = class.wgsl();
    shader.line(&format!("var value: {ty};"));
    shader.block(&format!("for (var n = 0u; n < {len}u; n++)"), |shader| {
        let position = if op.reverse { format!("({}u - n)", len - 1) } else { "n".to_string() };
        shader.line(&format!("let i = i32(start + {position} * {stride}u);"));
        shader.line(&format!("let x = read{}(i);", last.read));
        let next = match op.by {
            ScanOp::Sum if class == Class::Bool => "{a} | {b}".to_string(),
            ScanOp::Sum => "{a} + {b}".to_string(),
            ScanOp::Linear => format!("read{}(i) * {{a}} + {{b}}", x[0].read),
            ScanOp::Max => reduction(ReduceOp::Max, class).1.to_string(),
            ScanOp::Min => reduction(ReduceOp::Min, class).1.to_string(),
        };
        let next = next.replace("{a}", "value").replace("{b}", "x");
        shader.line(&format!("if (n == 0u) {{ value = x; }} else {{ value = {next}; }}"));
        shader.line("finish(u32(i), value);");
    });
}
