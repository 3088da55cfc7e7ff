//! Convolutions and their transposes.
use super::prelude::*;

entries![];
