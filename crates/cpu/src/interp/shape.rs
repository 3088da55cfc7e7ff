//! The shape of tiles: which axes lanes and rows run along, and how many indices of each a tile
//! has.
use super::access::{Axis, Frame, LaneLayout};
use super::fold::MAX_F32_ROWS;
use super::prepare::{InstrKind, Loop};
use brasa_compile::kernel::{Domain, Granularity};

/// How the rows and lanes of a tile relate to reduced axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The loop has no reduced axes.
    Map,
    /// Lanes run along reduced axes, rows along a kept one: a tile has several rows, often whole.
    Rows,
    /// Lanes run along kept axes, rows along a reduced one.
    Columns,
}

impl Mode {
    pub(crate) fn of(domain: &Domain, has_reduces: bool) -> Mode {
        match domain.axes.last() {
            Some(axis) if axis.is_reduced => Mode::Rows,
            _ if has_reduces || domain.axes.iter().any(|axis| axis.is_reduced) => Mode::Columns,
            _ => Mode::Map,
        }
    }

    /// The mode after short rows were turned into columns.
    pub(crate) fn of_axes(axes: &[Axis], before: Mode) -> Mode {
        let is_by_rows = axes.last().is_some_and(|axis| axis.is_reduced);
        if before == Mode::Rows && !is_by_rows { Mode::Columns } else { before }
    }
}

/// Maximum number of indices of each axis in a tile.
#[derive(Default)]
pub(crate) struct Extents {
    pub(crate) of: Vec<usize>,
    /// Elements of a register with a value per element.
    pub(crate) elements: usize,
    /// Elements of a register with a value per row of the kernel.
    pub(crate) rows: usize,
    /// Number of tiles along kept axes, and along reduced axes.
    pub(crate) units: usize,
    pub(crate) positions: usize,
}

/// Rows of fewer elements are reduced by columns, so that a vector holds several rows.
const SHORT_ROW: usize = 32;
/// If an axis is shorter than this, lanes run over several axes.
const SHORT_AXIS: usize = 32;
/// Rows of up to this length are one tile.
const LONG_ROW: usize = 2048;
const LARGEST_TILE: usize = 2048;
const SMALLEST_TILE: usize = 256;
/// Elements of a row, and of all rows, of a tile that is reduced directly from its buffer (rows of
/// 16 KB on 2 cores of an EPYC: tiles of two rows 1.3 ms, of 16 rows 0.82; 2026-11).
const LONGEST_RUN: usize = 8192;
const LARGEST_RUN: usize = 8 * LONGEST_RUN;
/// Lanes of tiles that are reduced along rows.
const COLUMNS: usize = 512;
/// Lanes of tiles that read columns of memory: 16 rows use whole cache lines.
const TRANSPOSED: usize = 128;
/// Limit of all registers of a kernel: three quarters of a 48 KiB L1 cache.
const REGISTER_BYTES: usize = 36 << 10;

pub(crate) fn has_short_rows(axes: &[Axis]) -> bool {
    let kept: usize = axes.iter().filter(|axis| !axis.is_reduced).map(|axis| axis.len).product();
    reduced(axes) < SHORT_ROW && kept >= SHORT_ROW
}

/// Number of elements of one row.
pub(crate) fn reduced(axes: &[Axis]) -> usize {
    axes.iter().filter(|axis| axis.is_reduced).map(|axis| axis.len).product()
}

/// Chooses the axes of tiles. The tiles of an epilogue are cut by its library op.
pub(crate) fn frame(axes: &[Axis], mode: Mode, is_embedded: bool) -> Frame {
    let last = axes.len() - 1;
    let is_same_kind = |n: usize| axes[n].is_reduced == axes[last].is_reduced;
    let (mut start, mut lanes) = (last, axes[last].len);
    let most = match mode {
        Mode::Rows => LONG_ROW,
        _ => COLUMNS,
    };
    while !is_embedded && axes[last].len < SHORT_AXIS && start > 0 && is_same_kind(start - 1) {
        // Whole rows need no second pass over their elements, so stop before rows become too long.
        if lanes >= SHORT_AXIS && lanes * axes[start - 1].len > most {
            break;
        }
        start -= 1;
        lanes *= axes[start].len;
    }
    let rows = match mode {
        Mode::Map => start.checked_sub(1),
        Mode::Rows => (0..start).rev().find(|&n| !axes[n].is_reduced),
        Mode::Columns => (0..start).rev().find(|&n| axes[n].is_reduced),
    };
    Frame { rows, lanes: start..axes.len() }
}

/// The frame as values of a granularity see it: per-row values lie along the row axis of tiles.
pub(crate) fn frame_of(frame: &Frame, mode: Mode, level: Granularity) -> Frame {
    match (level, mode, frame.rows) {
        (Granularity::PerRow, Mode::Rows, Some(n)) => Frame { rows: None, lanes: n..n + 1 },
        (Granularity::PerRow, ..) => Frame { rows: None, lanes: frame.lanes.clone() },
        (Granularity::PerElement, ..) => frame.clone(),
    }
}

fn lanes(axes: &[Axis], frame: &Frame) -> usize {
    frame.lanes.clone().map(|n| axes[n].len).product()
}

/// Whether rows of tiles are too short for vectors, so that a whole tile must be contiguous.
pub(crate) fn is_short(axes: &[Axis], frame: &Frame) -> bool {
    frame.rows.is_some() && lanes(axes, frame) < SHORT_AXIS
}

/// Whether the elements of one row span several tiles.
pub(crate) fn is_long(axes: &[Axis], mode: Mode, frame: &Frame) -> bool {
    match mode {
        Mode::Map => false,
        Mode::Columns => reduced(axes) > 1,
        Mode::Rows => {
            let lanes = lanes(axes, frame);
            lanes > LONG_ROW || reduced(axes) > lanes
        }
    }
}

impl Loop {
    /// Chooses the extents of tiles. `bytes` is the size of all registers per element.
    pub(super) fn choose_extents(&mut self, bytes: usize, is_embedded: bool) {
        // The prefetched next tile of each stream shares the cache.
        let streams = if self.streams.is_prefetched() { self.streams.loads.len() } else { 0 };
        let cached = (bytes + 4 * streams).max(4);
        let tile = match bytes == 0 && self.streams.is_only_reduced() && !is_embedded {
            true => LONGEST_RUN,
            false => (REGISTER_BYTES / cached).clamp(SMALLEST_TILE, LARGEST_TILE) / 64 * 64,
        };
        let (axes, first) = (&self.axes, self.frame.lanes.start);
        let inner: usize = axes[first + 1..].iter().map(|axis| axis.len).product();
        let has_rows = self.frame.rows.is_some_and(|n| axes[n].len > 1);
        let lanes = match self.mode {
            Mode::Rows if lanes(axes, &self.frame) <= LONG_ROW => LONG_ROW,
            Mode::Columns if has_rows => tile.min(COLUMNS),
            Mode::Map if has_rows && self.is_transposed() => TRANSPOSED,
            _ => tile,
        };
        let most = (lanes / inner.max(1)).clamp(1, axes[first].len.max(1));
        let pieces = axes[first].len.div_ceil(most).max(1);
        let mut chunk = axes[first].len.div_ceil(pieces).max(1);
        if inner == 1 {
            chunk = chunk.next_multiple_of(16).min(axes[first].len.max(1));
        }
        let mut of = vec![1; axes.len()];
        of[first + 1..].iter_mut().zip(&axes[first + 1..]).for_each(|(of, axis)| *of = axis.len);
        of[first] = chunk;
        let lanes = chunk * inner;
        let mut rows = 1;
        if let Some(n) = self.frame.rows {
            let most = match self.mode {
                // A reduction directly from a buffer needs no registers; long runs of memory are
                // faster.
                Mode::Columns if bytes == 0 && !is_embedded => MAX_F32_ROWS,
                Mode::Rows if tile == LONGEST_RUN => LARGEST_RUN / lanes.max(1),
                _ => tile / lanes.max(1),
            };
            rows = most.clamp(1, axes[n].len.max(1));
            of[n] = rows;
        }
        let tiles = |is_reduced: bool| -> usize {
            let axes = axes.iter().zip(&of).filter(|(axis, _)| axis.is_reduced == is_reduced);
            axes.map(|(axis, &of)| axis.len.div_ceil(of.max(1))).product()
        };
        self.extents = Extents {
            elements: if is_embedded { tile.max(lanes * rows) } else { lanes * rows },
            rows: if self.mode == Mode::Rows { rows } else { lanes },
            units: tiles(false),
            positions: tiles(true),
            of,
        };
    }

    /// Whether a load has stride 1 along rows.
    fn is_transposed(&self) -> bool {
        self.instrs.iter().any(|instr| match (&instr.kind, &instr.place) {
            (InstrKind::Load { .. }, Some(place)) => {
                place.row_stride == 1 && matches!(place.lanes, LaneLayout::Table(_))
            }
            _ => false,
        })
    }
}
