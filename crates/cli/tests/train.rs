//! `brasa train`, `eval`, `predict`, `inspect` and `fetch` as processes.
use brasa::Tensor;
use brasa::io::Safetensors;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BRASA: &str = env!("CARGO_BIN_EXE_brasa");

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("train").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(BRASA);
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    command.env("BRASA_CACHE", folder.join("cache")).env("BRASA_THREADS", "1");
    command
}

fn run(folder: &Path, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must succeed; returns the last line of its output as JSON.
#[track_caller]
fn json(folder: &Path, line: &str) -> Value {
    let output = run(folder, line);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    let out = text(&output.stdout);
    serde_json::from_str(out.lines().last().unwrap_or_default()).unwrap()
}

/// Runs a command that must fail with this exit code and one error message with these words.
#[track_caller]
fn fails(folder: &Path, line: &str, code: i32, words: &str) {
    let output = run(folder, line);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{line}: {error}");
    assert!(error.contains(words) && !error.contains("panicked"), "{line}: {error}");
    let errors = error.lines().filter(|line| line.starts_with("error:")).count();
    assert_eq!(errors, 1, "{line}: {error}");
    assert!(output.stdout.is_empty(), "{line}: {}", text(&output.stdout));
}

#[test]
fn a_spiral_is_learnt_measured_and_used() {
    let folder = folder("spiral");
    let result = json(&folder, "train spiral --epochs 12 --json");
    assert!(result["test_accuracy"].as_f64().unwrap() > 0.95, "{result}");
    assert_eq!((&result["epochs"], &result["ended"]), (&12.into(), &"done".into()));
    assert!(result["seconds"].as_f64().unwrap() > 0.0 && result["test_loss"].is_number());

    let same = json(&folder, "eval runs/spiral-mlp-1 --json");
    assert_eq!(same["test_accuracy"], result["test_accuracy"]);
    assert_eq!(same["confusion"].as_array().unwrap().len(), 3);
    let point = json(&folder, "predict runs/spiral-mlp-1/model.safetensors --json 0.5 -0.2");
    assert!(point["class"].as_u64().unwrap() < 3, "{point}");
    let seen = json(&folder, "inspect runs/spiral-mlp-1/model.safetensors --json");
    assert_eq!(seen["tensors"].as_array().unwrap().len(), 6);
    let seen = json(&folder, "inspect runs/spiral-mlp-1 --json");
    assert_eq!(seen["about"]["progress"]["step"], result["steps"]);
    let table = text(&run(&folder, "inspect runs/spiral-mlp-1").stdout);
    assert!(table.contains("0.weight") && table.contains("[64, 2]"), "{table}");

    let events = fs::read_to_string(folder.join("runs/spiral-mlp-1/events.jsonl")).unwrap();
    let kinds = |kind: &str| {
        let is_it = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["event"] == kind;
        events.lines().filter(is_it).count() as u64
    };
    assert_eq!(kinds("step"), result["steps"].as_u64().unwrap());
    assert_eq!((kinds("start"), kinds("epoch"), kinds("end")), (1, 12, 1));
    // A second run gets a new folder.
    let again = json(&folder, "train spiral --epochs 1 --json");
    assert_eq!(again["weights"], "runs/spiral-mlp-2/model.safetensors");
}

#[test]
fn names_are_learnt_and_written() {
    let folder = folder("names");
    let line = "train names --steps 30 --hidden 32 --layers 1 --batch 16 --out run --json";
    let result = json(&folder, line);
    assert!(result["test_loss"].as_f64().unwrap() < 3.2, "{result}");
    let written = json(&folder, "predict run --length 40 --json");
    assert_eq!(written["text"].as_str().unwrap().chars().count(), 41);
    let again = json(&folder, "predict run --length 40 --json");
    assert_eq!(written, again);
    assert!(json(&folder, "eval run --json")["perplexity"].as_f64().unwrap() > 1.0);
    fails(&folder, "predict run --prompt ÄÖ", 2, "is not in the vocabulary");
    fs::write(folder.join("other.txt"), "0123456789".repeat(50)).unwrap();
    fails(&folder, "eval run --data other.txt", 2, "differ from the model's vocabulary");
}

#[test]
fn settings_reach_the_run() {
    let folder = folder("settings");
    let loss = |line: &str| {
        let line = format!("train spiral --steps 12 --limit 200 --json {line}");
        json(&folder, &line)["test_loss"].as_f64().unwrap()
    };
    let plain = loss("--optimizer sgd");
    let rows = [
        "--weight-decay 0.5",
        "--momentum 0",
        "--dropout 0.5",
        "--clip 0.01",
        "--ema 0.9",
        "--schedule one-cycle",
        "--schedule exponential",
    ];
    for row in rows {
        let changed = loss(&format!("--optimizer sgd {row}"));
        assert!(changed.is_finite() && changed != plain, "{row} changes nothing");
    }
    let parts = loss("--optimizer sgd --accumulate 4");
    assert!((parts - plain).abs() < 1e-3, "{parts} vs {plain}");
    for rule in ["nadam", "radam", "adagrad", "adadelta"] {
        assert!(loss(&format!("--optimizer {rule}")).is_finite(), "{rule}");
    }
}

#[test]
fn the_best_weights_are_kept() {
    let folder = folder("best");
    // The learning rate is so large that the model gets worse.
    let line = "train spiral --epochs 8 --optimizer sgd --lr 1 --schedule constant --seed 1 \
                --keep-best --judge-by accuracy --out run --json";
    let kept = json(&folder, line);
    let events = fs::read_to_string(folder.join("run/events.jsonl")).unwrap();
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let accuracies: Vec<f64> =
        events.filter_map(|event| event["measures"]["accuracy"].as_f64()).collect();
    let best = accuracies.iter().copied().fold(0.0, f64::max);
    assert_eq!(kept["test_accuracy"].as_f64(), Some(best), "{accuracies:?}");
    assert_eq!(json(&folder, "eval run --json")["test_accuracy"].as_f64(), Some(best));
    assert!(
        json(&folder, "eval run/checkpoints/best --json")["test_accuracy"].as_f64() == Some(best)
    );
}

#[test]
fn a_run_can_be_resumed_from_another_directory() {
    let folder = folder("anywhere");
    fs::write(folder.join("mine.txt"), "abc abd abe ".repeat(60)).unwrap();
    let small = "--hidden 8 --layers 1 --window 8 --batch 4";
    let line =
        format!("train text --model lstm --data mine.txt {small} --steps 3 --out run --json");
    json(&folder, &line);
    let below = folder.join("below");
    fs::create_dir_all(&below).unwrap();
    let more = json(&below, "train text --out ../run --resume --steps 5 --json");
    assert_eq!(more["steps"], 5);
    // A text without newlines: the default prompt is a space.
    let written = json(&folder, "predict run --length 5 --json");
    assert_eq!(
        (&written["prompt"], written["text"].as_str().map(str::len)),
        (&" ".into(), Some(6))
    );
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_causes_no_panic() {
    let folder = folder("gone");
    json(&folder, "train spiral --steps 3 --out run --json");
    for line in ["inspect run", "inspect run --json", "eval run", "predict run 0 0", "devices"] {
        // Closed before the command starts: a reader that closes later may already have read
        // everything.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(&folder, line).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        assert!(error.contains("error: cannot print") && !error.contains("panicked"), "{error}");
    }
}

#[test]
fn a_resumed_run_gives_the_same_weights() {
    let folder = folder("resumed");
    let whole = json(&folder, "train spiral --steps 80 --out whole --json");
    let first = json(&folder, "train spiral --steps 80 --out parts --checkpoint-every 10 --json");
    assert_eq!(whole["test_loss"], first["test_loss"]);
    // Damage the last two checkpoints, so that the run resumes from step 60.
    for step in ["step-00000080", "step-00000070"] {
        let weights = folder.join("parts/checkpoints").join(step).join("model.safetensors");
        let mut bytes = fs::read(&weights).unwrap();
        bytes.truncate(bytes.len() - 3);
        fs::write(weights, bytes).unwrap();
    }
    let output = run(&folder, "train spiral --out parts --resume");
    let errors = text(&output.stderr);
    assert!(output.status.success() && errors.contains("from step 60"), "{errors}");
    assert_eq!(errors.matches("warning: skipped a damaged checkpoint").count(), 2, "{errors}");
    let weights = |run: &str| fs::read(folder.join(run).join("model.safetensors")).unwrap();
    assert!(weights("whole") == weights("parts"));
    fails(&folder, "train spiral --out whole", 2, "already contains a run");
    fails(&folder, "train spiral --out nothing --resume", 2, "contains no run to resume");
    fails(&folder, "train names --out whole --resume", 2, "trains spiral with model mlp");
    fails(&folder, "train spiral --out whole --resume --hidden 5", 2, "has shape");
}

/// Writes files of weights that no command accepts, made from those of the run in `folder`.
fn write_bad_weights(folder: &Path) {
    let weights = fs::read(folder.join("run/model.safetensors")).unwrap();
    fs::write(folder.join("cut.safetensors"), &weights[..weights.len() / 2]).unwrap();
    // A valid header with a tensor that no model has.
    let header = r#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let mut other = (header.len() as u64).to_le_bytes().to_vec();
    other.extend(header.as_bytes());
    other.extend([0; 4]);
    fs::write(folder.join("other.safetensors"), &other).unwrap();
    // Weights of another size, one too many, and one too few.
    let trained = Safetensors::read(folder.join("run/model.safetensors")).unwrap();
    let changed = |name: &str, change: &dyn Fn(&mut Safetensors)| {
        let mut file = trained.clone();
        change(&mut file);
        file.write(folder.join(name)).unwrap();
    };
    changed("small.safetensors", &|file| {
        file.tensors.insert("0.weight".into(), Tensor::zeros([3, 2]));
    });
    changed("unknown.safetensors", &|file| {
        file.tensors.insert("9.weight".into(), Tensor::zeros([3]));
    });
    changed("missing.safetensors", &|file| {
        file.tensors.remove("0.bias");
    });
}

/// Writes files of data that no command accepts.
fn write_bad_data(folder: &Path) {
    fs::write(folder.join("text.txt"), "abc").unwrap();
    fs::write(folder.join("bytes.txt"), [0xff, 0xfe, 0xfd]).unwrap();
    fs::write(folder.join("image.png"), "no image").unwrap();
    // The header declares two images, but there is only one.
    let short = folder.join("short");
    fs::create_dir_all(&short).unwrap();
    let mut images = [&[0, 0, 8, 3][..], &[0, 0, 0, 2], &[0, 0, 0, 28], &[0, 0, 0, 28]].concat();
    images.extend([0; 28 * 28]);
    fs::write(short.join("train-images-idx3-ubyte"), images).unwrap();
    fs::write(short.join("train-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 2, 7, 3]).unwrap();
    let idx = folder.join("idx");
    fs::create_dir_all(&idx).unwrap();
    for (name, bytes) in [
        ("train-images-idx3-ubyte", &[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28][..]),
        ("train-labels-idx1-ubyte", &[0, 0, 8, 1, 0, 0, 0, 1, 7]),
    ] {
        fs::write(idx.join(name), bytes).unwrap();
    }
}

/// A command over missing or invalid files or settings, and words of its error.
const BAD_INPUTS: &[(&str, &str)] = &[
    ("train mnist --data nowhere", "train-images-idx3-ubyte"),
    ("train mnist --data idx", "header is truncated"),
    ("train text --data nowhere.txt", "nowhere.txt"),
    ("train text --data text.txt", "too few for a window"),
    ("train text --data bytes.txt", "UTF-8"),
    ("train mnist --model gpt", "use --model cnn or mlp"),
    ("train text --heads 5", "not divisible by 5 heads"),
    ("train spiral --hidden 0", "at least 1"),
    ("train spiral --limit 3", "3 examples are fewer than one batch of 64"),
    ("train moon", "invalid value 'moon'"),
    ("train spiral --batch 0", "0 is not in"),
    ("train spiral --resume", "--out"),
    ("train spiral --momentum 0.5", "--momentum requires"),
    ("train spiral --dropout 1", "--dropout must be"),
    ("train spiral --clip 0", "--clip must be above 0"),
    ("eval nowhere", "nowhere"),
    ("eval cut.safetensors", "not a valid safetensors file"),
    ("eval other.safetensors", "was not written by `brasa train`"),
    ("eval small.safetensors", "'0.weight' has shape"),
    ("eval unknown.safetensors", "unknown"),
    ("eval missing.safetensors", "missing"),
    ("train mnist --data short", "short"),
    ("eval idx", "contains neither a model nor a checkpoint"),
    ("predict run a b", "expected two numbers"),
    ("inspect image.png", "not a valid safetensors file"),
    ("inspect idx", "contains no intact checkpoint"),
    ("fetch spiral", "generated, not downloaded"),
];

#[test]
fn bad_inputs_give_one_clear_error() {
    let folder = folder("bad");
    json(&folder, "train spiral --steps 5 --out run --json");
    write_bad_weights(&folder);
    write_bad_data(&folder);
    for (line, words) in BAD_INPUTS {
        fails(&folder, line, 2, words);
    }
    assert!(!folder.join("runs").exists(), "no output folder was created");
}

/// Without a driver there is no adapter.
#[cfg(target_os = "linux")]
#[test]
fn a_missing_gpu_is_reported() {
    let folder = folder("no-gpu");
    json(&folder, "train spiral --steps 2 --out run --json");
    for line in ["train spiral --out other", "eval run", "predict run 0 0"] {
        let mut command = command(&folder, &format!("{line} --device gpu"));
        for list in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            command.env(list, "/nowhere.json");
        }
        let output = command.output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        assert!(error.contains("error: gpu: ") && error.contains("adapter"), "{line}: {error}");
    }
    assert!(!folder.join("other").exists(), "no output folder was created");
}

#[test]
fn images_are_read_from_files() {
    let folder = folder("images");
    json(&folder, "train digits --limit 200 --steps 4 --model mlp --hidden 16 --out run --json");
    fails(&folder, "predict run", 2, "no image file given");
    fails(&folder, "predict run nowhere.png", 2, "nowhere.png");
    fs::write(folder.join("broken.png"), "no image").unwrap();
    fails(&folder, "predict run broken.png", 2, "broken.png");
    // One white pixel, as a minimal png.
    fs::write(folder.join("dot.png"), DOT).unwrap();
    let seen = json(&folder, "predict run dot.png --invert --json");
    assert_eq!(seen["probabilities"].as_array().unwrap().len(), 10);
}

/// A png of one white pixel.
const DOT: &[u8] = include_bytes!("dot.png");

#[test]
fn a_diverged_run_reports_the_origin_of_the_nan() {
    let folder = folder("nan");
    let line = "train spiral --optimizer sgd --lr 1e38 --schedule constant --steps 50";
    fails(&folder, line, 1, "the loss is");
    fails(&folder, &format!("{line} --watch-nan"), 1, "first produced by");
}

#[cfg(unix)]
mod signals {
    use super::*;
    use std::time::Duration;

    fn signal(kind: &str, id: u32) {
        let sent = Command::new("kill").args([kind, &id.to_string()]).status().unwrap();
        assert!(sent.success());
    }

    #[test]
    fn ctrl_c_writes_a_checkpoint_and_ends_the_run() {
        let folder = folder("ctrl-c");
        let line = "train spiral --epochs 100000 --schedule constant --out run";
        let mut run = command(&folder, line);
        let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = folder.join("run/events.jsonl");
        let waited = (0..600).find(|_| {
            std::thread::sleep(Duration::from_millis(100));
            fs::metadata(&log).is_ok_and(|log| log.len() > 10_000)
        });
        if waited.is_none() {
            let _ = child.kill();
            panic!("no step within a minute");
        }
        signal("-INT", child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("--resume"), "{}", text(&output.stdout));
        let seen = json(&folder, "inspect run --json");
        let events = fs::read_to_string(&log).unwrap();
        let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
        assert_eq!((&last["event"], &last["ended"]), (&"end".into(), &"interrupted".into()));
        assert_eq!(seen["about"]["progress"]["step"], last["step"]);
    }

    #[test]
    fn a_full_disk_is_reported_and_leaves_no_half_of_a_file() {
        let folder = folder("full");
        // Limits files to 16 blocks of 512 bytes, too small for a checkpoint.
        let shell =
            format!("trap '' XFSZ; ulimit -f 16; exec {BRASA} train spiral --steps 3 --out run");
        let output = Command::new("sh").args(["-c", &shell]).current_dir(&folder).output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("cannot be written") && error.contains("step-0000"), "{error}");
        let left = fs::read_dir(folder.join("run/checkpoints")).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert_eq!(left, [brasa::io::LOCK_FILE], "partial files were left behind");
    }

    /// The last checkpoint and the log of a run have all of its steps.
    fn check_steps(run: &Path, steps: u64) {
        let checkpoints = brasa::io::Checkpoints::new(run.join("checkpoints"));
        let (found, damaged) = checkpoints.load();
        assert!(damaged.is_empty(), "{run:?}: {damaged:?}");
        assert_eq!(found.map(|last| last.progress.step), Some(steps), "{run:?}");
        let log = run.join("events.jsonl");
        let (events, skipped) = brasa::train::read_events(log).unwrap();
        let is_step =
            |event: &&brasa::train::Event| matches!(event, brasa::train::Event::Step { .. });
        assert_eq!(
            (events.iter().filter(is_step).count(), skipped),
            (steps as usize, 0),
            "{run:?}"
        );
    }

    /// Pairs of runs that start at the same time: one gets the folder, the other fails with an
    /// error. BRASA_PAIRS sets the number of pairs.
    #[test]
    fn two_runs_in_one_folder_lose_nothing() {
        let folder = folder("pairs");
        let pairs = std::env::var("BRASA_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
        let line = "train spiral --steps 60 --checkpoint-every 1 --schedule constant";
        json(&folder, &format!("{line} --out whole --json"));
        let weights = |run: &str| fs::read(folder.join(run).join("model.safetensors")).unwrap();
        let both = |line: &str| {
            let start = |_| {
                let mut run = command(&folder, line);
                run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            };
            let children = [0, 1].map(start);
            children.map(|child| child.wait_with_output().unwrap())
        };
        let mut concurrent = 0;
        for pair in 0..pairs {
            let out = format!("run-{pair}");
            let outputs = both(&format!("{line} --out {out}"));
            let (won, lost): (Vec<Output>, Vec<Output>) =
                outputs.into_iter().partition(|output| output.status.success());
            assert_eq!((won.len(), lost.len()), (1, 1), "pair {pair}");
            let error = text(&lost[0].stderr);
            assert_eq!(lost[0].status.code(), Some(2), "pair {pair}: {error}");
            // A run that starts after the other has ended finds its files. The process id of a run
            // that has just started may not be known yet.
            let is_concurrent = error.contains(&format!("{out}: is in use: "));
            assert!(
                is_concurrent || error.contains("already contains a run"),
                "pair {pair}: {error}"
            );
            assert!(error.contains("--out") && error.contains("--resume"), "pair {pair}: {error}");
            concurrent += u32::from(is_concurrent);
            check_steps(&folder.join(&out), 60);
            assert!(weights("whole") == weights(&out), "pair {pair}: other weights");
        }
        assert!(concurrent > 0, "no pair ran concurrently");
        // Without --out, each gets a new folder.
        let outputs = both("train spiral --steps 40 --checkpoint-every 1");
        assert!(outputs.iter().all(|output| output.status.success()));
        for n in [1, 2] {
            assert!(folder.join(format!("runs/spiral-mlp-{n}/model.safetensors")).exists());
        }
        println!("{pairs} pairs, {concurrent} of them concurrent");
    }

    /// The log has every step at most once; lines may be lost. Returns the number of damaged ones.
    fn check_log(log: &Path, last: u64) -> usize {
        let (events, skipped) = brasa::train::read_events(log).unwrap();
        let mut steps: Vec<u64> = Vec::new();
        for event in &events {
            if let brasa::train::Event::Step { step, .. } = event {
                assert!(steps.last().is_none_or(|last| last < step), "step {step} is duplicated");
                steps.push(*step);
            }
        }
        assert!(!steps.is_empty() && steps.len() as u64 <= last + 1, "{} steps", steps.len());
        skipped
    }

    /// Kills runs at random moments while they write a checkpoint at each step. An intact
    /// checkpoint, at least as new as the previous one, must always exist. The result of all
    /// resumed runs is bit-identical to that of one uninterrupted run. BRASA_KILLS sets the number
    /// of kills.
    #[test]
    fn a_killed_run_keeps_its_checkpoints() {
        let folder = folder("killed");
        let kills = std::env::var("BRASA_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
        let line =
            "train spiral --steps 1000000 --checkpoint-every 1 --schedule constant --out run";
        let mut random = brasa::data::Rng::new(std::process::id().into());
        let checkpoints = brasa::io::Checkpoints::new(folder.join("run/checkpoints"));
        let mut last = 0;
        for kill in 0..kills {
            let resume = if folder.join("run/plan.json").exists() { " --resume" } else { "" };
            let mut run = command(&folder, &format!("{line}{resume}"));
            let mut child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            // At a random moment after its first checkpoint.
            let newest = || checkpoints.list().first().map_or(0, |(step, _)| *step);
            while newest() <= last {
                if let Some(status) = child.try_wait().unwrap() {
                    let output = child.wait_with_output().unwrap();
                    panic!("kill {kill}: ended, {status}: {}", text(&output.stderr));
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(random.below(60_000) as u64));
            signal("-KILL", child.id());
            child.wait().unwrap();
            let (found, damaged) = checkpoints.load();
            assert!(damaged.is_empty(), "kill {kill}: {damaged:?}");
            let step = found.map_or(0, |checkpoint| checkpoint.progress.step);
            assert!(step > last, "kill {kill}: step {step} after {last}");
            last = step;
        }
        let whole = format!("train spiral --steps {last} --schedule constant --out whole --json");
        json(&folder, &whole);
        let bits = |run: &str, file: &str| {
            let checkpoints = brasa::io::Checkpoints::new(folder.join(run).join("checkpoints"));
            let all = checkpoints.list();
            let (_, path) = all.iter().find(|(step, _)| *step == last).expect("it is there");
            fs::read(path.join(file)).expect("it can be read")
        };
        for file in ["model.safetensors", "optimizer.safetensors"] {
            assert!(bits("run", file) == bits("whole", file), "{file} differs at step {last}");
        }
        let skipped = check_log(&folder.join("run/events.jsonl"), last);
        println!("{kills} kills, {last} steps, {skipped} lines of the log skipped");
    }
}
