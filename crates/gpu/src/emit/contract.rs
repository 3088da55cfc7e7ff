//! Emits matrix products and convolutions by one of three algorithms:
//!
//! - `dots`: one or more threads per element, for shapes too thin for tiles;
//! - `tiles`: workgroups share slices of both factors, and each thread keeps a block in
//!   registers;
//! - `blocks`: for software adapters, which run a workgroup on one core: no workgroup memory,
//!   larger blocks in registers, and with subgroups, loads that lanes share.
//!
//! Tiles and blocks use vec4 loads and stores where the layout allows. Each algorithm can compute
//! parts of long sums (split-K); a second pass adds the parts in a fixed order. [`ProductPlan`]
//! chooses.
use super::code::Code;
use super::library::finish_function;
use super::loops::{THREADS, per_element, reduce_function};
use super::product::Product;
use super::product_plan::{Algorithm, ProductPlan};
use super::scalar::Class;
use super::shader::{
    DeviceTraits, LaunchBuffer, LaunchBuffers, Location, Shader, ShaderText, Word, from_word,
    to_word,
};
use super::vec4_map;
use crate::paths::{self, Path};
use brasa_compile::kernel::Kernel;
use brasa_ir::ops::ReduceOp;

/// The loads of a product that are vec4; its stores then are, too.
struct Vec4Access {
    /// Whether the first and the second factor are loaded as vec4.
    factors: [bool; 2],
    /// The vec4 loads of the epilogue.
    loads: Vec<usize>,
}

impl Vec4Access {
    /// `None` unless all stores can be vec4, and no binding is accessed both as words and as
    /// vectors.
    fn new(
        p: &Product,
        algorithm: &Algorithm,
        code: &Code,
        buffers: &LaunchBuffers,
    ) -> Option<Vec4Access> {
        let factors = match *algorithm {
            Algorithm::Tiles { block_m, block_n: 64 } => {
                [block_m == 64 && p.a.has_vec4 && !p.a.is_by_k, p.b.has_vec4 && !p.b.is_by_k]
            }
            Algorithm::Blocks { vector: 4, is_by_columns: true, subgroup, .. } if subgroup > 0 => {
                [false, p.b.has_vec4]
            }
            _ => [false; 2],
        };
        if factors == [false; 2] || !p.n.is_multiple_of(4) || !code.stores_in_order() {
            return None;
        }
        let loads = vec4_map::loads(code, buffers)?;
        // A vector holds more than four narrow elements, and scratch is not vectorized.
        let epilogue = loads.iter().map(|&n| &buffers.reads[vec4_map::read_of(code, n)]);
        let is_plain = |buffer: &LaunchBuffer| {
            buffer.per_word() == 1 && !matches!(buffer.location, Location::Scratch(_))
        };
        if !epilogue.chain(&buffers.writes).all(is_plain) {
            return None;
        }
        let factor_reads = [p.a.read, p.b.read].into_iter().zip(factors);
        let epilogue =
            vec4_map::all_loads(code).map(|n| (vec4_map::read_of(code, n), loads.contains(&n)));
        let reads = factor_reads
            .chain(epilogue)
            .map(|(read, uses_vec4)| (buffers.reads[read].location, uses_vec4));
        let writes = buffers.writes.iter().map(|write| (write.location, true));
        let uses: Vec<(Location, bool)> = reads.chain(writes).collect();
        let is_mixed = |(location, uses_vec4): &(Location, bool)| {
            let differs = |other: &(Location, bool)| other.0 == *location && other.1 != *uses_vec4;
            matches!(location, Location::Input(_)) && uses.iter().any(differs)
        };
        (!uses.iter().any(is_mixed)).then_some(Vec4Access { factors, loads })
    }

    /// The buffers that are loaded as vec4.
    fn reads(&self, p: &Product, code: &Code) -> Vec<usize> {
        let factors = [p.a.read, p.b.read].into_iter().zip(self.factors);
        let epilogue = self.loads.iter().map(|&n| vec4_map::read_of(code, n));
        factors.filter(|(_, uses_vec4)| *uses_vec4).map(|(read, _)| read).chain(epilogue).collect()
    }
}

/// The scratch words for the parts of split sums.
pub(crate) fn parts_words(product: &Product, device: DeviceTraits, most: usize) -> usize {
    match ProductPlan::new(product, device, most).parts {
        1 => 0,
        parts => parts * product.outputs(),
    }
}

pub(crate) fn emit(product: &Product, kernel: &Kernel, buffers: &LaunchBuffers) -> Vec<ShaderText> {
    let code = Code::new(kernel);
    let plan = ProductPlan::new(product, buffers.device_traits(), buffers.scratch_words);
    let vec4 = Vec4Access::new(product, &plan.algorithm, &code, buffers);
    count(&plan, vec4.is_some());
    let writer = ProductWriter { product, code: &code, plan: &plan, vec4 };
    let mut texts = vec![writer.products(buffers)];
    if plan.parts > 1 {
        texts.push(writer.sums(buffers));
    }
    texts
}

/// Counts the variants that a product uses.
fn count(plan: &ProductPlan, uses_vec4: bool) {
    paths::hit(match plan.algorithm {
        Algorithm::Dots { lanes: 1, .. } => Path::ProductDots,
        Algorithm::Dots { .. } => Path::ProductDotsShared,
        Algorithm::Tiles { .. } if uses_vec4 => Path::ProductTilesVec4,
        Algorithm::Tiles { .. } => Path::ProductTiles,
        Algorithm::Blocks { .. } if uses_vec4 => Path::ProductBlocksVec4,
        Algorithm::Blocks { subgroup: 1.., .. } => Path::ProductBlocksLanes,
        Algorithm::Blocks { is_by_columns: true, .. } => Path::ProductBlocksColumns,
        Algorithm::Blocks { .. } => Path::ProductBlocksRows,
    });
    if plan.parts > 1 {
        paths::hit(Path::ProductParts);
    }
}

struct ProductWriter<'a> {
    product: &'a Product,
    code: &'a Code<'a>,
    plan: &'a ProductPlan,
    vec4: Option<Vec4Access>,
}

impl ProductWriter<'_> {
    /// The pass that multiplies.
    fn products(&self, buffers: &LaunchBuffers) -> ShaderText {
        let ProductWriter { product: p, code, plan, .. } = self;
        let groups = plan.algorithm.groups(p);
        let mut shader = Shader::new(buffers, plan.algorithm.threads(), groups * plan.parts);
        if let Some(vec4) = &self.vec4 {
            shader.use_vec4(vec4.reads(p, code));
        }
        let name = if plan.parts == 1 { "product" } else { "parts" };
        p.describe(&mut shader, name, code);
        p.constants(&mut shader, &[("PART", plan.part)]);
        p.factors(&mut shader, self.vec4_factors());
        match &self.vec4 {
            Some(vec4) => self.done_vec4_function(&mut shader, buffers, vec4),
            None => self.done_function(&mut shader),
        }
        shader.number_groups("number");
        // Uniform over the workgroup, as barriers require.
        let all = groups * plan.parts;
        shader.line(&format!("if (number >= {all}u) {{ return; }}"));
        match plan.algorithm {
            Algorithm::Dots { lanes, per_group } => self.dots(&mut shader, lanes, per_group),
            Algorithm::Tiles { block_m, block_n } => self.tiles(&mut shader, block_m, block_n),
            Algorithm::Blocks { .. } => self.blocks(&mut shader),
        }
        shader.finish()
    }

    /// Emits `done`, which takes a result element, or a part of one.
    fn done_function(&self, shader: &mut Shader) {
        let ProductWriter { product: p, code, plan, .. } = self;
        let ty = p.class().wgsl();
        let head = format!("fn done(part: u32, batch: u32, i: u32, j: u32, value: {ty})");
        if plan.parts == 1 {
            p.flat_function(shader);
            finish_function(shader, code, p.dtype);
            return shader.function(&head, |shader| {
                shader.line("finish(flat_of(batch, i, j), value);");
            });
        }
        shader.comment(format!("parts of {} of the sums, for the next pass", plan.part));
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        shader.function(&head, |shader| {
            let place = format!("{start} + ((part * BATCH + batch) * M + i) * N + j");
            shader.line(&format!("{arena}[{place}] = {};", to_word(p.class(), "value")));
        });
    }

    /// Emits `done_4`, the same for four neighbours.
    fn done_vec4_function(&self, shader: &mut Shader, buffers: &LaunchBuffers, vec4: &Vec4Access) {
        let ProductWriter { product: p, code, plan, .. } = self;
        shader.comment("four neighbours at once".to_string());
        let head = "fn done_4(part: u32, batch: u32, i: u32, j: u32, value: vec4<f32>)";
        if plan.parts == 1 {
            p.flat_function(shader);
            vec4_map::finish_function(shader, code, buffers, &vec4.loads);
            return shader.function(head, |shader| {
                shader.line("finish_4(flat_of(batch, i, j) / 4u, value);");
            });
        }
        shader.comment(format!("parts of {} of the sums, for the next pass", plan.part));
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        shader.function(head, |shader| {
            let place = format!("({start} + ((part * BATCH + batch) * M + i) * N + j) / 4u");
            shader.line(&format!("{arena}[{place}] = bitcast<vec4<u32>>(value);"));
        });
    }

    /// The pass that adds parts.
    fn sums(&self, buffers: &LaunchBuffers) -> ShaderText {
        let ProductWriter { product: p, code, plan, .. } = self;
        let outputs = p.outputs();
        let mut shader = per_element(outputs, buffers, THREADS);
        p.describe(&mut shader, "sum_parts", code);
        p.flat_function(&mut shader);
        finish_function(&mut shader, code, p.dtype);
        let (start, arena) = (shader.word(Word::Scratch), shader.aux_arena());
        shader.comment(format!("the sums of {} parts", plan.parts));
        shader.line(&format!("var value = {};", p.zero()));
        let head = format!("for (var part = 0u; part < {}u; part++)", plan.parts);
        shader.block(&head, |shader| {
            let word = format!("{arena}[{start} + part * {outputs}u + flat]");
            shader.line(&format!("value += {};", from_word(p.class(), &word)));
        });
        shader.line("finish(flat_of(flat / (M * N), flat / N % M, flat % N), value);");
        shader.finish()
    }

    fn vec4_factors(&self) -> [bool; 2] {
        self.vec4.as_ref().map_or([false; 2], |vec4| vec4.factors)
    }

    /// Selects the lines of a template for vec4 results, or for single elements.
    fn select_ending(&self, template: &str) -> String {
        let (own, other) =
            if self.vec4.is_some() { ("{vec4}", "{scalar}") } else { ("{scalar}", "{vec4}") };
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
        let of = self.vec4_factors();
        let loads = |ty: &str, len: usize, name: &str, uses_vec4: bool| {
            if uses_vec4 {
                return guarded(format!("load_{name}_4({name}0, {name}_tap)"), "vec4<f32>()", name);
            }
            let load = |n| guarded(format!("load_{name}({name}{n}, {name}_tap)"), p.zero(), name);
            format!("{ty}({})", (0..len).map(load).collect::<Vec<_>>().join(", "))
        };
        let text = include_str!("tiles.wgsl");
        let text = text.replace("{loads_a}", &loads("Rows", rows, "a", of[0]));
        let text = text.replace("{loads_b}", &loads("Columns", columns, "b", of[1]));
        shader.global(&unroll(&self.select_ending(&text), rows, columns));
        shader.line("tiles(number, local);");
    }

    fn blocks(&self, shader: &mut Shader) {
        let p = self.product;
        let Algorithm::Blocks { lines, vector: len, threads, is_by_columns, subgroup } =
            self.plan.algorithm
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
                ("APART", if self.vec4.is_some() { len } else { 1 }),
                ("NEXT", if self.vec4.is_some() { 1 } else { threads }),
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
        let scalar_loads = format!("Lanes({})", each("load_{lanes}"));
        // Only subgroups use vec4 loads along the sum.
        let is_along_sum = self.vec4.is_some() && p.b.is_by_k;
        let loads = match self.vec4 {
            Some(_) if !is_along_sum => "load_{lanes}_4(lane0, lanes_tap)",
            _ => &scalar_loads,
        };
        let subgroup_loop = match subgroup {
            0 => String::new(),
            _ => by_subgroups(subgroup, is_along_sum)
                .replace("{vec4_loads}", &each("load_{lanes}_4")),
        };
        let text = include_str!("blocks.wgsl").replace("{subgroup_loop}", &subgroup_loop);
        let text = self.select_ending(&text).replace("{loads}", loads).replace("{place}", place);
        let text = text.replace("{lines}", of_lines).replace("{lanes}", of_lanes);
        shader.global(&unroll(&text, lines, len));
        shader.line("blocks(number, local);");
    }

    fn dots(&self, shader: &mut Shader, lanes: usize, per_group: usize) {
        let p = self.product;
        let outputs = p.outputs();
        let is_by_columns = !p.b.is_by_k;
        let step = if is_by_columns { per_group } else { 1 };
        let groups = self.plan.algorithm.groups(p);
        shader.comment(format!("{lanes} threads for each of {outputs} dot products"));
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
            reduce_function(shader, ReduceOp::Sum, class, lanes * per_group, lanes, step);
            shader.line(&format!("dot = sum_{}(local, lane, dot);", class.wgsl()));
        }
        shader.line("if (is_output && lane == 0u) { done(part, batch, i, j, dot); }");
    }
}

/// The loop of the `blocks` template where each lane loads another index of the sum and
/// broadcasts it.
fn by_subgroups(lanes: usize, uses_vec4: bool) -> String {
    let text = include_str!("subgroups.wgsl");
    let section = |from: &str, to: &str| {
        let rest = text.split_once(from).map_or(text, |(_, rest)| rest);
        rest.split_once(to).map_or(rest, |(inside, _)| inside)
    };
    let (iteration, step) = match uses_vec4 {
        true => (section("{vec4 iteration}\n", "{end}\n"), 4),
        false => (section("{iteration}\n", "{vec4 iteration}\n"), 1),
    };
    let iterations = (0..lanes).step_by(step).map(|k| iteration.replace("{k}", &k.to_string()));
    let (begin, end) = (section("", "{iteration}\n"), section("{end}\n", "\0"));
    let text = format!("{begin}{}{end}", iterations.collect::<String>());
    text.replace("SUBGROUP", &format!("{lanes}u"))
}

/// A type of `len` numbers that can be added and scaled: a scalar, a vector, or for eight floats
/// a matrix.
fn vector(class: Class, len: usize) -> String {
    match len {
        1 => class.wgsl().to_string(),
        8 => "mat2x4<f32>".to_string(),
        _ => format!("vec{len}<{}>", class.wgsl()),
    }
}

/// Unrolls a template: repeats lines with `{row}` or `{column}` for each of them, because
/// compilers keep arrays in registers only if they are indexed by constants.
fn unroll(template: &str, rows: usize, columns: usize) -> String {
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
