//! Elementwise arithmetic, comparison and logic with PyTorch's arguments.
use super::prelude::*;

entries![];
