//! Asking for the elements of the next tile while this one is worked on: steps run from registers in
//! cache, so that without this memory would rest meanwhile (gelu of four streams of 17 MB: 3.4 ms,
//! with it 2.6, on 2 cores of a Xeon, 2026-11).
use super::access::Lanes;
use super::prepare::{Instr, Kind};
use super::run::Thread;
use super::stages::Stage;
use crate::simd::prefetch;
use brasa_compile::kernel::Level;

/// Loads of more bytes than a second-level cache holds are asked for.
const LARGE: usize = 2 << 20;
/// More loads than this are not asked for: the hardware follows about so many.
const STREAMS: usize = 8;
const LINE: usize = 64;
/// Elements of a long function between two looks ahead.
pub(super) const PIECE: usize = 256;

/// The loads of a kernel that walk through memory, and who asks for more of them.
#[derive(Default)]
pub(crate) struct Streams {
    pub(crate) loads: Vec<usize>,
    /// How many functions of many instructions share the asking. Without any nobody asks: reductions read
    /// long runs, which the hardware follows (row sums of 64 MB: 0.8 ms, asking a page ahead 0.9 to 1.2).
    steps: usize,
}

impl Streams {
    /// Streams of a kernel of so many elements. Between simple steps asking does not pay, and not
    /// where rows are reduced and then used (softmax of rows of 1024: 1.77 ms, with it 1.86).
    pub(super) fn of(instrs: &[Instr], stages: &[Stage], elements: usize) -> Streams {
        let loads = loads(instrs);
        let bytes: usize = loads.iter().map(|&n| instrs[n].dtype.bytes()).sum();
        let has_reduces = stages.iter().any(|stage| !stage.reduces.is_empty());
        let steps = || stages.iter().flat_map(|stage| &stage.elements).map(|&n| &instrs[n].kind);
        // Chains walk through all streams at once, which the hardware follows.
        let is_long = |&n: &usize| matches!(instrs[n].kind, Kind::Unary(_));
        let long = stages.iter().flat_map(Stage::steps).filter(is_long).count();
        let is_only_loaded = steps().all(|kind| matches!(kind, Kind::Load { .. }));
        let is_fit = if has_reduces { is_only_loaded } else { long > 0 };
        match is_fit && loads.len() <= STREAMS && elements * bytes >= LARGE {
            true => Streams { loads, steps: long },
            false => Streams::default(),
        }
    }

    /// Whether nothing but reductions sees the streams.
    pub(super) fn is_only_reduced(&self) -> bool {
        self.steps == 0 && !self.loads.is_empty()
    }

    /// Whether long functions ask for the next tile.
    pub(super) fn is_asked_for(&self) -> bool {
        self.steps > 0
    }
}

/// Loads whose elements are used where they lie, one after the other.
fn loads(instrs: &[Instr]) -> Vec<usize> {
    let is_stream = |instr: &Instr| {
        let is_plain = instr.place.as_ref().is_some_and(|place| place.is_plain(Lanes::Next));
        let is_direct = matches!(instr.kind, Kind::Load { is_direct: true, .. });
        is_direct && is_plain && instr.level == Level::Full
    };
    (0..instrs.len()).filter(|&n| is_stream(&instrs[n])).collect()
}

/// What is still to be asked for: lines of the next tile, the same of each stream.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// Where each stream is, and what leads from the end of a row to the next.
    at: [(*const u8, isize); STREAMS],
    count: usize,
    /// Lines of a row, those left of this one, and those left of all.
    row: usize,
    column: usize,
    left: usize,
    /// Lines of the whole tile.
    total: usize,
}

impl Ahead {
    pub(super) const NOTHING: Ahead = Ahead {
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

    /// Asks for some lines of each stream.
    pub(super) fn ask(&mut self, lines: usize) {
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

impl Thread<'_> {
    /// Begins to look at what comes after the current tile.
    pub(super) fn look_ahead(&mut self) {
        let code = self.code;
        if !code.streams.is_asked_for() {
            return;
        }
        let first = code.frame.lanes.start;
        let is_whole = code.extents.of[first] >= code.axes[first].len;
        let (rows, lanes) = (self.full.rows, self.full.lanes);
        let mut ahead = Ahead::NOTHING;
        for &n in &code.streams.loads {
            let instr = &code.instrs[n];
            let (Kind::Load { read, .. }, Some(place)) = (&instr.kind, &instr.place) else {
                continue;
            };
            let bytes = instr.dtype.bytes();
            let next = if is_whole { rows as isize * place.row_stride } else { lanes as isize };
            let start = (place.start(self.index) + next) * bytes as isize;
            ahead.row = (lanes * bytes).div_ceil(LINE);
            let skip = place.row_stride * bytes as isize - (ahead.row * LINE) as isize;
            ahead.at[ahead.count] = (self.memory.reads[*read].wrapping_offset(start), skip);
            ahead.count += 1;
        }
        ahead.column = ahead.row;
        ahead.left = ahead.row * rows;
        ahead.total = ahead.left;
        self.ahead = ahead;
    }

    /// The lines ahead that a long function asks for with each piece of a tile.
    pub(super) fn lines_of_piece(&self) -> usize {
        let pieces = (self.full.rows * self.full.lanes).div_ceil(PIECE) * self.code.streams.steps;
        self.ahead.total.div_ceil(pieces.max(1))
    }
}
