//! Products that packing would not pay for: small ones, and ones with few rows (or few columns,
//! which are the rows of the transposed product), whose large operand is read once, where it lies.
use super::kernel::{Call, DOT_COLS, Kernels};
use super::{Accumulate, Element, Output, Product, Size, Strided, block, pack};
use crate::paths::{self, Path};
use crate::scratch;

/// Rows up to which dot products beat packing B, when `k` is what lies next to each other in B.
const DOT_ROWS: usize = 16;
/// Below this length a dot product is mostly the sum of its lanes.
const DOT_K: usize = 64;
/// Columns that a task of dot products takes.
const DOT_TASK: usize = 16;
/// Rows of B that stay in one visit: the pages they lie in fit the TLB.
const KC: usize = 512;

/// Work up to which one thread makes the whole product without cutting it: 100 by 100 by 100, whose
/// operands fit L2.
const SMALL_FLOPS: usize = 1 << 21;

/// Makes the product if it is small or skinny and its operands lie in memory; else gives false.
pub(super) fn run<T: Element>(product: &Product<T>) -> bool {
    let Size { m, n, k } = product.size;
    let is_skinny = m.min(n) <= DOT_ROWS && m.max(n) >= 16;
    let is_small = product.threads() == 1 && product.size.flops() <= SMALL_FLOPS;
    if k == 0 || !(is_small || is_skinny) {
        return false;
    }
    let (Some(a), Some(b)) = (product.a.in_place(), product.b.in_place()) else { return false };
    a.block(0, 0, m, k);
    b.block(0, 0, n, k);
    if is_skinny && if m <= n { few_rows(product, a, b) } else { few_columns(product, a, b) } {
        return true;
    }
    if is_small && k <= KC {
        paths::hit(Path::GemmSmall);
        small(product, a, b);
        return true;
    }
    false
}

/// A is read in place, and B too if its rows are contiguous and whole vectors.
fn small<T: Element>(product: &Product<T>, a: Strided<T>, b: Strided<T>) {
    let Size { m, n, k } = product.size;
    let kernels = T::kernels(product.level);
    if kernels.reading(&a).is_none() {
        return with_rows(a, m, k, |a| small(product, a, b));
    }
    if b.stride_i == 1 && n.is_multiple_of(kernels.lanes) {
        return tiles(product, kernels, a, (b.block(0, 0, n, k), b.stride_k));
    }
    let width = n.next_multiple_of(kernels.lanes);
    scratch::with(width * k, |packed: &mut [T]| {
        let call = pack::Call {
            from: b.block(0, 0, n, k),
            stride_i: b.stride_i,
            stride_k: b.stride_k,
            count: n,
            k,
            width,
            to: packed.as_mut_ptr(),
        };
        // SAFETY: B has been checked, and one panel of `width` fits `packed`.
        unsafe { (kernels.pack)(&call) };
        tiles(product, kernels, a, (packed.as_ptr(), width as isize));
    });
}

/// `a` with contiguous rows, copied if need be.
fn with_rows<T: Element, R>(
    a: Strided<T>,
    m: usize,
    k: usize,
    f: impl FnOnce(Strided<T>) -> R,
) -> R {
    if a.stride_k == 1 {
        return f(a);
    }
    scratch::with(m * k, |rows| {
        a.copy_rows(m, k, rows);
        f(Strided::rows(rows, k))
    })
}

/// All tiles of C, with B at an address and its rows a stride apart, padded to whole vectors.
fn tiles<T: Element>(
    product: &Product<T>,
    kernels: &Kernels<T>,
    a: Strided<T>,
    (b, b_k): (*const T, isize),
) {
    let Size { m, n, k } = product.size;
    let c = product.c;
    let (table, a_stride) = kernels.reading(&a).expect("rows or columns of A are contiguous");
    let height = m.div_ceil(m.div_ceil(kernels.mr()));
    for row in (0..m).step_by(height) {
        let rows = height.min(m - row);
        let of_a = a.block(row, 0, rows, k);
        for col in (0..n).step_by(kernels.nr()) {
            let cols = kernels.nr().min(n - col);
            let call = Call {
                k,
                a: of_a,
                a_stride,
                b: b.wrapping_add(col),
                b_k,
                c: c.at(row, col),
                c_row: c.stride,
                rows,
                cols,
                add: c.accumulate == Accumulate::Add,
                next: of_a,
                next_stride: 0,
            };
            // SAFETY: operands have been checked, B is padded, and the level's instructions exist.
            unsafe { table[rows - 1][cols.div_ceil(kernels.lanes) - 1](&call) };
        }
    }
    product.finish(0, 0, m, n);
}

fn few_rows<T: Element>(product: &Product<T>, a: Strided<T>, b: Strided<T>) -> bool {
    let Size { m, k, .. } = product.size;
    let kernels = T::kernels(product.level);
    // A is small: lay its rows out if they are not.
    if b.stride_k == 1 && b.stride_i != 1 && k >= DOT_K {
        paths::hit(Path::GemmDots);
        with_rows(a, m, k, |a| dots(product, kernels, a, b));
        return true;
    }
    if b.stride_i == 1 && m <= kernels.wide.len() {
        paths::hit(Path::GemmWide);
        with_rows(a, m, k, |a| wide(product, kernels, a, b));
        return true;
    }
    false
}

/// `C = A · B` as `Cᵀ = Bᵀ · Aᵀ`, when that reads A once.
fn few_columns<T: Element>(product: &Product<T>, a: Strided<T>, b: Strided<T>) -> bool {
    let Size { m, n, k } = product.size;
    if a.stride_k != 1 && a.stride_i != 1 {
        return false;
    }
    paths::hit(Path::GemmTransposed);
    scratch::with(m * n, |transposed| {
        let c = Output::new(transposed, m, Accumulate::Replace);
        let size = Size { m: n, n: m, k };
        let Product { pool, level, batch, .. } = *product;
        let flipped = Product { pool, level, size, a: &b, b: &a, c, epilogue: None, batch };
        if !few_rows(&flipped, b, a) {
            block::run(&flipped);
        }
        let c = product.c;
        for i in 0..m {
            for j in 0..n {
                // SAFETY: `(i, j)` lies inside C, which is ours.
                let to = unsafe { &mut *c.at(i, j) };
                let sum = transposed[j * m + i];
                *to = if c.accumulate == Accumulate::Add { *to + sum } else { sum };
            }
        }
        product.finish(0, 0, m, n);
        true
    })
}

/// B's rows lie in memory: a run of columns at a time, down all of `k`.
fn wide<T: Element>(product: &Product<T>, kernels: &Kernels<T>, a: Strided<T>, b: Strided<T>) {
    let Size { m, n, k } = product.size;
    let (lanes, most) = (kernels.lanes, kernels.wide_cols);
    let c = product.c;
    product.share(n.div_ceil(most), &|task| {
        let (first, end) = (task * most, n.min((task + 1) * most));
        for k0 in (0..k).step_by(KC) {
            let kc = KC.min(k - k0);
            let mut col = first;
            while col < end {
                let left = end - col;
                let two = 2 * lanes;
                let (kernel, cols) = if left >= most {
                    (kernels.wide[m - 1][0], most)
                } else if left >= two {
                    (kernels.rows[m - 1][1], two)
                } else {
                    (kernels.rows[m - 1][0], left.min(lanes))
                };
                let call = Call {
                    k: kc,
                    a: a.block(0, k0, m, kc),
                    a_stride: a.stride_i,
                    b: b.block(col, k0, cols, kc),
                    b_k: b.stride_k,
                    c: c.at(0, col),
                    c_row: c.stride,
                    rows: m,
                    cols,
                    add: k0 > 0 || c.accumulate == Accumulate::Add,
                    next: b.block(col, k0, cols, kc),
                    next_stride: 0,
                };
                if cols.is_multiple_of(lanes) {
                    // SAFETY: operands have been checked, and the level's instructions exist.
                    unsafe { kernel(&call) };
                } else {
                    edge(kernel, call, lanes);
                }
                col += cols;
            }
        }
        product.finish(0, first, m, end - first);
    });
}

/// Columns that are not a whole vector, by way of a padded copy: kernels load whole vectors of B.
fn edge<T: Element>(kernel: super::kernel::Kernel<T>, call: Call<T>, lanes: usize) {
    scratch::with(call.k * lanes, |padded: &mut [T]| {
        for (p, row) in padded.chunks_exact_mut(lanes).enumerate() {
            row.fill(T::default());
            // SAFETY: row `p` of the block has `cols` elements.
            let from = unsafe {
                std::slice::from_raw_parts(call.b.offset(p as isize * call.b_k), call.cols)
            };
            row[..call.cols].copy_from_slice(from);
        }
        // SAFETY: as the call was, with B in `padded`.
        unsafe { kernel(&Call { b: padded.as_ptr(), b_k: lanes as isize, ..call }) };
    });
}

/// B's columns lie in memory, and A's rows do.
fn dots<T: Element>(product: &Product<T>, kernels: &Kernels<T>, a: Strided<T>, b: Strided<T>) {
    let Size { m, n, k } = product.size;
    let c = product.c;
    let add = c.accumulate == Accumulate::Add;
    product.share(n.div_ceil(DOT_TASK), &|task| {
        let (first, end) = (task * DOT_TASK, n.min((task + 1) * DOT_TASK));
        for col in (first..end).step_by(DOT_COLS) {
            let cols = DOT_COLS.min(end - col);
            for row in (0..m).step_by(kernels.dots.len()) {
                let rows = kernels.dots.len().min(m - row);
                let call = Call {
                    k,
                    a: a.block(row, 0, rows, k),
                    a_stride: a.stride_i,
                    b: b.block(col, 0, cols, k),
                    b_k: b.stride_i,
                    c: c.at(row, col),
                    c_row: c.stride,
                    rows,
                    cols,
                    add,
                    next: std::ptr::null(),
                    next_stride: 0,
                };
                // SAFETY: operands have been checked, and the level's instructions exist.
                unsafe { kernels.dots[rows - 1][0](&call) };
            }
        }
        product.finish(0, first, m, end - first);
    });
}
