//! Index range checks of a graph. Simplification turns some gathers and scatters into masks, which
//! ignore indices out of range. Such indices are checked separately, by one small reduction each, so
//! that they are still an error.
use brasa_ir::{Error, Id, Type};

/// An index range check in a graph: the nodes that compute its result.
#[derive(Clone, Debug)]
pub(crate) struct IndexCheck {
    /// The number of indices before the first one out of range.
    pub(crate) before: Id,
    /// The value of that index.
    pub(crate) at: Id,
    pub(crate) positions: Positions,
}

/// Which indices of which op are checked, along which axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Positions {
    pub op: String,
    pub axis: usize,
    pub input: Type,
    pub index: Type,
}

impl Positions {
    /// The error for an index out of range.
    pub fn out_of_range(&self, at: i64) -> Error {
        let Positions { op, axis, input, index } = self;
        let len = input.shape[*axis];
        let what = format!("index {at} is out of range for axis {axis} of length {len}");
        Error::data(op, what).operand("input", input).operand("index", index)
    }
}
