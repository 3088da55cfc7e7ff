//! Narrow elements: of f16 and bf16 two lie in a word, of u8 and i8 four, as on the host. Reading takes
//! words apart. For writing there is one rule: **a word has one writer, which writes all of it.**
//!
//! - Maps, gathers, and the code behind an op that ran on the CPU have a thread for each element:
//!   theirs take the neighbours of a word, or of a vector of words, one after the other.
//! - All others write elements in an order of their own. They leave a word for each in scratch
//!   ([`Home::Scratch`]), and a last pass packs these.
//!
//! A bool has a word of its own: most are masks that products and rows leave beside their results, each
//! of which would cost a pass (2026-11-16: 17 dispatches instead of 14 for a step of W1).
use super::code::class;
use super::rows::has_reductions;
use super::scalar::Class;
use super::shader::{Home, Operand, Operands, Text, loaded};
use super::threads::{THREADS, per_thread};
use super::{is_hosted, own_scratch};
use brasa_compile::kernel::{Body, Kernel};
use brasa_ir::DType;
use brasa_ir::ops::Op;

/// The parts of a vector.
pub(crate) const PARTS: [&str; 4] = ["x", "y", "z", "w"];

/// The elements of a word.
pub(crate) fn per_word(dtype: DType) -> usize {
    match dtype {
        DType::F16 | DType::BF16 => 2,
        DType::U8 | DType::I8 => 4,
        _ => 1,
    }
}

impl Operand {
    /// The elements of a word: one in scratch, whatever the dtype.
    pub(crate) fn per_word(&self) -> usize {
        match self.home {
            Home::Scratch(_) => 1,
            _ => per_word(self.dtype),
        }
    }
}

impl Operands {
    /// The most elements of a word that is written.
    pub(crate) fn most_per_word(&self) -> usize {
        self.writes.iter().map(Operand::per_word).max().unwrap_or(1)
    }

    /// Element `i` of a buffer, of which `word` is the word that holds it.
    pub(crate) fn element(&self, dtype: DType, word: &str, i: &str) -> String {
        let count = per_word(dtype);
        self.part(dtype, word, &format!("({i} % {count}u * {}u)", 32 / count))
    }

    /// The element of a word that begins with this bit.
    fn part(&self, dtype: DType, word: &str, bit: &str) -> String {
        match dtype {
            DType::F16 => self.f16(&format!("{word} >> {bit}")),
            DType::BF16 => format!("bf16_of({word} >> {bit})"),
            DType::U8 => format!("i32(extractBits({word}, {bit}, 8u))"),
            DType::I8 => format!("extractBits(bitcast<i32>({word}), {bit}, 8u)"),
            _ => loaded(class(dtype), word),
        }
    }

    /// The f16 of the lower half of a word: exact both ways, and by one instruction where the adapter
    /// has it.
    fn f16(&self, word: &str) -> String {
        match self.has_f16 {
            true => format!("unpack2x16float({word}).x"),
            false => format!("f16_of({word})"),
        }
    }

    /// The `quad`-th four elements of what a `vector` of words holds.
    pub(crate) fn quad(&self, dtype: DType, vector: &str, quad: usize) -> String {
        let (class, count) = (class(dtype), per_word(dtype));
        let ty = class.wgsl();
        match (count, class) {
            (1, Class::Uint) => vector.to_string(),
            (1, Class::Bool) => format!("{vector} != vec4<u32>()"),
            (1, _) => format!("bitcast<vec4<{ty}>>({vector})"),
            _ => {
                let element = |n: usize| {
                    let word = format!("{vector}.{}", PARTS[(4 * quad + n) / count]);
                    self.part(dtype, &word, &format!("{}u", n % count * (32 / count)))
                };
                format!("vec4<{ty}>({})", [0, 1, 2, 3].map(element).join(", "))
            }
        }
    }
}

/// A value as the lowest bits of a word.
pub(crate) fn bits(dtype: DType, value: &str) -> String {
    match dtype {
        DType::F16 => format!("f16_bits({value})"),
        DType::BF16 => format!("bf16_bits({value})"),
        _ => format!("byte_bits({value})"),
    }
}

/// A word of neighbours.
pub(crate) fn packed(dtype: DType, values: &[String]) -> String {
    let parts: Vec<String> = values.iter().map(|value| bits(dtype, value)).collect();
    let join = if per_word(dtype) == 2 { "halves" } else { "bytes" };
    format!("{join}({})", parts.join(", "))
}

/// Whether a kernel has threads that can write whole words.
fn is_by_words(kernel: &Kernel) -> bool {
    match &kernel.body {
        Body::Loop => !has_reductions(kernel),
        Body::Library { op, .. } => is_hosted(op) || matches!(op, Op::Gather(_)),
    }
}

/// For each write, how many elements have to go through scratch.
fn wide_elements(kernel: &Kernel) -> Vec<usize> {
    let elements = |value: &brasa_compile::kernel::Ref| {
        let step = &kernel.code.steps[value.index()];
        let is_wide = per_word(step.dtype) > 1 && !is_by_words(kernel);
        if is_wide { kernel.domain.elements(step.level) } else { 0 }
    };
    kernel.code.stores.iter().map(elements).collect()
}

/// The words of scratch that narrow results take.
pub(crate) fn scratch(kernel: &Kernel) -> usize {
    wide_elements(kernel).iter().sum()
}

/// The operands of a kernel that leaves narrow results in scratch; none where it need not.
pub(crate) fn widened(kernel: &Kernel, operands: &Operands) -> Option<Operands> {
    let wide = scratch(kernel);
    if wide == 0 {
        return None;
    }
    let mut widened = operands.clone();
    widened.scratch_words -= wide.min(widened.scratch_words);
    let mut at = own_scratch(kernel, operands.device(), widened.scratch_words);
    for (write, elements) in widened.writes.iter_mut().zip(wide_elements(kernel)) {
        if elements > 0 {
            write.home = Home::Scratch(at);
            at += elements;
        }
    }
    Some(widened)
}

/// The pass that packs what a kernel left in scratch: a thread for each word.
pub(crate) fn pack(kernel: &Kernel, operands: &Operands, widened: &Operands) -> Text {
    let elements = wide_elements(kernel);
    let words = |n: usize| elements[n].div_ceil(per_word(operands.writes[n].dtype));
    let most = (0..elements.len()).map(words).max().unwrap_or(0);
    // What was written is read, under the same number.
    let reads = Operands { reads: widened.writes.clone(), ..operands.clone() };
    let mut shader = per_thread(most, &reads, THREADS);
    shader.call("pack", &[]);
    shader.about("packs what the pass before left".to_string());
    for n in (0..elements.len()).filter(|&n| elements[n] > 0) {
        let dtype = operands.writes[n].dtype;
        let (count, words) = (per_word(dtype), words(n));
        shader.about(format!("{} elements of {dtype}, {count} to a word", elements[n]));
        let value = |part: usize| format!("read{n}(i + {part})");
        let word = packed(dtype, &(0..count).map(value).collect::<Vec<_>>());
        shader.block(&format!("if (flat < {words}u)"), |shader| {
            shader.line(&format!("let i = i32(flat * {count}u);"));
            shader.line(&format!("write{n}_word(flat, {word});"));
        });
    }
    shader.finish()
}
