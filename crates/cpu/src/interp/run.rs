//! Running prepared code: tile after tile on all threads, and behind library ops.
use super::access::{Axis, Region};
use super::ahead::Ahead;
use super::class;
use super::copy;
use super::prepare::{Kind, Loop};
use super::shape::Mode;
use super::vector::Operand;
use crate::paths::{self, Path};
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Level;
use brasa_ir::Number;
use std::ops::Range;

/// The memory that one launch works on.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) reads: &'a [*const u8],
    pub(crate) writes: &'a [*mut u8],
    /// What comes behind the last write: rows in the making.
    pub(crate) tile: *mut u8,
    pub(crate) slots: &'a [Number],
}

// SAFETY: kernels write disjoint elements from different threads, and the caller keeps the buffers
// alive while a launch runs.
unsafe impl Sync for Memory<'_> {}

impl Memory<'_> {
    /// Where a write begins.
    pub(crate) fn write(&self, n: usize) -> *mut u8 {
        self.writes.get(n).copied().unwrap_or(self.tile)
    }

    /// That of one launch among several.
    pub(crate) fn part(&self, reads: Range<usize>, writes: Range<usize>) -> Self {
        Memory { reads: &self.reads[reads], writes: &self.writes[writes], ..*self }
    }

    /// The same with rows in the making.
    pub(crate) fn with_tile(&self, tile: *mut u8) -> Self {
        Memory { tile, ..*self }
    }
}

/// Work below this many element steps is done faster by one thread: starting the others costs as
/// much as 0.5 µs of work (about 4,000 vector steps of 16 elements).
const SERIAL: usize = 1 << 16;
/// Work is handed out in about so many tasks for each thread: enough for threads to end together, and few
/// enough for each to read memory in long runs (row sums of 64 MB: with 64 for each 0.82 ms, with 16 0.78).
const TASKS: usize = 8;
/// Long rows are reduced in so many pieces, whatever the number of threads: results stay the same.
const PIECES: usize = 16;

/// Running results of all pieces.
#[derive(Clone, Copy)]
struct Parts(*mut u8);

// SAFETY: each piece has its own part.
unsafe impl Sync for Parts {}

impl Parts {
    fn at(self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

/// Where the library op's result lies.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    None,
    /// All of it, from here on.
    Whole(*mut u8),
    /// The part that belongs to the current tile.
    Tile(Operand),
}

// SAFETY: it is memory of the launch.
unsafe impl Sync for Anchor {}

impl Loop {
    /// Runs all of it.
    ///
    /// # Safety
    /// The buffers are as large as the kernel's reads and writes say.
    pub(crate) unsafe fn run(&self, pool: &Pool, memory: Memory) {
        // SAFETY: promised by the caller.
        unsafe { self.run_behind(pool, memory, Anchor::None) }
    }

    /// Runs all of it behind a library op.
    ///
    /// # Safety
    /// As [`Loop::run`]; the anchor has all of the op's result, as registers hold it.
    pub(crate) unsafe fn run_behind(&self, pool: &Pool, memory: Memory, anchor: Anchor) {
        let (units, work) = (self.extents.units, self.work());
        let pieces = self.pieces(units, work);
        self.count(anchor);
        if pieces > 1 {
            let is_behind = !matches!(anchor, Anchor::None);
            paths::hit(if is_behind { Path::LoopBehindPieces } else { Path::LoopPieces });
            // SAFETY: promised by the caller.
            return unsafe { self.run_in_pieces(pool, memory, anchor, pieces) };
        }
        let per_unit = (work / units.max(1)).max(1);
        let chunk = match work < SERIAL {
            true => units.max(1),
            false => (SERIAL / 4).div_ceil(per_unit).max(units / (TASKS * pool.threads())).max(1),
        };
        let task = |n: usize| {
            self.with_thread(memory, |thread| {
                thread.anchor = anchor;
                for unit in n * chunk..((n + 1) * chunk).min(units) {
                    // SAFETY: promised by the caller.
                    unsafe { thread.unit(unit) };
                }
            });
        };
        share(pool, units.div_ceil(chunk), &task);
    }

    fn count(&self, anchor: Anchor) {
        paths::hit(match self.mode {
            _ if !matches!(anchor, Anchor::None) => Path::LoopBehind,
            _ if self.is_short => Path::LoopShort,
            Mode::Map => Path::LoopMap,
            Mode::Rows => Path::LoopRows,
            Mode::Columns => Path::LoopColumns,
        });
    }

    pub(crate) fn has_reduces(&self) -> bool {
        self.stages.iter().any(|stage| !stage.reduces.is_empty())
    }

    /// Whether tiles are whole rows of the last axis, so that a library op can hand these over.
    pub(crate) fn takes_rows(&self) -> bool {
        let last = self.axes.len() - 1;
        let is_neighbour = self.frame.rows.is_none_or(|n| n + 1 == last);
        let is_whole = self.frame.lanes == (last..last + 1) && self.extents.positions == 1;
        self.mode == Mode::Rows && is_neighbour && is_whole
    }

    /// Element steps of all.
    fn work(&self) -> usize {
        let elements: usize = self.axes.iter().map(|axis| axis.len).product();
        elements * self.instrs.len().max(1)
    }

    /// How many pieces each unit is cut into: several where units alone cannot keep threads busy.
    fn pieces(&self, units: usize, work: usize) -> usize {
        let is_one_pass = self.stages[1..].iter().all(|stage| stage.elements.is_empty());
        let has_reduces = !self.stages[0].reduces.is_empty();
        if !is_one_pass || !has_reduces || work < 2 * SERIAL || units >= PIECES {
            return 1;
        }
        let most = (work / units.max(1) / (SERIAL / 4)).min(PIECES.div_ceil(units.max(1)));
        most.clamp(1, self.extents.positions.max(1))
    }

    /// Reduces pieces of long rows on all threads, then joins them in order.
    unsafe fn run_in_pieces(&self, pool: &Pool, memory: Memory, anchor: Anchor, pieces: usize) {
        let (units, bytes) = (self.extents.units, self.running.len());
        scratch::with::<f64, ()>(units * pieces * bytes / 8, |parts| {
            let parts = Parts(parts.as_mut_ptr().cast());
            let part = |unit: usize, piece: usize| parts.at((unit * pieces + piece) * bytes);
            let positions = self.extents.positions;
            pool.run(units * pieces, &|n| {
                let (unit, piece) = (n / pieces, n % pieces);
                let range = piece * positions / pieces..(piece + 1) * positions / pieces;
                self.with_thread(memory, |thread| {
                    thread.anchor = anchor;
                    // SAFETY: promised by the caller; each piece has its own part.
                    unsafe { thread.piece(unit, range, part(unit, piece)) };
                });
            });
            for unit in 0..units {
                self.with_thread(memory, |thread| {
                    thread.anchor = anchor;
                    let parts = (0..pieces).map(|piece| part(unit, piece).cast_const());
                    // SAFETY: promised by the caller; all parts are done.
                    unsafe { thread.join(unit, parts) };
                });
            }
        });
    }

    pub(crate) fn with_thread<R>(&self, memory: Memory, f: impl FnOnce(&mut Thread) -> R) -> R {
        let (count, rank) = (self.instrs.len(), self.axes.len());
        let words = self.scratch / 8 + 2 * count + rank;
        scratch::with::<f64, R>(words, |words| {
            let base = words.as_mut_ptr().cast::<u8>();
            // SAFETY: the scratch memory has room for registers, then operands, then the index.
            let (values, index) = unsafe {
                let values = base.add(self.scratch).cast::<Operand>();
                let index = values.add(count).cast::<usize>();
                for (n, instr) in self.instrs.iter().enumerate() {
                    let rows = self.row_bytes(instr) as isize;
                    *values.add(n) = Operand { ptr: base.wrapping_add(instr.register), rows };
                }
                (0..rank).for_each(|n| *index.add(n) = 0);
                (
                    std::slice::from_raw_parts_mut(values, count),
                    std::slice::from_raw_parts_mut(index, rank),
                )
            };
            let none = Region { rows: 0, chunk: 0, lanes: 0 };
            let mut thread = Thread {
                code: self,
                memory,
                base,
                values,
                index,
                full: none,
                row: none,
                anchor: Anchor::None,
                is_silent: false,
                into_tile: false,
                ahead: Ahead::NOTHING,
            };
            thread.set_numbers();
            let result = f(&mut thread);
            if self.writes.iter().any(|write| write.is_streamed) {
                copy::end_around();
            }
            result
        })
    }
}

fn share(pool: &Pool, count: usize, task: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => {}
        1 => task(0),
        count => pool.run(count, task),
    }
}

/// One thread at work on a kernel.
pub(crate) struct Thread<'a> {
    pub(super) code: &'a Loop,
    pub(super) memory: Memory<'a>,
    /// The registers.
    pub(super) base: *mut u8,
    /// Where the current tile of each value lies: in a register or straight in memory.
    pub(super) values: &'a mut [Operand],
    /// The first index of the current tile.
    pub(super) index: &'a mut [usize],
    /// The current tile as element steps and as row steps see it.
    pub(super) full: Region,
    pub(super) row: Region,
    pub(super) anchor: Anchor,
    /// Whether row steps leave their stores to another.
    pub(super) is_silent: bool,
    /// Whether the result goes to the tile that is handed in, in place of a buffer.
    pub(super) into_tile: bool,
    pub(super) ahead: Ahead,
}

impl Thread<'_> {
    /// Numbers that are the same for every element are written once.
    fn set_numbers(&mut self) {
        for (n, instr) in self.code.instrs.iter().enumerate() {
            let value = match instr.kind {
                Kind::Const(value) => value,
                Kind::Slot(slot) => self.memory.slots[slot].to(instr.dtype),
                _ => continue,
            };
            // SAFETY: a register has room for a number.
            unsafe { class::fill(instr.class, self.values[n].ptr, 1, value) };
        }
    }

    /// All tiles of some kept indices.
    ///
    /// # Safety
    /// As [`Loop::run`].
    unsafe fn unit(&mut self, unit: usize) {
        let positions = self.code.extents.positions;
        self.go_to(unit, |axis| !axis.is_reduced);
        // SAFETY: promised by the caller.
        unsafe { self.stages(|thread, stage| thread.tiles(stage, 0..positions)) };
    }

    /// All stages of some rows, the elements of each by `tiles`.
    unsafe fn stages(&mut self, tiles: impl Fn(&mut Self, usize)) {
        let code = self.code;
        for stage in 0..code.stages.len() {
            // SAFETY: promised by the caller.
            unsafe {
                self.row_steps(stage);
                if code.stages[stage].elements.is_empty() && code.stages[stage].reduces.is_empty() {
                    continue;
                }
                self.begin_reduces(stage);
                tiles(self, stage);
                self.end_reduces(stage);
            }
        }
    }

    /// The tiles of a stage at some positions along reduced axes.
    unsafe fn tiles(&mut self, stage: usize, positions: std::ops::Range<usize>) {
        for position in positions {
            self.go_to(position, |axis| axis.is_reduced);
            // SAFETY: promised by the caller.
            unsafe {
                self.begin_chained(stage);
                self.elements(stage, position);
                self.fold(stage, position);
            }
        }
    }

    /// Reduces some positions of a unit; running results go to `part`.
    unsafe fn piece(&mut self, unit: usize, positions: std::ops::Range<usize>, part: *mut u8) {
        let running = self.code.running.clone();
        self.is_silent = true;
        self.go_to(unit, |axis| !axis.is_reduced);
        // SAFETY: promised by the caller.
        unsafe {
            self.row_steps(0);
            self.begin_reduces(0);
            self.tiles(0, positions);
            let from = self.base.add(running.start);
            std::ptr::copy_nonoverlapping(from, part, running.len());
        }
    }

    /// Joins the pieces of a unit and finishes it.
    unsafe fn join(&mut self, unit: usize, parts: impl Iterator<Item = *const u8>) {
        self.go_to(unit, |axis| !axis.is_reduced);
        self.go_to(0, |axis| axis.is_reduced);
        // SAFETY: promised by the caller.
        unsafe {
            self.row_steps(0);
            self.begin_reduces(0);
            parts.for_each(|part| self.merge(part));
            self.end_reduces(0);
            (1..self.code.stages.len()).for_each(|stage| self.row_steps(stage));
        }
    }

    /// Goes to a tile of the axes that are meant.
    fn go_to(&mut self, tile: usize, is_meant: impl Fn(Axis) -> bool) {
        let code = self.code;
        let mut rest = tile;
        for n in (0..code.axes.len()).rev().filter(|&n| is_meant(code.axes[n])) {
            let (len, extent) = (code.axes[n].len, code.extents.of[n]);
            let tiles = len.div_ceil(extent).max(1);
            self.index[n] = rest % tiles * extent;
            rest /= tiles;
        }
        self.set_regions(|n| code.extents.of[n], |n, index| code.axes[n].len.saturating_sub(index));
    }

    /// Sets the regions of the current tile, from what each axis may have and what is left of it.
    fn set_regions(
        &mut self,
        extent: impl Fn(usize) -> usize,
        rest: impl Fn(usize, usize) -> usize,
    ) {
        let code = self.code;
        let count = |n: usize| extent(n).min(rest(n, self.index[n]));
        let first = code.frame.lanes.start;
        let inner: usize = code.axes[first + 1..].iter().map(|axis| axis.len).product();
        let (rows, chunk) = (code.frame.rows.map_or(1, count), count(first));
        let lanes = chunk * inner;
        self.full = Region { rows, chunk, lanes };
        self.row = match code.mode {
            Mode::Rows => Region { rows: 1, chunk: rows, lanes: rows },
            _ => Region { rows: 1, chunk, lanes },
        };
    }

    pub(super) fn region(&self, level: Level) -> Region {
        match level {
            Level::Full => self.full,
            Level::Row => self.row,
        }
    }

    unsafe fn row_steps(&mut self, stage: usize) {
        for &n in &self.code.stages[stage].rows {
            // SAFETY: promised by the caller.
            unsafe {
                self.step(n, 0);
                if !self.is_silent {
                    self.store(n, 0, |_| true);
                }
            }
        }
    }

    /// The element steps of a stage, for one tile.
    unsafe fn elements(&mut self, stage: usize, position: usize) {
        let code = self.code;
        if stage == 0 {
            self.look_ahead();
        }
        let stage = &code.stages[stage];
        // SAFETY: promised by the caller.
        unsafe {
            let mut at = 0;
            while at < stage.elements.len() {
                let mut members = at..at + 1;
                match stage.chain_at(at) {
                    Some(chain) => {
                        self.chain(chain, position);
                        members = chain.members.clone();
                    }
                    None => self.step(stage.elements[at], position),
                }
                at = members.end;
                for &n in stage.elements[members].iter().filter(|&&n| stage.is_home[n]) {
                    self.store(n, position, |write| !write.is_shared);
                }
            }
            // Nobody reads what these may hit any more.
            for &n in &stage.elements {
                self.store(n, position, |write| write.is_shared);
            }
        }
    }

    /// A rectangle of the library op's result: `rows` rows from row `row` on, `columns` columns
    /// from `column` on, which lies at `anchor`.
    ///
    /// # Safety
    /// As [`Loop::run`]; the anchor has these elements.
    pub(crate) unsafe fn rectangle(
        &mut self,
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
        of: usize,
        anchor: Operand,
    ) {
        let code = self.code;
        let bytes = self.anchor_bytes() as isize;
        if !code.has_columns {
            for i in 0..rows {
                // SAFETY: promised by the caller.
                unsafe { self.epilogue((row + i) * of + column, columns, anchor.row(i)) };
            }
            return;
        }
        let last = code.axes.len() - 1;
        let mut done = 0;
        while done < rows {
            self.unravel(row + done, last);
            let left = rows - done;
            let left = code.frame.rows.map_or(1, |n| left.min(code.axes[n].len - self.index[n]));
            let mut at = 0;
            let mut count = 1;
            while at < columns {
                let lanes = (columns - at).min(code.extents.elements);
                count = left.min((code.extents.elements / columns).max(1));
                self.index[last] = column + at;
                self.set_regions(|n| if n == last { lanes } else { count }, |_, _| usize::MAX);
                let ptr = anchor.row::<u8>(done).wrapping_offset(at as isize * bytes);
                self.anchor = Anchor::Tile(Operand { ptr, rows: anchor.rows });
                // SAFETY: promised by the caller.
                unsafe { self.elements(0, 0) };
                at += lanes;
            }
            done += count;
        }
    }

    /// Makes a rectangle of an operand of `of` columns, as [`Thread::rectangle`] finishes one of a
    /// result: it goes to `tile`.
    ///
    /// # Safety
    /// As [`Loop::run`]; the tile has room for these elements.
    pub(crate) unsafe fn make(
        &mut self,
        at: (usize, usize),
        size: (usize, usize),
        of: usize,
        tile: Operand,
    ) {
        debug_assert!(self.code.has_columns, "rectangles are cut from columns");
        self.into_tile = true;
        // SAFETY: promised by the caller.
        unsafe { self.rectangle(at, size, of, tile) };
    }

    /// Whole rows of the library op's result: `rows` of them from row `row` on, which lie at `anchor`.
    ///
    /// # Safety
    /// As [`Loop::run`]; the code [`Loop::takes_rows`], and the anchor has these elements.
    pub(crate) unsafe fn rows(&mut self, row: usize, rows: usize, anchor: Operand) {
        let code = self.code;
        let last = code.axes.len() - 1;
        let mut done = 0;
        while done < rows {
            self.unravel(row + done, last);
            self.index[last] = 0;
            let left = code.frame.rows.map_or(1, |n| code.axes[n].len - self.index[n]);
            let count = (rows - done).min(left).min(code.extents.rows);
            let lanes = code.axes[last].len;
            self.set_regions(|n| if n == last { lanes } else { count }, |_, _| usize::MAX);
            self.anchor = Anchor::Tile(Operand { ptr: anchor.row(done), rows: anchor.rows });
            // SAFETY: promised by the caller; a tile has whole rows.
            unsafe {
                self.stages(|thread, stage| {
                    thread.elements(stage, 0);
                    thread.fold(stage, 0);
                });
            }
            done += count;
        }
    }

    /// Elements `start .. start + len` of the flattened space, of code that follows a library op
    /// whose result lies at `anchor`.
    ///
    /// # Safety
    /// As [`Loop::run`]; `anchor` has `len` elements of the op's class.
    pub(crate) unsafe fn epilogue(&mut self, start: usize, len: usize, anchor: *mut u8) {
        let code = self.code;
        let last = code.axes.len() - 1;
        let (columns, bytes) = (code.axes[last].len, self.anchor_bytes());
        let (mut at, end) = (start, start + len);
        while at < end {
            self.unravel(at, last + 1);
            let room = code.extents.elements;
            let lanes = (end - at).min(columns - self.index[last]).min(room);
            // Whole rows are done many at a time.
            let mut rows = 1;
            if let Some(n) = code.frame.rows.filter(|_| lanes == columns) {
                let left = code.axes[n].len - self.index[n];
                rows = left.min((end - at) / columns).min(room / columns).max(1);
            }
            self.set_regions(|n| if n == last { lanes } else { rows }, |_, _| usize::MAX);
            let ptr = anchor.wrapping_add((at - start) * bytes);
            self.anchor = Anchor::Tile(Operand { ptr, rows: (columns * bytes) as isize });
            // SAFETY: promised by the caller.
            unsafe { self.elements(0, 0) };
            at += lanes * rows;
        }
    }

    /// Bytes of one element of the library op's result, as registers hold it, or of what is made.
    fn anchor_bytes(&self) -> usize {
        let anchor = self.code.instrs.iter().find(|i| matches!(i.kind, Kind::Anchor));
        let made = || self.code.writes.first().map_or(4, |write| write.dtype.bytes());
        anchor.map_or_else(made, |instr| instr.class.bytes())
    }

    /// Sets the indices of the first axes from a flat number over them.
    fn unravel(&mut self, flat: usize, count: usize) {
        let mut rest = flat;
        for n in (0..count).rev() {
            let len = self.code.axes[n].len.max(1);
            self.index[n] = rest % len;
            rest /= len;
        }
    }
}
