//! Software prefetch of the next tile while the current one is computed: steps run from registers
//! in cache, so memory would otherwise be idle (gelu of four streams of 17 MB: 3.4 ms, with
//! prefetch 2.6, on 2 cores of a Xeon, 2026-11).
use super::access::LaneLayout;
use super::prepare::{Instr, InstrKind};
use super::run::TileRunner;
use super::stages::Stage;
use crate::simd::prefetch;
use brasa_compile::kernel::Granularity;

/// Loops that load fewer bytes (what an L2 cache holds) do not prefetch.
const LARGE: usize = 2 << 20;
/// Loops with more streams than this do not prefetch: the hardware prefetcher follows about so
/// many.
const STREAMS: usize = 8;
const LINE: usize = 64;
/// Elements of a long function between two prefetches.
pub(super) const PIECE: usize = 256;

/// The loads of a kernel that walk through memory, and how many functions prefetch them.
#[derive(Default)]
pub(crate) struct Streams {
    pub(crate) loads: Vec<usize>,
    /// Number of long functions that share the prefetching. 0 disables it: reductions read long
    /// runs, which the hardware follows (row sums of 64 MB: 0.8 ms, prefetching a page ahead 0.9
    /// to 1.2).
    steps: usize,
}

impl Streams {
    /// The streams of a kernel. Prefetching does not pay between simple steps, nor where rows are
    /// reduced and then used (softmax of rows of 1024: 1.77 ms, with prefetch 1.86).
    pub(super) fn of(instrs: &[Instr], stages: &[Stage], elements: usize) -> Streams {
        let loads = loads(instrs);
        let bytes: usize = loads.iter().map(|&n| instrs[n].dtype.bytes()).sum();
        let has_reduces = stages.iter().any(|stage| !stage.reduces.is_empty());
        let steps = || stages.iter().flat_map(|stage| &stage.elements).map(|&n| &instrs[n].kind);
        // Chains read all streams at once, which the hardware follows.
        let is_long = |&n: &usize| matches!(instrs[n].kind, InstrKind::Unary(_));
        let long = stages.iter().flat_map(Stage::steps).filter(is_long).count();
        let is_only_loaded = steps().all(|kind| matches!(kind, InstrKind::Load { .. }));
        let is_fit = if has_reduces { is_only_loaded } else { long > 0 };
        match is_fit && loads.len() <= STREAMS && elements * bytes >= LARGE {
            true => Streams { loads, steps: long },
            false => Streams::default(),
        }
    }

    /// Whether only reductions read the streams.
    pub(super) fn is_only_reduced(&self) -> bool {
        self.steps == 0 && !self.loads.is_empty()
    }

    /// Whether long functions prefetch the next tile.
    pub(super) fn is_prefetched(&self) -> bool {
        self.steps > 0
    }
}

/// Loads whose elements are adjacent and used directly in the buffer.
fn loads(instrs: &[Instr]) -> Vec<usize> {
    let is_stream = |instr: &Instr| {
        let is_plain =
            instr.place.as_ref().is_some_and(|place| place.is_plain(LaneLayout::Contiguous));
        let is_direct = matches!(instr.kind, InstrKind::Load { is_direct: true, .. });
        is_direct && is_plain && instr.level == Granularity::PerElement
    };
    (0..instrs.len()).filter(|&n| is_stream(&instrs[n])).collect()
}

/// Prefetch progress: the cache lines of the next tile that are not requested yet, equally many
/// for each stream.
#[derive(Clone, Copy)]
pub(super) struct Prefetcher {
    /// The next address of each stream, and the bytes from the end of a row to the next row.
    at: [(*const u8, isize); STREAMS],
    count: usize,
    /// Lines of a row, lines left of the current row, and lines left of the tile.
    row: usize,
    column: usize,
    left: usize,
    /// Lines of the whole tile.
    total: usize,
}

impl Prefetcher {
    pub(super) const IDLE: Prefetcher = Prefetcher {
        at: [(std::ptr::null(), 0); STREAMS],
        count: 0,
        row: 0,
        column: 0,
        left: 0,
        total: 0,
    };

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Prefetches up to `lines` lines of each stream.
    pub(super) fn advance(&mut self, lines: usize) {
        for _ in 0..lines.min(self.left) {
            self.column -= 1;
            let is_end = self.column == 0;
            for (at, skip) in &mut self.at[..self.count] {
                prefetch(*at);
                *at = at.wrapping_add(LINE);
                if is_end {
                    *at = at.wrapping_offset(*skip);
                }
            }
            if is_end {
                self.column = self.row;
            }
            self.left -= 1;
        }
    }
}

impl TileRunner<'_> {
    /// Starts prefetching the tile after the current one.
    pub(super) fn start_prefetch(&mut self) {
        let code = self.code;
        if !code.streams.is_prefetched() {
            return;
        }
        let first = code.frame.lanes.start;
        let is_whole = code.extents.of[first] >= code.axes[first].len;
        let (rows, lanes) = (self.full.rows, self.full.lanes);
        let mut prefetcher = Prefetcher::IDLE;
        for &n in &code.streams.loads {
            let instr = &code.instrs[n];
            let (InstrKind::Load { read, .. }, Some(place)) = (&instr.kind, &instr.place) else {
                continue;
            };
            let bytes = instr.dtype.bytes();
            let next = if is_whole { rows as isize * place.row_stride } else { lanes as isize };
            let start = (place.start(self.index) + next) * bytes as isize;
            prefetcher.row = (lanes * bytes).div_ceil(LINE);
            let skip = place.row_stride * bytes as isize - (prefetcher.row * LINE) as isize;
            prefetcher.at[prefetcher.count] =
                (self.memory.reads[*read].wrapping_offset(start), skip);
            prefetcher.count += 1;
        }
        prefetcher.column = prefetcher.row;
        prefetcher.left = prefetcher.row * rows;
        prefetcher.total = prefetcher.left;
        self.prefetcher = prefetcher;
    }

    /// Lines of each stream that a long function prefetches with each piece of a tile.
    pub(super) fn lines_per_piece(&self) -> usize {
        let pieces = (self.full.rows * self.full.lanes).div_ceil(PIECE) * self.code.streams.steps;
        self.prefetcher.total.div_ceil(pieces.max(1))
    }
}
