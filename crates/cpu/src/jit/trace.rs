//! The trace: what a loop computes for each vector, as a list of operations on earlier ones (SSA).
//! Equal operations are shared.
use crate::level::Level;
use std::collections::HashMap;

/// A value: the result of an operation of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Value(pub(super) u32);

impl Value {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of an operand in memory: 32 bits per lane, per row (for all its lanes), or for all
/// rows; or the running results of a reduction per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OperandKind {
    Lanes,
    Row,
    Same,
    Running,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UnaryOp {
    Sqrt,
    /// To integers, ties to even.
    Round,
    Floor,
    Ceil,
    Trunc,
    /// Converts an integer to f32.
    ToFloat,
    /// Shifts of integers; to the right arithmetically.
    ShiftLeft(u8),
    ShiftRight(u8),
    /// AVX-512 only: the reciprocal to 14 bits, and the exponent and the mantissa (from 1 to 2) of
    /// a float.
    Reciprocal,
    Exponent,
    Mantissa,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    /// Returns the second operand if either is NaN or both are zero, as the instructions do.
    Min,
    Max,
    And,
    Or,
    Xor,
    AddInt,
    SubInt,
    MulInt,
    MinInt,
    MaxInt,
    /// AVX-512 only: `a · 2ⁿ`.
    Scale,
    Compare(Compare),
    CompareInt(Compare),
}

/// A fused multiply-add, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fused {
    /// `a · b + c`
    Add,
    /// `a · b − c`
    Sub,
    /// `c − a · b`
    From,
}

/// Comparisons. Those of floats are false for NaN, except `Ne`, `Unordered` and `EqOrUnordered`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Unordered,
    EqOrUnordered,
}

/// An operation of the trace. Masks are values, too; only comparisons compute them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Operand(u8),
    /// A constant of 32 bits, the same for all lanes.
    Number(u32),
    Unary(UnaryOp, Value),
    Binary(BinaryOp, Value, Value),
    Fused(Fused, Value, Value, Value),
    /// The second value where the mask is set, else the third.
    Select(Value, Value, Value),
    /// 1 where the mask is set, else 0.
    Flag(Value),
}

impl Op {
    /// Whether the value can be loaded from memory at any time.
    pub(super) fn is_leaf(&self) -> bool {
        matches!(self, Op::Operand(_) | Op::Number(_))
    }

    pub(super) fn is_mask(&self) -> bool {
        matches!(self, Op::Binary(BinaryOp::Compare(_) | BinaryOp::CompareInt(_), ..))
    }

    pub(super) fn args(&self) -> impl Iterator<Item = Value> {
        let (args, count) = match *self {
            Op::Operand(_) | Op::Number(_) => ([Value(0); 3], 0),
            Op::Unary(_, a) | Op::Flag(a) => ([a; 3], 1),
            Op::Binary(_, a, b) => ([a, b, b], 2),
            Op::Fused(_, a, b, c) | Op::Select(a, b, c) => ([a, b, c], 3),
        };
        args.into_iter().take(count)
    }
}

/// A trace under construction.
pub(crate) struct Trace {
    pub(super) level: Level,
    pub(super) ops: Vec<Op>,
    pub(super) operands: Vec<OperandKind>,
    known: HashMap<Op, Value>,
    /// Per-row and uniform operands that values are divided by.
    pub(crate) divisors: Vec<usize>,
    /// Whether these divisions use reciprocals.
    uses_reciprocals: bool,
}

impl Trace {
    /// An empty trace for a level, at least AVX2.
    pub(crate) fn new(level: Level) -> Trace {
        let (ops, operands, known) = (Vec::new(), Vec::new(), HashMap::new());
        Trace { level, ops, operands, known, divisors: Vec::new(), uses_reciprocals: false }
    }

    /// An empty trace that divides by reciprocals: valid for divisors that are neither huge nor
    /// tiny.
    pub(crate) fn with_reciprocals(level: Level) -> Trace {
        Trace { uses_reciprocals: true, ..Trace::new(level) }
    }

    /// Whether the operations of AVX-512 are available.
    pub(crate) fn is_wide(&self) -> bool {
        self.level == Level::Avx512
    }

    pub(super) fn push(&mut self, op: Op) -> Value {
        if let Some(&value) = self.known.get(&op) {
            return value;
        }
        let value = Value(self.ops.len() as u32);
        self.ops.push(op);
        self.known.insert(op, value);
        value
    }

    /// Number of operands.
    pub(crate) fn operands(&self) -> usize {
        self.operands.len()
    }

    /// Adds an operand that is written; returns its index.
    pub(crate) fn result(&mut self) -> usize {
        self.operands.push(OperandKind::Lanes);
        self.operands.len() - 1
    }

    /// Adds an operand for running results; returns its index.
    pub(crate) fn running(&mut self) -> usize {
        self.operands.push(OperandKind::Running);
        self.operands.len() - 1
    }

    /// Adds an operand that is read; returns its value.
    pub(crate) fn operand(&mut self, operand: OperandKind) -> Value {
        self.operands.push(operand);
        self.push(Op::Operand((self.operands.len() - 1) as u8))
    }

    pub(crate) fn bits(&mut self, bits: u32) -> Value {
        self.push(Op::Number(bits))
    }

    pub(crate) fn number(&mut self, x: f32) -> Value {
        self.bits(x.to_bits())
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, x: Value) -> Value {
        self.push(Op::Unary(op, x))
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.push(Op::Binary(op, a, b))
    }

    pub(crate) fn fused(&mut self, op: Fused, a: Value, b: Value, c: Value) -> Value {
        self.push(Op::Fused(op, a, b, c))
    }

    pub(crate) fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Compare(op), a, b)
    }

    pub(crate) fn compare_int(&mut self, op: Compare, a: Value, b: Value) -> Value {
        match op {
            Compare::Lt => self.compare_int(Compare::Gt, b, a),
            Compare::Ge => self.compare_int(Compare::Le, b, a),
            _ => self.binary(BinaryOp::CompareInt(op), a, b),
        }
    }

    pub(crate) fn select(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        // AVX2 has only the opposites of these comparisons, so the arms are exchanged.
        if let Op::Binary(BinaryOp::CompareInt(op), a, b) = self.ops[mask.index()] {
            let opposite = match op {
                Compare::Ne => Some(Compare::Eq),
                Compare::Le => Some(Compare::Gt),
                _ => None,
            };
            if let Some(opposite) = opposite {
                let mask = self.compare_int(opposite, a, b);
                return self.select(mask, no, yes);
            }
        }
        self.push(Op::Select(mask, yes, no))
    }

    pub(super) fn is_zero(&self, value: Value) -> bool {
        self.ops[value.index()] == Op::Number(0)
    }

    /// A quotient. With AVX-512, division by a per-row or uniform number can use its reciprocal,
    /// computed once per row, and a correction from the remainder; the result is also correctly
    /// rounded.
    pub(crate) fn divide(&mut self, x: Value, by: Value) -> Value {
        let Op::Operand(k) = self.ops[by.index()] else { return self.binary(BinaryOp::Div, x, by) };
        if !self.is_wide() || self.operands[k as usize] == OperandKind::Lanes {
            return self.binary(BinaryOp::Div, x, by);
        }
        if !self.divisors.contains(&(k as usize)) {
            self.divisors.push(k as usize);
        }
        if !self.uses_reciprocals {
            return self.binary(BinaryOp::Div, x, by);
        }
        let one = self.number(1.0);
        let reciprocal = self.binary(BinaryOp::Div, one, by);
        let guess = self.binary(BinaryOp::Mul, x, reciprocal);
        let rest = self.fused(Fused::From, guess, by, x);
        let quotient = self.fused(Fused::Add, rest, reciprocal, guess);
        // No correction for infinities, overflow and zero, whose sign the correction would lose.
        let zero = self.number(0.0);
        let is_exact = self.compare(Compare::EqOrUnordered, quotient, zero);
        self.select(is_exact, guess, quotient)
    }

    /// The operands of a quotient of per-row, uniform or constant numbers, which is hoisted out of
    /// the lane loop.
    pub(super) fn hoistable_quotient(&self, n: usize) -> Option<(Value, Value)> {
        let is_one = |value: &Value| match self.ops[value.index()] {
            Op::Number(_) => true,
            Op::Operand(k) => self.operands[k as usize] != OperandKind::Lanes,
            _ => false,
        };
        match self.ops[n] {
            Op::Binary(BinaryOp::Div, a, b) if self.is_wide() => {
                Some((a, b)).filter(|_| is_one(&a) && is_one(&b))
            }
            _ => None,
        }
    }

    pub(crate) fn flag(&mut self, mask: Value) -> Value {
        self.push(Op::Flag(mask))
    }

    /// The mask of the lanes where an integer is not zero.
    pub(crate) fn mask(&mut self, x: Value) -> Value {
        if let Op::Flag(mask) = self.ops[x.index()] {
            return mask;
        }
        let zero = self.bits(0);
        self.compare_int(Compare::Ne, x, zero)
    }

    pub(crate) fn neg(&mut self, x: Value) -> Value {
        let sign = self.number(-0.0);
        self.binary(BinaryOp::Xor, x, sign)
    }

    pub(crate) fn abs(&mut self, x: Value) -> Value {
        let rest = self.bits(0x7fff_ffff);
        self.binary(BinaryOp::And, x, rest)
    }

    pub(crate) fn copysign(&mut self, x: Value, sign: Value) -> Value {
        let (bit, x) = (self.number(-0.0), self.abs(x));
        let sign = self.binary(BinaryOp::And, sign, bit);
        self.binary(BinaryOp::Or, x, sign)
    }
}
