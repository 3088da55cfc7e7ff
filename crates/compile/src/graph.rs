//! Stage of graphs: differentiation and simplification. Knows nothing of kernels.
pub(crate) mod grad;
pub(crate) mod index_check;
pub(crate) mod prepared;
pub(crate) mod simplify;
