//! Builds the text of a shader: declarations, the library functions it calls, and the entry
//! point, named after what it computes.
use super::code::class;
use super::functions::functions_of;
use super::narrow::bits;
use super::scalar::{Class, cast};
use brasa_ir::DType;
use std::fmt::Write;

/// Where a buffer of a launch is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the n-th bound page of the arena, at an offset that a uniform word gives.
    Arena(usize),
    /// In a binding of its own: the n-th input of the launch.
    Input(usize),
    /// In scratch memory from this word on, one word per element.
    Scratch(usize),
}

/// A buffer that a launch reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBuffer {
    pub dtype: DType,
    pub location: Location,
}

/// Checks that a written value is a position inside an axis of length `len`; `bound` is the
/// number of the program's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundsCheck {
    pub write: usize,
    pub len: usize,
    pub bound: usize,
}

/// The buffers of a launch, in the order of its kernel, and the device's properties.
#[derive(Clone, Debug, Default)]
pub struct LaunchBuffers {
    pub reads: Vec<LaunchBuffer>,
    pub writes: Vec<LaunchBuffer>,
    /// Bounds checks of written values.
    pub bounds_checks: Vec<BoundsCheck>,
    /// The bound page that holds the bounds flag and scratch: results of a CPU op, or of one pass
    /// for the next.
    pub aux_page: usize,
    /// Maximum words of scratch.
    pub scratch_words: usize,
    /// The number of bound pages of the arena.
    pub arenas: usize,
    /// For each input binding, whether the launch writes it.
    pub inputs: Vec<bool>,
    /// Whether the device is a software adapter.
    pub is_software: bool,
    /// The subgroup size, as in [`Limits`](crate::Limits).
    pub subgroup: usize,
    /// Whether the device supports f16.
    pub has_f16: bool,
}

/// The device's properties that kernel plans depend on.
#[derive(Clone, Copy, Debug)]
pub struct DeviceTraits {
    pub is_software: bool,
    pub subgroup: usize,
}

impl LaunchBuffers {
    pub(crate) fn device_traits(&self) -> DeviceTraits {
        DeviceTraits { is_software: self.is_software, subgroup: self.subgroup }
    }
}

/// A uniform word of a launch. Offsets and numbers are not part of the text, so equal kernels
/// give equal shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The offset of a read or a write in its page of the arena, in words.
    Read(usize),
    Write(usize),
    /// The offset of the bounds flag.
    BoundsFlag,
    /// The number of a possible cause of a bounds flag, from 1: launches, then bounds.
    Launch,
    Bound(usize),
    /// The offset of scratch.
    Scratch,
    /// A slot of the run, in this dtype.
    Slot(usize, DType),
}

/// A finished shader.
#[derive(Clone, Debug)]
pub struct ShaderText {
    pub name: String,
    pub wgsl: String,
    /// Workgroups in two dimensions, each within WebGPU's limit.
    pub groups: [u32; 2],
    pub words: Vec<Word>,
}

pub(crate) struct Shader<'a> {
    buffers: &'a LaunchBuffers,
    name: String,
    comments: Vec<String>,
    globals: String,
    body: String,
    depth: usize,
    words: Vec<Word>,
    threads: u32,
    groups: [u32; 2],
    /// The reads that are loaded as vec4; `Some` in a shader that uses vec4.
    vec4_reads: Option<Vec<usize>>,
    /// The number of elements, if each thread computes all elements of a word.
    by_words: Option<usize>,
}

/// WebGPU's default limit of workgroups per dimension.
const MAX_GROUPS: usize = 65_535;

impl<'a> Shader<'a> {
    /// A shader of `groups` workgroups of `threads` threads.
    pub(crate) fn new(buffers: &'a LaunchBuffers, threads: usize, groups: usize) -> Shader<'a> {
        let rows = groups.div_ceil(MAX_GROUPS).max(1);
        let groups = [groups.div_ceil(rows) as u32, rows as u32];
        Shader {
            buffers,
            name: String::new(),
            comments: Vec::new(),
            globals: String::new(),
            body: String::new(),
            depth: 1,
            words: Vec::new(),
            threads: threads as u32,
            groups,
            vec4_reads: None,
            by_words: None,
        }
    }

    /// Opens a loop over all elements of the thread's `word`; `flat` is the current element.
    pub(crate) fn begin_words(&mut self, elements: usize, neighbours: usize) {
        self.by_words = Some(elements);
        for (n, buffer) in self.buffers.writes.iter().enumerate() {
            if buffer.per_word() > 1 {
                self.line(&format!("var word{n} = 0u;"));
            }
        }
        self.line(&format!("let first = word * {neighbours}u;"));
        self.line(&format!("let end = min(first + {neighbours}u, {elements}u);"));
        self.line("for (var flat = first; flat < end; flat++) {");
        self.depth += 1;
    }

    /// Stores an element, directly or as a part of its word.
    pub(crate) fn store(&mut self, write: usize, index: &str, value: &str) {
        let LaunchBuffer { dtype, .. } = self.buffers.writes[write];
        match (self.buffers.writes[write].per_word(), self.by_words) {
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

    /// Loads `reads` as vec4, and stores all writes as vec4.
    pub(crate) fn use_vec4(&mut self, reads: Vec<usize>) {
        self.vec4_reads = Some(reads);
    }

    /// Sets the entry point's name from the kind of kernel and its ops.
    pub(crate) fn set_name(&mut self, kind: &str, words: &[&str]) {
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

    /// Adds a line to the shader's leading comment.
    pub(crate) fn comment(&mut self, line: String) {
        self.comments.push(line);
    }

    pub(crate) fn line(&mut self, text: &str) {
        _ = writeln!(self.body, "{:1$}{text}", "", 2 * self.depth);
    }

    pub(crate) fn lines<S: AsRef<str>>(&mut self, lines: &[S]) {
        lines.iter().for_each(|line| self.line(line.as_ref()));
    }

    /// A block: its head without the brace, and its body.
    pub(crate) fn block(&mut self, head: &str, inside: impl FnOnce(&mut Shader<'a>)) {
        self.line(format!("{head} {{").trim_start());
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    /// A module-scope declaration.
    pub(crate) fn global(&mut self, text: &str) {
        self.globals += text;
        self.globals += "\n";
    }

    /// A module-scope declaration that several parts of a shader may request.
    pub(crate) fn global_once(&mut self, text: &str) {
        if !self.globals.contains(text) {
            self.global(text);
        }
    }

    /// A function: its head without the brace, and its body.
    pub(crate) fn function(&mut self, head: &str, inside: impl FnOnce(&mut Shader<'a>)) {
        let body = std::mem::take(&mut self.body);
        let depth = std::mem::replace(&mut self.depth, 0);
        self.block(head, inside);
        let text = std::mem::replace(&mut self.body, body);
        self.depth = depth;
        self.global(&text);
    }

    /// Declares the flat workgroup index.
    pub(crate) fn number_groups(&mut self, name: &str) {
        let [columns, rows] = self.groups;
        match rows {
            1 => self.line(&format!("let {name} = group.x;")),
            _ => self.line(&format!("let {name} = group.y * {columns}u + group.x;")),
        }
    }

    /// The value of a slot.
    pub(crate) fn slot(&mut self, slot: usize, dtype: DType) -> String {
        let word = self.word(Word::Slot(slot, dtype));
        from_word(class(dtype), &word)
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
        self.buffers.subgroup > 0
    }

    pub(crate) fn finish(mut self) -> ShaderText {
        if self.by_words.is_some() {
            self.depth -= 1;
            self.line("}");
        }
        let access = self.buffer_functions();
        let mut head = self.bindings();
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
        ShaderText { name: self.name, wgsl, groups: self.groups, words: self.words }
    }

    /// The functions that read and write elements of the buffers.
    fn buffer_functions(&mut self) -> String {
        let mut access = self.vec4_access();
        for (n, buffer) in self.buffers.reads.iter().enumerate() {
            if self.uses(&format!("read{n}(")) {
                let place = self.element_word(*buffer, Word::Read(n));
                let ty = class(buffer.dtype).wgsl();
                let load = match buffer.per_word() {
                    1 => from_word(class(buffer.dtype), &place),
                    _ => self.buffers.element(buffer.dtype, &place, "u32(i)"),
                };
                _ = writeln!(access, "fn read{n}(i: i32) -> {ty} {{ return {load}; }}");
            }
        }
        for (n, buffer) in self.buffers.writes.iter().enumerate() {
            if self.vec4_reads.is_some() && !self.uses(&format!("write{n}(")) {
                continue;
            }
            if buffer.per_word() > 1 {
                let place = self.word_at(*buffer, Word::Write(n), "i");
                _ = writeln!(access, "fn write{n}_word(i: u32, word: u32) {{ {place} = word; }}");
                continue;
            }
            let place = self.element_word(*buffer, Word::Write(n));
            let class = class(buffer.dtype);
            let (ty, word) = (class.wgsl(), to_word(class, "x"));
            _ = writeln!(access, "fn write{n}(i: i32, x: {ty}) {{ {place} = {word}; }}");
        }
        access
    }

    /// The comments and the declarations of the buffers.
    fn bindings(&self) -> String {
        let mut head = String::new();
        for line in &self.comments {
            _ = writeln!(head, "// {line}");
        }
        let bind = |n: usize, what: &str| format!("@group(0) @binding({n}) var<{what};\n");
        let words = self.words.len().div_ceil(4).max(1);
        head += &bind(0, &format!("uniform> launch: array<vec4<u32>, {words}>"));
        for page in 0..self.buffers.arenas {
            let name = self.arena(page);
            let ty = if self.vec4_reads.is_some() { "vec4<u32>" } else { "u32" };
            head += &bind(page + 1, &format!("storage, read_write> {name}: array<{ty}>"));
        }
        for (n, is_written) in self.buffers.inputs.iter().enumerate() {
            let mode = if *is_written { "read_write" } else { "read" };
            let ty = if self.is_vec4_input(n) { "vec4<u32>" } else { "u32" };
            head += &bind(
                n + 1 + self.buffers.arenas,
                &format!("storage, {mode}> input{n}: array<{ty}>"),
            );
        }
        head
    }

    /// Sets the bounds flag if an index is outside of an axis; `cause` is the number of what
    /// found it.
    pub(crate) fn flag_out_of_range(&mut self, index: &str, len: usize, cause: Word) {
        let (word, cause, arena) =
            (self.word(Word::BoundsFlag), self.word(cause), self.aux_arena());
        self.block(&format!("if ({index} < 0 || {index} >= {len})"), |shader| {
            shader.line(&format!("{arena}[{word}] = {cause};"));
            shader.line(&format!("{arena}[{word} + 1u] = bitcast<u32>({index});"));
        });
    }

    /// The bounds checks of a write.
    pub(crate) fn bounds_checks(
        &self,
        write: usize,
    ) -> impl Iterator<Item = BoundsCheck> + use<'a> {
        self.buffers.bounds_checks.iter().copied().filter(move |check| check.write == write)
    }

    /// The name of a page of the arena.
    fn arena(&self, page: usize) -> String {
        if self.buffers.arenas == 1 { "arena".to_string() } else { format!("arena{page}") }
    }

    /// The name of the page with the bounds flag and scratch.
    pub(crate) fn aux_arena(&self) -> String {
        self.arena(self.buffers.aux_page)
    }

    fn uses(&self, name: &str) -> bool {
        self.body.contains(name) || self.globals.contains(name)
    }

    /// Whether an input's binding is an array of vec4.
    fn is_vec4_input(&self, n: usize) -> bool {
        let Some(reads) = &self.vec4_reads else { return false };
        let is_here = |buffer: &LaunchBuffer| buffer.location == Location::Input(n);
        let is_written = |write: usize| self.uses(&format!("write{write}_4("));
        let mut writes = self.buffers.writes.iter().enumerate();
        writes.any(|(write, buffer)| is_here(buffer) && is_written(write))
            || reads.iter().any(|&read| is_here(&self.buffers.reads[read]))
    }

    /// The functions that load and store four words at once.
    fn vec4_access(&mut self) -> String {
        let mut access = String::new();
        let Some(reads) = self.vec4_reads.clone() else { return access };
        let vector = |shader: &mut Shader, buffer: LaunchBuffer, word: Word| match buffer.location {
            Location::Arena(page) => {
                let (arena, start) = (shader.arena(page), shader.word(word));
                format!("{arena}[{start} / 4u + i]")
            }
            Location::Input(n) => format!("input{n}[i]"),
            Location::Scratch(_) => unreachable!("maps leave nothing in scratch"),
        };
        for (n, buffer) in self.buffers.reads.iter().enumerate() {
            if reads.contains(&n) {
                let place = vector(self, *buffer, Word::Read(n));
                _ = writeln!(access, "fn read{n}_4(i: u32) -> vec4<u32> {{ return {place}; }}");
            }
        }
        for (n, buffer) in self.buffers.writes.iter().enumerate() {
            if !self.uses(&format!("write{n}_4(")) {
                continue;
            }
            let place = vector(self, *buffer, Word::Write(n));
            let (ty, value) = match (buffer.per_word(), class(buffer.dtype)) {
                (2.., _) | (_, Class::Uint) => ("u32", "x"),
                (_, Class::Bool) => ("bool", "select(vec4<u32>(), vec4<u32>(1u), x)"),
                (_, class) => (class.wgsl(), "bitcast<vec4<u32>>(x)"),
            };
            _ = writeln!(access, "fn write{n}_4(i: u32, x: vec4<{ty}>) {{ {place} = {value}; }}");
        }
        access
    }

    /// The word that holds element `i` of a buffer.
    fn element_word(&mut self, buffer: LaunchBuffer, word: Word) -> String {
        match (buffer.location, buffer.per_word()) {
            (Location::Input(n), 1) if !self.is_vec4_input(n) => format!("input{n}[i]"),
            (_, 1) => self.word_at(buffer, word, "u32(i)"),
            (_, count) => self.word_at(buffer, word, &format!("u32(i) / {count}u")),
        }
    }

    /// Word `i` of a buffer.
    fn word_at(&mut self, buffer: LaunchBuffer, word: Word, i: &str) -> String {
        match buffer.location {
            Location::Arena(page) if self.vec4_reads.is_some() => {
                let (arena, start) = (self.arena(page), self.word(word));
                format!("{arena}[({start} + {i}) / 4u][({start} + {i}) % 4u]")
            }
            Location::Arena(page) => {
                let (arena, start) = (self.arena(page), self.word(word));
                format!("{arena}[{start} + {i}]")
            }
            Location::Input(n) if self.is_vec4_input(n) => format!("input{n}[{i} / 4u][{i} % 4u]"),
            Location::Input(n) => format!("input{n}[{i}]"),
            Location::Scratch(first) => {
                let (arena, start) = (self.aux_arena(), self.word(Word::Scratch));
                let first = if first == 0 { String::new() } else { format!(" + {first}u") };
                format!("{arena}[{start}{first} + {i}]")
            }
        }
    }
}

/// Converts a word of memory to a value.
pub(crate) fn from_word(class: Class, word: &str) -> String {
    match class {
        Class::Float => format!("bitcast<f32>({word})"),
        Class::Int => format!("bitcast<i32>({word})"),
        Class::Uint => word.to_string(),
        Class::Bool => format!("{word} != 0u"),
    }
}

/// Converts a value to a word of memory.
pub(crate) fn to_word(class: Class, value: &str) -> String {
    match class {
        Class::Float | Class::Int => format!("bitcast<u32>({value})"),
        Class::Uint => value.to_string(),
        Class::Bool => cast(DType::Bool, DType::U32, value).expect("known dtypes"),
    }
}

/// The names of the subgroup built-ins in shaders.
const SUBGROUP: [(&str, &str); 3] = [
    ("subgroup_lane", "subgroup_invocation_id"),
    ("subgroup", "subgroup_id"),
    ("subgroups", "num_subgroups"),
];
