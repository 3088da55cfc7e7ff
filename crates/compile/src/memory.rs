//! Stage of memory: the buffers of kernels in execution order, their lifetimes and offsets in the
//! arena, and memory budgets.
pub(crate) mod budget;
pub(crate) mod pack;
pub mod plan;
