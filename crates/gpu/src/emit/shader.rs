//! A shader while it is written, and as text: declarations, the functions it calls, and the entry
//! point, named after what it computes.
use super::code::class;
use super::functions::functions_of;
use super::narrow::bits;
use super::scalar::{Class, cast};
use brasa_ir::DType;
use std::fmt::Write;

/// Where a buffer of a launch lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the n-th page of the arena that is bound, at an offset that the launch's own words tell.
    Arena(usize),
    /// In a binding of its own: the n-th input of the launch.
    Input(usize),
    /// Among what passes leave for others, from this word on: a word for each element.
    Scratch(usize),
}

/// A buffer that a launch reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub dtype: DType,
    pub home: Home,
}

/// A write whose value has to be a position inside an axis of this length; and the number of the bound
/// that this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub write: usize,
    pub len: usize,
    pub bound: usize,
}

/// The buffers of a launch, in the order of its kernel.
#[derive(Clone, Debug, Default)]
pub struct Operands {
    pub reads: Vec<Operand>,
    pub writes: Vec<Operand>,
    /// What is to be looked at when it is written.
    pub looks: Vec<Look>,
    /// The page with what else the launch needs: the result of an op that ran on the CPU, the place
    /// of alarms, or what one pass leaves for the next.
    pub extra: usize,
    /// The most words that passes may leave for others.
    pub scratch_words: usize,
    /// How many pages of the arena are bound.
    pub arenas: usize,
    /// For each input binding, whether the launch writes it.
    pub inputs: Vec<bool>,
    /// Whether the device is software.
    pub is_software: bool,
    /// Threads of a subgroup, as [`Limits`](crate::Limits) tell them.
    pub subgroup: usize,
    /// Whether the device knows f16.
    pub has_f16: bool,
}

/// What plans of kernels depend on.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    pub is_software: bool,
    pub subgroup: usize,
}

impl Operands {
    pub(crate) fn device(&self) -> Device {
        Device { is_software: self.is_software, subgroup: self.subgroup }
    }
}

/// A word that the device gets with a launch: shaders of equal kernels are equal texts, whatever
/// their buffers and numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Where a read or a write begins in its page of the arena, in words.
    Read(usize),
    Write(usize),
    /// Where launches note which of them met an index out of range, and that index.
    Alarm,
    /// The number of the launch, from 1, or that of a bound, which follow.
    Launch,
    Bound(usize),
    /// Where a pass leaves what the next needs, and an op that ran on the CPU its result.
    Scratch,
    /// A number of the run's, in this dtype.
    Slot(usize, DType),
}

/// A finished shader.
#[derive(Clone, Debug)]
pub struct Text {
    pub name: String,
    pub wgsl: String,
    /// Workgroups, folded to what one dimension may have.
    pub groups: [u32; 2],
    pub words: Vec<Word>,
}

pub(crate) struct Shader<'a> {
    operands: &'a Operands,
    name: String,
    about: Vec<String>,
    globals: String,
    body: String,
    depth: usize,
    words: Vec<Word>,
    threads: u32,
    groups: [u32; 2],
    /// Reads that are read by fours, in a shader that reads and writes so.
    quads: Option<Vec<usize>>,
    /// The number of elements, where each thread takes the neighbours of a word.
    by_words: Option<usize>,
}

/// The most workgroups that WebGPU promises for one dimension.
const MOST_GROUPS: usize = 65_535;

impl<'a> Shader<'a> {
    /// A shader of `groups` workgroups of `threads` threads.
    pub(crate) fn new(operands: &'a Operands, threads: usize, groups: usize) -> Shader<'a> {
        let rows = groups.div_ceil(MOST_GROUPS).max(1);
        let groups = [groups.div_ceil(rows) as u32, rows as u32];
        Shader {
            operands,
            name: String::new(),
            about: Vec::new(),
            globals: String::new(),
            body: String::new(),
            depth: 1,
            words: Vec::new(),
            threads: threads as u32,
            groups,
            quads: None,
            by_words: None,
        }
    }

    /// Has each thread take all elements of its `word`, the number of the current one being `flat`.
    pub(crate) fn begin_words(&mut self, elements: usize, neighbours: usize) {
        self.by_words = Some(elements);
        for (n, operand) in self.operands.writes.iter().enumerate() {
            if operand.per_word() > 1 {
                self.line(&format!("var word{n} = 0u;"));
            }
        }
        self.line(&format!("let first = word * {neighbours}u;"));
        self.line(&format!("let end = min(first + {neighbours}u, {elements}u);"));
        self.line("for (var flat = first; flat < end; flat++) {");
        self.depth += 1;
    }

    /// Writes an element: by itself, or as a part of its word.
    pub(crate) fn store(&mut self, write: usize, index: &str, value: &str) {
        let Operand { dtype, .. } = self.operands.writes[write];
        match (self.operands.writes[write].per_word(), self.by_words) {
            (count @ 2.., Some(elements)) => {
                let (bits, width, last) = (bits(dtype, value), 32 / count, elements - 1);
                self.line(&format!("word{write} |= {bits} << (flat % {count}u * {width}u);"));
                let is_full = format!("flat % {count}u == {}u || flat == {last}u", count - 1);
                self.block(&format!("if ({is_full})"), |shader| {
                    shader.line(&format!("write{write}_word(flat / {count}u, word{write});"));
                    shader.line(&format!("word{write} = 0u;"));
                });
            }
            _ => self.line(&format!("write{write}({index}, {value});")),
        }
    }

    /// Has `reads` read by fours, and all writes written so.
    pub(crate) fn use_quads(&mut self, reads: Vec<usize>) {
        self.quads = Some(reads);
    }

    /// Names it after what it does.
    pub(crate) fn call(&mut self, kind: &str, words: &[&str]) {
        let mut name = kind.to_string();
        let mut last = "";
        for word in
            words.iter().filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
        {
            if *word != last && name.len() + word.len() < 40 {
                name += "_";
                name += word;
            }
            last = word;
        }
        self.name = name;
    }

    /// A line of the comment that the shader begins with.
    pub(crate) fn about(&mut self, line: String) {
        self.about.push(line);
    }

    pub(crate) fn line(&mut self, text: &str) {
        _ = writeln!(self.body, "{:1$}{text}", "", 2 * self.depth);
    }

    pub(crate) fn lines<S: AsRef<str>>(&mut self, lines: &[S]) {
        lines.iter().for_each(|line| self.line(line.as_ref()));
    }

    /// A block: its first line without the brace, and what is in it.
    pub(crate) fn block(&mut self, head: &str, inside: impl FnOnce(&mut Shader<'a>)) {
        self.line(format!("{head} {{").trim_start());
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    /// A declaration outside of all functions.
    pub(crate) fn global(&mut self, text: &str) {
        self.globals += text;
        self.globals += "\n";
    }

    /// A declaration that several parts of a shader may ask for.
    pub(crate) fn global_once(&mut self, text: &str) {
        if !self.globals.contains(text) {
            self.global(text);
        }
    }

    /// A function of its own.
    pub(crate) fn function(&mut self, head: &str, inside: impl FnOnce(&mut Shader<'a>)) {
        let body = std::mem::take(&mut self.body);
        let depth = std::mem::replace(&mut self.depth, 0);
        self.block(head, inside);
        let text = std::mem::replace(&mut self.body, body);
        self.depth = depth;
        self.global(&text);
    }

    /// The statement that numbers workgroups.
    pub(crate) fn number_groups(&mut self, name: &str) {
        let [columns, rows] = self.groups;
        match rows {
            1 => self.line(&format!("let {name} = group.x;")),
            _ => self.line(&format!("let {name} = group.y * {columns}u + group.x;")),
        }
    }

    /// The number of a run's slot.
    pub(crate) fn slot(&mut self, slot: usize, dtype: DType) -> String {
        let word = self.word(Word::Slot(slot, dtype));
        loaded(class(dtype), &word)
    }

    pub(crate) fn word(&mut self, word: Word) -> String {
        let known = self.words.iter().position(|other| *other == word);
        let n = known.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        });
        format!("launch[{}].{}", n / 4, ["x", "y", "z", "w"][n % 4])
    }

    pub(crate) fn has_subgroups(&self) -> bool {
        self.operands.subgroup > 0
    }

    pub(crate) fn finish(mut self) -> Text {
        if self.by_words.is_some() {
            self.depth -= 1;
            self.line("}");
        }
        let mut access = self.quad_access();
        for (n, operand) in self.operands.reads.iter().enumerate() {
            if self.uses(&format!("read{n}(")) {
                let place = self.place(*operand, Word::Read(n));
                let ty = class(operand.dtype).wgsl();
                let load = match operand.per_word() {
                    1 => loaded(class(operand.dtype), &place),
                    _ => self.operands.element(operand.dtype, &place, "u32(i)"),
                };
                _ = writeln!(access, "fn read{n}(i: i32) -> {ty} {{ return {load}; }}");
            }
        }
        for (n, operand) in self.operands.writes.iter().enumerate() {
            if self.quads.is_some() && !self.uses(&format!("write{n}(")) {
                continue;
            }
            if operand.per_word() > 1 {
                let place = self.word_place(*operand, Word::Write(n), "i");
                _ = writeln!(access, "fn write{n}_word(i: u32, word: u32) {{ {place} = word; }}");
                continue;
            }
            let place = self.place(*operand, Word::Write(n));
            let class = class(operand.dtype);
            let (ty, word) = (class.wgsl(), stored(class, "x"));
            _ = writeln!(access, "fn write{n}(i: i32, x: {ty}) {{ {place} = {word}; }}");
        }
        let mut head = String::new();
        for line in &self.about {
            _ = writeln!(head, "// {line}");
        }
        let bind = |n: usize, what: &str| format!("@group(0) @binding({n}) var<{what};\n");
        let words = self.words.len().div_ceil(4).max(1);
        head += &bind(0, &format!("uniform> launch: array<vec4<u32>, {words}>"));
        for page in 0..self.operands.arenas {
            let name = self.arena(page);
            let ty = if self.quads.is_some() { "vec4<u32>" } else { "u32" };
            head += &bind(page + 1, &format!("storage, read_write> {name}: array<{ty}>"));
        }
        for (n, is_written) in self.operands.inputs.iter().enumerate() {
            let mode = if *is_written { "read_write" } else { "read" };
            let ty = if self.is_quad_input(n) { "vec4<u32>" } else { "u32" };
            head += &bind(
                n + 1 + self.operands.arenas,
                &format!("storage, {mode}> input{n}: array<{ty}>"),
            );
        }
        let own = format!("{access}{}{}", self.globals, self.body);
        let functions = functions_of(&own);
        let (name, threads) = (&self.name, self.threads);
        let mut inputs = vec![
            "@builtin(workgroup_id) group: vec3<u32>".to_string(),
            "@builtin(local_invocation_index) local: u32".to_string(),
        ];
        let mut begin = String::new();
        if own.contains("subgroup_lane") {
            for (variable, builtin) in SUBGROUP {
                inputs.push(format!("@builtin({builtin}) {variable}_in: u32"));
                begin += &format!("  {variable} = {variable}_in;\n");
                head += &format!("var<private> {variable}: u32;\n");
            }
        }
        let wgsl = format!(
            "{head}\n{access}\n{functions}{}@compute @workgroup_size({threads})\nfn {name}(\n  \
             {},\n) {{\n{begin}{}}}\n",
            self.globals,
            inputs.join(",\n  "),
            self.body
        );
        Text { name: self.name, wgsl, groups: self.groups, words: self.words }
    }

    /// Notes an index that lies outside of an axis; `cause` is what found it.
    pub(crate) fn alarm(&mut self, index: &str, len: usize, cause: Word) {
        let (word, cause, arena) = (self.word(Word::Alarm), self.word(cause), self.extra());
        self.block(&format!("if ({index} < 0 || {index} >= {len})"), |shader| {
            shader.line(&format!("{arena}[{word}] = {cause};"));
            shader.line(&format!("{arena}[{word} + 1u] = bitcast<u32>({index});"));
        });
    }

    /// What is to be looked at when a write is done.
    pub(crate) fn looks(&self, write: usize) -> impl Iterator<Item = Look> + use<'a> {
        self.operands.looks.iter().copied().filter(move |look| look.write == write)
    }

    /// The name of a page of the arena.
    fn arena(&self, page: usize) -> String {
        if self.operands.arenas == 1 { "arena".to_string() } else { format!("arena{page}") }
    }

    /// The name of the page with what else the launch needs.
    pub(crate) fn extra(&self) -> String {
        self.arena(self.operands.extra)
    }

    fn uses(&self, name: &str) -> bool {
        self.body.contains(name) || self.globals.contains(name)
    }

    /// Whether the elements of an input's binding are vectors.
    fn is_quad_input(&self, n: usize) -> bool {
        let Some(reads) = &self.quads else { return false };
        let is_here = |operand: &Operand| operand.home == Home::Input(n);
        let is_written = |write: usize| self.uses(&format!("write{write}_4("));
        let mut writes = self.operands.writes.iter().enumerate();
        writes.any(|(write, operand)| is_here(operand) && is_written(write))
            || reads.iter().any(|&read| is_here(&self.operands.reads[read]))
    }

    /// The functions that read four words, and that write so many.
    fn quad_access(&mut self) -> String {
        let mut access = String::new();
        let Some(reads) = self.quads.clone() else { return access };
        let vector = |shader: &mut Shader, operand: Operand, word: Word| match operand.home {
            Home::Arena(page) => {
                let (arena, start) = (shader.arena(page), shader.word(word));
                format!("{arena}[{start} / 4u + i]")
            }
            Home::Input(n) => format!("input{n}[i]"),
            Home::Scratch(_) => unreachable!("maps leave nothing in scratch"),
        };
        for (n, operand) in self.operands.reads.iter().enumerate() {
            if reads.contains(&n) {
                let place = vector(self, *operand, Word::Read(n));
                _ = writeln!(access, "fn read{n}_4(i: u32) -> vec4<u32> {{ return {place}; }}");
            }
        }
        for (n, operand) in self.operands.writes.iter().enumerate() {
            if !self.uses(&format!("write{n}_4(")) {
                continue;
            }
            let place = vector(self, *operand, Word::Write(n));
            let (ty, value) = match (operand.per_word(), class(operand.dtype)) {
                (2.., _) | (_, Class::Uint) => ("u32", "x"),
                (_, Class::Bool) => ("bool", "select(vec4<u32>(), vec4<u32>(1u), x)"),
                (_, class) => (class.wgsl(), "bitcast<vec4<u32>>(x)"),
            };
            _ = writeln!(access, "fn write{n}_4(i: u32, x: vec4<{ty}>) {{ {place} = {value}; }}");
        }
        access
    }

    /// The word of element `i` of a buffer.
    fn place(&mut self, operand: Operand, word: Word) -> String {
        match (operand.home, operand.per_word()) {
            (Home::Input(n), 1) if !self.is_quad_input(n) => format!("input{n}[i]"),
            (_, 1) => self.word_place(operand, word, "u32(i)"),
            (_, count) => self.word_place(operand, word, &format!("u32(i) / {count}u")),
        }
    }

    /// Word `i` of a buffer.
    fn word_place(&mut self, operand: Operand, word: Word, i: &str) -> String {
        match operand.home {
            Home::Arena(page) if self.quads.is_some() => {
                let (arena, start) = (self.arena(page), self.word(word));
                format!("{arena}[({start} + {i}) / 4u][({start} + {i}) % 4u]")
            }
            Home::Arena(page) => {
                let (arena, start) = (self.arena(page), self.word(word));
                format!("{arena}[{start} + {i}]")
            }
            Home::Input(n) if self.is_quad_input(n) => format!("input{n}[{i} / 4u][{i} % 4u]"),
            Home::Input(n) => format!("input{n}[{i}]"),
            Home::Scratch(first) => {
                let (arena, start) = (self.extra(), self.word(Word::Scratch));
                let first = if first == 0 { String::new() } else { format!(" + {first}u") };
                format!("{arena}[{start}{first} + {i}]")
            }
        }
    }
}

/// A word of memory as a value.
pub(crate) fn loaded(class: Class, word: &str) -> String {
    match class {
        Class::Float => format!("bitcast<f32>({word})"),
        Class::Int => format!("bitcast<i32>({word})"),
        Class::Uint => word.to_string(),
        Class::Bool => format!("{word} != 0u"),
    }
}

/// A value as a word of memory.
pub(crate) fn stored(class: Class, value: &str) -> String {
    match class {
        Class::Float | Class::Int => format!("bitcast<u32>({value})"),
        Class::Uint => value.to_string(),
        Class::Bool => cast(DType::Bool, DType::U32, value).expect("known dtypes"),
    }
}

/// What shaders call the numbers of subgroups.
const SUBGROUP: [(&str, &str); 3] = [
    ("subgroup_lane", "subgroup_invocation_id"),
    ("subgroup", "subgroup_id"),
    ("subgroups", "num_subgroups"),
];
