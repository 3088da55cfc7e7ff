//! How rows are distributed over threads. A row is the set of elements that a reduction or an
//! argmax/argmin combines.
use super::threads::THREADS;

pub(crate) struct RowPartition {
    pub(crate) rows: usize,
    pub(crate) len: usize,
    /// Threads per row, and rows per workgroup; both are powers of two.
    pub(crate) lanes: usize,
    pub(crate) per_group: usize,
    /// Whether neighbours in memory belong to different rows.
    pub(crate) is_by_columns: bool,
    /// Workgroups per row. More than one for few long rows; each stage of reductions then takes a
    /// pass.
    pub(crate) parts: usize,
}

/// Maximum loop iterations of a thread on a software adapter: Mesa ends all loops of a thread
/// together after 65,535.
pub(crate) const MAX_ITERATIONS: usize = 32_768;
/// Threads that keep a device busy.
pub(crate) const BUSY_THREADS: usize = 16_384;
/// Rows are split if they take fewer workgroups than this, with at least twice as many iterations
/// per thread as this.
const FEW_GROUPS: usize = 16;
const MIN_PART_ITERATIONS: usize = 128;

/// Threads per row on a software adapter, which has few cores and expensive barriers; enough to
/// keep the iterations of each far below [`MAX_ITERATIONS`].
fn software_lanes(rows: usize, len: usize) -> usize {
    let few = if rows >= 64 { 1 } else { 16 };
    few.max(len.div_ceil(MAX_ITERATIONS / 4).next_power_of_two())
}

impl RowPartition {
    /// Distributes each row over one workgroup, or several rows over one.
    pub(crate) fn new(
        rows: usize,
        len: usize,
        is_by_columns: bool,
        is_software: bool,
    ) -> RowPartition {
        // A thread accumulates at least four elements before it synchronizes, or more if there
        // are enough rows.
        let most = len.div_ceil(4).next_power_of_two().min(THREADS);
        let lanes = match is_by_columns {
            false => most,
            true => {
                let wanted = BUSY_THREADS.div_ceil(rows.max(1)).next_power_of_two();
                let available = THREADS / rows.next_power_of_two().clamp(1, 16);
                wanted.min(most).min(available)
            }
        };
        let lanes = if is_software { lanes.min(software_lanes(rows, len)) } else { lanes };
        let per_group = (THREADS / lanes).min(rows.next_power_of_two());
        RowPartition { rows, len, lanes, per_group, is_by_columns, parts: 1 }
    }

    /// Splits few long rows; each part leaves `words` words for the next pass.
    pub(crate) fn split(mut self, words: usize, max_words: usize) -> RowPartition {
        let (groups, iterations) = (self.groups(), self.len / self.lanes);
        if groups < FEW_GROUPS && iterations >= 2 * MIN_PART_ITERATIONS {
            let wanted =
                (BUSY_THREADS / THREADS / groups.max(1)).min(iterations / MIN_PART_ITERATIONS);
            let available = max_words / (self.rows * words).max(1);
            self.parts = wanted.min(available).max(1);
        }
        self
    }

    pub(crate) fn threads(&self) -> usize {
        self.lanes * self.per_group
    }

    /// The number of workgroups for one part.
    pub(crate) fn groups(&self) -> usize {
        self.rows.div_ceil(self.per_group)
    }

    /// The distance of neighbouring lanes in workgroup memory.
    pub(crate) fn step(&self) -> usize {
        if self.is_by_columns { self.per_group } else { 1 }
    }

    /// The number of elements of a part.
    pub(crate) fn part(&self) -> usize {
        self.len.div_ceil(self.parts)
    }

    /// Expressions for a thread's row within its workgroup, and its lane within the row.
    pub(crate) fn row_and_lane(&self) -> (String, String) {
        let RowPartition { lanes, per_group, .. } = self;
        match self.is_by_columns {
            true => (format!("local % {per_group}u"), format!("local / {per_group}u")),
            false => (format!("local / {lanes}u"), format!("local % {lanes}u")),
        }
    }
}
