//! Writes the JavaScript around a wasm file: `xtask-bindgen INPUT.wasm OUTPUT-FOLDER NAME`.
//! A program of its own, since the library behind it takes longer to build than all of `cargo x`.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [input, folder, name] = arguments.as_slice() else {
        eprintln!("usage: xtask-bindgen INPUT.wasm OUTPUT-FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).out_name(name).typescript(true).omit_default_module_path(true);
    let written = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{input}: {problem:#}");
            ExitCode::FAILURE
        }
    }
}
