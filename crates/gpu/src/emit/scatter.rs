//! Scatter without atomics, so that the order of its sums is fixed. Small scatters take one pass:
//! a thread owns some targets along the axis and scans all indices for their sources. Larger ones
//! first sort the sources by target ([`SortPasses`]); the sources of a target are then
//! neighbours, which its thread finds by binary search. Blocks of sources with a single target
//! are combined beforehand, so that no thread has to combine very many sources alone.
use super::code::{Code, class, reduction};
use super::index::{sum, term};
use super::library::{Strided, finish_function, unravel};
use super::loops::describe;
use super::row_partition::{BUSY_THREADS, MAX_ITERATIONS};
use super::scalar::Class;
use super::shader::{DeviceTraits, LaunchBuffers, Shader, ShaderText, Word, from_word, to_word};
use super::sort::SortPasses;
use super::threads::{THREADS, per_thread};
use crate::paths::{self, Path};
use brasa_ir::ops::{ReduceOp, Scatter, ScatterOp};
use brasa_ir::{Shape, Type};

/// Maximum targets of a thread, which reads each index once for all of them.
const MAX_TARGETS: usize = 16;
/// From this many index reads on, sorting the sources, which takes several passes, costs less.
const MANY_INDEX_READS: usize = 1 << 26;
/// Sources of a block.
const BLOCK: usize = 256;

pub(crate) fn emit(
    op: &Scatter,
    code: &Code,
    x: &[Strided],
    out: &Type,
    buffers: &LaunchBuffers,
) -> Vec<ShaderText> {
    let order = sort_if_worthwhile(op, x, out, buffers.device_traits(), buffers.scratch_words);
    paths::hit(if order.is_some() { Path::ScatterOrdered } else { Path::Scatter });
    match order {
        Some(order) => SortedScatter { op, code, x, out, order }.emit(buffers),
        None => vec![single_pass(op, code, x, out, buffers)],
    }
}

/// The scratch words.
pub(crate) fn scratch(
    op: &Scatter,
    x: &[Strided],
    out: &Type,
    device: DeviceTraits,
    most: usize,
) -> usize {
    sort_if_worthwhile(op, x, out, device, most).map_or(0, |order| words(op, x, &order))
}

/// The sort of the sources, for scatters that are worth it.
fn sort_if_worthwhile<'a>(
    op: &Scatter,
    x: &'a [Strided],
    out: &Type,
    device: DeviceTraits,
    most: usize,
) -> Option<SortPasses<'a>> {
    let sources = x[1].shape[op.axis];
    let index_reads = out.elements() / targets(op, out, device) * sources;
    let order = SortPasses::new(&x[1], op.axis, false, most);
    let is_worth_it = index_reads > MANY_INDEX_READS && words(op, x, &order) <= most;
    (sources > MAX_ITERATIONS || is_worth_it).then_some(order)
}

/// The scratch words of the sort, whose result is always kept, and of the blocks.
fn words(op: &Scatter, x: &[Strided], order: &SortPasses) -> usize {
    order.kept_words() + block_shape(op, &x[1]).iter().product::<usize>()
}

/// The shape of the array of block results.
fn block_shape(op: &Scatter, index: &Strided) -> Vec<usize> {
    let mut shape = index.shape.to_vec();
    shape[op.axis] /= BLOCK;
    shape
}

/// A scatter that sorts its sources.
struct SortedScatter<'a> {
    op: &'a Scatter,
    code: &'a Code<'a>,
    x: &'a [Strided],
    out: &'a Type,
    order: SortPasses<'a>,
}

impl SortedScatter<'_> {
    fn emit(&self, buffers: &LaunchBuffers) -> Vec<ShaderText> {
        let mut texts: Vec<ShaderText> =
            (0..self.order.passes()).map(|n| self.sort(n, buffers)).collect();
        if self.has_blocks() {
            texts.push(self.blocks(buffers));
        }
        texts.push(self.combine(buffers));
        texts
    }

    /// Whether any blocks are combined beforehand. `Set` needs none: it takes the last source.
    fn has_blocks(&self) -> bool {
        self.op.by != ScatterOp::Set && self.x[1].shape[self.op.axis] >= BLOCK
    }

    fn sort(&self, n: usize, buffers: &LaunchBuffers) -> ShaderText {
        let mut shader = per_thread(self.order.elements(), buffers, THREADS);
        describe(&mut shader, "scatter_order", self.code);
        self.order.about(&mut shader, n);
        self.order.rank(&mut shader, n);
        self.order.store_position(&mut shader, n);
        if n == 0 {
            shader.line("let index = i32(own);");
            shader.flag_out_of_range("index", self.out.shape[self.op.axis], Word::Launch);
        }
        shader.finish()
    }

    /// The pass that combines each block of sources, if they have one target.
    fn blocks(&self, buffers: &LaunchBuffers) -> ShaderText {
        let shape = block_shape(self.op, &self.x[1]);
        let mut shader = per_thread(shape.iter().product(), buffers, THREADS);
        describe(&mut shader, "scatter_blocks", self.code);
        shader.comment(format!("blocks of {BLOCK} sources"));
        let (lines, names) = unravel("flat", &shape);
        shader.lines(&lines);
        self.starts(&mut shader, &names);
        shader.line(&format!("let first = u32(o{}) * {BLOCK}u;", self.op.axis));
        let last = format!("first + {}u", BLOCK - 1);
        let (least, most) = (self.target(&mut shader, "first"), self.target(&mut shader, &last));
        shader.block(&format!("if ({least} == {most})"), |shader| {
            let source = self.source(shader, "first");
            shader.line(&format!("var value = {source};"));
            let head = format!("for (var n = first + 1u; n <= {last}; n++)");
            shader.block(&head, |shader| {
                let source = self.source(shader, "n");
                shader.line(&self.next(&source));
            });
            let word = self.block(shader, "flat");
            shader.line(&format!("{word} = {};", to_word(self.class(), "value")));
        });
        shader.finish()
    }

    /// The pass with a thread for each target.
    fn combine(&self, buffers: &LaunchBuffers) -> ShaderText {
        let (op, axis, index) = (self.op, self.op.axis, &self.x[1]);
        let mut shader = per_thread(self.out.elements(), buffers, THREADS);
        describe(&mut shader, "scatter", self.code);
        shader.comment(format!("{} sources in the order of their targets", index.shape[axis]));
        finish_function(&mut shader, self.code, self.out.dtype);
        let (lines, names) = unravel("flat", &self.out.shape);
        shader.lines(&lines);
        self.first_function(&mut shader);
        shader.line(&format!("var value = {};", self.x[0].at(&names)));
        let inside = inside(op, index, self.out);
        let head = if inside.is_empty() { String::new() } else { format!("if ({inside})") };
        shader.block(&head, |shader| {
            self.starts(shader, &names);
            shader.line(&format!("let first = first_of(base, line, o{axis});"));
            shader.line(&format!("let end = first_of(base, line, o{axis} + 1);"));
            match op.by {
                ScatterOp::Set => {
                    let source = self.source(shader, "end - 1u");
                    shader.line(&format!("if (first < end) {{ value = {source}; }}"));
                }
                _ => self.walk(shader, &names),
            }
        });
        shader.line("finish(flat, value);");
        shader.finish()
    }

    /// The loops over the sources of a target, from `first` to `end`: those before the first
    /// whole block, the blocks, and the rest.
    fn walk(&self, shader: &mut Shader, names: &[String]) {
        let source = self.source(shader, "n");
        let of_source = self.next(&source);
        if !self.has_blocks() {
            let head = "for (var n = first; n < end; n++)";
            return shader.block(head, |shader| shader.line(&of_source));
        }
        shader.line(&format!("let block = (first + {}u) / {BLOCK}u;", BLOCK - 1));
        shader.line(&format!("let begin = min(block * {BLOCK}u, end);"));
        shader.block("for (var n = first; n < begin; n++)", |shader| shader.line(&of_source));
        let mut names = names.to_vec();
        names[self.op.axis] = "i32(n)".to_string();
        let at = format!("u32({})", number_in(&block_shape(self.op, &self.x[1]), &names));
        let block = from_word(self.class(), &self.block(shader, &at));
        let head = format!("for (var n = block; n < end / {BLOCK}u; n++)");
        shader.block(&head, |shader| shader.line(&self.next(&format!("({block})"))));
        let head = format!("for (var n = max(begin, end / {BLOCK}u * {BLOCK}u); n < end; n++)");
        shader.block(&head, |shader| shader.line(&of_source));
    }

    /// The start of the element's line in the indices, the sources and the sorted positions.
    fn starts(&self, shader: &mut Shader, names: &[String]) {
        let (axis, len) = (self.op.axis, self.x[1].shape[self.op.axis]);
        shader.line(&format!("let base = {};", self.x[1].start(names, axis)));
        shader.line(&format!("let sources = {};", self.x[2].start(names, axis)));
        shader.line(&format!("let line = u32({}) * {len}u;", self.order.line(names)));
    }

    /// The position of the `n`-th source.
    fn position(&self, shader: &mut Shader, n: &str) -> String {
        let place =
            self.order.position_word(shader, self.order.passes() - 1, &format!("line + {n}"));
        format!("i32({place})")
    }

    fn source(&self, shader: &mut Shader, n: &str) -> String {
        self.x[2].along(self.op.axis, "sources", &self.position(shader, n))
    }

    fn target(&self, shader: &mut Shader, n: &str) -> String {
        format!("i32({})", self.x[1].along(self.op.axis, "base", &self.position(shader, n)))
    }

    /// Emits the function that finds the first source whose target is at least `index`.
    fn first_function(&self, shader: &mut Shader) {
        let (sources, middle) = (self.x[1].shape[self.op.axis], self.target(shader, "middle"));
        shader.global(&format!(
            "fn first_of(base: i32, line: u32, index: i32) -> u32 {{
  var low = 0u;
  var high = {sources}u;
  while (low < high) {{
    let middle = (low + high) / 2u;
    let comes_before = {middle} < index;
    low = select(low, middle + 1u, comes_before);
    high = select(middle, high, comes_before);
  }}
  return low;
}}
"
        ));
    }

    /// The statement that combines `value` with a source or a block result.
    fn next(&self, source: &str) -> String {
        let next = combined(self.op, self.class()).replace("{a}", "value").replace("{b}", source);
        format!("value = {next};")
    }

    /// The word with the result of a block.
    fn block(&self, shader: &mut Shader, at: &str) -> String {
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        format!("{arena}[{start} + {}u + {at}]", self.order.kept_words())
    }

    fn class(&self) -> Class {
        class(self.out.dtype)
    }
}

/// The flat index of the element with these indices.
fn number_in(shape: &[usize], names: &[String]) -> String {
    let strides = Shape::from(shape).strides();
    let terms = strides.iter().zip(names).filter_map(|(&s, name)| term(s as isize, name));
    sum(0, terms.collect())
}

/// The expression that combines a target's value `{a}` with a source `{b}`.
fn combined(op: &Scatter, class: Class) -> &'static str {
    match (op.by, class) {
        (ScatterOp::Set, _) => "{b}",
        (ScatterOp::Add, Class::Bool) => "{a} | {b}",
        (ScatterOp::Add, _) => "{a} + {b}",
        (ScatterOp::Prod, Class::Bool) => "{a} & {b}",
        (ScatterOp::Prod, _) => "{a} * {b}",
        (ScatterOp::Max, _) => reduction(ReduceOp::Max, class).1,
        (ScatterOp::Min, _) => reduction(ReduceOp::Min, class).1,
    }
}

/// The condition that a target lies within the shape of the indices, which may be smaller.
fn inside(op: &Scatter, index: &Strided, out: &Type) -> String {
    let is_short = |&n: &usize| n != op.axis && index.shape[n] < out.shape[n];
    let short = (0..out.shape.len()).filter(is_short);
    short.map(|n| format!("o{n} < {}", index.shape[n])).collect::<Vec<_>>().join(" && ")
}

fn single_pass(
    op: &Scatter,
    code: &Code,
    x: &[Strided],
    out: &Type,
    buffers: &LaunchBuffers,
) -> ShaderText {
    let targets = targets(op, out, buffers.device_traits());
    let mut blocks = out.shape.to_vec();
    blocks[op.axis] = blocks[op.axis].div_ceil(targets);
    let mut shader = per_thread(blocks.iter().product(), buffers, THREADS);
    describe(&mut shader, "scatter", code);
    if targets > 1 {
        shader.comment(format!("{targets} targets for each thread"));
    }
    finish_function(&mut shader, code, out.dtype);
    let (lines, names) = unravel("flat", &blocks);
    shader.lines(&lines);
    let axis = op.axis;
    shader.line(&format!("let first = o{axis} * {targets};"));
    shader.line(&format!("var values: array<{}, {targets}>;", class(out.dtype).wgsl()));
    let len = out.shape[axis];
    let of_target = |shader: &mut Shader, line: &str| {
        let head = format!("for (var n = 0; n < {targets} && first + n < {len}; n++)");
        shader.block(&head, |shader| shader.line(line));
    };
    let mut target = names.clone();
    target[axis] = "(first + n)".to_string();
    of_target(&mut shader, &format!("values[n] = {};", x[0].at(&target)));
    sources(&mut shader, op, x, out, names, targets);
    let place = number_in(&out.shape, &target);
    of_target(&mut shader, &format!("finish(u32({place}), values[n]);"));
    shader.finish()
}

/// Targets of a thread: as many as still leave enough threads; a software adapter needs few.
fn targets(op: &Scatter, out: &Type, device: DeviceTraits) -> usize {
    let enough = if device.is_software { 256 } else { BUSY_THREADS };
    (out.elements() / enough).clamp(1, MAX_TARGETS.min(out.shape[op.axis].max(1)))
}

/// The loop over all sources of a line.
fn sources(
    shader: &mut Shader,
    op: &Scatter,
    x: &[Strided],
    out: &Type,
    mut names: Vec<String>,
    targets: usize,
) {
    let (index, src) = (&x[1], &x[2]);
    let axis = op.axis;
    let inside = match inside(op, index, out) {
        inside if inside.is_empty() => inside,
        inside => format!(" && {inside}"),
    };
    names[axis] = "source".to_string();
    let at = if targets == 1 { "0" } else { "at" };
    let value = format!("values[{at}]");
    let combined = combined(op, class(out.dtype));
    let combined = combined.replace("{a}", &value).replace("{b}", &src.at(&names));
    let sources = index.shape[axis];
    let head = format!("for (var source = 0; source < {sources}{inside}; source++)");
    shader.block(&head, |shader| {
        shader.line(&format!("let index = i32({});", index.at(&names)));
        shader.line("let at = index - first;");
        shader.line(&format!("if (at >= 0 && at < {targets}) {{ {value} = {combined}; }}"));
        shader.block(&format!("if (o{axis} == 0)"), |shader| {
            shader.flag_out_of_range("index", out.shape[axis], Word::Launch);
        });
    });
}
