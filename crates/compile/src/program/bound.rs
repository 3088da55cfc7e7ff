//! Index range checks of a program: where a device finds their results, and the error that follows.
use crate::graph::index_check::Positions;
use crate::memory::plan::BufferId;
use brasa_ir::{Error, Site};

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
