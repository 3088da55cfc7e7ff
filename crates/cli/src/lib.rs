//! What the `brasa` command does, as functions.
pub mod bench;
pub mod conformance;
pub mod data;
mod device;
pub mod devices;
pub mod explain;
pub mod studio;
pub mod train;

pub use data::DataError;
pub use device::Device;

/// Prints, and says so where nobody reads on.
fn print(text: impl std::fmt::Display) -> Result<(), String> {
    use std::io::Write;
    write!(std::io::stdout(), "{text}").map_err(|error| format!("cannot print: {error}"))
}
