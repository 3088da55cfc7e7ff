//! Many elements to one along dims.
use super::prelude::*;

entries![];
