//! Pooling over windows.
use super::prelude::*;

entries![];
