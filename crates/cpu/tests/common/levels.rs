//! Tests at levels of vector instructions that are not the machine's own: these run in processes of their
//! own. Loops for AVX-512 are emulated where the machine lacks it.
use brasa_cpu::Level;
use std::process::Command;

/// Runs tests of this file again at the other levels, with fewer random cases.
pub fn run_again(tests: &[&str], cases: usize) {
    let own = format!("{:?}", Level::best()).to_lowercase();
    let file = std::env::current_exe().expect("a test runs from a file");
    for level in ["baseline", "avx2", "avx512"].into_iter().filter(|level| *level != own) {
        // Loops are made for x86 alone.
        if level != "baseline" && cfg!(not(target_arch = "x86_64")) {
            continue;
        }
        let mut again = Command::new(&file);
        again.arg("--exact").args(tests);
        again.env("BRASA_LEVEL", level).env("BRASA_FUZZ", cases.to_string());
        let output = again.output().expect("starts again");
        let [text, errors] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        let has_run = text.contains(&format!("{} passed", tests.len()));
        assert!(output.status.success() && has_run, "BRASA_LEVEL={level}\n{text}\n{errors}");
    }
}
