//! Preparing a kernel's code for this device: axes are ordered and merged as far as every operand
//! allows, tiles get their shape, and every step becomes an instruction with a function of its own.
use super::access::{Access, Axis, Frame, Lanes, Place};
use super::ahead::Streams;
use super::chain::{self, Around};
use super::class::Class;
use super::copy::{self, Copies};
use super::fold::{self, Folds};
use super::functions::{self, Fused};
use super::shape::{self, Extents, Mode};
use super::stages::{self, Stage};
use super::vector::Function;
use crate::level::Level as Simd;
use crate::vmath::{Binary, Unary};
use brasa_compile::kernel::{Code, Domain, DomainAxis, Level, Ref, What};
use brasa_ir::ops::{ReduceOp, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Number};

/// A kernel's code, ready to run.
pub(crate) struct Loop {
    pub(crate) axes: Vec<Axis>,
    pub(crate) mode: Mode,
    pub(crate) frame: Frame,
    pub(crate) extents: Extents,
    pub(crate) instrs: Vec<Instr>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) writes: Vec<Write>,
    pub(crate) streams: Streams,
    /// Bytes of registers that one thread needs.
    pub(crate) scratch: usize,
    /// The part of them that holds running results of reductions, and where those begin that chains
    /// leave for each row.
    pub(crate) running: std::ops::Range<usize>,
    pub(crate) chained: usize,
    /// Whether the last axis is that of the columns of a library op's result.
    pub(crate) has_columns: bool,
    /// Whether rows of tiles are too short for vectors of their own.
    pub(crate) is_short: bool,
    /// The number of its first write among those of the launch.
    pub(crate) first_write: usize,
}

pub(crate) struct Instr {
    pub(crate) kind: Kind,
    pub(crate) args: Vec<usize>,
    pub(crate) dtype: DType,
    pub(crate) class: Class,
    pub(crate) level: Level,
    /// Where elements lie, for instructions that look at memory or count elements.
    pub(crate) place: Option<Place>,
    /// Where the value is kept: a byte offset into the registers.
    pub(crate) register: usize,
    /// Whether the register holds the tiles of a whole row, for later stages.
    pub(crate) is_kept: bool,
    pub(crate) stores: Vec<usize>,
    /// Whether its result is written straight to the memory of its first store.
    pub(crate) is_direct: bool,
    /// Whether it is but a part of chains, which need no register for it.
    pub(crate) is_hidden: bool,
}

pub(crate) enum Kind {
    /// `is_direct`: the elements are used where they lie.
    Load {
        read: usize,
        fill: Number,
        copies: Copies,
        is_direct: bool,
    },
    Const(Number),
    Slot(usize),
    Iota,
    /// The seed is the argument.
    Bits {
        draw: u32,
    },
    Valid,
    /// `forms` tells which arguments have an element for each lane.
    Map {
        function: Function,
        forms: [bool; 3],
        meaning: Meaning,
    },
    Unary(Unary),
    Binary(Binary),
    /// By the meaning of the row.
    Plain(Scalar),
    PlainCast,
    /// `is_chained`: a chain has joined the lanes of each row to [`fold::RUNNING`] already.
    Reduce {
        by: ReduceOp,
        folds: Folds,
        is_chained: bool,
    },
    /// The result of the library op.
    Anchor,
}

/// What a function means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Row(Scalar),
    Fused(Fused),
    Cast,
    /// One number for each row becomes one for each lane.
    Spread,
}

pub(crate) struct Write {
    pub(crate) place: Place,
    pub(crate) dtype: DType,
    pub(crate) copies: Copies,
    /// Whether it may hit memory that a load or the anchor still points to.
    pub(crate) is_shared: bool,
    /// Whether it goes around the caches.
    pub(crate) is_streamed: bool,
}

/// What a kernel's code follows, and which buffers it sees twice.
#[derive(Clone, Copy, Default)]
pub(crate) struct Setting<'a> {
    /// Pairs of a read and a write that are one buffer.
    pub(crate) shared: &'a [(usize, usize)],
    /// Writes that need not pass through the caches.
    pub(crate) streamed: &'a [usize],
    /// The write that holds the library op's result until the code has read it.
    pub(crate) anchor: Option<usize>,
    /// The columns of the library op's result, or of the operand that is made for it, if it comes in
    /// rectangles.
    pub(crate) columns: Option<usize>,
    /// The number of the code's first write among those of the launch.
    pub(crate) first_write: usize,
    /// Whether the last two axes change places.
    pub(crate) is_turned: bool,
}

impl Loop {
    pub(crate) fn new(domain: &Domain, code: &Code, setting: Setting) -> Loop {
        let has_reduces = code.steps.iter().any(|s| matches!(s.what, What::Reduce { .. }));
        let domain = with_axes(domain);
        let mode = Mode::of(&domain, has_reduces);
        let mut drafts = Drafts::new(code, &domain);
        if setting.is_turned {
            drafts.turn();
        }
        drafts.order(mode, setting.columns);
        let has_columns =
            setting.columns.is_some_and(|n| drafts.axes[drafts.axes.len() - 1].len == n);
        let mode = Mode::of_axes(&drafts.axes, mode);
        let is_behind = setting.columns.is_some();
        let frame = shape::frame(&drafts.axes, mode, is_behind);
        let is_short = shape::is_short(&drafts.axes, &frame);
        let Drafts { axes, accesses, writes } = drafts;
        let merged = fused_products(code);
        let mut is_taken = vec![false; code.steps.len()];
        merged.iter().flatten().for_each(|product| is_taken[product.index()] = true);
        let mut builder = Builder {
            code,
            mode,
            is_short,
            level: Simd::best(),
            instrs: Vec::with_capacity(code.steps.len() + 4),
            of: vec![usize::MAX; code.steps.len()],
            merged,
            is_taken,
        };
        let place = |access: Access, level: Level| {
            Place::new(access, &axes, shape::frame_of(&frame, mode, level))
        };
        for (n, access) in accesses.into_iter().enumerate() {
            let at = builder.level_of(code.steps[n].level);
            builder.step(n, access.map(|access| place(access, at)));
        }
        let mut list: Vec<Write> = Vec::with_capacity(writes.len());
        for (w, access) in writes.into_iter().enumerate() {
            let step = code.stores[w];
            let at = builder.level_of(code.steps[step.index()].level);
            let n = builder.vector(builder.of[step.index()], at);
            builder.instrs[n].stores.push(w);
            let is_shared =
                setting.anchor == Some(w) || setting.shared.iter().any(|&(_, write)| write == w);
            let (place, dtype) = (place(access, at), code.steps[step.index()].dtype);
            let mut copies = copy::stores(dtype, builder.level);
            let can_stream = dtype == DType::F32 && place.is_plain(Lanes::Next) && !is_shared;
            let around =
                copy::around(builder.level).filter(|_| can_stream && setting.streamed.contains(&w));
            let is_streamed = around.is_some();
            copies.plain = around.unwrap_or(copies.plain);
            list.push(Write { place, dtype, copies, is_shared, is_streamed });
        }
        let mut instrs = builder.instrs;
        use_memory(&mut instrs, &list, setting.shared, is_short);
        let is_long = shape::is_long(&axes, mode, &frame);
        let mut stages = stages::sort(&mut instrs, is_long, shape::reduced(&axes));
        chain::find(&mut instrs, &mut stages, Around { writes: &list, setting, mode, is_short });
        let elements = axes.iter().map(|axis| axis.len).product();
        let streams = match is_behind {
            true => Streams::default(),
            false => Streams::of(&instrs, &stages, elements),
        };
        let mut prepared = Loop {
            extents: Extents::default(),
            axes,
            mode,
            frame,
            instrs,
            stages,
            writes: list,
            streams,
            scratch: 0,
            running: 0..0,
            chained: 0,
            has_columns,
            is_short,
            first_write: setting.first_write,
        };
        prepared.allocate(is_behind);
        prepared
    }

    pub(crate) fn is_by_columns(&self) -> bool {
        self.mode == Mode::Columns
    }

    /// The distance of the values of two rows of a tile: there is one for each, or one for all.
    pub(crate) fn row_bytes(&self, instr: &Instr) -> usize {
        let is_for_each = self.mode == Mode::Rows && instr.level == Level::Row;
        if is_for_each && !stages::is_number(&instr.kind) { instr.class.bytes() } else { 0 }
    }

    /// Whether a value has an element for each lane, for steps of a level.
    pub(crate) fn is_vector(&self, n: usize, level: Level) -> bool {
        is_vector(&self.instrs[n], self.mode, level)
    }
}

/// A scalar's domain has no axes, and a single row none that is kept; code is simpler with one.
fn with_axes(domain: &Domain) -> Domain {
    let mut domain = domain.clone();
    if domain.axes.iter().all(|axis| axis.is_reduced) {
        domain.axes.insert(0, DomainAxis { len: 1, is_reduced: false });
    }
    domain
}

/// Where steps and stores look, while axes are put in order.
struct Drafts {
    axes: Vec<Axis>,
    accesses: Vec<Option<Access>>,
    writes: Vec<Access>,
}

impl Drafts {
    fn new(code: &Code, domain: &Domain) -> Drafts {
        let plain = |level: Level| {
            let view = View::new(&domain.shape(level));
            Access::new(&view, domain, level)
        };
        let access = |step: &brasa_compile::kernel::Step| match &step.what {
            What::Load { view, .. }
            | What::Iota { view }
            | What::Bits { view, .. }
            | What::Valid { view } => {
                let shape = domain.shape(step.level);
                if view.shape()[..] == shape[..] {
                    return Some(Access::new(view, domain, step.level));
                }
                Some(Access::new(&view.reshape(&shape), domain, step.level))
            }
            What::Anchor => Some(plain(step.level)),
            _ => None,
        };
        let axis = |axis: &DomainAxis| Axis { len: axis.len, is_reduced: axis.is_reduced };
        Drafts {
            axes: domain.axes.iter().map(axis).collect(),
            accesses: code.steps.iter().map(access).collect(),
            writes: code.stores.iter().map(|n| plain(code.steps[n.index()].level)).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().flatten().chain(&self.writes)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        self.accesses.iter_mut().flatten().chain(&mut self.writes)
    }

    /// Exchanges the last two axes. What is written has no place of its own, and follows them.
    fn turn(&mut self) {
        let last = self.axes.len() - 1;
        let mut order: Vec<usize> = (0..=last).collect();
        order.swap(last - 1, last);
        self.axes.swap(last - 1, last);
        self.accesses.iter_mut().flatten().for_each(|access| access.permute(&order));
        let shape: Vec<usize> = self.axes.iter().map(|axis| axis.len).collect();
        let axis = |&len: &usize| DomainAxis { len, is_reduced: false };
        let domain = Domain { axes: shape.iter().map(axis).collect() };
        let plain = Access::new(&View::new(&shape), &domain, Level::Full);
        self.writes.fill(plain);
    }

    /// Puts the axes into the order in which tiles are cut from them, and merges them.
    fn order(&mut self, mode: Mode, columns: Option<usize>) {
        if mode == Mode::Rows && shape::has_short_rows(&self.axes) {
            let mut order: Vec<usize> = (0..self.axes.len()).collect();
            order.sort_by_key(|&n| !self.axes[n].is_reduced);
            self.axes = order.iter().map(|&n| self.axes[n]).collect();
            self.all_mut().for_each(|access| access.permute(&order));
        }
        let mut below = 1;
        for n in (0..self.axes.len().saturating_sub(1)).rev() {
            below *= self.axes[n + 1].len;
            let (outer, inner) = (self.axes[n], self.axes[n + 1]);
            let can_merge = outer.is_reduced == inner.is_reduced
                && columns != Some(below)
                && self.all().all(|access| access.merges(n, &self.axes));
            if !can_merge {
                continue;
            }
            let len = outer.len * inner.len;
            self.all_mut().for_each(|access| access.merge(n, len));
            self.axes.remove(n);
            self.axes[n].len = len;
            below /= inner.len.max(1);
        }
        if let Some(columns) = columns {
            self.cut(columns);
        }
    }

    /// Cuts the last axis so that it becomes that of the columns, where this can be.
    fn cut(&mut self, columns: usize) {
        let last = self.axes.len() - 1;
        let len = self.axes[last].len;
        if columns == 0 || len <= columns || !len.is_multiple_of(columns) {
            return;
        }
        if self.all().all(|access| access.splits(last, &self.axes)) {
            let outer = len / columns;
            self.all_mut().for_each(|access| access.split(last, outer, columns));
            self.axes.insert(last, Axis { len: outer, is_reduced: false });
            self.axes[last + 1].len = columns;
        }
    }
}

/// For each step the product that it can take into itself: one that nothing else needs.
fn fused_products(code: &Code) -> Vec<Option<Ref>> {
    let mut uses = vec![0usize; code.steps.len()];
    let mut stage = vec![0usize; code.steps.len()];
    for (n, step) in code.steps.iter().enumerate() {
        let args = arguments(&step.what);
        for arg in args {
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
    let find = |(n, step): (usize, &brasa_compile::kernel::Step)| match &step.what {
        What::Map { row: Scalar::Add | Scalar::Sub, args } => {
            args.iter().find(|arg| can_fuse(n, arg)).copied()
        }
        _ => None,
    };
    code.steps.iter().enumerate().map(find).collect()
}

fn arguments(what: &What) -> &[Ref] {
    match what {
        What::Map { args, .. } => args,
        What::Cast(of) | What::Reduce { of, .. } => std::slice::from_ref(of),
        What::Bits { seed, .. } => std::slice::from_ref(seed),
        _ => &[],
    }
}

/// Makes instructions of steps.
struct Builder<'a> {
    code: &'a Code,
    mode: Mode,
    is_short: bool,
    level: Simd,
    instrs: Vec<Instr>,
    /// The instruction that has a step's value.
    of: Vec<usize>,
    /// The product that a step takes into itself, and whether a step is such a product.
    merged: Vec<Option<Ref>>,
    is_taken: Vec<bool>,
}

impl Builder<'_> {
    /// Without reductions there is but one level.
    fn level_of(&self, level: Level) -> Level {
        if self.mode == Mode::Map { Level::Full } else { level }
    }

    fn push(&mut self, kind: Kind, args: Vec<usize>, dtype: DType, level: Level) -> usize {
        let class = Class::of(dtype);
        let (place, register, stores) = (None, 0, Vec::new());
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

    fn step(&mut self, n: usize, place: Option<Place>) {
        let step = &self.code.steps[n];
        if self.is_taken[n] && self.can_fuse() {
            return;
        }
        let (dtype, level) = (step.dtype, self.level_of(step.level));
        let old = arguments(&step.what);
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
    fn vector(&mut self, n: usize, level: Level) -> usize {
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

/// Whether a value has an element for each lane, for steps of a level; else one for each row.
pub(crate) fn is_vector(instr: &Instr, mode: Mode, level: Level) -> bool {
    let is_same = || instr.place.as_ref().is_some_and(|place| place.is_plain(Lanes::Same));
    match instr.kind {
        Kind::Const(_) | Kind::Slot(_) => false,
        _ if instr.level == Level::Row => level == Level::Row || mode == Mode::Columns,
        Kind::Load { .. } => !is_same() || !Class::is_stored_as(instr.dtype),
        Kind::Iota => !is_same(),
        _ => true,
    }
}

pub(crate) fn is_spread(kind: &Kind) -> bool {
    matches!(kind, Kind::Map { meaning: Meaning::Spread, .. })
}

/// Decides which loads and results stay in the memory of their buffers.
fn use_memory(instrs: &mut [Instr], writes: &[Write], shared: &[(usize, usize)], is_short: bool) {
    for instr in instrs {
        let is_row = instr.level == Level::Row;
        let is_stored = Class::is_stored_as(instr.dtype);
        if let (Kind::Load { read, is_direct, .. }, Some(place)) = (&mut instr.kind, &instr.place) {
            // What is written to the buffer of another load must not be that buffer itself.
            let is_moved = !instr.stores.is_empty() && shared.iter().any(|&(r, _)| r == *read);
            let is_laid = place.lanes == Lanes::Next || (!is_row && place.is_plain(Lanes::Same));
            *is_direct = is_stored && is_laid && !is_moved;
        }
        let is_computed = matches!(instr.kind, Kind::Map { .. } | Kind::Unary(_) | Kind::Binary(_));
        instr.is_direct = is_computed
            && (!is_short || is_row)
            && instr.stores.first().is_some_and(|&w| {
                let write = &writes[w];
                Class::is_stored_as(write.dtype)
                    && write.place.is_plain(Lanes::Next)
                    && !write.is_shared
                    && !write.is_streamed
            });
    }
}
