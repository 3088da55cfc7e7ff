//! Compiles a trace to machine code: emits the function with its row and lane loops around the
//! code of one vector.
//!
//! A function takes the number of rows, the number of lanes and a table with the address and row
//! stride of each operand. Lanes that do not fill a vector are processed under a mask.
use super::asm::{
    self, Asm, Gpr, Jump, LaneMask, R11, RAX, RCX, RDI, RDX, RSI, RSP, Rm, VectorIsa,
};
use super::body::Body;
use super::code_memory::CodeMemory;
use super::trace::{BinaryOp, Op, OperandKind, Trace, Value};
use crate::interp;
use crate::level::Level;
use crate::paths::{self, Path};

/// A value that is written to an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) value: Value,
    pub(crate) operand: usize,
    /// Whether it is written after all operands of the same lanes have been read, so that it may
    /// overwrite them.
    pub(crate) is_late: bool,
    /// Whether it may use streaming stores, which bypass the caches.
    pub(crate) is_streamed: bool,
}

/// A reduction of the lanes of each row: lane `n` is added to running result `n` modulo
/// [`interp::RUNNING`], in order, and the running results are written to an operand. AVX-512 only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fold {
    pub(crate) value: Value,
    pub(crate) operand: usize,
    /// The operation that combines two values: a sum, maximum or minimum. NaN propagates.
    pub(crate) by: BinaryOp,
    /// The bits of the neutral element.
    pub(crate) neutral: u32,
}

/// Whether a reduction must check for NaN.
pub(super) fn needs_order(by: BinaryOp) -> bool {
    matches!(by, BinaryOp::Max | BinaryOp::Min)
}

type Entry = unsafe extern "sysv64" fn(rows: usize, lanes: usize, table: *mut interp::Operand);

/// A compiled loop in executable memory.
pub(crate) struct MachineCode {
    memory: CodeMemory,
    /// Offset of the variant with streaming stores.
    streamed: Option<usize>,
    level: Level,
    has_folds: bool,
    /// Number of operands, and those that streaming stores write.
    operands: usize,
    streamed_operands: Vec<usize>,
}

impl MachineCode {
    /// `None` if the system refuses executable memory.
    pub(crate) fn new(trace: &Trace, outputs: &[Output], folds: &[Fold]) -> Option<MachineCode> {
        let mut plan = LoopPlan::new(trace, outputs, folds);
        plan.hoist();
        let mut asm = Asm::new(plan.isa);
        plan.emit_function(&mut asm, false);
        let mut streamed = None;
        if outputs.iter().any(|output| output.is_streamed) {
            streamed = Some(asm.bytes.len());
            plan.emit_function(&mut asm, true);
        }
        let memory = CodeMemory::new(&asm.finish())?;
        let (level, has_folds) = (trace.level, !folds.is_empty());
        let operands = trace.operands();
        let is_streamed = outputs.iter().filter(|output| output.is_streamed);
        let streamed_operands = is_streamed.map(|output| output.operand).collect();
        Some(MachineCode { memory, streamed, level, has_folds, operands, streamed_operands })
    }

    pub(crate) fn can_stream(&self) -> bool {
        self.streamed.is_some()
    }

    /// Bytes of a vector: the alignment that streaming stores require.
    pub(crate) fn alignment(&self) -> usize {
        VectorIsa::of(self.level).bytes() as usize
    }

    /// Runs the loop over `rows` rows of `lanes` lanes. Overwrites the table.
    ///
    /// # Safety
    /// - Level: the loop's level is at most [`Level::jit`].
    /// - Bounds: the table has an entry for each operand of the trace, in order. An operand of
    ///   kind `Lanes` points to `rows` rows of `lanes` elements of 4 bytes, `rows` of the entry
    ///   bytes apart; `Row` to one such element per row; `Same` to one element; `Running` to
    ///   [`interp::RUNNING`] elements per row.
    /// - Initialization: all operands that are read are initialized.
    /// - Aliasing: a result overlaps no other operand, unless it is late and starts at the same
    ///   elements as an operand that is read, with the same row stride. No other thread accesses
    ///   the results.
    /// - Alignment: with `is_streamed`, every row of a streamed result starts at a multiple of
    ///   [`MachineCode::alignment`]. Other operands need no alignment.
    /// - Lifetime: all operands stay allocated during the call.
    pub(crate) unsafe fn run(
        &self,
        rows: usize,
        lanes: usize,
        table: &mut [interp::Operand],
        is_streamed: bool,
    ) {
        debug_assert!(table.len() >= self.operands, "the table has an entry per operand");
        debug_assert!(self.is_aligned(rows, table, is_streamed), "unaligned streaming stores");
        if rows == 0 || (lanes == 0 && !self.has_folds) {
            return;
        }
        #[cfg(feature = "emulate")]
        if self.level > Level::best() {
            // SAFETY: the caller meets the contract.
            return unsafe { self.emulate(rows, lanes, table, is_streamed) };
        }
        let offset = self.entry(is_streamed);
        // SAFETY: `memory` holds a function of this signature at `offset`, and the caller meets
        // the contract.
        unsafe {
            let entry: Entry = std::mem::transmute(self.memory.at(offset));
            entry(rows, lanes, table.as_mut_ptr());
        }
    }

    /// As [`MachineCode::run`], emulated, on any machine.
    ///
    /// # Safety
    /// As [`MachineCode::run`], but for any level.
    #[cfg(feature = "emulate")]
    pub(super) unsafe fn emulate(
        &self,
        rows: usize,
        lanes: usize,
        table: &mut [interp::Operand],
        is_streamed: bool,
    ) {
        let arguments = [rows, lanes, table.as_mut_ptr().expose_provenance()];
        let (code, entry) = (self.memory.bytes(), self.entry(is_streamed));
        // SAFETY: `memory` holds a function of this signature at `offset`, and the caller meets
        // the contract.
        unsafe { super::emulate::call(code, entry, arguments) };
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// Whether the rows of all streamed results are aligned.
    fn is_aligned(&self, rows: usize, table: &[interp::Operand], is_streamed: bool) -> bool {
        let is_aligned = |&n: &usize| {
            let stride = if rows > 1 { table[n].rows as usize } else { 0 };
            (table[n].ptr.addr() | stride).is_multiple_of(self.alignment())
        };
        !is_streamed || self.streamed.is_none() || self.streamed_operands.iter().all(is_aligned)
    }

    /// Offset of the function.
    fn entry(&self, is_streamed: bool) -> usize {
        self.streamed.filter(|_| is_streamed).unwrap_or(0)
    }
}

/// General registers for addresses of operands; further addresses are loaded from the table when
/// needed.
const ADDRESSES: [Gpr; 9] =
    [Gpr(8), Gpr(9), Gpr(10), Gpr(3), Gpr(5), Gpr(12), Gpr(13), Gpr(14), Gpr(15)];
/// Callee-saved registers.
const SAVED: [Gpr; 6] = [Gpr(3), Gpr(5), Gpr(12), Gpr(13), Gpr(14), Gpr(15)];

/// A vector register that is free between two vectors, for loops with reductions.
const SPARE: u8 = 0;
/// Number of vectors of running results per reduction.
const ACCUMULATORS: usize = interp::RUNNING / 16;

/// What is decided before code is emitted: uses, addresses, hoisted values and accumulators.
pub(super) struct LoopPlan<'a> {
    pub(super) isa: VectorIsa,
    pub(super) trace: &'a Trace,
    pub(super) outputs: &'a [Output],
    pub(super) folds: &'a [Fold],
    /// The operations that use each value, in order. The length of the trace stands for uses after
    /// all operations.
    pub(super) uses: Vec<Vec<usize>>,
    pub(super) addresses: Vec<Option<Gpr>>,
    /// Values that keep a register throughout the loop.
    pub(super) hoisted: Vec<Option<u8>>,
    /// The registers of the running results of each reduction.
    pub(super) running: Vec<[u8; ACCUMULATORS]>,
    /// Maximum number of spilled vectors.
    spilled: usize,
}

impl<'a> LoopPlan<'a> {
    pub(super) fn new(trace: &'a Trace, outputs: &'a [Output], folds: &'a [Fold]) -> LoopPlan<'a> {
        let count = trace.ops.len();
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); count];
        for output in outputs {
            let n = output.value.index();
            let is_late = output.is_late || trace.ops[n].is_leaf();
            uses[n].push(if is_late { count } else { n });
        }
        for fold in folds {
            let n = fold.value.index();
            uses[n].push(if trace.ops[n].is_leaf() { count } else { n });
        }
        for n in (0..count).rev() {
            if uses[n].is_empty() {
                continue;
            }
            trace.ops[n].args().for_each(|arg| uses[arg.index()].push(n));
        }
        uses.iter_mut().for_each(|uses| uses.sort_unstable());
        let mut addresses = vec![None; trace.operands.len()];
        let mut order: Vec<usize> = (0..addresses.len()).collect();
        order.sort_by_key(|&n| match trace.operands[n] {
            OperandKind::Lanes => 0,
            OperandKind::Row => 1,
            OperandKind::Same => 2,
            OperandKind::Running => 3,
        });
        order.iter().zip(ADDRESSES).for_each(|(&n, gpr)| addresses[n] = Some(gpr));
        let isa = VectorIsa::of(trace.level);
        assert!(isa.is_wide || folds.is_empty(), "reductions need AVX-512");
        let running = |n: usize| std::array::from_fn(|turn| (31 - ACCUMULATORS * n - turn) as u8);
        let running = (0..folds.len()).map(running).collect();
        let (hoisted, spilled) = (vec![None; count], 0);
        LoopPlan { isa, trace, outputs, folds, uses, addresses, hoisted, running, spilled }
    }

    /// Assigns registers that a trial pass leaves free to the numbers that are used most.
    pub(super) fn hoist(&mut self) {
        let vectors = self.isa.vectors;
        let running = self.running.iter().flatten().fold(1 << SPARE, |all, &n| all | 1 << n);
        let used = running | self.measure_registers();
        let mut numbers: Vec<usize> = (0..self.uses.len())
            .filter(|&n| self.is_number(n) && !self.uses[n].is_empty())
            .collect();
        numbers.sort_by_key(|&n| std::cmp::Reverse(self.uses[n].len()));
        // The allocator takes the lowest free registers first.
        let free = (0..32).rev().filter(|n| (vectors & !used) >> n & 1 == 1);
        for (&n, register) in numbers.iter().zip(free) {
            self.hoisted[n] = Some(register);
        }
        // Hoisted values change the forms of instructions, so the stack size is measured again.
        self.measure_registers();
    }

    /// Measures the stack size by trial passes; returns the registers that these use.
    fn measure_registers(&mut self) -> u64 {
        let mut used = 0;
        for lanes in [LaneSet::Full, LaneSet::Tail] {
            let mut body = Body::new(self, Asm::new(self.isa), lanes, false, 0);
            body.walk();
            used |= body.peak;
            self.spilled = body.spilled.max(self.spilled);
        }
        used
    }

    fn is_number(&self, n: usize) -> bool {
        match self.trace.ops[n] {
            Op::Number(_) => true,
            Op::Operand(k) => {
                matches!(self.trace.operands[k as usize], OperandKind::Row | OperandKind::Same)
            }
            _ => self.trace.hoistable_quotient(n).is_some(),
        }
    }

    /// Emits a function, padded to a multiple of 16 bytes.
    fn emit_function(&self, asm: &mut Asm, is_streamed: bool) {
        let saved: Vec<Gpr> = {
            let is_used = |gpr: &&Gpr| self.addresses.contains(&Some(**gpr));
            SAVED.iter().filter(is_used).copied().collect()
        };
        let stack = self.spilled as i32 * self.isa.bytes();
        saved.iter().for_each(|&gpr| asm.push(gpr));
        asm.add_number(RSP, -stack);
        self.prepare_tail_mask(asm);
        asm.copy(R11, RSI);
        asm.and_number(R11, -self.isa.lanes);
        self.load_hoisted(asm, false);

        let row = asm.label();
        asm.here(row);
        self.emit_row(asm, is_streamed);
        for (n, operand) in self.trace.operands.iter().enumerate() {
            if *operand != OperandKind::Same {
                asm.load(RCX, RDX, entry(n) + 8);
                asm.add_to_memory(RDX, entry(n), RCX);
            }
        }
        asm.add_number(RDI, -1);
        asm.jump(Jump::NotZero, row);

        asm.add_number(RSP, stack);
        saved.iter().rev().for_each(|&gpr| asm.pop(gpr));
        asm.leave();
        let len = asm.bytes.len().next_multiple_of(16);
        asm.bytes.resize(len, 0xcc);
    }

    /// Emits the mask of the last lanes of a row, of which there are fewer than a vector has.
    fn prepare_tail_mask(&self, asm: &mut Asm) {
        let VectorIsa { is_wide, lanes: in_vector, tail_mask: mask, .. } = self.isa;
        asm.copy(RAX, RSI);
        asm.and_number(RAX, in_vector - 1);
        match is_wide {
            true => {
                asm.clear(RCX);
                asm.add_number(RCX, -1);
                asm.vector(asm::LOW_BITS, RCX.0, RAX.0, Rm::Gpr(RCX), None);
                asm.vector(asm::MOVE_MASK, mask, 0, Rm::Gpr(RCX), None);
            }
            false => {
                asm.vector(asm::MOVE_WORD, mask, 0, Rm::Gpr(RAX), None);
                asm.vector(asm::BROADCAST, mask, 0, Rm::Vector(mask), None);
                asm.vector(asm::GT_INT, mask, mask, Rm::LaneIndex, None);
            }
        }
    }

    /// Emits the loop over the vectors of a row.
    fn emit_row(&self, asm: &mut Asm, is_streamed: bool) {
        let in_vector = self.isa.lanes;
        let [lanes, rest, end] = [0; 3].map(|_| asm.label());
        for (n, address) in self.addresses.iter().enumerate() {
            if let Some(gpr) = *address {
                asm.load(gpr, RDX, entry(n));
            }
        }
        self.load_hoisted(asm, true);
        for (fold, running) in self.folds.iter().zip(&self.running) {
            running
                .iter()
                .for_each(|&to| asm.load_value(LaneMask::All, to, Rm::Const(fold.neutral)));
        }
        asm.clear(RAX);
        if !self.folds.is_empty() {
            self.accumulator_loop(asm, is_streamed);
        }
        asm.compare(RAX, R11);
        asm.jump(Jump::AtLeast, rest);
        asm.here(lanes);
        self.emit_body(asm, LaneSet::Full, is_streamed, 0);
        self.rotate_accumulators(asm);
        asm.add_number(RAX, in_vector);
        asm.compare(RAX, R11);
        asm.jump(Jump::Below, lanes);
        asm.here(rest);
        asm.compare(RAX, RSI);
        asm.jump(Jump::AtLeast, end);
        self.emit_body(asm, LaneSet::Tail, false, 0);
        self.rotate_accumulators(asm);
        asm.add_number(RAX, in_vector);
        asm.here(end);
        if !self.folds.is_empty() {
            self.store_running(asm);
        }
    }

    /// Emits a loop whose body processes one vector per accumulator of a reduction.
    fn accumulator_loop(&self, asm: &mut Asm, is_streamed: bool) {
        let [lanes, end] = [0; 2].map(|_| asm.label());
        let all = interp::RUNNING as i32;
        asm.copy(RCX, RSI);
        asm.and_number(RCX, -all);
        asm.jump(Jump::Zero, end);
        asm.here(lanes);
        for turn in 0..ACCUMULATORS {
            asm.displacement = turn as i32 * self.isa.bytes();
            self.emit_body(asm, LaneSet::Full, is_streamed, turn);
        }
        asm.displacement = 0;
        asm.add_number(RAX, all);
        asm.copy(RCX, RSI);
        asm.and_number(RCX, -all);
        asm.compare(RAX, RCX);
        asm.jump(Jump::Below, lanes);
        asm.here(end);
    }

    /// Emits a rotation of the accumulators: the next one of each reduction becomes the first.
    fn rotate_accumulators(&self, asm: &mut Asm) {
        let mut copy = |to: u8, from: u8| asm.vector(asm::LOAD, to, 0, Rm::Vector(from), None);
        for running in &self.running {
            copy(SPARE, running[0]);
            running.windows(2).for_each(|pair| copy(pair[0], pair[1]));
            copy(running[ACCUMULATORS - 1], SPARE);
        }
    }

    /// Emits stores of the running results of a row, after rotating the first one back to the
    /// front.
    fn store_running(&self, asm: &mut Asm) {
        let [turn, end] = [0; 2].map(|_| asm.label());
        let VectorIsa { lanes, .. } = self.isa;
        let left = |asm: &mut Asm| {
            asm.copy(RCX, RAX);
            asm.and_number(RCX, interp::RUNNING as i32 - lanes);
        };
        left(asm);
        asm.jump(Jump::Zero, end);
        asm.here(turn);
        self.rotate_accumulators(asm);
        asm.add_number(RAX, lanes);
        left(asm);
        asm.jump(Jump::NotZero, turn);
        asm.here(end);
        for (fold, running) in self.folds.iter().zip(&self.running) {
            asm.load(RCX, RDX, entry(fold.operand));
            for (n, &from) in running.iter().enumerate() {
                let to = Rm::Memory(RCX, n as i32 * self.isa.bytes());
                asm.vector(asm::STORE, from, 0, to, None);
            }
        }
    }

    fn emit_body(&self, asm: &mut Asm, lanes: LaneSet, is_streamed: bool, turn: usize) {
        let code = std::mem::replace(asm, Asm::new(self.isa));
        let mut body = Body::new(self, code, lanes, is_streamed, turn);
        body.walk();
        assert!(body.spilled <= self.spilled, "the stack has a slot for every spilled vector");
        *asm = body.asm;
    }

    /// Emits loads of hoisted numbers: those that are the same for all rows, or those of a row.
    fn load_hoisted(&self, asm: &mut Asm, of_row: bool) {
        for (n, register) in self.hoisted.iter().enumerate() {
            let Some(register) = *register else { continue };
            if self.is_of_row(n) != of_row {
                continue;
            }
            match self.trace.hoistable_quotient(n) {
                Some((a, by)) => {
                    if of_row && !self.is_of_row(by.index()) {
                        paths::hit(Path::ChainRowQuotient);
                    }
                    let from = self.number(asm, a.index());
                    asm.load_value(LaneMask::All, register, from);
                    let by = self.number(asm, by.index());
                    asm.vector(asm::DIV, register, register, by, None);
                }
                None => {
                    let from = self.number(asm, n);
                    asm.load_value(LaneMask::All, register, from);
                }
            }
        }
    }

    /// Whether a hoisted number may differ from row to row: it does if any of its operands does.
    pub(super) fn is_of_row(&self, n: usize) -> bool {
        match self.trace.ops[n] {
            Op::Operand(k) => self.trace.operands[k as usize] == OperandKind::Row,
            op => op.args().any(|arg| self.is_of_row(arg.index())),
        }
    }

    /// The memory operand of a number for all lanes.
    fn number(&self, asm: &mut Asm, n: usize) -> Rm {
        match self.trace.ops[n] {
            Op::Number(bits) => Rm::Const(bits),
            Op::Operand(k) => {
                asm.load(RCX, RDX, entry(k as usize));
                Rm::Broadcast(RCX)
            }
            _ => unreachable!("only numbers are hoisted"),
        }
    }
}

/// Offset of an operand's entry in the table.
pub(super) fn entry(n: usize) -> i32 {
    16 * n as i32
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneSet {
    Full,
    Tail,
}
