//! Running prepared code: blocks of elements, one instruction after the other.
use super::access::{Access, Axis, Run, Way};
use super::block::{self, Class};
use super::prepare::{Instr, Kind, Layout, Loop, MOST_AXES};
use crate::level::Level as Simd;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Level;
use brasa_ir::ops::{Kind as RowKind, ReduceOp, Scalar, threefry};
use brasa_ir::{DType, Number};

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
    code: &'a Loop,
    memory: Memory<'a>,
    /// The registers.
    base: *mut u8,
    /// Where the current block of each value lies: in a register or straight in memory.
    values: &'a mut [*mut u8],
    index: &'a mut [usize],
    simd: Simd,
    /// The result of the library op that the code follows.
    anchor: Option<*mut u8>,
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
    fn runs(&self, lanes: usize, mut f: impl FnMut(usize, usize, &[usize])) {
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
    fn is_one_run(&self, lanes: usize) -> bool {
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
    unsafe fn splat(&mut self, n: usize) {
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

    fn register(&self, n: usize, position: usize) -> *mut u8 {
        let instr = &self.code.instrs[n];
        let block = if instr.is_kept { position * self.code.block_bytes() } else { 0 };
        // SAFETY: registers lie inside the scratch memory.
        unsafe { self.base.add(instr.register + block) }
    }

    /// One instruction on one block.
    unsafe fn step(&mut self, n: usize, lanes: usize, position: usize) {
        let instr = &self.code.instrs[n];
        let mut to = self.register(n, position);
        // A kept value of an earlier stage is looked up where it was left.
        for &arg in args(instr) {
            if self.code.instrs[arg].is_kept && self.code.instrs[arg].level == Level::Full {
                self.values[arg] = self.register(arg, position);
            }
        }
        // SAFETY: promised by the caller.
        unsafe {
            let direct = self.direct_store(instr, lanes);
            if let (Some(memory), false) = (direct, instr.is_kept) {
                to = memory;
            }
            self.values[n] = to;
            match &instr.kind {
                Kind::Load { .. } => self.load(n, lanes, to),
                // Written when the thread began.
                Kind::Const(_) | Kind::Slot(_) => {}
                Kind::Iota(access) => self.runs(lanes, |first, run, index| {
                    iota(instr.class, access, index, first, run, to);
                }),
                Kind::Valid(access) => self.runs(lanes, |first, run, index| {
                    numbers(access, index, run, |i, at| {
                        block::set(instr.class, to, first + i, 0.0, at.is_some() as i64);
                    });
                }),
                Kind::Bits { draw, seed, access } => {
                    let seed = block::get_i64(self.code.instrs[*seed].class, self.values[*seed], 0);
                    let key = [seed as u32, *draw];
                    self.runs(lanes, |first, run, index| {
                        numbers(access, index, run, |i, at| {
                            let at = at.unwrap_or(0);
                            let counter = [(at / 2) as u32, (at as u64 >> 33) as u32];
                            let bits = threefry(key, counter)[at % 2] as i64;
                            block::set(instr.class, to, first + i, 0.0, bits);
                        });
                    });
                }
                Kind::Map { row, args } => self.map(instr, *row, args, lanes, to),
                Kind::Cast(of) => self.cast(instr, *of, lanes, to),
                Kind::Anchor => self.values[n] = self.anchor.expect("a library op ran"),
                Kind::Reduce { .. } => unreachable!("reductions are no steps"),
            }
            // Whoever was not written where it belongs, or belongs to several places.
            let is_there = direct.is_some() && self.values[n] == to && instr.stores.len() == 1;
            if !self.code.is_in_place && !is_there {
                self.store(n, lanes);
            }
        }
    }

    /// Memory that a step can write its result to at once.
    unsafe fn direct_store(&self, instr: &Instr, lanes: usize) -> Option<*mut u8> {
        let &write = instr.stores.first().filter(|_| !self.code.is_in_place)?;
        let info = &self.code.writes[write];
        let is_computed = matches!(instr.kind, Kind::Map { .. } | Kind::Cast(_));
        let is_element = instr.level == Level::Full || self.code.is_by_columns();
        if !self.is_direct(info.layout, lanes) || !is_computed || instr.is_kept || !is_element {
            return None;
        }
        let Run::Affine { start, .. } = info.access.run(self.index) else { return None };
        // SAFETY: the caller promises the buffer.
        Some(unsafe { self.memory.writes[write].offset(start * info.dtype.bytes() as isize) })
    }

    /// Whether a block is one run of memory.
    fn is_direct(&self, layout: Layout, lanes: usize) -> bool {
        match layout {
            Layout::Flat => true,
            Layout::Rows => self.is_one_run(lanes),
            Layout::Other => false,
        }
    }

    /// Writes a value to the buffers that want it.
    unsafe fn store(&mut self, n: usize, lanes: usize) {
        let instr = &self.code.instrs[n];
        for &write in &instr.stores {
            let info = &self.code.writes[write];
            let (from, to) = (self.values[n], self.memory.writes[write]);
            let bytes = info.dtype.bytes();
            let start = |index: &[usize]| match info.access.run(index) {
                Run::Affine { start, stride, .. } => (start, stride),
                Run::Flat { .. } => unreachable!("results are written in order"),
            };
            // SAFETY: the caller promises the buffer.
            unsafe {
                if self.is_direct(info.layout, lanes) {
                    let to = to.offset(start(self.index).0 * bytes as isize);
                    std::ptr::copy(from, to, lanes * bytes);
                    continue;
                }
                self.runs(lanes, |first, run, index| {
                    let (start, stride) = start(index);
                    for i in 0..run {
                        let at = start + stride * i as isize;
                        block::store_one(info.dtype, from, first + i, to, at);
                    }
                });
            }
        }
    }

    unsafe fn load(&mut self, n: usize, lanes: usize, to: *mut u8) {
        let instr = &self.code.instrs[n];
        let Kind::Load { read, access, fill: padding, layout } = &instr.kind else { return };
        let (from, dtype) = (self.memory.reads[*read], instr.dtype);
        let bytes = if matches!(instr.class, Class::F64 | Class::I64) { 8 } else { 4 };
        if self.is_direct(*layout, lanes) {
            let Run::Affine { start, .. } = access.run(self.index) else { return };
            // SAFETY: the caller promises the buffer.
            self.values[n] = unsafe { from.offset(start * dtype.bytes() as isize) }.cast_mut();
            return;
        }
        if lanes > 1 && self.code.is_flattened() && !self.is_one_run(lanes) {
            let (axes, stride) = (&self.code.axes, access.last_stride());
            let is_lane = |n: usize| self.code.is_lane(n);
            let walked = access.walk(axes, is_lane, self.index, lanes, |first, run, start| {
                // SAFETY: the register has a whole block, and the caller promises the buffer.
                unsafe {
                    let to = to.add(first * bytes);
                    block::load_strided(dtype, from, start, stride, 0..run, to);
                }
            });
            if walked.is_some() {
                return;
            }
        }
        self.runs(lanes, |first, run, index| {
            // SAFETY: the register has a whole block, and the caller promises the buffer.
            unsafe {
                let to = to.add(first * bytes);
                match access.run(index) {
                    Run::Affine { start, stride: 0, lo: 0, hi } if hi >= run => {
                        block::load_one(dtype, from, start, to, 0);
                        block::repeat(instr.class, to, run);
                    }
                    Run::Affine { start, stride, lo, hi } => {
                        let (lo, hi) = (lo.min(run), hi.min(run));
                        for (first, count) in [(0, lo), (hi.max(lo), run - hi.max(lo))] {
                            fill(instr.class, to.add(first * bytes), count, *padding);
                        }
                        block::load_strided(dtype, from, start, stride, lo..hi, to);
                    }
                    Run::Flat { start, step } => {
                        let Way::Any(view) = &access.way else { return };
                        for i in 0..run {
                            match view.index_flat(start + step * i) {
                                Some(at) => block::load_one(dtype, from, at as isize, to, i),
                                None => {
                                    let (float, int) = (padding.as_f64(), padding.as_i64());
                                    block::set(instr.class, to, i, float, int);
                                }
                            }
                        }
                    }
                }
            }
        });
    }

    unsafe fn map(&self, instr: &Instr, row: Scalar, args: &[usize], lanes: usize, to: *mut u8) {
        let class = self.code.instrs[args[args.len() - 1]].class;
        let value =
            |n: usize| args.get(n).map_or(std::ptr::null(), |&a| self.values[a].cast_const());
        let (a, b, c) = (value(0), value(1), value(2));
        let is_comparison = row.def().kind == RowKind::Compare;
        // SAFETY: every register has a block of its class.
        unsafe {
            let is_done = match class {
                _ if row == Scalar::Select && matches!(class, Class::F32 | Class::I32) => {
                    block::select_4(self.simd, lanes, to.cast(), a.cast(), b.cast(), c.cast());
                    true
                }
                _ if row == Scalar::Select => {
                    block::select_8(self.simd, lanes, to.cast(), a.cast(), b.cast(), c.cast());
                    true
                }
                Class::F32 if is_comparison => {
                    block::compare_f32(self.simd, row, lanes, to.cast(), a.cast(), b.cast())
                }
                Class::F32 => block::map_f32(self.simd, row, lanes, to.cast(), a.cast(), b.cast()),
                Class::I32 if is_comparison => {
                    block::compare_i32(self.simd, row, lanes, to.cast(), a.cast(), b.cast())
                }
                Class::I64 if is_comparison => {
                    block::compare_i64(self.simd, row, lanes, to.cast(), a.cast(), b.cast())
                }
                _ => false,
            };
            if !is_done {
                self.plain_map(instr, row, args, lanes, to);
            }
        }
    }

    /// A scalar function by its meaning in the op table, element by element.
    unsafe fn plain_map(
        &self,
        instr: &Instr,
        row: Scalar,
        args: &[usize],
        lanes: usize,
        to: *mut u8,
    ) {
        let def = row.def();
        let class = |n: usize| self.code.instrs[args[n]].class;
        let is_int = (0..args.len()).all(|n| matches!(class(n), Class::I32 | Class::I64));
        for i in 0..lanes {
            // SAFETY: every register has a block of its class.
            unsafe {
                match def.int.filter(|_| is_int) {
                    Some(int) => {
                        let mut x = [0; 3];
                        for n in 0..args.len() {
                            x[n] = block::get_i64(class(n), self.values[args[n]], i);
                        }
                        let is_not = row == Scalar::BitwiseNot && instr.dtype == DType::Bool;
                        let y = if is_not { x[0] ^ 1 } else { int(&x[..args.len()]) };
                        let y = instr.dtype.wrap(y);
                        block::set(instr.class, to, i, y as f64, y);
                    }
                    None => {
                        let mut x = [0.0; 3];
                        for n in 0..args.len() {
                            x[n] = block::get_f64(class(n), self.values[args[n]], i);
                        }
                        let y = (def.eval)(&x[..args.len()]);
                        block::set(instr.class, to, i, y, y as i64);
                    }
                }
            }
        }
    }

    unsafe fn cast(&self, instr: &Instr, of: usize, lanes: usize, to: *mut u8) {
        let from = &self.code.instrs[of];
        let value = self.values[of];
        // SAFETY: every register has a block of its class.
        if unsafe { block::cast(self.simd, from.class, instr.dtype, lanes, to, value) } {
            return;
        }
        let is_float = matches!(from.class, Class::F32 | Class::F64);
        for i in 0..lanes {
            // SAFETY: every register has a block of its class.
            unsafe {
                let float = block::get_f64(from.class, value, i);
                let int = match (is_float, instr.dtype) {
                    (true, DType::Bool) => (float != 0.0) as i64,
                    (true, dtype) => dtype.wrap(Number::Float(float).as_i64()),
                    (false, dtype) => dtype.wrap(block::get_i64(from.class, value, i)),
                };
                let float = if instr.dtype.is_float() { instr.dtype.round(float) } else { float };
                block::set(instr.class, to, i, float, int);
            }
        }
    }

    /// The running results of a reduction: one for each lane, 8 bytes wide.
    fn running(&self, n: usize) -> *mut u8 {
        let lanes = self.code.block_bytes();
        // SAFETY: a reduction's register has room for three blocks.
        unsafe { self.base.add(self.code.instrs[n].register + lanes) }
    }

    unsafe fn begin_reduces(&mut self, stage: usize, lanes: usize) {
        for &n in &self.code.stages[stage].reduces {
            let Kind::Reduce { by, of } = self.code.instrs[n].kind else { continue };
            let is_float = matches!(self.code.instrs[of].class, Class::F32 | Class::F64);
            let (float, int) = match by {
                ReduceOp::Sum => (0.0, 0),
                ReduceOp::Max => (f64::NEG_INFINITY, i64::MIN),
                ReduceOp::Min => (f64::INFINITY, i64::MAX),
            };
            let class = if is_float { Class::F64 } else { Class::I64 };
            for i in 0..lanes {
                // SAFETY: running results have a block.
                unsafe { block::set(class, self.running(n), i, float, int) };
            }
        }
    }

    unsafe fn reduce_row(&mut self, stage: usize, lanes: usize) {
        for &n in &self.code.stages[stage].reduces {
            let Kind::Reduce { by, of } = self.code.instrs[n].kind else { continue };
            let (class, x, running) =
                (self.code.instrs[of].class, self.values[of], self.running(n));
            // SAFETY: the operand has `lanes` elements.
            unsafe {
                match (class, by) {
                    (Class::F32, ReduceOp::Sum) => {
                        *running.cast::<f64>() += block::sum_f32(self.simd, lanes, x.cast());
                    }
                    (Class::F32, _) => {
                        let sign = if by == ReduceOp::Max { 1.0 } else { -1.0 };
                        let best = block::max_f32(self.simd, lanes, x.cast(), sign) as f64;
                        let so_far = *running.cast::<f64>();
                        *running.cast::<f64>() = better(by, so_far, best);
                    }
                    _ => (0..lanes).for_each(|i| accumulate(by, class, running, 0, x, i)),
                }
            }
        }
    }

    unsafe fn reduce_columns(&mut self, stage: usize, lanes: usize) {
        for &n in &self.code.stages[stage].reduces {
            let Kind::Reduce { by, of } = self.code.instrs[n].kind else { continue };
            let (class, x, running) =
                (self.code.instrs[of].class, self.values[of], self.running(n));
            // SAFETY: the operand has `lanes` elements.
            unsafe {
                match (class, by) {
                    (Class::F32, ReduceOp::Sum) => {
                        block::add_to_f64(self.simd, lanes, running.cast(), x.cast());
                    }
                    _ => (0..lanes).for_each(|i| accumulate(by, class, running, i, x, i)),
                }
            }
        }
    }

    /// Turns running results into row values.
    unsafe fn end_reduces(&mut self, stage: usize, lanes: usize) {
        let code = self.code;
        for &n in &code.stages[stage].reduces {
            let instr = &code.instrs[n];
            let (to, running) = (self.register(n, 0), self.running(n));
            let is_float = matches!(instr.class, Class::F32 | Class::F64);
            let class = if is_float { Class::F64 } else { Class::I64 };
            // SAFETY: registers have a block.
            unsafe {
                for i in 0..lanes {
                    let (float, int) =
                        (block::get_f64(class, running, i), block::get_i64(class, running, i));
                    block::set(instr.class, to, i, float, instr.dtype.wrap(int));
                }
                self.values[n] = to;
                let saved = self.index[code.axes.len() - 1];
                if !code.is_by_columns() {
                    self.splat(n);
                    self.index[code.axes.len() - 1] = 0;
                }
                self.store(n, lanes);
                self.index[code.axes.len() - 1] = saved;
            }
        }
    }
}

fn args(instr: &Instr) -> &[usize] {
    match &instr.kind {
        Kind::Map { args, .. } => args,
        Kind::Cast(of) => std::slice::from_ref(of),
        _ => &[],
    }
}

/// NaN wins.
fn better(by: ReduceOp, a: f64, b: f64) -> f64 {
    match by {
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        ReduceOp::Min => a.min(b),
        _ => a.max(b),
    }
}

unsafe fn accumulate(
    by: ReduceOp,
    class: Class,
    running: *mut u8,
    lane: usize,
    x: *const u8,
    i: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        if matches!(class, Class::F32 | Class::F64) {
            let (so_far, x) = (running.cast::<f64>().add(lane), block::get_f64(class, x, i));
            *so_far = if by == ReduceOp::Sum { *so_far + x } else { better(by, *so_far, x) };
            return;
        }
        let (so_far, x) = (running.cast::<i64>().add(lane), block::get_i64(class, x, i));
        *so_far = match by {
            ReduceOp::Sum => (*so_far).wrapping_add(x),
            ReduceOp::Max => (*so_far).max(x),
            ReduceOp::Min => (*so_far).min(x),
        };
    }
}

unsafe fn fill(class: Class, to: *mut u8, lanes: usize, value: Number) {
    if lanes == 0 {
        return;
    }
    // SAFETY: promised by the caller.
    unsafe {
        block::set(class, to, 0, value.as_f64(), value.as_i64());
        block::repeat(class, to, lanes);
    }
}

/// The numbers of the elements of one run.
unsafe fn iota(
    class: Class,
    access: &Access,
    index: &[usize],
    first: usize,
    run: usize,
    to: *mut u8,
) {
    // SAFETY: the caller promises a register with a block.
    unsafe {
        match access.run(index) {
            Run::Affine { start, stride, lo: 0, hi } if hi >= run => {
                let number = |i: usize| start as i64 + (stride * i as isize) as i64;
                match class {
                    Class::I32 => {
                        let to = to.cast::<i32>().add(first);
                        (0..run).for_each(|i| *to.add(i) = number(i) as i32);
                    }
                    Class::I64 => {
                        let to = to.cast::<i64>().add(first);
                        (0..run).for_each(|i| *to.add(i) = number(i));
                    }
                    Class::F32 => {
                        let to = to.cast::<f32>().add(first);
                        (0..run).for_each(|i| *to.add(i) = number(i) as f32);
                    }
                    Class::F64 => {
                        let to = to.cast::<f64>().add(first);
                        (0..run).for_each(|i| *to.add(i) = number(i) as f64);
                    }
                }
            }
            _ => numbers(access, index, run, |i, at| {
                let at = at.unwrap_or(0);
                block::set(class, to, first + i, at as f64, at as i64);
            }),
        }
    }
}

/// Calls `f` with the number of the element that each place leads to, `None` for padding.
fn numbers(
    access: &Access,
    index: &[usize],
    lanes: usize,
    mut f: impl FnMut(usize, Option<usize>),
) {
    match (access.run(index), &access.way) {
        (Run::Affine { start, stride, lo, hi }, _) => {
            for i in 0..lanes {
                let is_valid = (lo..hi).contains(&i);
                f(i, is_valid.then_some((start + stride * i as isize) as usize));
            }
        }
        (Run::Flat { start, step }, Way::Any(view)) => {
            for i in 0..lanes {
                f(i, view.index_flat(start + step * i));
            }
        }
        (Run::Flat { .. }, Way::Affine { .. }) => unreachable!("runs are of their way"),
    }
}
