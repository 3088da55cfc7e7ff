//! Kernels without a library op: a thread for each element, or, where there are reductions, some
//! threads for each row.
use super::code::{Code, class, needed, reduction};
use super::fours::Fours;
use super::narrow::per_word;
use super::quads;
use super::scalar::{Class, narrowed};
use super::shader::{Operands, Shader, Text, Word, loaded, stored as stored_word};
use super::sharing::Sharing;
pub(crate) use super::threads::{THREADS, per_element};
use crate::paths::{self, Path};
use brasa_compile::kernel::{Kernel, Level, What};
use brasa_ir::DType;
use brasa_ir::ops::ReduceOp;

pub(crate) fn emit(kernel: &Kernel, operands: &Operands) -> Vec<Text> {
    let code = Code::new(kernel);
    match has_reductions(kernel) {
        true => rows(&code, operands),
        false => vec![map(&code, operands)],
    }
}

fn map(code: &Code, operands: &Operands) -> Text {
    if let Some(text) = quads::emit(code, operands, THREADS) {
        paths::hit(Path::MapQuads);
        return text;
    }
    let is_narrow = operands.writes.iter().any(|write| write.per_word() > 1);
    paths::hit(if is_narrow { Path::MapWords } else { Path::Map });
    let mut shader = per_element(code.kernel.domain.elements(Level::Full), operands, THREADS);
    describe(&mut shader, "map", code);
    code.element(&mut shader, "flat");
    shader.finish()
}

/// The code behind an op whose result lies in the arena.
pub(crate) fn after(kernel: &Kernel, operands: &Operands, dtype: DType) -> Text {
    let code = Code::new(kernel);
    let mut shader = per_element(kernel.domain.elements(Level::Full), operands, THREADS);
    describe(&mut shader, "after", &code);
    let start = shader.word(Word::Scratch);
    let arena = shader.extra();
    let at = match per_word(dtype) {
        1 => "flat".to_string(),
        count => format!("flat / {count}u"),
    };
    let value = operands.element(dtype, &format!("{arena}[{start} + {at}]"), "flat");
    shader.line(&format!("let anchor = {value};"));
    code.element(&mut shader, "flat");
    shader.finish()
}

/// Name and comment of a shader.
pub(crate) fn describe(shader: &mut Shader, kind: &str, code: &Code) {
    let words = code.words();
    shader.call(kind, &words);
    let what = if words.is_empty() { "as it is".to_string() } else { words.join(" ") };
    shader.about(format!("{kind} over {}: {what}", code.kernel.domain));
}

pub(crate) fn has_reductions(kernel: &Kernel) -> bool {
    kernel.code.steps.iter().any(|step| matches!(step.what, What::Reduce { .. }))
}

/// The reductions, in order.
fn reduces(code: &Code) -> Vec<usize> {
    (0..code.steps().len()).filter(|&n| is_reduce(code, n)).collect()
}

/// Whether a pass can do what a part of another relies on: elements are written by the last pass
/// alone, and nothing of a row that others may still read.
fn can_split(code: &Code) -> bool {
    let stage_of = stages(code);
    let last = stage_of.iter().max().copied().unwrap_or(0);
    let of = |level: Level| (0..stage_of.len()).filter(move |&n| code.steps()[n].level == level);
    let stores = |level: Level| of(level).filter(|&n| code.is_stored(n));
    let is_load = |n: usize| matches!(code.steps()[n].what, What::Load { .. });
    let reduces_last = reduces(code).iter().any(|&n| stage_of[n] == last);
    match stores(Level::Full).next() {
        None => true,
        Some(_) if reduces_last => false,
        Some(_) => {
            let is_last = stores(Level::Full).all(|n| stage_of[n] == last);
            is_last && !(of(Level::Row).any(is_load) && stores(Level::Row).next().is_some())
        }
    }
}

/// How threads share the rows of a kernel.
fn sharing(code: &Code, is_software: bool, most_words: usize) -> Sharing {
    let (rows, len) = (code.space.elements(false), code.space.elements(true));
    let is_by_columns = code.space.axes.last().is_some_and(|axis| !axis.is_reduced);
    let sharing = Sharing::new(rows, len, is_by_columns, is_software);
    if can_split(code) { sharing.split(reduces(code).len(), most_words) } else { sharing }
}

/// The words that a kernel needs between its passes.
pub(crate) fn scratch(kernel: &Kernel, is_software: bool, most: usize) -> usize {
    let code = Code::new(kernel);
    let reduces = reduces(&code).len();
    if reduces == 0 {
        return 0;
    }
    match sharing(&code, is_software, most) {
        Sharing { parts: 1, .. } => 0,
        Sharing { parts, rows, .. } => parts * rows * reduces,
    }
}

fn rows(code: &Code, operands: &Operands) -> Vec<Text> {
    let sharing = sharing(code, operands.is_software, operands.scratch_words);
    let stage_of = stages(code);
    let last = stage_of.iter().max().copied().unwrap_or(0);
    let reduces_last = reduces(code).iter().any(|&n| stage_of[n] == last);
    // What the last reductions give is stored by a pass of its own.
    let last = if sharing.parts > 1 && reduces_last { last + 1 } else { last };
    let is_by_fours = sharing.parts == 1 && !sharing.is_by_columns;
    let fours = if is_by_fours { Fours::new(code, operands) } else { None };
    paths::hit(match &sharing {
        Sharing { parts: 2.., .. } => Path::RowsParts,
        _ if fours.is_some() => Path::RowsFours,
        Sharing { lanes: 1, .. } => Path::RowsThread,
        Sharing { is_by_columns: true, .. } => Path::RowsColumns,
        _ => Path::RowsLanes,
    });
    let writer = Rows { code, operands, sharing: &sharing, stage_of: &stage_of, last, fours };
    match sharing.parts {
        1 => vec![writer.pass(0..last + 1)],
        _ => (0..=last).map(|n| writer.pass(n..n + 1)).collect(),
    }
}

/// Writes the passes of a kernel with reductions.
struct Rows<'a> {
    code: &'a Code<'a>,
    operands: &'a Operands,
    sharing: &'a Sharing,
    stage_of: &'a [usize],
    last: usize,
    /// What is read and written by fours, if rows lie so.
    fours: Option<Fours>,
}

impl Rows<'_> {
    /// A shader that does some of the stages: all of them, or one.
    fn pass(&self, own: std::ops::Range<usize>) -> Text {
        let Rows { code, operands, sharing, .. } = self;
        let Sharing { rows, len, lanes, per_group, parts, .. } = **sharing;
        let groups = sharing.groups();
        // A pass that has no elements to walk over has no parts.
        let here = if self.walks(own.end - 1) { groups * parts } else { groups };
        let mut shader = Shader::new(operands, sharing.threads(), here);
        describe(&mut shader, "row", code);
        shader.about(format!("{rows} rows of {len}, {lanes} threads for each"));
        if let Some(fours) = &self.fours {
            shader.about("four neighbours at once".to_string());
            shader.use_quads(fours.reads(code));
        }
        shader.number_groups("number");
        let (row, lane) = sharing.places();
        if parts == 1 {
            shader.line(&format!("let row = number * {per_group}u + {row};"));
            shader.line(&format!("let lane = {lane};"));
            shader.line(&format!("let is_row = row < {rows}u;"));
        } else {
            shader.about(format!("in {parts} parts, pass {}", own.start + 1));
            shader.line(&format!("let part = number / {groups}u;"));
            shader.line(&format!("let row = number % {groups}u * {per_group}u + {row};"));
            shader.line(&format!("let lane = {lane};"));
            shader.line(&format!("let is_row = part < {parts}u && row < {rows}u;"));
        }
        shader.lines(&code.space.unravel("row", |_, axis| !axis.is_reduced));
        for stage in 0..own.start {
            self.again(&mut shader, stage, own.end > self.last);
        }
        for stage in own {
            self.stage(&mut shader, stage);
        }
        shader.finish()
    }

    fn walks(&self, stage: usize) -> bool {
        let is_walk = |n: usize| {
            let step = &self.code.steps()[n];
            is_reduce(self.code, n) || (step.level == Level::Full && self.code.is_stored(n))
        };
        self.in_stage(stage).any(is_walk)
    }

    fn in_stage(&self, stage: usize) -> impl Iterator<Item = usize> {
        (0..self.stage_of.len()).filter(move |&n| self.stage_of[n] == stage)
    }

    fn reduces_of(&self, stage: usize) -> Vec<usize> {
        self.in_stage(stage).filter(|&n| is_reduce(self.code, n)).collect()
    }

    /// The values of rows that a stage computes before it walks over elements.
    fn row_steps(&self, stage: usize) -> impl Iterator<Item = usize> {
        let is_own =
            |&n: &usize| self.code.steps()[n].level == Level::Row && !is_reduce(self.code, n);
        self.in_stage(stage).filter(is_own)
    }

    /// The results of a stage that an earlier pass did; the last pass stores them.
    fn again(&self, shader: &mut Shader, stage: usize, is_last: bool) {
        let code = self.code;
        for n in self.row_steps(stage) {
            code.step(shader, n, None);
            if is_last {
                self.row_stores(shader, n);
            }
        }
        for n in self.reduces_of(stage) {
            let (op, class) = (by(code, n), code.class(n));
            let (identity, combine) = reduction(op, class);
            shader.line(&format!("var sum{n} = {identity};"));
            let head = format!("for (var other = 0u; other < {}u; other++)", self.sharing.parts);
            shader.block(&head, |shader| {
                let word = self.word(shader, n, "other");
                let text = combine
                    .replace("{a}", &format!("sum{n}"))
                    .replace("{b}", &format!("({})", loaded(class, &word)));
                shader.line(&format!("sum{n} = {text};"));
            });
            let text = narrowed(code.steps()[n].dtype, &format!("sum{n}"));
            shader.line(&format!("let v{n} = {text};"));
            if is_last {
                self.row_stores(shader, n);
            }
        }
    }

    /// The word with what a part of a row gives for reduction `n`.
    fn word(&self, shader: &mut Shader, n: usize, part: &str) -> String {
        let at = reduces(self.code).iter().position(|&other| other == n).unwrap_or(0);
        let Sharing { rows, parts, .. } = *self.sharing;
        let (start, arena) = (shader.word(Word::Scratch), shader.extra());
        // Lanes without a row read that of another.
        let row = if rows.is_multiple_of(self.sharing.per_group) {
            "row".to_string()
        } else {
            format!("min(row, {}u)", rows - 1)
        };
        format!("{arena}[{start} + ({}u + {part}) * {rows}u + {row}]", at * parts)
    }

    /// What runs between one set of reductions and the next: values of rows, then a walk over their
    /// elements, which are computed anew rather than kept.
    fn stage(&self, shader: &mut Shader, stage: usize) {
        let Rows { code, sharing, .. } = self;
        let reduces = self.reduces_of(stage);
        for n in self.row_steps(stage) {
            code.step(shader, n, None);
            if self.sharing.parts == 1 || stage == self.last {
                self.row_stores(shader, n);
            }
        }
        let is_full_store = |n: &usize| code.steps()[*n].level == Level::Full && code.is_stored(*n);
        let stored: Vec<usize> = self.in_stage(stage).filter(is_full_store).collect();
        let mut wanted = stored.clone();
        wanted.extend(reduces.iter().map(|&n| code.args(n)[0].index()));
        if wanted.is_empty() {
            return;
        }
        for &n in &reduces {
            let (identity, _) = reduction(by(code, n), code.class(n));
            shader.line(&format!("var sum{n} = {identity};"));
        }
        let steps = needed(code, &wanted);
        let add = |shader: &mut Shader| {
            for &n in &reduces {
                let (_, combine) = reduction(by(code, n), code.class(n));
                let value = code.value(code.args(n)[0].index());
                let text = combine.replace("{a}", &format!("sum{n}")).replace("{b}", &value);
                shader.line(&format!("sum{n} = {text};"));
            }
        };
        let Sharing { len, lanes, parts, .. } = **sharing;
        let (first, end) = match parts {
            1 if self.fours.is_some() => ("lane * 4u".to_string(), format!("{len}u")),
            1 => ("lane".to_string(), format!("{len}u")),
            _ => {
                let part = sharing.part();
                shader.line(&format!("let end = min((part + 1u) * {part}u, {len}u);"));
                (format!("part * {part}u + lane"), "end".to_string())
            }
        };
        let stride = if self.fours.is_some() { 4 * lanes } else { lanes };
        let head = format!(
            "for (var element = select({end}, {first}, is_row); element < {end}; element += {stride}u)"
        );
        shader.block(&head, |shader| {
            shader.lines(&code.space.unravel("element", |_, axis| axis.is_reduced));
            if let Some(fours) = &self.fours {
                return fours.write(shader, code, self.operands, &steps, &stored, add);
            }
            for &n in &steps {
                code.step(shader, n, None);
            }
            for &n in &stored {
                code.stores(shader, n, None);
            }
            add(shader);
        });
        for &n in &reduces {
            let total = total(shader, code, sharing, n);
            if parts > 1 {
                shader.line(&format!("let part{n} = {total};"));
                let word = self.word(shader, n, "part");
                let value = stored_word(code.class(n), &format!("part{n}"));
                shader.line(&format!("if (is_row && lane == 0u) {{ {word} = {value}; }}"));
                continue;
            }
            let text = narrowed(code.steps()[n].dtype, &total);
            shader.line(&format!("let v{n} = {text};"));
            self.row_stores(shader, n);
        }
    }

    /// One thread of a row writes the row's own values.
    fn row_stores(&self, shader: &mut Shader, n: usize) {
        if self.code.is_stored(n) {
            let first = if self.sharing.parts == 1 { "" } else { " && part == 0u" };
            let head = format!("if (is_row && lane == 0u{first})");
            shader.block(&head, |shader| self.code.stores(shader, n, None));
        }
    }
}

/// The number of reductions that each step has to wait for.
fn stages(code: &Code) -> Vec<usize> {
    let mut stages = vec![0; code.steps().len()];
    for n in 0..stages.len() {
        let after = |arg: &brasa_compile::kernel::Ref| {
            let is_reduced = matches!(code.steps()[arg.index()].what, What::Reduce { .. });
            stages[arg.index()] + is_reduced as usize
        };
        stages[n] = code.args(n).iter().map(after).max().unwrap_or(0);
    }
    stages
}

fn is_reduce(code: &Code, n: usize) -> bool {
    matches!(code.steps()[n].what, What::Reduce { .. })
}

fn by(code: &Code, n: usize) -> ReduceOp {
    match code.steps()[n].what {
        What::Reduce { by, .. } => by,
        _ => unreachable!("step {n} is a reduction"),
    }
}

/// The result of all lanes of a row, through workgroup memory.
fn total(shader: &mut Shader, code: &Code, sharing: &Sharing, n: usize) -> String {
    if sharing.lanes == 1 {
        return format!("sum{n}");
    }
    let (op, class) = (by(code, n), class(code.steps()[n].dtype));
    share(shader, op, class, sharing.threads(), sharing.lanes, sharing.step());
    format!("{}_{}(local, lane, sum{n})", op.word(), class.wgsl())
}

/// Writes the function that combines the values of `lanes` threads, `step` apart.
pub(crate) fn share(
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
        return shader.global_once(&format!(
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
        ));
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

/// What subgroups can do by themselves: not the extremes of floats, as NaN has to win.
fn subgroup_function(by: ReduceOp, class: Class) -> Option<&'static str> {
    match (by, class) {
        (_, Class::Bool) | (ReduceOp::Max | ReduceOp::Min, Class::Float) => None,
        (ReduceOp::Sum, _) => Some("subgroupAdd"),
        (ReduceOp::Max, _) => Some("subgroupMax"),
        (ReduceOp::Min, _) => Some("subgroupMin"),
    }
}
