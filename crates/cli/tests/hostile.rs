//! Malicious names in files and extreme numbers as arguments.
use brasa::Tensor;
use brasa::io::Safetensors;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BRASA: &str = env!("CARGO_BIN_EXE_brasa");

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(BRASA);
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    command.env("BRASA_THREADS", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn control_characters_in_names_are_escaped() {
    let folder = folder("escapes");
    assert!(run(&folder, "train spiral --steps 2 --out run").status.success());
    let odd = "\x1b]0;title\x07\x1b[2J\r\u{9b}31m\u{202e}name\n";
    let trained = Safetensors::read(folder.join("run/model.safetensors")).unwrap();
    let mut file = trained.clone().with(odd, odd);
    file.tensors.insert(odd.to_string(), Tensor::zeros([2]));
    file.write(folder.join("odd.safetensors")).unwrap();
    let archive = brasa::io::to_npz(&[(odd.to_string(), Tensor::zeros([2]))].into()).unwrap();
    fs::write(folder.join("odd.npz"), &archive).unwrap();
    let mut torn = archive;
    torn[60] ^= 1;
    fs::write(folder.join("torn.npz"), torn).unwrap();
    let header = format!("{{'descr{odd}': '<f4', 'fortran_order': False, 'shape': (1,), }}");
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    fs::write(folder.join("odd.npy"), array).unwrap();
    let words = serde_json::json!({ (odd): 1 }).to_string();
    let words = Safetensors::new(trained.tensors).with("brasa.shape", words);
    words.write(folder.join("words.safetensors")).unwrap();
    for line in [
        "inspect odd.safetensors",
        "inspect odd.safetensors --json",
        "inspect odd.npz",
        "inspect torn.npz",
        "inspect odd.npy",
        "eval odd.safetensors",
        "eval words.safetensors",
        "explain words.safetensors",
    ] {
        let output = run(&folder, line);
        let printed = text(&output.stdout) + &text(&output.stderr);
        let is_odd = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!printed.contains(is_odd), "{line}: {printed:?}");
        // The name is still readable, in escaped form.
        assert!(printed.contains("title") && printed.contains("\\u"), "{line}: {printed}");
    }
    let seen = text(&run(&folder, "inspect odd.safetensors --json").stdout);
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let names = seen["tensors"].as_array().unwrap().iter().map(|row| row["name"].as_str());
    assert!(names.into_iter().any(|name| name == Some(odd)), "{seen}");
}

/// Extreme sizes, in a process limited to 4 GB of address space: failed allocations are errors, not
/// crashes.
#[cfg(unix)]
#[test]
fn extreme_numbers_do_not_crash() {
    let folder = folder("numbers");
    fs::write(folder.join("mine.txt"), "abc abd abe ".repeat(60)).unwrap();
    let spiral = "train spiral --steps 1";
    let text_net = "train text --data mine.txt --model gpt --window 8 --hidden 8 --layers 1 --batch 2 \
                    --heads 2 --steps 1";
    let mut lines = Vec::new();
    for value in ["0", "1000000000", "9223372036854775808", "18446744073709551615"] {
        for flag in ["limit", "hidden", "layers", "batch", "accumulate", "keep", "seed", "threads"]
        {
            lines.push(format!("{spiral} --{flag} {value}"));
        }
        for flag in ["checkpoint-every", "patience"] {
            lines.push(format!("{spiral} --{flag} {value}"));
        }
        for flag in ["hidden", "layers", "heads", "window"] {
            lines.push(format!("{text_net} --{flag} {value}"));
        }
        for model in ["mnist --model cnn", "vae", "names --model lstm"] {
            lines.push(format!("explain {model} --batch {value} --only memory"));
        }
        // A run without improvement ends early.
        for schedule in ["constant", "cosine", "multistep", "one-cycle", "step"] {
            let long = format!("--epochs {value} --schedule {schedule}");
            lines.push(format!("train spiral {long} --optimizer sgd --lr 1e38 --patience 0"));
        }
    }
    for value in ["0", "-1", "1e308", "inf", "NaN"] {
        for flag in ["lr", "weight-decay", "dropout", "clip", "ema", "momentum"] {
            lines.push(format!("{spiral} --optimizer sgd --{flag}={value}"));
        }
    }
    for line in lines {
        let shell = format!("ulimit -v 4000000; exec {BRASA} {line}");
        let mut command = Command::new("sh");
        command.args(["-c", &shell]).current_dir(&folder).stdin(Stdio::null());
        let output = command.env("BRASA_THREADS", "1").output().unwrap();
        let error = text(&output.stderr);
        let is_answer = output.status.code().is_some_and(|code| [0, 1, 2].contains(&code));
        assert!(is_answer && !error.contains("panicked"), "{line}: {}: {error}", output.status);
    }
}
