//! Narrow dtypes: a word holds two f16 or bf16, or four u8 or i8, as on the host. Loads unpack
//! words. Stores follow one rule: **a word has one writer, which writes all of it.**
//!
//! - Maps, gathers and epilogues of CPU ops have one thread per element; for narrow results a
//!   thread computes all elements of a word, or of a vector of words.
//! - All other kernels store elements in an order of their own: one word per element in scratch
//!   ([`Location::Scratch`]), which a final pass packs.
//!
//! A bool takes a word: most are masks that products and reductions store as a second result,
//! each of which would cost a packing pass (2026-11-16: 17 dispatches instead of 14 for a step of
//! W1).
use super::code::class;
use super::loops::has_reductions;
use super::scalar::Class;
use super::shader::{LaunchBuffer, LaunchBuffers, Location, ShaderText, from_word};
use super::threads::{THREADS, per_thread};
use super::{own_scratch, runs_on_cpu};
use brasa_compile::kernel::{Body, Kernel};
use brasa_ir::DType;
use brasa_ir::ops::Op;

/// The components of a vector.
pub(crate) const PARTS: [&str; 4] = ["x", "y", "z", "w"];

/// The number of elements in a word.
pub(crate) fn per_word(dtype: DType) -> usize {
    match dtype {
        DType::F16 | DType::BF16 => 2,
        DType::U8 | DType::I8 => 4,
        _ => 1,
    }
}

impl LaunchBuffer {
    /// The number of elements in a word: one in scratch, whatever the dtype.
    pub(crate) fn per_word(&self) -> usize {
        match self.location {
            Location::Scratch(_) => 1,
            _ => per_word(self.dtype),
        }
    }
}

impl LaunchBuffers {
    /// The largest number of elements in a word over all writes.
    pub(crate) fn max_per_word(&self) -> usize {
        self.writes.iter().map(LaunchBuffer::per_word).max().unwrap_or(1)
    }

    /// Unpacks element `i` of a buffer from `word`, the word that holds it.
    pub(crate) fn element(&self, dtype: DType, word: &str, i: &str) -> String {
        let count = per_word(dtype);
        self.part(dtype, word, &format!("({i} % {count}u * {}u)", 32 / count))
    }

    /// Unpacks the element at bit `bit` of a word.
    fn part(&self, dtype: DType, word: &str, bit: &str) -> String {
        match dtype {
            DType::F16 => self.f16(&format!("{word} >> {bit}")),
            DType::BF16 => format!("bf16_of({word} >> {bit})"),
            DType::U8 => format!("i32(extractBits({word}, {bit}, 8u))"),
            DType::I8 => format!("extractBits(bitcast<i32>({word}), {bit}, 8u)"),
            _ => from_word(class(dtype), word),
        }
    }

    /// Unpacks the f16 in the lower half of a word. Exact both ways; a built-in does it where the
    /// adapter supports f16.
    fn f16(&self, word: &str) -> String {
        match self.has_f16 {
            true => format!("unpack2x16float({word}).x"),
            false => format!("f16_of({word})"),
        }
    }

    /// The `quad`-th group of four elements from a `vector` of words.
    pub(crate) fn vec4(&self, dtype: DType, vector: &str, quad: usize) -> String {
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

/// Converts a value to the lowest bits of a word.
pub(crate) fn bits(dtype: DType, value: &str) -> String {
    match dtype {
        DType::F16 => format!("f16_bits({value})"),
        DType::BF16 => format!("bf16_bits({value})"),
        _ => format!("byte_bits({value})"),
    }
}

/// Packs neighbouring values into a word.
pub(crate) fn pack_word(dtype: DType, values: &[String]) -> String {
    let parts: Vec<String> = values.iter().map(|value| bits(dtype, value)).collect();
    let join = if per_word(dtype) == 2 { "halves" } else { "bytes" };
    format!("{join}({})", parts.join(", "))
}

/// Whether a thread of the kernel can compute all elements of a word.
fn is_by_words(kernel: &Kernel) -> bool {
    match &kernel.body {
        Body::Loop => !has_reductions(kernel),
        Body::Library { op, .. } => runs_on_cpu(op) || matches!(op, Op::Gather(_)),
    }
}

/// For each write, the number of elements that go through scratch.
fn wide_elements(kernel: &Kernel) -> Vec<usize> {
    let elements = |value: &brasa_compile::kernel::Ref| {
        let step = &kernel.code.steps[value.index()];
        let is_wide = per_word(step.dtype) > 1 && !is_by_words(kernel);
        if is_wide { kernel.domain.elements(step.granularity) } else { 0 }
    };
    kernel.code.stores.iter().map(elements).collect()
}

/// The scratch words for narrow results.
pub(crate) fn scratch(kernel: &Kernel) -> usize {
    wide_elements(kernel).iter().sum()
}

/// The buffers of a kernel with narrow results redirected to scratch; `None` if it has none to
/// redirect.
pub(crate) fn widened(kernel: &Kernel, buffers: &LaunchBuffers) -> Option<LaunchBuffers> {
    let wide = scratch(kernel);
    if wide == 0 {
        return None;
    }
    let mut widened = buffers.clone();
    widened.scratch_words -= wide.min(widened.scratch_words);
    let mut at = own_scratch(kernel, buffers.device_traits(), widened.scratch_words);
    for (write, elements) in widened.writes.iter_mut().zip(wide_elements(kernel)) {
        if elements > 0 {
            write.location = Location::Scratch(at);
            at += elements;
        }
    }
    Some(widened)
}

/// The pass that packs narrow results from scratch, one thread per word.
pub(crate) fn pack(
    kernel: &Kernel,
    buffers: &LaunchBuffers,
    widened: &LaunchBuffers,
) -> ShaderText {
    let elements = wide_elements(kernel);
    let words = |n: usize| elements[n].div_ceil(per_word(buffers.writes[n].dtype));
    let most = (0..elements.len()).map(words).max().unwrap_or(0);
    // The writes of the kernel are the reads of this pass, with the same numbers.
    let reads = LaunchBuffers { reads: widened.writes.clone(), ..buffers.clone() };
    let mut shader = per_thread(most, &reads, THREADS);
    shader.set_name("pack", &[]);
    shader.comment("packs what the pass before left".to_string());
    for n in (0..elements.len()).filter(|&n| elements[n] > 0) {
        let dtype = buffers.writes[n].dtype;
        let (count, words) = (per_word(dtype), words(n));
        shader.comment(format!("{} elements of {dtype}, {count} to a word", elements[n]));
        let value = |part: usize| format!("read{n}(i + {part})");
        let word = pack_word(dtype, &(0..count).map(value).collect::<Vec<_>>());
        shader.block(&format!("if (flat < {words}u)"), |shader| {
            shader.line(&format!("let i = i32(flat * {count}u);"));
            shader.line(&format!("write{n}_word(flat, {word});"));
        });
    }
    shader.finish()
}
