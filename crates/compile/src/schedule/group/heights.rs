//! Heights: every group has a larger height than the groups it reads from, so that a search for a
//! path between two groups only visits groups of heights in between.
use super::Groups;
use crate::effort;

/// Maximum number of groups visited from the dependent end. If they do not suffice, the search
/// assumes that there is a path.
const MAX_VISITS: usize = 1024;
/// Maximum number of edges followed from each end: some groups have hundreds, and a value that all
/// groups read has any number.
const MAX_LINKS: usize = 8192;

/// A group with many readers is raised by one additional step per this many readers, so that it
/// need not be raised again soon. Readers of the norm of all gradients were raised once per two
/// gradients.
const READERS_PER_STEP: usize = 64;

/// State of a bidirectional search, kept between searches. Marks hold the number of the search, so
/// that they need no clearing.
#[derive(Default)]
pub(super) struct PathSearch {
    /// The number of this search, and the last search that met each group from above and from
    /// below.
    number: usize,
    met: [Vec<usize>; 2],
    /// The groups still to visit, from above and from below.
    todo: [Vec<usize>; 2],
}

/// The two ends of a search.
const DOWN: usize = 0;
const UP: usize = 1;

impl PathSearch {
    fn begin(&mut self, groups: usize, ends: [usize; 2]) {
        self.number += 1;
        self.met.iter_mut().for_each(|met| met.resize(groups, 0));
        self.todo.iter_mut().for_each(Vec::clear);
        for side in [DOWN, UP] {
            self.meet(ends[side], side);
        }
    }

    /// Marks a group as met; returns whether the other side has met it already.
    fn meet(&mut self, n: usize, side: usize) -> bool {
        if self.met[1 - side][n] == self.number {
            return true;
        }
        if std::mem::replace(&mut self.met[side][n], self.number) != self.number {
            self.todo[side].push(n);
        }
        false
    }
}

impl Groups<'_> {
    /// Whether group `from` depends on group `to`, directly or not. May err towards true.
    pub(super) fn depends(&self, from: usize, to: usize) -> bool {
        let (from, to) = (self.root(from), self.root(to));
        if from == to || self.groups[from].height <= self.groups[to].height {
            return from == to;
        }
        let mut links = [0, 0];
        let found = self.has_path(from, to, &mut links);
        effort::spend(links[DOWN] + links[UP]);
        found
    }

    /// Searches a path from both ends, always advancing the end that followed fewer edges: few
    /// groups read from a new group, and an old group reads from few.
    fn has_path(&self, from: usize, to: usize, links: &mut [usize; 2]) -> bool {
        let mut search = self.search.borrow_mut();
        search.begin(self.groups.len(), [from, to]);
        let between = self.groups[to].height + 1..self.groups[from].height;
        let mut visits = 0;
        loop {
            // If one side is exhausted, there is no path.
            let [Some(&down), Some(&up)] = search.todo.each_ref().map(|todo| todo.last()) else {
                return false;
            };
            let lists = [&self.groups[down].producers, &self.groups[up].readers];
            let followed = [DOWN, UP].map(|side| links[side] + lists[side].len() + 1);
            let side = if followed[DOWN] <= followed[UP] { DOWN } else { UP };
            if followed[side] > MAX_LINKS || visits == MAX_VISITS {
                return true;
            }
            links[side] = followed[side];
            visits += usize::from(side == DOWN);
            search.todo[side].pop();
            for next in lists[side].iter().map(|&next| self.root(next)) {
                let is_end = next == from || next == to;
                let is_between = is_end || between.contains(&self.groups[next].height);
                if is_between && search.meet(next, side) {
                    return true;
                }
            }
        }
    }

    /// Raises group `n` to at least this height, and its readers above it.
    pub(super) fn raise(&mut self, n: usize, height: usize) {
        let mut todo = vec![(n, height)];
        while let Some((n, height)) = todo.pop() {
            let group = &mut self.groups[n];
            if height <= group.height {
                continue;
            }
            group.raised += group.readers.len();
            group.height = height + group.raised / READERS_PER_STEP;
            let (next, group) = (group.height + 1, &self.groups[n]);
            effort::spend(group.readers.len());
            let readers = group.readers.iter().map(|&m| self.root(m));
            todo.extend(readers.filter(|&m| m != n).map(|m| (m, next)));
        }
    }
}
