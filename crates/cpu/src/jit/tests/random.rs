//! Random traces: loops of every level, on the machine and emulated, equal an evaluation of the
//! trace one operation at a time.
use super::*;
use crate::jit::emit::LoopPlan;
use crate::jit::emulate::{Instruction, LaneOp, Last, decode};
use crate::jit::trace::Op;
use std::collections::BTreeSet;

/// A pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 8) as usize % n
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// The values of a trace by type. Bits of floats are not used as integers: those of NaN differ
/// between machines.
#[derive(Default)]
struct Known {
    floats: Vec<Value>,
    ints: Vec<Value>,
    masks: Vec<Value>,
}

/// A trace with its inputs and outputs.
struct Case {
    trace: Trace,
    inputs: usize,
    outputs: Vec<Output>,
    folds: Vec<Fold>,
    is_float: Vec<bool>,
}

/// Makes the same choices for every level, except features of AVX-512.
fn random(level: Level, seed: u64) -> Case {
    let mut dice = Dice(seed);
    let uses_reciprocals = dice.below(2) == 0;
    let mut trace =
        if uses_reciprocals { Trace::with_reciprocals(level) } else { Trace::new(level) };
    let mut known = Known::default();
    let is_float = operands(&mut trace, &mut known, &mut dice);
    let inputs = is_float.len();
    let length = dice.of(&[3, 12, 40, 120]);
    (0..length).for_each(|_| grow(&mut trace, &mut known, &mut dice));
    // Masks that are used at the end must be kept until then.
    if dice.below(2) == 0 {
        let mut count = trace.bits(0);
        for &mask in &known.masks {
            let flag = trace.flag(mask);
            count = trace.binary(BinaryOp::AddInt, count, flag);
        }
        known.ints = vec![count];
    }
    let wanted = 1 + dice.below(if length > 40 { 40 } else { 6 });
    let mut outputs = Vec::new();
    for _ in 0..wanted {
        let from = if dice.below(3) > 0 { &known.floats } else { &known.ints };
        let (is_late, is_streamed) = (dice.below(2) == 0, dice.below(4) == 0);
        let value = dice.of(from);
        outputs.push(Output { value, operand: trace.result(), is_late, is_streamed });
    }
    let mut folds = Vec::new();
    for _ in 0..dice.below(4) {
        let (by, neutral) = dice.of(&FOLDS);
        let is_int = matches!(by, BinaryOp::AddInt | BinaryOp::MaxInt | BinaryOp::MinInt);
        let value = dice.of(if is_int { &known.ints } else { &known.floats });
        if trace.is_wide() {
            folds.push(Fold { value, operand: trace.running(), by, neutral });
        }
    }
    Case { trace, inputs, outputs, folds, is_float }
}

/// Adds the operands. Returns whether each is a float.
fn operands(trace: &mut Trace, known: &mut Known, dice: &mut Dice) -> Vec<bool> {
    let mut is_float = Vec::new();
    // Some traces have more operands than address registers.
    for n in 0..2 + dice.below(14) {
        let kind = match n {
            0 | 1 => OperandKind::Lanes,
            _ => dice.of(&[
                OperandKind::Lanes,
                OperandKind::Row,
                OperandKind::Row,
                OperandKind::Same,
            ]),
        };
        let value = trace.operand(kind);
        is_float.push(n != 1 && dice.below(4) > 0);
        if is_float[n] { known.floats.push(value) } else { known.ints.push(value) }
    }
    if known.floats.is_empty() {
        known.floats.push(trace.number(1.5));
    }
    is_float
}

const FOLDS: [(BinaryOp, u32); 6] = [
    (BinaryOp::Add, 0),
    (BinaryOp::Max, f32::NEG_INFINITY.to_bits()),
    (BinaryOp::Min, f32::INFINITY.to_bits()),
    (BinaryOp::AddInt, 0),
    (BinaryOp::MaxInt, i32::MIN as u32),
    (BinaryOp::MinInt, i32::MAX as u32),
];

const COMPARE: [Compare; 7] = [
    Compare::Eq,
    Compare::Ne,
    Compare::Lt,
    Compare::Le,
    Compare::Gt,
    Compare::Ge,
    Compare::EqOrUnordered,
];

const INT_OPS: [BinaryOp; 8] = [
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::AddInt,
    BinaryOp::SubInt,
    BinaryOp::MulInt,
    BinaryOp::MinInt,
    BinaryOp::MaxInt,
];

const FLOAT_OPS: [UnaryOp; 5] =
    [UnaryOp::Sqrt, UnaryOp::Round, UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Trunc];

const FLOAT_PAIR_OPS: [BinaryOp; 5] =
    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Min, BinaryOp::Max];

/// Adds an operation on existing values.
fn grow(trace: &mut Trace, known: &mut Known, dice: &mut Dice) {
    let [a, b, c] = [(); 3].map(|()| dice.of(&known.floats));
    let [i, j] = [(); 2].map(|()| dice.of(&known.ints));
    let float = match dice.below(18) {
        0 => trace.number(dice.of(&[0.0, 1.0, -2.5, 7.0, 1e20])),
        1 => trace.unary(dice.of(&FLOAT_OPS), a),
        2 | 3 => trace.binary(dice.of(&FLOAT_PAIR_OPS), a, b),
        4 => trace.binary(BinaryOp::Div, a, b),
        5 | 6 => trace.divide(a, b),
        7 | 8 => trace.fused(dice.of(&[Fused::Add, Fused::Sub, Fused::From]), a, b, c),
        9 => dice.of(&[trace.neg(a), trace.abs(a)]),
        10 => trace.unary(UnaryOp::ToFloat, i),
        11 | 12 if !known.masks.is_empty() => {
            let mask = dice.of(&known.masks);
            let zero = trace.number(0.0);
            let (yes, no) = dice.of(&[(a, b), (a, zero), (zero, b)]);
            trace.select(mask, yes, no)
        }
        13 => {
            let compare = trace.compare(dice.of(&COMPARE), a, b);
            return known.masks.push(compare);
        }
        14 => {
            let compare = trace.compare_int(dice.of(&COMPARE[..6]), i, j);
            return known.masks.push(compare);
        }
        15 if !known.masks.is_empty() => {
            let flag = trace.flag(dice.of(&known.masks));
            return known.ints.push(flag);
        }
        16 => {
            let by = dice.below(32) as u8;
            let shift = trace.unary(dice.of(&[UnaryOp::ShiftLeft(by), UnaryOp::ShiftRight(by)]), i);
            return known.ints.push(shift);
        }
        _ => {
            let two = trace.binary(dice.of(&INT_OPS), i, j);
            return known.ints.push(two);
        }
    };
    known.floats.push(float);
}

/// Evaluates an operation on the bits of one lane; masks are 1 where set.
fn plain(op: &Op, values: &[u32], operand: impl Fn(usize) -> u32) -> u32 {
    let at = |value: &Value| values[value.index()];
    let float = |value: &Value| f32::from_bits(at(value));
    match op {
        Op::Operand(k) => operand(*k as usize),
        Op::Number(bits) => *bits,
        Op::Flag(mask) => at(mask),
        Op::Select(mask, yes, no) => at(if at(mask) == 1 { yes } else { no }),
        Op::Fused(fused, a, b, c) => match fused {
            Fused::Add => float(a).mul_add(float(b), float(c)),
            Fused::Sub => float(a).mul_add(float(b), -float(c)),
            Fused::From => (-float(a)).mul_add(float(b), float(c)),
        }
        .to_bits(),
        Op::Unary(one, x) => match one {
            UnaryOp::ShiftLeft(by) => at(x) << by,
            UnaryOp::ShiftRight(by) => (at(x) as i32 >> by) as u32,
            UnaryOp::ToFloat => (at(x) as i32 as f32).to_bits(),
            UnaryOp::Sqrt => float(x).sqrt().to_bits(),
            UnaryOp::Round => float(x).round_ties_even().to_bits(),
            UnaryOp::Floor => float(x).floor().to_bits(),
            UnaryOp::Ceil => float(x).ceil().to_bits(),
            UnaryOp::Trunc => float(x).trunc().to_bits(),
            UnaryOp::Reciprocal | UnaryOp::Exponent | UnaryOp::Mantissa => {
                unreachable!("not drawn")
            }
        },
        Op::Binary(two, a, b) => plain_two(*two, at(a), at(b)),
    }
}

fn plain_two(two: BinaryOp, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let (i, j) = (a as i32, b as i32);
    match two {
        BinaryOp::Add => (x + y).to_bits(),
        BinaryOp::Sub => (x - y).to_bits(),
        BinaryOp::Mul => (x * y).to_bits(),
        BinaryOp::Div => (x / y).to_bits(),
        BinaryOp::Min => {
            if x < y {
                a
            } else {
                b
            }
        }
        BinaryOp::Max => {
            if x > y {
                a
            } else {
                b
            }
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::AddInt => a.wrapping_add(b),
        BinaryOp::SubInt => a.wrapping_sub(b),
        BinaryOp::MulInt => a.wrapping_mul(b),
        BinaryOp::MinInt => i.min(j) as u32,
        BinaryOp::MaxInt => i.max(j) as u32,
        BinaryOp::Compare(how) => u32::from(holds(how, x.partial_cmp(&y))),
        BinaryOp::CompareInt(how) => u32::from(holds(how, Some(i.cmp(&j)))),
        BinaryOp::Scale => unreachable!("not drawn"),
    }
}

fn holds(how: Compare, order: Option<std::cmp::Ordering>) -> bool {
    match how {
        Compare::Eq => order.is_some_and(|o| o.is_eq()),
        Compare::Ne => order.is_none_or(|o| o.is_ne()),
        Compare::Lt => order.is_some_and(|o| o.is_lt()),
        Compare::Le => order.is_some_and(|o| o.is_le()),
        Compare::Gt => order.is_some_and(|o| o.is_gt()),
        Compare::Ge => order.is_some_and(|o| o.is_ge()),
        Compare::Unordered => order.is_none(),
        Compare::EqOrUnordered => order.is_none_or(|o| o.is_eq()),
    }
}

/// Adds a value to a running result; NaN propagates.
fn joined(by: BinaryOp, running: u32, x: u32) -> u32 {
    let is_order = matches!(by, BinaryOp::Max | BinaryOp::Min);
    match is_order && f32::from_bits(running).is_nan() {
        true => running,
        false => plain_two(by, running, x),
    }
}

/// Memory of an operand: rows aligned to vectors, followed by a margin that must not be written.
struct Memory {
    bits: Vec<u32>,
    start: usize,
    stride: usize,
}

const MARGIN: u32 = 0x0bad_cafe;

impl Memory {
    fn new(rows: usize, lanes: usize) -> Memory {
        let stride = lanes.next_multiple_of(16) + 16;
        let bits = vec![MARGIN; rows * stride + 32];
        let start = bits.as_ptr().align_offset(64);
        Memory { bits, start, stride }
    }

    fn row(&self, n: usize) -> &[u32] {
        &self.bits[self.start + n * self.stride..]
    }

    fn operand(&mut self, is_repeated: bool) -> interp::Operand {
        let stride = if is_repeated { 0 } else { self.stride };
        interp::Operand::of_rows(&raw mut self.bits[self.start], stride)
    }
}

/// Inputs: numbers of all kinds as floats, small ones as integers.
fn inputs(case: &Case, rows: usize, lanes: usize, dice: &mut Dice) -> Vec<Memory> {
    let input = |n: usize| {
        let mut memory = Memory::new(rows, lanes);
        let floats = numbers(rows * lanes + 37 + n);
        let moderate = |x: f32| if (1e-20..1e20).contains(&x.abs()) { x } else { 1.25 };
        for row in 0..rows {
            for lane in 0..lanes {
                let x = floats[(row * lanes + lane + n * 5) % floats.len()];
                // Divisors that use reciprocals must be neither huge nor tiny.
                let is_divisor = case.trace.divisors.contains(&n);
                let x = if is_divisor { moderate(x) } else { x };
                memory.bits[memory.start + row * memory.stride + lane] = match case.is_float[n] {
                    true => x.to_bits(),
                    false => (dice.below(2000) as i32 - 1000) as u32,
                };
            }
        }
        memory
    };
    (0..case.inputs).map(input).collect()
}

/// Records which features a loop uses: all must occur among the random loops.
fn note(
    case: &Case,
    code: &MachineCode,
    rows: usize,
    lanes: usize,
    seen: &mut BTreeSet<&'static str>,
) {
    let Case { trace, outputs, folds, .. } = case;
    note_hoisted(case, rows, seen);
    for step in decode(code.bytes(), 0) {
        match step {
            Instruction::StoreMask { .. } => _ = seen.insert("mask spilled"),
            Instruction::Vector(vector) => match (vector.op, vector.last) {
                (LaneOp::Store, Last::Lanes(to)) if to.base == Some(4) => {
                    seen.insert(if trace.is_wide() { "spilled" } else { "spilled of AVX2" });
                }
                _ => {}
            },
            _ => {}
        }
    }
    for fold in folds {
        seen.insert(match fold.by {
            BinaryOp::Add => "sum",
            BinaryOp::Max => "maximum",
            BinaryOp::Min => "minimum",
            BinaryOp::AddInt => "sum of integers",
            BinaryOp::MaxInt => "maximum of integers",
            _ => "minimum of integers",
        });
        if trace.ops[fold.value.index()].is_leaf() {
            seen.insert("leaf reduced");
        }
    }
    let is_whole = lanes.is_multiple_of(code.alignment() / 4);
    seen.insert(if is_whole { "whole vectors" } else { "lanes under a mask" });
    if code.can_stream() {
        seen.insert("streamed");
    }
    if outputs.iter().any(|output| output.is_late) {
        seen.insert("late");
    }
}

/// Records which kinds of values are computed before the loop over the lanes.
fn note_hoisted(case: &Case, rows: usize, seen: &mut BTreeSet<&'static str>) {
    let Case { trace, outputs, folds, .. } = case;
    let mut plan = LoopPlan::new(trace, outputs, folds);
    plan.hoist();
    for (n, op) in trace.ops.iter().enumerate().filter(|(n, _)| plan.hoisted[*n].is_some()) {
        let of_row = plan.is_of_row(n) && rows > 1;
        seen.insert(match (op, of_row) {
            (Op::Number(_), _) => "number hoisted",
            (Op::Operand(_), true) => "number of a row hoisted",
            (Op::Operand(_), false) => "operand hoisted",
            (Op::Binary(_, _, by), true) if !plan.is_of_row(by.index()) => {
                "dividend of a row hoisted"
            }
            (_, true) => "divisor of a row hoisted",
            (_, false) => "quotient hoisted",
        });
    }
}

fn check(runner: Runner, seed: u64, seen: &mut BTreeSet<&'static str>) {
    let case = random(runner.level(), seed);
    let Case { trace, outputs, folds, .. } = &case;
    let mut dice = Dice(seed ^ 77);
    let rows = 1 + dice.below(5);
    let lanes = dice.of(&[1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 200]);
    let code =
        MachineCode::new(trace, outputs, folds).expect("the system allows executable memory");
    note(&case, &code, rows, lanes, seen);
    let mut inputs = inputs(&case, rows, lanes, &mut dice);
    let mut results: Vec<Memory> = outputs.iter().map(|_| Memory::new(rows, lanes)).collect();
    let mut running: Vec<Memory> =
        folds.iter().map(|_| Memory::new(rows, interp::RUNNING)).collect();
    let is_same = |n: usize| trace.operands[n] == OperandKind::Same;
    let mut table: Vec<interp::Operand> =
        inputs.iter_mut().enumerate().map(|(n, memory)| memory.operand(is_same(n))).collect();
    table.extend(results.iter_mut().map(|memory| memory.operand(false)));
    table.extend(running.iter_mut().map(|memory| memory.operand(false)));
    // SAFETY: operands have these rows and lanes, and rows are aligned to vectors.
    unsafe { runner.run(&code, rows, lanes, &mut table, code.can_stream()) };

    let what = format!("{runner:?}, seed {seed}, {rows} rows of {lanes}");
    let run = Run { case: &case, lanes, inputs, results, running };
    (0..rows).for_each(|row| run.check_row(row, &what));
}

/// The memory of a case that has run.
struct Run<'a> {
    case: &'a Case,
    lanes: usize,
    inputs: Vec<Memory>,
    results: Vec<Memory>,
    running: Vec<Memory>,
}

impl Run<'_> {
    /// Compares a row of results and reductions with their evaluation.
    fn check_row(&self, row: usize, what: &str) {
        let Case { trace, outputs, folds, .. } = self.case;
        let compare = |got: u32, want: u32, of: String| {
            let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
            let is_same = got == want || (is_nan(got) && is_nan(want));
            assert!(is_same, "{what}, {of}: {got:#x}, wanted {want:#x} of {:?}", trace.ops);
        };
        let neutral = |fold: &Fold| [fold.neutral; interp::RUNNING];
        let mut wanted: Vec<[u32; interp::RUNNING]> = folds.iter().map(neutral).collect();
        for lane in 0..self.lanes {
            let values = self.values(row, lane);
            for (n, output) in outputs.iter().enumerate() {
                let want = values[output.value.index()];
                let got = self.results[n].row(row)[lane];
                compare(got, want, format!("{row} {lane} of output {n}"));
            }
            for (fold, wanted) in folds.iter().zip(&mut wanted) {
                let to = &mut wanted[lane % interp::RUNNING];
                *to = joined(fold.by, *to, values[fold.value.index()]);
            }
        }
        for (n, wanted) in wanted.iter().enumerate() {
            for (lane, &want) in wanted.iter().enumerate() {
                let of = format!("{row} {lane} of reduction {n}");
                compare(self.running[n].row(row)[lane], want, of);
            }
        }
        for result in &self.results {
            let margin = &result.row(row)[self.lanes..result.stride];
            let is_kept = margin.iter().all(|&x| x == MARGIN);
            assert!(is_kept, "{what}: writes past the end of row {row}");
        }
    }

    /// The values of all ops at one lane.
    fn values(&self, row: usize, lane: usize) -> Vec<u32> {
        let Case { trace, .. } = self.case;
        let operand = |k: usize| match trace.operands[k] {
            OperandKind::Lanes => self.inputs[k].row(row)[lane],
            OperandKind::Row => self.inputs[k].row(row)[0],
            _ => self.inputs[k].row(0)[0],
        };
        let mut values: Vec<u32> = Vec::new();
        for op in &trace.ops {
            let value = plain(op, &values, operand);
            values.push(value);
        }
        values
    }
}

#[test]
fn random_traces_equal_their_evaluation() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let mut seen = BTreeSet::new();
    for seed in 0..cases {
        Runner::all().for_each(|runner| check(runner, seed, &mut seen));
    }
    let all = [
        "number hoisted",
        "operand hoisted",
        "number of a row hoisted",
        "quotient hoisted",
        "dividend of a row hoisted",
        "divisor of a row hoisted",
        "spilled",
        "spilled of AVX2",
        "mask spilled",
        "sum",
        "maximum",
        "minimum",
        "sum of integers",
        "maximum of integers",
        "minimum of integers",
        "leaf reduced",
        "whole vectors",
        "lanes under a mask",
        "streamed",
        "late",
    ];
    let missing: Vec<_> = all.iter().filter(|what| !seen.contains(**what)).collect();
    assert!(missing.is_empty(), "no trace of {cases} has {missing:?}");
}
