//! Work on wasm files. A program of its own, since the libraries behind it take longer to build than
//! all of `cargo x`.

mod pack;
mod split;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: xtask-wasm bindgen INPUT.wasm OUTPUT-FOLDER NAME
       xtask-wasm watch INPUT.wasm OUTPUT.wasm
       xtask-wasm split INPUT.wasm SEEN BUILD FIRST.wasm REST.wasm
       xtask-wasm pack INPUT.wasm OUTPUT.wasm";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match *arguments {
        ["bindgen", input, folder, name] => bindgen(input, folder, name),
        ["watch", input, output] => split::watch(input, output),
        ["pack", input, output] => pack::pack(input, output),
        ["split", input, seen, build, first, rest] => split::split(input, seen, build, first, rest),
        _ => bail!(USAGE),
    }
}

/// Writes the JavaScript around a wasm file.
fn bindgen(input: &str, folder: &str, name: &str) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).out_name(name).typescript(true).omit_default_module_path(true);
    bindgen.web(true)?.generate(folder)
}
