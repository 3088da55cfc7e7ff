//! The output of `brasa bench`, with short measurements.
use serde_json::Value;
use std::process::{Command, Output};

fn brasa(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brasa"));
    command.arg("bench").args(arguments);
    command.env("BENCH_SECONDS", "0.01").env("BENCH_WARM", "0").env("BENCH_THREADS", "2");
    command.env_remove("BENCH_T0");
    command.output().expect("brasa starts")
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = brasa(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).expect("one line of JSON")
}

#[test]
fn a_workload_is_one_line_of_the_protocol() {
    let line = json(&["W4", "--json"]);
    assert_eq!((&line["workload"], &line["peer"]), (&"W4".into(), &"brasa".into()));
    assert_eq!(line["version"], env!("CARGO_PKG_VERSION"));
    let number = |key: &str| line[key].as_f64().unwrap_or_else(|| panic!("no {key}"));
    assert!(0.0 < number("ms_min") && number("ms_min") <= number("ms_median"));
    assert!(number("first_step_ms") > 0.0);
    assert!(number("n") >= 5.0 && number("block") >= 1.0);
    assert!(line["cold_start_ms"].is_null(), "the launch time was not given");
}

/// The losses of PyTorch 2.15 for the same data and weights at steps 1 and 10.
#[test]
fn losses_equal_those_of_pytorch() {
    let line = json(&["W4"]);
    for (key, want) in [("check_first", 0.360_825_87), ("check_10", 0.326_009_93)] {
        let got = line[key].as_f64().expect("a number");
        assert!((got - want).abs() < 1e-5 * want, "{key} is {got}, not {want}");
    }
}

#[test]
fn a_profile_has_every_kernel_and_adds_up() {
    let profile = json(&["W4", "--profile", "--json"]);
    let kernels = profile["kernels"].as_array().expect("a list");
    assert_eq!(kernels.len() as u64, json(&["W4"])["kernels"].as_u64().expect("a number"));
    let total: f64 = kernels.iter().map(|k| k["us"].as_f64().expect("a number")).sum();
    let total_ms = profile["kernels_ms"].as_f64().expect("a number");
    assert!((total / 1e3 - total_ms).abs() < 1e-9 * total_ms);
    let launches: Vec<u64> = kernels.iter().filter_map(|k| k["launch"].as_u64()).collect();
    assert_eq!(launches, (0..kernels.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_profile_by_time_and_by_group() {
    let profile = json(&["W4", "--profile", "time", "--group", "--json"]);
    let kernels = profile["kernels"].as_array().expect("a list");
    let numbers = |key: &str| kernels.iter().filter_map(|k| k[key].as_f64()).collect::<Vec<_>>();
    assert!(numbers("us").is_sorted_by(|a, b| a >= b), "{:?}", numbers("us"));
    let all = json(&["W4", "--profile", "--json"]);
    let all = all["kernels"].as_array().expect("a list");
    assert_eq!(numbers("count").iter().sum::<f64>(), all.len() as f64);
    let sum = |kernels: &[Value], key: &str| -> f64 {
        kernels.iter().filter_map(|k| k[key].as_f64()).sum()
    };
    for key in ["flops", "bytes"] {
        assert_eq!(sum(kernels, key), sum(all, key), "{key}");
    }
}

#[test]
fn a_profile_as_text_names_the_kernels() {
    let text = printed(&["W4", "--profile"]);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    assert!(lines[0].starts_with("W4: ") && lines[0].contains(" kernels, total "), "{text}");
    assert!(lines[1].starts_with("machine: 2 threads, "), "{text}");
    assert!(lines[2].trim_start().starts_with('#') && lines[2].ends_with("kernel"), "{text}");
    assert!(lines[3..].iter().any(|l| l.ends_with("contract+ [32, 2] [2, 16] -> [32, 16]")));
}

#[test]
fn an_unknown_workload_is_an_error_before_anything_runs() {
    let output = brasa(&["W4", "W7"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.starts_with("error: unknown workload 'W7', expected one of W1, "), "{errors}");
}

/// Each dispatch has a fixed cost of some microseconds on a GPU.
#[test]
fn training_steps_take_few_dispatches() {
    for (workload, most) in [("W1", 16), ("W2", 30), ("W3", 130)] {
        let text = printed(&[workload, "--explain", "--device", "gpu"]);
        let dispatches = text.lines().filter(|line| line.starts_with("// #")).count();
        assert!(0 < dispatches && dispatches <= most, "{workload}: {dispatches} dispatches");
        assert!(!text.contains("runs on the CPU"), "{workload} has ops without a shader");
    }
}
