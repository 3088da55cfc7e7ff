//! Horizontal fusion: reductions that share a launch although neither reads the other.
use super::Groups;
use crate::schedule::kernel::{Domain, Granularity};
use brasa_ir::Id;
use brasa_ir::ops::Op;
use std::collections::HashMap;

impl Groups<'_> {
    /// Merges reductions over the same domain that share an operand: both use one pass over it.
    pub(super) fn merge_siblings(&mut self) {
        let mut readers: HashMap<(Id, Domain), Vec<usize>> = HashMap::new();
        for n in 0..self.groups.len() {
            let group = &self.groups[n];
            if group.merged_into.is_some() || !group.has_reduce {
                continue;
            }
            for &id in &group.nodes {
                for dependency in self.dependencies(id).iter().filter(|r| r.group != Some(n)) {
                    let is_full = self.g[dependency.base].ty.elements()
                        == group.domain.elements(Granularity::PerElement);
                    if is_full {
                        readers.entry((dependency.base, group.domain.clone())).or_default().push(n);
                    }
                }
            }
        }
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for list in readers.values() {
            pairs.extend(list.windows(2).map(|pair| (pair[0], pair[1])));
        }
        pairs.sort_unstable();
        for (a, b) in pairs {
            let (a, b) = (self.root(a), self.root(b));
            if a != b {
                self.merge(a, b);
            }
        }
    }

    /// Merges pairs of reductions over the same domain whose results no other group reads, such as
    /// the sums that update biases. Only for devices that ask for few launches.
    pub(super) fn merge_unread(&mut self) {
        if self.target.joint_inputs == 0 {
            return;
        }
        let mut written_to: Vec<Option<Id>> = vec![None; self.g.len()];
        for (_, node) in self.g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_))) {
            written_to[node.inputs[1].index()] = Some(node.inputs[0]);
        }
        let mut waiting: HashMap<Domain, usize> = HashMap::new();
        for n in 0..self.groups.len() {
            let group = &self.groups[n];
            let is_unread = group.readers.iter().all(|&reader| self.root(reader) == n);
            if group.merged_into.is_some() || !group.has_reduce || group.is_library || !is_unread {
                continue;
            }
            let domain = group.domain.clone();
            let is_merged = match waiting.remove(&domain) {
                Some(other) => {
                    self.count_inputs(other, n, &written_to) <= self.target.joint_inputs
                        && self.merge(other, n)
                }
                None => false,
            };
            if !is_merged {
                waiting.insert(domain, n);
            }
        }
    }

    /// The number of program inputs that two groups read or write. `written_to` is the input that
    /// each node's value is written to.
    fn count_inputs(&self, a: usize, b: usize, written_to: &[Option<Id>]) -> usize {
        let nodes = || self.groups[a].nodes.iter().chain(&self.groups[b].nodes);
        let reads = nodes().flat_map(|&id| self.dependencies(id)).map(|dependency| dependency.base);
        let is_input = |id: &Id| matches!(self.g[*id].op, Op::Input(_));
        let mut inputs: Vec<Id> = reads.filter(is_input).collect();
        inputs.extend(nodes().filter_map(|id| written_to[id.index()]));
        inputs.sort_unstable();
        inputs.dedup();
        inputs.len()
    }
}
