//! Training, evaluating and using a model on the GPU gives the same results as on the CPU.
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn json(folder: &Path, line: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brasa"));
    let output = command.args(line.split(' ')).current_dir(folder).output().expect("brasa starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(out.lines().last().unwrap_or_default()).expect("the last line is JSON")
}

#[test]
#[ignore = "needs an adapter"]
fn gpu_and_cpu_runs_agree() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpu");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap_or_else(|| panic!("no {key}"));
    let near = |a: f64, b: f64| (a - b).abs() < 1e-3 * (1.0 + b.abs());

    let line = "train spiral --steps 20 --hidden 16 --json";
    let there = json(&folder, &format!("{line} --device gpu --out there"));
    let here = json(&folder, &format!("{line} --device cpu --out here"));
    assert!(near(number(&there, "test_loss"), number(&here, "test_loss")), "{there} {here}");
    assert!(number(&there, "test_loss") < 1.2, "{there}");

    // A model written by one device can be read by the other.
    let seen = json(&folder, "eval there --device gpu --json");
    let same = json(&folder, "eval there --device cpu --json");
    assert!(near(number(&seen, "test_loss"), number(&same, "test_loss")), "{seen} {same}");
    let point = json(&folder, "predict there --device gpu --json 0.5 -0.2");
    assert_eq!(point["class"], json(&folder, "predict there --json 0.5 -0.2")["class"]);
    let more = json(&folder, "train spiral --steps 30 --device gpu --out there --resume --json");
    assert_eq!(more["steps"], 30);
}
