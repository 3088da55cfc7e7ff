//! What a loop computes for each vector: a list of operations on earlier ones. Equal operations are
//! one.
use crate::level::Level;
use std::collections::HashMap;

/// An operation of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Value(pub(super) u32);

impl Value {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Memory that a loop reads or writes: 32 bits for each lane, for all lanes of a row, or for all rows; or
/// the running results of a reduction of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    Lanes,
    Row,
    Same,
    Running,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum One {
    Sqrt,
    /// To whole numbers, ties to even ones.
    Round,
    Floor,
    Ceil,
    Trunc,
    /// A whole number as a float.
    ToFloat,
    /// Bits of whole numbers are moved, to the right with their sign.
    ShiftLeft(u8),
    ShiftRight(u8),
    /// AVX-512 alone: a reciprocal to 14 bits, and the exponent and the mantissa, from 1 to 2, of a
    /// float.
    Reciprocal,
    Exponent,
    Mantissa,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Two {
    Add,
    Sub,
    Mul,
    Div,
    /// The second where either is NaN or both are zero.
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
    /// AVX-512 alone: `a · 2ⁿ`.
    Scale,
    Compare(Compare),
    CompareInt(Compare),
}

/// A product and what is added to it, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fused {
    /// `a · b + c`
    Add,
    /// `a · b − c`
    Sub,
    /// `c − a · b`
    From,
}

/// Comparisons; those of floats are false for NaN but for `Ne`, `Unordered` and `EqOrUnordered`.
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

/// Masks are values, too. Only comparisons make them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Operand(u8),
    /// 32 bits, the same for all lanes.
    Number(u32),
    One(One, Value),
    Two(Two, Value, Value),
    Fused(Fused, Value, Value, Value),
    /// The second where the mask holds, else the third.
    Select(Value, Value, Value),
    /// 1 where the mask holds, else 0.
    Flag(Value),
}

impl Op {
    /// Whether it can be had from memory at any time.
    pub(super) fn is_leaf(&self) -> bool {
        matches!(self, Op::Operand(_) | Op::Number(_))
    }

    pub(super) fn is_mask(&self) -> bool {
        matches!(self, Op::Two(Two::Compare(_) | Two::CompareInt(_), ..))
    }

    pub(super) fn args(&self) -> impl Iterator<Item = Value> {
        let (args, count) = match *self {
            Op::Operand(_) | Op::Number(_) => ([Value(0); 3], 0),
            Op::One(_, a) | Op::Flag(a) => ([a; 3], 1),
            Op::Two(_, a, b) => ([a, b, b], 2),
            Op::Fused(_, a, b, c) | Op::Select(a, b, c) => ([a, b, c], 3),
        };
        args.into_iter().take(count)
    }
}

/// The list in the making.
pub(crate) struct Trace {
    pub(super) level: Level,
    pub(super) ops: Vec<Op>,
    pub(super) operands: Vec<Operand>,
    known: HashMap<Op, Value>,
    /// Operands of one number for all lanes of a row that values are divided by.
    pub(crate) divisors: Vec<usize>,
    /// Whether this is done by their reciprocals.
    is_quick: bool,
}

impl Trace {
    /// An empty list for a level, at least AVX2.
    pub(crate) fn new(level: Level) -> Trace {
        let (ops, operands, known) = (Vec::new(), Vec::new(), HashMap::new());
        Trace { level, ops, operands, known, divisors: Vec::new(), is_quick: false }
    }

    /// An empty list whose divisors are neither huge nor tiny.
    pub(crate) fn quick(level: Level) -> Trace {
        Trace { is_quick: true, ..Trace::new(level) }
    }

    /// Whether there are the operations of AVX-512.
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

    /// How many operands there are.
    pub(crate) fn operands(&self) -> usize {
        self.operands.len()
    }

    /// The number of a new operand that is written.
    pub(crate) fn result(&mut self) -> usize {
        self.operands.push(Operand::Lanes);
        self.operands.len() - 1
    }

    /// The number of a new operand for running results.
    pub(crate) fn running(&mut self) -> usize {
        self.operands.push(Operand::Running);
        self.operands.len() - 1
    }

    /// The value of a new operand that is read.
    pub(crate) fn operand(&mut self, operand: Operand) -> Value {
        self.operands.push(operand);
        self.push(Op::Operand((self.operands.len() - 1) as u8))
    }

    pub(crate) fn bits(&mut self, bits: u32) -> Value {
        self.push(Op::Number(bits))
    }

    pub(crate) fn number(&mut self, x: f32) -> Value {
        self.bits(x.to_bits())
    }

    pub(crate) fn one(&mut self, op: One, x: Value) -> Value {
        self.push(Op::One(op, x))
    }

    pub(crate) fn two(&mut self, op: Two, a: Value, b: Value) -> Value {
        self.push(Op::Two(op, a, b))
    }

    pub(crate) fn fused(&mut self, op: Fused, a: Value, b: Value, c: Value) -> Value {
        self.push(Op::Fused(op, a, b, c))
    }

    pub(crate) fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.two(Two::Compare(op), a, b)
    }

    pub(crate) fn compare_int(&mut self, op: Compare, a: Value, b: Value) -> Value {
        match op {
            Compare::Lt => self.compare_int(Compare::Gt, b, a),
            Compare::Ge => self.compare_int(Compare::Le, b, a),
            _ => self.two(Two::CompareInt(op), a, b),
        }
    }

    pub(crate) fn select(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        // What AVX2 can only say by its opposite.
        if let Op::Two(Two::CompareInt(op), a, b) = self.ops[mask.index()] {
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

    /// A quotient. With AVX-512, one by a number for all lanes can be had from the reciprocal, computed once
    /// for a row, and what that leaves: this is the rounded quotient, too.
    pub(crate) fn divide(&mut self, x: Value, by: Value) -> Value {
        let Op::Operand(k) = self.ops[by.index()] else { return self.two(Two::Div, x, by) };
        if !self.is_wide() || self.operands[k as usize] == Operand::Lanes {
            return self.two(Two::Div, x, by);
        }
        if !self.divisors.contains(&(k as usize)) {
            self.divisors.push(k as usize);
        }
        if !self.is_quick {
            return self.two(Two::Div, x, by);
        }
        let one = self.number(1.0);
        let reciprocal = self.two(Two::Div, one, by);
        let guess = self.two(Two::Mul, x, reciprocal);
        let rest = self.fused(Fused::From, guess, by, x);
        let quotient = self.fused(Fused::Add, rest, reciprocal, guess);
        // Infinity, what becomes infinite, and zero, of which the correction loses the sign.
        let zero = self.number(0.0);
        let is_exact = self.compare(Compare::EqOrUnordered, quotient, zero);
        self.select(is_exact, guess, quotient)
    }

    /// The operation of one number for all lanes, from others such, that is better done once for a row.
    pub(super) fn once(&self, n: usize) -> Option<(Value, Value)> {
        let is_one = |value: &Value| match self.ops[value.index()] {
            Op::Number(_) => true,
            Op::Operand(k) => self.operands[k as usize] != Operand::Lanes,
            _ => false,
        };
        match self.ops[n] {
            Op::Two(Two::Div, a, b) if self.is_wide() => {
                Some((a, b)).filter(|_| is_one(&a) && is_one(&b))
            }
            _ => None,
        }
    }

    pub(crate) fn flag(&mut self, mask: Value) -> Value {
        self.push(Op::Flag(mask))
    }

    /// Where a whole number is not zero.
    pub(crate) fn mask(&mut self, x: Value) -> Value {
        if let Op::Flag(mask) = self.ops[x.index()] {
            return mask;
        }
        let zero = self.bits(0);
        self.compare_int(Compare::Ne, x, zero)
    }

    pub(crate) fn neg(&mut self, x: Value) -> Value {
        let sign = self.number(-0.0);
        self.two(Two::Xor, x, sign)
    }

    pub(crate) fn abs(&mut self, x: Value) -> Value {
        let rest = self.bits(0x7fff_ffff);
        self.two(Two::And, x, rest)
    }

    pub(crate) fn copysign(&mut self, x: Value, sign: Value) -> Value {
        let (bit, x) = (self.number(-0.0), self.abs(x));
        let sign = self.two(Two::And, sign, bit);
        self.two(Two::Or, x, sign)
    }
}
