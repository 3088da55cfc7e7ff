//! Kernels without a library op: a thread for each element, or, where there are reductions, some
//! threads for each row.
use super::code::{Code, class, needed, reduction};
use super::scalar::narrowed;
use super::shader::{Operands, Shader, Text, Word, loaded};
use brasa_compile::kernel::{Kernel, Level, What};
use brasa_ir::DType;

/// Threads of a workgroup, as many as WebGPU promises.
pub(crate) const THREADS: usize = 256;

pub(crate) fn emit(kernel: &Kernel, operands: &Operands) -> Text {
    let code = Code::new(kernel);
    let has_reduces = code.steps().iter().any(|s| matches!(s.what, What::Reduce { .. }));
    if has_reduces { rows(&code, operands) } else { map(&code, operands) }
}

/// Begins a shader with a thread for each element of the domain, whose number is `flat`.
pub(crate) fn per_element<'a>(
    elements: usize,
    operands: &'a Operands,
    most_threads: usize,
) -> Shader<'a> {
    let threads = most_threads.min(elements.next_power_of_two());
    let mut shader = Shader::new(operands, threads, elements.div_ceil(threads));
    shader.number_groups("number");
    shader.line(&format!("let flat = number * {threads}u + local;"));
    if !elements.is_multiple_of(threads) || elements > 65_535 * threads {
        shader.line(&format!("if (flat >= {elements}u) {{ return; }}"));
    }
    shader
}

fn map(code: &Code, operands: &Operands) -> Text {
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
    let start = shader.word(Word::Anchor);
    let arena = shader.extra();
    let value = loaded(class(dtype), &format!("{arena}[{start} + flat]"));
    shader.line(&format!("let anchor = {value};"));
    code.element(&mut shader, "flat");
    shader.finish()
}

/// Name and comment of a shader.
pub(crate) fn describe(shader: &mut Shader, kind: &str, code: &Code) {
    let words = code.words();
    shader.call(kind, &words);
    shader.about(format!("{kind} over {}: {}", code.kernel.domain, words.join(" ")));
}

/// How threads share rows.
struct Sharing {
    rows: usize,
    len: usize,
    /// Threads of one row, and rows of one workgroup; powers of two.
    lanes: usize,
    per_group: usize,
    /// Whether neighbours in memory are of different rows.
    is_by_columns: bool,
}

/// Threads of a row on software, which has few cores, and for which barriers are dear. Mesa's ends all
/// loops of a thread together after 65,535 turns, so that long rows need many threads.
fn software_lanes(rows: usize, len: usize) -> usize {
    let few = if rows >= 64 { 1 } else { 16 };
    few.max(len.div_ceil(8192).next_power_of_two())
}

/// Threads that keep a device busy.
pub(crate) const BUSY: usize = 16_384;

impl Sharing {
    fn new(code: &Code, is_software: bool) -> Sharing {
        let (rows, len) = (code.space.elements(false), code.space.elements(true));
        let is_by_columns = code.space.axes.last().is_some_and(|axis| !axis.is_reduced);
        // A thread has four elements to add up before it meets the others, or more if there are
        // rows enough.
        let most = len.div_ceil(4).next_power_of_two().min(THREADS);
        let lanes = match is_by_columns {
            false => most,
            true => {
                let wanted = BUSY.div_ceil(rows.max(1)).next_power_of_two();
                let room = THREADS / rows.next_power_of_two().clamp(1, 16);
                wanted.min(most).min(room)
            }
        };
        let lanes = if is_software { lanes.min(software_lanes(rows, len)) } else { lanes };
        let per_group = (THREADS / lanes).min(rows.next_power_of_two());
        Sharing { rows, len, lanes, per_group, is_by_columns }
    }

    fn threads(&self) -> usize {
        self.lanes * self.per_group
    }

    /// From one lane to the next in workgroup memory.
    fn step(&self) -> usize {
        if self.is_by_columns { self.per_group } else { 1 }
    }
}

fn rows(code: &Code, operands: &Operands) -> Text {
    let sharing = Sharing::new(code, operands.is_software);
    let Sharing { rows, lanes, per_group, .. } = sharing;
    let mut shader = Shader::new(operands, sharing.threads(), rows.div_ceil(per_group));
    describe(&mut shader, "row", code);
    shader.about(format!("{rows} rows of {}, {lanes} threads for each", sharing.len));
    shader.number_groups("number");
    let (row, lane) = match sharing.is_by_columns {
        true => (format!("local % {per_group}u"), format!("local / {per_group}u")),
        false => (format!("local / {lanes}u"), format!("local % {lanes}u")),
    };
    shader.line(&format!("let row = number * {per_group}u + {row};"));
    shader.line(&format!("let lane = {lane};"));
    shader.line(&format!("let is_row = row < {rows}u;"));
    shader.lines(&code.space.unravel("row", |_, axis| !axis.is_reduced));
    let stage_of = stages(code);
    for stage in 0..=stage_of.iter().max().copied().unwrap_or(0) {
        write_stage(&mut shader, code, &sharing, &stage_of, stage);
    }
    shader.finish()
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

/// What runs between one set of reductions and the next: values of rows, then a walk over their
/// elements, which are computed anew rather than kept.
fn write_stage(
    shader: &mut Shader,
    code: &Code,
    sharing: &Sharing,
    stage_of: &[usize],
    stage: usize,
) {
    let here: Vec<usize> = (0..stage_of.len()).filter(|&n| stage_of[n] == stage).collect();
    let reduces: Vec<usize> = here.iter().copied().filter(|&n| is_reduce(code, n)).collect();
    for &n in here.iter().filter(|&&n| code.steps()[n].level == Level::Row && !is_reduce(code, n)) {
        code.step(shader, n, None);
        row_stores(shader, code, n);
    }
    let is_full_store = |n: &usize| code.steps()[*n].level == Level::Full && code.is_stored(*n);
    let mut wanted: Vec<usize> = here.iter().copied().filter(is_full_store).collect();
    let stored = wanted.clone();
    wanted.extend(reduces.iter().map(|&n| code.args(n)[0].index()));
    if wanted.is_empty() {
        return;
    }
    for &n in &reduces {
        let (identity, _) = reduction(by(code, n), code.class(n));
        shader.line(&format!("var sum{n} = {identity};"));
    }
    let Sharing { len, lanes, .. } = *sharing;
    let head = format!(
        "for (var element = select({len}u, lane, is_row); element < {len}u; element += {lanes}u)"
    );
    shader.block(&head, |shader| {
        shader.lines(&code.space.unravel("element", |_, axis| axis.is_reduced));
        for n in needed(code, &wanted) {
            code.step(shader, n, None);
        }
        for &n in &stored {
            code.stores(shader, n, None);
        }
        for &n in &reduces {
            let (_, combine) = reduction(by(code, n), code.class(n));
            let value = code.value(code.args(n)[0].index());
            let text = combine.replace("{a}", &format!("sum{n}")).replace("{b}", &value);
            shader.line(&format!("sum{n} = {text};"));
        }
    });
    for &n in &reduces {
        let total = total(shader, code, sharing, n);
        let text = narrowed(code.steps()[n].dtype, &total);
        shader.line(&format!("let v{n} = {text};"));
        row_stores(shader, code, n);
    }
}

fn is_reduce(code: &Code, n: usize) -> bool {
    matches!(code.steps()[n].what, What::Reduce { .. })
}

fn by(code: &Code, n: usize) -> brasa_ir::ops::ReduceOp {
    match code.steps()[n].what {
        What::Reduce { by, .. } => by,
        _ => unreachable!("step {n} is a reduction"),
    }
}

/// One thread of a row writes the row's own values.
fn row_stores(shader: &mut Shader, code: &Code, n: usize) {
    if code.is_stored(n) {
        shader.block("if (is_row && lane == 0u)", |shader| code.stores(shader, n, None));
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
    by: brasa_ir::ops::ReduceOp,
    class: super::scalar::Class,
    threads: usize,
    lanes: usize,
    step: usize,
) {
    let ty = class.wgsl();
    let name = format!("{}_{ty}", by.word());
    let (_, combine) = reduction(by, class);
    let memory = format!("shared_{ty}");
    shader.global_once(&format!("var<workgroup> {memory}: array<{ty}, {threads}>;"));
    let own = format!("{memory}[local]");
    let times = if step == 1 { String::new() } else { format!(" * {step}u") };
    let other = format!("{memory}[local + half{times}]");
    let text = combine.replace("{a}", &own).replace("{b}", &other);
    shader.global_once(&format!(
        "fn {name}(local: u32, lane: u32, value: {ty}) -> {ty} {{
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
