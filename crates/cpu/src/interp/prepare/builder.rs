//! Makes instructions of a kernel's steps: each gets the function that fits the forms of its
//! arguments, and a sum takes a product into itself that nothing else needs.
use super::{Instr, Kind, Meaning, NO_REGISTER, is_spread, is_vector};
use crate::interp::access::Place;
use crate::interp::class::Class;
use crate::interp::functions::{self, Fused};
use crate::interp::shape::Mode;
use crate::interp::{copy, fold};
use crate::level::Level as Simd;
use brasa_compile::kernel::{Code, Level, Ref, Step, What};
use brasa_ir::DType;
use brasa_ir::ops::Scalar;

/// Makes instructions of steps.
pub(super) struct Builder<'a> {
    code: &'a Code,
    mode: Mode,
    is_short: bool,
    pub(super) level: Simd,
    pub(super) instrs: Vec<Instr>,
    /// The instruction that has a step's value.
    pub(super) of: Vec<usize>,
    /// The product that a step takes into itself, and whether a step is such a product.
    merged: Vec<Option<Ref>>,
    is_taken: Vec<bool>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(code: &'a Code, mode: Mode, is_short: bool) -> Builder<'a> {
        let merged = fused_products(code);
        let mut is_taken = vec![false; code.steps.len()];
        merged.iter().flatten().for_each(|product| is_taken[product.index()] = true);
        Builder {
            code,
            mode,
            is_short,
            level: Simd::best(),
            instrs: Vec::with_capacity(code.steps.len() + 4),
            of: vec![usize::MAX; code.steps.len()],
            merged,
            is_taken,
        }
    }

    /// Without reductions there is but one level.
    pub(super) fn level_of(&self, level: Level) -> Level {
        if self.mode == Mode::Map { Level::Full } else { level }
    }

    fn push(&mut self, kind: Kind, args: Vec<usize>, dtype: DType, level: Level) -> usize {
        let class = Class::of(dtype);
        let (place, register, stores) = (None, NO_REGISTER, Vec::new());
        let (is_kept, is_direct, is_hidden) = (false, false, false);
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
            is_hidden,
        });
        self.instrs.len() - 1
    }

    pub(super) fn step(&mut self, n: usize, place: Option<Place>) {
        let step = &self.code.steps[n];
        if self.is_taken[n] && self.can_fuse() {
            return;
        }
        let (dtype, level) = (step.dtype, self.level_of(step.level));
        let old = step.what.args();
        let args: Vec<usize> = old.iter().map(|arg| self.of[arg.index()]).collect();
        self.of[n] = match &step.what {
            What::Map { row, .. } => match self.merged[n].filter(|_| self.can_fuse()) {
                Some(product) => self.fused(*row, old, product, level),
                None => self.map(*row, args, dtype, level),
            },
            What::Cast(_) => {
                let of = self.vector(args[0], level);
                let kind = match functions::cast(self.instrs[of].class, dtype, self.level) {
                    Some(function) => {
                        Kind::Map { function, forms: [true; 3], meaning: Meaning::Cast }
                    }
                    None => Kind::PlainCast,
                };
                self.push(kind, vec![of], dtype, level)
            }
            What::Reduce { by, .. } => {
                let of = self.vector(args[0], Level::Full);
                let folds = fold::find(*by, self.instrs[of].class, self.level);
                let kind = Kind::Reduce { by: *by, folds, is_chained: false };
                self.push(kind, vec![of], dtype, level)
            }
            What::Load { read, fill, .. } => {
                let copies = copy::loads(dtype, self.level);
                let load = Kind::Load { read: *read, fill: *fill, copies, is_direct: false };
                self.push(load, args, dtype, level)
            }
            What::Const(value) => self.push(Kind::Const(*value), args, dtype, level),
            What::Slot(slot) => self.push(Kind::Slot(*slot), args, dtype, level),
            What::Iota { .. } => self.push(Kind::Iota, args, dtype, level),
            What::Bits { draw, .. } => self.push(Kind::Bits { draw: *draw }, args, dtype, level),
            What::Valid { .. } => self.push(Kind::Valid, args, dtype, level),
            What::Anchor => self.push(Kind::Anchor, args, dtype, level),
        };
        let made = self.of[n];
        if place.is_some() {
            self.instrs[made].place = place;
        }
    }

    fn can_fuse(&self) -> bool {
        functions::can_fuse(self.level)
    }

    fn is_vector(&self, n: usize, level: Level) -> bool {
        is_vector(&self.instrs[n], self.mode, level)
    }

    /// The value with an element for each lane.
    pub(super) fn vector(&mut self, n: usize, level: Level) -> usize {
        if self.is_vector(n, level) {
            return n;
        }
        let is_it = |i: &Instr| i.args == [n] && i.level == level && is_spread(&i.kind);
        if let Some(found) = self.instrs.iter().position(is_it) {
            return found;
        }
        let function = functions::spread(self.instrs[n].class, self.level);
        let kind = Kind::Map { function, forms: [false; 3], meaning: Meaning::Spread };
        self.push(kind, vec![n], self.instrs[n].dtype, level)
    }

    fn forms(&self, args: &[usize], level: Level) -> [bool; 3] {
        let form = |n: usize| args.get(n).is_some_and(|&arg| self.is_vector(arg, level));
        [form(0), form(1), form(2)]
    }

    /// Short rows are done many at a time, for which every argument has to have all elements.
    fn lengthen(&mut self, args: &mut [usize], level: Level) {
        if !self.is_short || level == Level::Row {
            return;
        }
        for arg in args {
            let is_number = matches!(self.instrs[*arg].kind, Kind::Const(_) | Kind::Slot(_));
            if !is_number {
                *arg = self.vector(*arg, level);
            }
        }
    }

    fn map(&mut self, row: Scalar, mut args: Vec<usize>, dtype: DType, level: Level) -> usize {
        let class = self.instrs[args[args.len() - 1]].class;
        self.lengthen(&mut args, level);
        let long = match functions::binary(row, class) {
            Some(function) => Some(Kind::Binary(function)),
            None => functions::unary(row, class).map(Kind::Unary),
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
                let kind = Kind::Map { function, forms, meaning: Meaning::Row(row) };
                self.push(kind, args, dtype, level)
            }
            None => self.push(Kind::Plain(row), args, dtype, level),
        }
    }

    /// A sum or difference together with one of its operands, a product.
    fn fused(&mut self, row: Scalar, args: &[Ref], product: Ref, level: Level) -> usize {
        let What::Map { args: factors, .. } = &self.code.steps[product.index()].what else {
            unreachable!("products are maps");
        };
        let is_first = args[0] == product;
        let other = if is_first { args[1] } else { args[0] };
        let form = match (row, is_first) {
            (Scalar::Add, _) => Fused::Add,
            (_, true) => Fused::Sub,
            (_, false) => Fused::From,
        };
        let mut args: Vec<usize> =
            [factors[0], factors[1], other].iter().map(|arg| self.of[arg.index()]).collect();
        self.lengthen(&mut args, level);
        if self.forms(&args, level) == [false; 3] {
            args[0] = self.vector(args[0], level);
        }
        let forms = self.forms(&args, level);
        let function = functions::fused(form, self.level, forms).expect("a vector among them");
        let kind = Kind::Map { function, forms, meaning: Meaning::Fused(form) };
        self.push(kind, args, DType::F32, level)
    }
}

/// For each step the product that it can take into itself: one that nothing else needs.
fn fused_products(code: &Code) -> Vec<Option<Ref>> {
    let mut uses = vec![0usize; code.steps.len()];
    let mut stage = vec![0usize; code.steps.len()];
    for (n, step) in code.steps.iter().enumerate() {
        for arg in step.what.args() {
            uses[arg.index()] += 1;
            let is_reduced = matches!(code.steps[arg.index()].what, What::Reduce { .. });
            stage[n] = stage[n].max(stage[arg.index()] + is_reduced as usize);
        }
    }
    code.stores.iter().for_each(|n| uses[n.index()] += 1);
    let can_fuse = |n: usize, product: &Ref| {
        let (sum, product) = (&code.steps[n], product.index());
        let step = &code.steps[product];
        matches!(&step.what, What::Map { row: Scalar::Mul, .. })
            && uses[product] == 1
            && step.level == sum.level
            && stage[product] == stage[n]
            && sum.dtype == DType::F32
    };
    let find = |(n, step): (usize, &Step)| match &step.what {
        What::Map { row: Scalar::Add | Scalar::Sub, args } => {
            args.iter().find(|arg| can_fuse(n, arg)).copied()
        }
        _ => None,
    };
    code.steps.iter().enumerate().map(find).collect()
}
