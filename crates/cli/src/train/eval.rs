//! `brasa eval`: evaluates a trained model.
use super::model::{Evaluator, load};
use super::plan::Plan;
use super::sources::DataSource;
use super::{ComputeArgs, Failure};
use crate::print;
use brasa::train::Classification;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Evaluate a trained model on the test examples of its task.
#[derive(Args)]
pub struct Settings {
    /// A run's folder, a checkpoint or a weights file of `brasa train`
    model: PathBuf,
    /// A text file, or the folder with the files of MNIST or Fashion-MNIST
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Use only the first examples, or characters of a text
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    settings.compute.apply()?;
    let (net, shape) = load(&settings.model)?;
    let saved = super::saved_plan(&settings.model).ok();
    let plan = Plan {
        data: settings.data.clone().or_else(|| saved?.data),
        limit: settings.limit,
        window: shape.window,
        ..Plan::defaults(shape.task, Some(shape.model))?
    };
    let source = DataSource::new(&plan)?;
    if source.shape(&plan).chars != shape.chars {
        let help = "pass the training text by --data";
        return Err(format!(
            "the text's characters differ from the model's vocabulary\n  help: {help}"
        )
        .into());
    }
    let seen = Evaluator::new(&*net, shape.classes).run(&mut source.test_loader())?;
    let (accuracy, loss) = (seen.accuracy(), seen.loss());
    if settings.json {
        print(format!("{}\n", measures(&seen, shape.classes)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let count = seen.count();
    print(format!("{count} examples: accuracy {:.2} %, loss {loss:.4}\n", 100.0 * accuracy))?;
    match shape.task.is_text() {
        true => {
            let (perplexity, chars) = (seen.perplexity(), shape.classes);
            print(format!("perplexity {perplexity:.2} of {chars} characters\n"))?;
        }
        false => print(format!(
            "\nconfusion matrix: true class (row), predicted class (column)\n{seen}"
        ))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// All measures, for `--json`.
fn measures(seen: &Classification, classes: usize) -> Value {
    let confusion: Vec<Vec<u64>> = (0..classes)
        .map(|class| (0..classes).map(|guess| seen.confused(class, guess)).collect())
        .collect();
    json!({
        "test_accuracy": seen.accuracy(),
        "test_loss": seen.loss(),
        "top_accuracy": seen.top_accuracy(),
        "perplexity": seen.perplexity(),
        "examples": seen.count(),
        "confusion": confusion,
    })
}
