//! Saves, loads and evaluates models. Files contain the weights, with the model's shape as
//! metadata.
#[cfg(test)]
#[path = "../../../brasa/tests/hostile/mutate.rs"]
mod mutate;
#[cfg(test)]
#[path = "../../../cpu/tests/common/peak_alloc.rs"]
mod peak_alloc;

use super::nets;
use super::plan::Shape;
use brasa::data::DataLoader;
use brasa::io::{Checkpoint, Checkpoints, Safetensors};
use brasa::nn::{Layer, Module};
use brasa::train::Classification;
use brasa::{Error, Forward, Result};
use std::path::{Path, PathBuf};

/// The trained weights in a run's folder.
pub const WEIGHTS_FILE: &str = "model.safetensors";
/// The metadata key of the model's shape.
pub const SHAPE_KEY: &str = "brasa.shape";

pub fn describe(shape: &Shape) -> String {
    serde_json::to_string(shape).expect("a shape is plain data")
}

pub fn save(net: &dyn Layer, shape: &Shape, path: &Path) -> Result<()> {
    Safetensors::new(net.state_dict()).with(SHAPE_KEY, describe(shape)).write(path)
}

/// Reads a model from a weights file, a run's folder or a checkpoint.
pub fn load(path: &Path) -> Result<(Box<dyn Layer>, Shape), String> {
    let (path, file) = find(path).map_err(|error| error.to_string())?;
    let place = |what: String| format!("{}: {what}", path.display());
    let no_shape =
        || place("was not written by `brasa train`: its metadata has no model shape".into());
    let shape = file.metadata.get(SHAPE_KEY).ok_or_else(no_shape)?;
    let shape: Shape = serde_json::from_str(shape).map_err(|error| place(error.to_string()))?;
    nets::check(&shape).and_then(|()| check_plausible(&shape, &file)).map_err(place)?;
    let net = nets::build(&shape).map_err(place)?;
    net.load_state_dict(&file.tensors).map_err(|error| place(error.to_string()))?;
    net.eval();
    Ok((net, shape))
}

/// Checks that the claimed shape is plausible for the file's size, before a model of that size is
/// allocated. Names and shapes are compared later.
fn check_plausible(shape: &Shape, file: &Safetensors) -> Result<(), String> {
    let (wanted, tensors) = (nets::parameters(shape), file.tensors.len());
    let stored: f64 = file.tensors.values().map(|x| x.numel() as f64).sum();
    if wanted > 1e6 + 16.0 * stored || shape.layers > tensors + 100 {
        let layers = shape.layers;
        return Err(format!(
            "claims {layers} layers and {wanted} parameters, but contains {tensors} tensors \
             of {stored} elements"
        ));
    }
    Ok(())
}

fn find(path: &Path) -> Result<(PathBuf, Safetensors)> {
    if !path.is_dir() {
        return Ok((path.to_path_buf(), Safetensors::read(path)?));
    }
    let trained = path.join(WEIGHTS_FILE);
    if trained.exists() && !path.join("progress.json").exists() {
        return Ok((trained.clone(), Safetensors::read(&trained)?));
    }
    if path.join("progress.json").exists() {
        return Ok((path.to_path_buf(), Checkpoint::read(path)?.model));
    }
    match Checkpoints::new(path.join(super::CHECKPOINTS)).load() {
        (Some(checkpoint), _) => Ok((path.to_path_buf(), checkpoint.model)),
        (None, damaged) => Err(damaged.into_iter().next().unwrap_or_else(|| {
            Error::data(&path.display().to_string(), "contains neither a model nor a checkpoint")
        })),
    }
}

/// Evaluates a model with a forward pass that is compiled once.
pub struct Evaluator<'m> {
    forward: Forward<'m>,
    classes: usize,
}

impl<'m> Evaluator<'m> {
    pub fn new(net: &'m dyn Layer, classes: usize) -> Evaluator<'m> {
        Evaluator { forward: Forward::new(|x| net.forward(&x[0])), classes }
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

#[cfg(test)]
mod tests {
    use super::super::plan::{ModelKind, Task};
    use super::*;
    use mutate::mutated;
    use peak_alloc::peak;

    fn shape(task: Task, model: ModelKind) -> Shape {
        let (hidden, layers, heads, window, classes) = (8, 2, 2, 4, 3);
        let (chars, dropout) = ("abc".to_string(), Some(0.5));
        Shape { task, model, hidden, layers, heads, window, classes, chars, dropout }
    }

    /// Writes a model with this shape metadata and loads it.
    fn load_with(net: &dyn Layer, words: &str) -> Result<(), String> {
        let name = format!("brasa-shape-{}.safetensors", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = Safetensors::new(net.state_dict()).with(SHAPE_KEY, words);
        file.write(&path).expect("writable");
        let (result, most) = peak(|| load(&path).map(drop));
        std::fs::remove_file(path).expect("exists");
        assert!(most < 32 << 20, "{most} bytes for {words}");
        result
    }

    #[test]
    fn implausible_shapes_in_files_are_refused() {
        let mut refused = 0;
        for (task, model) in [
            (Task::Spiral, ModelKind::Mlp),
            (Task::Names, ModelKind::Lstm),
            (Task::Text, ModelKind::Gpt),
        ] {
            let shape = shape(task, model);
            let net = nets::build(&shape).expect("built");
            let words = describe(&shape);
            assert_eq!(load_with(&*net, &words), Ok(()));
            for seed in 0..334 {
                let odd = mutated(words.as_bytes(), seed);
                let odd = String::from_utf8_lossy(&odd);
                refused += u32::from(load_with(&*net, &odd).is_err());
            }
            for (name, value, want) in [
                ("hidden", "9223372036854775808", "claims "),
                ("hidden", "0", "at least 1"),
                ("layers", "1000000000", "maximum of 10000"),
                ("layers", "9999", "claims "),
                ("classes", "0", "at least 1"),
                ("classes", "18446744073709551615", "claims "),
                ("dropout", "1e308", "at least 0 and below 1"),
                ("task", "\"mnist\"", "does not support task 'mnist'"),
            ] {
                let mut odd: serde_json::Value = serde_json::from_str(&words).expect("JSON");
                odd[name] = serde_json::from_str(value).expect("JSON");
                // An MLP supports images too, but then has other weights.
                let want =
                    if (name, model) == ("task", ModelKind::Mlp) { "is missing" } else { want };
                let error = load_with(&*net, &odd.to_string()).expect_err("refused");
                assert!(error.contains(want), "{model:?} {name} {value}: {error}");
            }
        }
        assert!(refused > 500, "{refused} of 1002 were refused");
    }
}
