//! Products of matrices, and convolutions as such products: their windows are read in place. A
//! ladder of three: tiles for matrices, dot products for what is too thin for tiles, and blocks
//! without workgroup memory for software adapters.
use super::code::Code;
use super::index::{sum, term};
use super::library::{Strided, finish_function};
use super::rows::{BUSY, THREADS, per_element, share};
use super::scalar::Class;
use super::shader::{Operands, Shader, Text};
use brasa_compile::kernel::Kernel;
use brasa_ir::ops::{Conv, ReduceOp};
use brasa_ir::{DType, Type};

/// A batch of products `[m, k] · [k, n]`, with the WGSL that finds their elements.
pub(crate) struct Product {
    kind: &'static str,
    batch: usize,
    m: usize,
    n: usize,
    k: usize,
    dtype: DType,
    /// Whether neighbours in memory are neighbours along the sum.
    a_by_k: bool,
    b_by_k: bool,
    /// Bodies of `begin_a`, `begin_b` (of `batch`), `load_a` (of `start`, `i`, `k`), `load_b` (of
    /// `start`, `k`, `j`) and `flat_of` (of `batch`, `i`, `j`), in this order.
    functions: [Vec<String>; 5],
}

impl Product {
    pub(crate) fn contract(operands: &[Strided]) -> Product {
        let (a, b) = (&operands[0], &operands[1]);
        let rank = a.shape.len();
        let (m, k, n) = (a.shape[rank - 2], a.shape[rank - 1], b.shape[rank - 1]);
        let begin = |x: &Strided| {
            let mut terms = Vec::new();
            let mut lines =
                digits("batch", "batch", &x.shape[..rank - 2], &x.strides[..rank - 2], &mut terms);
            lines.push(format!("return {};", sum(x.offset, terms)));
            lines
        };
        let load = |x: &Strided, names: [&str; 2]| {
            let mut terms = vec!["start".to_string()];
            terms.extend(term(x.strides[rank - 2], &format!("i32({})", names[0])));
            terms.extend(term(x.strides[rank - 1], &format!("i32({})", names[1])));
            vec![format!("return read{}({});", x.read, terms.join(" + "))]
        };
        Product {
            kind: "contract",
            batch: a.shape[..rank - 2].iter().product(),
            m,
            n,
            k,
            dtype: operands[0].dtype,
            a_by_k: a.strides[rank - 1] == 1,
            b_by_k: b.strides[rank - 1] != 1 && b.strides[rank - 2] == 1,
            functions: [
                begin(a),
                begin(b),
                load(a, ["i", "k"]),
                load(b, ["k", "j"]),
                vec![format!("return (batch * {m}u + i) * {n}u + j;")],
            ],
        }
    }

    /// Rows are a group's outputs, columns the positions of all images, and sums run over
    /// channels and kernel.
    pub(crate) fn conv(conv: &Conv, operands: &[Strided], out: &Type) -> Product {
        let (x, w) = (&operands[0], &operands[1]);
        let dims = conv.stride.len();
        let (outputs, channels) = (w.shape[0] / conv.groups, w.shape[1]);
        let positions: usize = out.shape[2..].iter().product();
        let begin = |x: &Strided, per_group: usize, axis: usize| {
            let terms = term(x.strides[axis] * per_group as isize, "i32(batch)");
            vec![format!("return {};", sum(x.offset, terms.into_iter().collect()))]
        };
        let mut terms = vec!["start".to_string()];
        terms.extend(term(w.strides[0], "i32(i)"));
        let mut load_a = digits("k", "k", &w.shape[1..], &w.strides[1..], &mut terms);
        load_a.push(format!("return read{}({});", w.read, terms.join(" + ")));
        Product {
            kind: "conv",
            batch: conv.groups,
            m: outputs,
            n: x.shape[0] * positions,
            k: w.shape[1..].iter().product(),
            dtype: operands[0].dtype,
            a_by_k: w.strides[dims + 1] == 1,
            b_by_k: false,
            functions: [
                begin(w, outputs, 0),
                begin(x, channels, 1),
                load_a,
                windows(conv, x, w, out),
                vec![
                    format!("let image = j / {positions}u;"),
                    format!("let row = (image * {}u + batch) * {outputs}u + i;", conv.groups),
                    format!("return row * {positions}u + j % {positions}u;"),
                ],
            ],
        }
    }

    pub(crate) fn emit(&self, kernel: &Kernel, operands: &Operands) -> Text {
        let code = Code::new(kernel);
        if operands.is_software && self.suits_blocks() {
            return self.blocks(&code, operands);
        }
        match Tiling::new(self) {
            Some(tiling) => self.tiles(&code, operands, &tiling),
            None => self.dots(&code, operands),
        }
    }

    fn class(&self) -> Class {
        super::code::class(self.dtype)
    }

    fn zero(&self) -> &'static str {
        super::code::reduction(ReduceOp::Sum, self.class()).0
    }

    /// The functions that all rungs call. Those that load give zero for what is `outside` of the
    /// matrices, where a rung asks for that.
    fn declare(&self, shader: &mut Shader, code: &Code, outside: [Vec<&str>; 2]) {
        let Product { kind, batch, m, n, k, .. } = self;
        let ty = self.class().wgsl();
        let mut words = vec![*kind];
        words.extend(code.words());
        shader.call("product", &words);
        shader.about(format!(
            "{kind}: {batch} × [{m}, {k}] · [{k}, {n}], then {}",
            words[1..].join(" ")
        ));
        let heads = [
            "fn begin_a(batch: u32) -> i32".to_string(),
            "fn begin_b(batch: u32) -> i32".to_string(),
            format!("fn load_a(start: i32, i: u32, k: u32) -> {ty}"),
            format!("fn load_b(start: i32, k: u32, j: u32) -> {ty}"),
            "fn flat_of(batch: u32, i: u32, j: u32) -> u32".to_string(),
        ];
        let zero = self.zero();
        for (n, (head, lines)) in heads.iter().zip(&self.functions).enumerate() {
            shader.function(head, |shader| {
                let outside = n.checked_sub(2).and_then(|n| outside.get(n));
                if let Some(outside) = outside.filter(|outside| !outside.is_empty()) {
                    shader.line(&format!("if ({}) {{ return {zero}; }}", outside.join(" || ")));
                }
                shader.lines(lines);
            });
        }
        finish_function(shader, code, self.dtype);
    }

    fn tiles(&self, code: &Code, operands: &Operands, tiling: &Tiling) -> Text {
        let Tiling { block_m, block_n } = *tiling;
        let (tiles_m, tiles_n) = (self.m.div_ceil(block_m), self.n.div_ceil(block_n));
        let mut shader = Shader::new(operands, THREADS, self.batch * tiles_m * tiles_n);
        let (rows, columns) = (block_m / 16, block_n / 16);
        for (name, value) in [
            ("M", self.m),
            ("N", self.n),
            ("K", self.k),
            ("DEPTH", 16),
            ("BLOCK_M", block_m),
            ("BLOCK_N", block_n),
            ("TILES_M", tiles_m),
            ("TILES_N", tiles_n),
            ("ROWS", rows),
            ("COLUMNS", columns),
        ] {
            shader.global(&format!("const {name} = {value}u;"));
        }
        shader.global(&format!("const A_BY_K = {};", self.a_by_k));
        shader.global(&format!("const B_BY_K = {};", self.b_by_k));
        shader.global(&format!("alias Rows = {};", vector(self.class(), rows)));
        shader.global(&format!("alias Columns = {};\n", vector(self.class(), columns)));
        let long = if self.k.is_multiple_of(16) { None } else { Some("k >= K") };
        let low = if self.m.is_multiple_of(block_m) { None } else { Some("i >= M") };
        let wide = if self.n.is_multiple_of(block_n) { None } else { Some("j >= N") };
        let outside = [low, wide].map(|edge| edge.into_iter().chain(long).collect());
        self.declare(&mut shader, code, outside);
        shader.global(&tile_code(rows, columns));
        shader.number_groups("number");
        // The same for all threads of a workgroup, as barriers demand.
        shader.line(&format!("if (number >= {}u) {{ return; }}", self.batch * tiles_m * tiles_n));
        shader.line("tiles(number, local);");
        shader.finish()
    }

    /// Whether there is work for the few threads of software without sharing sums.
    fn suits_blocks(&self) -> bool {
        self.k < 4096 || self.batch * self.m * self.n >= 64
    }

    fn blocks(&self, code: &Code, operands: &Operands) -> Text {
        let Product { batch, m, n, k, .. } = *self;
        let columns = n.next_power_of_two().min(4);
        let span = n.div_ceil(columns).next_power_of_two().min(16);
        let rows = m.next_power_of_two().min(8);
        let (blocks_m, blocks_n) = (m.div_ceil(rows), n.div_ceil(columns * span));
        let mut shader = per_element(batch * blocks_m * blocks_n * span, operands, 64);
        for (name, value) in [
            ("M", m),
            ("N", n),
            ("K", k),
            ("BLOCKS_M", blocks_m),
            ("BLOCKS_N", blocks_n),
            ("ROWS", rows),
            ("COLUMNS", columns),
            ("SPAN", span),
        ] {
            shader.global(&format!("const {name} = {value}u;"));
        }
        shader.global(&format!("alias Columns = {};\n", vector(self.class(), columns)));
        self.declare(&mut shader, code, [Vec::new(), Vec::new()]);
        let loads_b = |n: usize| format!("load_b(start_b, k, j{n})");
        let loads_b = (0..columns).map(loads_b).collect::<Vec<_>>().join(", ");
        let template = include_str!("blocks.wgsl").replace("{loads_b}", &loads_b);
        shader.global(&unrolled(&template, rows, columns));
        shader.line("blocks(flat);");
        shader.finish()
    }

    fn dots(&self, code: &Code, operands: &Operands) -> Text {
        let Product { m, n, k, .. } = *self;
        let outputs = self.batch * m * n;
        let wanted = BUSY.div_ceil(outputs).next_power_of_two();
        let lanes = wanted.min(k.div_ceil(8).next_power_of_two()).min(64);
        let per_group = (THREADS / lanes).min(outputs.next_power_of_two());
        let is_by_columns = !self.b_by_k;
        let step = if is_by_columns { per_group } else { 1 };
        let mut shader = Shader::new(operands, lanes * per_group, outputs.div_ceil(per_group));
        for (name, value) in [("M", m), ("N", n), ("K", k)] {
            shader.global(&format!("const {name} = {value}u;"));
        }
        self.declare(&mut shader, code, [Vec::new(), Vec::new()]);
        shader.about(format!("{lanes} threads for each of {outputs} dot products"));
        let (output, lane) = match is_by_columns {
            true => (format!("local % {per_group}u"), format!("local / {per_group}u")),
            false => (format!("local / {lanes}u"), format!("local % {lanes}u")),
        };
        shader.number_groups("number");
        shader.line(&format!("let output = number * {per_group}u + {output};"));
        shader.line(&format!("let lane = {lane};"));
        shader.line("let batch = output / (M * N);");
        shader.line("let i = output / N % M;");
        shader.line("let j = output % N;");
        shader.line(&format!("let is_output = output < {outputs}u;"));
        shader.line(&format!("var dot = {};", self.zero()));
        shader.block("if (is_output)", |shader| {
            shader.line("let start_a = begin_a(batch);");
            shader.line("let start_b = begin_b(batch);");
            shader.block(&format!("for (var k = lane; k < K; k += {lanes}u)"), |shader| {
                shader.line("dot += load_a(start_a, i, k) * load_b(start_b, k, j);");
            });
        });
        if lanes > 1 {
            let class = self.class();
            share(&mut shader, ReduceOp::Sum, class, lanes * per_group, lanes, step);
            shader.line(&format!("dot = sum_{}(local, lane, dot);", class.wgsl()));
        }
        shader.line("if (is_output && lane == 0u) { finish(flat_of(batch, i, j), dot); }");
        shader.finish()
    }
}

/// A vector of one, two or four numbers.
fn vector(class: Class, len: usize) -> String {
    match len {
        1 => class.wgsl().to_string(),
        _ => format!("vec{len}<{}>", class.wgsl()),
    }
}

/// The template of tiles. Lines with a row are written for each of them, as compilers keep in
/// registers only what is not looked up by number.
fn tile_code(rows: usize, columns: usize) -> String {
    let loads = |len: usize, load: &dyn Fn(usize) -> String| {
        (0..len).map(load).collect::<Vec<_>>().join(", ")
    };
    let loads_a = loads(rows, &|n| format!("load_a(start_a, i + {n}u, first_k + a_k)"));
    let loads_b = loads(columns, &|n| format!("load_b(start_b, first_k + b_k, j + {n}u)"));
    let text = include_str!("tiles.wgsl").replace("{loads_a}", &loads_a);
    unrolled(&text.replace("{loads_b}", &loads_b), rows, columns)
}

/// A template for threads of so many elements.
fn unrolled(template: &str, rows: usize, columns: usize) -> String {
    let pick = if columns == 1 { "" } else { "[column]" };
    let part = |row: usize| if rows == 1 { "" } else { [".x", ".y", ".z", ".w"][row % 4] };
    let mut text = String::new();
    for line in template.lines() {
        let line = line.replace("{pick}", pick);
        let count = match (line.contains("{row}"), line.contains("{column}")) {
            (true, _) => rows,
            (_, true) => columns,
            _ => 1,
        };
        for n in 0..count {
            let line = line.replace("{row}", &n.to_string()).replace("{column}", &n.to_string());
            text += &line.replace("{part}", part(n));
            text += "\n";
        }
    }
    text
}

/// The size of tiles.
struct Tiling {
    block_m: usize,
    block_n: usize,
}

/// Tiles for every part of a small device.
const ENOUGH_TILES: usize = 32;
/// Sums this long over few elements are better shared by many threads.
const LONG: usize = 512;

impl Tiling {
    /// The largest tiles of which there are enough; `None` where dot products are better.
    fn new(p: &Product) -> Option<Tiling> {
        let outputs = p.batch * p.m * p.n;
        if p.m < 8 || p.n < 8 || p.k < 8 || (outputs < 2048 && p.k >= LONG) {
            return None;
        }
        let fitting = |len: usize| len.next_multiple_of(16).next_power_of_two().clamp(16, 64);
        let mut tiling = Tiling { block_m: fitting(p.m), block_n: fitting(p.n) };
        let count = |t: &Tiling| p.batch * p.m.div_ceil(t.block_m) * p.n.div_ceil(t.block_n);
        while count(&tiling) < ENOUGH_TILES && (tiling.block_m > 16 || tiling.block_n > 16) {
            if tiling.block_m >= tiling.block_n {
                tiling.block_m /= 2;
            } else {
                tiling.block_n /= 2;
            }
        }
        Some(tiling)
    }
}

/// The element of the input that kernel element `k` meets at position `j`, or zero.
fn windows(conv: &Conv, x: &Strided, w: &Strided, out: &Type) -> Vec<String> {
    let dims = conv.stride.len();
    let kernel: usize = w.shape[2..].iter().product();
    let positions: usize = out.shape[2..].iter().product();
    let mut lines = vec![
        format!("let channel = i32(k / {kernel}u);"),
        format!("let tap = k % {kernel}u;"),
        format!("let image = i32(j / {positions}u);"),
        format!("let position = j % {positions}u;"),
    ];
    let mut terms = vec!["start".to_string()];
    terms.extend(term(x.strides[0], "image"));
    terms.extend(term(x.strides[1], "channel"));
    let mut outside = Vec::new();
    let (mut taps, mut places) = (1, 1);
    for d in (0..dims).rev() {
        let digit = |name: &str, below: usize, len: usize| match (below, d) {
            (1, 0) => format!("i32({name})"),
            (_, 0) => format!("i32({name} / {below}u)"),
            _ => format!("i32({name} / {below}u % {len}u)"),
        };
        let tap = digit("tap", taps, w.shape[d + 2]);
        let place = digit("position", places, out.shape[d + 2]);
        let (stride, dilation, before) = (conv.stride[d], conv.dilation[d], conv.before[d]);
        lines.push(format!("let at{d} = {place} * {stride} + {tap} * {dilation} - ({before});"));
        let (len, spread) = (x.shape[d + 2], conv.spread[d]);
        match spread {
            1 => {
                outside.push(format!("at{d} < 0 || at{d} >= {len}"));
                terms.extend(term(x.strides[d + 2], &format!("at{d}")));
            }
            _ => {
                outside.push(format!(
                    "at{d} < 0 || at{d} % {spread} != 0 || at{d} / {spread} >= {len}"
                ));
                terms.extend(term(x.strides[d + 2], &format!("(at{d} / {spread})")));
            }
        }
        taps *= w.shape[d + 2];
        places *= out.shape[d + 2];
    }
    if !outside.is_empty() {
        lines.push(format!("if ({}) {{ return 0f; }}", outside.join(" || ")));
    }
    lines.push(format!("return read{}({});", x.read, terms.join(" + ")));
    lines
}

/// Lines that set the digits of `flat` in a shape, and the terms they add up to, with neighbouring
/// axes as one wherever their strides allow it.
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
