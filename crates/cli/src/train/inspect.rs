//! `brasa inspect`: lists the tensors of a file or checkpoint.
use super::Failure;
use crate::print;
use brasa::Tensor;
use brasa::io::{Checkpoint, Checkpoints, Safetensors, from_npy, from_npz};
use brasa::nn::StateDict;
use brasa_ir::printable;
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// List the tensors of a file: safetensors, npy, npz, or a checkpoint or run of `brasa train`.
#[derive(Args)]
pub struct Settings {
    /// The file or folder
    path: PathBuf,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The content of a file.
struct Content {
    kind: &'static str,
    tensors: StateDict,
    about: Vec<(String, Value)>,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    let content = open(&settings.path)?;
    let rows = content.tensors.iter().map(|(name, x)| Ok(Row::new(name, x)?));
    let rows = rows.collect::<Result<Vec<Row>, Failure>>()?;
    if settings.json {
        let about: serde_json::Map<String, Value> = content.about.into_iter().collect();
        let tensors: Vec<Value> = rows.iter().map(Row::json).collect();
        let line = json!({ "kind": content.kind, "about": about, "tensors": tensors });
        print(format!("{line}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{} ({})\n", settings.path.display(), content.kind);
    for (key, value) in &content.about {
        let value = value.as_str().map_or(value.to_string(), String::from);
        text += &format!("  {}: {value}\n", in_line(key));
    }
    text += &table(&rows);
    let (count, elements) = (rows.len(), rows.iter().map(|row| row.elements).sum::<usize>());
    let bytes: usize = rows.iter().map(|row| row.bytes).sum();
    print(text + &format!("{count} tensors, {elements} elements, {bytes} bytes\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn open(path: &Path) -> Result<Content, Failure> {
    if path.is_dir() {
        return open_folder(path);
    }
    let bytes = brasa::io::read(path)?;
    let place = |error: brasa::Error| Failure::Input(format!("{}: {error}", path.display()));
    let tensors = |kind, tensors| Content { kind, tensors, about: Vec::new() };
    if bytes.starts_with(b"\x93NUMPY") {
        let array = from_npy(&bytes).map_err(place)?;
        return Ok(tensors("npy", StateDict::from([("array".to_string(), array)])));
    }
    if bytes.starts_with(b"PK") {
        return Ok(tensors("npz", from_npz(&bytes).map_err(place)?));
    }
    let file = Safetensors::from_bytes(&bytes).map_err(place)?;
    let about = file.metadata.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
    Ok(Content { kind: "safetensors", tensors: file.tensors, about })
}

fn open_folder(path: &Path) -> Result<Content, Failure> {
    let mut about = Vec::new();
    let checkpoint = if path.join("progress.json").exists() {
        Checkpoint::read(path)?
    } else {
        let checkpoints = Checkpoints::new(path.join(super::CHECKPOINTS));
        let steps: Vec<u64> = checkpoints.list().iter().map(|(step, _)| *step).collect();
        about.push(("checkpoints at steps".to_string(), json!(steps)));
        let (found, damaged) = checkpoints.load();
        about.extend(damaged.iter().map(|error| ("damaged".to_string(), json!(error.to_string()))));
        let nothing = || format!("{}: contains no intact checkpoint", path.display());
        found.ok_or_else(nothing)?
    };
    let progress = serde_json::to_value(&checkpoint.progress).map_err(|error| error.to_string())?;
    about.push(("progress".to_string(), progress));
    let mut tensors = checkpoint.model.tensors;
    let named = |(name, x)| (format!("optimizer: {name}"), x);
    tensors.extend(checkpoint.optimizer.into_iter().map(named));
    let named = |(n, x)| (format!("average: {n}"), x);
    tensors.extend(checkpoint.average.into_iter().map(named));
    Ok(Content { kind: "checkpoint", tensors, about })
}

/// A row of the table.
struct Row {
    name: String,
    dtype: String,
    shape: Vec<usize>,
    elements: usize,
    bytes: usize,
    /// Minimum, mean and maximum; `None` without elements.
    range: Option<[f64; 3]>,
}

impl Row {
    fn new(name: &str, x: &Tensor) -> brasa::Result<Row> {
        let values = x.to_vec::<f64>()?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Row {
            name: name.to_string(),
            dtype: x.dtype().to_string(),
            shape: x.shape().to_vec(),
            elements: x.numel(),
            bytes: x.numel() * x.dtype().bytes(),
            range: (!values.is_empty()).then_some([least, mean, largest]),
        })
    }

    fn json(&self) -> Value {
        let Row { name, dtype, shape, elements, bytes, range } = self;
        let [min, mean, max] = range.map_or([None; 3], |range| range.map(Some));
        json!({
            "name": name, "dtype": dtype, "shape": shape, "elements": elements, "bytes": bytes,
            "min": min, "mean": mean, "max": max,
        })
    }

    fn cells(&self) -> [String; 6] {
        let number = |x: f64| format!("{x:.4}");
        let [min, mean, max] = self.range.map_or(["", "", ""].map(String::from), |r| r.map(number));
        [in_line(&self.name), self.dtype.clone(), format!("{:?}", self.shape), min, mean, max]
    }
}

/// A name with control characters escaped, so that it stays on one line with a known width.
fn in_line(name: &str) -> String {
    printable(name).replace('\n', "\\n").replace('\t', "\\t")
}

fn table(rows: &[Row]) -> String {
    let head = ["tensor", "dtype", "shape", "min", "mean", "max"].map(String::from);
    let cells: Vec<[String; 6]> =
        std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let widths: Vec<usize> =
        (0..6).map(|n| cells.iter().map(|row| row[n].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &cells {
        let padded = row.iter().zip(&widths).enumerate().map(|(n, (cell, &width))| match n {
            0..3 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += format!("  {}", padded.collect::<Vec<_>>().join("  ")).trim_end();
        text += "\n";
    }
    text
}
