//! How threads share rows: the elements that become one, by a reduction or as the place of an extreme.
use super::threads::THREADS;

pub(crate) struct Sharing {
    pub(crate) rows: usize,
    pub(crate) len: usize,
    /// Threads of one row, and rows of one workgroup; powers of two.
    pub(crate) lanes: usize,
    pub(crate) per_group: usize,
    /// Whether neighbours in memory are of different rows.
    pub(crate) is_by_columns: bool,
    /// Workgroups that share a row: more than one for few long rows, which then take a pass for each
    /// set of reductions.
    pub(crate) parts: usize,
}

/// Turns that a thread of software may take: Mesa's ends all loops of a thread together after 65,535.
pub(crate) const MOST_TURNS: usize = 32_768;
/// Threads that keep a device busy.
pub(crate) const BUSY: usize = 16_384;
/// Rows in fewer workgroups than this, and of so many elements for each thread, are split.
const FEW_GROUPS: usize = 16;
const MANY_TURNS: usize = 128;

/// Threads of a row on software, which has few cores, and for which barriers are dear; as many as keep
/// the turns of each far below what it may take.
fn software_lanes(rows: usize, len: usize) -> usize {
    let few = if rows >= 64 { 1 } else { 16 };
    few.max(len.div_ceil(MOST_TURNS / 4).next_power_of_two())
}

impl Sharing {
    /// One workgroup for each row, or for several.
    pub(crate) fn new(rows: usize, len: usize, is_by_columns: bool, is_software: bool) -> Sharing {
        // A thread has four elements to add up before it meets the others, or more if there are
        // rows enough.
        let most = len.div_ceil(4).next_power_of_two().min(THREADS);
        let lanes = match is_by_columns {
            false => most,
            true => {
                let wanted = BUSY.div_ceil(rows.max(1)).next_power_of_two();
                let room = THREADS / rows.next_power_of_two().clamp(1, 16);
                wanted.min(most).min(room)
            }
        };
        let lanes = if is_software { lanes.min(software_lanes(rows, len)) } else { lanes };
        let per_group = (THREADS / lanes).min(rows.next_power_of_two());
        Sharing { rows, len, lanes, per_group, is_by_columns, parts: 1 }
    }

    /// Splits few long rows, each part of which leaves `words` words for the next pass.
    pub(crate) fn split(mut self, words: usize, most_words: usize) -> Sharing {
        let (groups, turns) = (self.groups(), self.len / self.lanes);
        if groups < FEW_GROUPS && turns >= 2 * MANY_TURNS {
            let wanted = (BUSY / THREADS / groups.max(1)).min(turns / MANY_TURNS);
            let room = most_words / (self.rows * words).max(1);
            self.parts = wanted.min(room).max(1);
        }
        self
    }

    pub(crate) fn threads(&self) -> usize {
        self.lanes * self.per_group
    }

    /// The workgroups of one part.
    pub(crate) fn groups(&self) -> usize {
        self.rows.div_ceil(self.per_group)
    }

    /// From one lane to the next in workgroup memory.
    pub(crate) fn step(&self) -> usize {
        if self.is_by_columns { self.per_group } else { 1 }
    }

    /// Elements of a part.
    pub(crate) fn part(&self) -> usize {
        self.len.div_ceil(self.parts)
    }

    /// The row of a thread within its workgroup, and its lane in that.
    pub(crate) fn places(&self) -> (String, String) {
        let Sharing { lanes, per_group, .. } = self;
        match self.is_by_columns {
            true => (format!("local % {per_group}u"), format!("local / {per_group}u")),
            false => (format!("local / {lanes}u"), format!("local % {lanes}u")),
        }
    }
}
