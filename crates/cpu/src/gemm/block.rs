//! The general, cache-blocked product. C is split into blocks of columns, and each block into
//! strips of rows. A thread packs the columns of B for its block, which then stay in its L2, and
//! multiplies strips of A by them. A is read in place if possible, otherwise it is packed
//! beforehand.
use super::kernel::{KernelTable, Kernels, PREFETCH_RUNS, TileArgs};
use super::task_queues::TaskQueues;
use super::{Accumulate, Element, Product, Size, Strided};
use crate::paths::{self, Path};
use crate::scratch;

/// Longest run of `k` between two accesses of C: a panel of A then takes 28 KB of the 48 KB L1, and
/// panels of B stream from L2. 256 gives 138, 384 gives 142, 512 gives 144 GFLOP/s at 2048³ (one
/// thread of a busy Xeon, 2026-11).
const KC: usize = 512;
/// Elements of B that a thread keeps packed: 1 MB of f32, half of an L2.
const MAX_PACKED_B: usize = 1 << 18;
/// Columns of the widest block. Strips of C of wider blocks would not fit L1.
const MAX_NC: usize = 512;
/// Blocks are not made narrower than this to give each thread its own.
const MIN_NC: usize = 128;
/// Longest part of `k` that is packed at once. With this limit blocks of B are wide, so that A is
/// read fewer times (compared with 4096: 1024³ 162 → 166 GFLOP/s, 2048³ on two threads 311 → 316).
const MAX_PACKED_K: usize = 1 << 10;
/// Minimum number of tasks per thread, so that threads finish at about the same time.
const TASKS_PER_THREAD: usize = 6;
/// A with contiguous columns is read in place if C has at most this many columns, because packing
/// would not pay off, or if its columns are at most this far apart, because it then spans few pages
/// (512³: 160 → 171 GFLOP/s, 512,128,784: 164 → 172).
const MAX_N_A_IN_PLACE: usize = 128;
const MAX_STRIDE_A_IN_PLACE: usize = 512;
/// B is read in place if C has at most this many rows (128³: 145 → 180 GFLOP/s, 64,784,128: 133 →
/// 183).
const MAX_M_B_IN_PLACE: usize = 128;
/// Cache lines at multiples of this many bytes map to at most 4 of the 64 sets of L1 and evict each
/// other, so operands with such strides are packed (AVX2 on an EPYC, 2026-11, one thread: TN of
/// 512³ 62 → 90 GFLOP/s, NN of 128,784,512 70 → 90, of 64,128,9216 50 → 82).
const SET_CONFLICT_STRIDE: usize = 1 << 10;
/// Rows of A at multiples of this many bytes all map to one set of L1, which has fewer ways than a
/// panel has rows, so such operands are packed (AVX-512 on a Zen 4, 2026-11, one thread and two:
/// 1024³ 79 → 95 and 156 → 181 GFLOP/s, 2048³ 60 → 106 and 144 → 203). For few columns of C packing
/// does not pay off: 64,9216,128 stays at 72.
const SAME_SET_STRIDE: usize = 1 << 12;
/// Bytes of a cache line.
const LINE: usize = 64;

pub(super) fn run<T: Element>(product: &Product<T>) {
    let plan = Plan::new(product);
    plan.record_paths(product.needs_rows());
    scratch::with(plan.packed_a_len(), |packed_a| {
        let mut k0 = 0;
        loop {
            let k1 = (k0 + plan.part).min(product.size.k);
            KPart { product, plan: &plan, k0, k1, packed_a: packed_a.as_mut_ptr() }.run();
            k0 = k1;
            if k0 >= product.size.k {
                break;
            }
        }
    });
}

/// Block sizes of a product, and which operands are read in place.
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
    /// A if it is read in place, with the kernels that can read it and their `a_stride`. `None` if
    /// it is packed.
    a: Option<(KernelTable<T>, isize, Strided<'a, T>)>,
    /// B if it is read in place.
    b: Option<Strided<'a, T>>,
}

impl<'a, T: Element> Plan<'a, T> {
    fn new(product: &Product<'a, T>) -> Plan<'a, T> {
        let size @ Size { m, n, k } = product.size;
        let kernels = T::kernels(product.level);
        let nr = kernels.nr();
        // Equal panels: 64 rows are 5 panels of 13, not 4 of 14 and one of 8.
        let mr = m.div_ceil(m.div_ceil(kernels.mr()));
        let kc = k.div_ceil(k.div_ceil(KC).max(1)).max(1);
        let part = k.min(MAX_PACKED_K / kc * kc).max(1);

        // A vector as large as a cache line uses all of each line that it evicts another one for.
        let has_set_conflicts = |stride: isize| {
            let bytes = stride.unsigned_abs() * size_of::<T>();
            kernels.lanes * size_of::<T>() < LINE && bytes.is_multiple_of(SET_CONFLICT_STRIDE)
        };
        let reads_in_place = |a: &Strided<T>| {
            if a.stride_k == 1 {
                let bytes = a.stride_i.unsigned_abs() * size_of::<T>();
                return n <= MAX_N_A_IN_PLACE || !bytes.is_multiple_of(SAME_SET_STRIDE);
            }
            let is_short =
                n <= MAX_N_A_IN_PLACE || a.stride_k.unsigned_abs() <= MAX_STRIDE_A_IN_PLACE;
            is_short && !has_set_conflicts(a.stride_k)
        };
        let a = product.a.in_place().filter(reads_in_place);
        let a =
            a.and_then(|a| kernels.for_a_in_place(&a).map(|(table, stride)| (table, stride, a)));
        let reads_in_place = |b: &Strided<T>| {
            b.stride_i == 1
                && m <= MAX_M_B_IN_PLACE
                && k <= MAX_PACKED_K
                && !has_set_conflicts(b.stride_k)
        };
        let b = product.b.in_place().filter(reads_in_place);
        if let Some((_, _, a)) = &a {
            a.block(0, 0, m, k);
        }
        if let Some(b) = &b {
            b.block(0, 0, n, k);
        }

        let threads = product.threads();
        // Each thread gets its own columns if there are enough, so that no two pack the same part
        // of B.
        let max_nc = (MAX_PACKED_B / part).min(MAX_NC).min(n.div_ceil(threads).max(MIN_NC));
        let needs_rows = product.needs_rows();
        let mut nc = match needs_rows {
            true => n.next_multiple_of(nr),
            false => even(n, (max_nc / nr).max(1) * nr, nr),
        };
        let strips = m.div_ceil(mr);
        // An epilogue needs long rows: its per-row overhead is the same for 64 columns as for 512.
        let wanted =
            if product.epilogue.is_none() { TASKS_PER_THREAD * threads } else { 2 * threads };
        while threads > 1 && !needs_rows && strips * n.div_ceil(nc) < wanted && nc > nr {
            nc = (nc / 2).next_multiple_of(nr);
        }
        let tasks = strips * n.div_ceil(nc);
        let mc = (tasks / (8 * TASKS_PER_THREAD * threads)).clamp(1, strips) * mr;
        Plan { kernels, size, mr, nr, kc, part, mc, nc, a, b }
    }

    /// Records the code paths that the product takes.
    fn record_paths(&self, needs_rows: bool) {
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
    fn packed_a_len(&self) -> usize {
        match self.a {
            None => self.size.m.next_multiple_of(self.mr) * self.part,
            Some(_) => 0,
        }
    }

    /// Elements of the packed panels of a block of B. If B is read in place, only the last panel is
    /// packed, and only if its width is not a multiple of the vector length.
    fn packed_b_len(&self) -> usize {
        match self.b {
            None => self.nc * self.part,
            Some(_) if self.size.n.is_multiple_of(self.kernels.lanes) => 0,
            Some(_) => self.nr * self.part,
        }
    }

    /// The first column of a block and the number of its columns.
    fn columns(&self, block: usize) -> (usize, usize) {
        let first = block * self.nc;
        (first, self.nc.min(self.size.n - first))
    }
}

/// The size of equal pieces of `len`: a multiple of `unit`, at most `max`.
fn even(len: usize, max: usize, unit: usize) -> usize {
    len.div_ceil(unit).div_ceil(len.div_ceil(max)) * unit
}

/// The part of the product that sums over `k0..k1`.
struct KPart<'p, 'a, T: 'static> {
    product: &'p Product<'a, T>,
    plan: &'p Plan<'a, T>,
    k0: usize,
    k1: usize,
    packed_a: *mut T,
}

// SAFETY: during packing, threads write disjoint panels at `packed_a`; afterwards they only read.
unsafe impl<T: Sync> Sync for KPart<'_, '_, T> {}

impl<T: Element> KPart<'_, '_, T> {
    fn run(&self) {
        let Plan { size, mc, nc, .. } = *self.plan;
        if self.plan.a.is_none() {
            self.product.parallel_for(self.packing_tasks(), &|task| self.pack_a(task));
        }
        let down = size.m.div_ceil(mc);
        let queues = TaskQueues::new(down * size.n.div_ceil(nc), self.product.threads());
        self.product.parallel_for(queues.count(), &|queue| {
            scratch::with(self.plan.packed_b_len(), |packed| {
                let mut block = None;
                while let Some(task) = queues.next(queue) {
                    if block != Some(task / down) {
                        self.pack_b(task / down, packed);
                        block = Some(task / down);
                    }
                    self.rectangle(task % down, task / down, packed);
                }
            });
        });
    }

    /// The start and length of each block of `k` in this part. There is one even if `k` is zero,
    /// because C has to be written.
    fn blocks_of_k(&self) -> impl Iterator<Item = (usize, usize)> {
        let KPart { k0, k1, .. } = *self;
        let kc = self.plan.kc;
        (k0..k1.max(k0 + 1)).step_by(kc).map(move |k| (k, kc.min(k1 - k)))
    }

    /// Rows of A that one task packs.
    fn rows_per_packing_task(&self) -> usize {
        4 * self.plan.mr
    }

    fn packing_tasks(&self) -> usize {
        let blocks = (self.k1 - self.k0).div_ceil(self.plan.kc);
        blocks * self.plan.size.m.div_ceil(self.rows_per_packing_task())
    }

    fn pack_a(&self, task: usize) {
        let Plan { size: Size { m, .. }, mr, kc, .. } = *self.plan;
        let groups = m.div_ceil(self.rows_per_packing_task());
        let k0 = self.k0 + task / groups * kc;
        let kc = kc.min(self.k1 - k0);
        let first = task % groups * self.rows_per_packing_task();
        let count = self.rows_per_packing_task().min(m - first);
        let at = (k0 - self.k0) * m.next_multiple_of(mr) + first * kc;
        debug_assert!(at + count.next_multiple_of(mr) * kc <= self.plan.packed_a_len());
        // SAFETY: these panels are inside the scratch memory, which holds `packed_a_len`
        // initialized elements; no other task packs them, and none reads them before packing ends.
        let panels = unsafe {
            let len = count.next_multiple_of(mr) * kc;
            std::slice::from_raw_parts_mut(self.packed_a.add(at), len)
        };
        self.product.a.pack(first, count, k0, kc, mr, panels);
    }

    /// Packs the part of a block of columns that kernels cannot read in place.
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

    /// Computes one rectangle of C over this part of `k`.
    fn rectangle(&self, down: usize, across: usize, packed_b: &[T]) {
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

    /// Multiplies one panel of A by all panels of a block of B.
    #[inline]
    fn strip(&self, strip: &Strip, packed_b: &[T]) {
        let Strip { row, rows, col, cols, k0, kc } = *strip;
        let Plan { kernels, mr, nr, .. } = *self.plan;
        let (table, height, a_stride) = match self.plan.a {
            Some((table, stride, _)) => (table, rows, stride),
            None => (kernels.columns, mr, mr as isize),
        };
        let a = self.panel_a(row, k0);
        // The next panel, to be prefetched: the same rows with the next block of `k`, or the next
        // rows.
        let (next, next_stride) = match k0 + kc {
            k if k < self.k1 => self.prefetch_runs(row, k),
            _ => self.prefetch_runs(row + mr, self.k0),
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
            let (next, next_stride) = match index * PREFETCH_RUNS {
                first if first < mr => {
                    (next.wrapping_offset(first as isize * next_stride), next_stride)
                }
                _ => (a, 0),
            };
            let kernel = table[height - 1][cols.div_ceil(kernels.lanes) - 1];
            let (c_row, c) = (c.stride, c.at(row, col + left));
            let call = TileArgs {
                k: kc,
                a,
                a_stride,
                b,
                b_k,
                c,
                c_row,
                rows,
                cols,
                add,
                next,
                next_stride,
            };
            // SAFETY: operands in place have been checked to contain these blocks, and packed ones
            // have whole panels; this task owns the rectangle of C, which is inside the output; the
            // CPU has the level of `kernels`.
            unsafe { kernel(&call) };
        }
    }

    /// The address of the panel of A at `row` and `k0`, which may be past the last one.
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

    /// The address and stride of the contiguous runs of a panel of A, for prefetching.
    fn prefetch_runs(&self, row: usize, k0: usize) -> (*const T, isize) {
        let at = self.panel_a(row, k0);
        match self.plan.a {
            Some((_, _, a)) => (at, a.stride_i),
            None => (at, self.plan.kc as isize),
        }
    }
}

/// A panel of A and the columns of C that it contributes to.
struct Strip {
    row: usize,
    rows: usize,
    col: usize,
    cols: usize,
    k0: usize,
    kc: usize,
}
