//! Loss functions.
use super::prelude::*;

entries![];
