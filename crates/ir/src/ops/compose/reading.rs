//! Ops whose result's shape depends on data.
use super::prelude::*;

entries![];
