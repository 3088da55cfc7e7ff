//! Index range checks. Simplification turns some gathers and scatters into masks, which ignore
//! indices out of range. Such indices are checked separately, by one small reduction each, so that
//! they are still an error.
use crate::plan::BufferId;
use brasa_ir::{Error, Id, Site, Type};

/// An index range check in a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The launch after which the result of the check is known.
    pub launch: usize,
    /// The number of indices before the first one out of range, and the value of that index. Both
    /// are a single `i64`.
    pub before: BufferId,
    pub at: BufferId,
    pub positions: Positions,
    /// The user's call and its source location.
    pub call: String,
    pub site: String,
}

/// Which indices of which op are checked, along which axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Positions {
    pub op: String,
    pub axis: usize,
    pub input: Type,
    pub index: Type,
}

impl Bound {
    /// The error if a run found an index out of range.
    pub fn verdict(&self, before: i64, at: i64) -> Result<(), Error> {
        if before >= self.positions.index.elements() as i64 {
            return Ok(());
        }
        let error = self.positions.out_of_range(at);
        Err(error.within(&self.call).at(Site::Text(self.site.as_str().into())))
    }
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

/// An index range check in a graph: the nodes that compute its result.
#[derive(Clone, Debug)]
pub(crate) struct IndexCheck {
    pub(crate) before: Id,
    pub(crate) at: Id,
    pub(crate) positions: Positions,
}
