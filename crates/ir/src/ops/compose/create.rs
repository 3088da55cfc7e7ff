//! Tensors from nothing: constants, ranges, patterns.
use super::prelude::*;

entries![];
