//! Lowers a kernel's steps to instructions: picks the function that fits the forms of the
//! arguments, and fuses a product that has no other use into the sum that uses it.
use super::{Instr, InstrKind, MapOp, NO_REGISTER, is_broadcast, is_vector};
use crate::interp::access::TileAccess;
use crate::interp::class::Class;
use crate::interp::functions::{self, FusedMulAdd};
use crate::interp::shape::Mode;
use crate::interp::{copy, fold};
use crate::level::Level as Simd;
use brasa_compile::kernel::{Code, Granularity, Ref, Step, StepOp};
use brasa_ir::DType;
use brasa_ir::ops::Scalar;

/// Lowers steps to instructions.
pub(super) struct Builder<'a> {
    code: &'a Code,
    mode: Mode,
    is_short: bool,
    pub(super) level: Simd,
    pub(super) instrs: Vec<Instr>,
    /// The instruction that computes a step's value.
    pub(super) of: Vec<usize>,
    /// For each step the product that is fused into it, and whether a step is such a product.
    merged: Vec<Option<Ref>>,
    is_fused: Vec<bool>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(code: &'a Code, mode: Mode, is_short: bool) -> Builder<'a> {
        let merged = fused_products(code);
        let mut is_fused = vec![false; code.steps.len()];
        merged.iter().flatten().for_each(|product| is_fused[product.index()] = true);
        Builder {
            code,
            mode,
            is_short,
            level: Simd::best(),
            instrs: Vec::with_capacity(code.steps.len() + 4),
            of: vec![usize::MAX; code.steps.len()],
            merged,
            is_fused,
        }
    }

    /// Without reductions there is only one granularity.
    pub(super) fn level_of(&self, level: Granularity) -> Granularity {
        if self.mode == Mode::Map { Granularity::PerElement } else { level }
    }

    fn push(
        &mut self,
        kind: InstrKind,
        args: Vec<usize>,
        dtype: DType,
        level: Granularity,
    ) -> usize {
        let class = Class::of(dtype);
        let (place, register, stores) = (None, NO_REGISTER, Vec::new());
        let (is_kept, is_direct, is_chain_internal) = (false, false, false);
        self.instrs.push(Instr {
            kind,
            args,
            dtype,
            class,
            level,
            place,
            register,
            is_kept,
            stores,
            is_direct,
            is_chain_internal,
        });
        self.instrs.len() - 1
    }

    pub(super) fn step(&mut self, n: usize, place: Option<TileAccess>) {
        let step = &self.code.steps[n];
        if self.is_fused[n] && self.can_fuse() {
            return;
        }
        let (dtype, level) = (step.dtype, self.level_of(step.granularity));
        let old = step.op.args();
        let args: Vec<usize> = old.iter().map(|arg| self.of[arg.index()]).collect();
        self.of[n] = match &step.op {
            StepOp::Map { function, .. } => match self.merged[n].filter(|_| self.can_fuse()) {
                Some(product) => self.fused(*function, old, product, level),
                None => self.map(*function, args, dtype, level),
            },
            StepOp::Cast(_) => {
                let of = self.vector(args[0], level);
                let kind = match functions::cast(self.instrs[of].class, dtype, self.level) {
                    Some(function) => {
                        InstrKind::Map { function, forms: [true; 3], op: MapOp::Cast }
                    }
                    None => InstrKind::EvalCast,
                };
                self.push(kind, vec![of], dtype, level)
            }
            StepOp::Reduce { by, .. } => {
                let of = self.vector(args[0], Granularity::PerElement);
                let folds = fold::find(*by, self.instrs[of].class, self.level);
                let kind = InstrKind::Reduce { by: *by, folds, is_chained: false };
                self.push(kind, vec![of], dtype, level)
            }
            StepOp::Load { read, fill, .. } => {
                let copies = copy::loads(dtype, self.level);
                let load = InstrKind::Load { read: *read, fill: *fill, copies, is_direct: false };
                self.push(load, args, dtype, level)
            }
            StepOp::Const(value) => self.push(InstrKind::Const(*value), args, dtype, level),
            StepOp::Slot(slot) => self.push(InstrKind::Slot(*slot), args, dtype, level),
            StepOp::Iota { .. } => self.push(InstrKind::Iota, args, dtype, level),
            StepOp::Bits { draw, .. } => {
                self.push(InstrKind::Bits { draw: *draw }, args, dtype, level)
            }
            StepOp::Valid { .. } => self.push(InstrKind::Valid, args, dtype, level),
            StepOp::Anchor => self.push(InstrKind::Anchor, args, dtype, level),
        };
        let made = self.of[n];
        if place.is_some() {
            self.instrs[made].place = place;
        }
    }

    fn can_fuse(&self) -> bool {
        functions::can_fuse(self.level)
    }

    fn is_vector(&self, n: usize, level: Granularity) -> bool {
        is_vector(&self.instrs[n], self.mode, level)
    }

    /// The value with an element per lane: broadcasts it if it has one per row.
    pub(super) fn vector(&mut self, n: usize, level: Granularity) -> usize {
        if self.is_vector(n, level) {
            return n;
        }
        let is_it = |i: &Instr| i.args == [n] && i.level == level && is_broadcast(&i.kind);
        if let Some(found) = self.instrs.iter().position(is_it) {
            return found;
        }
        let function = functions::broadcast(self.instrs[n].class, self.level);
        let kind = InstrKind::Map { function, forms: [false; 3], op: MapOp::Broadcast };
        self.push(kind, vec![n], self.instrs[n].dtype, level)
    }

    fn forms(&self, args: &[usize], level: Granularity) -> [bool; 3] {
        let form = |n: usize| args.get(n).is_some_and(|&arg| self.is_vector(arg, level));
        [form(0), form(1), form(2)]
    }

    /// Short rows are processed many at a time, so every argument needs an element per lane.
    fn broadcast_args(&mut self, args: &mut [usize], level: Granularity) {
        if !self.is_short || level == Granularity::PerRow {
            return;
        }
        for arg in args {
            let is_number =
                matches!(self.instrs[*arg].kind, InstrKind::Const(_) | InstrKind::Slot(_));
            if !is_number {
                *arg = self.vector(*arg, level);
            }
        }
    }

    fn map(
        &mut self,
        row: Scalar,
        mut args: Vec<usize>,
        dtype: DType,
        level: Granularity,
    ) -> usize {
        let class = self.instrs[args[args.len() - 1]].class;
        self.broadcast_args(&mut args, level);
        let long = match functions::binary(row, class) {
            Some(function) => Some(InstrKind::Binary(function)),
            None => functions::unary(row, class).map(InstrKind::Unary),
        };
        if let Some(kind) = long {
            let args = args.iter().map(|&arg| self.vector(arg, level)).collect();
            return self.push(kind, args, dtype, level);
        }
        let mut forms = self.forms(&args, level);
        let mut function = functions::function(row, class, dtype, self.level, forms);
        if function.is_none() && !args.is_empty() {
            args[0] = self.vector(args[0], level);
            forms = self.forms(&args, level);
            function = functions::function(row, class, dtype, self.level, forms);
        }
        match function {
            Some(function) => {
                let kind = InstrKind::Map { function, forms, op: MapOp::Scalar(row) };
                self.push(kind, args, dtype, level)
            }
            None => self.push(InstrKind::Eval(row), args, dtype, level),
        }
    }

    /// Fuses a sum or difference with the product among its operands.
    fn fused(&mut self, row: Scalar, args: &[Ref], product: Ref, level: Granularity) -> usize {
        let StepOp::Map { args: factors, .. } = &self.code.steps[product.index()].op else {
            unreachable!("products are maps");
        };
        let is_first = args[0] == product;
        let other = if is_first { args[1] } else { args[0] };
        let form = match (row, is_first) {
            (Scalar::Add, _) => FusedMulAdd::MulAdd,
            (_, true) => FusedMulAdd::MulSub,
            (_, false) => FusedMulAdd::NegMulAdd,
        };
        let mut args: Vec<usize> =
            [factors[0], factors[1], other].iter().map(|arg| self.of[arg.index()]).collect();
        self.broadcast_args(&mut args, level);
        if self.forms(&args, level) == [false; 3] {
            args[0] = self.vector(args[0], level);
        }
        let forms = self.forms(&args, level);
        let function = functions::fused(form, self.level, forms).expect("a vector among them");
        let kind = InstrKind::Map { function, forms, op: MapOp::FusedMulAdd(form) };
        self.push(kind, args, DType::F32, level)
    }
}

/// For each step the product that can be fused into it: one with no other use.
fn fused_products(code: &Code) -> Vec<Option<Ref>> {
    let mut uses = vec![0usize; code.steps.len()];
    let mut stage = vec![0usize; code.steps.len()];
    for (n, step) in code.steps.iter().enumerate() {
        for arg in step.op.args() {
            uses[arg.index()] += 1;
            let is_reduced = matches!(code.steps[arg.index()].op, StepOp::Reduce { .. });
            stage[n] = stage[n].max(stage[arg.index()] + is_reduced as usize);
        }
    }
    code.stores.iter().for_each(|n| uses[n.index()] += 1);
    let can_fuse = |n: usize, product: &Ref| {
        let (sum, product) = (&code.steps[n], product.index());
        let step = &code.steps[product];
        matches!(&step.op, StepOp::Map { function: Scalar::Mul, .. })
            && uses[product] == 1
            && step.granularity == sum.granularity
            && stage[product] == stage[n]
            && sum.dtype == DType::F32
    };
    let find = |(n, step): (usize, &Step)| match &step.op {
        StepOp::Map { function: Scalar::Add | Scalar::Sub, args } => {
            args.iter().find(|arg| can_fuse(n, arg)).copied()
        }
        _ => None,
    };
    code.steps.iter().enumerate().map(find).collect()
}
