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

/// Prints what may hold names from files, and says so where nobody reads on.
fn print(text: impl std::fmt::Display) -> Result<(), String> {
    use std::io::Write;
    let text = text.to_string();
    let text = brasa_ir::printable(&text);
    write!(std::io::stdout(), "{text}").map_err(|error| format!("cannot print: {error}"))
}

/// Tells a person something, on standard error.
fn note(text: impl std::fmt::Display) {
    eprintln!("{}", brasa_ir::printable(&text.to_string()));
}
