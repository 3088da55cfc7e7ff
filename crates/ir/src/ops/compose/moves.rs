//! Movement: the same elements in another arrangement.
use super::prelude::*;

entries![];
