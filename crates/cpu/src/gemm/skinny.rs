//! Products for which packing does not pay off: small ones, and ones with few rows (or few columns,
//! which are rows of the transposed product), whose large operand is read once, in place.
use super::kernel::{DOT_COLS, Kernels, TileArgs};
use super::{Accumulate, Element, Output, Product, Size, Strided, block, pack};
use crate::paths::{self, Path};
use crate::scratch;

/// Up to this many rows, dot products are faster than packing B if B is contiguous in `k`.
const MAX_DOT_ROWS: usize = 16;
/// Shorter dot products spend most of their time on the horizontal sum.
const MIN_DOT_K: usize = 64;
/// Columns per task of dot products.
const DOT_TASK_COLS: usize = 16;
/// Rows of B that are read in one pass: their pages fit the TLB.
const KC: usize = 512;

/// One thread computes a product of at most this many operations without blocking: 100 by 100 by
/// 100, whose operands fit L2.
const MAX_SMALL_FLOPS: usize = 1 << 21;

/// Computes the product if it is small or skinny and both operands are stored as `T`. Returns
/// whether it did.
pub(super) fn run<T: Element>(product: &Product<T>) -> bool {
    let Size { m, n, k } = product.size;
    let is_skinny = m.min(n) <= MAX_DOT_ROWS && m.max(n) >= 16;
    let is_small = product.threads() == 1 && product.size.flops() <= MAX_SMALL_FLOPS;
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

/// A small product. A is read in place, and so is B if its rows are contiguous and whole vectors.
fn small<T: Element>(product: &Product<T>, a: Strided<T>, b: Strided<T>) {
    let Size { m, n, k } = product.size;
    let kernels = T::kernels(product.level);
    if kernels.for_a_in_place(&a).is_none() {
        return with_contiguous_rows(a, m, k, |a| small(product, a, b));
    }
    if b.stride_i == 1 && n.is_multiple_of(kernels.lanes) {
        return tiles(product, kernels, a, (b.block(0, 0, n, k), b.stride_k));
    }
    let width = n.next_multiple_of(kernels.lanes);
    scratch::with(width * k, |packed: &mut [T]| {
        let call = pack::PackArgs {
            from: b.block(0, 0, n, k),
            stride_i: b.stride_i,
            stride_k: b.stride_k,
            count: n,
            k,
            width,
            to: packed.as_mut_ptr(),
        };
        // SAFETY: `block` checked B, and `packed` has the size of one panel of `width`.
        unsafe { (kernels.pack)(&call) };
        tiles(product, kernels, a, (packed.as_ptr(), width as isize));
    });
}

/// Calls `f` with `a`, copied first if its rows are not contiguous.
fn with_contiguous_rows<T: Element, R>(
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

/// All tiles of C. `(b, b_k)` are the address and row stride of B, whose rows are padded to whole
/// vectors.
fn tiles<T: Element>(
    product: &Product<T>,
    kernels: &Kernels<T>,
    a: Strided<T>,
    (b, b_k): (*const T, isize),
) {
    let Size { m, n, k } = product.size;
    let c = product.c;
    let (table, a_stride) =
        kernels.for_a_in_place(&a).expect("rows or columns of A are contiguous");
    let height = m.div_ceil(m.div_ceil(kernels.mr()));
    for row in (0..m).step_by(height) {
        let rows = height.min(m - row);
        let a_block = a.block(row, 0, rows, k);
        for col in (0..n).step_by(kernels.nr()) {
            let cols = kernels.nr().min(n - col);
            let call = TileArgs {
                k,
                a: a_block,
                a_stride,
                b: b.wrapping_add(col),
                b_k,
                c: c.at(row, col),
                c_row: c.stride,
                rows,
                cols,
                add: c.accumulate == Accumulate::Add,
                next: a_block,
                next_stride: 0,
            };
            // SAFETY: `block` checked A; B has been checked and is padded; this product owns C,
            // which `Product::run` checked; the CPU has the level of `kernels`.
            unsafe { table[rows - 1][cols.div_ceil(kernels.lanes) - 1](&call) };
        }
    }
    product.finish(0, 0, m, n);
}

/// Multiplies few rows by B read in place. Returns false if the layout of B does not allow it.
fn few_rows<T: Element>(product: &Product<T>, a: Strided<T>, b: Strided<T>) -> bool {
    let Size { m, k, .. } = product.size;
    let kernels = T::kernels(product.level);
    // A is small: make its rows contiguous if they are not.
    if b.stride_k == 1 && b.stride_i != 1 && k >= MIN_DOT_K {
        paths::hit(Path::GemmDots);
        with_contiguous_rows(a, m, k, |a| dots(product, kernels, a, b));
        return true;
    }
    if b.stride_i == 1 && m <= kernels.wide.len() {
        paths::hit(Path::GemmWide);
        with_contiguous_rows(a, m, k, |a| wide(product, kernels, a, b));
        return true;
    }
    false
}

/// Computes `C = A · B` as `Cᵀ = Bᵀ · Aᵀ`, if A can be read once and in place. Returns whether it
/// did.
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
                // SAFETY: `(i, j)` is inside C, which only this product accesses.
                let to = unsafe { &mut *c.at(i, j) };
                let sum = transposed[j * m + i];
                *to = if c.accumulate == Accumulate::Add { *to + sum } else { sum };
            }
        }
        product.finish(0, 0, m, n);
        true
    })
}

/// B has contiguous rows: each task takes a range of columns over all of `k`.
fn wide<T: Element>(product: &Product<T>, kernels: &Kernels<T>, a: Strided<T>, b: Strided<T>) {
    let Size { m, n, k } = product.size;
    let (lanes, max_cols) = (kernels.lanes, kernels.wide_cols);
    let c = product.c;
    product.parallel_for(n.div_ceil(max_cols), &|task| {
        let (first, end) = (task * max_cols, n.min((task + 1) * max_cols));
        for k0 in (0..k).step_by(KC) {
            let kc = KC.min(k - k0);
            let mut col = first;
            while col < end {
                let left = end - col;
                let two = 2 * lanes;
                let (kernel, cols) = if left >= max_cols {
                    (kernels.wide[m - 1][0], max_cols)
                } else if left >= two {
                    (kernels.rows[m - 1][1], two)
                } else {
                    (kernels.rows[m - 1][0], left.min(lanes))
                };
                let call = TileArgs {
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
                    // SAFETY: `block` checked the operands; this task owns these columns of C; the
                    // CPU has the level of `kernels`.
                    unsafe { kernel(&call) };
                } else {
                    partial_vector(kernel, call, lanes);
                }
                col += cols;
            }
        }
        product.finish(0, first, m, end - first);
    });
}

/// Runs a kernel on fewer columns than a vector has. Kernels load whole vectors of B, so these
/// columns are copied and padded.
fn partial_vector<T: Element>(kernel: super::kernel::Kernel<T>, call: TileArgs<T>, lanes: usize) {
    scratch::with(call.k * lanes, |padded: &mut [T]| {
        for (p, row) in padded.chunks_exact_mut(lanes).enumerate() {
            row.fill(T::default());
            // SAFETY: `block` checked that row `p` has `cols` elements.
            let from = unsafe {
                std::slice::from_raw_parts(call.b.offset(p as isize * call.b_k), call.cols)
            };
            row[..call.cols].copy_from_slice(from);
        }
        // SAFETY: `block` checked A; B is padded to whole vectors; the task owns these columns of
        // C.
        unsafe { kernel(&TileArgs { b: padded.as_ptr(), b_k: lanes as isize, ..call }) };
    });
}

/// A has contiguous rows and B contiguous columns: each element of C is a dot product.
fn dots<T: Element>(product: &Product<T>, kernels: &Kernels<T>, a: Strided<T>, b: Strided<T>) {
    let Size { m, n, k } = product.size;
    let c = product.c;
    let add = c.accumulate == Accumulate::Add;
    product.parallel_for(n.div_ceil(DOT_TASK_COLS), &|task| {
        let (first, end) = (task * DOT_TASK_COLS, n.min((task + 1) * DOT_TASK_COLS));
        for col in (first..end).step_by(DOT_COLS) {
            let cols = DOT_COLS.min(end - col);
            for row in (0..m).step_by(kernels.dots.len()) {
                let rows = kernels.dots.len().min(m - row);
                let call = TileArgs {
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
                // SAFETY: as in `wide`.
                unsafe { kernels.dots[rows - 1][0](&call) };
            }
        }
        product.finish(0, first, m, end - first);
    });
}
