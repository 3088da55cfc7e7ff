//! What is trained, and how: the choices of a run, which are kept beside its results.
use brasa::optim::schedule::Goal;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What there is to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Handwritten digits (fetched once, 11 MB)
    Mnist,
    /// Pieces of clothing, in the form of MNIST
    Fashion,
    /// Digits drawn by Brasa, no file needed
    Digits,
    /// First names, to make up new ones
    Names,
    /// A text, to go on writing it
    Text,
    /// Points on the arms of a spiral
    Spiral,
}

impl Task {
    pub fn name(self) -> &'static str {
        match self {
            Task::Mnist => "mnist",
            Task::Fashion => "fashion",
            Task::Digits => "digits",
            Task::Names => "names",
            Task::Text => "text",
            Task::Spiral => "spiral",
        }
    }

    pub fn is_text(self) -> bool {
        matches!(self, Task::Names | Task::Text)
    }

    /// How many classes there are; in a text, as many as it has characters.
    pub fn classes(self) -> Option<usize> {
        match self {
            Task::Mnist | Task::Fashion | Task::Digits => Some(10),
            Task::Spiral => Some(3),
            Task::Names | Task::Text => None,
        }
    }

    /// The models that can learn it, the usual one first.
    pub fn models(self) -> &'static [Kind] {
        match self {
            Task::Mnist | Task::Fashion | Task::Digits => &[Kind::Cnn, Kind::Mlp],
            Task::Names => &[Kind::Lstm, Kind::Gpt],
            Task::Text => &[Kind::Gpt, Kind::Lstm],
            Task::Spiral => &[Kind::Mlp],
        }
    }
}

/// A kind of model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Linear layers
    Mlp,
    /// Two convolutions and two linear layers
    Cnn,
    /// A recurrent net
    Lstm,
    /// A transformer
    Gpt,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mlp => "mlp",
            Kind::Cnn => "cnn",
            Kind::Lstm => "lstm",
            Kind::Gpt => "gpt",
        }
    }
}

/// A rule that updates parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    Sgd,
    Adam,
    Adamw,
    Nadam,
    Radam,
    Rmsprop,
    Adagrad,
    Adadelta,
    Lion,
    Muon,
}

/// How the learning rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rate {
    /// Up over the first twentieth of the steps, then down on half a wave
    Cosine,
    /// Up over the first twentieth of the steps, then down on a straight line
    Linear,
    /// Down on a parabola
    Polynomial,
    /// Down by the same factor at each step, to a hundredth
    Exponential,
    /// A tenth after each third of the steps
    Step,
    /// A tenth after half and after three quarters of the steps
    Multistep,
    /// Up over three tenths of the steps, then down to nearly nothing
    OneCycle,
    /// Half whenever the model has got no better for more than two looks
    Plateau,
    /// Always the same
    Constant,
}

/// What tells how good a model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judge {
    /// The test loss, which should fall
    #[default]
    Loss,
    /// The test accuracy, which should rise
    Accuracy,
}

impl Judge {
    pub fn name(self) -> &'static str {
        match self {
            Judge::Loss => "loss",
            Judge::Accuracy => "accuracy",
        }
    }

    pub fn goal(self) -> Goal {
        match self {
            Judge::Loss => Goal::Min,
            Judge::Accuracy => Goal::Max,
        }
    }
}

/// The shape of a model; kept with its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    pub task: Task,
    pub model: Kind,
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    /// Characters that a text model looks at.
    pub window: usize,
    pub classes: usize,
    /// The characters a text model knows.
    pub chars: String,
    /// The rate of dropout, where it is not the usual one of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f64>,
}

/// All choices of a run; kept in its folder, so that it can go on with the same ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub task: Task,
    pub model: Kind,
    pub data: Option<PathBuf>,
    pub limit: Option<usize>,
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub window: usize,
    pub optimizer: Rule,
    pub lr: f64,
    /// That of the rule where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f64>,
    /// The most that gradients together may measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The parts that a batch is cut into.
    #[serde(default = "whole")]
    pub accumulate: usize,
    /// How much of the average of parameters stays in each step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ema: Option<f64>,
    pub schedule: Rate,
    pub epochs: u64,
    pub steps: Option<u64>,
    pub batch: usize,
    pub seed: u64,
    pub patience: Option<u64>,
    #[serde(default)]
    pub judge_by: Judge,
    #[serde(default)]
    pub keep_best: bool,
    pub checkpoint_every: u64,
    pub measure_every: Option<u64>,
}

fn whole() -> usize {
    1
}

impl Plan {
    /// The net for so many classes, or for these characters.
    pub fn shape(&self, classes: usize, chars: String) -> Shape {
        let Plan { task, model, hidden, layers, heads, window, dropout, .. } = *self;
        Shape { task, model, hidden, layers, heads, window, classes, chars, dropout }
    }

    /// Whether the choices go together.
    pub fn check(&self) -> Result<(), String> {
        let has_momentum = matches!(self.optimizer, Rule::Sgd | Rule::Rmsprop | Rule::Muon);
        if self.momentum.is_some() && !has_momentum {
            return Err("--momentum goes with --optimizer sgd, rmsprop or muon".to_string());
        }
        let is_share = |share: f64| (0.0..1.0).contains(&share);
        let shares =
            [("--momentum", self.momentum), ("--dropout", self.dropout), ("--ema", self.ema)];
        for (name, share) in shares {
            if share.is_some_and(|share| !is_share(share)) {
                return Err(format!("{name} is a share from 0 to below 1"));
            }
        }
        match self.clip {
            Some(most) if most.is_nan() || most <= 0.0 => Err("--clip is above 0".to_string()),
            _ => Ok(()),
        }
    }

    /// The usual choices for a task; the usual model where none is named.
    pub fn usual(task: Task, model: Option<Kind>) -> Result<Plan, String> {
        let known = task.models();
        let model = model.unwrap_or(known[0]);
        if !known.contains(&model) {
            let (task, model) = (task.name(), model.name());
            let known: Vec<&str> = known.iter().map(|kind| kind.name()).collect();
            let known = known.join(" or ");
            return Err(format!("a model '{model}' cannot learn '{task}'; use --model {known}"));
        }
        let plan = Plan {
            task,
            model,
            data: None,
            limit: None,
            hidden: 128,
            layers: 2,
            heads: 4,
            window: 64,
            optimizer: Rule::Adamw,
            lr: 2e-3,
            weight_decay: None,
            momentum: None,
            dropout: None,
            clip: None,
            accumulate: whole(),
            ema: None,
            schedule: Rate::Cosine,
            epochs: 3,
            steps: None,
            batch: 64,
            seed: 0,
            patience: None,
            judge_by: Judge::Loss,
            keep_best: false,
            checkpoint_every: 0,
            measure_every: None,
        };
        Ok(match (task, model) {
            (Task::Spiral, _) => Plan { hidden: 64, lr: 1e-2, epochs: 60, ..plan },
            (Task::Digits, _) => Plan { epochs: 4, ..plan },
            (_, Kind::Mlp) => Plan { hidden: 256, epochs: 5, batch: 128, ..plan },
            (_, Kind::Cnn) => Plan { batch: 128, ..plan },
            (Task::Names, _) => {
                Plan { window: 16, steps: Some(1500), measure_every: Some(500), ..plan }
            }
            (Task::Text, Kind::Gpt) => {
                let (layers, batch) = (4, 16);
                Plan { layers, batch, steps: Some(2000), measure_every: Some(250), ..plan }
            }
            (Task::Text, _) => {
                let (hidden, batch) = (256, 32);
                Plan { hidden, batch, steps: Some(1000), measure_every: Some(250), ..plan }
            }
            _ => plan,
        })
    }
}
