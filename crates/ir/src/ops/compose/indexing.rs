//! Picking and placing elements by index.
use super::prelude::*;

entries![];
