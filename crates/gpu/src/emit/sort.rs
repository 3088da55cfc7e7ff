//! Sorts along an axis: computes the positions of the elements in sorted order. Short lines are
//! sorted in one pass by counting: each element counts the elements that come before it. Long
//! lines are split into runs that are sorted this way and then merged, many at a time: each
//! element counts, by binary search, the elements of every other run that come before it. The
//! sort is stable.
use super::code::{Code, class};
use super::index::{sum, term};
use super::library::{Strided, finish_function, unravel};
use super::loops::describe;
use super::row_partition::MAX_ITERATIONS;
use super::scalar::Class;
use super::shader::{LaunchBuffers, Shader, ShaderText, Word};
use super::threads::{THREADS, per_thread};
use crate::paths::{self, Path};
use brasa_ir::Type;
use brasa_ir::ops::Sort;

/// Lines up to this length are sorted in one pass.
const SHORT: usize = 1024;
/// The length of the first runs of longer lines, and how many runs one pass merges: 70,000
/// elements take 4 passes.
const RUN: usize = 256;
const WAYS: usize = 16;

/// The shaders of a sort.
pub(crate) fn emit(
    op: &Sort,
    code: &Code,
    x: &Strided,
    out: &Type,
    buffers: &LaunchBuffers,
) -> Vec<ShaderText> {
    let order = SortPasses::new(x, op.axis, op.descending, buffers.scratch_words);
    let last = order.runs.len() - 1;
    paths::hit(if last == 0 { Path::Sort } else { Path::SortRuns });
    let pass = |n: usize| {
        let mut shader = per_thread(order.elements(), buffers, THREADS);
        describe(&mut shader, "sort", code);
        order.about(&mut shader, n);
        if n < last {
            order.rank(&mut shader, n);
            order.store_position(&mut shader, n);
            return shader.finish();
        }
        finish_function(&mut shader, code, out.dtype);
        let mut names = order.rank(&mut shader, n);
        names[op.axis] = "i32(rank)".to_string();
        let strides = out.shape.strides();
        let terms = strides.iter().zip(&names).filter_map(|(&s, name)| term(s as isize, name));
        let place = sum(0, terms.collect());
        shader.line(&format!("if (rank < {}u) {{ finish(u32({place}), position); }}", op.keep));
        shader.finish()
    };
    (0..=last).map(pass).collect()
}

/// The scratch words of a sort.
pub(crate) fn scratch(op: &Sort, x: &Strided, most: usize) -> usize {
    SortPasses::new(x, op.axis, op.descending, most).words()
}

/// The passes that sort the lines of `x` along an axis.
pub(crate) struct SortPasses<'a> {
    x: &'a Strided,
    axis: usize,
    is_descending: bool,
    /// The shape of the set of lines: 1 along the axis and along broadcast axes.
    lines: Vec<usize>,
    /// The lengths of runs after each pass; after the last there is one run.
    runs: Vec<usize>,
}

impl<'a> SortPasses<'a> {
    /// The passes given at most `most` words of scratch. Lines short enough for one thread to
    /// count need none.
    pub(crate) fn new(
        x: &'a Strided,
        axis: usize,
        is_descending: bool,
        most: usize,
    ) -> SortPasses<'a> {
        let is_one = |n: usize| n == axis || x.strides[n] == 0;
        let lines: Vec<usize> =
            (0..x.shape.len()).map(|n| if is_one(n) { 1 } else { x.shape[n] }).collect();
        let len = x.shape[axis];
        let words = 2 * len * lines.iter().product::<usize>();
        let is_merged = len > MAX_ITERATIONS || (len > SHORT && words <= most);
        let mut runs = vec![if is_merged { RUN } else { len }];
        while let Some(&run) = runs.last().filter(|&&run| run < len) {
            runs.push(run * WAYS);
        }
        SortPasses { x, axis, is_descending, lines, runs }
    }

    fn len(&self) -> usize {
        self.x.shape[self.axis]
    }

    /// The number of elements of all lines.
    pub(crate) fn elements(&self) -> usize {
        self.len() * self.lines.iter().product::<usize>()
    }

    pub(crate) fn passes(&self) -> usize {
        self.runs.len()
    }

    /// The scratch words: each pass reads what the previous one wrote.
    fn words(&self) -> usize {
        if self.passes() == 1 { 0 } else { self.kept_words() }
    }

    /// The scratch words if the result of the last pass is kept there, too.
    pub(crate) fn kept_words(&self) -> usize {
        self.passes().min(2) * self.elements()
    }

    pub(crate) fn about(&self, shader: &mut Shader, n: usize) {
        if self.passes() > 1 {
            shader.comment(format!(
                "pass {} of {}: runs of {}",
                n + 1,
                self.passes(),
                self.runs[n]
            ));
        }
    }

    /// Emits the `rank` of element `flat` in the run that pass `n` produces. `position` is the
    /// element's position in its line and `own` its value. Returns the names of its indices.
    pub(crate) fn rank(&self, shader: &mut Shader, n: usize) -> Vec<String> {
        let (len, run) = (self.len(), self.runs[n]);
        self.functions(shader);
        shader.line(&format!("let line = flat / {len}u;"));
        shader.line(&format!("let place = flat % {len}u;"));
        let (lines, names) = unravel("line", &self.lines);
        shader.lines(&lines);
        shader.line(&format!("let base = {};", self.x.start(&names, self.axis)));
        let position = match n {
            0 => "place".to_string(),
            _ => self.position_word(shader, n - 1, "flat"),
        };
        shader.line(&format!("let position = i32({position});"));
        shader.line("let own = key(base, position);");
        shader.line(&format!("let first = place / {run}u * {run}u;"));
        shader.line(&format!("let end = min(first + {run}u, {len}u);"));
        match n {
            0 => shader.lines(&[
                "var rank = first;",
                "for (var n = first; n < end; n++) {",
                "  if (is_before(base, i32(n), position, own)) { rank++; }",
                "}",
            ]),
            _ => self.merge(shader, n),
        }
        names
    }

    fn merge(&self, shader: &mut Shader, n: usize) {
        let before = self.runs[n - 1];
        let middle = self.position_word(shader, n - 1, "line + middle");
        shader.global(&format!(
            "// How many elements of a run, which is in order, come before one.
fn count_before(base: i32, line: u32, first: u32, end: u32, position: i32, own: {}) -> u32 {{
  var low = first;
  var high = end;
  while (low < high) {{
    let middle = (low + high) / 2u;
    let comes_before = is_before(base, i32({middle}), position, own);
    low = select(low, middle + 1u, comes_before);
    high = select(middle, high, comes_before);
  }}
  return low - first;
}}
",
            self.key().1
        ));
        shader.line(&format!("var rank = first + place % {before}u;"));
        let head = format!("for (var run = first; run < end; run += {before}u)");
        shader.block(&head, |shader| {
            shader.block(&format!("if (run != place / {before}u * {before}u)"), |shader| {
                shader.line(&format!("let run_end = min(run + {before}u, end);"));
                shader
                    .line("rank += count_before(base, flat - place, run, run_end, position, own);");
            });
        });
    }

    /// Stores an element's position at its rank in the run.
    pub(crate) fn store_position(&self, shader: &mut Shader, n: usize) {
        let place = self.position_word(shader, n, "flat - place + rank");
        shader.line(&format!("{place} = u32(position);"));
    }

    /// The word with the `at`-th position after pass `n`, counted over all lines.
    pub(crate) fn position_word(&self, shader: &mut Shader, n: usize, at: &str) -> String {
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        match n % 2 {
            0 => format!("{arena}[{start} + {at}]"),
            _ => format!("{arena}[{start} + {}u + {at}]", self.elements()),
        }
    }

    /// The number of the line of the element with these indices.
    pub(crate) fn line(&self, names: &[String]) -> String {
        let mut below = 1;
        let mut terms = Vec::new();
        for (len, name) in self.lines.iter().zip(names).rev() {
            if *len > 1 {
                terms.extend(term(below, name));
            }
            below *= *len as isize;
        }
        sum(0, terms)
    }

    /// The expression for the sort key of an element, and its type.
    fn key(&self) -> (String, &'static str) {
        let element = self.x.along(self.axis, "base", "n");
        match class(self.x.dtype) {
            Class::Bool => (format!("select(0, 1, {element})"), "i32"),
            class => (element, class.wgsl()),
        }
    }

    fn functions(&self, shader: &mut Shader) {
        let (key, ty) = self.key();
        let is_less = |a: &str, b: &str| match class(self.x.dtype) {
            Class::Float => format!("{a} < {b} || (is_nan({b}) && !is_nan({a}))"),
            _ => format!("{a} < {b}"),
        };
        let (before, after) = match self.is_descending {
            false => (is_less("x", "own"), is_less("own", "x")),
            true => (is_less("own", "x"), is_less("x", "own")),
        };
        shader.global(&format!(
            "fn key(base: i32, n: i32) -> {ty} {{ return {key}; }}
fn is_before(base: i32, other: i32, position: i32, own: {ty}) -> bool {{
  let x = key(base, other);
  let comes_before = {before};
  let comes_after = {after};
  return comes_before || (!comes_after && other < position);
}}
"
        ));
    }
}
