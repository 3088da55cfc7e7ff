//! X.
use super::prelude::*;

entries![];
