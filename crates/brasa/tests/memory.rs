//! Memory that cannot be had is an error with the op and the bytes, and the program goes on.
use brasa::{Tensor, catch};

/// More bytes than a process can address, of fewer elements than a shape may have.
const HUGE: usize = 1 << 47;

#[track_caller]
fn refused(what: brasa::Result<Vec<f32>>, op: &str) {
    let error = what.expect_err("it has no memory").to_string();
    let has_all =
        ["there is no memory for", "bytes", "memory.rs:"].map(|word| error.contains(word));
    assert!(error.starts_with(&format!("{op}: ")) && has_all == [true; 3], "{error}");
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    refused(Tensor::zeros([HUGE]).to_vec(), "zeros");
    refused(Tensor::ones([HUGE / 2, 2]).to_vec(), "ones");
    refused(Tensor::randn([HUGE]).to_vec(), "randn");
    let column = Tensor::ones([1 << 24, 1]);
    refused((&column * &column.reshape([1, -1])).to_vec(), "mul");
    // A result on the way: it is needed whole before its order is known.
    let (sorted, _) = (&column + &column.reshape([1, -1])).sort(0);
    refused(sorted.narrow(0, 0, 1).to_vec(), "sort");
    // What comes after is computed.
    assert_eq!(Tensor::ones([3]).to_vec::<f32>().expect("a value"), [1.0; 3]);
}

#[test]
fn sizes_that_cannot_be_counted_are_rejected() {
    for shape in [[usize::MAX, 2], [1 << 40, 1 << 40], [usize::MAX, usize::MAX]] {
        let error = catch(|| Tensor::zeros(shape)).expect_err("it is rejected").to_string();
        assert!(error.contains("too large"), "{error}");
    }
    let error = Tensor::from_bytes(brasa::DType::F32, [usize::MAX, 0], &[]).expect_err("too large");
    assert!(error.to_string().contains("too large"), "{error}");
}
