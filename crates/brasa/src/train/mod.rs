//! Training loops: epochs, metrics, checkpoints, progress bars and logs, all optional.
//!
//! ```
//! use brasa::data::{DataLoader, spiral};
//! use brasa::nn::{Linear, Module, Sequential, Tanh};
//! use brasa::train::{Classification, Trainer};
//! use brasa::{Tensor, manual_seed, ops, optim::Adam};
//! # fn main() -> brasa::Result<()> {
//! manual_seed(0);
//! let model = Sequential::new().add(Linear::new(2, 32)).add(Tanh).add(Linear::new(32, 2));
//! let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
//! let mut loader = DataLoader::new(spiral(256, 2, 1)?, 64).shuffle(2);
//! let mut trainer = Trainer::new(&model, loss, Adam::new(0.02).build(model.parameters()));
//! trainer.epochs(40).measure(|| {
//!     let mut test = DataLoader::new(spiral(200, 2, 9)?, 100);
//!     let mut seen = Classification::new(2);
//!     for batch in test.epoch() {
//!         let batch = batch?;
//!         seen.add(&model.forward(&batch[0]), &batch[1])?;
//!     }
//!     Ok(seen.measures())
//! });
//! let outcome = trainer.fit(&mut loader)?;
//! assert!(outcome.measures["accuracy"] > 0.9);
//! # Ok(())
//! # }
//! ```
mod events;
mod gradients;
mod measures;
mod nan;
mod progress;
mod trainer;

pub use events::{Ended, Event, EventLog, read_events};
pub use measures::{Classification, Measures};
pub use nan::{NanOrigin, find_nan};
pub use progress::ProgressBar;
pub use trainer::{Next, Outcome, StopFlag, Trainer};
