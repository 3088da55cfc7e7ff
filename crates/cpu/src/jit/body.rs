//! Code generation for one vector: a linear scan over the trace that allocates registers. When
//! registers run out, the value whose next use is furthest is evicted; values that memory still
//! holds are not spilled.
use super::asm::{self, Asm, Gpr, LaneMask, Opcode, RCX, RDX, RSP, Rm, VectorIsa};
use super::emit::{LaneSet, LoopPlan, Output, entry, needs_order};
use super::trace::{BinaryOp, Compare, Fused, Op, OperandKind, UnaryOp, Value};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Location {
    Nowhere,
    Register(u8),
    Stack(usize),
}

/// Generates the code of one vector by one pass over the trace.
pub(super) struct Body<'a> {
    plan: &'a LoopPlan<'a>,
    pub(super) asm: Asm,
    lanes: LaneSet,
    is_streamed: bool,
    /// Index of the running result of each reduction that this vector is added to.
    accumulator: usize,
    location: Vec<Location>,
    /// Bit sets of registers: free ones, those used by the current operation, and all that were
    /// ever used.
    free: u64,
    pinned: u64,
    pub(super) peak: u64,
    /// Which stack slots are in use, and how many were in use at most.
    on_stack: Vec<bool>,
    pub(super) spilled: usize,
    at: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(
        plan: &'a LoopPlan<'a>,
        asm: Asm,
        lanes: LaneSet,
        is_streamed: bool,
        accumulator: usize,
    ) -> Body<'a> {
        let taken = plan.hoisted.iter().flatten().chain(plan.running.iter().flatten());
        let taken = taken.fold(0, |all, &n| all | 1 << n);
        let VectorIsa { vectors, masks, .. } = plan.isa;
        Body {
            plan,
            asm,
            lanes,
            is_streamed,
            accumulator,
            location: vec![Location::Nowhere; plan.trace.ops.len()],
            free: (vectors | masks) & !taken,
            pinned: 0,
            peak: 0,
            on_stack: Vec::new(),
            spilled: 0,
            at: 0,
        }
    }

    pub(super) fn walk(&mut self) {
        let plan = self.plan;
        for (at, op) in plan.trace.ops.iter().enumerate() {
            if op.is_leaf() || plan.uses[at].is_empty() {
                continue;
            }
            self.at = at;
            self.pinned = 0;
            if plan.hoisted[at].is_none() {
                self.operation(op);
            }
            op.args().for_each(|arg| self.release(arg));
            self.fold(at);
            self.store(at, |output| !output.is_late);
        }
        self.at = plan.trace.ops.len();
        let is_leaf = |&n: &usize| plan.trace.ops[n].is_leaf();
        // Late results may overwrite leaves, so all leaves are read first.
        (0..self.at).filter(is_leaf).for_each(|n| self.fold(n));
        (0..self.at).filter(is_leaf).for_each(|n| self.store(n, |_| true));
        (0..self.at).filter(|n| !is_leaf(n)).for_each(|n| self.store(n, |output| output.is_late));
    }

    /// Writes a value to those of its operands that `is_selected` selects.
    fn store(&mut self, n: usize, is_selected: impl Fn(&Output) -> bool) {
        let value = Value(n as u32);
        let plan = self.plan;
        for output in plan.outputs.iter().filter(|o| o.value == value && is_selected(o)) {
            self.pinned = 0;
            let from = self.register(value);
            let to = Rm::Elements(self.address(output.operand));
            let VectorIsa { is_wide, tail_mask, .. } = plan.isa;
            match self.lanes {
                LaneSet::Tail if is_wide => {
                    self.asm.masked(LaneMask::Merging(tail_mask), asm::STORE, from, 0, to, None);
                }
                LaneSet::Tail => self.asm.vector(asm::STORE_MASKED, from, tail_mask, to, None),
                LaneSet::Full => {
                    let is_streamed = output.is_streamed && self.is_streamed;
                    let op = if is_streamed { asm::STREAM } else { asm::STORE };
                    self.asm.vector(op, from, 0, to, None);
                }
            }
        }
        self.release(value);
    }

    /// Adds a value to the running results of the reductions that use it.
    fn fold(&mut self, n: usize) {
        let plan = self.plan;
        let value = Value(n as u32);
        for (fold, running) in
            plan.folds.iter().zip(&plan.running).filter(|(f, _)| f.value == value)
        {
            self.pinned = 0;
            let to = running[self.accumulator];
            let x = self.last_operand(value);
            let mut lane_mask = match self.lanes {
                LaneSet::Full => LaneMask::All,
                LaneSet::Tail => LaneMask::Merging(plan.isa.tail_mask),
            };
            let (op, _, _) = encode_binary(fold.by, plan.isa.is_wide);
            if needs_order(fold.by) {
                // A running result that is NaN stays NaN.
                let mask = self.new_register(plan.isa.masks);
                self.asm.masked(lane_mask, asm::COMPARE, mask, to, Rm::Vector(to), Some(ORDERED));
                self.free |= 1 << mask;
                lane_mask = LaneMask::Merging(mask);
            }
            self.asm.masked(lane_mask, op, to, to, x, None);
        }
    }

    fn operation(&mut self, op: &Op) {
        match *op {
            Op::Operand(_) | Op::Number(_) => {}
            Op::Unary(one, x) => self.unary(one, x),
            Op::Binary(two, a, b) => {
                let is_wide = self.plan.isa.is_wide;
                let (op, is_symmetric, immediate) = encode_binary(two, is_wide);
                let is_swapped = is_symmetric && !self.in_register(a) && self.in_register(b);
                let (a, b) = if is_swapped { (b, a) } else { (a, b) };
                let a = self.register(a);
                let b = self.last_operand(b);
                self.result(|asm, to| {
                    asm.vector(op, to, a, b, immediate);
                    if is_inverted(two) && !is_wide {
                        asm.vector(asm::XOR, to, to, Rm::Const(u32::MAX), None);
                    }
                });
            }
            Op::Fused(fused, a, b, c) => self.fused(fused, a, b, c),
            Op::Flag(mask) => {
                let (mask, one) = (self.register(mask), Rm::Const(1));
                match self.plan.isa.is_wide {
                    true => self.result(|asm, to| asm.load_value(LaneMask::Zeroing(mask), to, one)),
                    false => self.result(|asm, to| asm.vector(asm::AND, to, mask, one, None)),
                }
            }
            Op::Select(mask, yes, no) => self.select(mask, yes, no),
        }
    }

    fn select(&mut self, mask: Value, yes: Value, no: Value) {
        let (trace, is_wide) = (self.plan.trace, self.plan.isa.is_wide);
        let mask = self.register(mask);
        if trace.is_zero(no) {
            let yes = self.last_operand(yes);
            return self.result(|asm, to| match is_wide {
                true => asm.load_value(LaneMask::Zeroing(mask), to, yes),
                false => asm.vector(asm::AND, to, mask, yes, None),
            });
        }
        if trace.is_zero(yes) && !is_wide {
            let no = self.last_operand(no);
            return self.result(|asm, to| asm.vector(asm::AND_NOT, to, mask, no, None));
        }
        let no = self.register(no);
        let yes = self.last_operand(yes);
        self.result(|asm, to| match is_wide {
            true => asm.masked(LaneMask::Merging(mask), asm::BLEND_MASKED, to, no, yes, None),
            false => asm.vector(asm::BLEND, to, no, yes, Some(mask << 4)),
        });
    }

    fn unary(&mut self, one: UnaryOp, x: Value) {
        if let UnaryOp::ShiftLeft(by) | UnaryOp::ShiftRight(by) = one {
            let direction = if matches!(one, UnaryOp::ShiftLeft(_)) { 6 } else { 4 };
            let x = Rm::Vector(self.register(x));
            self.result(|asm, to| asm.vector(asm::SHIFT, direction, to, x, Some(by)));
            return;
        }
        let (op, immediate) = match one {
            UnaryOp::Sqrt => (asm::SQRT, None),
            UnaryOp::Round => (asm::ROUND, Some(0x08)),
            UnaryOp::Floor => (asm::ROUND, Some(0x09)),
            UnaryOp::Ceil => (asm::ROUND, Some(0x0a)),
            UnaryOp::Trunc => (asm::ROUND, Some(0x0b)),
            UnaryOp::ToFloat => (asm::TO_FLOAT, None),
            UnaryOp::Reciprocal => (asm::RECIPROCAL, None),
            UnaryOp::Exponent => (asm::EXPONENT, None),
            UnaryOp::Mantissa => (asm::MANTISSA, Some(0)),
            UnaryOp::ShiftLeft(_) | UnaryOp::ShiftRight(_) => unreachable!("done above"),
        };
        let x = self.last_operand(x);
        self.result(|asm, to| asm.vector(op, to, 0, x, immediate));
    }

    /// `a · b + c`. The instruction overwrites one of the three operands, and one may lie in
    /// memory. Prefers to overwrite a value that is not used again.
    fn fused(&mut self, kind: Fused, a: Value, b: Value, c: Value) {
        let kind = match kind {
            Fused::Add => 0,
            Fused::Sub => 2,
            Fused::From => 4,
        };
        let (to, first, last, form) = if !self.in_register(c) && self.is_memory_operand(c) {
            let (kept, lost) = if self.is_last_use(b) { (a, b) } else { (b, a) };
            let kept = self.register(kept);
            let (to, c) = self.take_with_operand(lost, c);
            (to, kept, c, asm::FORM_213)
        } else {
            // A factor in memory must be the last operand.
            let (a, b) = if self.in_register(a) || !self.in_register(b) { (a, b) } else { (b, a) };
            let is_lost = |body: &Self, x: Value| body.in_register(x) && body.is_last_use(x);
            if is_lost(self, c) || !(is_lost(self, a) || is_lost(self, b)) {
                let a = self.register(a);
                let (to, b) = self.take_with_operand(c, b);
                (to, a, b, asm::FORM_231)
            } else {
                let (a, b) = if is_lost(self, a) { (a, b) } else { (b, a) };
                let c = self.register(c);
                let (to, b) = self.take_with_operand(a, b);
                (to, c, b, asm::FORM_132)
            }
        };
        self.asm.vector(asm::fused(form, kind), to, first, last, None);
        self.location[self.at] = Location::Register(to);
    }

    /// Whether a value is in a register.
    fn in_register(&self, value: Value) -> bool {
        let n = value.index();
        self.plan.hoisted[n].is_some() || matches!(self.location[n], Location::Register(_))
    }

    /// Whether an instruction can use a value as a memory operand.
    fn is_memory_operand(&self, value: Value) -> bool {
        let n = value.index();
        match self.plan.trace.ops[n] {
            Op::Number(_) => true,
            Op::Operand(k) => {
                let can_be = match self.plan.trace.operands[k as usize] {
                    OperandKind::Lanes => self.lanes == LaneSet::Full,
                    _ => self.plan.isa.is_wide,
                };
                can_be && self.is_last_use(value)
            }
            _ => matches!(self.location[n], Location::Stack(_)),
        }
    }

    /// Whether the current operation is the last use of a value.
    fn is_last_use(&self, value: Value) -> bool {
        let n = value.index();
        self.plan.hoisted[n].is_none() && self.plan.uses[n].last() == Some(&self.at)
    }

    /// The register of a value; loads the value if it is elsewhere.
    fn register(&mut self, value: Value) -> u8 {
        let n = value.index();
        if let Some(register) = self.plan.hoisted[n] {
            return register;
        }
        if let Location::Register(register) = self.location[n] {
            self.pinned |= 1 << register;
            return register;
        }
        let to = self.new_register(self.class(n));
        self.pinned |= 1 << to;
        let from = self.memory(value);
        let VectorIsa { is_wide, tail_mask, .. } = self.plan.isa;
        match from {
            _ if asm::is_mask(to) => self.asm.vector(asm::LOAD_MASK, to, 0, from, None),
            Rm::Elements(_) if self.lanes == LaneSet::Tail => match is_wide {
                true => self.asm.load_value(LaneMask::Zeroing(tail_mask), to, from),
                false => self.asm.vector(asm::LOAD_MASKED, to, tail_mask, from, None),
            },
            _ => self.asm.load_value(LaneMask::All, to, from),
        }
        if let Location::Stack(slot) = self.location[n] {
            self.on_stack[slot] = false;
        }
        self.location[n] = Location::Register(to);
        to
    }

    /// The registers that an operation's result may use.
    fn class(&self, n: usize) -> u64 {
        let VectorIsa { vectors, masks, .. } = self.plan.isa;
        if self.plan.trace.ops[n].is_mask() { masks } else { vectors }
    }

    /// The memory operand of a value that is not in a register.
    fn memory(&mut self, value: Value) -> Rm {
        match (self.plan.trace.ops[value.index()], self.location[value.index()]) {
            (_, Location::Stack(slot)) => self.on_stack(slot),
            (Op::Number(bits), _) => Rm::Const(bits),
            (Op::Operand(k), _) => {
                let base = self.address(k as usize);
                match self.plan.trace.operands[k as usize] {
                    OperandKind::Lanes => Rm::Elements(base),
                    _ => Rm::Broadcast(base),
                }
            }
            _ => unreachable!("values are computed before they are used"),
        }
    }

    /// A value as the last operand of an instruction, from memory if possible. No other value may
    /// be loaded after it.
    fn last_operand(&mut self, value: Value) -> Rm {
        match self.in_register(value) || !self.is_memory_operand(value) {
            true => Rm::Vector(self.register(value)),
            false => self.memory(value),
        }
    }

    /// A register with a copy of the value that may be overwritten: its own register at the last
    /// use.
    fn take_register(&mut self, value: Value) -> u8 {
        let from = self.register(value);
        if self.is_last_use(value) {
            self.location[value.index()] = Location::Nowhere;
            return from;
        }
        let to = self.new_register(self.plan.isa.vectors);
        self.pinned |= 1 << to;
        self.asm.vector(asm::LOAD, to, 0, Rm::Vector(from), None);
        to
    }

    /// As [`Body::take_register`], together with another value as the last operand; both may be
    /// the same value.
    fn take_with_operand(&mut self, value: Value, last: Value) -> (u8, Rm) {
        let in_register = value == last || self.in_register(last);
        let held = in_register.then(|| Rm::Vector(self.register(last)));
        let to = self.take_register(value);
        (to, held.unwrap_or_else(|| self.last_operand(last)))
    }

    /// Emits an instruction whose result is that of the current operation; it may overwrite
    /// operands that are not used again.
    fn result(&mut self, write: impl FnOnce(&mut Asm, u8)) {
        let plan = self.plan;
        for arg in plan.trace.ops[self.at].args() {
            // Operands on the stack are not read yet: their slots must not be reused by a spill
            // for the result.
            if let Location::Register(_) = self.location[arg.index()] {
                self.release(arg);
            }
        }
        let to = self.new_register(self.class(self.at));
        write(&mut self.asm, to);
        self.location[self.at] = Location::Register(to);
    }

    /// Frees the register or stack slot of a value that has no further use.
    fn release(&mut self, value: Value) {
        let n = value.index();
        let is_needed = self.plan.uses[n].last().is_some_and(|&last| last > self.at);
        if is_needed {
            return;
        }
        match std::mem::replace(&mut self.location[n], Location::Nowhere) {
            Location::Register(register) => {
                self.free |= 1 << register;
                self.pinned &= !(1 << register);
            }
            Location::Stack(slot) => self.on_stack[slot] = false,
            Location::Nowhere => {}
        }
    }

    fn new_register(&mut self, class: u64) -> u8 {
        if self.free & class == 0 {
            self.evict(class);
        }
        let register = (self.free & class).trailing_zeros() as u8;
        self.free &= !(1 << register);
        self.peak |= 1 << register;
        register
    }

    /// Evicts the value whose next use is furthest.
    fn evict(&mut self, class: u64) {
        let plan = self.plan;
        let next = |n: usize| plan.uses[n].iter().find(|&&at| at >= self.at).copied();
        let can_go = class & !self.pinned;
        let held = (0..self.location.len()).filter_map(|n| match self.location[n] {
            Location::Register(register) if can_go >> register & 1 == 1 => Some((n, register)),
            _ => None,
        });
        // An operation uses at most four registers, and hoisted numbers leave more than that.
        let (n, register) = held.max_by_key(|&(n, _)| next(n)).expect("a register can be evicted");
        self.location[n] = match plan.trace.ops[n].is_leaf() {
            true => Location::Nowhere,
            false => Location::Stack(self.spill(register)),
        };
        self.free |= 1 << register;
    }

    /// Spills a register to the stack.
    fn spill(&mut self, register: u8) -> usize {
        let slot = self.on_stack.iter().position(|is_used| !is_used).unwrap_or_else(|| {
            self.on_stack.push(false);
            self.on_stack.len() - 1
        });
        self.on_stack[slot] = true;
        self.spilled = self.spilled.max(slot + 1);
        let op = if asm::is_mask(register) { asm::STORE_MASK } else { asm::STORE };
        self.asm.vector(op, register, 0, self.on_stack(slot), None);
        slot
    }

    fn on_stack(&self, slot: usize) -> Rm {
        Rm::Memory(RSP, slot as i32 * self.plan.isa.bytes())
    }

    /// The register with an operand's address; loads it if it has none of its own.
    fn address(&mut self, operand: usize) -> Gpr {
        match self.plan.addresses[operand] {
            Some(gpr) => gpr,
            None => {
                self.asm.load(RCX, RDX, entry(operand));
                RCX
            }
        }
    }
}

/// The comparison predicate that is true unless either operand is NaN.
const ORDERED: u8 = 0x07;

/// Whether AVX2 has only the opposite of a comparison.
fn is_inverted(two: BinaryOp) -> bool {
    matches!(two, BinaryOp::CompareInt(Compare::Ne | Compare::Le))
}

/// The opcode of an operation, whether its operands commute, and its immediate.
fn encode_binary(two: BinaryOp, is_wide: bool) -> (Opcode, bool, Option<u8>) {
    let (op, is_symmetric) = match two {
        BinaryOp::Add => (asm::ADD, true),
        BinaryOp::Sub => (asm::SUB, false),
        BinaryOp::Mul => (asm::MUL, true),
        BinaryOp::Div => (asm::DIV, false),
        BinaryOp::Min => (asm::MIN, false),
        BinaryOp::Max => (asm::MAX, false),
        BinaryOp::And => (asm::AND, true),
        BinaryOp::Or => (asm::OR, true),
        BinaryOp::Xor => (asm::XOR, true),
        BinaryOp::AddInt => (asm::ADD_INT, true),
        BinaryOp::SubInt => (asm::SUB_INT, false),
        BinaryOp::MulInt => (asm::MUL_INT, true),
        BinaryOp::MinInt => (asm::MIN_INT, true),
        BinaryOp::MaxInt => (asm::MAX_INT, true),
        BinaryOp::Scale => (asm::SCALE, false),
        BinaryOp::CompareInt(compare) if is_wide => {
            let which = match compare {
                Compare::Eq => 0,
                Compare::Le => 2,
                Compare::Ne => 4,
                Compare::Gt => 6,
                _ => unreachable!("spelt by the others"),
            };
            return (asm::COMPARE_INT, false, Some(which));
        }
        BinaryOp::CompareInt(Compare::Eq | Compare::Ne) => (asm::EQ_INT, true),
        BinaryOp::CompareInt(_) => (asm::GT_INT, false),
        BinaryOp::Compare(compare) => {
            let which = match compare {
                Compare::Eq => 0x00,
                Compare::Unordered => 0x03,
                Compare::Ne => 0x04,
                Compare::EqOrUnordered => 0x08,
                Compare::Lt => 0x11,
                Compare::Le => 0x12,
                Compare::Ge => 0x1d,
                Compare::Gt => 0x1e,
            };
            return (asm::COMPARE, false, Some(which));
        }
    };
    (op, is_symmetric, None)
}
