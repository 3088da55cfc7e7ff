//! Bounds: positions that are compared with instead of being followed are looked at once, so that one
//! out of range is an error there too. Each costs one small reduction.
use crate::plan::BufferId;
use brasa_ir::{Error, Id, Site, Type};

/// Positions that have to lie inside an axis, as a program knows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The launch after which this is known.
    pub launch: usize,
    /// How many positions come before the first that lies outside, and that one; both are one `i64`.
    pub before: BufferId,
    pub at: BufferId,
    pub positions: Positions,
    /// The call they were recorded for, and where that stands.
    pub call: String,
    pub site: String,
}

/// What has positions along which axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Positions {
    pub op: String,
    pub axis: usize,
    pub input: Type,
    pub index: Type,
}

impl Bound {
    /// The error, if a run found fewer good positions than there are.
    pub fn verdict(&self, before: i64, at: i64) -> Result<(), Error> {
        if before >= self.positions.index.elements() as i64 {
            return Ok(());
        }
        let error = self.positions.out_of_range(at);
        Err(error.within(&self.call).at(Site::Text(self.site.as_str().into())))
    }
}

impl Positions {
    /// The error for a position that lies outside.
    pub fn out_of_range(&self, at: i64) -> Error {
        let Positions { op, axis, input, index } = self;
        let len = input.shape[*axis];
        let what = format!("index {at} is out of range for axis {axis} of length {len}");
        Error::data(op, what).operand("input", input).operand("index", index)
    }
}

/// A bound in a graph: the nodes that look at the positions.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) before: Id,
    pub(crate) at: Id,
    pub(crate) positions: Positions,
}
