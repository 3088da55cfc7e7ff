//! Joining and splitting tensors.
use super::prelude::*;

entries![];
