//! Metrics of a classifier: accuracy, confusion matrix, cross entropy, perplexity.
use crate::{Error, Result, Tensor};
use std::collections::BTreeMap;
use std::fmt;

/// Metrics by name.
pub type Measures = BTreeMap<String, f64>;

/// The results of a classifier on a set of examples. Also for text, where the class is the next
/// character.
#[derive(Clone, Debug)]
pub struct Classification {
    classes: usize,
    top: usize,
    /// Number of examples by class and prediction.
    confusion: Vec<u64>,
    in_top: u64,
    loss: f64,
}

impl Classification {
    /// No examples yet, with this many classes. [`top_accuracy`](Self::top_accuracy) counts the
    /// best 5 predictions.
    pub fn new(classes: usize) -> Classification {
        let confusion = vec![0; classes * classes];
        Classification { classes, top: 5.min(classes), confusion, in_top: 0, loss: 0.0 }
    }

    /// Sets how many of the best predictions [`top_accuracy`](Self::top_accuracy) counts.
    pub fn top(mut self, k: usize) -> Classification {
        self.top = k;
        self
    }

    /// Adds scores `[…, classes]` and the correct classes `[…]`.
    pub fn add(&mut self, scores: &Tensor, labels: &Tensor) -> Result<()> {
        let wanted = [labels.shape(), &[self.classes]].concat();
        if scores.shape() != wanted {
            let what = format!("scores {:?} for labels {:?}", scores.shape(), labels.shape());
            return Err(Error::shape("classification", what));
        }
        let (scores, labels) = (scores.to_vec::<f32>()?, labels.to_vec::<i64>()?);
        for (scores, &label) in scores.chunks_exact(self.classes).zip(&labels) {
            let Some(label) = usize::try_from(label).ok().filter(|&label| label < self.classes)
            else {
                let what = format!("label {label} is out of range for {} classes", self.classes);
                return Err(Error::data("classification", what));
            };
            self.add_one(scores, label);
        }
        Ok(())
    }

    fn add_one(&mut self, scores: &[f32], label: usize) {
        let own = scores[label];
        // Ties are broken in favor of the lower class.
        let better = scores
            .iter()
            .enumerate()
            .filter(|&(n, &score)| score > own || (score == own && n < label) || score.is_nan());
        let better = better.count();
        self.in_top += u64::from(better < self.top);
        let best = scores.iter().enumerate().fold(
            0,
            |best, (n, score)| {
                if *score > scores[best] { n } else { best }
            },
        );
        self.confusion[label * self.classes + best] += 1;
        let max = f64::from(scores[best]);
        let sum: f64 = scores.iter().map(|&score| (f64::from(score) - max).exp()).sum();
        self.loss += max + sum.ln() - f64::from(own);
    }

    /// Number of examples.
    pub fn count(&self) -> u64 {
        self.confusion.iter().sum()
    }

    /// Fraction of correct predictions.
    pub fn accuracy(&self) -> f64 {
        let right: u64 = (0..self.classes).map(|n| self.confusion[n * self.classes + n]).sum();
        right as f64 / self.count() as f64
    }

    /// Fraction of examples whose class is among the best predictions.
    pub fn top_accuracy(&self) -> f64 {
        self.in_top as f64 / self.count() as f64
    }

    /// The mean cross entropy.
    pub fn loss(&self) -> f64 {
        self.loss / self.count() as f64
    }

    /// The exponential of the mean cross entropy.
    pub fn perplexity(&self) -> f64 {
        self.loss().exp()
    }

    /// Number of examples of class `class` that were predicted as `guess`.
    pub fn confused(&self, class: usize, guess: usize) -> u64 {
        self.confusion.get(class * self.classes + guess).copied().unwrap_or(0)
    }

    /// `loss` and `accuracy` by name.
    pub fn measures(&self) -> Measures {
        let rows = [("loss", self.loss()), ("accuracy", self.accuracy())];
        rows.map(|(name, value)| (name.to_string(), value)).into()
    }
}

/// The confusion matrix: a row for each class, a column for each prediction.
impl fmt::Display for Classification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest = self.confusion.iter().max().map_or(0, |n| n.to_string().len());
        let width = largest.max(self.classes.to_string().len()) + 2;
        write!(f, "class ")?;
        (0..self.classes).try_for_each(|guess| write!(f, "{guess:>width$}"))?;
        writeln!(f, "   recall")?;
        for class in 0..self.classes {
            write!(f, "{class:>5} ")?;
            let row = &self.confusion[class * self.classes..(class + 1) * self.classes];
            for count in row {
                match count {
                    0 => write!(f, "{:>width$}", "·")?,
                    _ => write!(f, "{count:>width$}")?,
                }
            }
            let all: u64 = row.iter().sum();
            writeln!(f, "  {:>6.2}%", 100.0 * row[class] as f64 / all.max(1) as f64)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_three_predictions_are_correct() {
        let mut seen = Classification::new(3).top(2);
        let scores = Tensor::new([[3.0, 1.0, 0.0], [0.0, 2.0, 1.0], [5.0, 2.0, 1.0]]);
        seen.add(&scores, &Tensor::new([0, 2, 2])).unwrap();
        assert_eq!(seen.count(), 3);
        assert!((seen.accuracy() - 1.0 / 3.0).abs() < 1e-12);
        assert!((seen.top_accuracy() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((seen.confused(2, 1), seen.confused(2, 0), seen.confused(1, 1)), (1, 1, 0));
        let want = crate::ops::cross_entropy(&scores, &Tensor::new([0, 2, 2]));
        assert!((seen.loss() - f64::from(want.item::<f32>().unwrap())).abs() < 1e-6);
        assert!((seen.perplexity() - seen.loss().exp()).abs() < 1e-12);
        assert!(seen.to_string().contains("recall"));
        assert!(seen.add(&scores, &Tensor::new([0, 1, 7])).is_err());
        assert!(seen.add(&scores, &Tensor::new([0, 1])).is_err());
    }
}
