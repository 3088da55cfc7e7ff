//! Heights: a group is higher than all that it reads from, so that a search for one that another needs
//! stays between the two.
use super::Groups;
use crate::effort;

/// Groups that are followed down from the one that may need another, at most. Where they do not suffice,
/// the answer is that it may.
const MOST_VISITS: usize = 1024;
/// Links that are followed from each end, at most: some groups have hundreds, and a value that all read
/// any number.
const MOST_LINKS: usize = 8192;

/// A group of many readers is lifted by more than it has to be, one step for each so many of them: it need
/// not be lifted again soon. What reads the norm of all gradients was lifted once for each two of these.
const LIFTED_AT_ONCE: usize = 64;

/// What searches have met, without forgetting it one by one before the next.
#[derive(Default)]
pub(super) struct Search {
    /// The number of the search, and the last one that met each group from above and from below.
    number: usize,
    met: [Vec<usize>; 2],
    /// The groups that are to be followed, from above and from below.
    todo: [Vec<usize>; 2],
}

/// The two ends of a search.
const DOWN: usize = 0;
const UP: usize = 1;

impl Search {
    fn begin(&mut self, groups: usize, ends: [usize; 2]) {
        self.number += 1;
        self.met.iter_mut().for_each(|met| met.resize(groups, 0));
        self.todo.iter_mut().for_each(Vec::clear);
        for side in [DOWN, UP] {
            self.meet(ends[side], side);
        }
    }

    /// Takes note of a group; whether the other side has met it before.
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
    /// Whether group `from` needs group `to`, directly or not, or may do so.
    pub(super) fn depends(&self, from: usize, to: usize) -> bool {
        let (from, to) = (self.root(from), self.root(to));
        if from == to || self.groups[from].height <= self.groups[to].height {
            return from == to;
        }
        let mut links = [0, 0];
        let found = self.finds_way(from, to, &mut links);
        effort::spend(links[DOWN] + links[UP]);
        found
    }

    /// Looks for a way from both ends, always where fewer links were followed: few groups read from a
    /// young one, and an old one reads from few.
    fn finds_way(&self, from: usize, to: usize, links: &mut [usize; 2]) -> bool {
        let mut search = self.search.borrow_mut();
        search.begin(self.groups.len(), [from, to]);
        let between = self.groups[to].height + 1..self.groups[from].height;
        let mut visits = 0;
        loop {
            // Where one side ends, there is no way.
            let [Some(&down), Some(&up)] = search.todo.each_ref().map(|todo| todo.last()) else {
                return false;
            };
            let lists = [&self.groups[down].after, &self.groups[up].readers];
            let followed = [DOWN, UP].map(|side| links[side] + lists[side].len() + 1);
            let side = if followed[DOWN] <= followed[UP] { DOWN } else { UP };
            if followed[side] > MOST_LINKS || visits == MOST_VISITS {
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

    /// Makes group `n` at least so high, and those that read from it higher.
    pub(super) fn lift(&mut self, n: usize, height: usize) {
        let mut todo = vec![(n, height)];
        while let Some((n, height)) = todo.pop() {
            let group = &mut self.groups[n];
            if height <= group.height {
                continue;
            }
            group.lifted += group.readers.len();
            group.height = height + group.lifted / LIFTED_AT_ONCE;
            let (next, group) = (group.height + 1, &self.groups[n]);
            effort::spend(group.readers.len());
            let readers = group.readers.iter().map(|&m| self.root(m));
            todo.extend(readers.filter(|&m| m != n).map(|m| (m, next)));
        }
    }
}
