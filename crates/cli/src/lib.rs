//! The subcommands of `brasa`, as a library.
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

/// Prints text that may contain names from files, with control characters escaped. Fails if stdout
/// is closed.
fn print(text: impl std::fmt::Display) -> Result<(), String> {
    use std::io::Write;
    let text = text.to_string();
    let text = brasa_ir::printable(&text);
    write!(std::io::stdout(), "{text}").map_err(|error| format!("cannot print: {error}"))
}

/// Prints a message to standard error, with control characters escaped.
fn note(text: impl std::fmt::Display) {
    eprintln!("{}", brasa_ir::printable(&text.to_string()));
}
