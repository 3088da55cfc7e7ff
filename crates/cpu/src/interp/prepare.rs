//! Prepares a kernel's code for this device: orders and merges axes as far as every operand
//! allows, chooses the shape of tiles, and turns every step into an instruction with a compiled
//! function.
mod axes;
mod builder;

use super::access::{Access, Axis, Frame, LaneLayout, TileAccess};
use super::chain::{self, LoopInfo};
use super::class::Class;
use super::copy::{self, Copies};
use super::fold::Folds;
use super::functions::FusedMulAdd;
use super::prefetch::Streams;
use super::shape::{self, Extents, Mode};
use super::stages::{self, Stage};
use super::vector::TileFn;
use crate::vmath::{Binary, Unary};
use axes::{LoopNest, with_axes};
use brasa_compile::kernel::{Code, Domain, Granularity, StepOp};
use brasa_ir::ops::{ReduceOp, Scalar};
use brasa_ir::{DType, Number};
use builder::Builder;

/// A kernel's code, prepared for this machine.
pub(crate) struct Loop {
    pub(crate) axes: Vec<Axis>,
    pub(crate) mode: Mode,
    pub(crate) frame: Frame,
    pub(crate) extents: Extents,
    pub(crate) instrs: Vec<Instr>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) writes: Vec<Write>,
    pub(crate) streams: Streams,
    /// Bytes of registers per thread.
    pub(crate) scratch: usize,
    /// The bytes of the registers that hold running results of reductions, and the offset of the
    /// partial results that chains leave for each row.
    pub(crate) running: std::ops::Range<usize>,
    pub(crate) chained: usize,
    /// Whether the last axis is the column axis of the library op's result.
    pub(crate) has_columns: bool,
    /// Whether rows of tiles are too short to fill vectors.
    pub(crate) is_short: bool,
    /// Index of the loop's first write among those of the launch.
    pub(crate) first_write: usize,
}

pub(crate) struct Instr {
    pub(crate) kind: InstrKind,
    pub(crate) args: Vec<usize>,
    pub(crate) dtype: DType,
    pub(crate) class: Class,
    pub(crate) level: Granularity,
    /// Where elements lie, for instructions that access memory or compute element indices.
    pub(crate) place: Option<TileAccess>,
    /// Byte offset of the value's register, or [`NO_REGISTER`].
    pub(crate) register: usize,
    /// Whether the register holds all tiles of a row, for later stages.
    pub(crate) is_kept: bool,
    pub(crate) stores: Vec<usize>,
    /// Whether the result is written directly to the buffer of the first store.
    pub(crate) is_direct: bool,
    /// Whether the value exists only inside chains and needs no register.
    pub(crate) is_chain_internal: bool,
}

/// The register of values that lie in a buffer, in another value's register, or only inside
/// chains.
pub(crate) const NO_REGISTER: usize = usize::MAX;

pub(crate) enum InstrKind {
    /// `is_direct`: elements are used in the buffer, without a copy.
    Load {
        read: usize,
        fill: Number,
        copies: Copies,
        is_direct: bool,
    },
    Const(Number),
    Slot(usize),
    Iota,
    /// Random bits; the argument is the seed.
    Bits {
        draw: u32,
    },
    Valid,
    /// `forms`: whether each argument has an element per lane, or one per row.
    Map {
        function: TileFn,
        forms: [bool; 3],
        op: MapOp,
    },
    Unary(Unary),
    Binary(Binary),
    /// Evaluated by the op table's `eval`.
    Eval(Scalar),
    EvalCast,
    /// `is_chained`: a chain has already reduced the lanes of each row to [`super::fold::RUNNING`]
    /// partial results.
    Reduce {
        by: ReduceOp,
        folds: Folds,
        is_chained: bool,
    },
    /// The result of the library op that this loop is the epilogue of.
    Anchor,
}

/// What the function of a map computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapOp {
    Scalar(Scalar),
    FusedMulAdd(FusedMulAdd),
    Cast,
    /// Broadcasts one number per row to all lanes.
    Broadcast,
}

pub(crate) struct Write {
    pub(crate) place: TileAccess,
    pub(crate) dtype: DType,
    pub(crate) copies: Copies,
    /// Whether it may overwrite memory that a load or the anchor still reads.
    pub(crate) is_shared: bool,
    /// Whether it uses streaming stores, which bypass the caches.
    pub(crate) is_streamed: bool,
}

/// How a loop is embedded in its launch: aliased buffers, and the library op around it.
#[derive(Clone, Copy, Default)]
pub(crate) struct LoopOptions<'a> {
    /// Pairs (read, write) that are one buffer.
    pub(crate) shared: &'a [(usize, usize)],
    /// Writes that may bypass the caches.
    pub(crate) streamed: &'a [usize],
    /// The write whose buffer holds the library op's result until the code has read it.
    pub(crate) anchor: Option<usize>,
    /// For an epilogue or prologue that runs on rectangles: the columns of the library op's
    /// result, or of the operand to produce.
    pub(crate) columns: Option<usize>,
    /// Index of the code's first write among those of the launch.
    pub(crate) first_write: usize,
    /// Whether the last two axes are exchanged.
    pub(crate) swaps_last_axes: bool,
}

impl Loop {
    pub(crate) fn new(domain: &Domain, code: &Code, options: LoopOptions) -> Loop {
        let has_reduces = code.steps.iter().any(|s| matches!(s.op, StepOp::Reduce { .. }));
        let domain = with_axes(domain);
        let mode = Mode::of(&domain, has_reduces);
        let mut nest = LoopNest::new(code, &domain);
        if options.swaps_last_axes {
            nest.swap_last_axes();
        }
        nest.order_and_merge(mode, options.columns);
        let has_columns = options.columns.is_some_and(|n| nest.axes[nest.axes.len() - 1].len == n);
        let mode = Mode::of_axes(&nest.axes, mode);
        let is_embedded = options.columns.is_some();
        let frame = shape::frame(&nest.axes, mode, is_embedded);
        let is_short = shape::is_short(&nest.axes, &frame);
        let LoopNest { axes, accesses, writes } = nest;
        let mut builder = Builder::new(code, mode, is_short);
        let place = |access: Access, level: Granularity| {
            TileAccess::new(access, &axes, shape::frame_of(&frame, mode, level))
        };
        for (n, access) in accesses.into_iter().enumerate() {
            let at = builder.level_of(code.steps[n].granularity);
            builder.step(n, access.map(|access| place(access, at)));
        }
        let mut list: Vec<Write> = Vec::with_capacity(writes.len());
        for (w, access) in writes.into_iter().enumerate() {
            let step = code.stores[w];
            let at = builder.level_of(code.steps[step.index()].granularity);
            let n = builder.vector(builder.of[step.index()], at);
            builder.instrs[n].stores.push(w);
            let is_shared =
                options.anchor == Some(w) || options.shared.iter().any(|&(_, write)| write == w);
            let (place, dtype) = (place(access, at), code.steps[step.index()].dtype);
            let mut copies = copy::stores(dtype, builder.level);
            let can_stream =
                dtype == DType::F32 && place.is_plain(LaneLayout::Contiguous) && !is_shared;
            let streaming = copy::streaming_store(builder.level)
                .filter(|_| can_stream && options.streamed.contains(&w));
            let is_streamed = streaming.is_some();
            copies.plain = streaming.unwrap_or(copies.plain);
            list.push(Write { place, dtype, copies, is_shared, is_streamed });
        }
        let mut instrs = builder.instrs;
        use_memory(&mut instrs, &list, options.shared, is_short);
        let is_long = shape::is_long(&axes, mode, &frame);
        let mut stages = stages::build(&mut instrs, is_long, shape::reduced(&axes));
        chain::build(&mut instrs, &mut stages, LoopInfo { writes: &list, options, mode, is_short });
        let elements = axes.iter().map(|axis| axis.len).product();
        let streams = match is_embedded {
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
            first_write: options.first_write,
        };
        prepared.allocate(is_embedded);
        prepared
    }

    pub(crate) fn is_by_columns(&self) -> bool {
        self.mode == Mode::Columns
    }

    /// Bytes between the values of two rows of a tile: 0 if all rows share one value.
    pub(crate) fn row_bytes(&self, instr: &Instr) -> usize {
        let is_for_each = self.mode == Mode::Rows && instr.level == Granularity::PerRow;
        if is_for_each && !stages::is_number(&instr.kind) { instr.class.bytes() } else { 0 }
    }

    /// Whether a value has an element per lane, as seen by steps of a granularity.
    pub(crate) fn is_vector(&self, n: usize, level: Granularity) -> bool {
        is_vector(&self.instrs[n], self.mode, level)
    }
}

/// Whether a value has an element per lane, as seen by steps of a granularity; otherwise it has
/// one per row.
pub(crate) fn is_vector(instr: &Instr, mode: Mode, level: Granularity) -> bool {
    let is_same =
        || instr.place.as_ref().is_some_and(|place| place.is_plain(LaneLayout::Broadcast));
    match instr.kind {
        InstrKind::Const(_) | InstrKind::Slot(_) => false,
        _ if instr.level == Granularity::PerRow => {
            level == Granularity::PerRow || mode == Mode::Columns
        }
        InstrKind::Load { .. } => !is_same() || !Class::is_stored_as(instr.dtype),
        InstrKind::Iota => !is_same(),
        _ => true,
    }
}

pub(crate) fn is_broadcast(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Map { op: MapOp::Broadcast, .. })
}

/// Decides which loads and results stay in their buffers instead of registers.
fn use_memory(instrs: &mut [Instr], writes: &[Write], shared: &[(usize, usize)], is_short: bool) {
    for instr in instrs {
        let is_row = instr.level == Granularity::PerRow;
        let is_stored = Class::is_stored_as(instr.dtype);
        if let (InstrKind::Load { read, is_direct, .. }, Some(place)) =
            (&mut instr.kind, &instr.place)
        {
            // A load that is stored to the buffer of another load must be copied first.
            let is_moved = !instr.stores.is_empty() && shared.iter().any(|&(r, _)| r == *read);
            let is_laid = place.lanes == LaneLayout::Contiguous
                || (!is_row && place.is_plain(LaneLayout::Broadcast));
            *is_direct = is_stored && is_laid && !is_moved;
        }
        let is_computed = matches!(
            instr.kind,
            InstrKind::Map { .. } | InstrKind::Unary(_) | InstrKind::Binary(_)
        );
        instr.is_direct = is_computed
            && (!is_short || is_row)
            && instr.stores.first().is_some_and(|&w| {
                let write = &writes[w];
                Class::is_stored_as(write.dtype)
                    && write.place.is_plain(LaneLayout::Contiguous)
                    && !write.is_shared
                    && !write.is_streamed
            });
    }
}
