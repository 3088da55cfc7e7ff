//! The ladder of kernels for products of matrices and convolutions:
//!
//! - `dots`: some threads for each element, for what is too thin for tiles;
//! - `tiles`: workgroups share slices of both factors, and each thread keeps a block in registers;
//! - `blocks`: for software adapters, which run a workgroup on one core: no workgroup memory, more in
//!   registers, and, where there are subgroups, loads that lanes share.
//!
//! Tiles and blocks read and write four neighbours at once where these lie in whole vectors. Each rung
//! can take a part of a long sum (split-K); a second pass adds the parts, always in
//! the same order. [`Plan`] chooses.
use super::code::Code;
use super::library::finish_function;
use super::plan::{Plan, Rung};
use super::product::Product;
use super::quads;
use super::rows::{THREADS, per_element, share};
use super::scalar::Class;
use super::shader::{Device, Home, Operand, Operands, Shader, Text, Word, loaded, stored};
use crate::paths::{self, Path};
use brasa_compile::kernel::Kernel;
use brasa_ir::ops::ReduceOp;

/// What a kernel reads and writes as vectors, if it can.
struct Fours {
    /// Whether the first and the second factor are read so.
    of: [bool; 2],
    /// The steps of the code behind that are.
    loads: Vec<usize>,
}

impl Fours {
    /// All that is written must be written so, and no binding be read in both ways.
    fn new(p: &Product, rung: &Rung, code: &Code, operands: &Operands) -> Option<Fours> {
        let of = match *rung {
            Rung::Tiles { block_m, block_n: 64 } => {
                [block_m == 64 && p.a.has_fours && !p.a.is_by_k, p.b.has_fours && !p.b.is_by_k]
            }
            Rung::Blocks { vector: 4, is_by_columns: true, subgroup, .. } if subgroup > 0 => {
                [false, p.b.has_fours]
            }
            _ => [false; 2],
        };
        if of == [false; 2] || !p.n.is_multiple_of(4) || !code.stores_in_order() {
            return None;
        }
        let loads = quads::loads(code, operands)?;
        // Whole vectors hold more of what is narrow, and scratch none.
        let behind = loads.iter().map(|&n| &operands.reads[quads::read_of(code, n)]);
        let is_plain = |operand: &Operand| {
            operand.per_word() == 1 && !matches!(operand.home, Home::Scratch(_))
        };
        if !behind.chain(&operands.writes).all(is_plain) {
            return None;
        }
        let factors = [p.a.read, p.b.read].into_iter().zip(of);
        let behind = quads::all_loads(code).map(|n| (quads::read_of(code, n), loads.contains(&n)));
        let reads =
            factors.chain(behind).map(|(read, by_fours)| (operands.reads[read].home, by_fours));
        let writes = operands.writes.iter().map(|write| (write.home, true));
        let uses: Vec<(Home, bool)> = reads.chain(writes).collect();
        let is_mixed = |(home, by_fours): &(Home, bool)| {
            let differs = |other: &(Home, bool)| other.0 == *home && other.1 != *by_fours;
            matches!(home, Home::Input(_)) && uses.iter().any(differs)
        };
        (!uses.iter().any(is_mixed)).then_some(Fours { of, loads })
    }

    /// The buffers that are read so.
    fn reads(&self, p: &Product, code: &Code) -> Vec<usize> {
        let factors = [p.a.read, p.b.read].into_iter().zip(self.of);
        let behind = self.loads.iter().map(|&n| quads::read_of(code, n));
        factors.filter(|(_, by_fours)| *by_fours).map(|(read, _)| read).chain(behind).collect()
    }
}

/// The words that a product's parts take, where its sums are split.
pub(crate) fn parts_words(product: &Product, device: Device, most: usize) -> usize {
    match Plan::new(product, device, most).parts {
        1 => 0,
        parts => parts * product.outputs(),
    }
}

pub(crate) fn emit(product: &Product, kernel: &Kernel, operands: &Operands) -> Vec<Text> {
    let code = Code::new(kernel);
    let plan = Plan::new(product, operands.device(), operands.scratch_words);
    let fours = Fours::new(product, &plan.rung, &code, operands);
    count(&plan, fours.is_some());
    let writer = Writer { product, code: &code, plan: &plan, fours };
    let mut texts = vec![writer.products(operands)];
    if plan.parts > 1 {
        texts.push(writer.sums(operands));
    }
    texts
}

/// Counts the paths that a product takes.
fn count(plan: &Plan, is_by_fours: bool) {
    paths::hit(match plan.rung {
        Rung::Dots { lanes: 1, .. } => Path::ProductDots,
        Rung::Dots { .. } => Path::ProductDotsShared,
        Rung::Tiles { .. } if is_by_fours => Path::ProductTilesFours,
        Rung::Tiles { .. } => Path::ProductTiles,
        Rung::Blocks { .. } if is_by_fours => Path::ProductBlocksFours,
        Rung::Blocks { subgroup: 1.., .. } => Path::ProductBlocksLanes,
        Rung::Blocks { is_by_columns: true, .. } => Path::ProductBlocksColumns,
        Rung::Blocks { .. } => Path::ProductBlocksRows,
    });
    if plan.parts > 1 {
        paths::hit(Path::ProductParts);
    }
}

struct Writer<'a> {
    product: &'a Product,
    code: &'a Code<'a>,
    plan: &'a Plan,
    fours: Option<Fours>,
}

impl Writer<'_> {
    /// The pass that multiplies.
    fn products(&self, operands: &Operands) -> Text {
        let Writer { product: p, code, plan, .. } = self;
        let groups = plan.rung.groups(p);
        let mut shader = Shader::new(operands, plan.rung.threads(), groups * plan.parts);
        if let Some(fours) = &self.fours {
            shader.use_quads(fours.reads(p, code));
        }
        let name = if plan.parts == 1 { "product" } else { "parts" };
        p.describe(&mut shader, name, code);
        p.constants(&mut shader, &[("PART", plan.part)]);
        p.factors(&mut shader, self.factors_by_fours());
        match &self.fours {
            Some(fours) => self.done_by_fours(&mut shader, operands, fours),
            None => self.done(&mut shader),
        }
        shader.number_groups("number");
        // The same for all threads of a workgroup, as barriers demand.
        let all = groups * plan.parts;
        shader.line(&format!("if (number >= {all}u) {{ return; }}"));
        match plan.rung {
            Rung::Dots { lanes, per_group } => self.dots(&mut shader, lanes, per_group),
            Rung::Tiles { block_m, block_n } => self.tiles(&mut shader, block_m, block_n),
            Rung::Blocks { .. } => self.blocks(&mut shader),
        }
        shader.finish()
    }

    /// The function that takes an element, or a part of one.
    fn done(&self, shader: &mut Shader) {
        let Writer { product: p, code, plan, .. } = self;
        let ty = p.class().wgsl();
        let head = format!("fn done(part: u32, batch: u32, i: u32, j: u32, value: {ty})");
        if plan.parts == 1 {
            p.flat_function(shader);
            finish_function(shader, code, p.dtype);
            return shader.function(&head, |shader| {
                shader.line("finish(flat_of(batch, i, j), value);");
            });
        }
        shader.about(format!("parts of {} of the sums, for the next pass", plan.part));
        let (start, arena) = (shader.word(Word::Scratch), shader.extra());
        shader.function(&head, |shader| {
            let place = format!("{start} + ((part * BATCH + batch) * M + i) * N + j");
            shader.line(&format!("{arena}[{place}] = {};", stored(p.class(), "value")));
        });
    }

    /// The same for four neighbours.
    fn done_by_fours(&self, shader: &mut Shader, operands: &Operands, fours: &Fours) {
        let Writer { product: p, code, plan, .. } = self;
        shader.about("four neighbours at once".to_string());
        let head = "fn done_4(part: u32, batch: u32, i: u32, j: u32, value: vec4<f32>)";
        if plan.parts == 1 {
            p.flat_function(shader);
            quads::finish_function(shader, code, operands, &fours.loads);
            return shader.function(head, |shader| {
                shader.line("finish_4(flat_of(batch, i, j) / 4u, value);");
            });
        }
        shader.about(format!("parts of {} of the sums, for the next pass", plan.part));
        let (start, arena) = (shader.word(Word::Scratch), shader.extra());
        shader.function(head, |shader| {
            let place = format!("({start} + ((part * BATCH + batch) * M + i) * N + j) / 4u");
            shader.line(&format!("{arena}[{place}] = bitcast<vec4<u32>>(value);"));
        });
    }

    /// The pass that adds parts.
    fn sums(&self, operands: &Operands) -> Text {
        let Writer { product: p, code, plan, .. } = self;
        let outputs = p.outputs();
        let mut shader = per_element(outputs, operands, THREADS);
        p.describe(&mut shader, "sum_parts", code);
        p.flat_function(&mut shader);
        finish_function(&mut shader, code, p.dtype);
        let (start, arena) = (shader.word(Word::Scratch), shader.extra());
        shader.about(format!("the sums of {} parts", plan.parts));
        shader.line(&format!("var value = {};", p.zero()));
        let head = format!("for (var part = 0u; part < {}u; part++)", plan.parts);
        shader.block(&head, |shader| {
            let word = format!("{arena}[{start} + part * {outputs}u + flat]");
            shader.line(&format!("value += {};", loaded(p.class(), &word)));
        });
        shader.line("finish(flat_of(flat / (M * N), flat / N % M, flat % N), value);");
        shader.finish()
    }

    fn factors_by_fours(&self) -> [bool; 2] {
        self.fours.as_ref().map_or([false; 2], |fours| fours.of)
    }

    /// A template with its end for four elements at once, or for one.
    fn ended(&self, template: &str) -> String {
        let (own, other) =
            if self.fours.is_some() { ("{four}", "{one}") } else { ("{one}", "{four}") };
        let lines = template.lines().filter(|line| !line.starts_with(other));
        lines.map(|line| format!("{}\n", line.strip_prefix(own).unwrap_or(line))).collect()
    }

    fn tiles(&self, shader: &mut Shader, block_m: usize, block_n: usize) {
        let p = self.product;
        let (rows, columns) = (block_m / 16, block_n / 16);
        p.constants(
            shader,
            &[
                ("DEPTH", 16),
                ("BLOCK_M", block_m),
                ("BLOCK_N", block_n),
                ("TILES_M", p.m.div_ceil(block_m)),
                ("TILES_N", p.n.div_ceil(block_n)),
                ("ROWS", rows),
                ("COLUMNS", columns),
            ],
        );
        shader.global(&format!("const A_BY_K = {};", p.a.is_by_k));
        shader.global(&format!("const B_BY_K = {};", p.b.is_by_k));
        shader.global(&format!("alias Rows = {};", vector(p.class(), rows)));
        shader.global(&format!("alias Columns = {};\n", vector(p.class(), columns)));
        let guarded = |load: String, zero: &str, name: &str| match p.k.is_multiple_of(16) {
            true => load,
            false => format!("select({zero}, {load}, first_k + {name}_k < K)"),
        };
        let of = self.factors_by_fours();
        let loads = |ty: &str, len: usize, name: &str, by_fours: bool| {
            if by_fours {
                return guarded(format!("load_{name}_4({name}0, {name}_tap)"), "vec4<f32>()", name);
            }
            let load = |n| guarded(format!("load_{name}({name}{n}, {name}_tap)"), p.zero(), name);
            format!("{ty}({})", (0..len).map(load).collect::<Vec<_>>().join(", "))
        };
        let text = include_str!("tiles.wgsl");
        let text = text.replace("{loads_a}", &loads("Rows", rows, "a", of[0]));
        let text = text.replace("{loads_b}", &loads("Columns", columns, "b", of[1]));
        shader.global(&unrolled(&self.ended(&text), rows, columns));
        shader.line("tiles(number, local);");
    }

    fn blocks(&self, shader: &mut Shader) {
        let p = self.product;
        let Rung::Blocks { lines, vector: len, threads, is_by_columns, subgroup } = self.plan.rung
        else {
            unreachable!("the plan is one of blocks")
        };
        let (lanes, uniform) = if is_by_columns { (p.n, p.m) } else { (p.m, p.n) };
        p.constants(
            shader,
            &[
                ("LINES", lines),
                ("VECTOR", len),
                ("THREADS", threads),
                ("BLOCKS_LINES", uniform.div_ceil(lines)),
                ("BLOCKS_LANES", lanes.div_ceil(len * threads)),
                ("COUNT_LINES", uniform),
                ("COUNT_LANES", lanes),
                ("APART", if self.fours.is_some() { len } else { 1 }),
                ("NEXT", if self.fours.is_some() { 1 } else { threads }),
            ],
        );
        shader.global(&format!("alias Lanes = {};\n", vector(p.class(), len)));
        let (of_lines, of_lanes, place) = match is_by_columns {
            true => ("a", "b", "line, lane"),
            false => ("b", "a", "lane, line"),
        };
        let each = |load: &str| {
            let load = |n: usize| format!("{load}(lane{n}, lanes_tap)");
            (0..len).map(load).collect::<Vec<_>>().join(", ")
        };
        let one_by_one = format!("Lanes({})", each("load_{lanes}"));
        // Fours along the sum are taken by subgroups alone.
        let is_along_sum = self.fours.is_some() && p.b.is_by_k;
        let loads = match self.fours {
            Some(_) if !is_along_sum => "load_{lanes}_4(lane0, lanes_tap)",
            _ => &one_by_one,
        };
        let together = match subgroup {
            0 => String::new(),
            _ => by_subgroups(subgroup, is_along_sum).replace("{fours}", &each("load_{lanes}_4")),
        };
        let text = include_str!("blocks.wgsl").replace("{together}", &together);
        let text = self.ended(&text).replace("{loads}", loads).replace("{place}", place);
        let text = text.replace("{lines}", of_lines).replace("{lanes}", of_lanes);
        shader.global(&unrolled(&text, lines, len));
        shader.line("blocks(number, local);");
    }

    fn dots(&self, shader: &mut Shader, lanes: usize, per_group: usize) {
        let p = self.product;
        let outputs = p.outputs();
        let is_by_columns = !p.b.is_by_k;
        let step = if is_by_columns { per_group } else { 1 };
        let groups = self.plan.rung.groups(p);
        shader.about(format!("{lanes} threads for each of {outputs} dot products"));
        let (output, lane) = match is_by_columns {
            true => (format!("local % {per_group}u"), format!("local / {per_group}u")),
            false => (format!("local / {lanes}u"), format!("local % {lanes}u")),
        };
        shader.line(&format!("let part = number / {groups}u;"));
        shader.line(&format!("let output = number % {groups}u * {per_group}u + {output};"));
        shader.line(&format!("let lane = {lane};"));
        shader.line("let batch = output / (M * N);");
        shader.line("let i = output / N % M;");
        shader.line("let j = output % N;");
        shader.line(&format!("let is_output = output < {outputs}u;"));
        shader.line(&format!("var dot = {};", p.zero()));
        shader.block("if (is_output)", |shader| {
            shader.line("let a = line_a(batch, i);");
            shader.line("let b = line_b(batch, j);");
            shader.line("let end = min((part + 1u) * PART, K);");
            let head = format!("for (var k = part * PART + lane; k < end; k += {lanes}u)");
            shader.block(&head, |shader| {
                shader.line("dot += load_a(a, tap_a(k)) * load_b(b, tap_b(k));");
            });
        });
        if lanes > 1 {
            let class = p.class();
            share(shader, ReduceOp::Sum, class, lanes * per_group, lanes, step);
            shader.line(&format!("dot = sum_{}(local, lane, dot);", class.wgsl()));
        }
        shader.line("if (is_output && lane == 0u) { done(part, batch, i, j, dot); }");
    }
}

/// The loop of blocks whose lanes each load another index of the sum, and tell each other.
fn by_subgroups(lanes: usize, is_by_fours: bool) -> String {
    let text = include_str!("subgroups.wgsl");
    let section = |from: &str, to: &str| {
        let rest = text.split_once(from).map_or(text, |(_, rest)| rest);
        rest.split_once(to).map_or(rest, |(inside, _)| inside)
    };
    let (turn, step) = match is_by_fours {
        true => (section("{turn by fours}\n", "{end}\n"), 4),
        false => (section("{turn}\n", "{turn by fours}\n"), 1),
    };
    let turns = (0..lanes).step_by(step).map(|k| turn.replace("{k}", &k.to_string()));
    let (begin, end) = (section("", "{turn}\n"), section("{end}\n", "\0"));
    let text = format!("{begin}{}{end}", turns.collect::<String>());
    text.replace("SUBGROUP", &format!("{lanes}u"))
}

/// One, two, four or, of floats, eight numbers that are added and scaled as one.
fn vector(class: Class, len: usize) -> String {
    match len {
        1 => class.wgsl().to_string(),
        8 => "mat2x4<f32>".to_string(),
        _ => format!("vec{len}<{}>", class.wgsl()),
    }
}

/// A template for threads of so many elements: lines with a row or a column are written for each of
/// them, as compilers keep in registers only what is not looked up by number.
fn unrolled(template: &str, rows: usize, columns: usize) -> String {
    let pick = match columns {
        1 => "",
        8 => "[column / 4u][column % 4u]",
        _ => "[column]",
    };
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
