//! Running out of memory is an error with the op and the bytes, and the program continues.
use brasa::{Tensor, catch};

/// More bytes than a process can address, with fewer elements than the maximum of a shape.
const HUGE: usize = 1 << 47;

#[track_caller]
fn assert_out_of_memory(what: brasa::Result<Vec<f32>>, op: &str) {
    let error = what.expect_err("it has no memory").to_string();
    let has_all =
        ["there is no memory for", "bytes", "memory.rs:"].map(|word| error.contains(word));
    assert!(error.starts_with(&format!("{op}: ")) && has_all == [true; 3], "{error}");
}

#[test]
fn running_out_of_memory_is_an_error() {
    assert_out_of_memory(Tensor::zeros([HUGE]).to_vec(), "zeros");
    assert_out_of_memory(Tensor::ones([HUGE / 2, 2]).to_vec(), "ones");
    assert_out_of_memory(Tensor::randn([HUGE]).to_vec(), "randn");
    let column = Tensor::ones([1 << 24, 1]);
    assert_out_of_memory((&column * &column.reshape([1, -1])).to_vec(), "mul");
    // An intermediate result: sorting needs it whole.
    let (sorted, _) = (&column + &column.reshape([1, -1])).sort(0);
    assert_out_of_memory(sorted.narrow(0, 0, 1).to_vec(), "sort");
    // Later computations succeed.
    assert_eq!(Tensor::ones([3]).to_vec::<f32>().expect("a value"), [1.0; 3]);
}

#[test]
fn overflowing_sizes_are_rejected() {
    for shape in [[usize::MAX, 2], [1 << 40, 1 << 40], [usize::MAX, usize::MAX]] {
        let error = catch(|| Tensor::zeros(shape)).expect_err("it is rejected").to_string();
        assert!(error.contains("too large"), "{error}");
    }
    let error = Tensor::from_bytes(brasa::DType::F32, [usize::MAX, 0], &[]).expect_err("too large");
    assert!(error.to_string().contains("too large"), "{error}");
}
