//! Preparing a kernel's code for this device: axes are merged as far as every operand allows, steps
//! are sorted into stages between reductions, and every value gets a register.
use super::access::{Access, Axis};
use super::block::Class;
use brasa_compile::kernel::{Code, Domain, DomainAxis, Kernel, Level, What};
use brasa_ir::ops::{ReduceOp, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Number};

/// A kernel's code, ready to run.
pub(crate) struct Loop {
    pub(crate) axes: Vec<Axis>,
    pub(crate) instrs: Vec<Instr>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) writes: Vec<Write>,
    /// Elements per block.
    pub(crate) block: usize,
    /// Bytes of registers that one thread needs.
    pub(crate) scratch: usize,
    /// Whether a write may hit memory that a load still points to.
    pub(crate) is_in_place: bool,
}

pub(crate) struct Instr {
    pub(crate) kind: Kind,
    pub(crate) dtype: DType,
    pub(crate) class: Class,
    pub(crate) level: Level,
    /// Where the value is kept: a byte offset into the registers.
    pub(crate) register: usize,
    /// Whether the register holds a whole row, for later stages.
    pub(crate) is_kept: bool,
    pub(crate) stores: Vec<usize>,
}

pub(crate) enum Kind {
    Load { read: usize, access: Access, fill: Number, layout: Layout },
    Const(Number),
    Slot(usize),
    Iota(Access),
    Bits { draw: u32, seed: usize, access: Access },
    Valid(Access),
    Map { row: Scalar, args: Vec<usize> },
    Cast(usize),
    Reduce { by: ReduceOp, of: usize },
    Anchor,
}

/// How the elements of a block lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One after the other.
    Flat,
    /// One after the other along the last axis.
    Rows,
    /// In any way, or not as registers hold them.
    Other,
}

impl Layout {
    fn of(access: &Access, axes: &[Axis], class: Class, dtype: DType) -> Layout {
        // Blocks run over axes of the kind of the last one.
        let is_by_rows = axes.last().is_some_and(|axis| axis.is_reduced);
        let is_lane = |axis: Axis| axis.is_reduced == is_by_rows;
        match class.is_stored_as(dtype) {
            true if access.is_flat(axes, is_lane) => Layout::Flat,
            true if access.is_plain(axes) => Layout::Rows,
            _ => Layout::Other,
        }
    }
}

/// What runs between one set of reductions and the next.
#[derive(Default)]
pub(crate) struct Stage {
    /// Steps with one value for each row.
    pub(crate) rows: Vec<usize>,
    /// Steps with a value for each element.
    pub(crate) elements: Vec<usize>,
    pub(crate) reduces: Vec<usize>,
}

pub(crate) struct Write {
    pub(crate) access: Access,
    pub(crate) dtype: DType,
    pub(crate) layout: Layout,
}

/// Registers of a kernel stay within half of a 48 KiB first-level cache.
const REGISTER_BYTES: usize = 24 << 10;
const LARGEST_BLOCK: usize = 512;
/// Axes shorter than this do not fill a block alone.
const SHORT_AXIS: usize = 64;
/// Indices of blocks that run over several axes are kept on the stack.
pub(crate) const MOST_AXES: usize = 16;

impl Loop {
    pub(crate) fn new(kernel: &Kernel, is_in_place: bool) -> Loop {
        let domain = with_an_axis(&kernel.domain);
        let mut axes: Vec<Axis> = domain
            .axes
            .iter()
            .map(|axis| Axis { len: axis.len, is_reduced: axis.is_reduced })
            .collect();
        let code = &kernel.code;
        let mut instrs = instructions(code, &domain);
        let mut writes = writes(code, &domain);
        reduce_short_rows_by_columns(&mut axes, &mut instrs, &mut writes);
        merge_axes(&mut axes, &mut instrs, &mut writes);
        for instr in &mut instrs {
            let (class, dtype) = (instr.class, instr.dtype);
            if let Kind::Load { access, layout, .. } = &mut instr.kind {
                *layout = Layout::of(access, &axes, class, dtype);
            }
        }
        for (write, value) in writes.iter_mut().zip(&code.stores) {
            let class = instrs[value.index()].class;
            write.layout = Layout::of(&write.access, &axes, class, write.dtype);
        }
        let stages = stages(&mut instrs);
        let mut prepared = Loop { axes, instrs, stages, writes, block: 0, scratch: 0, is_in_place };
        prepared.allocate();
        prepared
    }

    /// A write that can hold a library op's result of this dtype until the code has read it: the
    /// result's own, or else any that is as large and that the code does not read itself.
    pub(crate) fn anchor_write(&self, dtype: DType, is_read: &[bool]) -> Option<usize> {
        let is_anchor = |instr: &&Instr| matches!(instr.kind, Kind::Anchor);
        let own = self.instrs.iter().find(is_anchor).and_then(|i| i.stores.first().copied());
        let own = own.filter(|&w| !is_read[w]);
        let fits = |&w: &usize| {
            self.writes[w].layout == Layout::Flat && self.writes[w].dtype == dtype && !is_read[w]
        };
        own.or_else(|| (0..self.writes.len()).find(fits))
    }

    fn last(&self) -> Axis {
        *self.axes.last().expect("a space has an axis")
    }

    pub(crate) fn has_reduces(&self) -> bool {
        self.stages.iter().any(|stage| !stage.reduces.is_empty())
    }

    /// Whether vectors run along a kept axis, and reductions across them.
    pub(crate) fn is_by_columns(&self) -> bool {
        !self.last().is_reduced
    }

    /// Whether blocks run over several axes: those of one alone would be too short.
    pub(crate) fn is_flattened(&self) -> bool {
        self.last().len < SHORT_AXIS && self.axes.len() <= MOST_AXES
    }

    /// Whether blocks may run over an axis.
    pub(crate) fn is_lane(&self, n: usize) -> bool {
        match self.is_flattened() {
            true => self.axes[n].is_reduced == self.last().is_reduced,
            false => n + 1 == self.axes.len(),
        }
    }

    /// The elements that blocks are cut from.
    pub(crate) fn lanes(&self) -> usize {
        (0..self.axes.len()).filter(|&n| self.is_lane(n)).map(|n| self.axes[n].len).product()
    }

    /// How many blocks one row consists of, or how many vectors one block of columns.
    pub(crate) fn positions(&self) -> usize {
        let is_walked = |n: &usize| self.axes[*n].is_reduced && !self.is_lane(*n);
        let walked = (0..self.axes.len()).filter(is_walked).map(|n| self.axes[n].len);
        let walked: usize = walked.product();
        match self.is_by_columns() {
            true => walked,
            false => walked * self.lanes().div_ceil(self.block),
        }
    }

    fn allocate(&mut self) {
        let live = self.instrs.len().max(1);
        let most = (REGISTER_BYTES / (4 * live)).clamp(64, LARGEST_BLOCK) / 16 * 16;
        self.block = most.min(self.lanes().max(1));
        let positions = self.positions().max(1);
        let lanes = self.block.next_multiple_of(16);
        let mut next = 0;
        for instr in &mut self.instrs {
            let blocks = if instr.is_kept { positions } else { 1 };
            instr.register = next;
            // Sums are kept as f64 beside their result.
            let bytes = if let Kind::Reduce { .. } = instr.kind { 24 } else { 8 };
            next += blocks * lanes * bytes;
        }
        self.scratch = next;
    }

    /// Bytes from one block of a kept register to the next.
    pub(crate) fn block_bytes(&self) -> usize {
        self.block.next_multiple_of(16) * 8
    }
}

/// A scalar's domain has no axes; code is simpler with one of length one.
fn with_an_axis(domain: &Domain) -> Domain {
    let mut domain = domain.clone();
    if domain.axes.is_empty() {
        domain.axes.push(DomainAxis { len: 1, is_reduced: false });
    }
    domain
}

fn instructions(code: &Code, domain: &Domain) -> Vec<Instr> {
    let mut instrs = Vec::with_capacity(code.steps.len());
    for (n, step) in code.steps.iter().enumerate() {
        let shape = domain.shape(step.level);
        let access = |view: &View| {
            let view =
                if view.shape()[..] == shape[..] { view.clone() } else { view.reshape(&shape) };
            Access::new(&view, domain, step.level)
        };
        let kind = match &step.what {
            What::Load { read, view, fill } => {
                Kind::Load { read: *read, access: access(view), fill: *fill, layout: Layout::Other }
            }
            What::Const(value) => Kind::Const(*value),
            What::Slot(slot) => Kind::Slot(*slot),
            What::Iota { view } => Kind::Iota(access(view)),
            What::Bits { draw, seed, view } => {
                Kind::Bits { draw: *draw, seed: seed.index(), access: access(view) }
            }
            What::Valid { view } => Kind::Valid(access(view)),
            What::Map { row, args } => {
                Kind::Map { row: *row, args: args.iter().map(|a| a.index()).collect() }
            }
            What::Cast(of) => Kind::Cast(of.index()),
            What::Reduce { by, of } => Kind::Reduce { by: *by, of: of.index() },
            What::Anchor => Kind::Anchor,
        };
        let stores = code.stores.iter().enumerate();
        let stores = stores.filter(|(_, value)| value.index() == n).map(|(w, _)| w).collect();
        let (dtype, class, level) = (step.dtype, Class::of(step.dtype), step.level);
        instrs.push(Instr { kind, dtype, class, level, register: 0, is_kept: false, stores });
    }
    instrs
}

fn writes(code: &Code, domain: &Domain) -> Vec<Write> {
    let write = |value: &brasa_compile::kernel::Ref| {
        let step = &code.steps[value.index()];
        let view = View::new(&domain.shape(step.level));
        let access = Access::new(&view, domain, step.level);
        Write { access, dtype: step.dtype, layout: Layout::Other }
    };
    code.stores.iter().map(write).collect()
}

/// Rows shorter than this are not worth a vector of their own.
const SHORT_ROW: usize = 32;

/// Moves reduced axes in front of the kept ones where rows are short, so that vectors run across
/// many rows.
fn reduce_short_rows_by_columns(axes: &mut Vec<Axis>, instrs: &mut [Instr], writes: &mut [Write]) {
    let reduced: usize = axes.iter().filter(|a| a.is_reduced).map(|a| a.len).product();
    let kept: usize = axes.iter().filter(|a| !a.is_reduced).map(|a| a.len).product();
    let is_by_rows = axes.last().is_some_and(|axis| axis.is_reduced);
    if !is_by_rows || reduced >= SHORT_ROW || kept < SHORT_ROW {
        return;
    }
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&n| !axes[n].is_reduced);
    let accesses = instrs.iter_mut().filter_map(|i| i.access_mut());
    accesses.chain(writes.iter_mut().map(|w| &mut w.access)).for_each(|a| a.permute(&order));
    *axes = order.iter().map(|&n| axes[n]).collect();
}

/// Makes one axis of two wherever every access can walk them as one.
fn merge_axes(axes: &mut Vec<Axis>, instrs: &mut [Instr], writes: &mut [Write]) {
    for n in (0..axes.len().saturating_sub(1)).rev() {
        let accesses = instrs.iter().filter_map(|i| i.access());
        let can_merge = axes[n].is_reduced == axes[n + 1].is_reduced
            && accesses.chain(writes.iter().map(|w| &w.access)).all(|a| a.merges(n, axes));
        if !can_merge {
            continue;
        }
        let len = axes[n].len * axes[n + 1].len;
        let accesses = instrs.iter_mut().filter_map(|i| i.access_mut());
        accesses.chain(writes.iter_mut().map(|w| &mut w.access)).for_each(|a| a.merge(n, len));
        axes.remove(n);
        axes[n].len = len;
    }
}

impl Instr {
    fn access(&self) -> Option<&Access> {
        match &self.kind {
            Kind::Load { access, .. } | Kind::Iota(access) | Kind::Valid(access) => Some(access),
            Kind::Bits { access, .. } => Some(access),
            _ => None,
        }
    }

    fn access_mut(&mut self) -> Option<&mut Access> {
        match &mut self.kind {
            Kind::Load { access, .. } | Kind::Iota(access) | Kind::Valid(access) => Some(access),
            Kind::Bits { access, .. } => Some(access),
            _ => None,
        }
    }

    fn args(&self) -> &[usize] {
        match &self.kind {
            Kind::Map { args, .. } => args,
            Kind::Cast(of) | Kind::Reduce { of, .. } => std::slice::from_ref(of),
            Kind::Bits { seed, .. } => std::slice::from_ref(seed),
            _ => &[],
        }
    }

    /// Cheaper to do again in a later stage than to keep.
    fn is_repeated(&self) -> bool {
        matches!(
            self.kind,
            Kind::Load { .. } | Kind::Const(_) | Kind::Slot(_) | Kind::Iota(_) | Kind::Valid(_)
        )
    }
}

/// Sorts the steps into stages and marks the values that must outlive theirs.
fn stages(instrs: &mut [Instr]) -> Vec<Stage> {
    let mut stage_of = vec![0usize; instrs.len()];
    for n in 0..instrs.len() {
        let after = |&arg: &usize| {
            let is_reduced = matches!(instrs[arg].kind, Kind::Reduce { .. });
            stage_of[arg] + is_reduced as usize
        };
        stage_of[n] = instrs[n].args().iter().map(after).max().unwrap_or(0);
    }
    let count = stage_of.iter().max().map_or(0, |last| last + 1);
    let mut stages: Vec<Stage> = (0..count).map(|_| Stage::default()).collect();
    let mut is_in = vec![vec![false; instrs.len()]; count];
    for n in 0..instrs.len() {
        let at = stage_of[n];
        if let Kind::Reduce { .. } = instrs[n].kind {
            stages[at].reduces.push(n);
        } else if !instrs[n].is_repeated() || !instrs[n].stores.is_empty() {
            is_in[at][n] = true;
        }
        for arg in instrs[n].args().to_vec() {
            let is_earlier = stage_of[arg] < at && instrs[arg].level == Level::Full;
            match instrs[arg].is_repeated() {
                true => is_in[at][arg] = true,
                false => instrs[arg].is_kept |= is_earlier,
            }
        }
    }
    for (stage, is_in) in stages.iter_mut().zip(is_in) {
        for n in (0..instrs.len()).filter(|&n| is_in[n]) {
            match instrs[n].level {
                Level::Row => stage.rows.push(n),
                Level::Full => stage.elements.push(n),
            }
        }
    }
    stages
}
