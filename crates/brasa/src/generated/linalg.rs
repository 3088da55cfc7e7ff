//! Generated from the `linalg` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`addmm`](crate::ops::addmm).
    #[derive(Clone, Debug)]
    pub struct AddmmOptions {
        pub(crate) beta: f64,
        pub(crate) alpha: f64,
    }

    impl Default for AddmmOptions {
        fn default() -> AddmmOptions {
            AddmmOptions {
                beta: 1.0,
                alpha: 1.0,
            }
        }
    }

    impl AddmmOptions {
        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`addmv`](crate::ops::addmv).
    #[derive(Clone, Debug)]
    pub struct AddmvOptions {
        pub(crate) beta: f64,
        pub(crate) alpha: f64,
    }

    impl Default for AddmvOptions {
        fn default() -> AddmvOptions {
            AddmvOptions {
                beta: 1.0,
                alpha: 1.0,
            }
        }
    }

    impl AddmvOptions {
        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`addr`](crate::ops::addr).
    #[derive(Clone, Debug)]
    pub struct AddrOptions {
        pub(crate) beta: f64,
        pub(crate) alpha: f64,
    }

    impl Default for AddrOptions {
        fn default() -> AddrOptions {
            AddrOptions {
                beta: 1.0,
                alpha: 1.0,
            }
        }
    }

    impl AddrOptions {
        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`baddbmm`](crate::ops::baddbmm).
    #[derive(Clone, Debug)]
    pub struct BaddbmmOptions {
        pub(crate) beta: f64,
        pub(crate) alpha: f64,
    }

    impl Default for BaddbmmOptions {
        fn default() -> BaddbmmOptions {
            BaddbmmOptions {
                beta: 1.0,
                alpha: 1.0,
            }
        }
    }

    impl BaddbmmOptions {
        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`addbmm`](crate::ops::addbmm).
    #[derive(Clone, Debug)]
    pub struct AddbmmOptions {
        pub(crate) beta: f64,
        pub(crate) alpha: f64,
    }

    impl Default for AddbmmOptions {
        fn default() -> AddbmmOptions {
            AddbmmOptions {
                beta: 1.0,
                alpha: 1.0,
            }
        }
    }

    impl AddbmmOptions {
        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`bilinear`](crate::ops::bilinear).
    #[derive(Clone, Debug)]
    pub struct BilinearOptions {
        pub(crate) bias: Option<Tensor>,
    }

    impl Default for BilinearOptions {
        fn default() -> BilinearOptions {
            BilinearOptions {
                bias: None,
            }
        }
    }

    impl BilinearOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Matrix product of `input` and `other`, over the last axis of `input` and the second last of
    /// `other`. Leading axes broadcast; a vector counts as a row on the left and as a column on the
    /// right, and that axis is removed from the result.
    #[track_caller]
    pub fn matmul(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("matmul", |scope| scope.leave(compose::matmul(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Product of two matrices, without broadcasting.
    #[track_caller]
    pub fn mm(input: &Tensor, mat2: &Tensor) -> Tensor {
        input.settle();
        mat2.settle();
        record("mm", |scope| scope.leave(compose::mm(scope.g, input.enter(scope), mat2.enter(scope))))
    }

    /// Batched matrix product of two tensors of three axes.
    #[track_caller]
    pub fn bmm(input: &Tensor, mat2: &Tensor) -> Tensor {
        input.settle();
        mat2.settle();
        record("bmm", |scope| scope.leave(compose::bmm(scope.g, input.enter(scope), mat2.enter(scope))))
    }

    /// Product of a matrix and a vector.
    #[track_caller]
    pub fn mv(input: &Tensor, vec: &Tensor) -> Tensor {
        input.settle();
        vec.settle();
        record("mv", |scope| scope.leave(compose::mv(scope.g, input.enter(scope), vec.enter(scope))))
    }

    /// Inner product of two vectors.
    #[track_caller]
    pub fn dot(input: &Tensor, tensor: &Tensor) -> Tensor {
        input.settle();
        tensor.settle();
        record("dot", |scope| scope.leave(compose::dot(scope.g, input.enter(scope), tensor.enter(scope))))
    }

    /// Outer product of two vectors: `y[i, j] = input[i] · vec2[j]`.
    #[track_caller]
    pub fn outer(input: &Tensor, vec2: &Tensor) -> Tensor {
        input.settle();
        vec2.settle();
        record("outer", |scope| scope.leave(compose::outer(scope.g, input.enter(scope), vec2.enter(scope))))
    }

    /// `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
    #[track_caller]
    pub fn addmm(input: &Tensor, mat1: &Tensor, mat2: &Tensor) -> Tensor {
        addmm_with(input, mat1, mat2, |o| o)
    }

    /// `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addmm_with(input: &Tensor, mat1: &Tensor, mat2: &Tensor, o: impl FnOnce(options::AddmmOptions) -> options::AddmmOptions) -> Tensor {
        let o = o(options::AddmmOptions::default());
        input.settle();
        mat1.settle();
        mat2.settle();
        record("addmm", |scope| scope.leave(compose::addmm(scope.g, input.enter(scope), mat1.enter(scope), mat2.enter(scope), o.beta, o.alpha)))
    }

    /// `beta · input + alpha · (mat @ vec)`.
    #[track_caller]
    pub fn addmv(input: &Tensor, mat: &Tensor, vec: &Tensor) -> Tensor {
        addmv_with(input, mat, vec, |o| o)
    }

    /// `beta · input + alpha · (mat @ vec)`.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addmv_with(input: &Tensor, mat: &Tensor, vec: &Tensor, o: impl FnOnce(options::AddmvOptions) -> options::AddmvOptions) -> Tensor {
        let o = o(options::AddmvOptions::default());
        input.settle();
        mat.settle();
        vec.settle();
        record("addmv", |scope| scope.leave(compose::addmv(scope.g, input.enter(scope), mat.enter(scope), vec.enter(scope), o.beta, o.alpha)))
    }

    /// `beta · input + alpha · outer(vec1, vec2)`.
    #[track_caller]
    pub fn addr(input: &Tensor, vec1: &Tensor, vec2: &Tensor) -> Tensor {
        addr_with(input, vec1, vec2, |o| o)
    }

    /// `beta · input + alpha · outer(vec1, vec2)`.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addr_with(input: &Tensor, vec1: &Tensor, vec2: &Tensor, o: impl FnOnce(options::AddrOptions) -> options::AddrOptions) -> Tensor {
        let o = o(options::AddrOptions::default());
        input.settle();
        vec1.settle();
        vec2.settle();
        record("addr", |scope| scope.leave(compose::addr(scope.g, input.enter(scope), vec1.enter(scope), vec2.enter(scope), o.beta, o.alpha)))
    }

    /// `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
    #[track_caller]
    pub fn baddbmm(input: &Tensor, batch1: &Tensor, batch2: &Tensor) -> Tensor {
        baddbmm_with(input, batch1, batch2, |o| o)
    }

    /// `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn baddbmm_with(input: &Tensor, batch1: &Tensor, batch2: &Tensor, o: impl FnOnce(options::BaddbmmOptions) -> options::BaddbmmOptions) -> Tensor {
        let o = o(options::BaddbmmOptions::default());
        input.settle();
        batch1.settle();
        batch2.settle();
        record("baddbmm", |scope| scope.leave(compose::baddbmm(scope.g, input.enter(scope), batch1.enter(scope), batch2.enter(scope), o.beta, o.alpha)))
    }

    /// `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
    #[track_caller]
    pub fn addbmm(input: &Tensor, batch1: &Tensor, batch2: &Tensor) -> Tensor {
        addbmm_with(input, batch1, batch2, |o| o)
    }

    /// `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addbmm_with(input: &Tensor, batch1: &Tensor, batch2: &Tensor, o: impl FnOnce(options::AddbmmOptions) -> options::AddbmmOptions) -> Tensor {
        let o = o(options::AddbmmOptions::default());
        input.settle();
        batch1.settle();
        batch2.settle();
        record("addbmm", |scope| scope.leave(compose::addbmm(scope.g, input.enter(scope), batch1.enter(scope), batch2.enter(scope), o.beta, o.alpha)))
    }

    /// A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
    #[track_caller]
    pub fn linear<'a>(input: &Tensor, weight: &Tensor, bias: impl Into<Option<&'a Tensor>>) -> Tensor {
        let bias: Option<Tensor> = bias.into().cloned();
        input.settle();
        weight.settle();
        bias.settle();
        record("linear", |scope| scope.leave(compose::linear(scope.g, input.enter(scope), weight.enter(scope), bias.enter(scope))))
    }

    /// A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
    #[track_caller]
    pub fn bilinear(input1: &Tensor, input2: &Tensor, weight: &Tensor) -> Tensor {
        bilinear_with(input1, input2, weight, |o| o)
    }

    /// A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
    ///
    /// Options: `bias`.
    #[track_caller]
    pub fn bilinear_with(input1: &Tensor, input2: &Tensor, weight: &Tensor, o: impl FnOnce(options::BilinearOptions) -> options::BilinearOptions) -> Tensor {
        let o = o(options::BilinearOptions::default());
        input1.settle();
        input2.settle();
        weight.settle();
        o.bias.settle();
        record("bilinear", |scope| scope.leave(compose::bilinear(scope.g, input1.enter(scope), input2.enter(scope), weight.enter(scope), o.bias.enter(scope))))
    }

    /// Kronecker product: a block matrix of each element of `input` times `other`.
    #[track_caller]
    pub fn kron(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("kron", |scope| scope.leave(compose::kron(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Cross product of vectors of length three along `dim`, by default the first axis of length three.
    #[track_caller]
    pub fn cross(input: &Tensor, other: &Tensor, dim: impl IntoDim) -> Tensor {
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        other.settle();
        record("cross", |scope| scope.leave(compose::cross(scope.g, input.enter(scope), other.enter(scope), dim)))
    }

    /// Product of a chain of matrices, in the order with the fewest multiplications. The first and
    /// the last may be vectors.
    #[track_caller]
    pub fn multi_dot(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("multi_dot", |scope| scope.leave(compose::multi_dot(scope.g, tensors.enter(scope))))
    }

    /// The `n`-th power of a square matrix; the identity for `n` zero.
    #[track_caller]
    pub fn matrix_power(input: &Tensor, n: i64) -> Tensor {
        input.settle();
        record("matrix_power", |scope| scope.leave(compose::matrix_power(scope.g, input.enter(scope), n)))
    }
}

impl Tensor {
    /// Matrix product of `input` and `other`, over the last axis of `input` and the second last of
    /// `other`. Leading axes broadcast; a vector counts as a row on the left and as a column on the
    /// right, and that axis is removed from the result.
    #[track_caller]
    pub fn matmul(&self, other: &Tensor) -> Tensor {
        functions::matmul(self, other)
    }

    /// Another name for [`matmul`](Tensor::matmul).
    #[track_caller]
    pub fn matmul_batched(&self, other: &Tensor) -> Tensor {
        functions::matmul(self, other)
    }

    /// Product of two matrices, without broadcasting.
    #[track_caller]
    pub fn mm(&self, mat2: &Tensor) -> Tensor {
        functions::mm(self, mat2)
    }

    /// Batched matrix product of two tensors of three axes.
    #[track_caller]
    pub fn bmm(&self, mat2: &Tensor) -> Tensor {
        functions::bmm(self, mat2)
    }

    /// Product of a matrix and a vector.
    #[track_caller]
    pub fn mv(&self, vec: &Tensor) -> Tensor {
        functions::mv(self, vec)
    }

    /// Inner product of two vectors.
    #[track_caller]
    pub fn dot(&self, tensor: &Tensor) -> Tensor {
        functions::dot(self, tensor)
    }

    /// Another name for [`dot`](Tensor::dot).
    #[track_caller]
    pub fn vdot(&self, tensor: &Tensor) -> Tensor {
        functions::dot(self, tensor)
    }

    /// Outer product of two vectors: `y[i, j] = input[i] · vec2[j]`.
    #[track_caller]
    pub fn outer(&self, vec2: &Tensor) -> Tensor {
        functions::outer(self, vec2)
    }

    /// Another name for [`outer`](Tensor::outer).
    #[track_caller]
    pub fn ger(&self, vec2: &Tensor) -> Tensor {
        functions::outer(self, vec2)
    }

    /// `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
    #[track_caller]
    pub fn addmm(&self, mat1: &Tensor, mat2: &Tensor) -> Tensor {
        functions::addmm(self, mat1, mat2)
    }

    /// `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addmm_with(&self, mat1: &Tensor, mat2: &Tensor, o: impl FnOnce(options::AddmmOptions) -> options::AddmmOptions) -> Tensor {
        functions::addmm_with(self, mat1, mat2, o)
    }

    /// `beta · input + alpha · (mat @ vec)`.
    #[track_caller]
    pub fn addmv(&self, mat: &Tensor, vec: &Tensor) -> Tensor {
        functions::addmv(self, mat, vec)
    }

    /// `beta · input + alpha · (mat @ vec)`.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addmv_with(&self, mat: &Tensor, vec: &Tensor, o: impl FnOnce(options::AddmvOptions) -> options::AddmvOptions) -> Tensor {
        functions::addmv_with(self, mat, vec, o)
    }

    /// `beta · input + alpha · outer(vec1, vec2)`.
    #[track_caller]
    pub fn addr(&self, vec1: &Tensor, vec2: &Tensor) -> Tensor {
        functions::addr(self, vec1, vec2)
    }

    /// `beta · input + alpha · outer(vec1, vec2)`.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addr_with(&self, vec1: &Tensor, vec2: &Tensor, o: impl FnOnce(options::AddrOptions) -> options::AddrOptions) -> Tensor {
        functions::addr_with(self, vec1, vec2, o)
    }

    /// `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
    #[track_caller]
    pub fn baddbmm(&self, batch1: &Tensor, batch2: &Tensor) -> Tensor {
        functions::baddbmm(self, batch1, batch2)
    }

    /// `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn baddbmm_with(&self, batch1: &Tensor, batch2: &Tensor, o: impl FnOnce(options::BaddbmmOptions) -> options::BaddbmmOptions) -> Tensor {
        functions::baddbmm_with(self, batch1, batch2, o)
    }

    /// `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
    #[track_caller]
    pub fn addbmm(&self, batch1: &Tensor, batch2: &Tensor) -> Tensor {
        functions::addbmm(self, batch1, batch2)
    }

    /// `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
    ///
    /// Options: `beta`, `alpha`.
    #[track_caller]
    pub fn addbmm_with(&self, batch1: &Tensor, batch2: &Tensor, o: impl FnOnce(options::AddbmmOptions) -> options::AddbmmOptions) -> Tensor {
        functions::addbmm_with(self, batch1, batch2, o)
    }

    /// A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
    #[track_caller]
    pub fn linear<'a>(&self, weight: &Tensor, bias: impl Into<Option<&'a Tensor>>) -> Tensor {
        functions::linear(self, weight, bias)
    }

    /// A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
    #[track_caller]
    pub fn bilinear(&self, input2: &Tensor, weight: &Tensor) -> Tensor {
        functions::bilinear(self, input2, weight)
    }

    /// A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
    ///
    /// Options: `bias`.
    #[track_caller]
    pub fn bilinear_with(&self, input2: &Tensor, weight: &Tensor, o: impl FnOnce(options::BilinearOptions) -> options::BilinearOptions) -> Tensor {
        functions::bilinear_with(self, input2, weight, o)
    }

    /// Kronecker product: a block matrix of each element of `input` times `other`.
    #[track_caller]
    pub fn kron(&self, other: &Tensor) -> Tensor {
        functions::kron(self, other)
    }

    /// Cross product of vectors of length three along `dim`, by default the first axis of length three.
    #[track_caller]
    pub fn cross(&self, other: &Tensor, dim: impl IntoDim) -> Tensor {
        functions::cross(self, other, dim)
    }

    /// The `n`-th power of a square matrix; the identity for `n` zero.
    #[track_caller]
    pub fn matrix_power(&self, n: i64) -> Tensor {
        functions::matrix_power(self, n)
    }

}
