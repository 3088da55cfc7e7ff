//! Argmax and argmin. Each of the threads that share a line tracks the best position of its
//! elements, then they compare. Few long lines take a second pass, which compares the parts of
//! each. Among equal elements the first wins, and NaN wins over all numbers.
use super::code::{Code, class};
use super::library::{Strided, finish_function, unravel};
use super::loops::describe;
use super::row_partition::RowPartition;
use super::scalar::Class;
use super::shader::{DeviceTraits, LaunchBuffers, Shader, ShaderText, Word};
use super::threads::{THREADS, per_thread};
use crate::paths::{self, Path};
use brasa_ir::Type;
use brasa_ir::ops::{ArgReduce, ReduceOp};

pub(crate) fn emit(
    op: &ArgReduce,
    code: &Code,
    x: &Strided,
    out: &Type,
    buffers: &LaunchBuffers,
) -> Vec<ShaderText> {
    let partition = partition(op, x, buffers.device_traits(), buffers.scratch_words);
    let writer = ArgReduceWriter { op, code, x, out, partition };
    paths::hit(if writer.partition.parts == 1 { Path::ArgReduce } else { Path::ArgReduceParts });
    match writer.partition.parts {
        1 => vec![writer.search(buffers)],
        _ => vec![writer.search(buffers), writer.compare(buffers)],
    }
}

/// The scratch words: a position for each part of a line.
pub(crate) fn scratch(op: &ArgReduce, x: &Strided, device: DeviceTraits, most: usize) -> usize {
    match partition(op, x, device, most) {
        RowPartition { parts: 1, .. } => 0,
        RowPartition { parts, rows, .. } => parts * rows,
    }
}

fn partition(op: &ArgReduce, x: &Strided, device: DeviceTraits, most: usize) -> RowPartition {
    let len = x.shape[op.axis];
    let rows = x.shape.elements() / len;
    let is_by_columns = x.strides[op.axis] > 1;
    let mut partition =
        RowPartition::new(rows, len, is_by_columns, device.is_software).split(1, most);
    // No part is empty.
    partition.parts = len.div_ceil(partition.part());
    partition
}

struct ArgReduceWriter<'a> {
    op: &'a ArgReduce,
    code: &'a Code<'a>,
    x: &'a Strided,
    out: &'a Type,
    partition: RowPartition,
}

impl ArgReduceWriter<'_> {
    /// The pass that reads all elements.
    fn search(&self, buffers: &LaunchBuffers) -> ShaderText {
        let RowPartition { rows, len, lanes, per_group, parts, .. } = self.partition;
        let groups = self.partition.groups();
        let mut shader = Shader::new(buffers, self.partition.threads(), groups * parts);
        describe(&mut shader, "arg_reduce", self.code);
        shader.comment(format!("{rows} lines of {len} in {parts} parts, {lanes} threads for each"));
        self.functions(&mut shader);
        shader.number_groups("number");
        let (row, lane) = self.partition.row_and_lane();
        shader.line(&format!("let row = number % {groups}u * {per_group}u + {row};"));
        shader.line(&format!("let lane = {lane};"));
        shader.line(&format!("let part = number / {groups}u;"));
        self.base(&mut shader, &format!("min(row, {}u)", rows - 1));
        let part = self.partition.part();
        shader.line(&format!("let end = min(i32(part + 1u) * {part}, {len});"));
        // Lanes beyond the end read the last element again.
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
        self.compare_lanes(&mut shader);
        let is_last = format!("row < {rows}u && part < {parts}u && lane == 0u");
        let store = match parts {
            1 => "finish(row, anchor);".to_string(),
            _ => format!("{} = u32(anchor);", self.word(&mut shader, "part", "row")),
        };
        shader.line(&format!("if ({is_last}) {{ {store} }}"));
        shader.finish()
    }

    /// Compares the positions that the threads of a line have found.
    fn compare_lanes(&self, shader: &mut Shader) {
        let RowPartition { lanes, .. } = self.partition;
        if lanes == 1 {
            return;
        }
        let (threads, step) = (self.partition.threads(), self.partition.step());
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
    fn compare(&self, buffers: &LaunchBuffers) -> ShaderText {
        let RowPartition { rows, parts, .. } = self.partition;
        let mut shader = per_thread(rows, buffers, THREADS);
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

    /// The scratch word with the position for a part of a line.
    fn word(&self, shader: &mut Shader, part: &str, row: &str) -> String {
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        format!("{arena}[{start} + {part} * {}u + {row}]", self.partition.rows)
    }

    /// Emits `base`, the start of a line of elements.
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

    /// The condition that element `x` replaces `best`.
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
