//! How shaders begin that have a thread for each element, or for each of other things.
use super::shader::{Operands, Shader};

/// Threads of a workgroup, as many as WebGPU promises.
pub(crate) const THREADS: usize = 256;

/// Begins a shader with a thread for each of so many things, whose number is `flat`.
pub(crate) fn per_thread<'a>(
    count: usize,
    operands: &'a Operands,
    most_threads: usize,
) -> Shader<'a> {
    numbered("flat", count, operands, most_threads)
}

fn numbered<'a>(
    name: &str,
    count: usize,
    operands: &'a Operands,
    most_threads: usize,
) -> Shader<'a> {
    let threads = most_threads.min(count.next_power_of_two());
    let mut shader = Shader::new(operands, threads, count.div_ceil(threads));
    shader.number_groups("number");
    shader.line(&format!("let {name} = number * {threads}u + local;"));
    if !count.is_multiple_of(threads) || count > 65_535 * threads {
        shader.line(&format!("if ({name} >= {count}u) {{ return; }}"));
    }
    shader
}

/// Begins a shader with a thread for each element of the domain, whose number is `flat`; or, where
/// narrow elements are written, for all of a word.
pub(crate) fn per_element<'a>(
    elements: usize,
    operands: &'a Operands,
    most_threads: usize,
) -> Shader<'a> {
    let neighbours = operands.most_per_word();
    if neighbours == 1 {
        return per_thread(elements, operands, most_threads);
    }
    let mut shader = numbered("word", elements.div_ceil(neighbours), operands, most_threads);
    shader.begin_words(elements, neighbours);
    shader
}
