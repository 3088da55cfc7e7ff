//! Trained models as files: weights with the shape of the net as metadata; and how good they are.
#[cfg(test)]
#[path = "../../../brasa/tests/hostile/mutate.rs"]
mod mutate;
#[cfg(test)]
#[path = "../../../cpu/tests/common/watch.rs"]
mod watch;

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
    nets::check(&shape).and_then(|()| believe(&shape, &file)).map_err(place)?;
    let net = nets::build(&shape).map_err(place)?;
    net.load_state_dict(&file.tensors).map_err(|error| place(error.to_string()))?;
    net.eval();
    Ok((net, shape))
}

/// Whether a file can hold the net that it says it is of. Names and shapes are compared later, with a
/// net that was made; one that is much larger than the file is not.
fn believe(shape: &Shape, file: &Safetensors) -> Result<(), String> {
    let (wanted, tensors) = (nets::parameters(shape), file.tensors.len());
    let held: f64 = file.tensors.values().map(|x| x.numel() as f64).sum();
    if wanted > 1e6 + 16.0 * held || shape.layers > tensors + 100 {
        let layers = shape.layers;
        return Err(format!(
            "is said to be a net of {layers} layers and {wanted} parameters, but holds {tensors} tensors \
             of {held} elements"
        ));
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::super::plan::{Kind, Task};
    use super::*;
    use mutate::mutated;
    use watch::peak;

    fn shape(task: Task, model: Kind) -> Shape {
        let (hidden, layers, heads, window, classes) = (8, 2, 2, 4, 3);
        let (chars, dropout) = ("abc".to_string(), Some(0.5));
        Shape { task, model, hidden, layers, heads, window, classes, chars, dropout }
    }

    /// Reads the weights of a net whose file says this of it.
    fn loaded(net: &dyn Layer, words: &str) -> Result<(), String> {
        let name = format!("brasa-shape-{}.safetensors", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = Safetensors::new(net.state_dict()).with(SHAPE, words);
        file.write(&path).expect("it can be written");
        let (result, most) = peak(|| load(&path).map(drop));
        std::fs::remove_file(path).expect("it is there");
        assert!(most < 32 << 20, "{most} bytes for {words}");
        result
    }

    #[test]
    fn what_a_file_says_of_its_net_is_not_believed() {
        let mut refused = 0;
        for (task, model) in
            [(Task::Spiral, Kind::Mlp), (Task::Names, Kind::Lstm), (Task::Text, Kind::Gpt)]
        {
            let shape = shape(task, model);
            let net = nets::build(&shape).expect("it is built");
            let words = describe(&shape);
            assert_eq!(loaded(&*net, &words), Ok(()));
            for seed in 0..334 {
                let odd = mutated(words.as_bytes(), seed);
                let odd = String::from_utf8_lossy(&odd);
                refused += u32::from(loaded(&*net, &odd).is_err());
            }
            for (name, value, want) in [
                ("hidden", "9223372036854775808", "is said to be a net of"),
                ("hidden", "0", "at least one"),
                ("layers", "1000000000", "at most 10000"),
                ("layers", "9999", "is said to be a net of"),
                ("classes", "0", "at least one"),
                ("classes", "18446744073709551615", "is said to be a net of"),
                ("dropout", "1e308", "from 0 to below 1"),
                ("task", "\"mnist\"", "cannot learn 'mnist'"),
            ] {
                let mut odd: serde_json::Value = serde_json::from_str(&words).expect("JSON");
                odd[name] = serde_json::from_str(value).expect("JSON");
                // A net of linear layers can learn images too, and has other weights then.
                let want = if (name, model) == ("task", Kind::Mlp) { "is missing" } else { want };
                let error = loaded(&*net, &odd.to_string()).expect_err("it is refused");
                assert!(error.contains(want), "{model:?} {name} {value}: {error}");
            }
        }
        assert!(refused > 500, "{refused} of 1002 were refused");
    }
}
