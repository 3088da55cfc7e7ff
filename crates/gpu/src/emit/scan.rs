//! Running results. A thread walks along a line; where lines are few and long, along a part of one: a
//! first pass leaves what each part comes to, and a second goes on from the parts before its own.
use super::code::{Code, class, reduction};
use super::library::{Strided, finish_function};
use super::rows::describe;
use super::scalar::Class;
use super::shader::{Device, Operands, Shader, Text, Word, loaded, stored};
use super::sharing::{BUSY, MOST_TURNS};
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
    homes: &Operands,
) -> Vec<Text> {
    let parts = parts(op, out, homes.device(), homes.scratch_words);
    paths::hit(if parts == 1 { Path::Scan } else { Path::ScanParts });
    let writer = Scans { op, code, x, out, parts };
    match parts {
        1 => vec![writer.walk(homes)],
        _ => vec![writer.totals(homes), writer.walk(homes)],
    }
}

/// The words between the passes.
pub(crate) fn scratch(op: &Scan, out: &Type, device: Device, most: usize) -> usize {
    match parts(op, out, device, most) {
        1 => 0,
        parts => parts * lines(op, out) * words(op),
    }
}

fn lines(op: &Scan, out: &Type) -> usize {
    out.elements() / out.shape[op.axis]
}

/// The words that a part leaves. A recurrence leaves what it makes of the value before it, too: its
/// factor.
fn words(op: &Scan) -> usize {
    if op.by == ScanOp::Linear { 2 } else { 1 }
}

/// Parts of a line: for threads enough, and for few turns of each, which are over its own elements and
/// over the parts before.
fn parts(op: &Scan, out: &Type, device: Device, most: usize) -> usize {
    let (len, lines) = (out.shape[op.axis], lines(op, out));
    if len < SHORT {
        return 1;
    }
    let enough = if device.is_software { 256 } else { BUSY };
    let wanted = (enough / lines).min(len.isqrt());
    let room = most / (lines * words(op));
    let part = len.div_ceil(wanted.max(len.div_ceil(MOST_TURNS)).min(room).max(1));
    len.div_ceil(part)
}

struct Scans<'a> {
    op: &'a Scan,
    code: &'a Code<'a>,
    x: &'a [Strided],
    out: &'a Type,
    parts: usize,
}

impl Scans<'_> {
    /// What each part comes to.
    fn totals(&self, homes: &Operands) -> Text {
        let mut shader = self.begin("scan_totals", homes);
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
            shader.line(&format!("{word} = {};", stored(self.class(), value)));
        }
        shader.finish()
    }

    /// All results.
    fn walk(&self, homes: &Operands) -> Text {
        let mut shader = self.begin("scan", homes);
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

    /// What the parts before come to.
    fn carry(&self, shader: &mut Shader) {
        shader.block("for (var other = 0u; other < part; other++)", |shader| {
            let total = loaded(self.class(), &self.word(shader, 0, "other"));
            shader.line(&format!("let total = {total};"));
            let factor = match self.op.by {
                ScanOp::Linear => loaded(self.class(), &self.word(shader, 1, "other")),
                _ => String::new(),
            };
            let next = self.next("total", &factor);
            shader
                .line(&format!("if (other == 0u) {{ value = total; }} else {{ value = {next}; }}"));
        });
    }

    /// A thread for each part of each line: where its line starts, and which elements are its own.
    fn begin<'a>(&self, kind: &str, homes: &'a Operands) -> Shader<'a> {
        let (len, stride) = (self.out.shape[self.op.axis], self.stride());
        let lines = lines(self.op, self.out);
        let mut shader = per_thread(lines * self.parts, homes, THREADS);
        describe(&mut shader, kind, self.code);
        shader.about(format!("{lines} lines of {len} in {} parts", self.parts));
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

    /// The loop over a thread's elements, of which `x` is the current one and `i` its number.
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

    /// The result that follows `value`.
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

    /// A word that a part leaves.
    fn word(&self, shader: &mut Shader, n: usize, part: &str) -> String {
        let lines = lines(self.op, self.out);
        let (start, arena) = (shader.word(Word::Scratch), shader.extra());
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
