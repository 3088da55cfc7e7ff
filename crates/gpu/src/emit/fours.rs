//! Rows that lie in whole vectors: a thread walks them four elements at a time, which it reads and
//! writes as one. Sums are taken in the order of elements, as without vectors.
use super::code::Code;
use super::narrow::PARTS;
use super::quads::{all_loads, read_of};
use super::shader::{Home, Operand, Operands, Shader};
use brasa_compile::kernel::Level;

/// Code this long is not written four times, which takes compilers long.
const LONG_CODE: usize = 32;

/// What a kernel over rows reads as vectors; all that it writes for elements is written so.
pub(crate) struct Fours {
    loads: Vec<usize>,
}

impl Fours {
    pub(crate) fn new(code: &Code, operands: &Operands) -> Option<Fours> {
        let is_full = |n: &usize| code.steps()[*n].level == Level::Full;
        let lies = |n: usize| {
            let is_plain = operands.reads[read_of(code, n)].per_word() == 1;
            is_full(&n) && code.loads_by_fours(n) && is_plain
        };
        let home = |n: usize| operands.reads[read_of(code, n)].home;
        // A binding is one of vectors or one of words.
        let is_one_way = |n: usize| {
            let is_arena = matches!(home(n), Home::Arena(_));
            is_arena || all_loads(code).all(|other| home(other) != home(n) || lies(other))
        };
        let loads: Vec<usize> = all_loads(code).filter(|&n| lies(n) && is_one_way(n)).collect();
        let is_loaded = |operand: &Operand| loads.iter().any(|&n| home(n) == operand.home);
        let is_read = |operand: &Operand| all_loads(code).any(|n| home(n) == operand.home);
        let mut stores = code.kernel.code.stores.iter().enumerate();
        let fits = |(write, value): (usize, &brasa_compile::kernel::Ref)| {
            let operand = &operands.writes[write];
            let is_input = matches!(operand.home, Home::Input(_));
            match code.steps()[value.index()].level {
                Level::Row => !(is_input && is_loaded(operand)),
                Level::Full => {
                    let mixes = is_input && is_read(operand) && !is_loaded(operand);
                    code.stores_by_fours(write) && operand.per_word() == 1 && !mixes
                }
            }
        };
        let mut all = operands.reads.iter().chain(&operands.writes);
        let has_scratch = all.any(|operand| matches!(operand.home, Home::Scratch(_)));
        let is_short = code.steps().len() <= LONG_CODE;
        let is_plain = is_short && !has_scratch && operands.looks.is_empty();
        let fits = is_plain && !loads.is_empty() && stores.all(fits);
        fits.then_some(Fours { loads })
    }

    /// The buffers that are read by vectors.
    pub(crate) fn reads(&self, code: &Code) -> Vec<usize> {
        self.loads.iter().map(|&n| read_of(code, n)).collect()
    }

    /// Writes the code for the four elements from `element` on: the steps `wanted`, the stores of `stored`,
    /// and what `then` adds for each element.
    pub(crate) fn write(
        &self,
        shader: &mut Shader,
        code: &Code,
        operands: &Operands,
        wanted: &[usize],
        stored: &[usize],
        then: impl Fn(&mut Shader),
    ) {
        let is_loaded = |n: &&usize| self.loads.contains(n);
        let is_once = |n: &&usize| !self.loads.contains(n) && code.loads_once(**n);
        for &n in wanted.iter().filter(is_loaded) {
            let read = read_of(code, n);
            let vector = format!("read{read}_4({})", code.four(n));
            let elements = operands.quad(operands.reads[read].dtype, &vector, 0);
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
        let is_placed = |n: &usize| code.has_place(*n) && !is_loaded(&n) && !is_once(&n);
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
            shader.line(&format!("write{write}_4({}, y{write});", code.stored_four(*write)));
        }
    }
}
