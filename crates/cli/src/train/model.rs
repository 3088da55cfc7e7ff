//! Trained models as files: weights with the shape of the net as metadata; and how good they are.
use super::nets;
use super::plan::Shape;
use brasa::data::DataLoader;
use brasa::io::{Checkpoint, Checkpoints, Safetensors};
use brasa::nn::{Layer, Module};
use brasa::train::Classification;
use brasa::{Error, Forward, Result};
use std::path::{Path, PathBuf};

/// The trained weights in the folder of a run.
pub const FILE: &str = "model.safetensors";
/// The key of the shape in the metadata.
pub const SHAPE: &str = "brasa.shape";

pub fn describe(shape: &Shape) -> String {
    serde_json::to_string(shape).expect("a shape is plain data")
}

pub fn save(net: &dyn Layer, shape: &Shape, path: &Path) -> Result<()> {
    Safetensors::new(net.state_dict()).with(SHAPE, describe(shape)).write(path)
}

/// Reads a model from a file, from the folder of a run, or from a checkpoint.
pub fn load(path: &Path) -> Result<(Box<dyn Layer>, Shape), String> {
    let (path, file) = find(path).map_err(|error| error.to_string())?;
    let place = |what: String| format!("{}: {what}", path.display());
    let no_shape =
        || place("was not written by `brasa train`: it does not say what net it is of".into());
    let shape = file.metadata.get(SHAPE).ok_or_else(no_shape)?;
    let shape: Shape = serde_json::from_str(shape).map_err(|error| place(error.to_string()))?;
    let net = nets::build(&shape).map_err(place)?;
    net.load_state_dict(&file.tensors).map_err(|error| place(error.to_string()))?;
    net.eval();
    Ok((net, shape))
}

fn find(path: &Path) -> Result<(PathBuf, Safetensors)> {
    if !path.is_dir() {
        return Ok((path.to_path_buf(), Safetensors::read(path)?));
    }
    let trained = path.join(FILE);
    if trained.exists() && !path.join("progress.json").exists() {
        return Ok((trained.clone(), Safetensors::read(&trained)?));
    }
    if path.join("progress.json").exists() {
        return Ok((path.to_path_buf(), Checkpoint::read(path)?.model));
    }
    match Checkpoints::new(path.join(super::CHECKPOINTS)).load() {
        (Some(checkpoint), _) => Ok((path.to_path_buf(), checkpoint.model)),
        (None, damaged) => Err(damaged.into_iter().next().unwrap_or_else(|| {
            Error::data(&path.display().to_string(), "holds neither a model nor a checkpoint")
        })),
    }
}

/// Measures a model, compiled once.
pub struct Tester<'m> {
    forward: Forward<'m>,
    classes: usize,
}

impl<'m> Tester<'m> {
    pub fn new(net: &'m dyn Layer, classes: usize) -> Tester<'m> {
        Tester { forward: Forward::new(|x| net.forward(&x[0])), classes }
    }

    pub fn run(&mut self, loader: &mut DataLoader) -> Result<Classification> {
        let mut seen = Classification::new(self.classes);
        for batch in loader.epoch() {
            let batch = batch?;
            seen.add(&self.forward.run(&[&batch[0]])?, &batch[1])?;
        }
        Ok(seen)
    }
}
