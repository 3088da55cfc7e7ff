//! Sorting, selecting by rank and searching.
use super::prelude::*;

entries![];
