//! Execution of single instructions on a tile: loads, stores and functions.
use super::access::{Addressing, Coverage, ElementRun, LaneLayout, Region, TileAccess};
use super::class::{self, Class};
use super::prefetch::PIECE;
use super::prepare::{Instr, InstrKind, Write};
use super::run::{Anchor, TileRunner};
use super::shape::Mode;
use super::vector::{Operand, TileFn};
use crate::level::Level as Simd;
use crate::random;
use brasa_compile::kernel::Granularity;
use brasa_ir::ops::{Scalar, threefry};
use brasa_ir::{DType, Number};

impl TileRunner<'_> {
    /// The current tile of a value. Row steps see one row, whatever the row stride.
    #[inline]
    pub(super) fn operand(&self, n: usize, position: usize) -> Operand {
        let instr = &self.code.instrs[n];
        if instr.is_kept { self.register(instr, position) } else { self.values[n] }
    }

    /// The register of an instruction, at the size of the current tile.
    pub(super) fn register(&self, instr: &Instr, position: usize) -> Operand {
        let skip = if instr.is_kept { position * self.code.kept_bytes(instr.class) } else { 0 };
        let rows = match instr.level {
            Granularity::PerElement => self.full.lanes * instr.class.bytes(),
            Granularity::PerRow => self.code.row_bytes(instr),
        };
        Operand {
            ptr: self.base.wrapping_add(instr.register.wrapping_add(skip)),
            rows: rows as isize,
        }
    }

    /// Runs one instruction on the current tile.
    ///
    /// # Safety
    /// - The runner's `memory` meets the launch contract of [`super::run::Memory`], and its
    ///   `anchor` that of [`Loop::run_epilogue`](super::Loop::run_epilogue).
    /// - The current tile lies inside the loop's axes and is at most as large as `extents`.
    /// - The arguments of `n` have been computed for this tile, and `position` is that of the
    ///   tile.
    pub(super) unsafe fn step(&mut self, n: usize, position: usize) {
        debug_assert!(self.has_registers(), "a tile of {:?}", self.full);
        let code = self.code;
        let instr = &code.instrs[n];
        let region = self.region(instr.level);
        let to = match instr.is_direct {
            true => self.write_target(instr.level, instr.stores[0]),
            false => self.register(instr, position),
        };
        self.values[n] = to;
        let arg = |i: usize| self.operand(instr.args[i], position);
        // SAFETY: the caller meets the contract; registers are as large as the largest tile.
        unsafe {
            match &instr.kind {
                InstrKind::Map { function, forms, .. } => {
                    let first = arg(0);
                    let or_first = |i: usize| if i < instr.args.len() { arg(i) } else { first };
                    let args = [first, or_first(1), or_first(2)];
                    self.map(instr, *function, *forms, region, to, &args);
                }
                InstrKind::Unary(f) => {
                    let x = [arg(0)];
                    let (lines, prefetcher) = (self.lines_per_piece(), &mut self.prefetcher);
                    for_each_row(instr, region, to, &x, |lanes, to, x| {
                        let mut done = 0;
                        while done < lanes {
                            prefetcher.advance(lines);
                            let rest = lanes - done;
                            let count = if prefetcher.is_done() { rest } else { rest.min(PIECE) };
                            f.map_raw(Simd::best(), x[0].add(done), to.add(done), count);
                            done += count;
                        }
                    });
                }
                InstrKind::Binary(f) => {
                    for_each_row(instr, region, to, &[arg(0), arg(1)], |lanes, to, x| {
                        let [x, y] = [0, 1].map(|i| std::slice::from_raw_parts(x[i], lanes));
                        let to = std::slice::from_raw_parts_mut(to, lanes);
                        f.map_at(Simd::best(), x, y, to);
                    })
                }
                InstrKind::Eval(row) => self.eval_map(instr, *row, region, to, position),
                InstrKind::EvalCast => {
                    let from = code.instrs[instr.args[0]].class;
                    eval_cast(instr, from, region, to, arg(0));
                }
                InstrKind::Load { .. } => self.set_value(n, to, self.load(instr, region, to)),
                InstrKind::Anchor => self.set_value(n, to, self.anchor(instr, to)),
                InstrKind::Iota | InstrKind::Valid | InstrKind::Bits { .. } => {
                    self.set_value(n, to, self.compute_indices(instr, region, to, position));
                }
                InstrKind::Const(_) | InstrKind::Slot(_) | InstrKind::Reduce { .. } => {}
            }
        }
    }

    /// Sets where a value lies, if not in its register `to`.
    fn set_value(&mut self, n: usize, to: Operand, value: Operand) {
        let is_row = self.code.instrs[n].level == Granularity::PerRow;
        self.values[n] = Operand { rows: if is_row { to.rows } else { value.rows }, ..value };
    }

    /// The memory that the current tile of a write goes to.
    pub(super) fn write_target(&self, level: Granularity, write: usize) -> Operand {
        if let (true, Anchor::Tile(tile)) = (self.writes_to_tile, self.anchor) {
            return tile;
        }
        let Write { place, dtype, .. } = &self.code.writes[write];
        let bytes = dtype.bytes() as isize;
        let ptr = self.buffer(write).wrapping_offset(place.start(self.index) * bytes);
        let rows = match level {
            Granularity::PerElement => place.row_stride * bytes,
            Granularity::PerRow if self.code.mode == Mode::Rows => bytes,
            Granularity::PerRow => 0,
        };
        Operand { ptr, rows }
    }

    /// The start of the buffer of a write.
    fn buffer(&self, write: usize) -> *mut u8 {
        self.memory.write(self.code.first_write + write)
    }

    fn anchor(&self, instr: &Instr, to: Operand) -> Operand {
        match (self.anchor, &instr.place) {
            (Anchor::Tile(tile), _) => tile,
            (Anchor::Whole(start), Some(place)) => {
                let bytes = instr.class.bytes() as isize;
                let ptr = start.wrapping_offset(place.start(self.index) * bytes);
                Operand { ptr, rows: place.row_stride * bytes }
            }
            _ => to,
        }
    }

    /// Runs a function on a tile; on all rows as one if every operand is contiguous.
    ///
    /// # Safety
    /// `to` and the operands of `args` that `instr` has point to `region.rows` rows of
    /// `region.lanes` elements of their classes (of one element where `forms` is false). `to`
    /// overlaps none of them.
    unsafe fn map(
        &self,
        instr: &Instr,
        function: TileFn,
        forms: [bool; 3],
        region: Region,
        to: Operand,
        args: &[Operand; 3],
    ) {
        let is_one_run = |operand: Operand, class: Class, is_vector: bool| {
            operand.rows == if is_vector { (region.lanes * class.bytes()) as isize } else { 0 }
        };
        let is_whole = region.rows > 1
            && is_one_run(to, instr.class, true)
            && instr
                .args
                .iter()
                .enumerate()
                .all(|(i, &arg)| is_one_run(args[i], self.code.instrs[arg].class, forms[i]));
        // SAFETY: the caller meets the contract.
        unsafe {
            match is_whole {
                true => function(1, region.rows * region.lanes, to, args),
                false => function(region.rows, region.lanes, to, args),
            }
        }
    }

    /// Evaluates a scalar function element by element by its `eval` in the op table.
    ///
    /// # Safety
    /// As `step`.
    unsafe fn eval_map(
        &self,
        instr: &Instr,
        row: Scalar,
        region: Region,
        to: Operand,
        position: usize,
    ) {
        let code = self.code;
        let def = row.def();
        let count = instr.args.len();
        let mut args = [(Operand::NONE, Class::F32, 0); 3];
        for (to, &arg) in args.iter_mut().zip(&instr.args) {
            let step = usize::from(code.is_vector(arg, instr.level));
            *to = (self.operand(arg, position), code.instrs[arg].class, step);
        }
        let int = def.int.filter(|_| args[..count].iter().all(|(_, class, _)| !class.is_float()));
        for n in 0..region.rows {
            for i in 0..region.lanes {
                // SAFETY: every operand has the elements of its class.
                unsafe {
                    if let Some(int) = int {
                        let x = args.map(|(x, class, step)| match x.ptr.is_null() {
                            true => 0,
                            false => class::get_i64(class, x.row(n), i * step),
                        });
                        let y = instr.dtype.wrap(int(&x[..count]));
                        class::set(instr.class, to.row(n), i, y as f64, y);
                        continue;
                    }
                    let x = args.map(|(x, class, step)| match x.ptr.is_null() {
                        true => 0.0,
                        false => class::get_f64(class, x.row(n), i * step),
                    });
                    let y = (def.eval)(&x[..count]);
                    class::set(instr.class, to.row(n), i, y, y as i64);
                }
            }
        }
    }

    /// Loads the current tile: returns its location in the buffer, or copies it to the register
    /// `to`.
    ///
    /// # Safety
    /// As `step`; `to` is the register of `instr`.
    unsafe fn load(&self, instr: &Instr, region: Region, to: Operand) -> Operand {
        let (InstrKind::Load { read, fill, copies, is_direct }, Some(place)) =
            (&instr.kind, &instr.place)
        else {
            return to;
        };
        let (code, bytes) = (self.code, instr.dtype.bytes() as isize);
        let inside = place.coverage(&code.axes, self.index, region);
        let is_full = instr.level == Granularity::PerElement;
        let ptr = self.memory.reads[*read].wrapping_offset(place.start(self.index) * bytes);
        let from = Operand {
            ptr: ptr.cast_mut(),
            rows: if is_full { place.row_stride * bytes } else { 0 },
        };
        let must_be_one_run =
            self.code.is_short && is_full && place.lanes == LaneLayout::Contiguous;
        let is_one_run = region.rows == 1 || from.rows == to.rows;
        if inside == Coverage::Full && *is_direct && (!must_be_one_run || is_one_run) {
            return from;
        }
        let is_same = match inside {
            Coverage::Full => from.rows == 0 && place.lanes != LaneLayout::General,
            Coverage::Partial => false,
            Coverage::Empty => true,
        };
        let (rows, to) = self.rows_of(instr, region, to, is_same);
        // SAFETY: the caller meets the contract.
        unsafe {
            match (inside, &place.lanes) {
                (Coverage::Empty, _) => {
                    class::fill(instr.class, to.ptr, rows * region.lanes, *fill)
                }
                (Coverage::Full, LaneLayout::Contiguous) => {
                    (copies.plain)(rows, region.lanes, to, &[from, from, from]);
                }
                (Coverage::Full, LaneLayout::Table(table)) => {
                    let table = table_of(table, region.lanes);
                    (copies.by_table)(rows, region.lanes, to, &[from, table, table]);
                }
                (Coverage::Full, LaneLayout::Broadcast) => (0..rows).for_each(|n| {
                    let to = to.row(n);
                    class::load_one(instr.dtype, from.row(n), 0, to, 0);
                    fill_with_first(instr.class, to, region.lanes);
                }),
                _ => self.load_runs(instr, place, region, to.ptr),
            }
        }
        to
    }

    /// The rows to compute: one if all rows are equal and need not be contiguous.
    fn rows_of(
        &self,
        instr: &Instr,
        region: Region,
        to: Operand,
        is_same: bool,
    ) -> (usize, Operand) {
        match is_same && !self.code.is_short && !instr.is_kept {
            true => (1, Operand { rows: 0, ..to }),
            false => (region.rows, to),
        }
    }

    /// Copies a load run by run, with padding or through any view.
    ///
    /// # Safety
    /// As `load`; `to` has `region.rows * region.lanes` elements.
    unsafe fn load_runs(&self, instr: &Instr, place: &TileAccess, region: Region, to: *mut u8) {
        let InstrKind::Load { read, fill, copies, .. } = &instr.kind else { return };
        let (dtype, class, from) = (instr.dtype, instr.class, self.memory.reads[*read]);
        // SAFETY: the run lies inside the buffer by the launch contract, and `to` has `len`
        // elements.
        let load_steps = |first: isize, stride: isize, len: usize, to: *mut u8| unsafe {
            if stride == 1 && len > 0 {
                let ptr = from.wrapping_offset(first * dtype.bytes() as isize).cast_mut();
                let to = Operand { ptr: to, rows: 0 };
                return (copies.plain)(1, len, to, &[Operand { ptr, rows: 0 }; 3]);
            }
            for i in 0..len {
                class::load_one(dtype, from, first + stride * i as isize, to, i);
            }
        };
        place.runs(&self.code.axes, self.index, region, |first, len, run| {
            // SAFETY: the register has a whole tile, and the runs of the view stay inside the
            // buffer.
            unsafe {
                let to = to.add(first * class.bytes());
                match (run, &place.access.addressing) {
                    (ElementRun::Affine { start, stride, lo, hi }, _) => {
                        let (lo, hi) = (lo.min(len), hi.min(len).max(lo.min(len)));
                        class::fill(class, to, lo, *fill);
                        class::fill(class, to.add(hi * class.bytes()), len - hi, *fill);
                        let to = to.add(lo * class.bytes());
                        load_steps(start + stride * lo as isize, stride, hi - lo, to);
                    }
                    (ElementRun::Flat { start, step }, Addressing::View(view)) => {
                        let mut done = 0;
                        while done < len {
                            let part = view.stretch(start + step * done, step, len - done);
                            let to = to.add(done * class.bytes());
                            match part.first {
                                Some(first) => {
                                    load_steps(first as isize, part.stride, part.len, to)
                                }
                                None => class::fill(class, to, part.len, *fill),
                            }
                            done += part.len;
                        }
                    }
                    (ElementRun::Flat { .. }, Addressing::Affine { .. }) => {}
                }
            }
        });
    }

    /// Computes `Iota` (element indices), `Valid` (whether an element is not padding) and `Bits`
    /// (random bits of element indices).
    ///
    /// # Safety
    /// As `step`; `to` is the register of `instr`.
    unsafe fn compute_indices(
        &self,
        instr: &Instr,
        region: Region,
        to: Operand,
        position: usize,
    ) -> Operand {
        let Some(place) = &instr.place else { return to };
        let class = instr.class;
        if let (InstrKind::Iota, false) = (&instr.kind, place.is_masked)
            // SAFETY: as this function.
            && let Some(done) = unsafe { self.regular_indices(instr, place, region, to) }
        {
            return done;
        }
        let inside = place.coverage(&self.code.axes, self.index, region);
        if let (InstrKind::Valid, Coverage::Full | Coverage::Empty) = (&instr.kind, inside) {
            let (rows, to) = self.rows_of(instr, region, to, true);
            let value = Number::Int((inside == Coverage::Full) as i64);
            // SAFETY: the register has a whole tile.
            unsafe { class::fill(class, to.ptr, rows * region.lanes, value) };
            return to;
        }
        let seed = match instr.args.first() {
            // SAFETY: the seed has been computed and is one number.
            Some(&seed) => unsafe {
                let from = self.operand(seed, position);
                class::get_i64(self.code.instrs[seed].class, from.ptr, 0)
            },
            None => 0,
        };
        // SAFETY: as this function.
        unsafe { self.index_runs(instr, place, region, seed, to) };
        to
    }

    /// Computes `Iota` without padding for lanes that are alike in all rows. `None` for other
    /// lanes.
    ///
    /// # Safety
    /// As `compute_indices`.
    #[inline]
    unsafe fn regular_indices(
        &self,
        instr: &Instr,
        place: &TileAccess,
        region: Region,
        to: Operand,
    ) -> Option<Operand> {
        let class = instr.class;
        let is_full = instr.level == Granularity::PerElement;
        let start = place.start(self.index) as i64;
        let step = place.row_stride as i64;
        // SAFETY: the register has a whole tile.
        unsafe {
            match &place.lanes {
                // One number per row.
                LaneLayout::Broadcast if is_full => {
                    fill_with(class, to.ptr, region.rows, |i| start + step * i as i64);
                    Some(Operand { rows: class.bytes() as isize, ..to })
                }
                LaneLayout::General => None,
                lanes => {
                    let (rows, to) = self.rows_of(instr, region, to, step == 0);
                    for n in 0..rows {
                        let (start, to) = (start + step * n as i64, to.row(n));
                        match lanes {
                            LaneLayout::Table(table) => {
                                fill_with(class, to, region.lanes, |i| start + table[i] as i64);
                            }
                            LaneLayout::Contiguous => {
                                fill_with(class, to, region.lanes, |i| start + i as i64)
                            }
                            _ => fill_with(class, to, region.lanes, |_| start),
                        }
                    }
                    Some(to)
                }
            }
        }
    }

    /// Computes indices run by run, with padding or through any view.
    ///
    /// # Safety
    /// As `compute_indices`.
    #[inline]
    unsafe fn index_runs(
        &self,
        instr: &Instr,
        place: &TileAccess,
        region: Region,
        seed: i64,
        to: Operand,
    ) {
        let class = instr.class;
        let value = |at: Option<usize>| match instr.kind {
            InstrKind::Valid => at.is_some() as i64,
            InstrKind::Bits { draw } => {
                let at = at.unwrap_or(0);
                let counter = [(at / 2) as u32, (at as u64 >> 33) as u32];
                threefry([seed as u32, draw], counter)[at % 2] as i64
            }
            _ => at.unwrap_or(0) as i64,
        };
        place.runs(&self.code.axes, self.index, region, |first, len, run| {
            if let (InstrKind::Bits { draw }, ElementRun::Affine { start, stride: 1, lo: 0, hi }) =
                (&instr.kind, &run)
                && *hi >= len
                && class == Class::I64
            {
                // SAFETY: the register has a whole tile.
                let to = unsafe {
                    let to = to.ptr.cast::<i64>().add(first);
                    std::slice::from_raw_parts_mut(to, len)
                };
                return random::bits([seed as u32, *draw], *start as u64, to);
            }
            let number = |i: usize| match (&run, &place.access.addressing) {
                (ElementRun::Affine { start, stride, lo, hi }, _) => {
                    (*lo..*hi).contains(&i).then_some((start + stride * i as isize) as usize)
                }
                (ElementRun::Flat { start, step }, Addressing::View(view)) => {
                    view.index_flat(start + step * i)
                }
                (ElementRun::Flat { .. }, Addressing::Affine { .. }) => None,
            };
            for i in 0..len {
                let x = value(number(i));
                // SAFETY: the register has a whole tile.
                unsafe { class::set(class, to.ptr, first + i, x as f64, x) };
            }
        });
    }

    /// Stores a value to those of its buffers that `is_selected` selects.
    ///
    /// # Safety
    /// As [`TileRunner::step`]; instruction `n` has run on this tile.
    pub(super) unsafe fn store(
        &self,
        n: usize,
        position: usize,
        is_selected: impl Fn(&Write) -> bool,
    ) {
        let code = self.code;
        let instr = &code.instrs[n];
        for (i, &w) in instr.stores.iter().enumerate() {
            let write = &code.writes[w];
            if (i == 0 && instr.is_direct) || !is_selected(write) {
                continue;
            }
            let region = self.region(instr.level);
            let from = self.operand(n, position);
            let to = self.write_target(instr.level, w);
            if from.ptr == to.ptr {
                continue;
            }
            // SAFETY: the caller meets the contract.
            unsafe {
                match &write.place.lanes {
                    LaneLayout::Contiguous => {
                        (write.copies.plain)(region.rows, region.lanes, to, &[from; 3])
                    }
                    LaneLayout::Table(table) => {
                        let table = table_of(table, region.lanes);
                        let args = [from, table, table];
                        (write.copies.by_table)(region.rows, region.lanes, to, &args);
                    }
                    _ => self.store_runs(instr, write, w, region, from),
                }
            }
        }
    }

    /// Stores a tile element by element, where lanes follow no table.
    ///
    /// # Safety
    /// As `store`; `from` has the current tile of `instr`.
    unsafe fn store_runs(
        &self,
        instr: &Instr,
        write: &Write,
        w: usize,
        region: Region,
        from: Operand,
    ) {
        let bytes = instr.class.bytes();
        write.place.runs(&self.code.axes, self.index, region, |first, len, run| {
            let ElementRun::Affine { start, stride, .. } = run else { return };
            let (row, lane) = (first / region.lanes, first % region.lanes);
            let from = from.row::<u8>(row).wrapping_add(lane * bytes);
            for i in 0..len {
                let at = start + stride * i as isize;
                // SAFETY: the caller meets the contract.
                unsafe { class::store_one(write.dtype, from, i, self.buffer(w), at) };
            }
        });
    }
}

/// Calls `f` with the lanes, the result and the arguments of each row, or of all rows as one if
/// every operand is contiguous.
fn for_each_row<const N: usize>(
    instr: &Instr,
    region: Region,
    to: Operand,
    args: &[Operand; N],
    mut f: impl FnMut(usize, *mut f32, [*const f32; N]),
) {
    let bytes = (region.lanes * instr.class.bytes()) as isize;
    let is_whole = to.rows == bytes && args.iter().all(|arg| arg.rows == bytes);
    let (rows, lanes) =
        if is_whole { (1, region.rows * region.lanes) } else { (region.rows, region.lanes) };
    for n in 0..rows {
        f(lanes, to.row(n), args.map(|arg| arg.row::<f32>(n).cast_const()));
    }
}

/// Casts element by element, by the definition of each dtype.
///
/// # Safety
/// `to` and `of` point to `region.rows` rows of `region.lanes` elements of the class of `instr`
/// and of `from`; those of `of` are initialized.
unsafe fn eval_cast(instr: &Instr, from: Class, region: Region, to: Operand, of: Operand) {
    for n in 0..region.rows {
        for i in 0..region.lanes {
            // SAFETY: the caller meets the contract.
            unsafe {
                let float = class::get_f64(from, of.row(n), i);
                let int = match (from.is_float(), instr.dtype) {
                    (true, DType::Bool) => (float != 0.0) as i64,
                    (true, dtype) => dtype.wrap(Number::Float(float).as_i64()),
                    (false, dtype) => dtype.wrap(class::get_i64(from, of.row(n), i)),
                };
                let float = if instr.dtype.is_float() { instr.dtype.round(float) } else { float };
                class::set(instr.class, to.row(n), i, float, int);
            }
        }
    }
}

/// A lane table as an operand. Panics if the table is shorter than the tile.
fn table_of(table: &[i32], lanes: usize) -> Operand {
    assert!(
        lanes <= table.len(),
        "internal error, please report: {lanes} lanes, but a lane table of {}",
        table.len()
    );
    Operand { ptr: table.as_ptr().cast_mut().cast(), rows: 0 }
}

/// Fills `n` elements with the first of them.
///
/// # Safety
/// `x` points to `n` elements of the class, aligned and at least one; the first is initialized.
unsafe fn fill_with_first(class: Class, x: *mut u8, n: usize) {
    debug_assert!(n > 0, "no element to repeat");
    // SAFETY: the caller meets the contract.
    unsafe {
        match class.bytes() {
            4 => std::slice::from_raw_parts_mut(x.cast::<u32>(), n).fill(*x.cast()),
            _ => std::slice::from_raw_parts_mut(x.cast::<u64>(), n).fill(*x.cast()),
        }
    }
}

/// Sets element `i` of `n` to `f(i)`.
///
/// # Safety
/// `to` points to `n` writable, aligned elements of the class.
unsafe fn fill_with(class: Class, to: *mut u8, n: usize, f: impl Fn(usize) -> i64) {
    // SAFETY: the caller meets the contract.
    unsafe {
        match class {
            Class::F32 => (0..n).for_each(|i| *to.cast::<f32>().add(i) = f(i) as f32),
            Class::F64 => (0..n).for_each(|i| *to.cast::<f64>().add(i) = f(i) as f64),
            Class::I32 => (0..n).for_each(|i| *to.cast::<i32>().add(i) = f(i) as i32),
            Class::I64 => (0..n).for_each(|i| *to.cast::<i64>().add(i) = f(i)),
        }
    }
}
