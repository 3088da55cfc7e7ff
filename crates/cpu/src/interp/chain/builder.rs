//! Builds a chain from adjacent elements of a stage: what its loop reads, where results go, and
//! which reductions it starts.
use super::translate::{fold_of, join, translate};
use super::{Chain, ChainResult, Destination, Input, LoopInfo, MAX_OPERANDS};
use crate::interp::access::LaneLayout;
use crate::interp::class::Class;
use crate::interp::prepare::{Instr, InstrKind, Write, is_vector};
use crate::interp::shape::Mode;
use crate::interp::stages::{Stage, is_number};
use crate::jit::{self, MachineCode, Output, Trace, Value};
use crate::level::Level as Simd;
use brasa_compile::kernel::Granularity;
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of reductions of a chain: each has four vector registers.
const MAX_REDUCTIONS: usize = 3;

/// A chain under construction.
pub(super) struct ChainBuilder<'a> {
    instrs: &'a [Instr],
    stages: &'a [Stage],
    info: LoopInfo<'a>,
    stage: usize,
    members: Range<usize>,
    folds: Vec<usize>,
    /// For each instruction whether its value is used outside this chain.
    is_read: Vec<bool>,
}

impl<'a> ChainBuilder<'a> {
    pub(super) fn new(
        instrs: &'a [Instr],
        stages: &'a [Stage],
        info: LoopInfo<'a>,
        stage: usize,
        members: Range<usize>,
    ) -> ChainBuilder<'a> {
        let Stage { elements, reduces, .. } = &stages[stage];
        let here = &elements[members.clone()];
        let is_seen = |n: usize| {
            let is_input = is_vector(&instrs[n], info.mode, Granularity::PerElement)
                && here.iter().any(|&m| instrs[m].args.contains(&n));
            here.contains(&n) || is_input
        };
        let can_fold = |&at: &usize| {
            let instr = &instrs[reduces[at]];
            let is_open = matches!(instr.kind, InstrKind::Reduce { is_chained: false, .. });
            is_open && is_seen(instr.args[0]) && fold_of(instrs, instr).is_some()
        };
        let has_registers = info.mode == Mode::Columns || Simd::jit() == Simd::Avx512;
        let most = if has_registers { MAX_REDUCTIONS } else { 0 };
        let folds = (0..reduces.len()).filter(can_fold).take(most).collect();
        let mut builder =
            ChainBuilder { instrs, stages, info, stage, members, folds, is_read: Vec::new() };
        builder.is_read = builder.values_read_outside();
        builder
    }

    /// Whether a compiled loop is faster than single steps.
    fn is_profitable(&self) -> bool {
        let is_streamed = |&w: &usize| self.info.writes[w].is_streamed;
        let has_stream = |&n: &usize| self.instrs[n].stores.iter().any(is_streamed);
        self.members.len() + self.folds.len() > 1 || self.elements().iter().any(has_stream)
    }

    pub(super) fn build(self) -> Option<Chain> {
        if !self.is_profitable() {
            return None;
        }
        let mut trace = Trace::new(Simd::jit());
        let (code, inputs, results) = self.code(&mut trace)?;
        let mut by_reciprocals = None;
        if !trace.divisors.is_empty() {
            let (code, ..) = self.code(&mut Trace::with_reciprocals(Simd::jit()))?;
            by_reciprocals = Some((code, trace.divisors));
        }
        Some(Chain {
            members: self.members,
            code,
            by_reciprocals,
            inputs,
            results,
            folds: self.folds,
        })
    }

    /// The compiled loop with its inputs and results.
    fn code(&self, trace: &mut Trace) -> Option<(MachineCode, Vec<Input>, Vec<ChainResult>)> {
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
            for to in self.destinations(n, &inputs) {
                let is_late = matches!(to, Destination::InPlace { .. });
                let is_streamed = match to {
                    Destination::Write(w) => self.info.writes[w].is_streamed,
                    _ => false,
                };
                let (value, operand) = (values[&n], trace.result());
                outputs.push(Output { value, operand, is_late, is_streamed });
                results.push(ChainResult { instr: n, to });
            }
        }
        let reduces = &self.stages[self.stage].reduces;
        let mut list = Vec::new();
        for &fold in &self.folds {
            let reduce = &self.instrs[reduces[fold]];
            let (by, neutral) = fold_of(self.instrs, reduce)?;
            let value = values[&reduce.args[0]];
            if self.info.mode == Mode::Columns {
                let sum = trace.operand(jit::OperandKind::Lanes);
                let value = join(by, sum, value, trace);
                let operand = trace.result();
                outputs.push(Output { value, operand, is_late: true, is_streamed: false });
                continue;
            }
            list.push(jit::Fold { value, operand: trace.running(), by, neutral });
        }
        if trace.operands() > MAX_OPERANDS {
            return None;
        }
        Some((MachineCode::new(trace, &outputs, &list)?, inputs, results))
    }

    fn elements(&self) -> &[usize] {
        &self.stages[self.stage].elements[self.members.clone()]
    }

    /// Adds a value from outside the chain as an input.
    fn input(&self, n: usize, trace: &mut Trace, inputs: &mut Vec<Input>) -> Value {
        let instr = &self.instrs[n];
        if let InstrKind::Const(number) = instr.kind {
            return match instr.class.is_float() {
                true => trace.number(number.as_f64() as f32),
                false => trace.bits(number.as_i64() as u32),
            };
        }
        let is_vector = is_vector(instr, self.info.mode, Granularity::PerElement);
        inputs.push(Input { instr: n, is_vector });
        trace.operand(match is_vector {
            true => jit::OperandKind::Lanes,
            false if is_number(&instr.kind) => jit::OperandKind::Same,
            false => jit::OperandKind::Row,
        })
    }

    /// Where the value of a member must be written: nowhere if only other members use it.
    fn destinations(&self, n: usize, inputs: &[Input]) -> Vec<Destination> {
        let (instr, is_home) = (&self.instrs[n], self.stages[self.stage].is_home[n]);
        let is_read = self.is_read[n];
        if !is_home || instr.stores.is_empty() {
            return if is_read { vec![Destination::Register] } else { Vec::new() };
        }
        let is_direct = |w: usize| {
            let write = &self.info.writes[w];
            let is_own =
                Class::is_stored_as(write.dtype) && write.place.is_plain(LaneLayout::Contiguous);
            is_own && !write.is_shared && !instr.is_kept
        };
        let direct: Vec<usize> = instr.stores.iter().copied().filter(|&w| is_direct(w)).collect();
        let is_whole = direct.len() == instr.stores.len();
        let mut destinations: Vec<Destination> =
            direct.iter().map(|&w| Destination::Write(w)).collect();
        // Later steps read the value from its last destination.
        let is_there = direct.last().is_some_and(|&w| !self.info.writes[w].is_streamed);
        match instr.stores[..] {
            [w] if !is_read && !is_whole => destinations.push(self.in_place(w, inputs)),
            _ if is_whole && (is_there || !is_read) => {}
            _ => destinations.push(Destination::Register),
        }
        destinations
    }

    /// For each instruction whether anything outside this chain reads its value.
    fn values_read_outside(&self) -> Vec<bool> {
        let mut is_read = vec![false; self.instrs.len()];
        let mut mark = |n: usize, is_own: &dyn Fn(usize) -> bool| {
            let args = self.instrs[n].args.iter().filter(|&&arg| !is_own(arg));
            args.for_each(|&arg| is_read[arg] = true);
        };
        for (s, stage) in self.stages.iter().enumerate() {
            let is_here = s == self.stage;
            // Other stages may recompute the value instead of reading it.
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

    /// The destination of a value that overwrites what the chain reads.
    fn in_place(&self, write: usize, inputs: &[Input]) -> Destination {
        let (info, shared) = (self.info, self.info.options.shared);
        let Write { place, dtype, is_shared, .. } = &info.writes[write];
        if !is_shared || !Class::is_stored_as(*dtype) || !place.is_plain(LaneLayout::Contiguous) {
            return Destination::Register;
        }
        let is_met = |instr: &Instr| match instr.kind {
            InstrKind::Load { read, .. } => shared.contains(&(read, write)),
            InstrKind::Anchor => info.options.anchor == Some(write),
            _ => false,
        };
        let loads: Vec<usize> =
            (0..self.instrs.len()).filter(|&n| is_met(&self.instrs[n])).collect();
        let is_own = |n: &usize| {
            let is_input = inputs.iter().any(|input| input.instr == *n && input.is_vector);
            is_input && self.instrs[*n].stores.is_empty() && !self.is_read[*n]
        };
        match loads.iter().all(is_own) {
            true => Destination::InPlace { write, loads },
            false => Destination::Register,
        }
    }
}
