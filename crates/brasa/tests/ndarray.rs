//! Conversion to and from arrays of the crate `ndarray`.
use brasa::{DType, Element, Tensor};
use ndarray::{Array0, Array1, Array2, Array3, ArrayD, array, s};
use std::fmt::Debug;

#[track_caller]
fn round_trips<T: Element + PartialEq + Debug>(items: [T; 6]) {
    let array = Array2::from_shape_vec((2, 3), items.to_vec()).expect("six elements");
    let x = Tensor::from(&array);
    assert_eq!((x.dtype(), x.shape()), (T::DTYPE, &[2, 3][..]));
    assert_eq!(Array2::<T>::try_from(&x).expect("two axes"), array);
    assert_eq!(x.to_ndarray::<T>().expect("a value"), array.into_dyn());
}

#[test]
fn every_element_type_round_trips() {
    round_trips([0.5f32, -1.0, f32::MAX, f32::MIN_POSITIVE, 1e-40, -0.0]);
    round_trips([0.1f64, -1.0, f64::MAX, f64::MIN_POSITIVE, 1e-310, 3.0]);
    round_trips([i64::MIN, i64::MAX, -1, 0, 1, 1 << 60]);
    round_trips([i32::MIN, i32::MAX, -1, 0, 1, 2]);
    round_trips([u32::MAX, 0, 1, 2, 3, 4]);
    round_trips([u8::MAX, 0, 1, 2, 3, 4]);
    round_trips([i8::MIN, i8::MAX, -1, 0, 1, 2]);
    round_trips([true, false, false, true, true, false]);
}

#[test]
fn any_strides_and_ranks_are_read_in_order() {
    let whole = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i64);
    let part = whole.slice(s![1, ..;-1, ..;2]);
    let x = Tensor::from(&part);
    assert_eq!(x.shape(), [3, 2]);
    assert_eq!(x.to_vec::<i64>().expect("a value"), [120, 122, 110, 112, 100, 102]);
    assert_eq!(Tensor::from(&whole.t()).shape(), [4, 3, 2]);
    let number = Tensor::from(Array0::from_elem((), 2.5f32));
    assert_eq!((number.rank(), number.item::<f32>().expect("a number")), (0, 2.5));
    let empty = Tensor::from(Array2::<f32>::zeros((0, 3)));
    assert_eq!(empty.to_ndarray::<f32>().expect("a value").shape(), [0, 3]);
}

#[test]
fn computed_values_and_half_floats_are_converted() {
    let x = Tensor::from(&array![[1.0f32, 2.0], [3.0, 4.0]]);
    let product: ArrayD<f32> = x.matmul(&x).to_ndarray().expect("a value");
    assert_eq!(product, array![[7.0, 10.0], [15.0, 22.0]].into_dyn());
    for dtype in [DType::F16, DType::BF16] {
        let halves = x.to(dtype).to_ndarray::<f32>().expect("a value");
        assert_eq!(halves, array![[1.0, 2.0], [3.0, 4.0]].into_dyn());
    }
}

#[test]
fn another_rank_is_an_error_that_names_the_tensor() {
    let wrong = Array1::<f32>::try_from(&Tensor::ones([2, 3])).expect_err("two axes");
    assert!(wrong.to_string().contains("f32[2, 3]"), "{wrong}");
}
