//! Scans (cumulative ops). One thread processes a line. Few long lines are split into parts: a
//! first pass computes the total of each part, and a second continues from the parts before its
//! own.
use super::code::{Code, class, reduction};
use super::library::{Strided, finish_function};
use super::loops::describe;
use super::row_partition::{BUSY_THREADS, MAX_ITERATIONS};
use super::scalar::Class;
use super::shader::{DeviceTraits, LaunchBuffers, Shader, ShaderText, Word, from_word, to_word};
use super::threads::{THREADS, per_thread};
use crate::paths::{self, Path};
use brasa_ir::Type;
use brasa_ir::ops::{ReduceOp, Scan, ScanOp};

/// Shorter lines are not worth a second pass.
const SHORT: usize = 512;

pub(crate) fn emit(
    op: &Scan,
    code: &Code,
    x: &[Strided],
    out: &Type,
    buffers: &LaunchBuffers,
) -> Vec<ShaderText> {
    let parts = parts(op, out, buffers.device_traits(), buffers.scratch_words);
    paths::hit(if parts == 1 { Path::Scan } else { Path::ScanParts });
    let writer = ScanWriter { op, code, x, out, parts };
    match parts {
        1 => vec![writer.walk(buffers)],
        _ => vec![writer.totals(buffers), writer.walk(buffers)],
    }
}

/// The scratch words.
pub(crate) fn scratch(op: &Scan, out: &Type, device: DeviceTraits, most: usize) -> usize {
    match parts(op, out, device, most) {
        1 => 0,
        parts => parts * lines(op, out) * words(op),
    }
}

fn lines(op: &Scan, out: &Type) -> usize {
    out.elements() / out.shape[op.axis]
}

/// Scratch words per part. A linear recurrence also stores the factor for the value before the
/// part.
fn words(op: &Scan) -> usize {
    if op.by == ScanOp::Linear { 2 } else { 1 }
}

/// Parts of a line: enough to occupy the device, and few enough that a thread iterates little
/// over its own elements and over the parts before.
fn parts(op: &Scan, out: &Type, device: DeviceTraits, most: usize) -> usize {
    let (len, lines) = (out.shape[op.axis], lines(op, out));
    if len < SHORT {
        return 1;
    }
    let enough = if device.is_software { 256 } else { BUSY_THREADS };
    let wanted = (enough / lines).min(len.isqrt());
    let available = most / (lines * words(op));
    let part = len.div_ceil(wanted.max(len.div_ceil(MAX_ITERATIONS)).min(available).max(1));
    len.div_ceil(part)
}

struct ScanWriter<'a> {
    op: &'a Scan,
    code: &'a Code<'a>,
    x: &'a [Strided],
    out: &'a Type,
    parts: usize,
}

impl ScanWriter<'_> {
    /// The pass that computes the total of each part.
    fn totals(&self, buffers: &LaunchBuffers) -> ShaderText {
        let mut shader = self.begin("scan_totals", buffers);
        let is_linear = self.op.by == ScanOp::Linear;
        let a = format!("read{}(i)", self.x[0].read);
        if is_linear {
            shader.line(&format!("var factor: {};", self.class().wgsl()));
        }
        self.each(&mut shader, |shader| {
            shader.block("if (n == first)", |shader| {
                shader.line("value = x;");
                if is_linear {
                    shader.line(&format!("factor = {a};"));
                }
            });
            shader.block("else", |shader| {
                shader.line(&format!("value = {};", self.next("x", &a)));
                if is_linear {
                    shader.line(&format!("factor *= {a};"));
                }
            });
        });
        let values = if is_linear { &["value", "factor"][..] } else { &["value"] };
        for (n, value) in values.iter().enumerate() {
            let word = self.word(&mut shader, n, "part");
            shader.line(&format!("{word} = {};", to_word(self.class(), value)));
        }
        shader.finish()
    }

    /// The pass that computes all results.
    fn walk(&self, buffers: &LaunchBuffers) -> ShaderText {
        let mut shader = self.begin("scan", buffers);
        finish_function(&mut shader, self.code, self.out.dtype);
        if self.parts > 1 {
            self.carry(&mut shader);
        }
        let next = self.next("x", &format!("read{}(i)", self.x[0].read));
        self.each(&mut shader, |shader| {
            shader.line(&format!("if (n == 0u) {{ value = x; }} else {{ value = {next}; }}"));
            shader.line("finish(u32(i), value);");
        });
        shader.finish()
    }

    /// Combines the totals of the parts before.
    fn carry(&self, shader: &mut Shader) {
        shader.block("for (var other = 0u; other < part; other++)", |shader| {
            let total = from_word(self.class(), &self.word(shader, 0, "other"));
            shader.line(&format!("let total = {total};"));
            let factor = match self.op.by {
                ScanOp::Linear => from_word(self.class(), &self.word(shader, 1, "other")),
                _ => String::new(),
            };
            let next = self.next("total", &factor);
            shader
                .line(&format!("if (other == 0u) {{ value = total; }} else {{ value = {next}; }}"));
        });
    }

    /// Begins a shader with one thread for each part of each line: the start of its line, and the
    /// range of its elements.
    fn begin<'a>(&self, kind: &str, buffers: &'a LaunchBuffers) -> Shader<'a> {
        let (len, stride) = (self.out.shape[self.op.axis], self.stride());
        let lines = lines(self.op, self.out);
        let mut shader = per_thread(lines * self.parts, buffers, THREADS);
        describe(&mut shader, kind, self.code);
        shader.comment(format!("{lines} lines of {len} in {} parts", self.parts));
        let part = len.div_ceil(self.parts);
        shader.line(&format!("let line = flat % {lines}u;"));
        shader.line(&format!("let part = flat / {lines}u;"));
        let block = len * stride;
        shader.line(&format!("let start = line / {stride}u * {block}u + line % {stride}u;"));
        shader.line(&format!("let first = part * {part}u;"));
        shader.line(&format!("let end = min(first + {part}u, {len}u);"));
        shader.line(&format!("var value: {};", self.class().wgsl()));
        shader
    }

    /// Emits the loop over a thread's elements: `x` is the current element and `i` its index.
    fn each(&self, shader: &mut Shader, inside: impl FnOnce(&mut Shader)) {
        let (len, stride) = (self.out.shape[self.op.axis], self.stride());
        let last = &self.x[self.x.len() - 1];
        shader.block("for (var n = first; n < end; n++)", |shader| {
            let position = match self.op.reverse {
                true => format!("({}u - n)", len - 1),
                false => "n".to_string(),
            };
            shader.line(&format!("let i = i32(start + {position} * {stride}u);"));
            shader.line(&format!("let x = read{}(i);", last.read));
            inside(shader);
        });
    }

    /// The expression that combines `value` with the next element.
    fn next(&self, x: &str, factor: &str) -> String {
        let class = self.class();
        let text = match self.op.by {
            ScanOp::Sum if class == Class::Bool => "{a} | {b}".to_string(),
            ScanOp::Sum => "{a} + {b}".to_string(),
            ScanOp::Linear => format!("{factor} * {{a}} + {{b}}"),
            ScanOp::Max => reduction(ReduceOp::Max, class).1.to_string(),
            ScanOp::Min => reduction(ReduceOp::Min, class).1.to_string(),
        };
        text.replace("{a}", "value").replace("{b}", x)
    }

    /// The `n`-th scratch word of a part.
    fn word(&self, shader: &mut Shader, n: usize, part: &str) -> String {
        let lines = lines(self.op, self.out);
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        let first = if n == 0 { String::new() } else { format!("{}u + ", n * lines * self.parts) };
        format!("{arena}[{start} + {first}{part} * {lines}u + line]")
    }

    fn class(&self) -> Class {
        class(self.out.dtype)
    }

    fn stride(&self) -> usize {
        self.out.shape.strides()[self.op.axis]
    }
}
