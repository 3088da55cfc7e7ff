//! Where the largest and the smallest elements of lines are, as threads that share a line find them: each
//! keeps the best position it has seen, then they compare. Few long lines take a second pass, which
//! compares the parts of each. Of equal elements the first wins, and NaN wins over all numbers.
use super::code::{Code, class};
use super::library::{Strided, finish_function, unravel};
use super::rows::describe;
use super::scalar::Class;
use super::shader::{Device, Operands, Shader, Text, Word};
use super::sharing::Sharing;
use super::threads::{THREADS, per_thread};
use crate::paths::{self, Path};
use brasa_ir::Type;
use brasa_ir::ops::{ArgReduce, ReduceOp};

pub(crate) fn emit(
    op: &ArgReduce,
    code: &Code,
    x: &Strided,
    out: &Type,
    homes: &Operands,
) -> Vec<Text> {
    let sharing = sharing(op, x, homes.device(), homes.scratch_words);
    let writer = Extremes { op, code, x, out, sharing };
    paths::hit(if writer.sharing.parts == 1 { Path::ArgReduce } else { Path::ArgReduceParts });
    match writer.sharing.parts {
        1 => vec![writer.search(homes)],
        _ => vec![writer.search(homes), writer.compare(homes)],
    }
}

/// The words between the passes: a position for each part of a line.
pub(crate) fn scratch(op: &ArgReduce, x: &Strided, device: Device, most: usize) -> usize {
    match sharing(op, x, device, most) {
        Sharing { parts: 1, .. } => 0,
        Sharing { parts, rows, .. } => parts * rows,
    }
}

fn sharing(op: &ArgReduce, x: &Strided, device: Device, most: usize) -> Sharing {
    let len = x.shape[op.axis];
    let rows = x.shape.elements() / len;
    let is_by_columns = x.strides[op.axis] > 1;
    let mut sharing = Sharing::new(rows, len, is_by_columns, device.is_software).split(1, most);
    // No part is empty.
    sharing.parts = len.div_ceil(sharing.part());
    sharing
}

struct Extremes<'a> {
    op: &'a ArgReduce,
    code: &'a Code<'a>,
    x: &'a Strided,
    out: &'a Type,
    sharing: Sharing,
}

impl Extremes<'_> {
    /// The pass that looks at all elements.
    fn search(&self, homes: &Operands) -> Text {
        let Sharing { rows, len, lanes, per_group, parts, .. } = self.sharing;
        let groups = self.sharing.groups();
        let mut shader = Shader::new(homes, self.sharing.threads(), groups * parts);
        describe(&mut shader, "arg_reduce", self.code);
        shader.about(format!("{rows} lines of {len} in {parts} parts, {lanes} threads for each"));
        self.functions(&mut shader);
        shader.number_groups("number");
        let (row, lane) = self.sharing.places();
        shader.line(&format!("let row = number % {groups}u * {per_group}u + {row};"));
        shader.line(&format!("let lane = {lane};"));
        shader.line(&format!("let part = number / {groups}u;"));
        self.base(&mut shader, &format!("min(row, {}u)", rows - 1));
        let part = self.sharing.part();
        shader.line(&format!("let end = min(i32(part + 1u) * {part}, {len});"));
        // Lanes beyond the end look at the last element once more.
        shader.line(&format!("var anchor = min(i32(part) * {part} + i32(lane), end - 1);"));
        shader.line("var best = key(base, anchor);");
        let head =
            format!("for (var position = anchor + {lanes}; position < end; position += {lanes})");
        shader.block(&head, |shader| {
            shader.line("let x = key(base, position);");
            shader.block(&format!("if ({})", self.wins("x", "best")), |shader| {
                shader.line("best = x;");
                shader.line("anchor = position;");
            });
        });
        self.meet(&mut shader);
        let is_last = format!("row < {rows}u && part < {parts}u && lane == 0u");
        let store = match parts {
            1 => "finish(row, anchor);".to_string(),
            _ => format!("{} = u32(anchor);", self.word(&mut shader, "part", "row")),
        };
        shader.line(&format!("if ({is_last}) {{ {store} }}"));
        shader.finish()
    }

    /// The threads of a line compare what they have found.
    fn meet(&self, shader: &mut Shader) {
        let Sharing { lanes, .. } = self.sharing;
        if lanes == 1 {
            return;
        }
        let (threads, step) = (self.sharing.threads(), self.sharing.step());
        shader.global(&format!("var<workgroup> found: array<i32, {threads}>;"));
        shader.line("found[local] = anchor;");
        shader.line("workgroupBarrier();");
        let head = format!("for (var half = {}u; half > 0u; half /= 2u)", lanes / 2);
        shader.block(&head, |shader| {
            shader.block("if (lane < half)", |shader| {
                let other = format!("found[local + half * {step}u]");
                shader.line(&format!("anchor = better(base, anchor, {other});"));
                shader.line("found[local] = anchor;");
            });
            shader.line("workgroupBarrier();");
        });
    }

    /// The pass that compares the parts of lines.
    fn compare(&self, homes: &Operands) -> Text {
        let Sharing { rows, parts, .. } = self.sharing;
        let mut shader = per_thread(rows, homes, THREADS);
        describe(&mut shader, "arg_reduce_parts", self.code);
        self.functions(&mut shader);
        self.base(&mut shader, "flat");
        let first = self.word(&mut shader, "0u", "flat");
        shader.line(&format!("var anchor = i32({first});"));
        shader.block(&format!("for (var part = 1u; part < {parts}u; part++)"), |shader| {
            let other = self.word(shader, "part", "flat");
            shader.line(&format!("anchor = better(base, anchor, i32({other}));"));
        });
        shader.line("finish(flat, anchor);");
        shader.finish()
    }

    /// The word with what a part of a line gives.
    fn word(&self, shader: &mut Shader, part: &str, row: &str) -> String {
        let (start, arena) = (shader.word(Word::Scratch), shader.extra());
        format!("{arena}[{start} + {part} * {}u + {row}]", self.sharing.rows)
    }

    /// The line that tells where a line of elements begins.
    fn base(&self, shader: &mut Shader, row: &str) {
        let (lines, mut names) = unravel(row, &self.out.shape);
        shader.lines(&lines);
        names.insert(self.op.axis, "0".to_string());
        shader.line(&format!("let base = {};", self.x.start(&names, self.op.axis)));
    }

    fn functions(&self, shader: &mut Shader) {
        finish_function(shader, self.code, self.out.dtype);
        let (ty, element) = (class(self.x.dtype).wgsl(), self.x.along(self.op.axis, "base", "n"));
        shader.global(&format!("fn key(base: i32, n: i32) -> {ty} {{ return {element}; }}"));
        let (wins, loses) = (self.wins("y", "x"), self.wins("x", "y"));
        shader.global(&format!(
            "// The position of the better element.
fn better(base: i32, a: i32, b: i32) -> i32 {{
  let x = key(base, a);
  let y = key(base, b);
  let wins = {wins};
  let loses = {loses};
  return select(a, b, wins || (!loses && b < a));
}}
"
        ));
    }

    /// Whether an element wins over another.
    fn wins(&self, x: &str, best: &str) -> String {
        match (class(self.x.dtype), self.op.by) {
            (Class::Float, ReduceOp::Min) => {
                format!("!is_nan({best}) && (is_nan({x}) || {x} < {best})")
            }
            (Class::Float, _) => format!("!is_nan({best}) && (is_nan({x}) || {x} > {best})"),
            (Class::Bool, ReduceOp::Min) => format!("{best} && !{x}"),
            (Class::Bool, _) => format!("{x} && !{best}"),
            (_, ReduceOp::Min) => format!("{x} < {best}"),
            _ => format!("{x} > {best}"),
        }
    }
}
