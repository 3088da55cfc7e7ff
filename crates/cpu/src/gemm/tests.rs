//! Compares every code path, level and number of threads with a naive triple loop.
use super::*;
use proptest::prelude::*;

fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// The contiguous index of an operand.
#[derive(Clone, Copy, Debug)]
enum Layout {
    K,
    I,
    Neither,
}

fn view(data: &[f32], layout: Layout, count: usize, k: usize) -> Strided<'_, f32> {
    match layout {
        Layout::K => Strided::rows(data, k + 3),
        Layout::I => Strided::columns(data, count + 5),
        Layout::Neither => {
            Strided { data, offset: 1, stride_i: 2, stride_k: 2 * count as isize + 3 }
        }
    }
}

fn memory(count: usize, k: usize) -> usize {
    2 * (count + 5) * (k + 5) + 8
}

struct Case {
    size: Size,
    a: Layout,
    b: Layout,
    accumulate: Accumulate,
}

/// Compares a product with bias and doubling as epilogue with the same in f64, and the results for
/// all pools bit by bit.
fn check(case: &Case, level: Level, pools: &[Pool]) {
    let Size { m, n, k } = case.size;
    let (a_data, b_data) = (numbers(memory(m, k), 1), numbers(memory(n, k), 2));
    let (a, b) = (view(&a_data, case.a, m, k), view(&b_data, case.b, n, k));
    let stride = n + 2;
    let before = numbers(m * stride + n, 3);
    let bias = numbers(n, 4);
    let epilogue = |tile: &mut Tile<f32>| {
        for i in 0..tile.rows {
            let col = tile.col;
            for (x, b) in tile.row_mut(i).iter_mut().zip(&bias[col..]) {
                *x = 2.0 * (*x + b);
            }
        }
    };
    let c = run_on_all(pools, &before, |pool, c| {
        let output = Output::new(c, stride, case.accumulate);
        let product = Product {
            pool: Some(pool),
            level,
            size: case.size,
            a: &a,
            b: &b,
            c: output,
            epilogue: Some(&epilogue),
            batch: 0,
        };
        product.run();
    });
    for (index, &found) in c.iter().enumerate() {
        let (i, j) = (index / stride, index % stride);
        if i >= m || j >= n {
            assert_eq!(found, before[index], "{:?}: ({i}, {j}) outside C was written", case.size);
            continue;
        }
        let dot: f64 = (0..k).map(|p| element(&a, i, p) * element(&b, j, p)).sum();
        let start = if case.accumulate == Accumulate::Add { f64::from(before[index]) } else { 0.0 };
        let wanted = 2.0 * (start + dot + f64::from(bias[j]));
        let error = (f64::from(found) - wanted).abs();
        assert!(
            error <= 1e-6 * (4.0 + k as f64),
            "{:?} {:?} {:?} {level:?} ({i}, {j}): {found} vs {wanted}",
            case.size,
            case.a,
            case.b
        );
    }
}

/// The products of all pools, which must agree bit by bit.
fn run_on_all(pools: &[Pool], before: &[f32], run: impl Fn(&Pool, &mut [f32])) -> Vec<f32> {
    let mut first: Option<Vec<f32>> = None;
    for pool in pools {
        let mut c = before.to_vec();
        run(pool, &mut c);
        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        match &first {
            Some(first) => assert_eq!(bits(first), bits(&c), "{} threads", pool.threads()),
            None => first = Some(c),
        }
    }
    first.expect("there are pools")
}

fn element(s: &Strided<f32>, i: usize, p: usize) -> f64 {
    let at = s.offset as isize + i as isize * s.stride_i + p as isize * s.stride_k;
    f64::from(s.data[at as usize])
}

fn pools() -> Vec<Pool> {
    (1..=3).map(Pool::new).collect()
}

const LAYOUTS: [Layout; 3] = [Layout::K, Layout::I, Layout::Neither];

fn check_all(m: usize, n: usize, k: usize, pools: &[Pool]) {
    for &level in Level::available() {
        for a in LAYOUTS {
            for b in LAYOUTS {
                for accumulate in [Accumulate::Replace, Accumulate::Add] {
                    check(&Case { size: Size { m, n, k }, a, b, accumulate }, level, pools);
                }
            }
        }
    }
}

#[test]
fn small_and_empty_sizes_agree_with_f64() {
    let pools = pools();
    for m in [0, 1, 2, 5, 14, 17] {
        for n in [0, 1, 3, 16, 33] {
            for k in [0, 1, 7, 40] {
                check_all(m, n, k, &pools);
            }
        }
    }
}

#[test]
fn every_code_path_agrees_with_f64() {
    let pools = pools();
    for (m, n, k) in [(1, 300, 700), (3, 500, 300), (300, 2, 600), (64, 10, 512), (8, 700, 260)] {
        check_all(m, n, k, &pools);
    }
    for (m, n, k) in [(130, 70, 300), (200, 530, 70), (70, 65, 513), (14, 2000, 50), (30, 40, 2100)]
    {
        check_all(m, n, k, &pools);
    }
    // Rows of A are one page apart.
    check_all(20, 130, 1021, &pools);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_products_agree_with_f64(
        m in 0usize..80, n in 0usize..80, k in 0usize..300,
        a in 0usize..3, b in 0usize..3, add: bool,
    ) {
        let pools = [Pool::new(1), Pool::new(2)];
        let accumulate = if add { Accumulate::Add } else { Accumulate::Replace };
        let case = Case { size: Size { m, n, k }, a: LAYOUTS[a], b: LAYOUTS[b], accumulate };
        for &level in Level::available() {
            check(&case, level, &pools);
        }
    }
}

#[test]
fn products_of_a_batch_agree_with_a_loop() {
    let size = Size { m: 17, n: 19, k: 23 };
    let batch = 9;
    let (a, b) = (numbers(batch * 17 * 23, 1), numbers(batch * 19 * 23, 2));
    for threads in 1..=3 {
        let mut c = vec![0.0; batch * 17 * 19];
        let to = c.as_mut_ptr() as usize;
        let item = |i: usize| {
            // SAFETY: each product has its own part of `c`.
            let c = unsafe {
                let to = (to as *mut f32).add(i * 17 * 19);
                Output::from_raw(to, 17 * 19, 19, Accumulate::Replace)
            };
            (Strided::rows(&a[i * 17 * 23..], 23), Strided::columns(&b[i * 19 * 23..], 19), c)
        };
        gemm_batched(&Pool::new(threads), batch, size, &item, &NoEpilogue);
        for (index, &found) in c.iter().enumerate() {
            let (i, row, col) = (index / (17 * 19), index / 19 % 17, index % 19);
            let term = |p: usize| a[(i * 17 + row) * 23 + p] * b[(i * 23 + p) * 19 + col];
            let wanted: f32 = (0..23).map(term).sum();
            assert!((found - wanted).abs() < 1e-4, "{i} ({row}, {col}): {found} vs {wanted}");
        }
    }
}

/// Compares products of integers, which are exact, in each layout.
fn check_storage<S: Storage<T>, T: Element + Into<f64>>(to: impl Fn(i32) -> S) {
    let (m, n, k) = (37, 41, 90);
    let number = |i: usize| (i * 7 % 11) as i32 - 5 + 5 * i32::from(size_of::<S>() == 1);
    let a: Vec<S> = (0..m * k).map(|i| to(number(i))).collect();
    let b: Vec<S> = (0..n * k).map(|i| to(number(i + 3))).collect();
    let pool = Pool::new(2);
    for columns_of_a in [false, true] {
        for rows_of_b in [false, true] {
            let mut c = vec![T::default(); m * n];
            let va = if columns_of_a { Strided::columns(&a, m) } else { Strided::rows(&a, k) };
            let vb = if rows_of_b { Strided::rows(&b, k) } else { Strided::columns(&b, n) };
            let output = Output::new(&mut c, n, Accumulate::Replace);
            gemm(&pool, Size { m, n, k }, &va, &vb, output, &NoEpilogue);
            for (index, &found) in c.iter().enumerate() {
                let (i, j) = (index / n, index % n);
                let term = |p: usize| {
                    let a = number(if columns_of_a { p * m + i } else { i * k + p });
                    a * number(3 + if rows_of_b { j * k + p } else { p * n + j })
                };
                let wanted: i32 = (0..k).map(term).sum();
                assert_eq!(found.into(), f64::from(wanted), "({i}, {j})");
            }
        }
    }
}

#[test]
fn stored_elements_are_converted_exactly() {
    check_storage::<f32, f32>(|x| x as f32);
    check_storage::<f64, f64>(f64::from);
    check_storage::<f32, f64>(|x| x as f32);
    check_storage::<half::f16, f32>(|x| half::f16::from_f32(x as f32));
    check_storage::<half::bf16, f32>(|x| half::bf16::from_f32(x as f32));
    check_storage::<u8, f32>(|x| x as u8);
    check_storage::<i8, f32>(|x| x as i8);
}

#[test]
fn packed_panels_are_equal_at_every_level() {
    let data = numbers(10_000, 7);
    for layout in LAYOUTS {
        for (count, k, width) in [(37, 29, 14), (33, 40, 32), (5, 16, 13), (64, 64, 16), (7, 3, 6)]
        {
            let view = view(&data, layout, count, k);
            let at = |i: usize, p: usize| {
                let at = i as isize * view.stride_i + p as isize * view.stride_k;
                data[(view.offset as isize + at) as usize]
            };
            let wanted: Vec<f32> = (0..count.div_ceil(width) * width * k)
                .map(|x| (x / (width * k) * width + x % width, x / width % k))
                .map(|(i, p)| if i < count { at(i, p) } else { 0.0 })
                .collect();
            for &level in Level::available() {
                let mut panels = vec![f32::NAN; wanted.len()];
                let call = pack::PackArgs {
                    from: view.block(0, 0, count, k),
                    stride_i: view.stride_i,
                    stride_k: view.stride_k,
                    count,
                    k,
                    width,
                    to: panels.as_mut_ptr(),
                };
                // SAFETY: `block` checked the view, `panels` has the length of the panels, and the
                // CPU has the level.
                unsafe { (f32::kernels(level).pack)(&call) };
                assert_eq!(panels, wanted, "{level:?} {layout:?} {count} {k} {width}");
            }
        }
    }
}
