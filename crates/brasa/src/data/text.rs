//! Text: characters as ids, and windows for next-character prediction.
use super::{Batch, Dataset};
use crate::{Error, Result, Tensor};
use std::sync::Arc;

/// The characters of a text, each with an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary(Vec<char>);

impl Vocabulary {
    /// The distinct characters of a text, sorted.
    pub fn of(text: &str) -> Vocabulary {
        let mut chars: Vec<char> = text.chars().collect();
        chars.sort_unstable();
        chars.dedup();
        Vocabulary(chars)
    }

    /// Number of characters.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the vocabulary is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All characters in the order of their ids.
    pub fn chars(&self) -> String {
        self.0.iter().collect()
    }

    /// The id of each character. Fails on an unknown character.
    pub fn encode(&self, text: &str) -> Result<Vec<i64>> {
        let number = |c: char| {
            let found = self.0.binary_search(&c).map(|n| n as i64);
            found.map_err(|_| Error::data("vocabulary", format!("{c:?} is not in the vocabulary")))
        };
        text.chars().map(number).collect()
    }

    /// The text of these ids; unknown ids become `\u{fffd}`.
    pub fn decode(&self, ids: &[i64]) -> String {
        let char_of = |&id: &i64| usize::try_from(id).ok().and_then(|id| self.0.get(id));
        ids.iter().map(|id| char_of(id).copied().unwrap_or('\u{fffd}')).collect()
    }
}

/// Windows of a text: example n is `len` characters from position n, and the same shifted by one.
#[derive(Clone)]
pub struct TextWindows {
    ids: Arc<[i64]>,
    len: usize,
}

impl TextWindows {
    /// Windows of `len` characters. Fails if the text is too short for one.
    pub fn new(ids: impl Into<Vec<i64>>, len: usize) -> Result<TextWindows> {
        let ids: Vec<i64> = ids.into();
        if ids.len() <= len || len == 0 {
            let what =
                format!("{} characters are too few for a window of {len} plus one", ids.len());
            return Err(Error::data("text", what));
        }
        Ok(TextWindows { ids: ids.into(), len })
    }
}

impl Dataset for TextWindows {
    fn len(&self) -> usize {
        self.ids.len() - self.len
    }

    fn batch(&self, rows: &[usize]) -> Result<Batch> {
        let (mut x, mut y): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
        for &row in rows {
            let Some(window) = self.ids.get(row..row + self.len + 1) else {
                return Err(Error::argument("text", format!("window {row} is out of range")));
            };
            x.extend(&window[..self.len]);
            y.extend(&window[1..]);
        }
        let shape = [rows.len(), self.len];
        Ok(vec![Tensor::from_vec(x, shape), Tensor::from_vec(y, shape)])
    }
}
