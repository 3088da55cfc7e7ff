//! Chains: instructions of a stage that are joined to one loop over vectors, so that what they hand
//! to each other never leaves the registers. Chains are found when a kernel is prepared; loads, and
//! functions that the loop cannot have, stay steps of their own between chains. A chain also begins the
//! reductions of what it reads and makes: those of lanes in the registers of AVX-512, which suffice, those
//! of rows in a line of memory.
use super::access::Lanes;
use super::class::Class;
use super::functions::Fused;
use super::prepare::{Instr, Kind, Meaning, Setting, Write, is_vector};
use super::run::Thread;
use super::shape::Mode;
use super::stages::{Stage, is_number};
use super::vector::Operand;
use crate::jit::{self, Code, Compare, One, Output, Trace, Two, Value};
use crate::level::Level as Simd;
use brasa_compile::kernel::Level;
use brasa_ir::DType;
use brasa_ir::ops::{ReduceOp, Scalar};
use std::collections::HashMap;
use std::ops::Range;

/// Operands of a chain, at most.
const MOST: usize = 64;
/// Reductions of a chain, at most: each has four registers.
const MOST_FOLDS: usize = 3;

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
    if Simd::best() < Simd::Avx2 {
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
    let mut trace = Trace::new(Simd::best());
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

/// Notes which values never lie in a register.
fn hide(instrs: &mut [Instr], stages: &[Stage]) {
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

/// A chain in the making.
struct Draft<'a> {
    instrs: &'a [Instr],
    stages: &'a [Stage],
    around: Around<'a>,
    stage: usize,
    members: Range<usize>,
    folds: Vec<usize>,
}

impl<'a> Draft<'a> {
    fn new(
        instrs: &'a [Instr],
        stages: &'a [Stage],
        around: Around<'a>,
        stage: usize,
        members: Range<usize>,
    ) -> Draft<'a> {
        let Stage { elements, reduces, .. } = &stages[stage];
        let here = &elements[members.clone()];
        let is_seen = |n: usize| {
            let is_input = is_vector(&instrs[n], around.mode, Level::Full)
                && here.iter().any(|&m| instrs[m].args.contains(&n));
            here.contains(&n) || is_input
        };
        let can_fold = |&at: &usize| {
            let instr = &instrs[reduces[at]];
            let is_open = matches!(instr.kind, Kind::Reduce { is_chained: false, .. });
            is_open && is_seen(instr.args[0]) && fold_of(instrs, instr).is_some()
        };
        let has_room = around.mode == Mode::Columns || Simd::best() == Simd::Avx512;
        let most = if has_room { MOST_FOLDS } else { 0 };
        let folds = (0..reduces.len()).filter(can_fold).take(most).collect();
        Draft { instrs, stages, around, stage, members, folds }
    }

    /// Whether a loop is better than steps.
    fn pays(&self) -> bool {
        let is_streamed = |&w: &usize| self.around.writes[w].is_streamed;
        let has_stream = |&n: &usize| self.instrs[n].stores.iter().any(is_streamed);
        self.members.len() + self.folds.len() > 1 || self.elements().iter().any(has_stream)
    }

    fn build(self) -> Option<Chain> {
        if !self.pays() {
            return None;
        }
        let mut trace = Trace::new(Simd::best());
        let (code, inputs, results) = self.code(&mut trace)?;
        let mut quick = None;
        if !trace.divisors.is_empty() {
            let (code, ..) = self.code(&mut Trace::quick(Simd::best()))?;
            quick = Some((code, trace.divisors));
        }
        Some(Chain { members: self.members, code, quick, inputs, results, folds: self.folds })
    }

    /// The loop, with what it reads and what it makes.
    fn code(&self, trace: &mut Trace) -> Option<(Code, Vec<Input>, Vec<Made>)> {
        let mut values: HashMap<usize, Value> = HashMap::new();
        let mut inputs = Vec::new();
        for &n in self.elements() {
            let mut args = Vec::with_capacity(3);
            for &arg in &self.instrs[n].args {
                let value = match values.get(&arg) {
                    Some(&value) => value,
                    None => self.input(arg, trace, &mut inputs),
                };
                values.insert(arg, value);
                args.push(value);
            }
            values.insert(n, translate(self.instrs, n, &args, trace)?);
        }
        let (mut results, mut outputs) = (Vec::new(), Vec::new());
        for &n in self.elements() {
            for to in self.places(n, &inputs) {
                outputs.push(Output {
                    value: values[&n],
                    operand: trace.result(),
                    is_late: matches!(to, To::InPlace { .. }),
                    is_streamed: matches!(to, To::Write(w) if self.around.writes[w].is_streamed),
                });
                results.push(Made { instr: n, to });
            }
        }
        let reduces = &self.stages[self.stage].reduces;
        let mut list = Vec::new();
        for &fold in &self.folds {
            let reduce = &self.instrs[reduces[fold]];
            let (by, neutral) = fold_of(self.instrs, reduce)?;
            let value = values[&reduce.args[0]];
            if self.around.mode == Mode::Columns {
                let sum = trace.operand(jit::Operand::Lanes);
                let value = join(by, sum, value, trace);
                let operand = trace.result();
                outputs.push(Output { value, operand, is_late: true, is_streamed: false });
                continue;
            }
            list.push(jit::Fold { value, operand: trace.running(), by, neutral });
        }
        if trace.operands() > MOST {
            return None;
        }
        Some((Code::new(trace, &outputs, &list)?, inputs, results))
    }

    fn elements(&self) -> &[usize] {
        &self.stages[self.stage].elements[self.members.clone()]
    }

    /// A value from outside.
    fn input(&self, n: usize, trace: &mut Trace, inputs: &mut Vec<Input>) -> Value {
        let instr = &self.instrs[n];
        if let Kind::Const(number) = instr.kind {
            return match instr.class.is_float() {
                true => trace.number(number.as_f64() as f32),
                false => trace.bits(number.as_i64() as u32),
            };
        }
        let is_vector = is_vector(instr, self.around.mode, Level::Full);
        inputs.push(Input { instr: n, is_vector });
        trace.operand(match is_vector {
            true => jit::Operand::Lanes,
            false if is_number(&instr.kind) => jit::Operand::Same,
            false => jit::Operand::Row,
        })
    }

    /// Where the value of a member has to go: nowhere, where only other members see it.
    fn places(&self, n: usize, inputs: &[Input]) -> Vec<To> {
        let (instr, is_home) = (&self.instrs[n], self.stages[self.stage].is_home[n]);
        let is_read = self.is_read_outside(n);
        if !is_home || instr.stores.is_empty() {
            return if is_read { vec![To::Register] } else { Vec::new() };
        }
        let is_direct = |w: usize| {
            let write = &self.around.writes[w];
            let is_own = Class::is_stored_as(write.dtype) && write.place.is_plain(Lanes::Next);
            is_own && !write.is_shared && !instr.is_kept
        };
        let direct: Vec<usize> = instr.stores.iter().copied().filter(|&w| is_direct(w)).collect();
        let is_whole = direct.len() == instr.stores.len();
        let mut places: Vec<To> = direct.iter().map(|&w| To::Write(w)).collect();
        // Readers find the value where it was put last.
        let is_there = direct.last().is_some_and(|&w| !self.around.writes[w].is_streamed);
        match instr.stores[..] {
            [w] if !is_read && !is_whole => places.push(self.in_place(w, inputs)),
            _ if is_whole && (is_there || !is_read) => {}
            _ => places.push(To::Register),
        }
        places
    }

    /// Whether a value is needed by anything but this chain.
    fn is_read_outside(&self, n: usize) -> bool {
        let is_arg = |&m: &usize| self.instrs[m].args.contains(&n);
        self.stages.iter().enumerate().any(|(s, stage)| {
            let is_own = |at: usize| s == self.stage && self.folds.contains(&at);
            let mut reduces = stage.reduces.iter().enumerate().filter(|(at, _)| !is_own(*at));
            if reduces.any(|(_, m)| is_arg(m)) || stage.rows.iter().any(is_arg) {
                return true;
            }
            let here = self.elements();
            // Other stages may compute it again.
            let has_own = s != self.stage && stage.elements.contains(&n);
            !has_own
                && stage.elements.iter().any(|m| {
                    let is_member = s == self.stage && here.contains(m);
                    !is_member && is_arg(m)
                })
        })
    }

    /// The place of a value that is written over what the chain reads.
    fn in_place(&self, write: usize, inputs: &[Input]) -> To {
        let (around, shared) = (self.around, self.around.setting.shared);
        let Write { place, dtype, is_shared, .. } = &around.writes[write];
        if !is_shared || !Class::is_stored_as(*dtype) || !place.is_plain(Lanes::Next) {
            return To::Register;
        }
        let is_met = |instr: &Instr| match instr.kind {
            Kind::Load { read, .. } => shared.contains(&(read, write)),
            Kind::Anchor => around.setting.anchor == Some(write),
            _ => false,
        };
        let loads: Vec<usize> =
            (0..self.instrs.len()).filter(|&n| is_met(&self.instrs[n])).collect();
        let is_own = |n: &usize| {
            let is_input = inputs.iter().any(|input| input.instr == *n && input.is_vector);
            is_input && self.instrs[*n].stores.is_empty() && !self.is_read_outside(*n)
        };
        match loads.iter().all(is_own) {
            true => To::InPlace { write, loads },
            false => To::Register,
        }
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
            Some((quick, divisors)) if divisors.iter().all(is_fit) => quick,
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
        let (rows, lanes) = if is_whole { (1, rows * lanes) } else { (rows, lanes) };
        let mut count = chain.inputs.len() + chain.results.len();
        for &fold in &chain.folds {
            // Sums of rows are read and written.
            let times = if self.code.is_by_columns() { 2 } else { 1 };
            table[count..count + times].fill(self.chained(fold));
            count += times;
        }
        let table = &mut table[..count];
        // SAFETY: promised by the caller; chains are made for the level of the machine.
        unsafe { code.run(rows, lanes, table, can_stream) };
    }

    /// The memory for a result; readers of the value will look there.
    fn place_of(&mut self, made: &Made, position: usize) -> Operand {
        let instr = &self.code.instrs[made.instr];
        let register = self.register(instr, position);
        let to = match &made.to {
            To::Register => register,
            To::Write(write) => self.target(Level::Full, *write),
            To::InPlace { write, loads } => {
                let to = self.target(Level::Full, *write);
                let is_same = |&load: &usize| {
                    let from = self.operand(load, position);
                    from.ptr == to.ptr && (from.rows == to.rows || self.full.rows == 1)
                };
                if loads.iter().all(is_same) { to } else { register }
            }
        };
        self.values[made.instr] = to;
        to
    }
}

/// The value of an instruction, from those of its arguments; None if there is no such operation.
fn translate(instrs: &[Instr], n: usize, args: &[Value], trace: &mut Trace) -> Option<Value> {
    let instr = &instrs[n];
    let class = instr.args.last().map(|&arg| instrs[arg].class)?;
    let is_wide = |class: Class| class.bytes() == 8;
    if is_wide(instr.class) || instr.args.iter().any(|&arg| is_wide(instrs[arg].class)) {
        return None;
    }
    match (&instr.kind, class) {
        (Kind::Unary(function), Class::F32) => function.trace(trace, args[0]),
        (Kind::Map { meaning: Meaning::Spread, .. }, _) => Some(args[0]),
        (Kind::Map { meaning: Meaning::Cast, .. }, _) => cast(class, instr.dtype, args[0], trace),
        (Kind::Map { meaning: Meaning::Fused(fused), .. }, _) => {
            let fused = match fused {
                Fused::Add => jit::Fused::Add,
                Fused::Sub => jit::Fused::Sub,
                Fused::From => jit::Fused::From,
            };
            Some(trace.fused(fused, args[0], args[1], args[2]))
        }
        (Kind::Map { meaning: Meaning::Row(Scalar::Select), .. }, _) => {
            let mask = trace.mask(args[0]);
            Some(trace.select(mask, args[1], args[2]))
        }
        (Kind::Map { meaning: Meaning::Row(row), .. }, Class::F32) => float(*row, args, trace),
        (Kind::Map { meaning: Meaning::Row(row), .. }, _) => int(*row, instr.dtype, args, trace),
        _ => None,
    }
}

/// What a loop joins values by to reduce them, and what it begins with.
fn fold_of(instrs: &[Instr], reduce: &Instr) -> Option<(Two, u32)> {
    let Kind::Reduce { by, .. } = reduce.kind else { return None };
    Some(match (by, instrs[reduce.args[0]].class) {
        (ReduceOp::Sum, Class::F32) => (Two::Add, 0),
        (ReduceOp::Max, Class::F32) => (Two::Max, f32::NEG_INFINITY.to_bits()),
        (ReduceOp::Min, Class::F32) => (Two::Min, f32::INFINITY.to_bits()),
        (ReduceOp::Sum, Class::I32) => (Two::AddInt, 0),
        (ReduceOp::Max, Class::I32) => (Two::MaxInt, i32::MIN as u32),
        (ReduceOp::Min, Class::I32) => (Two::MinInt, i32::MAX as u32),
        _ => return None,
    })
}

/// Two values by a sum, maximum or minimum; NaN wins.
fn join(by: Two, x: Value, y: Value, trace: &mut Trace) -> Value {
    let joined = trace.two(by, x, y);
    if !matches!(by, Two::Max | Two::Min) {
        return joined;
    }
    let is_nan = trace.compare(Compare::Unordered, x, x);
    trace.select(is_nan, x, joined)
}

fn cast(from: Class, to: DType, x: Value, trace: &mut Trace) -> Option<Value> {
    match (from, to) {
        (Class::F32, DType::F32) | (Class::I32, DType::I32) => Some(x),
        (Class::F32, DType::Bool) => {
            let zero = trace.number(0.0);
            let mask = trace.compare(Compare::Ne, x, zero);
            Some(trace.flag(mask))
        }
        (Class::I32, DType::Bool) => {
            let mask = trace.mask(x);
            Some(trace.flag(mask))
        }
        (Class::I32, DType::F32) => Some(trace.one(One::ToFloat, x)),
        _ => None,
    }
}

fn comparison(row: Scalar) -> Option<Compare> {
    Some(match row {
        Scalar::Eq => Compare::Eq,
        Scalar::Ne => Compare::Ne,
        Scalar::Lt => Compare::Lt,
        Scalar::Le => Compare::Le,
        Scalar::Gt => Compare::Gt,
        Scalar::Ge => Compare::Ge,
        _ => return None,
    })
}

/// A row on floats, as the functions of single steps have it.
fn float(row: Scalar, args: &[Value], trace: &mut Trace) -> Option<Value> {
    if let Some(compare) = comparison(row) {
        let mask = trace.compare(compare, args[0], args[1]);
        return Some(trace.flag(mask));
    }
    let x = args[0];
    Some(match row {
        Scalar::Add => trace.two(Two::Add, x, args[1]),
        Scalar::Sub => trace.two(Two::Sub, x, args[1]),
        Scalar::Mul => trace.two(Two::Mul, x, args[1]),
        Scalar::Div => trace.divide(x, args[1]),
        Scalar::Maximum => join(Two::Max, x, args[1], trace),
        Scalar::Minimum => join(Two::Min, x, args[1], trace),
        Scalar::Neg => trace.neg(x),
        Scalar::Abs => trace.abs(x),
        Scalar::Sqrt => trace.one(One::Sqrt, x),
        Scalar::Reciprocal | Scalar::Rsqrt => {
            let one = trace.number(1.0);
            let by = if row == Scalar::Rsqrt { trace.one(One::Sqrt, x) } else { x };
            trace.two(Two::Div, one, by)
        }
        Scalar::Relu => {
            let zero = trace.number(0.0);
            let is_none = trace.compare(Compare::Le, x, zero);
            trace.select(is_none, zero, x)
        }
        Scalar::Floor => trace.one(One::Floor, x),
        Scalar::Ceil => trace.one(One::Ceil, x),
        Scalar::Trunc => trace.one(One::Trunc, x),
        Scalar::Round => trace.one(One::Round, x),
        _ => return None,
    })
}

/// A row on whole numbers and truth values.
fn int(row: Scalar, dtype: DType, args: &[Value], trace: &mut Trace) -> Option<Value> {
    if let Some(compare) = comparison(row) {
        let mask = trace.compare_int(compare, args[0], args[1]);
        return Some(trace.flag(mask));
    }
    let x = args[0];
    Some(match (row, dtype) {
        (Scalar::Add, DType::I32) => trace.two(Two::AddInt, x, args[1]),
        (Scalar::Sub, DType::I32) => trace.two(Two::SubInt, x, args[1]),
        (Scalar::Mul, DType::I32) => trace.two(Two::MulInt, x, args[1]),
        (Scalar::Maximum, _) => trace.two(Two::MaxInt, x, args[1]),
        (Scalar::Minimum, _) => trace.two(Two::MinInt, x, args[1]),
        (Scalar::BitwiseAnd, _) => trace.two(Two::And, x, args[1]),
        (Scalar::BitwiseOr, _) => trace.two(Two::Or, x, args[1]),
        (Scalar::BitwiseXor, _) => trace.two(Two::Xor, x, args[1]),
        (Scalar::BitwiseNot, DType::Bool | DType::I32) => {
            let bits = trace.bits(if dtype == DType::Bool { 1 } else { u32::MAX });
            trace.two(Two::Xor, x, bits)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::Loop;
    use brasa_compile::compile;
    use brasa_ir::ops::Role;
    use brasa_ir::{Expr, Recorder, Type, compose};

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
        if Simd::best() < Simd::Avx2 {
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
        match Simd::best() {
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
