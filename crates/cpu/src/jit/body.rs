//! The work on one vector: one walk over the list of operations, in which registers are given out. What
//! is needed last gives way first, and what can be had from memory is not kept there.
use super::asm::{self, Asm, Gpr, Machine, Opcode, RCX, RDX, RSP, Rm, Under};
use super::emit::{Lanes, Output, Plan, entry, needs_order};
use super::trace::{Compare, Fused, One, Op, Operand, Two, Value};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Register(u8),
    Stack(usize),
}

/// One walk over the list: the work on one vector.
pub(super) struct Body<'a> {
    plan: &'a Plan<'a>,
    pub(super) asm: Asm,
    lanes: Lanes,
    is_streamed: bool,
    /// Which of the running results of each reduction it is added to.
    turn: usize,
    place: Vec<Place>,
    /// Registers that hold nothing, those of the operation at hand, and those that were ever used.
    free: u64,
    pinned: u64,
    pub(super) peak: u64,
    /// Which vectors on the stack hold something, and how many there were at most.
    on_stack: Vec<bool>,
    pub(super) spilled: usize,
    at: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(
        plan: &'a Plan<'a>,
        asm: Asm,
        lanes: Lanes,
        is_streamed: bool,
        turn: usize,
    ) -> Body<'a> {
        let taken = plan.hoisted.iter().flatten().chain(plan.running.iter().flatten());
        let taken = taken.fold(0, |all, &n| all | 1 << n);
        let Machine { vectors, masks, .. } = plan.machine;
        Body {
            plan,
            asm,
            lanes,
            is_streamed,
            turn,
            place: vec![Place::Nowhere; plan.trace.ops.len()],
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
        // Late results may lie where leaves are still to be read.
        (0..self.at).filter(is_leaf).for_each(|n| self.fold(n));
        (0..self.at).filter(is_leaf).for_each(|n| self.store(n, |_| true));
        (0..self.at).filter(|n| !is_leaf(n)).for_each(|n| self.store(n, |output| output.is_late));
    }

    /// Writes a value to those of its operands that are meant.
    fn store(&mut self, n: usize, is_meant: impl Fn(&Output) -> bool) {
        let value = Value(n as u32);
        let plan = self.plan;
        for output in plan.outputs.iter().filter(|o| o.value == value && is_meant(o)) {
            self.pinned = 0;
            let from = self.register(value);
            let to = Rm::Lanes(self.address(output.operand));
            let Machine { is_wide, rest, .. } = plan.machine;
            match self.lanes {
                Lanes::Rest if is_wide => {
                    self.asm.under(Under::Mask(rest), asm::STORE, from, 0, to, None);
                }
                Lanes::Rest => self.asm.vector(asm::STORE_SOME, from, rest, to, None),
                Lanes::All => {
                    let is_streamed = output.is_streamed && self.is_streamed;
                    let op = if is_streamed { asm::STREAM } else { asm::STORE };
                    self.asm.vector(op, from, 0, to, None);
                }
            }
        }
        self.release(value);
    }

    /// Adds a value to the running results of those reductions that want it.
    fn fold(&mut self, n: usize) {
        let plan = self.plan;
        let value = Value(n as u32);
        for (fold, running) in
            plan.folds.iter().zip(&plan.running).filter(|(f, _)| f.value == value)
        {
            self.pinned = 0;
            let to = running[self.turn];
            let x = self.last(value);
            let mut under = match self.lanes {
                Lanes::All => Under::All,
                Lanes::Rest => Under::Mask(plan.machine.rest),
            };
            let (op, _, _) = spelling_of_two(fold.by, plan.machine.is_wide);
            if needs_order(fold.by) {
                // A running result that is NaN stays so.
                let mask = self.new_register(plan.machine.masks);
                self.asm.under(under, asm::COMPARE, mask, to, Rm::Vector(to), Some(ORDERED));
                self.free |= 1 << mask;
                under = Under::Mask(mask);
            }
            self.asm.under(under, op, to, to, x, None);
        }
    }

    fn operation(&mut self, op: &Op) {
        match *op {
            Op::Operand(_) | Op::Number(_) => {}
            Op::One(one, x) => self.one(one, x),
            Op::Two(two, a, b) => {
                let is_wide = self.plan.machine.is_wide;
                let (op, is_symmetric, immediate) = spelling_of_two(two, is_wide);
                let is_swapped = is_symmetric && !self.is_held(a) && self.is_held(b);
                let (a, b) = if is_swapped { (b, a) } else { (a, b) };
                let a = self.register(a);
                let b = self.last(b);
                self.result(|asm, to| {
                    asm.vector(op, to, a, b, immediate);
                    if is_inverted(two) && !is_wide {
                        asm.vector(asm::XOR, to, to, Rm::Number(u32::MAX), None);
                    }
                });
            }
            Op::Fused(fused, a, b, c) => self.fused(fused, a, b, c),
            Op::Flag(mask) => {
                let (mask, one) = (self.register(mask), Rm::Number(1));
                match self.plan.machine.is_wide {
                    true => self.result(|asm, to| asm.bring(Under::MaskOrZero(mask), to, one)),
                    false => self.result(|asm, to| asm.vector(asm::AND, to, mask, one, None)),
                }
            }
            Op::Select(mask, yes, no) => self.select(mask, yes, no),
        }
    }

    fn select(&mut self, mask: Value, yes: Value, no: Value) {
        let (trace, is_wide) = (self.plan.trace, self.plan.machine.is_wide);
        let mask = self.register(mask);
        if trace.is_zero(no) {
            let yes = self.last(yes);
            return self.result(|asm, to| match is_wide {
                true => asm.bring(Under::MaskOrZero(mask), to, yes),
                false => asm.vector(asm::AND, to, mask, yes, None),
            });
        }
        if trace.is_zero(yes) && !is_wide {
            let no = self.last(no);
            return self.result(|asm, to| asm.vector(asm::AND_NOT, to, mask, no, None));
        }
        let no = self.register(no);
        let yes = self.last(yes);
        self.result(|asm, to| match is_wide {
            true => asm.under(Under::Mask(mask), asm::BLEND_MASKED, to, no, yes, None),
            false => asm.vector(asm::BLEND, to, no, yes, Some(mask << 4)),
        });
    }

    fn one(&mut self, one: One, x: Value) {
        if let One::ShiftLeft(by) | One::ShiftRight(by) = one {
            let direction = if matches!(one, One::ShiftLeft(_)) { 6 } else { 4 };
            let x = Rm::Vector(self.register(x));
            self.result(|asm, to| asm.vector(asm::SHIFT, direction, to, x, Some(by)));
            return;
        }
        let (op, immediate) = match one {
            One::Sqrt => (asm::SQRT, None),
            One::Round => (asm::ROUND, Some(0x08)),
            One::Floor => (asm::ROUND, Some(0x09)),
            One::Ceil => (asm::ROUND, Some(0x0a)),
            One::Trunc => (asm::ROUND, Some(0x0b)),
            One::ToFloat => (asm::TO_FLOAT, None),
            One::Reciprocal => (asm::RECIPROCAL, None),
            One::Exponent => (asm::EXPONENT, None),
            One::Mantissa => (asm::MANTISSA, Some(0)),
            One::ShiftLeft(_) | One::ShiftRight(_) => unreachable!("done above"),
        };
        let x = self.last(x);
        self.result(|asm, to| asm.vector(op, to, 0, x, immediate));
    }

    /// `a · b + c`: the instruction overwrites one of the three, and one may lie in memory.
    fn fused(&mut self, kind: Fused, a: Value, b: Value, c: Value) {
        let kind = match kind {
            Fused::Add => 0,
            Fused::Sub => 2,
            Fused::From => 4,
        };
        let (to, first, last, form) = if !self.is_held(c) && self.is_near(c) {
            let (kept, lost) = if self.is_dying(b) { (a, b) } else { (b, a) };
            let kept = self.register(kept);
            let (to, c) = self.taken_beside(lost, c);
            (to, kept, c, asm::FORM_213)
        } else {
            // A factor in memory comes last.
            let (a, b) = if self.is_held(a) || !self.is_held(b) { (a, b) } else { (b, a) };
            let is_lost = |body: &Self, x: Value| body.is_held(x) && body.is_dying(x);
            if is_lost(self, c) || !(is_lost(self, a) || is_lost(self, b)) {
                let a = self.register(a);
                let (to, b) = self.taken_beside(c, b);
                (to, a, b, asm::FORM_231)
            } else {
                let (a, b) = if is_lost(self, a) { (a, b) } else { (b, a) };
                let c = self.register(c);
                let (to, b) = self.taken_beside(a, b);
                (to, c, b, asm::FORM_132)
            }
        };
        self.asm.vector(asm::fused(form, kind), to, first, last, None);
        self.place[self.at] = Place::Register(to);
    }

    /// Whether a value has a register.
    fn is_held(&self, value: Value) -> bool {
        let n = value.index();
        self.plan.hoisted[n].is_some() || matches!(self.place[n], Place::Register(_))
    }

    /// Whether an instruction can take a value from memory.
    fn is_near(&self, value: Value) -> bool {
        let n = value.index();
        match self.plan.trace.ops[n] {
            Op::Number(_) => true,
            Op::Operand(k) => {
                let can_be = match self.plan.trace.operands[k as usize] {
                    Operand::Lanes => self.lanes == Lanes::All,
                    _ => self.plan.machine.is_wide,
                };
                can_be && self.is_dying(value)
            }
            _ => matches!(self.place[n], Place::Stack(_)),
        }
    }

    /// Whether the operation at hand is the last to use a value.
    fn is_dying(&self, value: Value) -> bool {
        let n = value.index();
        self.plan.hoisted[n].is_none() && self.plan.uses[n].last() == Some(&self.at)
    }

    /// The register of a value, which is brought there if it is elsewhere.
    fn register(&mut self, value: Value) -> u8 {
        let n = value.index();
        if let Some(register) = self.plan.hoisted[n] {
            return register;
        }
        if let Place::Register(register) = self.place[n] {
            self.pinned |= 1 << register;
            return register;
        }
        let to = self.new_register(self.class(n));
        self.pinned |= 1 << to;
        let from = self.memory(value);
        let Machine { is_wide, rest, .. } = self.plan.machine;
        match from {
            _ if asm::is_mask(to) => self.asm.vector(asm::LOAD_MASK, to, 0, from, None),
            Rm::Lanes(_) if self.lanes == Lanes::Rest => match is_wide {
                true => self.asm.bring(Under::MaskOrZero(rest), to, from),
                false => self.asm.vector(asm::LOAD_SOME, to, rest, from, None),
            },
            _ => self.asm.bring(Under::All, to, from),
        }
        if let Place::Stack(slot) = self.place[n] {
            self.on_stack[slot] = false;
        }
        self.place[n] = Place::Register(to);
        to
    }

    /// The registers that an operation's value can have.
    fn class(&self, n: usize) -> u64 {
        let Machine { vectors, masks, .. } = self.plan.machine;
        if self.plan.trace.ops[n].is_mask() { masks } else { vectors }
    }

    /// Where a value lies that has no register.
    fn memory(&mut self, value: Value) -> Rm {
        match (self.plan.trace.ops[value.index()], self.place[value.index()]) {
            (_, Place::Stack(slot)) => self.on_stack(slot),
            (Op::Number(bits), _) => Rm::Number(bits),
            (Op::Operand(k), _) => {
                let base = self.address(k as usize);
                match self.plan.trace.operands[k as usize] {
                    Operand::Lanes => Rm::Lanes(base),
                    _ => Rm::One(base),
                }
            }
            _ => unreachable!("values are computed before they are used"),
        }
    }

    /// A value as the last operand of an instruction. No other may be brought after it.
    fn last(&mut self, value: Value) -> Rm {
        match self.is_held(value) || !self.is_near(value) {
            true => Rm::Vector(self.register(value)),
            false => self.memory(value),
        }
    }

    /// A register with the value that may be overwritten: its own if nothing else needs it.
    fn taken(&mut self, value: Value) -> u8 {
        let from = self.register(value);
        if self.is_dying(value) {
            self.place[value.index()] = Place::Nowhere;
            return from;
        }
        let to = self.new_register(self.plan.machine.vectors);
        self.pinned |= 1 << to;
        self.asm.vector(asm::LOAD, to, 0, Rm::Vector(from), None);
        to
    }

    /// As [`Body::taken`], with another value as the last operand; both may be one.
    fn taken_beside(&mut self, value: Value, last: Value) -> (u8, Rm) {
        let is_held = value == last || self.is_held(last);
        let held = is_held.then(|| Rm::Vector(self.register(last)));
        let to = self.taken(value);
        (to, held.unwrap_or_else(|| self.last(last)))
    }

    /// Writes an instruction whose result is that of the operation; it may overwrite what dies here.
    fn result(&mut self, write: impl FnOnce(&mut Asm, u8)) {
        let plan = self.plan;
        for arg in plan.trace.ops[self.at].args() {
            // What lies on the stack is still to be read: nothing else may go there.
            if let Place::Register(_) = self.place[arg.index()] {
                self.release(arg);
            }
        }
        let to = self.new_register(self.class(self.at));
        write(&mut self.asm, to);
        self.place[self.at] = Place::Register(to);
    }

    /// Frees the register of a value that nothing needs any more.
    fn release(&mut self, value: Value) {
        let n = value.index();
        let is_needed = self.plan.uses[n].last().is_some_and(|&last| last > self.at);
        if is_needed {
            return;
        }
        match std::mem::replace(&mut self.place[n], Place::Nowhere) {
            Place::Register(register) => {
                self.free |= 1 << register;
                self.pinned &= !(1 << register);
            }
            Place::Stack(slot) => self.on_stack[slot] = false,
            Place::Nowhere => {}
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

    /// Takes the register of the value that is needed last.
    fn evict(&mut self, class: u64) {
        let plan = self.plan;
        let next = |n: usize| plan.uses[n].iter().find(|&&at| at >= self.at).copied();
        let can_go = class & !self.pinned;
        let held = (0..self.place.len()).filter_map(|n| match self.place[n] {
            Place::Register(register) if can_go >> register & 1 == 1 => Some((n, register)),
            _ => None,
        });
        // An operation has at most four registers, and numbers that are hoisted leave more than that.
        let (n, register) = held.max_by_key(|&(n, _)| next(n)).expect("a register to be had");
        self.place[n] = match plan.trace.ops[n].is_leaf() {
            true => Place::Nowhere,
            false => Place::Stack(self.push(register)),
        };
        self.free |= 1 << register;
    }

    /// Keeps a register on the stack.
    fn push(&mut self, register: u8) -> usize {
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
        Rm::At(RSP, slot as i32 * self.plan.machine.bytes())
    }

    /// The register with an operand's address.
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

/// The comparison that holds unless either is NaN.
const ORDERED: u8 = 0x07;

/// Whether AVX2 has but the opposite of a comparison.
fn is_inverted(two: Two) -> bool {
    matches!(two, Two::CompareInt(Compare::Ne | Compare::Le))
}

/// The instruction, whether its operands may change places, and its immediate.
fn spelling_of_two(two: Two, is_wide: bool) -> (Opcode, bool, Option<u8>) {
    let (op, is_symmetric) = match two {
        Two::Add => (asm::ADD, true),
        Two::Sub => (asm::SUB, false),
        Two::Mul => (asm::MUL, true),
        Two::Div => (asm::DIV, false),
        Two::Min => (asm::MIN, false),
        Two::Max => (asm::MAX, false),
        Two::And => (asm::AND, true),
        Two::Or => (asm::OR, true),
        Two::Xor => (asm::XOR, true),
        Two::AddInt => (asm::ADD_INT, true),
        Two::SubInt => (asm::SUB_INT, false),
        Two::MulInt => (asm::MUL_INT, true),
        Two::MinInt => (asm::MIN_INT, true),
        Two::MaxInt => (asm::MAX_INT, true),
        Two::Scale => (asm::SCALE, false),
        Two::CompareInt(compare) if is_wide => {
            let which = match compare {
                Compare::Eq => 0,
                Compare::Le => 2,
                Compare::Ne => 4,
                Compare::Gt => 6,
                _ => unreachable!("spelt by the others"),
            };
            return (asm::COMPARE_INT, false, Some(which));
        }
        Two::CompareInt(Compare::Eq | Compare::Ne) => (asm::EQ_INT, true),
        Two::CompareInt(_) => (asm::GT_INT, false),
        Two::Compare(compare) => {
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
