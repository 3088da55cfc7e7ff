//! Tests of this file once more in processes of their own: at levels of vector instructions that are not the
//! machine's own, or with other variables. Loops for AVX-512 are emulated where the machine lacks it.
use brasa_cpu::Level;
use std::process::Command;

/// Runs tests of this file again at the other levels, with fewer random cases.
pub fn run_again(tests: &[&str], cases: usize) {
    let own = format!("{:?}", Level::best()).to_lowercase();
    for level in ["baseline", "avx2", "avx512"].into_iter().filter(|level| *level != own) {
        // Loops are made for x86 alone.
        if level != "baseline" && cfg!(not(target_arch = "x86_64")) {
            continue;
        }
        run_with(tests, &[("BRASA_LEVEL", level), ("BRASA_FUZZ", &cases.to_string())]);
    }
}

/// Runs tests of this file again with these variables.
pub fn run_with(tests: &[&str], variables: &[(&str, &str)]) {
    let file = std::env::current_exe().expect("a test runs from a file");
    let mut again = Command::new(&file);
    again.arg("--exact").args(tests).envs(variables.iter().copied());
    let output = again.output().expect("starts again");
    let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let has_run = text.contains(&format!("{} passed", tests.len()));
    assert!(output.status.success() && has_run, "{variables:?}\n{text}\n{errors}");
}
