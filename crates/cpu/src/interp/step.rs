//! Single instructions of a block: loads, stores, scalar functions and casts.
use super::access::{Access, Run, Way};
use super::block::{self, Class};
use super::prepare::{Instr, Kind, Layout};
use super::run::Thread;
use crate::random;
use brasa_compile::kernel::Level;
use brasa_ir::ops::{Kind as RowKind, Scalar, threefry};
use brasa_ir::{DType, Number};

impl Thread<'_> {
    /// One instruction on one block.
    pub(super) unsafe fn step(&mut self, n: usize, lanes: usize, position: usize) {
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
                        if let Run::Affine { start, stride: 1, lo: 0, hi } = access.run(index)
                            && hi >= run
                            && instr.class == Class::I64
                        {
                            let to = to.cast::<i64>().add(first);
                            let to = std::slice::from_raw_parts_mut(to, run);
                            return random::bits(key, start as u64, to);
                        }
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
    pub(super) unsafe fn store(&mut self, n: usize, lanes: usize) {
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
}

fn args(instr: &Instr) -> &[usize] {
    match &instr.kind {
        Kind::Map { args, .. } => args,
        Kind::Cast(of) => std::slice::from_ref(of),
        _ => &[],
    }
}

pub(super) unsafe fn fill(class: Class, to: *mut u8, lanes: usize, value: Number) {
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
