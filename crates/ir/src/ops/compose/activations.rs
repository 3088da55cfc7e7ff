//! Activation functions.
use super::prelude::*;

entries![];
