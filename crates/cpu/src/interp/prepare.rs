//! Preparing a kernel's code for this device: axes are ordered and merged as far as every operand
//! allows, tiles get their shape, and every step becomes an instruction with a function of its own.
mod axes;
mod builder;

use super::access::{Access, Axis, Frame, Lanes, Place};
use super::ahead::Streams;
use super::chain::{self, Around};
use super::class::Class;
use super::copy::{self, Copies};
use super::fold::Folds;
use super::functions::Fused;
use super::shape::{self, Extents, Mode};
use super::stages::{self, Stage};
use super::vector::Function;
use crate::vmath::{Binary, Unary};
use axes::{Drafts, with_axes};
use brasa_compile::kernel::{Code, Domain, Level, What};
use brasa_ir::ops::{ReduceOp, Scalar};
use brasa_ir::{DType, Number};
use builder::Builder;

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
    /// Where the value is kept: a byte offset into the registers, or [`NO_REGISTER`].
    pub(crate) register: usize,
    /// Whether the register holds the tiles of a whole row, for later stages.
    pub(crate) is_kept: bool,
    pub(crate) stores: Vec<usize>,
    /// Whether its result is written straight to the memory of its first store.
    pub(crate) is_direct: bool,
    /// Whether it is but a part of chains, which need no register for it.
    pub(crate) is_hidden: bool,
}

/// The register of values that lie in memory, in another's register, or only inside of chains.
pub(crate) const NO_REGISTER: usize = usize::MAX;

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
    /// `is_chained`: a chain has joined the lanes of each row to [`super::fold::RUNNING`] already.
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
        let mut builder = Builder::new(code, mode, is_short);
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
