//! Generates the JavaScript that loads a wasm file. A separate program, since wasm-bindgen's library takes
//! longer to build than all of `cargo x`.

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: xtask-wasm INPUT.wasm OUTPUT-FOLDER NAME";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let [input, folder, name] = arguments else { bail!(USAGE) };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).out_name(name).typescript(true).omit_default_module_path(true);
    bindgen.web(true)?.generate(folder)
}
