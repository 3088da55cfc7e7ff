//! `brasa explain`: its output for models, and its errors.
use serde_json::Value;
use std::process::{Command, Output};

fn brasa(line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brasa"));
    command.args(line.split(' ')).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.output().expect("brasa starts")
}

#[track_caller]
fn printed(line: &str) -> String {
    let output = brasa(line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn json(line: &str) -> Value {
    serde_json::from_str(&printed(line)).expect("one line of JSON")
}

fn count(of: &Value, key: &str) -> usize {
    of[key].as_array().map_or(0, Vec::len)
}

#[test]
fn all_sections_are_printed_in_order() {
    let all = json("explain spiral --json");
    let text = printed("explain spiral");
    let first = text.lines().next().unwrap_or_default();
    assert_eq!(first, "spiral mlp: a training step of 64 examples, for the CPU");
    let place = |heading: &str| text.find(&format!("\n{heading}\n")).expect(heading);
    assert!(["Graph", "Kernels", "Memory", "Code"].map(place).is_sorted());
    let within = |from: &str, to: &str| {
        text[place(from)..].split(&format!("\n{to}\n")).next().unwrap_or("").to_string()
    };
    let lines = |part: &str, start: &str| part.lines().filter(|l| l.starts_with(start)).count();
    let kernels = within("Kernels", "Memory");
    assert_eq!(lines(&kernels, "#"), count(&all, "kernels"));
    assert_eq!(lines(&kernels, "     reason "), count(&all, "kernels"));
    assert_eq!(lines(&kernels, "     nodes "), count(&all, "kernels"));
    let graph = within("Graph", "Kernels");
    assert_eq!(
        graph.lines().filter(|l| l.trim_start().starts_with('%')).count(),
        count(&all, "nodes")
    );
    // Call sites in the layers, and parameter names.
    assert!(kernels.contains("linear sequential.rs:") && kernels.contains("step "), "{kernels}");
    assert!(graph.contains("0.weight (param)") && graph.contains("input 0 (data)"), "{graph}");
    let memory = within("Memory", "Code");
    let arena = all["plan"]["buffers"].as_array().expect("buffers");
    let arena = arena.iter().filter(|buffer| buffer["place"] == "arena").count();
    assert_eq!(memory.lines().filter(|l| l.trim_start().starts_with('%')).count(), arena);
    assert!(memory.contains(" at launch #"), "{memory}");
    let tables = [kernels, graph, memory].concat();
    assert!(tables.lines().all(|line| line.chars().count() <= 100), "lines are too long");
}

#[test]
fn every_example_can_be_explained() {
    for name in ["mnist --model mlp", "mnist", "names", "vae", "W6_softmax"] {
        let all = json(&format!("explain {name} --json"));
        assert!(count(&all, "kernels") > 0, "{name}");
        let whys = all["kernels"].as_array().into_iter().flatten().map(|kernel| &kernel["why"]);
        assert!(whys.into_iter().all(|why| why.as_str().is_some_and(|why| !why.is_empty())));
    }
    let devices = json("devices --json");
    assert!(devices["cpu"]["threads"].as_u64() > Some(0) && devices["gpu"].is_array());
}

#[test]
fn sections_and_single_kernels_can_be_selected() {
    let text = printed("explain W4 --only kernels,memory");
    assert!(text.contains("\nKernels\n") && text.contains("\nMemory\n"));
    assert!(!text.contains("\nGraph\n") && !text.contains("\nCode\n"));
    let one = printed("explain W4 --kernel 0");
    assert!(one.starts_with("#0 ") && !one.contains("#1 "), "{one}");
    assert!(
        one.contains("     reads ") && one.contains("     writes ") && one.contains("%"),
        "{one}"
    );
    assert!(!one.contains("@compute"), "a listing, not a shader: {one}");
}

#[test]
fn gpu_kernels_have_shaders() {
    let all = json("explain names --batch 2 --device gpu --json");
    let kernels = all["kernels"].as_array().expect("kernels");
    let shaders = kernels.iter().filter_map(|kernel| kernel["wgsl"].as_str());
    let shaders: Vec<&str> = shaders.collect();
    assert!(!shaders.is_empty() && shaders.iter().all(|wgsl| wgsl.contains("@compute")));
    assert!(printed("explain W4 --kernel 0 --device gpu").contains("@compute"));
}

#[test]
fn a_trained_model_is_explained_with_its_own_sizes() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("explained");
    let _ = std::fs::remove_dir_all(&folder);
    printed("train spiral --steps 2 --hidden 24 --batch 16 --out explained --json");
    let all = json("explain explained --json");
    assert_eq!(all["subject"], "explained, spiral mlp: a training step of 16 examples");
    let nodes = all["nodes"].as_array().expect("nodes");
    let weight = nodes.iter().find(|node| node["name"] == "0.weight").expect("a weight");
    assert_eq!(weight["shape"], serde_json::json!([24, 2]));
    let checkpoint = json("explain explained/checkpoints/step-00000002 --json");
    assert_eq!(checkpoint["kernels"], all["kernels"].clone());
}

#[test]
fn invalid_arguments_give_one_clear_error() {
    let rows = [
        ("explain nothing", "'nothing' is neither an example nor a file"),
        ("explain mnist --model gpt", "use --model cnn or mlp"),
        ("explain W4 --model mlp", "--model requires a task"),
        ("explain W4 --batch 3", "cannot be changed"),
        ("explain W4 --kernel 99", "there is no kernel 99"),
        ("explain W4 --device reference", "use --device cpu or gpu"),
        ("explain W4 --only tea", "invalid value 'tea'"),
    ];
    for (line, words) in rows {
        let output = brasa(line);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        assert!(error.contains(words) && error.starts_with("error: "), "{line}: {error}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}
