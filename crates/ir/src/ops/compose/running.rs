//! Running results and differences along a dim.
use super::prelude::*;

entries![];
