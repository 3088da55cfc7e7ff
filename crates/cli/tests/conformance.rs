//! `brasa conformance` on small directories written by the tests.
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of cases.
struct Fixture {
    dir: PathBuf,
}

impl Fixture {
    fn new(name: &str) -> Fixture {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&dir).unwrap();
        Fixture { dir }
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.dir.join(file), bytes).unwrap();
    }

    /// Writes an index with these cases, and the tensors `x`, `y` and their sum of shape `[2]`, and
    /// `large` integers with their `squares`.
    fn index(&self, index: Value) {
        let mut index = index;
        index["format"] = json!("torch-ops-conformance/1");
        index["tensors_file"] = json!("t.safetensors");
        self.write("index.json", index.to_string());
        let tensors =
            [("x", [1f32, 2.0]), ("y", [3.0, 5.0]), ("sum", [4.0, 7.0]), ("ones", [1.0, 1.0])];
        let bytes = |x: [f32; 2]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let floats = tensors.map(|(name, x)| (name, Dtype::F32, bytes(x)));
        let integers = [("large", [100_000i64, 3]), ("squares", [10_000_000_000, 9])];
        let bytes = |x: [i64; 2]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let integers = integers.map(|(name, x)| (name, Dtype::I64, bytes(x)));
        let views = floats.iter().chain(&integers).map(|(name, dtype, bytes)| {
            (*name, TensorView::new(*dtype, vec![2], bytes).expect("bytes of two numbers"))
        });
        self.write("t.safetensors", safetensors::serialize(views, None).unwrap());
    }

    /// Runs the command, which must exit with `code`.
    fn run(&self, args: &[&str], code: i32) -> Output {
        run(&self.dir, args, code)
    }

    fn report(&self, args: &[&str], code: i32) -> Value {
        let output = self.run(&[&["--json"], args].concat(), code);
        serde_json::from_slice(&output.stdout).expect("the report is JSON")
    }

    /// The error for an invalid directory.
    fn error(&self) -> String {
        let output = self.run(&[], 2);
        String::from_utf8(output.stderr).unwrap()
    }
}

fn run(dir: &Path, args: &[&str], code: i32) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brasa"));
    let output = command.arg("conformance").arg(dir).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    output
}

/// The case `op(x, other)` with the expected result `want`.
fn case(id: &str, op: &str, want: &str) -> Value {
    let tensor = |key: &str| json!({"key": key, "shape": [2], "dtype": "float32"});
    json!({
        "id": id,
        "op": op,
        "args": [
            {"name": "input", "tensor": tensor("x"), "requires_grad": true},
            {"name": "other", "tensor": tensor("y"), "requires_grad": true},
        ],
        "outputs": [tensor(want)],
        "cotangents": [tensor("y")],
        "grads": {"input": tensor("y"), "other": tensor("y")},
        "rtol": 1e-5,
        "atol": 1e-6,
    })
}

#[test]
fn cases_that_agree_pass() {
    let fixture = Fixture::new("agree");
    let mut positional = case("by position", "add", "sum");
    positional["args"] = json!([{"tensor": {"key": "x"}}, {"tensor": {"key": "y"}}]);
    positional["kwargs"] = json!({"device": {"value": "cpu"}});
    positional["grads"] = json!({"0": {"key": "y"}, "1": {"key": "y"}});
    let expression = json!({
        "id": "expression",
        "expr": "(torch.relu(x) + y * 2.0 - y) / 1 ** 2",
        "args": [{"name": "x", "tensor": {"key": "x"}}, {"name": "y", "tensor": {"key": "y"}}],
        "outputs": [{"key": "sum"}],
        "grads": {"x": {"key": "ones"}, "y": {"key": "ones"}},
        "rtol": 1e-5,
        "atol": 1e-6,
    });
    let sample = |values: [f64; 3], sum_abs: f64| {
        json!({
            "shape": [3], "flat_indices": [0, 1, 2], "values": values, "sum_abs": sum_abs,
        })
    };
    let large = json!({
        "id": "generated",
        "op": "torch.neg",
        "args": [{"name": "input", "generated": {"shape": [3], "seed": 7}}],
        "cotangent": {"generated": {"shape": [3], "seed": 8}},
        "outputs": [sample([0.05675947666168213, -0.9447352886199951, 0.05637562274932861], 1.0578703880310059)],
        "grads": {"input": sample([-0.6889784336090088, 0.29092276096343994, 0.845425009727478], 1.8253262042999268)},
        "rtol": 1e-6,
        "atol": 1e-6,
    });
    let cases = [case("by name", "torch.add", "sum"), positional];
    fixture.index(json!({"cases": cases, "exprs": [expression], "large": [large]}));
    let report = fixture.report(&[], 0);
    assert_eq!((&report["cases"], &report["passed"]), (&json!(4), &json!(4)), "{report}");
    assert_eq!(
        report["ops"]["torch.add"],
        json!({
            "passed": 1, "failed": 0, "unsupported": 0, "worst": 0.0
        })
    );
    assert_eq!(fixture.report(&["--filter", "by pos"], 0)["cases"], json!(1));
}

#[test]
fn failures_and_missing_ops_are_distinguished() {
    let fixture = Fixture::new("differ");
    let mut wrong_type = case("type", "torch.lt", "sum");
    wrong_type["cotangents"] = json!([]);
    wrong_type["grads"] = json!({});
    fixture.index(json!({"cases": [
        case("good", "torch.add", "sum"),
        case("bad", "torch.mul", "sum"),
        wrong_type,
        case("missing", "torch.no_such_op", "sum"),
    ]}));
    let report = fixture.report(&[], 1);
    assert_eq!((&report["passed"], &report["failed"]), (&json!(1), &json!(2)), "{report}");
    assert_eq!(report["unsupported"], json!(1));
    let why = |n: usize| report["failures"][n]["why"].as_str().unwrap();
    assert!(why(0).contains("output 0 [1]: got 10, expected 7"), "{}", why(0));
    assert!(why(0).contains("gradient of input"), "{}", why(0));
    assert_eq!(why(1), "output 0 is bool[2], expected f32[2]");
    assert_eq!(why(2), "unsupported: there is no op 'no_such_op'");

    fixture.run(&["--min-pass", "25"], 0);
    fixture.run(&["--min-pass", "26"], 1);
    // Cases that fail on both devices do not count.
    fixture.run(&["--device", "cpu", "--as-good-as", "reference"], 0);
    let output = fixture.run(&["--verbose"], 1);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("! torch.lt"), "{text}");
    assert!(text.ends_with("1 passed, 2 failed, 1 unsupported\n"), "{text}");
}

/// The GPU stores i64 in 32 bits, too few for the square of a large number.
#[test]
#[ignore = "needs an adapter"]
fn cases_that_pass_on_another_device_are_listed() {
    let fixture = Fixture::new("worse");
    let tensor = |key: &str| json!({"key": key, "shape": [2], "dtype": "int64"});
    let squares = json!({
        "id": "squares",
        "op": "torch.mul",
        "args": [{"name": "input", "tensor": tensor("large")}, {"name": "other", "tensor": tensor("large")}],
        "outputs": [tensor("squares")],
        "rtol": 0.0,
        "atol": 0.0,
    });
    let bad = case("bad", "torch.mul", "sum");
    fixture.index(json!({"cases": [case("good", "torch.add", "sum"), bad.clone(), squares]}));
    let report = fixture.report(&["--device", "gpu", "--as-good-as", "reference"], 1);
    assert_eq!((&report["failed"], &report["worse"]), (&json!(2), &json!(["squares"])), "{report}");
    fixture.index(json!({"cases": [case("good", "torch.add", "sum"), bad]}));
    fixture.run(&["--device", "gpu", "--as-good-as", "reference"], 0);
}

#[test]
fn invalid_files_are_named() {
    let fixture = Fixture::new("bad");
    let expect = |what: &[&str]| {
        let error = fixture.error();
        assert_eq!(error.lines().count(), 1, "{error}");
        what.iter().for_each(|part| assert!(error.contains(part), "{error}"));
    };
    fixture.index(json!({"cases": [case("a", "torch.add", "sum")]}));
    let tensors = std::fs::read(fixture.dir.join("t.safetensors")).unwrap();
    let index = std::fs::read_to_string(fixture.dir.join("index.json")).unwrap();

    fixture.write("t.safetensors", &tensors[..tensors.len() - 4]);
    expect(&["t.safetensors"]);
    fixture.write("t.safetensors", &tensors[..5]);
    expect(&["t.safetensors"]);
    let text = String::from_utf8_lossy(&tensors).replace("[0,8]", "[0,9]");
    fixture.write("t.safetensors", text);
    expect(&["t.safetensors"]);
    fixture.write("t.safetensors", &tensors);

    fixture.write("index.json", index.replace("\"shape\":[2]", "\"shape\":[3]"));
    expect(&["index.json", "case 'a'", "tensor 'x' is f32[2], not float32[3]"]);
    fixture.write("index.json", index.replace("\"key\":\"x\"", "\"key\":\"z\""));
    expect(&["t.safetensors", "case 'a'", "no tensor 'z'"]);
    fixture.write("index.json", index.replace("\"rtol\"", "\"tolr\""));
    expect(&["index.json", "rtol", "line 1"]);
    fixture.write("index.json", &index[..index.len() / 2]);
    expect(&["index.json", "line 1"]);
    fixture.write("index.json", index.replace("conformance/1", "conformance/9"));
    expect(&["index.json", "torch-ops-conformance/9"]);
    fixture.write("index.json", index.replace("t.safetensors", "none.safetensors"));
    expect(&["none.safetensors"]);
    std::fs::remove_file(fixture.dir.join("index.json")).unwrap();
    expect(&["index.json"]);
    run(&fixture.dir.join("nowhere"), &[], 2);
}

/// Replays the PyTorch results in the repository.
fn sample_passes(device: &str) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    for (folder, cases) in [("ops", 142), ("traces", 4)] {
        let output = run(&sample.join(folder), &["--device", device, "--json"], 0);
        let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
        assert_eq!(report["passed"], json!(cases), "{folder}");
    }
}

#[test]
fn a_sample_of_pytorch_passes_on_the_reference_device() {
    sample_passes("reference");
}

#[test]
fn a_sample_of_pytorch_passes_on_the_cpu() {
    sample_passes("cpu");
}

#[test]
#[ignore = "needs an adapter"]
fn a_sample_of_pytorch_passes_on_the_gpu() {
    sample_passes("gpu");
}

/// A module case with input `x`, without expected results.
fn module(name: &str, init: Value) -> Value {
    json!({
        "id": name, "module": format!("torch.nn.{name}"), "init": init, "mode": "train", "state": {},
        "args": [{"name": "input", "tensor": {"key": "x"}}], "outputs": [{"key": "x"}],
        "rtol": 1e-5, "atol": 1e-6,
    })
}

#[test]
fn unsupported_settings_are_named() {
    let fixture = Fixture::new("unknown");
    let mut masked = module("Identity", json!({}));
    masked["call_kwargs"] = json!({"mask": {"tensor": {"key": "y"}}});
    let modules = [
        module("ReLU", json!({"inplace": true})),
        module("NoSuchLayer", json!({})),
        module("ReLU", json!({"slope": 0.5})),
        module("Linear", json!({"in_features": 2})),
        module("Linear", json!({"in_features": 2, "out_features": 1, "sparse": true})),
        module("LSTM", json!({"input_size": 2, "hidden_size": 2, "proj_size": 1})),
        masked,
    ];
    fixture.index(json!({"cases": [], "modules": modules}));
    let report = fixture.report(&[], 1);
    assert_eq!((&report["cases"], &report["passed"]), (&json!(7), &json!(1)), "{report}");
    let wants = [
        "unknown module 'NoSuchLayer'",
        "ReLU with slope = 0.5",
        "torch.nn.Linear: out_features is missing",
        "torch.nn.Linear with sparse = true",
        "torch.nn.LSTM with proj_size",
        "mask",
    ];
    for (n, want) in wants.iter().enumerate() {
        let why = report["failures"][n]["why"].as_str().unwrap();
        assert!(why.contains(want), "{why}");
    }
}

#[test]
fn unknown_models_are_named() {
    let fixture = Fixture::new("models");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/traces");
    std::fs::copy(sample.join("mlp.safetensors"), fixture.dir.join("mlp.safetensors")).unwrap();
    let text = std::fs::read_to_string(sample.join("mlp.json")).unwrap();
    for (from, to, want) in [
        ("relu", "maxout", "unsupported: the model \"logits = fc3(maxout("),
        ("cross_entropy", "hinge_loss", "unsupported: the loss torch.nn.functional.hinge_loss"),
        ("optim.SGD", "optim.Nonsense", "unsupported: torch.optim.Nonsense"),
        ("\"dampening\": 0", "\"maximize\": true", "unsupported: torch.optim.SGD with maximize"),
        ("\"lr\": 0.05", "\"lr\": 0.06", "sgd_momentum.final.fc1.weight"),
    ] {
        assert!(text.contains(from), "{from}");
        fixture.write("mlp.json", text.replace(from, to));
        let report = fixture.report(&["--filter", "sgd"], 1);
        let why = report["failures"][0]["why"].as_str().unwrap();
        assert!(why.contains(want), "{why}");
    }
}
