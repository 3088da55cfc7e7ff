//! Running prepared code: blocks of elements, one instruction after the other.
use super::access::Axis;
use super::block::{self, Class};
use super::prepare::{Kind, Loop, MOST_AXES};
use super::step::fill;
use crate::level::Level as Simd;
use crate::pool::Pool;
use crate::scratch;
use brasa_ir::Number;

/// The memory that one launch works on.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) reads: &'a [*const u8],
    pub(crate) writes: &'a [*mut u8],
    pub(crate) slots: &'a [Number],
}

// SAFETY: kernels write disjoint elements from different threads, and the caller keeps the buffers
// alive while a launch runs.
unsafe impl Sync for Memory<'_> {}

/// Work below this many element steps is done faster by one thread: starting the others costs as
/// much as 0.5 µs of work (about 4,000 vector steps of 16 elements).
const SERIAL: usize = 1 << 16;

impl Loop {
    /// Runs all of it.
    ///
    /// # Safety
    /// The buffers are as large as the kernel's reads and writes say.
    pub(crate) unsafe fn run(&self, pool: &Pool, memory: Memory) {
        let work: usize =
            self.axes.iter().map(|axis| axis.len).product::<usize>() * self.instrs.len().max(1);
        let units = if self.has_reduces() { self.units() } else { self.rows() };
        let per_unit = work / units.max(1);
        let chunk = if work < SERIAL { units } else { (SERIAL / 4).div_ceil(per_unit.max(1)) };
        let chunk = chunk.max(1);
        let task = |n: usize| {
            let range = n * chunk..((n + 1) * chunk).min(units);
            self.with_thread(memory, |thread| {
                for unit in range {
                    // SAFETY: promised by the caller.
                    unsafe { thread.unit(unit) };
                }
            });
        };
        match units.div_ceil(chunk) {
            0 => {}
            1 => task(0),
            chunks => pool.run(chunks, &task),
        }
    }

    /// Units of a kernel without reductions: blocks.
    fn rows(&self) -> usize {
        let others = (0..self.axes.len()).filter(|&n| !self.is_lane(n));
        let others: usize = others.map(|n| self.axes[n].len).product();
        others * self.lanes().div_ceil(self.block)
    }

    /// Units of a kernel with reductions: rows, or blocks of columns.
    fn units(&self) -> usize {
        let is_kept = |n: &usize| !self.axes[*n].is_reduced;
        if !self.is_by_columns() {
            return (0..self.axes.len()).filter(is_kept).map(|n| self.axes[n].len).product();
        }
        let others = (0..self.axes.len()).filter(is_kept).filter(|&n| !self.is_lane(n));
        let others: usize = others.map(|n| self.axes[n].len).product();
        others * self.lanes().div_ceil(self.block)
    }

    pub(crate) fn with_thread<R>(&self, memory: Memory, f: impl FnOnce(&mut Thread) -> R) -> R {
        let pointers = self.instrs.len();
        let words = self.scratch / 8 + pointers + self.axes.len();
        scratch::with::<f64, R>(words, |words| {
            let base = words.as_mut_ptr().cast::<u8>();
            // SAFETY: the scratch memory has room for registers, then pointers, then the index.
            let (values, index) = unsafe {
                let values = base.add(self.scratch).cast::<*mut u8>();
                let index = values.add(pointers).cast::<usize>();
                for n in 0..pointers {
                    *values.add(n) = base.add(self.instrs[n].register);
                }
                for n in 0..self.axes.len() {
                    *index.add(n) = 0;
                }
                (
                    std::slice::from_raw_parts_mut(values, pointers),
                    std::slice::from_raw_parts_mut(index, self.axes.len()),
                )
            };
            let simd = Simd::best();
            let mut thread = Thread { code: self, memory, base, values, index, simd, anchor: None };
            thread.fill_constants();
            f(&mut thread)
        })
    }
}

/// One thread at work on a kernel.
pub(crate) struct Thread<'a> {
    pub(super) code: &'a Loop,
    pub(super) memory: Memory<'a>,
    /// The registers.
    pub(super) base: *mut u8,
    /// Where the current block of each value lies: in a register or straight in memory.
    pub(super) values: &'a mut [*mut u8],
    pub(super) index: &'a mut [usize],
    pub(super) simd: Simd,
    /// The result of the library op that the code follows.
    pub(super) anchor: Option<*mut u8>,
}

impl Thread<'_> {
    /// # Safety
    /// As [`Loop::run`].
    unsafe fn unit(&mut self, unit: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            match (self.code.has_reduces(), self.code.is_by_columns()) {
                (false, _) => self.piece(unit),
                (true, false) => self.row(unit),
                (true, true) => self.columns(unit),
            }
        }
    }

    /// Numbers that are the same for every element are written once.
    fn fill_constants(&mut self) {
        for (n, instr) in self.code.instrs.iter().enumerate() {
            let value = match instr.kind {
                Kind::Const(value) => value,
                Kind::Slot(slot) => self.memory.slots[slot].to(instr.dtype),
                _ => continue,
            };
            // SAFETY: a register has a whole block.
            unsafe { fill(instr.class, self.register(n, 0), self.code.block, value) };
        }
    }

    /// Goes to block `unit` of the axes that `is_meant`, and tells how many elements it has.
    fn go_to_block(&mut self, unit: usize, is_meant: impl Fn(Axis) -> bool) -> usize {
        let code = self.code;
        let blocks = code.lanes().div_ceil(code.block);
        let start = unit % blocks * code.block;
        self.unravel(unit / blocks, |n, axis| is_meant(axis) && !code.is_lane(n));
        self.unravel(start, |n, _| code.is_lane(n));
        code.block.min(code.lanes() - start)
    }

    /// A block of a kernel without reductions.
    unsafe fn piece(&mut self, unit: usize) {
        let lanes = self.go_to_block(unit, |_| true);
        // SAFETY: promised by the caller.
        unsafe { self.elements(0, lanes, 0) };
    }

    /// The runs along the last axis that a block consists of: calls `f` with where each begins in
    /// the block, how long it is, and the index of its first element.
    pub(super) fn runs(&self, lanes: usize, mut f: impl FnMut(usize, usize, &[usize])) {
        let code = self.code;
        let last = code.axes.len() - 1;
        let len = code.axes[last].len;
        // A row's own value is one element, even of a row without any.
        if lanes <= 1 || self.index[last] + lanes <= len || !code.is_flattened() {
            return f(0, lanes, self.index);
        }
        let mut index = [0; MOST_AXES];
        index[..=last].copy_from_slice(self.index);
        let mut done = 0;
        while done < lanes {
            let run = (lanes - done).min(len - index[last]);
            f(done, run, &index[..=last]);
            done += run;
            index[last] = 0;
            for n in (0..last).rev().filter(|&n| code.is_lane(n)) {
                index[n] += 1;
                if index[n] < code.axes[n].len {
                    break;
                }
                index[n] = 0;
            }
        }
    }

    /// Whether a block lies in one run along the last axis.
    pub(super) fn is_one_run(&self, lanes: usize) -> bool {
        let last = self.code.axes.len() - 1;
        self.index[last] + lanes <= self.code.axes[last].len
    }

    /// Elements `start .. start + lanes` of the flattened space, of code that follows a library op
    /// whose result lies at `anchor`.
    ///
    /// # Safety
    /// As [`Loop::run`]; `anchor` has `lanes` elements of the op's class.
    pub(crate) unsafe fn epilogue(&mut self, start: usize, lanes: usize, anchor: *mut u8) {
        let code = self.code;
        let last = code.axes.len() - 1;
        let len = code.axes[last].len;
        let (mut at, end) = (start, start + lanes);
        while at < end {
            self.unravel(at, |_, _| true);
            let run = if code.is_flattened() { end - at } else { len - self.index[last] };
            let lanes = (end - at).min(run).min(code.block);
            // SAFETY: promised by the caller.
            unsafe {
                self.anchor = Some(anchor.add((at - start) * self.anchor_bytes()));
                self.elements(0, lanes, 0);
            }
            at += lanes;
        }
    }

    /// Bytes of one element of the library op's result, as registers hold it.
    fn anchor_bytes(&self) -> usize {
        let anchor = self.code.instrs.iter().find(|i| matches!(i.kind, Kind::Anchor));
        match anchor.map(|instr| instr.class) {
            Some(Class::F64 | Class::I64) => 8,
            _ => 4,
        }
    }

    /// One row of a kernel with reductions along the last axis.
    unsafe fn row(&mut self, unit: usize) {
        let code = self.code;
        self.unravel(unit, |_, axis| !axis.is_reduced);
        for stage in 0..code.stages.len() {
            // SAFETY: promised by the caller.
            unsafe {
                self.row_steps(stage, 1);
                if code.stages[stage].elements.is_empty() && code.stages[stage].reduces.is_empty() {
                    continue;
                }
                self.begin_reduces(stage, 1);
                for position in 0..code.positions() {
                    let lanes = self.go_to_block(position, |axis| axis.is_reduced);
                    self.elements(stage, lanes, position);
                    self.reduce_row(stage, lanes);
                }
                self.end_reduces(stage, 1);
            }
        }
    }

    /// A block of columns: vectors along kept axes, reductions one vector after the other.
    unsafe fn columns(&mut self, unit: usize) {
        let code = self.code;
        let lanes = self.go_to_block(unit, |axis| !axis.is_reduced);
        for stage in 0..code.stages.len() {
            // SAFETY: promised by the caller.
            unsafe {
                self.row_steps(stage, lanes);
                if code.stages[stage].elements.is_empty() && code.stages[stage].reduces.is_empty() {
                    continue;
                }
                self.begin_reduces(stage, lanes);
                for position in 0..code.positions() {
                    self.unravel(position, |_, axis| axis.is_reduced);
                    self.elements(stage, lanes, position);
                    self.reduce_columns(stage, lanes);
                }
                self.end_reduces(stage, lanes);
            }
        }
    }

    /// Sets the indices of some axes from a flat number over them.
    fn unravel(&mut self, flat: usize, is_meant: impl Fn(usize, Axis) -> bool) {
        let mut flat = flat;
        for n in (0..self.code.axes.len()).rev() {
            let axis = self.code.axes[n];
            if is_meant(n, axis) {
                self.index[n] = flat % axis.len.max(1);
                flat /= axis.len.max(1);
            }
        }
    }

    /// The steps of a stage that have one value for each row.
    unsafe fn row_steps(&mut self, stage: usize, lanes: usize) {
        let code = self.code;
        let is_by_columns = code.is_by_columns();
        let saved = self.index[self.index.len() - 1];
        if !is_by_columns {
            self.index[code.axes.len() - 1] = 0;
        }
        for &n in &code.stages[stage].rows {
            // SAFETY: promised by the caller.
            unsafe {
                self.step(n, lanes, 0);
                if !is_by_columns {
                    self.splat(n);
                }
            }
        }
        self.index[code.axes.len() - 1] = saved;
    }

    /// Fills a row value's block with its first element, so that element steps can read it.
    pub(super) unsafe fn splat(&mut self, n: usize) {
        let instr = &self.code.instrs[n];
        let (value, register) = (self.values[n], self.register(n, 0));
        let bytes = if matches!(instr.class, Class::F64 | Class::I64) { 8 } else { 4 };
        // SAFETY: a register has a whole block.
        unsafe {
            std::ptr::copy(value, register, bytes);
            block::repeat(instr.class, register, self.code.block);
        }
        self.values[n] = register;
    }

    /// The element steps of a stage, for one block.
    unsafe fn elements(&mut self, stage: usize, lanes: usize, position: usize) {
        for &n in &self.code.stages[stage].elements {
            // SAFETY: promised by the caller.
            unsafe { self.step(n, lanes, position) };
        }
        if self.code.is_in_place {
            for &n in &self.code.stages[stage].elements {
                // SAFETY: promised by the caller.
                unsafe { self.store(n, lanes) };
            }
        }
    }

    pub(super) fn register(&self, n: usize, position: usize) -> *mut u8 {
        let instr = &self.code.instrs[n];
        let block = if instr.is_kept { position * self.code.block_bytes() } else { 0 };
        // SAFETY: registers lie inside the scratch memory.
        unsafe { self.base.add(instr.register + block) }
    }
}
