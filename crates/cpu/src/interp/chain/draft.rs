//! How a chain is made of neighbours among a stage's elements: what its loop reads, where each
//! value goes that others need, and which reductions it begins.
use super::translate::{fold_of, join, translate};
use super::{Around, Chain, Input, MOST, Made, To};
use crate::interp::access::Lanes;
use crate::interp::class::Class;
use crate::interp::prepare::{Instr, Kind, Write, is_vector};
use crate::interp::shape::Mode;
use crate::interp::stages::{Stage, is_number};
use crate::jit::{self, Code, Output, Trace, Value};
use crate::level::Level as Simd;
use brasa_compile::kernel::Level;
use std::collections::HashMap;
use std::ops::Range;

/// Reductions of a chain, at most: each has four registers.
const MOST_FOLDS: usize = 3;

/// A chain in the making.
pub(super) struct Draft<'a> {
    instrs: &'a [Instr],
    stages: &'a [Stage],
    around: Around<'a>,
    stage: usize,
    members: Range<usize>,
    folds: Vec<usize>,
    /// Which instructions anything but this chain reads.
    is_read: Vec<bool>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
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
        let has_room = around.mode == Mode::Columns || Simd::loops() == Simd::Avx512;
        let most = if has_room { MOST_FOLDS } else { 0 };
        let folds = (0..reduces.len()).filter(can_fold).take(most).collect();
        let mut draft =
            Draft { instrs, stages, around, stage, members, folds, is_read: Vec::new() };
        draft.is_read = draft.read_outside();
        draft
    }

    /// Whether a loop is better than steps.
    fn pays(&self) -> bool {
        let is_streamed = |&w: &usize| self.around.writes[w].is_streamed;
        let has_stream = |&n: &usize| self.instrs[n].stores.iter().any(is_streamed);
        self.members.len() + self.folds.len() > 1 || self.elements().iter().any(has_stream)
    }

    pub(super) fn build(self) -> Option<Chain> {
        if !self.pays() {
            return None;
        }
        let mut trace = Trace::new(Simd::loops());
        let (code, inputs, results) = self.code(&mut trace)?;
        let mut quick = None;
        if !trace.divisors.is_empty() {
            let (code, ..) = self.code(&mut Trace::quick(Simd::loops()))?;
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
        let is_read = self.is_read[n];
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

    /// Which values are needed by anything but this chain.
    fn read_outside(&self) -> Vec<bool> {
        let mut is_read = vec![false; self.instrs.len()];
        let mut mark = |n: usize, is_own: &dyn Fn(usize) -> bool| {
            let args = self.instrs[n].args.iter().filter(|&&arg| !is_own(arg));
            args.for_each(|&arg| is_read[arg] = true);
        };
        for (s, stage) in self.stages.iter().enumerate() {
            let is_here = s == self.stage;
            // Other stages may compute it again.
            let mut is_own = vec![false; self.instrs.len()];
            stage.elements.iter().for_each(|&n| is_own[n] = !is_here);
            for (at, &n) in stage.reduces.iter().enumerate() {
                if !is_here || !self.folds.contains(&at) {
                    mark(n, &|arg| is_own[arg]);
                }
            }
            stage.rows.iter().for_each(|&n| mark(n, &|_| false));
            for (at, &n) in stage.elements.iter().enumerate() {
                if !is_here || !self.members.contains(&at) {
                    mark(n, &|arg| is_own[arg]);
                }
            }
        }
        is_read
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
            is_input && self.instrs[*n].stores.is_empty() && !self.is_read[*n]
        };
        match loads.iter().all(is_own) {
            true => To::InPlace { write, loads },
            false => To::Register,
        }
    }
}
