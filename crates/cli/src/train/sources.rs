//! Loads or generates the examples of a task.
use super::fetch;
use super::plan::{Plan, Shape, Task};
use brasa::data::{
    DataLoader, Dataset, ImageSet, Subset, TensorDataset, TextWindows, Vocabulary, digits, names,
    spiral, tale,
};
use brasa::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// Training and test examples.
pub struct DataSource {
    pub train: Arc<dyn Dataset>,
    pub test: Arc<dyn Dataset>,
    pub classes: usize,
    /// The vocabulary of a text.
    pub vocabulary: Option<Vocabulary>,
}

/// Length of the built-in text in characters.
const TALE_LEN: usize = 200_000;
/// Number of windows used to test a text model.
const TEST_WINDOWS: usize = 256;

impl DataSource {
    /// Reads, downloads or generates the data of a plan.
    pub fn new(plan: &Plan) -> Result<DataSource> {
        let limit = plan.limit.unwrap_or(usize::MAX);
        let data = plan.data.as_deref();
        let sets = |train: TensorDataset, test: TensorDataset, classes| DataSource {
            train: Arc::new(train.take(limit)),
            test: Arc::new(test.take(limit)),
            classes,
            vocabulary: None,
        };
        match plan.task {
            Task::Spiral => Ok(sets(spiral(2000, 3, 1)?, spiral(1000, 3, 2)?, 3)),
            Task::Digits => Ok(sets(digits(8000.min(limit), 1)?, digits(2000.min(limit), 2)?, 10)),
            Task::Mnist | Task::Fashion => {
                let folder = match data {
                    Some(folder) => folder.to_path_buf(),
                    None => fetch::folder(plan.task)?,
                };
                let part = |name| ImageSet::read(&folder, name)?.examples();
                Ok(sets(part("train")?, part("t10k")?, 10))
            }
            Task::Names => text(plan, &read_text(data, || names().to_string())?),
            Task::Text => text(plan, &read_text(data, || tale(TALE_LEN, 1))?),
        }
    }

    /// The shape of the model for this data.
    pub fn shape(&self, plan: &Plan) -> Shape {
        let chars = self.vocabulary.as_ref().map_or(String::new(), Vocabulary::chars);
        plan.shape(self.classes, chars)
    }

    /// Batches of the test set.
    pub fn test_loader(&self) -> DataLoader {
        DataLoader::new(self.test.clone(), 250)
    }
}

/// The text of a file, or a built-in one.
fn read_text(file: Option<&Path>, builtin: impl FnOnce() -> String) -> Result<String> {
    let Some(file) = file else { return Ok(builtin()) };
    let wrong = |_| Error::data(&file.display().to_string(), "is not valid UTF-8");
    String::from_utf8(brasa::io::read(file)?).map_err(wrong)
}

/// Splits a text: the first nine tenths for training, windows of the rest for testing.
fn text(plan: &Plan, text: &str) -> Result<DataSource> {
    let vocabulary = Vocabulary::of(text);
    let ids = vocabulary.encode(text)?;
    let ids = &ids[..ids.len().min(plan.limit.unwrap_or(usize::MAX))];
    let (train, test) = ids.split_at(ids.len() * 9 / 10);
    let test = TextWindows::new(test, plan.window)?;
    let rows: Vec<usize> = (0..test.len()).step_by(plan.window).take(TEST_WINDOWS).collect();
    Ok(DataSource {
        train: Arc::new(TextWindows::new(train, plan.window)?),
        test: Arc::new(Subset::new(test, rows)),
        classes: vocabulary.len(),
        vocabulary: Some(vocabulary),
    })
}
