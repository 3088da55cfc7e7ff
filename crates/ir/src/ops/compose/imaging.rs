//! Images: resampling, geometry and colour.
use super::prelude::*;

entries![];
