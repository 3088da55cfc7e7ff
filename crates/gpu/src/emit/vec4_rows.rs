//! Reductions over rows of whole vectors: a thread loads and stores four elements at a time as a
//! vec4. The order of sums is the same as without vectors.
use super::code::Code;
use super::narrow::PARTS;
use super::shader::{LaunchBuffer, LaunchBuffers, Location, Shader};
use super::vec4_map::{all_loads, read_of};
use brasa_compile::kernel::Granularity;

/// Code of more steps is not unrolled four times: compilers take long for it.
const LONG_CODE: usize = 32;

/// The loads that are vec4 in a kernel with reductions; all its per-element stores are.
pub(crate) struct Vec4Rows {
    loads: Vec<usize>,
}

impl Vec4Rows {
    pub(crate) fn new(code: &Code, buffers: &LaunchBuffers) -> Option<Vec4Rows> {
        let is_full = |n: &usize| code.steps()[*n].granularity == Granularity::PerElement;
        let lies = |n: usize| {
            let is_plain = buffers.reads[read_of(code, n)].per_word() == 1;
            is_full(&n) && code.loads_vec4(n) && is_plain
        };
        let location = |n: usize| buffers.reads[read_of(code, n)].location;
        // A binding is either an array of vectors or one of words.
        let is_one_way = |n: usize| {
            let is_arena = matches!(location(n), Location::Arena(_));
            is_arena || all_loads(code).all(|other| location(other) != location(n) || lies(other))
        };
        let loads: Vec<usize> = all_loads(code).filter(|&n| lies(n) && is_one_way(n)).collect();
        let is_loaded =
            |buffer: &LaunchBuffer| loads.iter().any(|&n| location(n) == buffer.location);
        let is_read =
            |buffer: &LaunchBuffer| all_loads(code).any(|n| location(n) == buffer.location);
        let mut stores = code.kernel.code.stores.iter().enumerate();
        let fits = |(write, value): (usize, &brasa_compile::kernel::Ref)| {
            let buffer = &buffers.writes[write];
            let is_input = matches!(buffer.location, Location::Input(_));
            match code.steps()[value.index()].granularity {
                Granularity::PerRow => !(is_input && is_loaded(buffer)),
                Granularity::PerElement => {
                    let mixes = is_input && is_read(buffer) && !is_loaded(buffer);
                    code.stores_vec4(write) && buffer.per_word() == 1 && !mixes
                }
            }
        };
        let mut all = buffers.reads.iter().chain(&buffers.writes);
        let has_scratch = all.any(|buffer| matches!(buffer.location, Location::Scratch(_)));
        let is_short = code.steps().len() <= LONG_CODE;
        let is_plain = is_short && !has_scratch && buffers.bounds_checks.is_empty();
        let fits = is_plain && !loads.is_empty() && stores.all(fits);
        fits.then_some(Vec4Rows { loads })
    }

    /// The buffers that are loaded as vec4.
    pub(crate) fn reads(&self, code: &Code) -> Vec<usize> {
        self.loads.iter().map(|&n| read_of(code, n)).collect()
    }

    /// Emits the code for four elements from `element` on: the steps `wanted`, the stores of
    /// `stored`, and `then` for each element.
    pub(crate) fn write(
        &self,
        shader: &mut Shader,
        code: &Code,
        buffers: &LaunchBuffers,
        wanted: &[usize],
        stored: &[usize],
        then: impl Fn(&mut Shader),
    ) {
        let is_loaded = |n: &&usize| self.loads.contains(n);
        let is_once = |n: &&usize| !self.loads.contains(n) && code.is_broadcast_load(**n);
        for &n in wanted.iter().filter(is_loaded) {
            let read = read_of(code, n);
            let vector = format!("read{read}_4({})", code.vec4_index(n));
            let elements = buffers.vec4(buffers.reads[read].dtype, &vector, 0);
            shader.line(&format!("let x{n} = {elements};"));
        }
        for &n in wanted.iter().filter(is_once) {
            code.step(shader, n, None);
        }
        let stores = code.kernel.code.stores.iter().enumerate();
        let writes: Vec<(usize, usize)> =
            stores.map(|(w, n)| (w, n.index())).filter(|(_, n)| stored.contains(n)).collect();
        for (write, n) in &writes {
            shader.line(&format!("var y{write}: vec4<{}>;", code.class(*n).wgsl()));
        }
        let axes = &code.space.axes;
        let is_placed = |n: &usize| code.depends_on_index(*n) && !is_loaded(&n) && !is_once(&n);
        let has_places = wanted.iter().any(is_placed);
        for (lane, part) in PARTS.into_iter().enumerate() {
            shader.block("", |shader| {
                if has_places && lane > 0 {
                    let last = axes.len() - 1;
                    shader.line(&format!("let i{last} = i{last} + {lane};"));
                }
                for &n in wanted {
                    match is_loaded(&&n) {
                        true => shader.line(&format!("let v{n} = x{n}.{part};")),
                        false if is_once(&&n) => {}
                        false => code.step(shader, n, None),
                    }
                }
                for (write, n) in &writes {
                    shader.line(&format!("y{write}.{part} = {};", code.value(*n)));
                }
                then(shader);
            });
        }
        for (write, _) in &writes {
            shader.line(&format!("write{write}_4({}, y{write});", code.stored_vec4_index(*write)));
        }
    }
}
