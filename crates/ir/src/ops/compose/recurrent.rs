//! Recurrent cells and layers.
use super::prelude::*;

entries![];
