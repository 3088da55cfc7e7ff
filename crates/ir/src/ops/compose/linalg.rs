//! Matrix products and what is made of them.
use super::prelude::*;

entries![];
