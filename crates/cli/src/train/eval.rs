//! `brasa eval`: how good a trained model is.
use super::model::{Tester, load};
use super::plan::Plan;
use super::sources::Source;
use super::{Failure, use_threads};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure a trained model with the test examples of its task.
#[derive(Args)]
pub struct Settings {
    /// A folder of a run, a checkpoint or a weights file of `brasa train`
    model: PathBuf,
    /// A text file, or the folder with the files of MNIST or Fashion-MNIST
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Use only the first examples, or characters of a text
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Threads; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    threads: Option<u64>,
    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    use_threads(settings.threads)?;
    let (net, shape) = load(&settings.model)?;
    let saved = super::saved_plan(&settings.model).ok();
    let plan = Plan {
        data: settings.data.clone().or_else(|| saved?.data),
        limit: settings.limit,
        window: shape.window,
        ..Plan::usual(shape.task, Some(shape.model))?
    };
    let source = Source::new(&plan)?;
    if source.shape(&plan).chars != shape.chars {
        let help = "give the text it has learnt from by --data";
        return Err(
            format!("the text has other characters than the model knows\n  help: {help}").into()
        );
    }
    let seen = Tester::new(&*net, shape.classes).run(&mut source.test_loader())?;
    let (accuracy, loss) = (seen.accuracy(), seen.loss());
    if settings.json {
        let confusion: Vec<Vec<u64>> = (0..shape.classes)
            .map(|class| (0..shape.classes).map(|guess| seen.confused(class, guess)).collect())
            .collect();
        let line = json!({
            "test_accuracy": accuracy,
            "test_loss": loss,
            "top_accuracy": seen.top_accuracy(),
            "perplexity": seen.perplexity(),
            "examples": seen.count(),
            "confusion": confusion,
        });
        println!("{line}");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} examples: accuracy {:.2} %, loss {loss:.4}", seen.count(), 100.0 * accuracy);
    match shape.task.is_text() {
        true => println!("perplexity {:.2} of {} characters", seen.perplexity(), shape.classes),
        false => print!("\nhow often a class (row) was taken for another (column)\n{seen}"),
    }
    Ok(ExitCode::SUCCESS)
}
