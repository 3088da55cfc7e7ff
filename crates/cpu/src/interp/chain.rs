//! Chains: adjacent instructions of a stage that the JIT compiles to one vector loop, so that
//! intermediate values stay in vector registers. Chains are found when a kernel is prepared;
//! loads, and functions that the JIT does not support, remain single steps between chains. A chain
//! also starts the reductions of values that it reads or computes: along lanes in registers
//! (AVX-512 only, which has enough), along rows in a line of memory.
mod builder;
mod translate;

use super::prepare::{Instr, InstrKind, LoopOptions, MapOp, NO_REGISTER, Write};
use super::run::TileRunner;
use super::shape::Mode;
use super::stages::Stage;
use super::vector::Operand;
use crate::jit::{self, MachineCode, Trace, Value};
use crate::level::Level as Simd;
use crate::paths::{self, Path};
use brasa_compile::kernel::Granularity;
use builder::ChainBuilder;
use std::ops::Range;
use translate::translate;

/// Maximum number of operands of a chain.
const MAX_OPERANDS: usize = 64;

/// Instructions of a stage that run as one compiled loop.
pub(crate) struct Chain {
    /// The range of the stage's elements.
    pub(crate) members: Range<usize>,
    code: MachineCode,
    /// A variant that divides by these inputs through reciprocals, for divisors of moderate size.
    by_reciprocals: Option<(MachineCode, Vec<usize>)>,
    inputs: Vec<Input>,
    results: Vec<ChainResult>,
    /// The reductions that the chain starts, by their index in the stage.
    folds: Vec<usize>,
}

struct Input {
    instr: usize,
    is_vector: bool,
}

/// A value that is used outside the chain, and where it goes.
struct ChainResult {
    instr: usize,
    to: Destination,
}

enum Destination {
    Register,
    /// The buffer of a write, whose dtype is stored as registers hold it.
    Write(usize),
    /// The buffer of a write that these loads also read, if they point to the same elements;
    /// otherwise the register.
    InPlace {
        write: usize,
        loads: Vec<usize>,
    },
}

/// Properties of the loop that a chain is part of.
#[derive(Clone, Copy)]
pub(crate) struct LoopInfo<'a> {
    pub(crate) writes: &'a [Write],
    pub(crate) options: LoopOptions<'a>,
    pub(crate) mode: Mode,
    pub(crate) is_short: bool,
}

/// Builds the chains of all stages. Reorders elements so that members of a chain are adjacent.
pub(crate) fn build(instrs: &mut [Instr], stages: &mut [Stage], info: LoopInfo) {
    if Simd::jit() < Simd::Avx2 {
        return;
    }
    let can_join: Vec<bool> =
        (0..instrs.len()).map(|n| can_join(instrs, n, info.is_short)).collect();
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
                let builder = ChainBuilder::new(instrs, stages, info, s, members.clone());
                if let Some(chain) = builder.build() {
                    remove_chain_stores(instrs, &chain);
                    mark_chained_reductions(instrs, &stages[s], &chain);
                    stages[s].chains.push(chain);
                }
            }
            start = members.end;
        }
    }
    mark_internal_values(instrs, stages);
}

/// Assigns phases: even phases are steps, odd ones chains, and each instruction runs as early as
/// its arguments allow.
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

/// Whether the JIT supports an instruction.
fn can_join(instrs: &[Instr], n: usize, is_short: bool) -> bool {
    let instr = &instrs[n];
    let is_joined = match &instr.kind {
        // Short rows are processed many at a time, so per-row numbers must be broadcast
        // beforehand.
        InstrKind::Map { op, .. } => !(is_short && matches!(op, MapOp::Broadcast)),
        InstrKind::Unary(_) => true,
        _ => false,
    };
    let mut trace = Trace::new(Simd::jit());
    let args: Vec<Value> =
        instr.args.iter().map(|_| trace.operand(jit::OperandKind::Lanes)).collect();
    is_joined
        && instr.level == Granularity::PerElement
        && translate(instrs, n, &args, &mut trace).is_some()
}

/// Removes from instructions the stores that a chain does itself.
fn remove_chain_stores(instrs: &mut [Instr], chain: &Chain) {
    for result in &chain.results {
        if let Destination::Write(write) = result.to {
            instrs[result.instr].stores.retain(|&w| w != write);
            instrs[result.instr].is_direct = false;
        }
    }
}

/// Marks the reductions that a chain starts: their steps only finish them.
fn mark_chained_reductions(instrs: &mut [Instr], stage: &Stage, chain: &Chain) {
    for &fold in &chain.folds {
        if let InstrKind::Reduce { is_chained, .. } = &mut instrs[stage.reduces[fold]].kind {
            *is_chained = true;
        }
    }
}

/// Marks values that exist only inside chains. Values that a chain leaves in a register are not
/// written directly to a buffer by steps of other stages.
fn mark_internal_values(instrs: &mut [Instr], stages: &[Stage]) {
    for result in stages.iter().flat_map(|stage| &stage.chains).flat_map(|chain| &chain.results) {
        if !matches!(result.to, Destination::Write(_)) {
            instrs[result.instr].is_direct = false;
        }
    }
    let mut is_seen = vec![false; instrs.len()];
    let mut is_inside = vec![false; instrs.len()];
    for stage in stages {
        for (at, &n) in stage.elements.iter().enumerate() {
            let chain = stage.chains.iter().find(|chain| chain.members.contains(&at));
            let is_placed = |result: &ChainResult| {
                result.instr == n
                    && matches!(result.to, Destination::Register | Destination::InPlace { .. })
            };
            match chain {
                Some(chain) if !chain.results.iter().any(is_placed) => is_inside[n] = true,
                _ => is_seen[n] = true,
            }
        }
    }
    for (n, instr) in instrs.iter_mut().enumerate() {
        instr.is_chain_internal = is_inside[n] && !is_seen[n];
    }
}

impl TileRunner<'_> {
    /// Runs a chain on the current tile.
    ///
    /// # Safety
    /// As [`TileRunner::step`] for every member of the chain.
    pub(super) unsafe fn chain(&mut self, chain: &Chain, position: usize) {
        debug_assert!(self.has_registers(), "a tile of {:?}", self.full);
        let mut table = [Operand::NONE; MAX_OPERANDS];
        let (rows, lanes) = (self.full.rows, self.full.lanes);
        let mut is_whole = rows > 1 && chain.folds.is_empty();
        for (to, input) in table.iter_mut().zip(&chain.inputs) {
            *to = self.operand(input.instr, position);
            is_whole &= to.rows == if input.is_vector { 4 * lanes as isize } else { 0 };
        }
        let is_fit = |&divisor: &usize| {
            let is_inside = |n: usize| {
                // SAFETY: a divisor has an initialized number in each row.
                let by = unsafe { *table[divisor].row::<f32>(n) };
                (1e-30..1e30).contains(&by.abs())
            };
            (0..rows).all(is_inside)
        };
        let code = match &chain.by_reciprocals {
            Some((by_reciprocals, divisors)) if divisors.iter().all(is_fit) => {
                paths::hit(Path::ChainReciprocal);
                by_reciprocals
            }
            _ => &chain.code,
        };
        let mut can_stream = code.can_stream();
        for (to, result) in table[chain.inputs.len()..].iter_mut().zip(&chain.results) {
            *to = self.destination(result, position);
            if matches!(result.to, Destination::Write(w) if self.code.writes[w].is_streamed) {
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
            // Reductions along rows read and write their partial results.
            let times = if self.code.is_by_columns() { 2 } else { 1 };
            table[count..count + times].fill(self.chained(fold));
            count += times;
        }
        let table = &mut table[..count];
        // SAFETY: the caller meets the contract; chains are compiled for `Level::jit`, and the
        // table has an entry for each operand.
        unsafe { code.run(rows, lanes, table, can_stream) };
    }

    /// The memory for a result, where readers of the value will find it.
    fn destination(&mut self, result: &ChainResult, position: usize) -> Operand {
        let instr = &self.code.instrs[result.instr];
        let register = || {
            debug_assert_ne!(instr.register, NO_REGISTER, "the result of a chain has no register");
            self.register(instr, position)
        };
        let to = match &result.to {
            Destination::Register => register(),
            Destination::Write(write) => self.write_target(Granularity::PerElement, *write),
            Destination::InPlace { write, loads } => {
                let to = self.write_target(Granularity::PerElement, *write);
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
        self.values[result.instr] = to;
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

    /// The only kernel of a graph of two inputs of a shape.
    fn prepare(
        shape: &[usize],
        build: impl for<'g> Fn(&'g Recorder, [Expr<'g>; 2]) -> brasa_ir::Result<Expr<'g>>,
    ) -> Loop {
        let g = Recorder::default();
        let input = |name| g.input(name, Role::Data, Type::new(DType::F32, shape));
        let out = build(&g, [input("x"), input("y")]).expect("records").id();
        let program = g.read(|graph| compile(graph, &[out]));
        let [launch] = &program.launches[..] else { panic!("one kernel: {program}") };
        Loop::new(&launch.kernel.domain, &launch.kernel.code, LoopOptions::default())
    }

    fn chained(code: &Loop) -> usize {
        code.stages.iter().flat_map(|s| &s.chains).map(|chain| chain.members.len()).sum()
    }

    #[test]
    fn pointwise_work_is_one_loop_without_registers() {
        let code = prepare(&[64, 64], |g, [x, y]| {
            Ok(compose::gelu(g, x * y + x, compose::GeluForm::None)? * y)
        });
        if Simd::jit() < Simd::Avx2 {
            assert_eq!(chained(&code), 0);
            return;
        }
        assert_eq!(chained(&code), 3, "a fused product, gelu, a product");
        let chain = &code.stages[0].chains[0];
        assert_eq!((chain.inputs.len(), chain.results.len()), (2, 1));
        assert!(matches!(chain.results[0].to, Destination::Write(0)));
        let shown = code.instrs.iter().filter(|i| matches!(i.kind, InstrKind::Map { .. })).count();
        let hidden = code.instrs.iter().filter(|instr| instr.is_chain_internal).count();
        assert_eq!((shown, hidden), (2, 3));
    }

    #[test]
    fn chains_end_at_reductions() {
        let code = prepare(&[64, 200], |g, [x, y]| {
            let z = x * y + y;
            let sum = compose::sum(g, z, Some(vec![1]), true, None)?;
            Ok((z - sum) * y + x)
        });
        let counts: Vec<usize> = code.stages.iter().map(|stage| stage.chains.len()).collect();
        match Simd::jit() {
            Simd::Baseline => assert_eq!(counts, [0, 0]),
            // One step alone is not compiled to a chain.
            Simd::Avx2 => assert_eq!(counts, [0, 1]),
            Simd::Avx512 => {
                assert_eq!(counts, [1, 1]);
                assert_eq!(code.stages[0].chains[0].folds, [0], "the sum is part of the chain");
            }
        }
    }
}
