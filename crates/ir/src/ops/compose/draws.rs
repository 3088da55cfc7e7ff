//! Random tensors, all from the counter-based generator.
use super::prelude::*;

entries![];
