//! Groups: which nodes share a kernel. Nodes are placed in the order of the graph, each with a
//! group that one of its operands is in, if their domains agree and no cycle of kernels arises.
mod chains;
mod heights;
mod siblings;

pub(crate) use chains::has_rows_of;

use heights::Search;

use crate::kernel::{Domain, Level};
use crate::program::Options;
use crate::schedule::{Traits, fit, is_library, is_movement, own_domain};
use brasa_ir::ops::Op;
use brasa_ir::view::View;
use brasa_ir::{Graph, Id};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Index;

/// How a node sees one of its operands.
pub(crate) enum Fit {
    /// Element by element.
    Same,
    Through(View),
}

/// Nodes that become one kernel.
pub(crate) struct Group {
    pub(crate) domain: Domain,
    pub(crate) nodes: Vec<Id>,
    pub(crate) why: String,
    is_library: bool,
    /// Columns of the product it is built around, if these may be reduced with it.
    columns: Option<usize>,
    has_reduce: bool,
    /// The group that makes the rows of its product's left operand, in the same kernel.
    pub(crate) rows: Option<usize>,
    /// The groups it reads from directly, and those that read from it.
    after: Vec<usize>,
    readers: Vec<usize>,
    /// More than that of every group it reads from.
    height: usize,
    /// How many readers were lifted together with it so far.
    lifted: usize,
    /// Where its nodes went when it was merged into another.
    merged_into: Option<usize>,
}

pub(crate) struct Groups<'a> {
    g: &'a Graph,
    traits: &'a Traits,
    options: &'a Options,
    groups: Vec<Group>,
    of: Vec<Option<usize>>,
    level: Vec<Level>,
    search: RefCell<Search>,
}

impl Index<usize> for Groups<'_> {
    type Output = Group;
    fn index(&self, n: usize) -> &Group {
        &self.groups[n]
    }
}

/// Rows of a product that are reduced while they are hot: long enough to be reduced one by one, and
/// short enough for a few dozen of them to stay in the second-level cache.
const HOT_ROWS: std::ops::RangeInclusive<usize> = 32..=2048;
/// Rows up to this long are hot whatever they are sums of; longer ones only if all columns of the
/// right operand stay in the second-level cache beside them.
const SHORT_ROWS: usize = 512;
const RIGHT_OPERAND: usize = 1 << 18;

/// Nodes of one kernel, at most: what devices make of a kernel may take the square of its steps. Models
/// have some 60 of them.
const MOST_NODES: usize = 256;
/// Whether a domain reduces whole rows of a product while they are hot.
pub(crate) fn is_hot(domain: &Domain, columns: usize) -> bool {
    domain.row() == Some(columns) && HOT_ROWS.contains(&columns)
}

impl Group {
    /// Whether it is built around a product whose rows a domain reduces.
    fn makes_rows_of(&self, domain: &Domain) -> bool {
        self.columns.is_some_and(|columns| is_hot(domain, columns))
    }
}

/// An operand of the node being placed, with the group its base is in.
pub(crate) struct Reach {
    pub(crate) base: Id,
    moves: Vec<Id>,
    pub(crate) group: Option<usize>,
}

impl<'a> Groups<'a> {
    fn new(g: &'a Graph, traits: &'a Traits, options: &'a Options) -> Groups<'a> {
        let (of, level) = (vec![None; g.len()], vec![Level::Full; g.len()]);
        let (groups, search) = (Vec::new(), RefCell::default());
        Groups { g, traits, options, groups, of, level, search }
    }

    /// The groups of all nodes that are computed.
    pub(crate) fn of_all(g: &'a Graph, traits: &'a Traits, options: &'a Options) -> Groups<'a> {
        let mut groups = Groups::new(g, traits, options);
        for id in g.ids().filter(|&id| traits.is_computed(id)) {
            groups.place(id);
        }
        groups.merge_siblings();
        groups.merge_last();
        groups.chain_products();
        groups
    }

    /// The group a node is in.
    pub(crate) fn of(&self, id: Id) -> Option<usize> {
        let mut n = self.of[id.index()]?;
        while let Some(next) = self.groups[n].merged_into {
            n = next;
        }
        Some(n)
    }

    pub(crate) fn level(&self, id: Id) -> Level {
        self.level[id.index()]
    }

    /// Finds a group for a node, or begins one.
    fn place(&mut self, id: Id) {
        let reaches = self.reaches(id);
        let mut near: Vec<usize> = reaches.iter().filter_map(|r| r.group).collect();
        near.sort_unstable();
        near.dedup();
        let mut why = match &self.g[id].op {
            op if is_library(op) => format!("{} is a library op", op.name()),
            _ if near.is_empty() => "it reads no other kernel's result".to_string(),
            _ => String::new(),
        };
        let mut home = None;
        // The youngest group first: its values are the most likely to be in the cache.
        for &n in near.iter().rev() {
            match self.joins(id, &reaches, n, &near) {
                Ok(level) => {
                    home = Some((n, level));
                    break;
                }
                Err(reason) => why = reason,
            }
        }
        let (n, level) = home.unwrap_or_else(|| self.begin(id, why));
        self.add(id, n, level, &near);
        self.merge_operands(id, &reaches, n);
    }

    /// What a node is computed from outside of light work.
    pub(crate) fn reaches(&self, id: Id) -> Vec<Reach> {
        let bases = self.g[id].inputs.iter().flat_map(|&input| self.traits.bases(self.g, input));
        let reach = |(base, mut moves): (Id, Vec<Id>)| {
            // Movement with a buffer of its own is itself part of the way.
            moves.extend(is_movement(&self.g[id].op).then_some(id));
            Reach { base, moves, group: self.of(base) }
        };
        bases.map(reach).collect()
    }

    fn begin(&mut self, id: Id, why: String) -> (usize, Level) {
        let has_reduce = matches!(self.g[id].op, Op::Reduce(_));
        let is_product = matches!(self.g[id].op, Op::Contract(_));
        let may_reduce = is_product && self.options.reduces_products && self.has_hot_rows(id);
        let columns = self.g[id].ty.shape.last().copied().filter(|_| may_reduce);
        self.groups.push(Group {
            domain: own_domain(self.g, id),
            nodes: Vec::new(),
            why,
            is_library: is_library(&self.g[id].op),
            columns,
            has_reduce,
            rows: None,
            after: Vec::new(),
            readers: Vec::new(),
            height: 0,
            lifted: 0,
            merged_into: None,
        });
        let level = if has_reduce { Level::Row } else { Level::Full };
        (self.groups.len() - 1, level)
    }

    /// Whether rows of a product may be reduced while they are hot.
    fn has_hot_rows(&self, product: Id) -> bool {
        let right = &self.g[self.g[product].inputs[1]].ty.shape;
        let [.., k, n] = right[..] else { return false };
        n <= SHORT_ROWS || n * k <= RIGHT_OPERAND
    }

    fn add(&mut self, id: Id, n: usize, level: Level, near: &[usize]) {
        if let (Op::Reduce(_), false) = (&self.g[id].op, self.groups[n].has_reduce) {
            self.groups[n].domain = own_domain(self.g, id);
            self.groups[n].has_reduce = true;
        }
        self.of[id.index()] = Some(n);
        self.level[id.index()] = level;
        self.groups[n].nodes.push(id);
        self.connect(n, near);
    }

    /// Notes that group `n` reads from `others`.
    fn connect(&mut self, n: usize, others: &[usize]) {
        let mut height = 0;
        for &other in others {
            let other = self.root(other);
            if other != n && !self.groups[n].after.contains(&other) {
                self.groups[n].after.push(other);
                self.groups[other].readers.push(n);
                height = height.max(self.groups[other].height + 1);
            }
        }
        self.lift(n, height);
    }

    /// Drops what group `n` read from groups that are part of it by now, also by way of others.
    fn forget_own_reads(&mut self, n: usize) {
        let mut after = std::mem::take(&mut self.groups[n].after);
        after.retain(|&other| self.root(other) != n);
        self.groups[n].after = after;
    }

    /// Whether a node can be part of group `n`, and at which level; or why not.
    fn joins(&self, id: Id, reaches: &[Reach], n: usize, near: &[usize]) -> Result<Level, String> {
        let (node, group) = (&self.g[id], &self.groups[n]);
        if is_library(&node.op) {
            return Err(format!("{} is a library op", node.op.name()));
        }
        if group.nodes.len() >= MOST_NODES {
            return Err(format!("that kernel has {MOST_NODES} nodes already"));
        }
        let own: Vec<&Reach> = reaches.iter().filter(|r| r.group == Some(n)).collect();
        let level = match &node.op {
            Op::Reduce(_) => self.reduce_level(id, &own, group)?,
            _ => self.pointwise_level(id, &own, group)?,
        };
        let others = near.iter().copied().filter(|&other| other != n);
        match others.into_iter().find(|&other| self.depends(other, n)) {
            Some(_) => Err("another operand needs the result of that kernel".to_string()),
            None => Ok(level),
        }
    }

    fn reduce_level(&self, id: Id, own: &[&Reach], group: &Group) -> Result<Level, String> {
        let domain = own_domain(self.g, id);
        if group.is_library && !group.makes_rows_of(&domain) {
            return Err("it does not reduce short rows of a product".to_string());
        }
        if group.has_reduce && group.domain != domain {
            return Err(format!("it reduces {domain}, its operand's kernel {}", group.domain));
        }
        let elements = domain.elements(Level::Full);
        let is_direct = |r: &&Reach| self.is_in_step(r, Level::Full, &domain);
        if !own.iter().all(is_direct) || group.domain.elements(Level::Full) != elements {
            return Err(format!("it sees {} through movement", own[0].base));
        }
        Ok(Level::Row)
    }

    fn pointwise_level(&self, id: Id, own: &[&Reach], group: &Group) -> Result<Level, String> {
        let elements = self.g[id].ty.elements();
        let domain = &group.domain;
        for level in [Level::Full, Level::Row] {
            let has_room = domain.elements(level) == elements;
            if has_room && own.iter().all(|r| self.is_in_step(r, level, domain)) {
                return Ok(level);
            }
        }
        Err(format!("it sees {} through movement", own[0].base))
    }

    /// Joins the groups of a node's other operands to its own, where that makes one loop.
    fn merge_operands(&mut self, id: Id, reaches: &[Reach], n: usize) {
        let elements = self.g[id].ty.elements();
        for reach in reaches {
            let (Some(other), Some(home)) = (self.of(reach.base), self.of(id)) else { continue };
            let is_pointwise =
                !matches!(self.g[id].op, Op::Reduce(_)) && !is_library(&self.g[id].op);
            let is_same = is_pointwise
                && self.level(id) == Level::Full
                && matches!(fit(self.g, reach.base, &reach.moves, elements), Fit::Same);
            if other != home && is_same {
                self.merge(other, home);
            }
        }
        debug_assert!(self.of(id).is_some(), "group {n} keeps its nodes");
    }

    /// Makes one group of two, if they have one domain and neither needs the other through a third.
    fn merge(&mut self, a: usize, b: usize) -> bool {
        if self.groups[a].nodes.len() + self.groups[b].nodes.len() > MOST_NODES {
            return false;
        }
        let by_rows = [(a, b), (b, a)].into_iter().find(|&(n, other)| self.is_row_work(n, other));
        let Some((n, _)) = by_rows else { return self.merge_in_step(a, b) };
        self.set_level(n, Level::Row);
        let is_merged = self.merge_in_step(a, b);
        if !is_merged {
            self.set_level(n, Level::Full);
        }
        is_merged
    }

    /// Whether pointwise group `n` has an element for each row that group `other` reduces.
    fn is_row_work(&self, n: usize, other: usize) -> bool {
        let (group, rows) = (&self.groups[n], &self.groups[other].domain);
        let elements = group.domain.elements(Level::Full);
        let is_pointwise = !group.has_reduce && !group.is_library;
        let has_rows = self.groups[other].has_reduce && rows.elements(Level::Full) != elements;
        is_pointwise && has_rows && rows.elements(Level::Row) == elements
    }

    fn set_level(&mut self, n: usize, level: Level) {
        for id in &self.groups[n].nodes {
            self.level[id.index()] = level;
        }
    }

    fn merge_in_step(&mut self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.groups[a], &self.groups[b]);
        let domains_agree = match (first.has_reduce, second.has_reduce) {
            (true, true) => first.domain == second.domain,
            _ => {
                let elements = |group: &Group| group.domain.elements(Level::Full);
                let is_row_work = self.is_row_work(a, b) || self.is_row_work(b, a);
                is_row_work || elements(first) == elements(second)
            }
        };
        let one_at_most = !(first.is_library && second.is_library);
        let may_reduce = |group: &Group, other: &Group| {
            !group.is_library || !other.has_reduce || group.makes_rows_of(&other.domain)
        };
        let may_reduce = may_reduce(first, second) && may_reduce(second, first);
        if !domains_agree || !one_at_most || !may_reduce {
            return false;
        }
        let is_split = |from: usize, to: usize| {
            self.is_after(to, from)
                && (self.feeds_library(from, to) || !self.reads_in_step(to, from))
        };
        if is_split(a, b) || is_split(b, a) {
            return false;
        }
        let through_third = |from: usize, to: usize| {
            let others = self.groups[from].after.iter().filter(|&&n| n != to);
            others.into_iter().any(|&n| self.depends(self.root(n), to))
        };
        if through_third(a, b) || through_third(b, a) {
            return false;
        }
        // The library op decides what kind of kernel it is, else the reduction.
        let rank = |group: &Group| (group.is_library, group.has_reduce);
        let (keep, gone) = if rank(first) > rank(second) { (a, b) } else { (b, a) };
        let gone_group = &mut self.groups[gone];
        gone_group.merged_into = Some(keep);
        let nodes = std::mem::take(&mut gone_group.nodes);
        let (after, readers) =
            (std::mem::take(&mut gone_group.after), std::mem::take(&mut gone_group.readers));
        // A product that takes in a reduction goes on over the rows of that.
        let rows = gone_group.has_reduce.then(|| gone_group.domain.clone());
        let group = &mut self.groups[keep];
        if let (Some(domain), false) = (rows, group.has_reduce) {
            group.domain = domain;
            group.has_reduce = true;
        }
        group.nodes.extend(nodes);
        group.nodes.sort_unstable();
        self.forget_own_reads(keep);
        self.connect(keep, &after);
        for reader in readers {
            self.connect(self.root(reader), &[keep]);
        }
        true
    }

    /// Whether group `n` sees what group `other` computes element by element, or row by row.
    fn reads_in_step(&self, n: usize, other: usize) -> bool {
        let domains = [&self.groups[n].domain, &self.groups[other].domain];
        let domain = if self.groups[n].has_reduce { domains[0] } else { domains[1] };
        self.groups[n].nodes.iter().all(|&id| {
            let is_reduce = matches!(self.g[id].op, Op::Reduce(_));
            let level = if is_reduce { Level::Full } else { self.level(id) };
            let reaches = self.reaches(id);
            let mut across = reaches.iter().filter(|r| r.group == Some(other));
            across.all(|r| self.is_in_step(r, level, domain))
        })
    }

    /// Whether an operand is seen element by element, or as the value of each element's row.
    fn is_in_step(&self, reach: &Reach, level: Level, domain: &Domain) -> bool {
        let elements = domain.elements(level);
        match fit(self.g, reach.base, &reach.moves, elements) {
            Fit::Same => self.level(reach.base) == level,
            Fit::Through(view) => {
                level == Level::Full
                    && self.level(reach.base) == Level::Row
                    && view.len() == elements
                    && view.reshape(&domain.shape(Level::Full)) == domain.broadcast()
            }
        }
    }

    /// Whether group `n` reads from group `other` directly.
    fn is_after(&self, n: usize, other: usize) -> bool {
        self.groups[n].after.iter().any(|&m| self.root(m) == other)
    }

    /// Whether the library op of group `to` reads what group `from` computes.
    fn feeds_library(&self, from: usize, to: usize) -> bool {
        let anchors = self.groups[to].nodes.iter().filter(|&&id| is_library(&self.g[id].op));
        let mut operands = anchors.flat_map(|&id| self.reaches(id));
        operands.any(|reach| reach.group == Some(from))
    }

    fn root(&self, mut n: usize) -> usize {
        while let Some(next) = self.groups[n].merged_into {
            n = next;
        }
        n
    }

    /// The groups in an order that can be run, as near as possible to that of the graph.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        let alive = |n: &usize| self.groups[*n].merged_into.is_none();
        let mut waits: Vec<usize> = vec![0; self.groups.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for n in (0..self.groups.len()).filter(alive) {
            let mut after: Vec<usize> =
                self.groups[n].after.iter().map(|&m| self.root(m)).collect();
            after.sort_unstable();
            after.dedup();
            waits[n] = after.len();
            after.into_iter().for_each(|m| readers[m].push(n));
        }
        let entry = |n: usize| Reverse((self.groups[n].nodes[0], n));
        let is_ready = |n: &usize| alive(n) && waits[*n] == 0;
        let mut ready: BinaryHeap<_> = (0..self.groups.len()).filter(is_ready).map(entry).collect();
        let mut order = Vec::new();
        while let Some(Reverse((_, n))) = ready.pop() {
            order.push(n);
            for &reader in &readers[n] {
                waits[reader] -= 1;
                if waits[reader] == 0 {
                    ready.push(entry(reader));
                }
            }
        }
        order
    }
}
