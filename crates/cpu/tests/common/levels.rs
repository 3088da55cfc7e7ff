//! Runs tests of this file again in separate processes: at other SIMD levels than the machine's,
//! or with other environment variables. AVX-512 loops are emulated if the machine lacks the
//! instructions.
use brasa_cpu::Level;
use std::process::Command;

/// Runs tests of this file again at the other levels, with fewer random cases.
pub fn run_again(tests: &[&str], cases: usize) {
    let own = format!("{:?}", Level::best()).to_lowercase();
    for level in ["baseline", "avx2", "avx512"].into_iter().filter(|level| *level != own) {
        // The JIT supports x86-64 only.
        if level != "baseline" && cfg!(not(target_arch = "x86_64")) {
            continue;
        }
        run_with(tests, &[("BRASA_LEVEL", level), ("BRASA_FUZZ", &cases.to_string())]);
    }
}

/// Runs tests of this file again with these variables.
pub fn run_with(tests: &[&str], variables: &[(&str, &str)]) {
    let file = std::env::current_exe().expect("the path of the test binary");
    let mut again = Command::new(&file);
    again.arg("--exact").args(tests).envs(variables.iter().copied());
    let output = again.output().expect("the test binary starts");
    let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let has_run = text.contains(&format!("{} passed", tests.len()));
    assert!(output.status.success() && has_run, "{variables:?}\n{text}\n{errors}");
}
