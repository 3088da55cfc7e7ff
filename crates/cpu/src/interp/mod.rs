//! The block interpreter: runs the code of kernels a few hundred elements at a time.
mod access;
mod block;
mod prepare;
mod reduce;
mod run;
mod step;

pub(crate) use prepare::Loop;
pub(crate) use run::Memory;
