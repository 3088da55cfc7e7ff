//! The general product: blocks of A and B in panels, tiles of C claimed by the threads. A task is a
//! rectangle of C and runs through all of `k`, so its part of C stays in L2.
use super::kernel::{Call, Kernels};
use super::{Accumulate, Element, Epilogue, Product, Size, Source, Strided};
use crate::scratch;

/// Longest run of `k` between two visits to C: a panel of A then takes 28 KB of the 48 KB L1, and
/// panels of B stream from L2. 256 gives 140, 384 gives 147, 512 gives 150 GFLOP/s at 2048³ (one
/// thread of a Xeon, 2026-11).
const KC: usize = 512;
/// Rows and columns of the largest task: its blocks of A, B and C take 0.3, 1 and 0.3 MB of L2.
const MC: usize = 168;
const NC: usize = 512;
/// Tasks wanted for each thread, so that the last ones end together.
const TASKS: usize = 6;
/// A is read in place up to this many columns, B up to this many rows: they are then used too seldom
/// for packing to pay (128³: 145 → 180 GFLOP/s, 64,784,128: 133 → 183).
const A_IN_PLACE: usize = 128;
const B_IN_PLACE: usize = 128;
/// Elements of packed operands held at once (64 MB of f32); longer products go through `k` in parts.
/// Tests hold less, so that they come here too.
const MAX_PACKED: usize = if cfg!(test) { 1 << 16 } else { 1 << 24 };

pub(super) fn run<T: Element, A: Source<T>, B: Source<T>, E: Epilogue<T>>(
    product: &Product<T, A, B, E>,
) {
    let plan = Plan::new(product);
    scratch::with(plan.packed_a() + plan.packed_b(), |packed| {
        let mut k0 = 0;
        loop {
            let k1 = (k0 + plan.part).min(product.size.k);
            Part { product, plan: &plan, k0, k1, packed: packed.as_mut_ptr() }.run();
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
    a: Operand<'a, T>,
    b: Operand<'a, T>,
}

#[derive(Clone, Copy)]
enum Operand<'a, T> {
    InPlace(Strided<'a, T>),
    /// Packed before the tasks begin, for all of them.
    Shared,
    /// Each block packed by the only task that needs it.
    PerTask,
}

impl<'a, T: Element> Plan<'a, T> {
    fn new<A: Source<T>, B: Source<T>, E: Epilogue<T>>(
        product: &Product<'a, T, A, B, E>,
    ) -> Plan<'a, T> {
        let size @ Size { m, n, k } = product.size;
        let kernels = T::kernels(product.level);
        let nr = kernels.nr();
        // Even panels: 64 rows are 5 panels of 13, not 4 of 14 and one of 8.
        let mr = m.div_ceil(m.div_ceil(kernels.mr()));
        let kc = k.div_ceil(k.div_ceil(KC).max(1)).max(1);

        let a_in_place = product.a.in_place().filter(|_| n <= A_IN_PLACE);
        let b_in_place = product.b.in_place().filter(|b| b.stride_i == 1 && m <= B_IN_PLACE);
        if let Some(a) = &a_in_place {
            a.block(0, 0, m, k);
        }
        if let Some(b) = &b_in_place {
            b.block(0, 0, n, k);
        }

        let threads = product.threads();
        let mut mc = MC.next_multiple_of(mr).min(m.next_multiple_of(mr));
        let mut nc = NC.min(n.next_multiple_of(nr));
        // An epilogue wants long rows: its steps cost as much for 64 columns as for 512.
        let wants_rows = !product.epilogue.is_nothing();
        // One row of tasks: each packs its own B, which never leaves L2.
        let b_per_task = b_in_place.is_none() && m <= mc && !wants_rows;
        if b_per_task {
            nc = nc.min(NC / 4);
        }
        let tasks = |mc: usize, nc: usize| m.div_ceil(mc) * n.div_ceil(nc);
        while threads > 1 && tasks(mc, nc) < TASKS * threads && (mc > mr || nc > nr) {
            if b_per_task && nc == nr {
                break;
            }
            let cuts_rows = mc > nc || nc == nr || (wants_rows && mc > mr);
            if !b_per_task && cuts_rows {
                mc = (mc / 2).max(1).next_multiple_of(mr);
            } else {
                nc = (nc / 2).max(1).next_multiple_of(nr);
            }
        }
        // Even tasks, like even panels.
        let even = |len: usize, most: usize, unit: usize| {
            len.div_ceil(unit).div_ceil(len.div_ceil(most)) * unit
        };
        (mc, nc) = (even(m, mc, mr), even(n, nc, nr));
        let a = match a_in_place {
            Some(a) => Operand::InPlace(a),
            None if n <= nc => Operand::PerTask,
            None => Operand::Shared,
        };
        let b = match b_in_place {
            Some(b) => Operand::InPlace(b),
            None if b_per_task => Operand::PerTask,
            None => Operand::Shared,
        };
        let mut plan = Plan { kernels, size, mr, nr, kc, part: k.max(1), mc, nc, a, b };
        let per_k = (plan.packed_a() + plan.packed_b()) / k.max(1);
        if per_k * k > MAX_PACKED {
            plan.part = (MAX_PACKED / per_k / kc).max(1) * kc;
        }
        plan
    }

    /// Elements of the shared panels of A.
    fn packed_a(&self) -> usize {
        match self.a {
            Operand::Shared => self.size.m.next_multiple_of(self.mr) * self.part,
            _ => 0,
        }
    }

    /// Elements of the shared panels of B, or of its last panel, if that one is not whole vectors.
    fn packed_b(&self) -> usize {
        match self.b {
            Operand::InPlace(_) if self.size.n.is_multiple_of(self.kernels.lanes) => 0,
            Operand::InPlace(_) => self.nr * self.part,
            Operand::Shared => self.size.n.next_multiple_of(self.nr) * self.part,
            Operand::PerTask => 0,
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

/// The product over `k0..k1`.
struct Part<'p, 'a, T: 'static, A, B, E> {
    product: &'p Product<'a, T, A, B, E>,
    plan: &'p Plan<'a, T>,
    k0: usize,
    k1: usize,
    packed: *mut T,
}

// SAFETY: while packing, threads write different panels; afterwards they only read them.
unsafe impl<T: Sync, A: Sync, B: Sync, E: Sync> Sync for Part<'_, '_, T, A, B, E> {}

impl<T: Element, A: Source<T>, B: Source<T>, E: Epilogue<T>> Part<'_, '_, T, A, B, E> {
    fn run(&self) {
        let plan = self.plan;
        let (of_a, of_b) = (self.packing_tasks_a(), self.packing_tasks_b());
        if of_a + of_b > 0 {
            self.product.share(of_a + of_b, &|task| {
                if task < of_b { self.pack_b(task) } else { self.pack_a(task - of_b) }
            });
        }
        let across = plan.size.n.div_ceil(plan.nc);
        let down = plan.size.m.div_ceil(plan.mc);
        self.product.share(down * across, &|task| self.tile(task / across, task % across));
    }

    fn blocks_of_k(&self) -> usize {
        (self.k1 - self.k0).div_ceil(self.plan.kc)
    }

    /// The `index`-th block of `k` in this part: where it begins and how long it is.
    fn block_of_k(&self, index: usize) -> (usize, usize) {
        let k0 = self.k0 + index * self.plan.kc;
        (k0, self.plan.kc.min(self.k1 - k0))
    }

    fn packing_tasks_a(&self) -> usize {
        match self.plan.a {
            Operand::Shared => self.blocks_of_k() * self.plan.size.m.div_ceil(self.group_a()),
            _ => 0,
        }
    }

    fn packing_tasks_b(&self) -> usize {
        match self.plan.b {
            Operand::InPlace(_) => usize::from(self.plan.packed_b() > 0) * self.blocks_of_k(),
            Operand::Shared => self.blocks_of_k() * self.plan.size.n.div_ceil(self.group_b()),
            Operand::PerTask => 0,
        }
    }

    /// Rows of A that one packing task takes.
    fn group_a(&self) -> usize {
        4 * self.plan.mr
    }

    /// Columns of B that one packing task takes.
    fn group_b(&self) -> usize {
        2 * self.plan.nr
    }

    fn pack_a(&self, task: usize) {
        let (m, mr, group) = (self.plan.size.m, self.plan.mr, self.group_a());
        let groups = m.div_ceil(group);
        let (k0, kc) = self.block_of_k(task / groups);
        let first = task % groups * group;
        let count = group.min(m - first);
        let at = (k0 - self.k0) * m.next_multiple_of(mr) + first * kc;
        self.product.a.pack(
            first,
            count,
            k0,
            kc,
            mr,
            self.panels(at, count.next_multiple_of(mr) * kc),
        );
    }

    fn pack_b(&self, task: usize) {
        let (n, nr, group) = (self.plan.size.n, self.plan.nr, self.group_b());
        if let Operand::InPlace(_) = self.plan.b {
            let (k0, kc) = self.block_of_k(task);
            let at = self.plan.packed_a() + (k0 - self.k0) * nr;
            let first = n - n % nr;
            return self.product.b.pack(first, n - first, k0, kc, nr, self.panels(at, nr * kc));
        }
        let groups = n.div_ceil(group);
        let (k0, kc) = self.block_of_k(task / groups);
        let first = task % groups * group;
        let count = group.min(n - first);
        let at = self.plan.packed_a() + (k0 - self.k0) * n.next_multiple_of(nr) + first * kc;
        self.product.b.pack(
            first,
            count,
            k0,
            kc,
            nr,
            self.panels(at, count.next_multiple_of(nr) * kc),
        );
    }

    /// The panels that the calling task packs.
    #[expect(clippy::mut_from_ref, reason = "each packing task asks for panels of its own")]
    fn panels(&self, at: usize, len: usize) -> &mut [T] {
        // SAFETY: inside the scratch, see `packed_a` and `packed_b`; no other task has these panels.
        unsafe { std::slice::from_raw_parts_mut(self.packed.add(at), len) }
    }

    /// One rectangle of C, over all of `k`.
    fn tile(&self, down: usize, across: usize) {
        let Plan { size, mc, nc, mr, nr, kc, .. } = *self.plan;
        let (row, col) = (down * mc, across * nc);
        let (rows, cols) = (mc.min(size.m - row), nc.min(size.n - col));
        let own = |operand: &Operand<T>, len: usize| match operand {
            Operand::PerTask => len,
            _ => 0,
        };
        let own_a = own(&self.plan.a, rows.next_multiple_of(mr));
        let own_b = own(&self.plan.b, cols.next_multiple_of(nr));
        scratch::with((own_a + own_b) * kc, |own| {
            for block in 0..self.blocks_of_k().max(1) {
                let (k0, kc) = self.block_of_k(block);
                let (of_a, of_b) = own[..(own_a + own_b) * kc].split_at_mut(own_a * kc);
                if own_a > 0 {
                    self.product.a.pack(row, rows, k0, kc, mr, of_a);
                }
                if own_b > 0 {
                    self.product.b.pack(col, cols, k0, kc, nr, of_b);
                }
                let is_last = k0 + kc >= size.k;
                for top in (row..row + rows).step_by(mr) {
                    let height = mr.min(row + rows - top);
                    let of_a = of_a.as_ptr().wrapping_add((top - row) * kc);
                    let strip = Strip { row: top, rows: height, col, cols, k0, kc };
                    self.strip(&strip, of_a, of_b.as_ptr());
                    if is_last {
                        self.product.finish(top, col, height, cols);
                    }
                }
            }
        });
    }

    /// One panel of A against the panels of B of a task. The task's own panels of either are given.
    #[inline]
    fn strip(&self, strip: &Strip, own_a: *const T, own_b: *const T) {
        let Strip { row, rows, col, cols, k0, kc } = *strip;
        let Plan { kernels, size, mr, nr, .. } = *self.plan;
        let (table, height, a, a_row, a_k) = match self.plan.a {
            Operand::InPlace(a) => {
                let at = a.block(row, k0, rows, kc);
                (kernels.direct, rows, at, a.stride_i, a.stride_k)
            }
            Operand::PerTask => (kernels.packed, mr, own_a, 1, mr as isize),
            Operand::Shared => {
                let at = (k0 - self.k0) * size.m.next_multiple_of(mr) + row * kc;
                (kernels.packed, mr, self.packed.cast_const().wrapping_add(at), 1, mr as isize)
            }
        };
        let c = self.product.c;
        let add = k0 > 0 || c.accumulate == Accumulate::Add;
        for left in (col..col + cols).step_by(nr) {
            let cols = nr.min(col + cols - left);
            let (b, b_k) = match self.plan.b {
                Operand::PerTask => (own_b.wrapping_add((left - col) * kc), nr as isize),
                _ => self.panel_b(left, cols, k0, kc),
            };
            let kernel = table[height - 1][cols.div_ceil(kernels.lanes) - 1];
            let (c_row, c) = (c.stride, c.at(row, left));
            let call = Call { k: kc, a, a_row, a_k, b, b_k, c, c_row, rows, cols, add };
            // SAFETY: the operands are checked or packed to these sizes, the rectangle of C belongs
            // to this task, and the level's instructions exist.
            unsafe { kernel(&call) };
        }
    }

    /// Where the panel of B at column `left` begins, and how far apart its rows are.
    fn panel_b(&self, left: usize, cols: usize, k0: usize, kc: usize) -> (*const T, isize) {
        let Plan { kernels, size, nr, .. } = *self.plan;
        let packed_b = self.packed.cast_const().wrapping_add(self.plan.packed_a());
        match self.plan.b {
            Operand::InPlace(b) if cols.is_multiple_of(kernels.lanes) => {
                (b.block(left, k0, cols, kc), b.stride_k)
            }
            Operand::InPlace(_) => (packed_b.wrapping_add((k0 - self.k0) * nr), nr as isize),
            _ => {
                let at = (k0 - self.k0) * size.n.next_multiple_of(nr) + left * kc;
                (packed_b.wrapping_add(at), nr as isize)
            }
        }
    }
}
