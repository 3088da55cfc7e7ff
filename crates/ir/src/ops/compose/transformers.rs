//! Attention and the other parts of transformers.
use super::prelude::*;

entries![];
