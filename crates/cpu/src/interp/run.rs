//! Execution of prepared loops, tile by tile on all threads: whole kernels, and epilogues and
//! prologues of library ops.
use super::access::{Axis, Region};
use super::class;
use super::copy;
use super::prefetch::Prefetcher;
use super::prepare::{Instr, InstrKind, Loop};
use super::shape::Mode;
use super::vector::Operand;
use crate::paths::{self, Path};
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Granularity;
use brasa_ir::Number;
use std::ops::Range;

/// The memory of one launch.
///
/// # Launch contract
/// The unsafe functions of the interpreter require of a `Memory`, for as long as they run:
/// - Bounds: each pointer of `reads` and `writes` points to a buffer with all bytes that the
///   loop's views reach, aligned to its dtype. `slots` has every slot that the loop reads.
/// - Initialization: all bytes of `reads` are initialized.
/// - Aliasing: a read and a write overlap only if they are a pair of `LoopOptions::shared`, and no
///   two writes overlap. No other thread accesses the writes, except other tiles of the same loop,
///   which write disjoint elements.
/// - Lifetime: the buffers stay allocated.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) reads: &'a [*const u8],
    pub(crate) writes: &'a [*mut u8],
    /// The target of a write index past the end of `writes`: a tile of rows that one product of a
    /// chain hands to the next.
    pub(crate) tile: *mut u8,
    pub(crate) slots: &'a [Number],
}

// SAFETY: threads write disjoint elements, and the caller keeps the buffers alive while a launch
// runs (see the launch contract).
unsafe impl Sync for Memory<'_> {}

impl Memory<'_> {
    /// The first byte of write `n`.
    pub(crate) fn write(&self, n: usize) -> *mut u8 {
        self.writes.get(n).copied().unwrap_or(self.tile)
    }

    /// The part of one launch among several.
    pub(crate) fn part(&self, reads: Range<usize>, writes: Range<usize>) -> Self {
        Memory { reads: &self.reads[reads], writes: &self.writes[writes], ..*self }
    }

    /// The same memory with another `tile`.
    pub(crate) fn with_tile(&self, tile: *mut u8) -> Self {
        Memory { tile, ..*self }
    }
}

/// Kernels with fewer element steps run on one thread: starting the others costs as much as 0.5 µs
/// of work (about 4,000 vector steps of 16 elements). The compiler gets it as `parallel_work`.
pub(crate) const PARALLEL_WORK: usize = 1 << 16;
/// Tasks per thread, about: enough for threads to finish together, and few enough for each to read
/// memory in long runs (row sums of 64 MB: with 64 per thread 0.82 ms, with 16 0.78).
const TASKS: usize = 8;
/// Number of pieces of a long row that are reduced in parallel. Independent of the number of
/// threads, so that results are, too.
const PIECES: usize = 16;

/// Partial results of all pieces.
#[derive(Clone, Copy)]
struct Parts(*mut u8);

// SAFETY: each piece accesses only its own part.
unsafe impl Sync for Parts {}

impl Parts {
    fn at(self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

/// Location of the result of the library op that this loop is the epilogue of.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    None,
    /// The whole result, contiguous from this pointer on.
    Whole(*mut u8),
    /// The part of the current tile.
    Tile(Operand),
}

// SAFETY: the pointer belongs to the launch; threads read disjoint tiles, and write only their
// own.
unsafe impl Sync for Anchor {}

impl Loop {
    /// Runs the whole loop.
    ///
    /// # Safety
    /// `memory` meets the launch contract of [`Memory`].
    pub(crate) unsafe fn run(&self, pool: &Pool, memory: Memory) {
        // SAFETY: the caller meets the contract.
        unsafe { self.run_epilogue(pool, memory, Anchor::None) }
    }

    /// Runs the whole loop as the epilogue of a library op.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`].
    /// - `Anchor::Whole` points to all elements of the op's result, initialized, in the class that
    ///   registers hold. It may be the buffer of the write `LoopOptions::anchor`, and overlaps no
    ///   other write.
    /// - The anchor's memory stays allocated and is not written by other threads during the call.
    pub(crate) unsafe fn run_epilogue(&self, pool: &Pool, memory: Memory, anchor: Anchor) {
        debug_assert!(self.is_bound_by(&memory), "the launch lacks buffers or slots");
        let (units, work) = (self.extents.units, self.work());
        let pieces = self.pieces(units, work);
        self.count_path(anchor);
        if pieces > 1 {
            let is_epilogue = !matches!(anchor, Anchor::None);
            paths::hit(if is_epilogue { Path::LoopEpiloguePieces } else { Path::LoopPieces });
            // SAFETY: the caller meets the contract.
            return unsafe { self.run_in_pieces(pool, memory, anchor, pieces) };
        }
        let per_unit = (work / units.max(1)).max(1);
        let chunk = match work < PARALLEL_WORK {
            true => units.max(1),
            false => {
                (PARALLEL_WORK / 4).div_ceil(per_unit).max(units / (TASKS * pool.threads())).max(1)
            }
        };
        let task = |n: usize| {
            self.with_runner(memory, |runner| {
                runner.anchor = anchor;
                for unit in n * chunk..((n + 1) * chunk).min(units) {
                    // SAFETY: the caller meets the contract.
                    unsafe { runner.run_unit(unit) };
                }
            });
        };
        run_tasks(pool, units.div_ceil(chunk), &task);
    }

    /// Whether a launch has a pointer for each read and write, and a number for each slot.
    fn is_bound_by(&self, memory: &Memory) -> bool {
        let has_tile = !memory.tile.is_null();
        let has_writes = self.first_write + self.writes.len() <= memory.writes.len();
        let has_input = |instr: &Instr| match instr.kind {
            InstrKind::Load { read, .. } => read < memory.reads.len(),
            InstrKind::Slot(slot) => slot < memory.slots.len(),
            _ => true,
        };
        (has_tile || has_writes) && self.instrs.iter().all(has_input)
    }

    fn count_path(&self, anchor: Anchor) {
        paths::hit(match self.mode {
            _ if !matches!(anchor, Anchor::None) => Path::LoopEpilogue,
            _ if self.is_short => Path::LoopShort,
            Mode::Map => Path::LoopMap,
            Mode::Rows => Path::LoopRows,
            Mode::Columns => Path::LoopColumns,
        });
    }

    pub(crate) fn has_reduces(&self) -> bool {
        self.stages.iter().any(|stage| !stage.reduces.is_empty())
    }

    /// Whether tiles are whole rows of the last axis, so that a library op can pass rows to
    /// [`TileRunner::run_rows`].
    pub(crate) fn takes_rows(&self) -> bool {
        let last = self.axes.len() - 1;
        let is_neighbour = self.frame.rows.is_none_or(|n| n + 1 == last);
        let is_whole = self.frame.lanes == (last..last + 1) && self.extents.positions == 1;
        self.mode == Mode::Rows && is_neighbour && is_whole
    }

    /// Number of element steps of the whole loop.
    fn work(&self) -> usize {
        self.elements() * self.instrs.len().max(1)
    }

    /// Number of elements of the loop's space.
    fn elements(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// Number of pieces that each unit is split into: more than one if there are too few units for
    /// all threads.
    fn pieces(&self, units: usize, work: usize) -> usize {
        let is_one_pass = self.stages[1..].iter().all(|stage| stage.elements.is_empty());
        let has_reduces = !self.stages[0].reduces.is_empty();
        if !is_one_pass || !has_reduces || work < 2 * PARALLEL_WORK || units >= PIECES {
            return 1;
        }
        let most = (work / units.max(1) / (PARALLEL_WORK / 4)).min(PIECES.div_ceil(units.max(1)));
        most.clamp(1, self.extents.positions.max(1))
    }

    /// Reduces pieces of long rows on all threads, then merges them in order.
    ///
    /// # Safety
    /// As [`Loop::run_epilogue`], with `pieces` at least 1 and at most the number of tile
    /// positions.
    unsafe fn run_in_pieces(&self, pool: &Pool, memory: Memory, anchor: Anchor, pieces: usize) {
        debug_assert!(pieces >= 1 && pieces <= self.extents.positions.max(1), "{pieces} pieces");
        let (units, bytes) = (self.extents.units, self.running.len());
        scratch::with::<f64, ()>(units * pieces * bytes / 8, |parts| {
            let parts = Parts(parts.as_mut_ptr().cast());
            let part = |unit: usize, piece: usize| parts.at((unit * pieces + piece) * bytes);
            let positions = self.extents.positions;
            pool.run(units * pieces, &|n| {
                let (unit, piece) = (n / pieces, n % pieces);
                let range = piece * positions / pieces..(piece + 1) * positions / pieces;
                self.with_runner(memory, |runner| {
                    runner.anchor = anchor;
                    // SAFETY: the caller meets the contract; each piece has its own part of
                    // `parts`.
                    unsafe { runner.reduce_piece(unit, range, part(unit, piece)) };
                });
            });
            for unit in 0..units {
                self.with_runner(memory, |runner| {
                    runner.anchor = anchor;
                    let parts = (0..pieces).map(|piece| part(unit, piece).cast_const());
                    // SAFETY: the caller meets the contract; all parts are written by now.
                    unsafe { runner.join_pieces(unit, parts) };
                });
            }
        });
    }

    /// Calls `f` with a runner whose registers, operands and index lie in scratch memory.
    pub(crate) fn with_runner<R>(&self, memory: Memory, f: impl FnOnce(&mut TileRunner) -> R) -> R {
        let (count, rank) = (self.instrs.len(), self.axes.len());
        let words = self.scratch / 8 + 2 * count + rank;
        scratch::with::<f64, R>(words, |words| {
            let base = words.as_mut_ptr().cast::<u8>();
            // SAFETY: `words` covers the registers, then the operands, then the index, all 8-byte
            // aligned. All operands and indices are written before slices of them are made.
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
            let mut runner = TileRunner {
                code: self,
                memory,
                base,
                values,
                index,
                full: none,
                row: none,
                anchor: Anchor::None,
                skips_row_stores: false,
                writes_to_tile: false,
                prefetcher: Prefetcher::IDLE,
            };
            runner.set_numbers();
            let result = f(&mut runner);
            if self.writes.iter().any(|write| write.is_streamed) {
                copy::fence_streaming_stores();
            }
            result
        })
    }
}

fn run_tasks(pool: &Pool, count: usize, task: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => {}
        1 => task(0),
        count => pool.run(count, task),
    }
}

/// Runs tiles of a loop on one thread. Its unsafe methods require that `memory` meets the launch
/// contract of [`Memory`] for as long as the runner exists.
pub(crate) struct TileRunner<'a> {
    pub(super) code: &'a Loop,
    pub(super) memory: Memory<'a>,
    /// Start of the registers: `code.scratch` bytes.
    pub(super) base: *mut u8,
    /// The current tile of each value: in a register or directly in a buffer.
    pub(super) values: &'a mut [Operand],
    /// The first index of the current tile.
    pub(super) index: &'a mut [usize],
    /// The size of the current tile, as element steps and as row steps see it.
    pub(super) full: Region,
    pub(super) row: Region,
    pub(super) anchor: Anchor,
    /// Whether row steps skip their stores, because another thread does these.
    pub(super) skips_row_stores: bool,
    /// Whether the result is written to the anchor tile instead of a buffer.
    pub(super) writes_to_tile: bool,
    pub(super) prefetcher: Prefetcher,
}

impl TileRunner<'_> {
    /// Writes constants and slots to their registers once.
    fn set_numbers(&mut self) {
        for (n, instr) in self.code.instrs.iter().enumerate() {
            let value = match instr.kind {
                InstrKind::Const(value) => value,
                InstrKind::Slot(slot) => self.memory.slots[slot].to(instr.dtype),
                _ => continue,
            };
            // SAFETY: the register of a number has a cache line.
            unsafe { class::fill(instr.class, self.values[n].ptr, 1, value) };
        }
    }

    /// Runs all tiles of a unit (a tile of the kept axes).
    ///
    /// # Safety
    /// - The runner's `memory` and `anchor` meet the contract of [`Loop::run_epilogue`].
    /// - `unit` is below `extents.units`, and no other thread runs it.
    unsafe fn run_unit(&mut self, unit: usize) {
        debug_assert!(unit < self.code.extents.units, "unit {unit}");
        let positions = self.code.extents.positions;
        self.seek(unit, |axis| !axis.is_reduced);
        // SAFETY: the caller meets the contract.
        unsafe { self.run_stages(|runner, stage| runner.run_tiles(stage, 0..positions)) };
    }

    /// Runs all stages on the current rows; `tiles` runs the element steps of a stage.
    ///
    /// # Safety
    /// - The runner's `memory` and `anchor` meet the contract of [`Loop::run_epilogue`].
    /// - `seek` or `set_regions` has set a tile inside the loop's axes.
    unsafe fn run_stages(&mut self, tiles: impl Fn(&mut Self, usize)) {
        let code = self.code;
        for stage in 0..code.stages.len() {
            // SAFETY: the caller meets the contract.
            unsafe {
                self.run_row_steps(stage);
                if code.stages[stage].elements.is_empty() && code.stages[stage].reduces.is_empty() {
                    continue;
                }
                self.begin_reduces(stage);
                tiles(self, stage);
                self.end_reduces(stage);
            }
        }
    }

    /// Runs a stage on tiles at some positions along the reduced axes.
    ///
    /// # Safety
    /// As `run_stages`; `positions` ends at most at `extents.positions`, and `begin_reduces` has
    /// run.
    unsafe fn run_tiles(&mut self, stage: usize, positions: std::ops::Range<usize>) {
        debug_assert!(positions.end <= self.code.extents.positions, "{positions:?}");
        for position in positions {
            self.seek(position, |axis| axis.is_reduced);
            // SAFETY: the caller meets the contract.
            unsafe {
                self.begin_chained(stage);
                self.run_elements(stage, position);
                self.fold(stage, position);
            }
        }
    }

    /// Reduces some positions of a unit and copies the running results to `part`.
    ///
    /// # Safety
    /// - As `run_unit`; `positions` ends at most at `extents.positions`.
    /// - `part` has `running.len()` writable bytes that no other thread accesses.
    unsafe fn reduce_piece(
        &mut self,
        unit: usize,
        positions: std::ops::Range<usize>,
        part: *mut u8,
    ) {
        let running = self.code.running.clone();
        self.skips_row_stores = true;
        self.seek(unit, |axis| !axis.is_reduced);
        // SAFETY: the caller meets the contract.
        unsafe {
            self.run_row_steps(0);
            self.begin_reduces(0);
            self.run_tiles(0, positions);
            let from = self.base.add(running.start);
            std::ptr::copy_nonoverlapping(from, part, running.len());
        }
    }

    /// Merges the pieces of a unit and runs what follows its reductions.
    ///
    /// # Safety
    /// As `run_unit`; each of `parts` has `running.len()` bytes written by `reduce_piece` of this
    /// unit.
    unsafe fn join_pieces(&mut self, unit: usize, parts: impl Iterator<Item = *const u8>) {
        self.seek(unit, |axis| !axis.is_reduced);
        self.seek(0, |axis| axis.is_reduced);
        // SAFETY: the caller meets the contract.
        unsafe {
            self.run_row_steps(0);
            self.begin_reduces(0);
            parts.for_each(|part| self.merge(part));
            self.end_reduces(0);
            (1..self.code.stages.len()).for_each(|stage| self.run_row_steps(stage));
        }
    }

    /// Moves to tile number `tile` of the axes that `is_selected` selects.
    fn seek(&mut self, tile: usize, is_selected: impl Fn(Axis) -> bool) {
        let code = self.code;
        let mut rest = tile;
        for n in (0..code.axes.len()).rev().filter(|&n| is_selected(code.axes[n])) {
            let (len, extent) = (code.axes[n].len, code.extents.of[n]);
            let tiles = len.div_ceil(extent).max(1);
            self.index[n] = rest % tiles * extent;
            rest /= tiles;
        }
        self.set_regions(|n| code.extents.of[n], |n, index| code.axes[n].len.saturating_sub(index));
    }

    /// Sets the tile size from the extent of each axis and the indices left of it.
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

    /// Whether the registers are large enough for the current tile.
    pub(super) fn has_registers(&self) -> bool {
        self.full.rows * self.full.lanes <= self.code.extents.elements
    }

    pub(super) fn region(&self, level: Granularity) -> Region {
        match level {
            Granularity::PerElement => self.full,
            Granularity::PerRow => self.row,
        }
    }

    /// Runs the row steps of a stage.
    ///
    /// # Safety
    /// As `run_stages`.
    unsafe fn run_row_steps(&mut self, stage: usize) {
        for &n in &self.code.stages[stage].rows {
            // SAFETY: the caller meets the contract.
            unsafe {
                self.step(n, 0);
                if !self.skips_row_stores {
                    self.store(n, 0, |_| true);
                }
            }
        }
    }

    /// Runs the element steps of a stage on the current tile.
    ///
    /// # Safety
    /// As `run_stages`.
    unsafe fn run_elements(&mut self, stage: usize, position: usize) {
        let code = self.code;
        if stage == 0 {
            self.start_prefetch();
        }
        let stage = &code.stages[stage];
        // SAFETY: the caller meets the contract.
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
            // By now all loads that these stores may overwrite are done.
            for &n in &stage.elements {
                self.store(n, position, |write| write.is_shared);
            }
        }
    }

    /// Runs the epilogue on a rectangle of the library op's result, a matrix of `of` columns:
    /// `rows` rows from row `row` on, `columns` columns from `column` on. The rectangle lies at
    /// `anchor`.
    ///
    /// # Safety
    /// - The runner's `memory` meets the launch contract of [`Memory`].
    /// - Bounds: the rectangle lies inside the loop's space; `anchor` points to `rows` rows of
    ///   `columns` elements of the op's class, `anchor.rows` bytes apart.
    /// - Initialization: these elements are initialized.
    /// - Aliasing: no other thread accesses these elements or the loop's writes of this rectangle.
    ///   `anchor` overlaps a write only if that is the write `LoopOptions::anchor`, at the same
    ///   elements.
    pub(crate) unsafe fn run_rectangle(
        &mut self,
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
        of: usize,
        anchor: Operand,
    ) {
        let code = self.code;
        let bytes = self.anchor_bytes() as isize;
        debug_assert!(column + columns <= of, "columns {column} + {columns} of {of}");
        debug_assert!((row + rows) * of <= code.elements(), "rows {row} + {rows} of {of} columns");
        debug_assert!(rows * columns == 0 || !anchor.ptr.is_null(), "an anchor without memory");
        if !code.has_columns {
            for i in 0..rows {
                // SAFETY: the caller meets the contract.
                unsafe { self.run_flat((row + i) * of + column, columns, anchor.row(i)) };
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
                // SAFETY: the caller meets the contract.
                unsafe { self.run_elements(0, 0) };
                at += lanes;
            }
            done += count;
        }
    }

    /// Computes a rectangle of an operand of `of` columns into `tile`: the counterpart of
    /// [`TileRunner::run_rectangle`] for prologues.
    ///
    /// # Safety
    /// - The runner's `memory` meets the launch contract of [`Memory`].
    /// - Bounds: the rectangle lies inside the loop's space; `tile` has memory for `size.0` rows
    ///   of `size.1` elements of the loop's result dtype, `tile.rows` bytes apart.
    /// - Aliasing: `tile` overlaps no buffer of the launch, and no other thread accesses it.
    pub(crate) unsafe fn produce_rectangle(
        &mut self,
        at: (usize, usize),
        size: (usize, usize),
        of: usize,
        tile: Operand,
    ) {
        debug_assert!(self.code.has_columns, "a prologue needs a column axis");
        self.writes_to_tile = true;
        // SAFETY: the caller meets the contract.
        unsafe { self.run_rectangle(at, size, of, tile) };
    }

    /// Runs the epilogue, with its reductions, on whole rows of the library op's result: `rows`
    /// rows from row `row` on, which lie at `anchor`.
    ///
    /// # Safety
    /// As [`TileRunner::run_rectangle`] with all columns; [`Loop::takes_rows`] is true.
    pub(crate) unsafe fn run_rows(&mut self, row: usize, rows: usize, anchor: Operand) {
        let code = self.code;
        let last = code.axes.len() - 1;
        debug_assert!(code.takes_rows(), "tiles are not whole rows");
        debug_assert!(
            (row + rows) * code.axes[last].len <= code.elements(),
            "rows {row} + {rows} of {} elements",
            code.elements()
        );
        let mut done = 0;
        while done < rows {
            self.unravel(row + done, last);
            self.index[last] = 0;
            let left = code.frame.rows.map_or(1, |n| code.axes[n].len - self.index[n]);
            let count = (rows - done).min(left).min(code.extents.rows);
            let lanes = code.axes[last].len;
            self.set_regions(|n| if n == last { lanes } else { count }, |_, _| usize::MAX);
            self.anchor = Anchor::Tile(Operand { ptr: anchor.row(done), rows: anchor.rows });
            // SAFETY: the caller meets the contract; a tile has whole rows.
            unsafe {
                self.run_stages(|runner, stage| {
                    runner.run_elements(stage, 0);
                    runner.fold(stage, 0);
                });
            }
            done += count;
        }
    }

    /// Runs the epilogue on elements `start .. start + len` of the flattened result of the library
    /// op, which lie at `anchor`.
    ///
    /// # Safety
    /// As [`TileRunner::run_rectangle`]; `anchor` points to `len` contiguous elements of the op's
    /// class, and the loop has no reductions.
    pub(crate) unsafe fn run_flat(&mut self, start: usize, len: usize, anchor: *mut u8) {
        let code = self.code;
        let last = code.axes.len() - 1;
        let (columns, bytes) = (code.axes[last].len, self.anchor_bytes());
        let (mut at, end) = (start, start + len);
        debug_assert!(end <= code.elements(), "elements {start}..{end} of {}", code.elements());
        debug_assert!(len == 0 || !anchor.is_null(), "an anchor without memory");
        while at < end {
            self.unravel(at, last + 1);
            let capacity = code.extents.elements;
            let lanes = (end - at).min(columns - self.index[last]).min(capacity);
            // Whole rows are processed many at a time.
            let mut rows = 1;
            if let Some(n) = code.frame.rows.filter(|_| lanes == columns) {
                let left = code.axes[n].len - self.index[n];
                rows = left.min((end - at) / columns).min(capacity / columns).max(1);
            }
            self.set_regions(|n| if n == last { lanes } else { rows }, |_, _| usize::MAX);
            let ptr = anchor.wrapping_add((at - start) * bytes);
            self.anchor = Anchor::Tile(Operand { ptr, rows: (columns * bytes) as isize });
            // SAFETY: the caller meets the contract.
            unsafe { self.run_elements(0, 0) };
            at += lanes * rows;
        }
    }

    /// Bytes of one element of the anchor: of the library op's result in a register, or for a
    /// prologue of the produced operand.
    fn anchor_bytes(&self) -> usize {
        let anchor = self.code.instrs.iter().find(|i| matches!(i.kind, InstrKind::Anchor));
        let produced = || self.code.writes.first().map_or(4, |write| write.dtype.bytes());
        anchor.map_or_else(produced, |instr| instr.class.bytes())
    }

    /// Sets the indices of the first `count` axes from a flat index over them.
    fn unravel(&mut self, flat: usize, count: usize) {
        let mut rest = flat;
        for n in (0..count).rev() {
            let len = self.code.axes[n].len.max(1);
            self.index[n] = rest % len;
            rest /= len;
        }
    }
}
