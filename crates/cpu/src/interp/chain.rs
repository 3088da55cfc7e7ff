//! Chains: instructions of a stage that are joined to one loop over vectors, so that what they hand
//! to each other never leaves the registers. Chains are found when a kernel is prepared; loads, and
//! functions that the loop cannot have, stay steps of their own between chains. A chain also begins the
//! reductions of what it reads and makes: those of lanes in the registers of AVX-512, which suffice, those
//! of rows in a line of memory.
mod draft;
mod translate;

use super::prepare::{Instr, Kind, Meaning, NO_REGISTER, Setting, Write};
use super::run::Thread;
use super::shape::Mode;
use super::stages::Stage;
use super::vector::Operand;
use crate::jit::{self, Code, Trace, Value};
use crate::level::Level as Simd;
use crate::paths::{self, Path};
use brasa_compile::kernel::Level;
use draft::Draft;
use std::ops::Range;
use translate::translate;

/// Operands of a chain, at most.
const MOST: usize = 64;

/// Instructions of a stage that run as one.
pub(crate) struct Chain {
    /// Which of the stage's elements they are.
    pub(crate) members: Range<usize>,
    code: Code,
    /// The same where these inputs are fit to be divided by through their reciprocals.
    quick: Option<(Code, Vec<usize>)>,
    inputs: Vec<Input>,
    results: Vec<Made>,
    /// Reductions that it begins, by their numbers in the stage.
    folds: Vec<usize>,
}

struct Input {
    instr: usize,
    is_vector: bool,
}

/// A value that others need, and where it goes.
struct Made {
    instr: usize,
    to: To,
}

enum To {
    Register,
    /// The memory of a write, in the form of registers.
    Write(usize),
    /// The memory of a write that is also read, if these loads find the same elements there; else the
    /// register.
    InPlace {
        write: usize,
        loads: Vec<usize>,
    },
}

/// What the kernel around a chain is like.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) writes: &'a [Write],
    pub(crate) setting: Setting<'a>,
    pub(crate) mode: Mode,
    pub(crate) is_short: bool,
}

/// Finds the chains of all stages. Elements are put into an order in which members are neighbours.
pub(crate) fn find(instrs: &mut [Instr], stages: &mut [Stage], around: Around) {
    if Simd::loops() < Simd::Avx2 {
        return;
    }
    let can_join: Vec<bool> =
        (0..instrs.len()).map(|n| can_join(instrs, n, around.is_short)).collect();
    for s in 0..stages.len() {
        let phases = phases(instrs, &stages[s].elements, &can_join);
        stages[s].elements.sort_by_key(|&n| (phases[n], n));
        let elements = stages[s].elements.clone();
        let mut start = 0;
        while start < elements.len() {
            let phase = phases[elements[start]];
            let same = elements[start..].iter().take_while(|&&n| phases[n] == phase).count();
            let members = start..start + same;
            if phase % 2 == 1 {
                let draft = Draft::new(instrs, stages, around, s, members.clone());
                if let Some(chain) = draft.build() {
                    take_stores(instrs, &chain);
                    take_folds(instrs, &stages[s], &chain);
                    stages[s].chains.push(chain);
                }
            }
            start = members.end;
        }
    }
    hide(instrs, stages);
}

/// Steps and chains take turns: even phases are steps, odd ones chains, and each runs as early as its
/// arguments allow.
fn phases(instrs: &[Instr], elements: &[usize], can_join: &[bool]) -> Vec<usize> {
    let mut phases = vec![0; instrs.len()];
    let mut is_here = vec![false; instrs.len()];
    elements.iter().for_each(|&n| is_here[n] = true);
    for &n in elements {
        let after = |&arg: &usize| phases[arg] + usize::from(can_join[arg] != can_join[n]);
        let args = instrs[n].args.iter().filter(|&&arg| is_here[arg]);
        phases[n] = args.map(after).max().unwrap_or(0).max(usize::from(can_join[n]));
    }
    phases
}

/// Whether a chain can have an instruction.
fn can_join(instrs: &[Instr], n: usize, is_short: bool) -> bool {
    let instr = &instrs[n];
    let is_joined = match &instr.kind {
        // Short rows are done many at a time, for which numbers of rows must have been spread.
        Kind::Map { meaning, .. } => !(is_short && matches!(meaning, Meaning::Spread)),
        Kind::Unary(_) => true,
        _ => false,
    };
    let mut trace = Trace::new(Simd::loops());
    let args: Vec<Value> = instr.args.iter().map(|_| trace.operand(jit::Operand::Lanes)).collect();
    is_joined && instr.level == Level::Full && translate(instrs, n, &args, &mut trace).is_some()
}

/// The stores that a chain makes by itself are no longer those of its instructions.
fn take_stores(instrs: &mut [Instr], chain: &Chain) {
    for made in &chain.results {
        if let To::Write(write) = made.to {
            instrs[made.instr].stores.retain(|&w| w != write);
            instrs[made.instr].is_direct = false;
        }
    }
}

/// The reductions that a chain begins have to but end.
fn take_folds(instrs: &mut [Instr], stage: &Stage, chain: &Chain) {
    for &fold in &chain.folds {
        if let Kind::Reduce { is_chained, .. } = &mut instrs[stage.reduces[fold]].kind {
            *is_chained = true;
        }
    }
}

/// Notes which values never lie in a register. What a chain leaves in one is not written straight to
/// memory by the steps of other stages.
fn hide(instrs: &mut [Instr], stages: &[Stage]) {
    for made in stages.iter().flat_map(|stage| &stage.chains).flat_map(|chain| &chain.results) {
        if !matches!(made.to, To::Write(_)) {
            instrs[made.instr].is_direct = false;
        }
    }
    let mut is_seen = vec![false; instrs.len()];
    let mut is_inside = vec![false; instrs.len()];
    for stage in stages {
        for (at, &n) in stage.elements.iter().enumerate() {
            let chain = stage.chains.iter().find(|chain| chain.members.contains(&at));
            let is_placed = |made: &Made| {
                made.instr == n && matches!(made.to, To::Register | To::InPlace { .. })
            };
            match chain {
                Some(chain) if !chain.results.iter().any(is_placed) => is_inside[n] = true,
                _ => is_seen[n] = true,
            }
        }
    }
    for (n, instr) in instrs.iter_mut().enumerate() {
        instr.is_hidden = is_inside[n] && !is_seen[n];
    }
}

impl Thread<'_> {
    /// Runs a chain on the current tile.
    ///
    /// # Safety
    /// As [`Thread::step`].
    pub(super) unsafe fn chain(&mut self, chain: &Chain, position: usize) {
        let mut table = [Operand::NONE; MOST];
        let (rows, lanes) = (self.full.rows, self.full.lanes);
        let mut is_whole = rows > 1 && chain.folds.is_empty();
        for (to, input) in table.iter_mut().zip(&chain.inputs) {
            *to = self.operand(input.instr, position);
            is_whole &= to.rows == if input.is_vector { 4 * lanes as isize } else { 0 };
        }
        let is_fit = |&divisor: &usize| {
            let is_inside = |n: usize| {
                // SAFETY: there is a number for each row.
                let by = unsafe { *table[divisor].row::<f32>(n) };
                (1e-30..1e30).contains(&by.abs())
            };
            (0..rows).all(is_inside)
        };
        let code = match &chain.quick {
            Some((quick, divisors)) if divisors.iter().all(is_fit) => {
                paths::hit(Path::ChainReciprocal);
                quick
            }
            _ => &chain.code,
        };
        let mut can_stream = code.can_stream();
        for (to, made) in table[chain.inputs.len()..].iter_mut().zip(&chain.results) {
            *to = self.place_of(made, position);
            if matches!(made.to, To::Write(w) if self.code.writes[w].is_streamed) {
                can_stream &= (to.ptr.addr() | to.rows as usize).is_multiple_of(code.alignment());
            }
            is_whole &= to.rows == 4 * lanes as isize;
        }
        paths::hit(match chain.folds.is_empty() {
            true if is_whole => Path::ChainWhole,
            true => Path::Chain,
            false if self.code.is_by_columns() => Path::ChainFoldColumns,
            false => Path::ChainFoldLanes,
        });
        let (rows, lanes) = if is_whole { (1, rows * lanes) } else { (rows, lanes) };
        let mut count = chain.inputs.len() + chain.results.len();
        for &fold in &chain.folds {
            // Sums of rows are read and written.
            let times = if self.code.is_by_columns() { 2 } else { 1 };
            table[count..count + times].fill(self.chained(fold));
            count += times;
        }
        let table = &mut table[..count];
        // SAFETY: promised by the caller; chains are made for the level of loops.
        unsafe { code.run(rows, lanes, table, can_stream) };
    }

    /// The memory for a result; readers of the value will look there.
    fn place_of(&mut self, made: &Made, position: usize) -> Operand {
        let instr = &self.code.instrs[made.instr];
        let register = || {
            debug_assert_ne!(instr.register, NO_REGISTER, "a chain leaves a value in no register");
            self.register(instr, position)
        };
        let to = match &made.to {
            To::Register => register(),
            To::Write(write) => self.target(Level::Full, *write),
            To::InPlace { write, loads } => {
                let to = self.target(Level::Full, *write);
                let is_same = |&load: &usize| {
                    let from = self.operand(load, position);
                    from.ptr == to.ptr && (from.rows == to.rows || self.full.rows == 1)
                };
                let is_in_place = loads.iter().all(is_same);
                if is_in_place {
                    paths::hit(Path::ChainInPlace);
                }
                if is_in_place { to } else { register() }
            }
        };
        self.values[made.instr] = to;
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::Loop;
    use brasa_compile::compile;
    use brasa_ir::ops::Role;
    use brasa_ir::{DType, Expr, Recorder, Type, compose};

    /// The one kernel of some work on inputs of a shape.
    fn prepare(
        shape: &[usize],
        build: impl for<'g> Fn(&'g Recorder, [Expr<'g>; 2]) -> brasa_ir::Result<Expr<'g>>,
    ) -> Loop {
        let g = Recorder::default();
        let input = |name| g.input(name, Role::Data, Type::new(DType::F32, shape));
        let out = build(&g, [input("x"), input("y")]).expect("records").id();
        let program = g.read(|graph| compile(graph, &[out]));
        let [launch] = &program.launches[..] else { panic!("one kernel: {program}") };
        Loop::new(&launch.kernel.domain, &launch.kernel.code, Setting::default())
    }

    fn chained(code: &Loop) -> usize {
        code.stages.iter().flat_map(|s| &s.chains).map(|chain| chain.members.len()).sum()
    }

    #[test]
    fn pointwise_work_is_one_loop_without_registers() {
        let code = prepare(&[64, 64], |g, [x, y]| {
            Ok(compose::gelu(g, x * y + x, compose::GeluForm::None)? * y)
        });
        if Simd::loops() < Simd::Avx2 {
            assert_eq!(chained(&code), 0);
            return;
        }
        assert_eq!(chained(&code), 3, "a fused product, gelu, a product");
        let chain = &code.stages[0].chains[0];
        assert_eq!((chain.inputs.len(), chain.results.len()), (2, 1));
        assert!(matches!(chain.results[0].to, To::Write(0)));
        let shown = code.instrs.iter().filter(|i| matches!(i.kind, Kind::Map { .. })).count();
        let hidden = code.instrs.iter().filter(|instr| instr.is_hidden).count();
        assert_eq!((shown, hidden), (2, 3));
    }

    #[test]
    fn reductions_cut_chains() {
        let code = prepare(&[64, 200], |g, [x, y]| {
            let z = x * y + y;
            let sum = compose::sum(g, z, Some(vec![1]), true, None)?;
            Ok((z - sum) * y + x)
        });
        let counts: Vec<usize> = code.stages.iter().map(|stage| stage.chains.len()).collect();
        match Simd::loops() {
            Simd::Baseline => assert_eq!(counts, [0, 0]),
            // One step makes no chain.
            Simd::Avx2 => assert_eq!(counts, [0, 1]),
            Simd::Avx512 => {
                assert_eq!(counts, [1, 1]);
                assert_eq!(code.stages[0].chains[0].folds, [0], "the sum is part of the chain");
            }
        }
    }
}
