//! From the list of operations to machine code: a function around the work on one vector.
//!
//! A function is called with the number of rows, the number of lanes and a table that has the first
//! element and the bytes from row to row of each operand. Lanes that do not fill a vector are done
//! under a mask.
use super::asm::{self, Asm, Gpr, Jump, Machine, R11, RAX, RCX, RDI, RDX, RSI, RSP, Rm, Under};
use super::body::Body;
use super::memory::Executable;
use super::trace::{Op, Operand, Trace, Two, Value};
use crate::interp;
use crate::level::Level;
use crate::paths::{self, Path};

/// A value that is written to an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) value: Value,
    pub(crate) operand: usize,
    /// Whether it is written after everything of the same lanes has been read.
    pub(crate) is_late: bool,
    /// Whether it may go around the caches.
    pub(crate) is_streamed: bool,
}

/// A reduction of the lanes of each row: lane `n` is added to running result `n` modulo
/// [`interp::RUNNING`], in order, and these go to an operand. For AVX-512 alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fold {
    pub(crate) value: Value,
    pub(crate) operand: usize,
    /// What joins two values: a sum, maximum or minimum. NaN wins.
    pub(crate) by: Two,
    /// Leaves every value as it is.
    pub(crate) neutral: u32,
}

/// Whether a reduction has to look for NaN.
pub(super) fn needs_order(by: Two) -> bool {
    matches!(by, Two::Max | Two::Min)
}

type Entry = unsafe extern "sysv64" fn(rows: usize, lanes: usize, table: *mut interp::Operand);

/// A finished loop.
pub(crate) struct Code {
    memory: Executable,
    /// Where the form begins that writes around the caches.
    streamed: Option<usize>,
    level: Level,
    has_folds: bool,
}

impl Code {
    /// None where the system allows no code.
    pub(crate) fn new(trace: &Trace, outputs: &[Output], folds: &[Fold]) -> Option<Code> {
        let mut plan = Plan::new(trace, outputs, folds);
        plan.hoist();
        let mut asm = Asm::new(plan.machine);
        plan.function(&mut asm, false);
        let mut streamed = None;
        if outputs.iter().any(|output| output.is_streamed) {
            streamed = Some(asm.bytes.len());
            plan.function(&mut asm, true);
        }
        let memory = Executable::new(&asm.finish())?;
        let (level, has_folds) = (trace.level, !folds.is_empty());
        Some(Code { memory, streamed, level, has_folds })
    }

    pub(crate) fn can_stream(&self) -> bool {
        self.streamed.is_some()
    }

    /// Bytes of a vector, whose multiples are what may be written around the caches.
    pub(crate) fn alignment(&self) -> usize {
        Machine::of(self.level).bytes() as usize
    }

    /// Runs the loop over some rows. The table is lost.
    ///
    /// # Safety
    /// The level of the loop is at most [`Level::loops`]. The table has an entry for each operand, which is valid for
    /// these rows and lanes, or has [`interp::RUNNING`] results for each row; a result overlaps no other operand, or is late and the same as others. What is
    /// written around the caches begins at multiples of [`Code::alignment`] in every row.
    pub(crate) unsafe fn run(
        &self,
        rows: usize,
        lanes: usize,
        table: &mut [interp::Operand],
        is_streamed: bool,
    ) {
        if rows == 0 || (lanes == 0 && !self.has_folds) {
            return;
        }
        #[cfg(feature = "emulate")]
        if self.level > Level::best() {
            // SAFETY: promised by the caller.
            return unsafe { self.emulate(rows, lanes, table, is_streamed) };
        }
        let offset = self.entry(is_streamed);
        // SAFETY: the memory holds such a function, and the caller promises the rest.
        unsafe {
            let entry: Entry = std::mem::transmute(self.memory.at(offset));
            entry(rows, lanes, table.as_mut_ptr());
        }
    }

    /// As [`Code::run`], on any machine.
    ///
    /// # Safety
    /// As that, whatever the level.
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
        // SAFETY: the memory holds such a function, and the caller promises the rest.
        unsafe { super::emulate::call(code, entry, arguments) };
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// Where the function begins.
    fn entry(&self, is_streamed: bool) -> usize {
        self.streamed.filter(|_| is_streamed).unwrap_or(0)
    }
}

/// Registers for the addresses of operands; further ones are looked up when needed.
const ADDRESSES: [Gpr; 9] =
    [Gpr(8), Gpr(9), Gpr(10), Gpr(3), Gpr(5), Gpr(12), Gpr(13), Gpr(14), Gpr(15)];
/// Those of them, and others, that a caller expects back.
const SAVED: [Gpr; 6] = [Gpr(3), Gpr(5), Gpr(12), Gpr(13), Gpr(14), Gpr(15)];

/// A register that holds nothing between two vectors, for loops with reductions.
const SPARE: u8 = 0;
/// Vectors of running results.
const TURNS: usize = interp::RUNNING / 16;

/// What is known before any code is written.
pub(super) struct Plan<'a> {
    pub(super) machine: Machine,
    pub(super) trace: &'a Trace,
    pub(super) outputs: &'a [Output],
    pub(super) folds: &'a [Fold],
    /// Where each value is used, in order; the end of the list is behind all operations.
    pub(super) uses: Vec<Vec<usize>>,
    pub(super) addresses: Vec<Option<Gpr>>,
    /// Values that have a register for all of the loop.
    pub(super) hoisted: Vec<Option<u8>>,
    /// The registers of the running results of each reduction, in turn.
    pub(super) running: Vec<[u8; TURNS]>,
    /// Vectors that are kept on the stack, at most.
    spilled: usize,
}

impl<'a> Plan<'a> {
    pub(super) fn new(trace: &'a Trace, outputs: &'a [Output], folds: &'a [Fold]) -> Plan<'a> {
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
            Operand::Lanes => 0,
            Operand::Row => 1,
            Operand::Same => 2,
            Operand::Running => 3,
        });
        order.iter().zip(ADDRESSES).for_each(|(&n, gpr)| addresses[n] = Some(gpr));
        let machine = Machine::of(trace.level);
        assert!(machine.is_wide || folds.is_empty(), "reductions are for AVX-512");
        let running = |n: usize| std::array::from_fn(|turn| (31 - TURNS * n - turn) as u8);
        let running = (0..folds.len()).map(running).collect();
        let (hoisted, spilled) = (vec![None; count], 0);
        Plan { machine, trace, outputs, folds, uses, addresses, hoisted, running, spilled }
    }

    /// Gives registers that a first walk leaves free to numbers that are used often.
    pub(super) fn hoist(&mut self) {
        let vectors = self.machine.vectors;
        let running = self.running.iter().flatten().fold(1 << SPARE, |all, &n| all | 1 << n);
        let used = running | self.try_bodies();
        let mut numbers: Vec<usize> = (0..self.uses.len())
            .filter(|&n| self.is_number(n) && !self.uses[n].is_empty())
            .collect();
        numbers.sort_by_key(|&n| std::cmp::Reverse(self.uses[n].len()));
        // Walks take the lowest registers that are free.
        let free = (0..32).rev().filter(|n| (vectors & !used) >> n & 1 == 1);
        for (&n, register) in numbers.iter().zip(free) {
            self.hoisted[n] = Some(register);
        }
        // What is held now leads to other forms of instructions.
        self.try_bodies();
    }

    /// Finds how many vectors are kept on the stack; returns the registers that are used.
    fn try_bodies(&mut self) -> u64 {
        let mut used = 0;
        for lanes in [Lanes::All, Lanes::Rest] {
            let mut body = Body::new(self, Asm::new(self.machine), lanes, false, 0);
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
                matches!(self.trace.operands[k as usize], Operand::Row | Operand::Same)
            }
            _ => self.trace.once(n).is_some(),
        }
    }

    /// Writes a function; the next one begins at a multiple of 16 bytes.
    fn function(&self, asm: &mut Asm, is_streamed: bool) {
        let saved: Vec<Gpr> = {
            let is_used = |gpr: &&Gpr| self.addresses.contains(&Some(**gpr));
            SAVED.iter().filter(is_used).copied().collect()
        };
        let Machine { is_wide, lanes: in_vector, rest: mask, .. } = self.machine;
        let stack = self.spilled as i32 * self.machine.bytes();
        saved.iter().for_each(|&gpr| asm.push(gpr));
        asm.add_number(RSP, -stack);
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
                asm.vector(asm::SPREAD, mask, 0, Rm::Vector(mask), None);
                asm.vector(asm::GT_INT, mask, mask, Rm::Count, None);
            }
        }
        asm.copy(R11, RSI);
        asm.and_number(R11, -in_vector);
        self.load_hoisted(asm, false);

        let [row, lanes, rest, end] = [0; 4].map(|_| asm.label());
        asm.here(row);
        for (n, address) in self.addresses.iter().enumerate() {
            if let Some(gpr) = *address {
                asm.load(gpr, RDX, entry(n));
            }
        }
        self.load_hoisted(asm, true);
        for (fold, running) in self.folds.iter().zip(&self.running) {
            running.iter().for_each(|&to| asm.bring(Under::All, to, Rm::Number(fold.neutral)));
        }
        asm.clear(RAX);
        if !self.folds.is_empty() {
            self.turns(asm, is_streamed);
        }
        asm.compare(RAX, R11);
        asm.jump(Jump::AtLeast, rest);
        asm.here(lanes);
        self.body(asm, Lanes::All, is_streamed, 0);
        self.turn(asm);
        asm.add_number(RAX, in_vector);
        asm.compare(RAX, R11);
        asm.jump(Jump::Below, lanes);
        asm.here(rest);
        asm.compare(RAX, RSI);
        asm.jump(Jump::AtLeast, end);
        self.body(asm, Lanes::Rest, false, 0);
        self.turn(asm);
        asm.add_number(RAX, in_vector);
        asm.here(end);
        if !self.folds.is_empty() {
            self.store_running(asm);
        }
        for (n, operand) in self.trace.operands.iter().enumerate() {
            if *operand != Operand::Same {
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

    /// A loop over as many vectors as a reduction has running results.
    fn turns(&self, asm: &mut Asm, is_streamed: bool) {
        let [lanes, end] = [0; 2].map(|_| asm.label());
        let all = interp::RUNNING as i32;
        asm.copy(RCX, RSI);
        asm.and_number(RCX, -all);
        asm.jump(Jump::Zero, end);
        asm.here(lanes);
        for turn in 0..TURNS {
            asm.ahead = turn as i32 * self.machine.bytes();
            self.body(asm, Lanes::All, is_streamed, turn);
        }
        asm.ahead = 0;
        asm.add_number(RAX, all);
        asm.copy(RCX, RSI);
        asm.and_number(RCX, -all);
        asm.compare(RAX, RCX);
        asm.jump(Jump::Below, lanes);
        asm.here(end);
    }

    /// The next running results of each reduction become the first.
    fn turn(&self, asm: &mut Asm) {
        let mut copy = |to: u8, from: u8| asm.vector(asm::LOAD, to, 0, Rm::Vector(from), None);
        for running in &self.running {
            copy(SPARE, running[0]);
            running.windows(2).for_each(|pair| copy(pair[0], pair[1]));
            copy(running[TURNS - 1], SPARE);
        }
    }

    /// Writes the running results of a row, the first again being the first.
    fn store_running(&self, asm: &mut Asm) {
        let [turn, end] = [0; 2].map(|_| asm.label());
        let Machine { lanes, .. } = self.machine;
        let left = |asm: &mut Asm| {
            asm.copy(RCX, RAX);
            asm.and_number(RCX, interp::RUNNING as i32 - lanes);
        };
        left(asm);
        asm.jump(Jump::Zero, end);
        asm.here(turn);
        self.turn(asm);
        asm.add_number(RAX, lanes);
        left(asm);
        asm.jump(Jump::NotZero, turn);
        asm.here(end);
        for (fold, running) in self.folds.iter().zip(&self.running) {
            asm.load(RCX, RDX, entry(fold.operand));
            for (n, &from) in running.iter().enumerate() {
                let to = Rm::At(RCX, n as i32 * self.machine.bytes());
                asm.vector(asm::STORE, from, 0, to, None);
            }
        }
    }

    fn body(&self, asm: &mut Asm, lanes: Lanes, is_streamed: bool, turn: usize) {
        let code = std::mem::replace(asm, Asm::new(self.machine));
        let mut body = Body::new(self, code, lanes, is_streamed, turn);
        body.walk();
        assert!(body.spilled <= self.spilled, "the stack has all vectors");
        *asm = body.asm;
    }

    /// Loads hoisted numbers: those that are the same for all rows, or those of a row.
    fn load_hoisted(&self, asm: &mut Asm, of_row: bool) {
        for (n, register) in self.hoisted.iter().enumerate() {
            let Some(register) = *register else { continue };
            if self.is_of_row(n) != of_row {
                continue;
            }
            match self.trace.once(n) {
                Some((a, by)) => {
                    if of_row && !self.is_of_row(by.index()) {
                        paths::hit(Path::ChainRowQuotient);
                    }
                    let from = self.number(asm, a.index());
                    asm.bring(Under::All, register, from);
                    let by = self.number(asm, by.index());
                    asm.vector(asm::DIV, register, register, by, None);
                }
                None => {
                    let from = self.number(asm, n);
                    asm.bring(Under::All, register, from);
                }
            }
        }
    }

    /// Whether a hoisted number can differ from row to row: so it is if anything that it is made of does.
    pub(super) fn is_of_row(&self, n: usize) -> bool {
        match self.trace.ops[n] {
            Op::Operand(k) => self.trace.operands[k as usize] == Operand::Row,
            op => op.args().any(|arg| self.is_of_row(arg.index())),
        }
    }

    /// Where a number for all lanes lies in memory.
    fn number(&self, asm: &mut Asm, n: usize) -> Rm {
        match self.trace.ops[n] {
            Op::Number(bits) => Rm::Number(bits),
            Op::Operand(k) => {
                asm.load(RCX, RDX, entry(k as usize));
                Rm::One(RCX)
            }
            _ => unreachable!("only numbers are hoisted"),
        }
    }
}

/// Where an operand's address stands in the table.
pub(super) fn entry(n: usize) -> i32 {
    16 * n as i32
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    All,
    Rest,
}
