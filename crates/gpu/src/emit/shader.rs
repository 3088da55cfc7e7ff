//! A shader while it is written, and as text: declarations, the functions it calls, and the entry
//! point, named after what it computes.
use super::code::class;
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
}

/// A buffer that a launch reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub dtype: DType,
    pub home: Home,
}

/// The buffers of a launch, in the order of its kernel.
#[derive(Clone, Debug, Default)]
pub struct Operands {
    pub reads: Vec<Operand>,
    pub writes: Vec<Operand>,
    /// The page with what else the launch needs: the result of an op that ran on the CPU, or the
    /// place of alarms.
    pub extra: usize,
    /// How many pages of the arena are bound.
    pub arenas: usize,
    /// For each input binding, whether the launch writes it.
    pub inputs: Vec<bool>,
    /// Whether the device is software.
    pub is_software: bool,
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
    /// The number of the launch, from 1.
    Launch,
    /// Where the result of an op that ran on the CPU begins in the arena.
    Anchor,
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
        }
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
        self.line(&format!("{head} {{"));
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

    pub(crate) fn finish(mut self) -> Text {
        let mut access = String::new();
        for (n, operand) in self.operands.reads.iter().enumerate() {
            if self.uses(&format!("read{n}(")) {
                let place = self.place(*operand, Word::Read(n));
                let (ty, load) =
                    (class(operand.dtype).wgsl(), loaded(class(operand.dtype), &place));
                _ = writeln!(access, "fn read{n}(i: i32) -> {ty} {{ return {load}; }}");
            }
        }
        for (n, operand) in self.operands.writes.iter().enumerate() {
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
            head += &bind(page + 1, &format!("storage, read_write> {name}: array<u32>"));
        }
        for (n, is_written) in self.operands.inputs.iter().enumerate() {
            let mode = if *is_written { "read_write" } else { "read" };
            head += &bind(
                n + 1 + self.operands.arenas,
                &format!("storage, {mode}> input{n}: array<u32>"),
            );
        }
        let own = format!("{access}{}{}", self.globals, self.body);
        let functions = functions_of(&own);
        let (name, threads) = (&self.name, self.threads);
        let wgsl = format!(
            "{head}\n{access}\n{functions}{}@compute @workgroup_size({threads})\nfn {name}(\n  \
             @builtin(workgroup_id) group: vec3<u32>,\n  \
             @builtin(local_invocation_index) local: u32,\n) {{\n{}}}\n",
            self.globals, self.body
        );
        Text { name: self.name, wgsl, groups: self.groups, words: self.words }
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

    /// Element `i` of a buffer.
    fn place(&mut self, operand: Operand, word: Word) -> String {
        match operand.home {
            Home::Arena(page) => {
                let (arena, start) = (self.arena(page), self.word(word));
                format!("{arena}[{start} + u32(i)]")
            }
            Home::Input(n) => format!("input{n}[i]"),
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
fn stored(class: Class, value: &str) -> String {
    match class {
        Class::Float | Class::Int => format!("bitcast<u32>({value})"),
        Class::Uint => value.to_string(),
        Class::Bool => cast(DType::Bool, DType::U32, value).expect("known dtypes"),
    }
}

const FUNCTIONS: &str = include_str!("functions.wgsl");

/// The functions of the library that a text calls, and those that these call.
fn functions_of(text: &str) -> String {
    let parts: Vec<&str> = FUNCTIONS.split("\n\n").filter(|part| part.contains("fn ")).collect();
    let name = |part: &str| {
        let head = part.lines().find_map(|line| line.strip_prefix("fn ")).expect("a function");
        head[..=head.find('(').expect("has parameters")].to_string()
    };
    let names: Vec<String> = parts.iter().map(|part| name(part)).collect();
    let mut is_used: Vec<bool> = names.iter().map(|name| calls(text, name)).collect();
    loop {
        let before = is_used.clone();
        for (n, part) in parts.iter().enumerate().filter(|(n, _)| before[*n]) {
            for (m, name) in names.iter().enumerate().filter(|(m, _)| *m != n) {
                is_used[m] |= calls(part, name);
            }
        }
        if before == is_used {
            break;
        }
    }
    let used = parts.iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|(part, _)| format!("{}\n\n", part.trim_end())).collect()
}

/// Whether a text has a call of `name(`, and not of a longer name that ends so.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}
