//! Begins shaders with one thread per element, or per item of another kind.
use super::shader::{LaunchBuffers, Shader};

/// Threads per workgroup: WebGPU's default limit.
pub(crate) const THREADS: usize = 256;

/// Begins a shader with one thread for each of `count` items; `flat` is the item's index.
pub(crate) fn per_thread<'a>(
    count: usize,
    buffers: &'a LaunchBuffers,
    max_threads: usize,
) -> Shader<'a> {
    numbered("flat", count, buffers, max_threads)
}

fn numbered<'a>(
    name: &str,
    count: usize,
    buffers: &'a LaunchBuffers,
    max_threads: usize,
) -> Shader<'a> {
    let threads = max_threads.min(count.next_power_of_two());
    let mut shader = Shader::new(buffers, threads, count.div_ceil(threads));
    shader.number_groups("number");
    shader.line(&format!("let {name} = number * {threads}u + local;"));
    if !count.is_multiple_of(threads) || count > 65_535 * threads {
        shader.line(&format!("if ({name} >= {count}u) {{ return; }}"));
    }
    shader
}

/// Begins a shader with one thread for each element, whose index is `flat`. If narrow elements
/// are stored, a thread takes all elements of a word.
pub(crate) fn per_element<'a>(
    elements: usize,
    buffers: &'a LaunchBuffers,
    max_threads: usize,
) -> Shader<'a> {
    let neighbours = buffers.max_per_word();
    if neighbours == 1 {
        return per_thread(elements, buffers, max_threads);
    }
    let mut shader = numbered("word", elements.div_ceil(neighbours), buffers, max_threads);
    shader.begin_words(elements, neighbours);
    shader
}
