//! Regression tests for rare values, lengths and schedules: each was wrong once, on the CPU only.
use brasa::{DType, Forward, Result, Tensor, dynamic};
use brasa_ir::{Site, Value};

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i % 13) as f32 * 0.1).collect()
}

/// `-0.0 / 5` is `-0.0`, also where a row is divided by multiplying with a reciprocal.
#[test]
fn quotients_of_zero_keep_their_sign() -> Result<()> {
    for len in [1, 4, 16, 100] {
        let zeros = Tensor::from_vec(vec![-0.0f32; 2 * len], [2, len]);
        let by = Tensor::from_vec(vec![5.0f32, -3.0], [2, 1]);
        let quotients = [(&zeros / 5.0), (&zeros / &by), (&zeros / &by) * 2.0];
        let signs = |x: &Tensor| -> Result<Vec<bool>> {
            Ok(x.to_vec::<f32>()?.iter().map(|x| x.is_sign_negative()).collect())
        };
        assert_eq!(signs(&quotients[0])?, vec![true; 2 * len]);
        let want: Vec<bool> = (0..2 * len).map(|i| i < len).collect();
        assert_eq!(signs(&quotients[1])?, want);
        assert_eq!(signs(&quotients[2])?, want);
        let angles = (&zeros / 5.0).atan2(-1.0).to_vec::<f32>()?;
        assert!(angles.iter().all(|&x| x < 0.0), "{angles:?}");
    }
    Ok(())
}

#[test]
fn one_bool_of_each_row_is_gathered() -> Result<()> {
    let x = Tensor::from_vec(vec![1f32, -1.0, 2.0, 3.0, -4.0, 5.0], [2, 3]);
    let at = Tensor::from_vec(vec![0i64, 1], [2, 1]);
    assert_eq!(x.gt(0.0).gather(1, &at).to_vec::<bool>()?, [true, false]);
    Ok(())
}

/// As in PyTorch, the mean of no losses is NaN.
#[test]
fn the_loss_of_an_empty_batch_is_nan() -> Result<()> {
    let scores = Tensor::from_vec(Vec::<f32>::new(), [0, 3]);
    let classes = Tensor::from_vec(Vec::<i64>::new(), [0]);
    assert!(scores.cross_entropy(&classes).item::<f32>()?.is_nan());
    Ok(())
}

/// A value stored over the memory of the product is not recomputed from it.
#[test]
fn a_stored_sum_is_reduced_and_used_again() -> Result<()> {
    for (m, n) in [(64, 512), (3, 512), (64, 2048), (5, 64)] {
        let a = Tensor::from_vec(ramp(m * 32), [m, 32]);
        let w = Tensor::from_vec(ramp(32 * n), [32, n]);
        let b = Tensor::from_vec(ramp(n), [n / 16, 16]);
        let x = a.matmul(&w) + b.t().reshape([n as isize]);
        let y = &x - x.sum([1]).unsqueeze(1);
        let (x, y) = (x.to_vec::<f32>()?, y.to_vec::<f32>()?);
        for (row, (x, y)) in x.chunks(n).zip(y.chunks(n)).enumerate() {
            let sum: f64 = x.iter().map(|&x| f64::from(x)).sum();
            for (i, (x, y)) in x.iter().zip(y).enumerate() {
                let want = f64::from(*x) - sum;
                let error = (f64::from(*y) - want).abs();
                assert!(
                    error <= 1e-5 * want.abs(),
                    "{m} x {n}, row {row}, {i}: {y}, expected {want}"
                );
            }
        }
    }
    Ok(())
}

/// A few long rows of a product are reduced in parts, each of which reads the product.
#[test]
fn rows_of_a_product_are_reduced_in_pieces() -> Result<()> {
    for (m, n) in [(1, 65_536), (2, 4096), (256, 512)] {
        let a = Tensor::from_vec(ramp(m * 15), [m, 15]);
        let w = Tensor::from_vec(ramp(15 * n), [15, n]);
        let b = Tensor::from_vec(ramp(n), [n / 16, 16]);
        let x = a.matmul(&w) + b.t().reshape([n as isize]);
        let sums = x.sum([1]).to_vec::<f32>()?;
        for (row, (x, sum)) in x.to_vec::<f32>()?.chunks(n).zip(sums).enumerate() {
            let want: f64 = x.iter().map(|&x| f64::from(x)).sum();
            let error = (f64::from(sum) - want).abs();
            assert!(error <= 1e-5 * want.abs(), "{m} x {n}, row {row}: {sum}, expected {want}");
        }
    }
    Ok(())
}

/// Any nonzero byte is true, as in NumPy.
#[test]
fn nonzero_bytes_are_true() -> Result<()> {
    let mask = Tensor::from_bytes(DType::Bool, [3], &[2, 0, 255])?;
    assert_eq!(mask.logical_not().to_vec::<bool>()?, [false, true, false]);
    assert_eq!(mask.sum(..).item::<i64>()?, 2);
    assert_eq!(mask.to_bytes()?, [1, 0, 1]);
    Ok(())
}

#[test]
fn integer_powers_accept_large_exponents() -> Result<()> {
    let base = Tensor::from_vec(vec![-1i64, -1, 3, 2], [4]);
    let power = Tensor::from_vec(vec![1i64 << 32, (1 << 32) + 1, 1 << 32, 64], [4]);
    let three = (0..32).fold(3i64, |x, _| x.wrapping_mul(x));
    assert_eq!(base.pow(&power).to_vec::<i64>()?, [1, -1, three, 0]);
    Ok(())
}

/// Numbers of narrow types wrap, whether fused or not.
#[test]
fn long_ranges_of_narrow_integers_wrap() -> Result<()> {
    let arange = brasa_ir::table::find("arange").expect("an op");
    let range = |dtype: DType| -> Result<Tensor> {
        let named = [("dtype".to_string(), Value::DType(dtype).into())];
        let site = Site::Text("here".into());
        Ok(dynamic::call(arange, site, &[Value::Int(300).into()], &named)?[0].clone())
    };
    let last = |x: Tensor| -> Result<i64> { Ok(x.to(DType::I64).to_vec::<i64>()?[299]) };
    assert_eq!(last(range(DType::U8)?)?, 299 - 256);
    assert_eq!(last(range(DType::I8)?)?, 299 - 256);
    assert_eq!(last(range(DType::BF16)?)?, 300);
    Ok(())
}

/// An index dtype that cannot represent the length of the axis.
#[test]
fn narrow_index_dtypes_work_on_long_axes() -> Result<()> {
    let x = Tensor::from_vec(ramp(2 * 600), [2, 600]).requires_grad(true);
    let at = Tensor::from_vec(vec![7u8, 250], [2, 1]);
    let picked = x.exp().gather(1, &at);
    let values = picked.to_vec::<f32>()?;
    let want = [7, 600 + 250].map(|i| ramp(1200)[i].exp());
    assert!(values.iter().zip(want).all(|(x, want)| (x - want).abs() < 1e-6), "{values:?}");
    picked.sum(..).backward();
    let gradient = x.grad().expect("a gradient").to_vec::<f32>()?;
    assert_eq!(gradient.iter().filter(|x| **x != 0.0).count(), 2);

    // Of several values scattered to one element the last wins, and only it has a gradient.
    let src = Tensor::from_vec(ramp(512), [512]).requires_grad(true);
    let at = Tensor::from_vec(vec![3u8; 512], [512]);
    Tensor::zeros([8]).scatter_with(0, &at, |o| o.src(&src)).sum(..).backward();
    let gradient = src.grad().expect("a gradient").to_vec::<f32>()?;
    assert_eq!(gradient.iter().sum::<f32>(), 1.0);
    assert_eq!(gradient[511], 1.0);
    Ok(())
}

/// A thread reads a tensor while another computes with it.
#[test]
fn tensors_can_be_read_during_runs_of_other_threads() {
    let w = Tensor::ones([256, 256]);
    w.to_vec::<f32>().expect("it has a value");
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                w.matmul(&w).sum(..).item::<f32>().expect("it is computed");
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
            assert_eq!(w.to_vec::<f32>().expect("it has a value").len(), 256 * 256);
        }
    });
}

/// A value that a compiled function both stores in a tensor and returns.
#[test]
fn compiled_functions_can_store_and_return_the_same_value() -> Result<()> {
    let h = Tensor::zeros([2]);
    let mut f = Forward::new(|x| {
        let next = (&x[0] + &h).tanh();
        h.copy_(&next);
        next
    });
    let mut state = 0f32;
    for _ in 0..3 {
        state = (1.0 + state).tanh();
        let y = f.run(&[&Tensor::ones([2])])?.to_vec::<f32>()?;
        assert!(y.iter().all(|y| (y - state).abs() < 1e-6), "{y:?}, expected {state}");
        let h = h.to_vec::<f32>()?;
        assert!(h.iter().all(|h| (h - state).abs() < 1e-6), "{h:?}, expected {state}");
    }
    Ok(())
}

#[test]
fn compiled_functions_store_one_value_in_two_tensors() -> Result<()> {
    let [a, b] = [(); 2].map(|()| Tensor::zeros([2]));
    let mut f = Forward::new(|x| {
        let v = &x[0] + &a + &b;
        a.copy_(&v);
        b.copy_(&v);
        v.sum(..)
    });
    for want in [1.0, 3.0, 7.0] {
        let sum = f.run(&[&Tensor::ones([2])])?.item::<f32>()?;
        assert_eq!(sum, 2.0 * want);
        assert_eq!((a.to_vec::<f32>()?, b.to_vec::<f32>()?), (vec![want; 2], vec![want; 2]));
    }
    Ok(())
}

/// Two tensors that share memory when a function is recorded are distinct in every run.
#[test]
fn compiled_functions_distinguish_tensors_that_share_memory() -> Result<()> {
    let zero = Tensor::zeros([1]);
    let a = Tensor::new([1.0]);
    let b = a.clone_value();
    let mut f = Forward::new(|x| &x[0] + &a * 10.0 + &b);
    assert_eq!(f.run(&[&zero])?.item::<f32>()?, 11.0);
    a.copy_(2.0);
    assert_eq!(f.run(&[&zero])?.item::<f32>()?, 21.0);

    let a = Tensor::new([1.0]);
    let b = a.clone_value();
    let mut f = Forward::new(|x| {
        a.copy_(&a + 1.0);
        b.copy_(&b + 2.0);
        &x[0] + 0.0
    });
    for n in 1..4 {
        f.run(&[&zero])?;
        let both = (a.item::<f32>()?, b.item::<f32>()?);
        assert_eq!(both, (1.0 + n as f32, 1.0 + 2.0 * n as f32));
    }
    Ok(())
}

#[test]
fn a_factor_of_zero_stays_before_its_product() -> Result<()> {
    let large = Tensor::new([[1e30]]);
    assert_eq!((&large * 0.0).matmul(&large).item::<f32>()?, 0.0);
    Ok(())
}
