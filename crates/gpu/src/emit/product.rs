//! Describes matrix products, and convolutions as matrix products: how their elements are
//! indexed. Windows of convolutions are read in place (no im2col). Terms that depend only on a
//! row or column are computed before the loop over the sum: few shader compilers hoist them.
use super::code::Code;
use super::index::{sum, term};
use super::library::Strided;
use super::scalar::Class;
use super::shader::Shader;
use brasa_ir::ops::{Conv, ReduceOp};
use brasa_ir::{DType, Type};

/// A batch of products `[m, k] · [k, n]`, with the WGSL that indexes their elements.
pub(crate) struct Product {
    pub(crate) kind: &'static str,
    pub(crate) batch: usize,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) dtype: DType,
    pub(crate) a: Factor,
    pub(crate) b: Factor,
    /// Lines that return the flat index of a result element from `batch`, `i` and `j`.
    flat_of: Vec<String>,
}

/// How the elements of one factor are indexed.
pub(crate) struct Factor {
    /// Whether neighbours in memory are neighbours along the sum.
    pub(crate) is_by_k: bool,
    /// Whether aligned groups of four neighbours in memory can be loaded as a vec4.
    pub(crate) has_vec4: bool,
    /// Spatial axes of a convolution's input with padding or inserted zeros.
    guarded: Vec<Guard>,
    /// Lines that return the index term of row or column `i` of `batch`.
    line_of: Vec<String>,
    /// Lines that return the index term of index `k` of the sum.
    tap_of: Vec<String>,
    pub(crate) read: usize,
}

/// An axis along which an index may lie outside of the input or between its elements.
struct Guard {
    len: usize,
    stride: isize,
    /// The distance of the input's elements (transposed convolution).
    spread: usize,
}

impl Product {
    pub(crate) fn contract(operands: &[Strided]) -> Product {
        let (a, b) = (&operands[0], &operands[1]);
        let rank = a.shape.len();
        let (m, k, n) = (a.shape[rank - 2], a.shape[rank - 1], b.shape[rank - 1]);
        let factor = |x: &Strided, line: usize, along: usize, is_by_k: bool| {
            let mut terms = Vec::new();
            let outer = rank - 2;
            let mut line_of =
                digits("batch", "batch", &x.shape[..outer], &x.strides[..outer], &mut terms);
            terms.extend(term(x.strides[line], "i32(i)"));
            line_of.push(format!("return {};", sum(x.offset, terms)));
            let tap = term(x.strides[along], "i32(k)").into_iter().collect();
            let tap_of = vec![format!("return {};", sum(0, tap))];
            let unit = if is_by_k { along } else { line };
            let has_vec4 = x.is_vec4_aligned(unit);
            Factor { is_by_k, has_vec4, guarded: Vec::new(), line_of, tap_of, read: x.read }
        };
        let b_is_by_k = b.strides[rank - 1] != 1 && b.strides[rank - 2] == 1;
        Product {
            kind: "contract",
            batch: a.shape[..rank - 2].iter().product(),
            m,
            n,
            k,
            dtype: a.dtype,
            a: factor(a, rank - 2, rank - 1, a.strides[rank - 1] == 1),
            b: factor(b, rank - 1, rank - 2, b_is_by_k),
            flat_of: vec![format!("return (batch * {m}u + i) * {n}u + j;")],
        }
    }

    /// Rows are the output channels of a group, columns the output positions of all images, and
    /// the sum runs over input channels and kernel.
    pub(crate) fn conv(conv: &Conv, operands: &[Strided], out: &Type) -> Product {
        let (x, w) = (&operands[0], &operands[1]);
        let (outputs, groups) = (w.shape[0] / conv.groups, conv.groups);
        let positions: usize = out.shape[2..].iter().product();
        let mut terms: Vec<String> = Vec::new();
        terms.extend(term(w.strides[0] * outputs as isize, "i32(batch)"));
        terms.extend(term(w.strides[0], "i32(i)"));
        let line_of = vec![format!("return {};", sum(w.offset, terms))];
        let mut terms = Vec::new();
        let mut tap_of = digits("k", "k", &w.shape[1..], &w.strides[1..], &mut terms);
        tap_of.push(format!("return {};", sum(0, terms)));
        let is_by_k = w.strides[w.strides.len() - 1] == 1;
        Product {
            kind: "conv",
            batch: groups,
            m: outputs,
            n: x.shape[0] * positions,
            k: w.shape[1..].iter().product(),
            dtype: x.dtype,
            a: Factor {
                is_by_k,
                has_vec4: false,
                guarded: Vec::new(),
                line_of,
                tap_of,
                read: w.read,
            },
            b: Factor::windows(conv, x, w, out),
            flat_of: vec![
                format!("let image = j / {positions}u;"),
                format!("let row = (image * {groups}u + batch) * {outputs}u + i;"),
                format!("return row * {positions}u + j % {positions}u;"),
            ],
        }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.batch * self.m * self.n
    }

    /// Whether groups of four neighbours in a row of the result, and in the second factor, are
    /// vec4.
    pub(crate) fn has_vec4(&self) -> bool {
        self.b.has_vec4 && self.n.is_multiple_of(4)
    }

    pub(crate) fn class(&self) -> Class {
        super::code::class(self.dtype)
    }

    pub(crate) fn zero(&self) -> &'static str {
        super::code::reduction(ReduceOp::Sum, self.class()).0
    }

    /// Sets a shader's name and comment, and declares the product's constants.
    pub(crate) fn describe(&self, shader: &mut Shader, name: &str, code: &Code) {
        let Product { kind, batch, m, n, k, .. } = self;
        let mut words = vec![*kind];
        words.extend(code.words());
        shader.set_name(name, &words);
        let then = words[1..].join(" ");
        let then = if then.is_empty() { String::new() } else { format!(", then {then}") };
        shader.comment(format!("{kind}: {batch} × [{m}, {k}] · [{k}, {n}]{then}"));
        self.constants(shader, &[("BATCH", *batch), ("M", *m), ("N", *n), ("K", *k)]);
    }

    pub(crate) fn constants(&self, shader: &mut Shader, constants: &[(&str, usize)]) {
        for (name, value) in constants {
            shader.global(&format!("const {name} = {value}u;"));
        }
    }

    /// Emits the functions that load elements of the factors, and vec4 versions where
    /// `uses_vec4`.
    pub(crate) fn factors(&self, shader: &mut Shader, uses_vec4: [bool; 2]) {
        for ((name, factor), uses_vec4) in
            [("a", &self.a), ("b", &self.b)].into_iter().zip(uses_vec4)
        {
            factor.term_functions(shader, name);
            // With vec4 loads along the sum, the remainder is loaded one by one.
            if !uses_vec4 || factor.is_by_k {
                factor.load(shader, name, self.class(), self.zero());
            }
            if uses_vec4 {
                factor.load_vec4_function(shader, name);
            }
        }
    }

    pub(crate) fn flat_function(&self, shader: &mut Shader) {
        shader.function("fn flat_of(batch: u32, i: u32, j: u32) -> u32", |shader| {
            shader.lines(&self.flat_of);
        });
    }
}

impl Factor {
    /// The input of a convolution as a factor: tap `k` of the window at position `i`.
    fn windows(conv: &Conv, x: &Strided, w: &Strided, out: &Type) -> Factor {
        let kernel: usize = w.shape[2..].iter().product();
        let positions: usize = out.shape[2..].iter().product();
        let mut line_of = vec![format!("let position = i % {positions}u;")];
        let mut tap_of = vec![format!("let tap = k % {kernel}u;")];
        let mut line_terms: Vec<String> = Vec::new();
        line_terms.extend(term(x.strides[1] * w.shape[1] as isize, "i32(batch)"));
        line_terms.extend(term(x.strides[0], &format!("i32(i / {positions}u)")));
        let mut tap_terms: Vec<String> = Vec::new();
        tap_terms.extend(term(x.strides[1], &format!("i32(k / {kernel}u)")));
        let (mut guarded, mut line_parts, mut tap_parts) = (Vec::new(), Vec::new(), Vec::new());
        let mut offset = x.offset;
        let (mut taps, mut places) = (1, 1);
        for d in (0..conv.stride.len()).rev() {
            let digit = |name: &str, below: usize, len: usize| match (below, d, len) {
                (_, _, 1) => "0".to_string(),
                (1, 0, _) => format!("i32({name})"),
                (_, 0, _) => format!("i32({name} / {below}u)"),
                _ => format!("i32({name} / {below}u % {len}u)"),
            };
            let (size, count, len) = (w.shape[d + 2], out.shape[d + 2], x.shape[d + 2]);
            let (step, dilation, before) = (conv.stride[d], conv.dilation[d], conv.before[d]);
            let (spread, stride) = (conv.spread[d], x.strides[d + 2]);
            let (tap, place) = (digit("tap", taps, size), digit("position", places, count));
            let furthest = ((count - 1) * step + (size - 1) * dilation) as isize - before;
            if before <= 0 && spread == 1 && furthest < len as isize {
                line_terms.extend(term(stride * step as isize, &place));
                tap_terms.extend(term(stride * dilation as isize, &tap));
                offset -= before * stride;
            } else {
                line_parts.push(format!("{place} * {step} - ({before})"));
                tap_parts.push(format!("{tap} * {dilation}"));
                guarded.push(Guard { len, stride, spread });
            }
            taps *= size;
            places *= count;
        }
        let returned = |offset: isize, terms: Vec<String>, parts: Vec<String>| {
            let start = sum(offset, terms);
            match parts.is_empty() {
                true => format!("return {start};"),
                false => format!("return Window({start}, {});", parts.join(", ")),
            }
        };
        line_of.push(returned(offset, line_terms, line_parts));
        tap_of.push(returned(0, tap_terms, tap_parts));
        Factor { is_by_k: false, has_vec4: false, guarded, line_of, tap_of, read: x.read }
    }

    /// The WGSL type of index terms.
    fn term_type(&self) -> &'static str {
        if self.guarded.is_empty() { "i32" } else { "Window" }
    }

    /// Emits `line_x` and `tap_x`, which return the index terms of a row or column and of an
    /// index of the sum.
    fn term_functions(&self, shader: &mut Shader, name: &str) {
        let ty = self.term_type();
        if ty == "Window" {
            let axes: Vec<String> =
                (0..self.guarded.len()).map(|d| format!("at{d}: i32")).collect();
            shader.global(&format!("struct Window {{ start: i32, {} }}\n", axes.join(", ")));
        }
        shader.function(&format!("fn line_{name}(batch: u32, i: u32) -> {ty}"), |shader| {
            shader.lines(&self.line_of);
        });
        shader.function(&format!("fn tap_{name}(k: u32) -> {ty}"), |shader| {
            shader.lines(&self.tap_of);
        });
    }

    /// Emits `load_x_4`, which loads four neighbours in memory.
    fn load_vec4_function(&self, shader: &mut Shader, name: &str) {
        let head = format!("fn load_{name}_4(line: i32, tap: i32) -> vec4<f32>");
        shader.function(&head, |shader| {
            let vector = format!("read{}_4(u32(line + tap) / 4u)", self.read);
            shader.line(&format!("return bitcast<vec4<f32>>({vector});"));
        });
    }

    /// Emits `load_x`, which loads the element at a line and a tap.
    fn load(&self, shader: &mut Shader, name: &str, class: Class, zero: &str) {
        let (ty, element, read) = (self.term_type(), class.wgsl(), self.read);
        let head = format!("fn load_{name}(line: {ty}, tap: {ty}) -> {element}");
        shader.function(&head, |shader| {
            if self.guarded.is_empty() {
                return shader.line(&format!("return read{read}(line + tap);"));
            }
            let mut terms = vec!["line.start + tap.start".to_string()];
            let mut inside = Vec::new();
            for (d, guard) in self.guarded.iter().enumerate() {
                let Guard { len, stride, spread } = *guard;
                // As u32, negative indices are too large.
                shader.line(&format!("let at{d} = u32(line.at{d} + tap.at{d});"));
                inside.push(format!("at{d} < {}u", (len.max(1) - 1) * spread + len.min(1)));
                if spread > 1 {
                    inside.push(format!("at{d} % {spread}u == 0u"));
                    terms.extend(term(stride, &format!("i32(at{d} / {spread}u)")));
                } else {
                    terms.extend(term(stride, &format!("i32(at{d})")));
                }
            }
            shader.line(&format!("let is_inside = ({});", inside.join(") & (")));
            // Out-of-window elements are loaded and discarded: cheaper than a branch.
            let index = terms.join(" + ");
            shader.line(&format!("return select({zero}, read{read}({index}), is_inside);"));
        });
    }
}

/// Lines that split `flat` into the indices of a shape. Pushes the index terms to `terms`.
/// Neighbouring axes are merged where their strides allow it.
fn digits(
    flat: &str,
    name: &str,
    shape: &[usize],
    strides: &[isize],
    terms: &mut Vec<String>,
) -> Vec<String> {
    let mut axes: Vec<(usize, isize)> = Vec::new();
    for (&len, &stride) in shape.iter().zip(strides).filter(|(len, _)| **len != 1) {
        match axes.last_mut() {
            Some((before, outer)) if *outer == stride * len as isize => {
                (*before, *outer) = (*before * len, stride);
            }
            _ => axes.push((len, stride)),
        }
    }
    let mut lines = Vec::new();
    let mut below = 1;
    for (n, (len, stride)) in axes.into_iter().enumerate().rev() {
        let divided = if below == 1 { flat.to_string() } else { format!("{flat} / {below}u") };
        let rest = if n == 0 { divided } else { format!("{divided} % {len}u") };
        if stride != 0 {
            lines.push(format!("let {name}{n} = i32({rest});"));
            terms.extend(term(stride, &format!("{name}{n}")));
        }
        below *= len;
    }
    lines
}
