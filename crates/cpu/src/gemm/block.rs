//! The general product. C is cut into blocks of columns, and these into strips of rows. A thread packs
//! the columns of B that its block needs, which then stay in its L2, and runs the strips of A against
//! them; A is read where it lies if it can be, else it is packed beforehand.
use super::kernel::{AHEAD_ROWS, Call, Kernels, Table};
use super::lanes::Lanes;
use super::{Accumulate, Element, Product, Size, Strided};
use crate::paths::{self, Path};
use crate::scratch;

/// Longest run of `k` between two visits to C: a panel of A then takes 28 KB of the 48 KB L1, and
/// panels of B stream from L2. 256 gives 138, 384 gives 142, 512 gives 144 GFLOP/s at 2048³ (one
/// thread of a busy Xeon, 2026-11).
const KC: usize = 512;
/// Elements of B that a thread holds packed: 1 MB of f32, half of an L2.
const BLOCK: usize = 1 << 18;
/// Columns of the widest block, beyond which strips of C leave L1.
const NC: usize = 512;
/// Columns below which a block is not cut for another thread to have its own.
const MIN_NC: usize = 128;
/// Longest part of `k` that is packed at once: blocks of B are then wide enough for A to be read
/// seldom (1024³: 162 → 166 GFLOP/s, 2048³ on two threads: 311 → 316, beside 4096).
const PART: usize = 1 << 10;
/// Tasks wanted for each thread, so that the last ones end together.
const TASKS: usize = 6;
/// A with contiguous columns is read in place up to this many columns of C, as packing would not
/// pay, and up to this distance of two columns, as its pages are then few (512³: 160 → 171 GFLOP/s,
/// 512,128,784: 164 → 172).
const A_IN_PLACE: usize = 128;
const A_STRIDE: usize = 512;
/// B is read in place up to this many rows of C (128³: 145 → 180 GFLOP/s, 64,784,128: 133 → 183).
const B_IN_PLACE: usize = 128;
/// Lines at multiples of this distance fall into at most 4 of the 64 sets of a first-level cache and
/// push each other out, so that such operands are packed (AVX2 on an EPYC, 2026-11, one thread: TN of
/// 512³ 62 → 90 GFLOP/s, NN of 128,784,512 70 → 90, of 64,128,9216 50 → 82).
const CROWD: usize = 1 << 10;
/// Rows of A at multiples of this distance all fall into one set, which has fewer lines than a panel has
/// rows (AVX-512 on a Zen 4, 2026-11, one thread and two: 1024³ 79 → 95 and 156 → 181 GFLOP/s, 2048³
/// 60 → 106 and 144 → 203). Packing them for few columns of C does not pay: 64,9216,128 stays at 72.
const ONE_SET: usize = 1 << 12;
const LINE: usize = 64;

pub(super) fn run<T: Element>(product: &Product<T>) {
    let plan = Plan::new(product);
    plan.count(product.needs_rows());
    scratch::with(plan.packed_a(), |packed_a| {
        let mut k0 = 0;
        loop {
            let k1 = (k0 + plan.part).min(product.size.k);
            Part { product, plan: &plan, k0, k1, packed_a: packed_a.as_mut_ptr() }.run();
            k0 = k1;
            if k0 >= product.size.k {
                break;
            }
        }
    });
}

/// How a product is cut, and which operands are read in place.
struct Plan<'a, T: 'static> {
    kernels: &'static Kernels<T>,
    size: Size,
    /// Height and width of panels.
    mr: usize,
    nr: usize,
    kc: usize,
    /// Length of `k` that is packed at once, a multiple of `kc`.
    part: usize,
    /// Rows and columns of a task, multiples of `mr` and `nr`.
    mc: usize,
    nc: usize,
    /// The operands that are read in place; others are packed. A's with the kernels that can.
    a: Option<(Table<T>, isize, Strided<'a, T>)>,
    b: Option<Strided<'a, T>>,
}

impl<'a, T: Element> Plan<'a, T> {
    fn new(product: &Product<'a, T>) -> Plan<'a, T> {
        let size @ Size { m, n, k } = product.size;
        let kernels = T::kernels(product.level);
        let nr = kernels.nr();
        // Even panels: 64 rows are 5 panels of 13, not 4 of 14 and one of 8.
        let mr = m.div_ceil(m.div_ceil(kernels.mr()));
        let kc = k.div_ceil(k.div_ceil(KC).max(1)).max(1);
        let part = k.min(PART / kc * kc).max(1);

        // Vectors that are lines use all of what they push out.
        let is_crowded = |stride: isize| {
            let bytes = stride.unsigned_abs() * size_of::<T>();
            kernels.lanes * size_of::<T>() < LINE && bytes.is_multiple_of(CROWD)
        };
        let is_near = |a: &Strided<T>| {
            if a.stride_k == 1 {
                let bytes = a.stride_i.unsigned_abs() * size_of::<T>();
                return n <= A_IN_PLACE || !bytes.is_multiple_of(ONE_SET);
            }
            let is_short = n <= A_IN_PLACE || a.stride_k.unsigned_abs() <= A_STRIDE;
            is_short && !is_crowded(a.stride_k)
        };
        let a = product.a.in_place().filter(is_near);
        let a = a.and_then(|a| kernels.reading(&a).map(|(table, stride)| (table, stride, a)));
        let is_near = |b: &Strided<T>| {
            b.stride_i == 1 && m <= B_IN_PLACE && k <= PART && !is_crowded(b.stride_k)
        };
        let b = product.b.in_place().filter(is_near);
        if let Some((_, _, a)) = &a {
            a.block(0, 0, m, k);
        }
        if let Some(b) = &b {
            b.block(0, 0, n, k);
        }

        let threads = product.threads();
        // Each thread its own columns, if there are enough: it then shares no packed B.
        let most = (BLOCK / part).min(NC).min(n.div_ceil(threads).max(MIN_NC));
        let needs_rows = product.needs_rows();
        let mut nc = match needs_rows {
            true => n.next_multiple_of(nr),
            false => even(n, (most / nr).max(1) * nr, nr),
        };
        let strips = m.div_ceil(mr);
        // An epilogue wants long rows: its steps cost as much for 64 columns as for 512.
        let wanted = if product.epilogue.is_none() { TASKS * threads } else { 2 * threads };
        while threads > 1 && !needs_rows && strips * n.div_ceil(nc) < wanted && nc > nr {
            nc = (nc / 2).next_multiple_of(nr);
        }
        let tasks = strips * n.div_ceil(nc);
        let mc = (tasks / (8 * TASKS * threads)).clamp(1, strips) * mr;
        Plan { kernels, size, mr, nr, kc, part, mc, nc, a, b }
    }

    /// Counts the paths that the product takes.
    fn count(&self, needs_rows: bool) {
        paths::hit(if self.a.is_some() { Path::GemmDirectA } else { Path::GemmPackedA });
        paths::hit(if self.b.is_some() { Path::GemmDirectB } else { Path::GemmPackedB });
        if needs_rows {
            paths::hit(Path::GemmRows);
        }
        if self.size.k > self.part {
            paths::hit(Path::GemmParts);
        }
    }

    /// Elements of the packed panels of A.
    fn packed_a(&self) -> usize {
        match self.a {
            None => self.size.m.next_multiple_of(self.mr) * self.part,
            Some(_) => 0,
        }
    }

    /// Elements of the packed panels of a block of B. When it is read in place, that is its last
    /// panel, if that one is not whole vectors.
    fn packed_b(&self) -> usize {
        match self.b {
            None => self.nc * self.part,
            Some(_) if self.size.n.is_multiple_of(self.kernels.lanes) => 0,
            Some(_) => self.nr * self.part,
        }
    }

    /// The columns of a block: the first, and how many.
    fn columns(&self, block: usize) -> (usize, usize) {
        let first = block * self.nc;
        (first, self.nc.min(self.size.n - first))
    }
}

/// The length of equal pieces of `len`, multiples of `unit` and not above `most`.
fn even(len: usize, most: usize, unit: usize) -> usize {
    len.div_ceil(unit).div_ceil(len.div_ceil(most)) * unit
}

/// The product over `k0..k1`.
struct Part<'p, 'a, T: 'static> {
    product: &'p Product<'a, T>,
    plan: &'p Plan<'a, T>,
    k0: usize,
    k1: usize,
    packed_a: *mut T,
}

// SAFETY: while packing, threads write different panels; afterwards they only read them.
unsafe impl<T: Sync> Sync for Part<'_, '_, T> {}

impl<T: Element> Part<'_, '_, T> {
    fn run(&self) {
        let Plan { size, mc, nc, .. } = *self.plan;
        if self.plan.a.is_none() {
            self.product.share(self.packing_tasks(), &|task| self.pack_a(task));
        }
        let down = size.m.div_ceil(mc);
        let lanes = Lanes::new(down * size.n.div_ceil(nc), self.product.threads());
        self.product.share(lanes.count(), &|lane| {
            scratch::with(self.plan.packed_b(), |packed| {
                let mut block = None;
                while let Some(task) = lanes.next(lane) {
                    if block != Some(task / down) {
                        self.pack_b(task / down, packed);
                        block = Some(task / down);
                    }
                    self.tile(task % down, task / down, packed);
                }
            });
        });
    }

    /// The blocks of `k` in this part: where they begin and how long they are. One of them, even if
    /// `k` is zero, as C must be written.
    fn blocks_of_k(&self) -> impl Iterator<Item = (usize, usize)> {
        let Part { k0, k1, .. } = *self;
        let kc = self.plan.kc;
        (k0..k1.max(k0 + 1)).step_by(kc).map(move |k| (k, kc.min(k1 - k)))
    }

    /// Rows of A that one packing task takes.
    fn group(&self) -> usize {
        4 * self.plan.mr
    }

    fn packing_tasks(&self) -> usize {
        let blocks = (self.k1 - self.k0).div_ceil(self.plan.kc);
        blocks * self.plan.size.m.div_ceil(self.group())
    }

    fn pack_a(&self, task: usize) {
        let Plan { size: Size { m, .. }, mr, kc, .. } = *self.plan;
        let groups = m.div_ceil(self.group());
        let k0 = self.k0 + task / groups * kc;
        let kc = kc.min(self.k1 - k0);
        let first = task % groups * self.group();
        let count = self.group().min(m - first);
        let at = (k0 - self.k0) * m.next_multiple_of(mr) + first * kc;
        // SAFETY: inside the scratch, see `packed_a`; no other task has these panels.
        let panels = unsafe {
            let len = count.next_multiple_of(mr) * kc;
            std::slice::from_raw_parts_mut(self.packed_a.add(at), len)
        };
        self.product.a.pack(first, count, k0, kc, mr, panels);
    }

    /// Packs what the kernels cannot read in place of a block of columns.
    fn pack_b(&self, block: usize, packed: &mut [T]) {
        let Plan { kernels, size: Size { n, .. }, nr, .. } = *self.plan;
        let (mut first, mut count) = self.plan.columns(block);
        if self.plan.b.is_some() {
            if first + count < n || n.is_multiple_of(kernels.lanes) {
                return;
            }
            (first, count) = (n - n % nr, n % nr);
        }
        let width = count.next_multiple_of(nr);
        for (k0, kc) in self.blocks_of_k() {
            let panels = &mut packed[(k0 - self.k0) * width..][..width * kc];
            self.product.b.pack(first, count, k0, kc, nr, panels);
        }
    }

    /// One rectangle of C, over all of `k`.
    fn tile(&self, down: usize, across: usize, packed_b: &[T]) {
        let Plan { size, mc, mr, .. } = *self.plan;
        let (col, cols) = self.plan.columns(across);
        let end = size.m.min((down + 1) * mc);
        for row in (down * mc..end).step_by(mr) {
            let rows = mr.min(end - row);
            for (k0, kc) in self.blocks_of_k() {
                self.strip(&Strip { row, rows, col, cols, k0, kc }, packed_b);
            }
            if self.k1 == size.k {
                self.product.finish(row, col, rows, cols);
            }
        }
    }

    /// One panel of A against the panels of B of a block.
    #[inline]
    fn strip(&self, strip: &Strip, packed_b: &[T]) {
        let Strip { row, rows, col, cols, k0, kc } = *strip;
        let Plan { kernels, mr, nr, .. } = *self.plan;
        let (table, height, a_stride) = match self.plan.a {
            Some((table, stride, _)) => (table, rows, stride),
            None => (kernels.columns, mr, mr as isize),
        };
        let a = self.panel_a(row, k0);
        // What comes after this panel: more of its `k`, or the next rows.
        let (next, next_stride) = match k0 + kc {
            k if k < self.k1 => self.runs_of_a(row, k),
            _ => self.runs_of_a(row + mr, self.k0),
        };
        let packed = |at: usize| (packed_b[at..][..nr * kc].as_ptr(), nr as isize);
        let width = cols.next_multiple_of(nr);
        let c = self.product.c;
        let add = k0 > 0 || c.accumulate == Accumulate::Add;
        for (index, left) in (0..cols).step_by(nr).enumerate() {
            let cols = nr.min(cols - left);
            let (b, b_k) = match self.plan.b {
                Some(b) if cols.is_multiple_of(kernels.lanes) => {
                    (b.block(col + left, k0, cols, kc), b.stride_k)
                }
                Some(_) => packed((k0 - self.k0) * nr),
                None => packed((k0 - self.k0) * width + left * kc),
            };
            let (next, next_stride) = match index * AHEAD_ROWS {
                first if first < mr => {
                    (next.wrapping_offset(first as isize * next_stride), next_stride)
                }
                _ => (a, 0),
            };
            let kernel = table[height - 1][cols.div_ceil(kernels.lanes) - 1];
            let (c_row, c) = (c.stride, c.at(row, col + left));
            let call =
                Call { k: kc, a, a_stride, b, b_k, c, c_row, rows, cols, add, next, next_stride };
            // SAFETY: the operands are checked or packed to these sizes, the rectangle of C belongs
            // to this task, and the level's instructions exist.
            unsafe { kernel(&call) };
        }
    }

    /// The address of the panel of A at `row` and `k0`, which may lie behind the last one.
    fn panel_a(&self, row: usize, k0: usize) -> *const T {
        let Plan { size, mr, kc, .. } = *self.plan;
        match self.plan.a {
            Some((_, _, a)) => {
                let at = row as isize * a.stride_i + k0 as isize * a.stride_k;
                a.data.as_ptr().wrapping_add(a.offset).wrapping_offset(at)
            }
            None => {
                let at = (k0 - self.k0) * size.m.next_multiple_of(mr) + row * kc.min(self.k1 - k0);
                self.packed_a.cast_const().wrapping_add(at)
            }
        }
    }

    /// A panel as contiguous runs, for asking them into the cache: where they begin and how far
    /// apart they are.
    fn runs_of_a(&self, row: usize, k0: usize) -> (*const T, isize) {
        let at = self.panel_a(row, k0);
        match self.plan.a {
            Some((_, _, a)) => (at, a.stride_i),
            None => (at, self.plan.kc as isize),
        }
    }
}

/// A panel of A in a task, and the columns of the task.
struct Strip {
    row: usize,
    rows: usize,
    col: usize,
    cols: usize,
    k0: usize,
    kc: usize,
}
