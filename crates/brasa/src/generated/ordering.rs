//! Generated from the `ordering` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`sort`](crate::ops::sort).
    #[derive(Clone, Debug)]
    pub struct SortOptions {
        pub(crate) descending: bool,
        pub(crate) stable: bool,
    }

    impl Default for SortOptions {
        fn default() -> SortOptions {
            SortOptions {
                descending: false,
                stable: false,
            }
        }
    }

    impl SortOptions {
        /// Sets `descending`; by default `false`.
        pub fn descending(mut self, descending: bool) -> Self {
            self.descending = descending;
            self
        }

        /// Sets `stable`; by default `false`.
        pub fn stable(mut self, stable: bool) -> Self {
            self.stable = stable;
            self
        }
    }

    /// Options of [`argsort`](crate::ops::argsort).
    #[derive(Clone, Debug)]
    pub struct ArgsortOptions {
        pub(crate) descending: bool,
        pub(crate) stable: bool,
    }

    impl Default for ArgsortOptions {
        fn default() -> ArgsortOptions {
            ArgsortOptions {
                descending: false,
                stable: false,
            }
        }
    }

    impl ArgsortOptions {
        /// Sets `descending`; by default `false`.
        pub fn descending(mut self, descending: bool) -> Self {
            self.descending = descending;
            self
        }

        /// Sets `stable`; by default `false`.
        pub fn stable(mut self, stable: bool) -> Self {
            self.stable = stable;
            self
        }
    }

    /// Options of [`topk`](crate::ops::topk).
    #[derive(Clone, Debug)]
    pub struct TopkOptions {
        pub(crate) largest: bool,
        pub(crate) sorted: bool,
    }

    impl Default for TopkOptions {
        fn default() -> TopkOptions {
            TopkOptions {
                largest: true,
                sorted: true,
            }
        }
    }

    impl TopkOptions {
        /// Sets `largest`; by default `true`.
        pub fn largest(mut self, largest: bool) -> Self {
            self.largest = largest;
            self
        }

        /// Sets `sorted`; by default `true`.
        pub fn sorted(mut self, sorted: bool) -> Self {
            self.sorted = sorted;
            self
        }
    }

    /// Options of [`kthvalue`](crate::ops::kthvalue).
    #[derive(Clone, Debug)]
    pub struct KthvalueOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for KthvalueOptions {
        fn default() -> KthvalueOptions {
            KthvalueOptions {
                keepdim: false,
            }
        }
    }

    impl KthvalueOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`searchsorted`](crate::ops::searchsorted).
    #[derive(Clone, Debug)]
    pub struct SearchsortedOptions {
        pub(crate) out_int32: bool,
        pub(crate) right: bool,
        pub(crate) side: Option<brasa_ir::compose::Side>,
        pub(crate) sorter: Option<Tensor>,
    }

    impl Default for SearchsortedOptions {
        fn default() -> SearchsortedOptions {
            SearchsortedOptions {
                out_int32: false,
                right: false,
                side: None,
                sorter: None,
            }
        }
    }

    impl SearchsortedOptions {
        /// Sets `out_int32`; by default `false`.
        pub fn out_int32(mut self, out_int32: bool) -> Self {
            self.out_int32 = out_int32;
            self
        }

        /// Sets `right`; by default `false`.
        pub fn right(mut self, right: bool) -> Self {
            self.right = right;
            self
        }

        /// Sets `side`; by default not given.
        pub fn side(mut self, side: impl Into<Option<brasa_ir::compose::Side>>) -> Self {
            self.side = side.into();
            self
        }

        /// Sets `sorter`; by default not given.
        pub fn sorter<'a>(mut self, sorter: impl Into<Option<&'a Tensor>>) -> Self {
            self.sorter = sorter.into().cloned();
            self
        }
    }

    /// Options of [`bucketize`](crate::ops::bucketize).
    #[derive(Clone, Debug)]
    pub struct BucketizeOptions {
        pub(crate) out_int32: bool,
        pub(crate) right: bool,
    }

    impl Default for BucketizeOptions {
        fn default() -> BucketizeOptions {
            BucketizeOptions {
                out_int32: false,
                right: false,
            }
        }
    }

    impl BucketizeOptions {
        /// Sets `out_int32`; by default `false`.
        pub fn out_int32(mut self, out_int32: bool) -> Self {
            self.out_int32 = out_int32;
            self
        }

        /// Sets `right`; by default `false`.
        pub fn right(mut self, right: bool) -> Self {
            self.right = right;
            self
        }
    }

    /// Options of [`isin`](crate::ops::isin).
    #[derive(Clone, Debug)]
    pub struct IsinOptions {
        pub(crate) assume_unique: bool,
        pub(crate) invert: bool,
    }

    impl Default for IsinOptions {
        fn default() -> IsinOptions {
            IsinOptions {
                assume_unique: false,
                invert: false,
            }
        }
    }

    impl IsinOptions {
        /// Sets `assume_unique`; by default `false`.
        pub fn assume_unique(mut self, assume_unique: bool) -> Self {
            self.assume_unique = assume_unique;
            self
        }

        /// Sets `invert`; by default `false`.
        pub fn invert(mut self, invert: bool) -> Self {
            self.invert = invert;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
    /// `stable` is.
    #[track_caller]
    pub fn sort(input: &Tensor, dim: isize) -> (Tensor, Tensor) {
        sort_with(input, dim, |o| o)
    }

    /// The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
    /// `stable` is.
    ///
    /// Options: `descending`, `stable`.
    #[track_caller]
    pub fn sort_with(input: &Tensor, dim: isize, o: impl FnOnce(options::SortOptions) -> options::SortOptions) -> (Tensor, Tensor) {
        let o = o(options::SortOptions::default());
        input.settle();
        record("sort", |scope| scope.leave(compose::sort(scope.g, input.enter(scope), dim, o.descending, o.stable)))
    }

    /// The indices that sort the elements along `dim`.
    #[track_caller]
    pub fn argsort(input: &Tensor, dim: isize) -> Tensor {
        argsort_with(input, dim, |o| o)
    }

    /// The indices that sort the elements along `dim`.
    ///
    /// Options: `descending`, `stable`.
    #[track_caller]
    pub fn argsort_with(input: &Tensor, dim: isize, o: impl FnOnce(options::ArgsortOptions) -> options::ArgsortOptions) -> Tensor {
        let o = o(options::ArgsortOptions::default());
        input.settle();
        record("argsort", |scope| scope.leave(compose::argsort(scope.g, input.enter(scope), dim, o.descending, o.stable)))
    }

    /// The elements sorted along the first axis.
    #[track_caller]
    pub fn msort(input: &Tensor) -> Tensor {
        input.settle();
        record("msort", |scope| scope.leave(compose::msort(scope.g, input.enter(scope))))
    }

    /// The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
    /// indices. They are always sorted, whatever `sorted` is.
    #[track_caller]
    pub fn topk(input: &Tensor, k: usize, dim: isize) -> (Tensor, Tensor) {
        topk_with(input, k, dim, |o| o)
    }

    /// The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
    /// indices. They are always sorted, whatever `sorted` is.
    ///
    /// Options: `largest`, `sorted`.
    #[track_caller]
    pub fn topk_with(input: &Tensor, k: usize, dim: isize, o: impl FnOnce(options::TopkOptions) -> options::TopkOptions) -> (Tensor, Tensor) {
        let o = o(options::TopkOptions::default());
        input.settle();
        record("topk", |scope| scope.leave(compose::topk(scope.g, input.enter(scope), k, dim, o.largest, o.sorted)))
    }

    /// The `k`-th smallest element along `dim`, counted from 1, and its index.
    #[track_caller]
    pub fn kthvalue(input: &Tensor, k: usize, dim: isize) -> (Tensor, Tensor) {
        kthvalue_with(input, k, dim, |o| o)
    }

    /// The `k`-th smallest element along `dim`, counted from 1, and its index.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn kthvalue_with(input: &Tensor, k: usize, dim: isize, o: impl FnOnce(options::KthvalueOptions) -> options::KthvalueOptions) -> (Tensor, Tensor) {
        let o = o(options::KthvalueOptions::default());
        input.settle();
        record("kthvalue", |scope| scope.leave(compose::kthvalue(scope.g, input.enter(scope), k, dim, o.keepdim)))
    }

    /// The `k`-th smallest element along `dim`, counted from 1, and its index.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn kthvalue_keepdim(input: &Tensor, k: usize, dim: isize) -> (Tensor, Tensor) {
        kthvalue_with(input, k, dim, |o| o.keepdim(true))
    }

    /// The index at which each value of `input` would have to be inserted to keep the last axis of
    /// `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
    /// `side`. A sequence of several axes has one line for each line of `input`.
    #[track_caller]
    pub fn searchsorted(sorted_sequence: &Tensor, input: impl Into<Operand>) -> Tensor {
        searchsorted_with(sorted_sequence, input, |o| o)
    }

    /// The index at which each value of `input` would have to be inserted to keep the last axis of
    /// `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
    /// `side`. A sequence of several axes has one line for each line of `input`.
    ///
    /// Options: `out_int32`, `right`, `side`, `sorter`.
    #[track_caller]
    pub fn searchsorted_with(sorted_sequence: &Tensor, input: impl Into<Operand>, o: impl FnOnce(options::SearchsortedOptions) -> options::SearchsortedOptions) -> Tensor {
        let o = o(options::SearchsortedOptions::default());
        let input: Operand = input.into();
        sorted_sequence.settle();
        input.settle();
        o.sorter.settle();
        record("searchsorted", |scope| scope.leave(compose::searchsorted(scope.g, sorted_sequence.enter(scope), input.enter(scope), o.out_int32, o.right, o.side, o.sorter.enter(scope))))
    }

    /// The index of the interval between `boundaries` in which each value lies: the number of
    /// boundaries less than it, or not greater if `right`.
    #[track_caller]
    pub fn bucketize(input: impl Into<Operand>, boundaries: &Tensor) -> Tensor {
        bucketize_with(input, boundaries, |o| o)
    }

    /// The index of the interval between `boundaries` in which each value lies: the number of
    /// boundaries less than it, or not greater if `right`.
    ///
    /// Options: `out_int32`, `right`.
    #[track_caller]
    pub fn bucketize_with(input: impl Into<Operand>, boundaries: &Tensor, o: impl FnOnce(options::BucketizeOptions) -> options::BucketizeOptions) -> Tensor {
        let o = o(options::BucketizeOptions::default());
        let input: Operand = input.into();
        input.settle();
        boundaries.settle();
        record("bucketize", |scope| scope.leave(compose::bucketize(scope.g, input.enter(scope), boundaries.enter(scope), o.out_int32, o.right)))
    }

    /// Whether each of `elements` is among `test_elements`, or is not if `invert`.
    #[track_caller]
    pub fn isin(elements: impl Into<Operand>, test_elements: impl Into<Operand>) -> Tensor {
        isin_with(elements, test_elements, |o| o)
    }

    /// Whether each of `elements` is among `test_elements`, or is not if `invert`.
    ///
    /// Options: `assume_unique`, `invert`.
    #[track_caller]
    pub fn isin_with(elements: impl Into<Operand>, test_elements: impl Into<Operand>, o: impl FnOnce(options::IsinOptions) -> options::IsinOptions) -> Tensor {
        let o = o(options::IsinOptions::default());
        let elements: Operand = elements.into();
        let test_elements: Operand = test_elements.into();
        elements.settle();
        test_elements.settle();
        record("isin", |scope| scope.leave(compose::isin(scope.g, elements.enter(scope), test_elements.enter(scope), o.assume_unique, o.invert)))
    }
}

impl Tensor {
    /// The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
    /// `stable` is.
    #[track_caller]
    pub fn sort(&self, dim: isize) -> (Tensor, Tensor) {
        functions::sort(self, dim)
    }

    /// The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
    /// `stable` is.
    ///
    /// Options: `descending`, `stable`.
    #[track_caller]
    pub fn sort_with(&self, dim: isize, o: impl FnOnce(options::SortOptions) -> options::SortOptions) -> (Tensor, Tensor) {
        functions::sort_with(self, dim, o)
    }

    /// The indices that sort the elements along `dim`.
    #[track_caller]
    pub fn argsort(&self, dim: isize) -> Tensor {
        functions::argsort(self, dim)
    }

    /// The indices that sort the elements along `dim`.
    ///
    /// Options: `descending`, `stable`.
    #[track_caller]
    pub fn argsort_with(&self, dim: isize, o: impl FnOnce(options::ArgsortOptions) -> options::ArgsortOptions) -> Tensor {
        functions::argsort_with(self, dim, o)
    }

    /// The elements sorted along the first axis.
    #[track_caller]
    pub fn msort(&self) -> Tensor {
        functions::msort(self)
    }

    /// The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
    /// indices. They are always sorted, whatever `sorted` is.
    #[track_caller]
    pub fn topk(&self, k: usize, dim: isize) -> (Tensor, Tensor) {
        functions::topk(self, k, dim)
    }

    /// The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
    /// indices. They are always sorted, whatever `sorted` is.
    ///
    /// Options: `largest`, `sorted`.
    #[track_caller]
    pub fn topk_with(&self, k: usize, dim: isize, o: impl FnOnce(options::TopkOptions) -> options::TopkOptions) -> (Tensor, Tensor) {
        functions::topk_with(self, k, dim, o)
    }

    /// The `k`-th smallest element along `dim`, counted from 1, and its index.
    #[track_caller]
    pub fn kthvalue(&self, k: usize, dim: isize) -> (Tensor, Tensor) {
        functions::kthvalue(self, k, dim)
    }

    /// The `k`-th smallest element along `dim`, counted from 1, and its index.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn kthvalue_with(&self, k: usize, dim: isize, o: impl FnOnce(options::KthvalueOptions) -> options::KthvalueOptions) -> (Tensor, Tensor) {
        functions::kthvalue_with(self, k, dim, o)
    }

    /// The `k`-th smallest element along `dim`, counted from 1, and its index.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn kthvalue_keepdim(&self, k: usize, dim: isize) -> (Tensor, Tensor) {
        functions::kthvalue_keepdim(self, k, dim)
    }

    /// The index at which each value of `input` would have to be inserted to keep the last axis of
    /// `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
    /// `side`. A sequence of several axes has one line for each line of `input`.
    #[track_caller]
    pub fn searchsorted(&self, input: impl Into<Operand>) -> Tensor {
        functions::searchsorted(self, input)
    }

    /// The index at which each value of `input` would have to be inserted to keep the last axis of
    /// `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
    /// `side`. A sequence of several axes has one line for each line of `input`.
    ///
    /// Options: `out_int32`, `right`, `side`, `sorter`.
    #[track_caller]
    pub fn searchsorted_with(&self, input: impl Into<Operand>, o: impl FnOnce(options::SearchsortedOptions) -> options::SearchsortedOptions) -> Tensor {
        functions::searchsorted_with(self, input, o)
    }

    /// The index of the interval between `boundaries` in which each value lies: the number of
    /// boundaries less than it, or not greater if `right`.
    #[track_caller]
    pub fn bucketize(&self, boundaries: &Tensor) -> Tensor {
        functions::bucketize(self, boundaries)
    }

    /// The index of the interval between `boundaries` in which each value lies: the number of
    /// boundaries less than it, or not greater if `right`.
    ///
    /// Options: `out_int32`, `right`.
    #[track_caller]
    pub fn bucketize_with(&self, boundaries: &Tensor, o: impl FnOnce(options::BucketizeOptions) -> options::BucketizeOptions) -> Tensor {
        functions::bucketize_with(self, boundaries, o)
    }

    /// Whether each of `elements` is among `test_elements`, or is not if `invert`.
    #[track_caller]
    pub fn isin(&self, test_elements: impl Into<Operand>) -> Tensor {
        functions::isin(self, test_elements)
    }

    /// Whether each of `elements` is among `test_elements`, or is not if `invert`.
    ///
    /// Options: `assume_unique`, `invert`.
    #[track_caller]
    pub fn isin_with(&self, test_elements: impl Into<Operand>, o: impl FnOnce(options::IsinOptions) -> options::IsinOptions) -> Tensor {
        functions::isin_with(self, test_elements, o)
    }

}
