//! The settings of a training run, stored as `plan.json` in its folder.
use brasa::optim::schedule::Goal;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The training tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Handwritten digits (downloaded once, 11 MB)
    Mnist,
    /// Fashion-MNIST: images of clothing
    Fashion,
    /// Synthetic digits, no download
    Digits,
    /// First names: generate new ones
    Names,
    /// A text: generate more of it
    Text,
    /// Points on spiral arms
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

    /// Number of classes; `None` for texts, where it is the vocabulary size.
    pub fn classes(self) -> Option<usize> {
        match self {
            Task::Mnist | Task::Fashion | Task::Digits => Some(10),
            Task::Spiral => Some(3),
            Task::Names | Task::Text => None,
        }
    }

    /// The models that support the task, the default first.
    pub fn models(self) -> &'static [ModelKind] {
        match self {
            Task::Mnist | Task::Fashion | Task::Digits => &[ModelKind::Cnn, ModelKind::Mlp],
            Task::Names => &[ModelKind::Lstm, ModelKind::Gpt],
            Task::Text => &[ModelKind::Gpt, ModelKind::Lstm],
            Task::Spiral => &[ModelKind::Mlp],
        }
    }
}

/// The model architectures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Multilayer perceptron
    Mlp,
    /// Two convolutions and two linear layers
    Cnn,
    /// Recurrent network
    Lstm,
    /// Transformer decoder
    Gpt,
}

impl ModelKind {
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Mlp => "mlp",
            ModelKind::Cnn => "cnn",
            ModelKind::Lstm => "lstm",
            ModelKind::Gpt => "gpt",
        }
    }
}

/// The optimizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
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

/// The learning rate schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleKind {
    /// Warm-up over the first 5 % of the steps, then half a cosine
    Cosine,
    /// Warm-up over the first 5 % of the steps, then linear decay
    Linear,
    /// Quadratic decay to 0
    Polynomial,
    /// Exponential decay to a hundredth
    Exponential,
    /// Times 0.1 after each third of the steps
    Step,
    /// Times 0.1 after half and after three quarters of the steps
    Multistep,
    /// One cycle: up over 30 % of the steps, then down to nearly 0
    OneCycle,
    /// Halved after more than two evaluations without improvement
    Plateau,
    /// Constant
    Constant,
}

/// The metric that decides which model is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The test loss, lower is better
    #[default]
    Loss,
    /// The test accuracy, higher is better
    Accuracy,
}

impl Metric {
    pub fn name(self) -> &'static str {
        match self {
            Metric::Loss => "loss",
            Metric::Accuracy => "accuracy",
        }
    }

    pub fn goal(self) -> Goal {
        match self {
            Metric::Loss => Goal::Min,
            Metric::Accuracy => Goal::Max,
        }
    }
}

/// The sizes of a model, stored in the metadata of its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    pub task: Task,
    pub model: ModelKind,
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    /// Context length of a text model, in characters.
    pub window: usize,
    pub classes: usize,
    /// The vocabulary of a text model.
    pub chars: String,
    /// The dropout probability, if not the model's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f64>,
}

/// All settings of a run, stored in its folder so that it can be resumed with the same ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub task: Task,
    pub model: ModelKind,
    pub data: Option<PathBuf>,
    pub limit: Option<usize>,
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub window: usize,
    pub optimizer: OptimizerKind,
    pub lr: f64,
    /// `None` for the optimizer's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f64>,
    /// Maximum global gradient norm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// Number of parts that a batch is split into.
    #[serde(default = "one_part")]
    pub accumulate: usize,
    /// Decay of the moving average of the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ema: Option<f64>,
    pub schedule: ScheduleKind,
    pub epochs: u64,
    pub steps: Option<u64>,
    pub batch: usize,
    pub seed: u64,
    pub patience: Option<u64>,
    #[serde(default)]
    pub judge_by: Metric,
    #[serde(default)]
    pub keep_best: bool,
    pub checkpoint_every: u64,
    pub measure_every: Option<u64>,
}

fn one_part() -> usize {
    1
}

impl Plan {
    /// The model's sizes for a number of classes or a vocabulary.
    pub fn shape(&self, classes: usize, chars: String) -> Shape {
        let Plan { task, model, hidden, layers, heads, window, dropout, .. } = *self;
        Shape { task, model, hidden, layers, heads, window, classes, chars, dropout }
    }

    /// Checks that the settings are valid and compatible.
    pub fn check(&self) -> Result<(), String> {
        let has_momentum = matches!(
            self.optimizer,
            OptimizerKind::Sgd | OptimizerKind::Rmsprop | OptimizerKind::Muon
        );
        if self.momentum.is_some() && !has_momentum {
            return Err("--momentum requires --optimizer sgd, rmsprop or muon".to_string());
        }
        let is_fraction = |x: f64| (0.0..1.0).contains(&x);
        let fractions =
            [("--momentum", self.momentum), ("--dropout", self.dropout), ("--ema", self.ema)];
        for (name, fraction) in fractions {
            if fraction.is_some_and(|fraction| !is_fraction(fraction)) {
                return Err(format!("{name} must be at least 0 and below 1"));
            }
        }
        match self.clip {
            Some(norm) if norm.is_nan() || norm <= 0.0 => Err("--clip must be above 0".to_string()),
            _ => Ok(()),
        }
    }

    /// The settings that most tasks and models have in common.
    fn general(task: Task, model: ModelKind) -> Plan {
        Plan {
            task,
            model,
            data: None,
            limit: None,
            hidden: 128,
            layers: 2,
            heads: 4,
            window: 64,
            optimizer: OptimizerKind::Adamw,
            lr: 2e-3,
            weight_decay: None,
            momentum: None,
            dropout: None,
            clip: None,
            accumulate: one_part(),
            ema: None,
            schedule: ScheduleKind::Cosine,
            epochs: 3,
            steps: None,
            batch: 64,
            seed: 0,
            patience: None,
            judge_by: Metric::Loss,
            keep_best: false,
            checkpoint_every: 0,
            measure_every: None,
        }
    }

    /// The default settings for a task and a model, by default the task's first.
    pub fn defaults(task: Task, model: Option<ModelKind>) -> Result<Plan, String> {
        let known = task.models();
        let model = model.unwrap_or(known[0]);
        if !known.contains(&model) {
            let (task, model) = (task.name(), model.name());
            let known: Vec<&str> = known.iter().map(|kind| kind.name()).collect();
            let known = known.join(" or ");
            return Err(format!(
                "model '{model}' does not support task '{task}'; use --model {known}"
            ));
        }
        let plan = Plan::general(task, model);
        Ok(match (task, model) {
            (Task::Spiral, _) => Plan { hidden: 64, lr: 1e-2, epochs: 60, ..plan },
            (Task::Digits, _) => Plan { epochs: 4, ..plan },
            (_, ModelKind::Mlp) => Plan { hidden: 256, epochs: 5, batch: 128, ..plan },
            (_, ModelKind::Cnn) => Plan { batch: 128, ..plan },
            (Task::Names, _) => {
                Plan { window: 16, steps: Some(1500), measure_every: Some(500), ..plan }
            }
            (Task::Text, ModelKind::Gpt) => {
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
