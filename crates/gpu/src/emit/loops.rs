//! Kernels without a library op: one thread per element, or, with reductions, one or more threads
//! per row.
use super::code::{Code, class, needed, reduction};
use super::narrow::per_word;
use super::row_partition::RowPartition;
use super::scalar::{Class, narrow_to};
use super::shader::{LaunchBuffers, Shader, ShaderText, Word, from_word, to_word};
pub(crate) use super::threads::{THREADS, per_element};
use super::vec4_map;
use super::vec4_rows::Vec4Rows;
use crate::paths::{self, Path};
use brasa_compile::kernel::{Granularity, Kernel, StepOp};
use brasa_ir::DType;
use brasa_ir::ops::ReduceOp;

pub(crate) fn emit(kernel: &Kernel, buffers: &LaunchBuffers) -> Vec<ShaderText> {
    let code = Code::new(kernel);
    match has_reductions(kernel) {
        true => reduction_passes(&code, buffers),
        false => vec![map(&code, buffers)],
    }
}

fn map(code: &Code, buffers: &LaunchBuffers) -> ShaderText {
    if let Some(text) = vec4_map::emit(code, buffers, THREADS) {
        paths::hit(Path::MapVec4);
        return text;
    }
    let is_narrow = buffers.writes.iter().any(|write| write.per_word() > 1);
    paths::hit(if is_narrow { Path::MapWords } else { Path::Map });
    let mut shader =
        per_element(code.kernel.domain.elements(Granularity::PerElement), buffers, THREADS);
    describe(&mut shader, "map", code);
    code.element(&mut shader, "flat");
    shader.finish()
}

/// The epilogue of an op that ran on the CPU and left its result in scratch.
pub(crate) fn epilogue(kernel: &Kernel, buffers: &LaunchBuffers, dtype: DType) -> ShaderText {
    let code = Code::new(kernel);
    let mut shader = per_element(kernel.domain.elements(Granularity::PerElement), buffers, THREADS);
    describe(&mut shader, "after", &code);
    let start = shader.word(Word::Scratch);
    let arena = shader.aux_arena();
    let at = match per_word(dtype) {
        1 => "flat".to_string(),
        count => format!("flat / {count}u"),
    };
    let value = buffers.element(dtype, &format!("{arena}[{start} + {at}]"), "flat");
    shader.line(&format!("let anchor = {value};"));
    code.element(&mut shader, "flat");
    shader.finish()
}

/// Sets the name and the comment of a shader.
pub(crate) fn describe(shader: &mut Shader, kind: &str, code: &Code) {
    let words = code.words();
    shader.set_name(kind, &words);
    let what = if words.is_empty() { "as it is".to_string() } else { words.join(" ") };
    shader.comment(format!("{kind} over {}: {what}", code.kernel.domain));
}

pub(crate) fn has_reductions(kernel: &Kernel) -> bool {
    kernel.code.steps.iter().any(|step| matches!(step.op, StepOp::Reduce { .. }))
}

/// The reductions, in order.
fn reductions(code: &Code) -> Vec<usize> {
    (0..code.steps().len()).filter(|&n| is_reduce(code, n)).collect()
}

/// Whether rows can be split into parts, each stage in its own pass: only the last pass stores
/// elements, and no pass overwrites a row's values that another may still read.
fn can_split(code: &Code) -> bool {
    let stage_of = stages(code);
    let last = stage_of.iter().max().copied().unwrap_or(0);
    let of = |level: Granularity| {
        (0..stage_of.len()).filter(move |&n| code.steps()[n].granularity == level)
    };
    let stores = |level: Granularity| of(level).filter(|&n| code.is_stored(n));
    let is_load = |n: usize| matches!(code.steps()[n].op, StepOp::Load { .. });
    let last_stage_reduces = reductions(code).iter().any(|&n| stage_of[n] == last);
    match stores(Granularity::PerElement).next() {
        None => true,
        Some(_) if last_stage_reduces => false,
        Some(_) => {
            let is_last = stores(Granularity::PerElement).all(|n| stage_of[n] == last);
            is_last
                && !(of(Granularity::PerRow).any(is_load)
                    && stores(Granularity::PerRow).next().is_some())
        }
    }
}

/// How the rows of a kernel are distributed over threads.
fn partition(code: &Code, is_software: bool, max_words: usize) -> RowPartition {
    let (rows, len) = (code.space.elements(false), code.space.elements(true));
    let is_by_columns = code.space.axes.last().is_some_and(|axis| !axis.is_reduced);
    let partition = RowPartition::new(rows, len, is_by_columns, is_software);
    if can_split(code) { partition.split(reductions(code).len(), max_words) } else { partition }
}

/// The scratch words that a kernel needs between its passes.
pub(crate) fn scratch(kernel: &Kernel, is_software: bool, most: usize) -> usize {
    let code = Code::new(kernel);
    let reductions = reductions(&code).len();
    if reductions == 0 {
        return 0;
    }
    match partition(&code, is_software, most) {
        RowPartition { parts: 1, .. } => 0,
        RowPartition { parts, rows, .. } => parts * rows * reductions,
    }
}

fn reduction_passes(code: &Code, buffers: &LaunchBuffers) -> Vec<ShaderText> {
    let partition = partition(code, buffers.is_software, buffers.scratch_words);
    let stage_of = stages(code);
    let last = stage_of.iter().max().copied().unwrap_or(0);
    let last_stage_reduces = reductions(code).iter().any(|&n| stage_of[n] == last);
    // The results of the last reductions are stored by an extra pass.
    let last = if partition.parts > 1 && last_stage_reduces { last + 1 } else { last };
    let uses_vec4 = partition.parts == 1 && !partition.is_by_columns;
    let vec4 = if uses_vec4 { Vec4Rows::new(code, buffers) } else { None };
    paths::hit(match &partition {
        RowPartition { parts: 2.., .. } => Path::RowsParts,
        _ if vec4.is_some() => Path::RowsVec4,
        RowPartition { lanes: 1, .. } => Path::RowsThread,
        RowPartition { is_by_columns: true, .. } => Path::RowsColumns,
        _ => Path::RowsLanes,
    });
    let writer =
        ReductionWriter { code, buffers, partition: &partition, stage_of: &stage_of, last, vec4 };
    match partition.parts {
        1 => vec![writer.pass(0..last + 1)],
        _ => (0..=last).map(|n| writer.pass(n..n + 1)).collect(),
    }
}

/// Emits the passes of a kernel with reductions. A stage is what runs between one set of
/// reductions and the next.
struct ReductionWriter<'a> {
    code: &'a Code<'a>,
    buffers: &'a LaunchBuffers,
    partition: &'a RowPartition,
    stage_of: &'a [usize],
    last: usize,
    /// The vec4 accesses, if rows consist of whole vectors.
    vec4: Option<Vec4Rows>,
}

impl ReductionWriter<'_> {
    /// A shader for a range of stages: all of them, or one.
    fn pass(&self, own: std::ops::Range<usize>) -> ShaderText {
        let ReductionWriter { code, buffers, partition, .. } = self;
        let RowPartition { rows, len, lanes, per_group, parts, .. } = **partition;
        let groups = partition.groups();
        // A pass that does not loop over elements has no parts.
        let here = if self.loops_over_elements(own.end - 1) { groups * parts } else { groups };
        let mut shader = Shader::new(buffers, partition.threads(), here);
        describe(&mut shader, "row", code);
        shader.comment(format!("{rows} rows of {len}, {lanes} threads for each"));
        if let Some(vec4) = &self.vec4 {
            shader.comment("four neighbours at once".to_string());
            shader.use_vec4(vec4.reads(code));
        }
        shader.number_groups("number");
        let (row, lane) = partition.row_and_lane();
        if parts == 1 {
            shader.line(&format!("let row = number * {per_group}u + {row};"));
            shader.line(&format!("let lane = {lane};"));
            shader.line(&format!("let is_row = row < {rows}u;"));
        } else {
            shader.comment(format!("in {parts} parts, pass {}", own.start + 1));
            shader.line(&format!("let part = number / {groups}u;"));
            shader.line(&format!("let row = number % {groups}u * {per_group}u + {row};"));
            shader.line(&format!("let lane = {lane};"));
            shader.line(&format!("let is_row = part < {parts}u && row < {rows}u;"));
        }
        shader.lines(&code.space.unravel("row", |_, axis| !axis.is_reduced));
        for stage in 0..own.start {
            self.restore_stage(&mut shader, stage, own.end > self.last);
        }
        for stage in own {
            self.stage(&mut shader, stage);
        }
        shader.finish()
    }

    fn loops_over_elements(&self, stage: usize) -> bool {
        let needs_loop = |n: usize| {
            let step = &self.code.steps()[n];
            is_reduce(self.code, n)
                || (step.granularity == Granularity::PerElement && self.code.is_stored(n))
        };
        self.in_stage(stage).any(needs_loop)
    }

    fn in_stage(&self, stage: usize) -> impl Iterator<Item = usize> {
        (0..self.stage_of.len()).filter(move |&n| self.stage_of[n] == stage)
    }

    fn reductions_of(&self, stage: usize) -> Vec<usize> {
        self.in_stage(stage).filter(|&n| is_reduce(self.code, n)).collect()
    }

    /// The per-row steps that a stage computes before it loops over elements.
    fn row_steps(&self, stage: usize) -> impl Iterator<Item = usize> {
        let is_own = |&n: &usize| {
            self.code.steps()[n].granularity == Granularity::PerRow && !is_reduce(self.code, n)
        };
        self.in_stage(stage).filter(is_own)
    }

    /// Restores the results of a stage of an earlier pass: recomputes per-row steps, and combines
    /// the parts of reductions from scratch. The last pass stores them.
    fn restore_stage(&self, shader: &mut Shader, stage: usize, is_last: bool) {
        let code = self.code;
        for n in self.row_steps(stage) {
            code.step(shader, n, None);
            if is_last {
                self.row_stores(shader, n);
            }
        }
        for n in self.reductions_of(stage) {
            let (op, class) = (reduce_op(code, n), code.class(n));
            let (identity, combine) = reduction(op, class);
            shader.line(&format!("var sum{n} = {identity};"));
            let head = format!("for (var other = 0u; other < {}u; other++)", self.partition.parts);
            shader.block(&head, |shader| {
                let word = self.word(shader, n, "other");
                let text = combine
                    .replace("{a}", &format!("sum{n}"))
                    .replace("{b}", &format!("({})", from_word(class, &word)));
                shader.line(&format!("sum{n} = {text};"));
            });
            let text = narrow_to(code.steps()[n].dtype, &format!("sum{n}"));
            shader.line(&format!("let v{n} = {text};"));
            if is_last {
                self.row_stores(shader, n);
            }
        }
    }

    /// The scratch word with the result of reduction `n` for a part of a row.
    fn word(&self, shader: &mut Shader, n: usize, part: &str) -> String {
        let at = reductions(self.code).iter().position(|&other| other == n).unwrap_or(0);
        let RowPartition { rows, parts, .. } = *self.partition;
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        // Lanes without a row read another row's word.
        let row = if rows.is_multiple_of(self.partition.per_group) {
            "row".to_string()
        } else {
            format!("min(row, {}u)", rows - 1)
        };
        format!("{arena}[{start} + ({}u + {part}) * {rows}u + {row}]", at * parts)
    }

    /// Emits a stage: per-row steps, then a loop over the row's elements. Per-element values are
    /// recomputed in each stage rather than stored.
    fn stage(&self, shader: &mut Shader, stage: usize) {
        let code = self.code;
        let reductions = self.reductions_of(stage);
        for n in self.row_steps(stage) {
            code.step(shader, n, None);
            if self.partition.parts == 1 || stage == self.last {
                self.row_stores(shader, n);
            }
        }
        let is_full_store = |n: &usize| {
            code.steps()[*n].granularity == Granularity::PerElement && code.is_stored(*n)
        };
        let stored: Vec<usize> = self.in_stage(stage).filter(is_full_store).collect();
        let mut wanted = stored.clone();
        wanted.extend(reductions.iter().map(|&n| code.args(n)[0].index()));
        if wanted.is_empty() {
            return;
        }
        for &n in &reductions {
            let (identity, _) = reduction(reduce_op(code, n), code.class(n));
            shader.line(&format!("var sum{n} = {identity};"));
        }
        let steps = needed(code, &wanted);
        let add = |shader: &mut Shader| self.accumulate(shader, &reductions);
        let head = self.element_loop(shader);
        shader.block(&head, |shader| {
            shader.lines(&code.space.unravel("element", |_, axis| axis.is_reduced));
            if let Some(vec4) = &self.vec4 {
                return vec4.write(shader, code, self.buffers, &steps, &stored, add);
            }
            for &n in &steps {
                code.step(shader, n, None);
            }
            for &n in &stored {
                code.stores(shader, n, None);
            }
            add(shader);
        });
        for &n in &reductions {
            self.finish_reduction(shader, n);
        }
    }

    /// Adds the current element to each reduction.
    fn accumulate(&self, shader: &mut Shader, reductions: &[usize]) {
        let code = self.code;
        for &n in reductions {
            let (_, combine) = reduction(reduce_op(code, n), code.class(n));
            let value = code.value(code.args(n)[0].index());
            let text = combine.replace("{a}", &format!("sum{n}")).replace("{b}", &value);
            shader.line(&format!("sum{n} = {text};"));
        }
    }

    /// The head of the loop of a lane over its elements of the row.
    fn element_loop(&self, shader: &mut Shader) -> String {
        let RowPartition { len, lanes, parts, .. } = *self.partition;
        let (first, end) = match parts {
            1 if self.vec4.is_some() => ("lane * 4u".to_string(), format!("{len}u")),
            1 => ("lane".to_string(), format!("{len}u")),
            _ => {
                let part = self.partition.part();
                shader.line(&format!("let end = min((part + 1u) * {part}u, {len}u);"));
                (format!("part * {part}u + lane"), "end".to_string())
            }
        };
        let stride = if self.vec4.is_some() { 4 * lanes } else { lanes };
        format!(
            "for (var element = select({end}, {first}, is_row); element < {end}; element += {stride}u)"
        )
    }

    /// Combines the lanes of a reduction, and makes its value known or, of a part of a row, stores
    /// it.
    fn finish_reduction(&self, shader: &mut Shader, n: usize) {
        let ReductionWriter { code, partition, .. } = self;
        let total = reduce_lanes(shader, code, partition, n);
        if partition.parts > 1 {
            shader.line(&format!("let part{n} = {total};"));
            let word = self.word(shader, n, "part");
            let value = to_word(code.class(n), &format!("part{n}"));
            shader.line(&format!("if (is_row && lane == 0u) {{ {word} = {value}; }}"));
            return;
        }
        let text = narrow_to(code.steps()[n].dtype, &total);
        shader.line(&format!("let v{n} = {text};"));
        self.row_stores(shader, n);
    }

    /// Emits the stores of a per-row value by one thread of the row.
    fn row_stores(&self, shader: &mut Shader, n: usize) {
        if self.code.is_stored(n) {
            let first = if self.partition.parts == 1 { "" } else { " && part == 0u" };
            let head = format!("if (is_row && lane == 0u{first})");
            shader.block(&head, |shader| self.code.stores(shader, n, None));
        }
    }
}

/// The stage of each step: the number of reductions on the longest path to it.
fn stages(code: &Code) -> Vec<usize> {
    let mut stages = vec![0; code.steps().len()];
    for n in 0..stages.len() {
        let after = |arg: &brasa_compile::kernel::Ref| {
            let is_reduced = matches!(code.steps()[arg.index()].op, StepOp::Reduce { .. });
            stages[arg.index()] + is_reduced as usize
        };
        stages[n] = code.args(n).iter().map(after).max().unwrap_or(0);
    }
    stages
}

fn is_reduce(code: &Code, n: usize) -> bool {
    matches!(code.steps()[n].op, StepOp::Reduce { .. })
}

fn reduce_op(code: &Code, n: usize) -> ReduceOp {
    match code.steps()[n].op {
        StepOp::Reduce { by, .. } => by,
        _ => unreachable!("step {n} is a reduction"),
    }
}

/// Combines the values of all lanes of a row through workgroup memory.
fn reduce_lanes(shader: &mut Shader, code: &Code, partition: &RowPartition, n: usize) -> String {
    if partition.lanes == 1 {
        return format!("sum{n}");
    }
    let (op, class) = (reduce_op(code, n), class(code.steps()[n].dtype));
    reduce_function(shader, op, class, partition.threads(), partition.lanes, partition.step());
    format!("{}_{}(local, lane, sum{n})", op.word(), class.wgsl())
}

/// Emits the function that combines the values of `lanes` threads that are `step` apart.
pub(crate) fn reduce_function(
    shader: &mut Shader,
    by: ReduceOp,
    class: Class,
    threads: usize,
    lanes: usize,
    step: usize,
) {
    let ty = class.wgsl();
    let name = format!("{}_{ty}", by.word());
    let (identity, combine) = reduction(by, class);
    let memory = format!("shared_{ty}");
    shader.global_once(&format!("var<workgroup> {memory}: array<{ty}, {threads}>;"));
    let combined = |a: &str, b: &str| combine.replace("{a}", a).replace("{b}", b);
    let head = format!("fn {name}(local: u32, lane: u32, value: {ty}) -> {ty} {{");
    if let Some(built_in) = subgroup_function(by, class)
        && shader.has_subgroups()
        && lanes == threads
    {
        let next = combined("total", &format!("{memory}[n]"));
        return shader.global_once(&subgroup_reduction(&head, built_in, &memory, identity, &next));
    }
    let own = format!("{memory}[local]");
    let times = if step == 1 { String::new() } else { format!(" * {step}u") };
    let text = combined(&own, &format!("{memory}[local + half{times}]"));
    shader.global_once(&format!(
        "{head}
  {own} = value;
  workgroupBarrier();
  for (var half = {}u; half > 0u; half /= 2u) {{
    if (lane < half) {{ {own} = {text}; }}
    workgroupBarrier();
  }}
  let total = {memory}[local - lane{times}];
  workgroupBarrier();
  return total;
}}
",
        lanes / 2
    ));
}

/// The function `head` by a subgroup built-in: one number per subgroup goes through workgroup
/// memory, and `next` adds it to the total.
fn subgroup_reduction(
    head: &str,
    built_in: &str,
    memory: &str,
    identity: &str,
    next: &str,
) -> String {
    format!(
        "{head}
  let own = {built_in}(value);
  if (subgroup_lane == 0u) {{ {memory}[subgroup] = own; }}
  workgroupBarrier();
  var total = {identity};
  for (var n = 0u; n < subgroups; n++) {{ total = {next}; }}
  workgroupBarrier();
  return total;
}}
"
    )
}

/// The subgroup built-in of a reduction. Not for extremes of floats, which must propagate NaN.
fn subgroup_function(by: ReduceOp, class: Class) -> Option<&'static str> {
    match (by, class) {
        (_, Class::Bool) | (ReduceOp::Max | ReduceOp::Min, Class::Float) => None,
        (ReduceOp::Sum, _) => Some("subgroupAdd"),
        (ReduceOp::Max, _) => Some("subgroupMax"),
        (ReduceOp::Min, _) => Some("subgroupMin"),
    }
}
