//! What the `brasa` command does, as functions.
pub mod bench;
pub mod conformance;
pub mod data;
mod device;
pub mod devices;

pub use data::DataError;
pub use device::Device;
