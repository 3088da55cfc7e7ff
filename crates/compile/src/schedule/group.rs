//! Groups: which nodes share a kernel. Nodes are assigned in graph order. Each joins the group of
//! one of its operands if their domains agree and no dependency cycle between kernels arises.
mod chains;
mod heights;
mod siblings;

pub(crate) use chains::has_rows_of;

use heights::PathSearch;

use crate::schedule::kernel::{Domain, Granularity};
use crate::schedule::{Traits, operand_view, own_domain};
use crate::target::Target;
use brasa_ir::ops::Op;
use brasa_ir::view::View;
use brasa_ir::{Graph, Id};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Index;

/// How a node reads one of its operands.
pub(crate) enum OperandView {
    /// Element by element, in the same order.
    Identity,
    Through(View),
}

/// The nodes of one kernel.
pub(crate) struct Group {
    pub(crate) domain: Domain,
    pub(crate) nodes: Vec<Id>,
    pub(crate) why: String,
    is_library: bool,
    /// The number of columns of its matrix product, if the kernel may reduce rows of the product.
    columns: Option<usize>,
    has_reduce: bool,
    /// The group that computes the rows of its product's left operand, in the same kernel.
    pub(crate) row_producer: Option<usize>,
    /// The groups it reads from directly, and the groups that read from it.
    producers: Vec<usize>,
    readers: Vec<usize>,
    /// Larger than the height of every group it reads from.
    height: usize,
    /// How many readers were raised together with it so far.
    raised: usize,
    /// The group it was merged into.
    merged_into: Option<usize>,
}

pub(crate) struct Groups<'a> {
    g: &'a Graph,
    traits: &'a Traits,
    pub(crate) target: &'a Target,
    groups: Vec<Group>,
    of: Vec<Option<usize>>,
    granularity: Vec<Granularity>,
    search: RefCell<PathSearch>,
}

impl Index<usize> for Groups<'_> {
    type Output = Group;
    fn index(&self, n: usize) -> &Group {
        &self.groups[n]
    }
}

/// Maximum number of nodes per kernel: compiling a kernel may take quadratic time in its steps.
/// Kernels of usual models have up to about 60.
const MAX_NODES: usize = 256;

impl Group {
    /// Whether it has a product whose rows a domain reduces.
    fn computes_rows_of(&self, domain: &Domain) -> bool {
        self.columns.is_some_and(|columns| domain.row() == Some(columns))
    }
}

/// An operand of a node: its base, the movement ops between, and the group that computes the base.
pub(crate) struct Dependency {
    pub(crate) base: Id,
    moves: Vec<Id>,
    pub(crate) group: Option<usize>,
}

impl<'a> Groups<'a> {
    fn new(g: &'a Graph, traits: &'a Traits, target: &'a Target) -> Groups<'a> {
        let (of, granularity) = (vec![None; g.len()], vec![Granularity::PerElement; g.len()]);
        let (groups, search) = (Vec::new(), RefCell::default());
        Groups { g, traits, target, groups, of, granularity, search }
    }

    /// Assigns all computed nodes to groups.
    pub(crate) fn build(g: &'a Graph, traits: &'a Traits, target: &'a Target) -> Groups<'a> {
        let mut groups = Groups::new(g, traits, target);
        for id in g.ids().filter(|&id| traits.is_computed(id)) {
            groups.assign(id);
        }
        groups.merge_siblings();
        groups.merge_unread();
        groups.chain_products();
        groups
    }

    /// The group that a node belongs to.
    pub(crate) fn group_of(&self, id: Id) -> Option<usize> {
        let mut n = self.of[id.index()]?;
        while let Some(next) = self.groups[n].merged_into {
            n = next;
        }
        Some(n)
    }

    pub(crate) fn granularity(&self, id: Id) -> Granularity {
        self.granularity[id.index()]
    }

    /// Adds a node to the group of an operand, or starts a new group.
    fn assign(&mut self, id: Id) {
        let dependencies = self.dependencies(id);
        let mut operand_groups: Vec<usize> = dependencies.iter().filter_map(|r| r.group).collect();
        operand_groups.sort_unstable();
        operand_groups.dedup();
        let mut why = match &self.g[id].op {
            op if op.is_library() => format!("{} is a library op", op.name()),
            _ if operand_groups.is_empty() => "it reads no result of another kernel".to_string(),
            _ => String::new(),
        };
        let mut home = None;
        // The newest group first: its values are most likely to be in the cache.
        for &n in operand_groups.iter().rev() {
            match self.check_join(id, &dependencies, n, &operand_groups) {
                Ok(granularity) => {
                    home = Some((n, granularity));
                    break;
                }
                Err(reason) => why = reason,
            }
        }
        let (n, granularity) = home.unwrap_or_else(|| self.start(id, why));
        self.add(id, n, granularity, &operand_groups);
        self.merge_operands(id, &dependencies, n);
    }

    /// The operands of a node, through light nodes.
    pub(crate) fn dependencies(&self, id: Id) -> Vec<Dependency> {
        let bases = self.g[id].inputs.iter().flat_map(|&input| self.traits.bases(self.g, input));
        let dependency = |(base, mut moves): (Id, Vec<Id>)| {
            // A stored movement op is itself part of the view.
            moves.extend(self.g[id].op.is_movement().then_some(id));
            Dependency { base, moves, group: self.group_of(base) }
        };
        bases.map(dependency).collect()
    }

    fn start(&mut self, id: Id, why: String) -> (usize, Granularity) {
        let has_reduce = matches!(self.g[id].op, Op::Reduce(_));
        let columns = self.reduced_columns(id);
        self.groups.push(Group {
            domain: own_domain(self.g, id),
            nodes: Vec::new(),
            why,
            is_library: self.g[id].op.is_library(),
            columns,
            has_reduce,
            row_producer: None,
            producers: Vec::new(),
            readers: Vec::new(),
            height: 0,
            raised: 0,
            merged_into: None,
        });
        let granularity = if has_reduce { Granularity::PerRow } else { Granularity::PerElement };
        (self.groups.len() - 1, granularity)
    }

    /// The number of columns of a product, if its rows may be reduced while they are in cache.
    fn reduced_columns(&self, id: Id) -> Option<usize> {
        let node = &self.g[id];
        let is_product = matches!(node.op, Op::Contract(_));
        if !is_product || !self.target.reduces_products {
            return None;
        }
        let [.., k, n] = self.g[node.inputs[1]].ty.shape[..] else { return None };
        let Target { reduced_row_lens, short_row_len, cached_operand_len, .. } = self.target;
        let stays_in_cache = n <= *short_row_len || n * k <= *cached_operand_len;
        let columns = node.ty.shape.last().copied().filter(|_| stays_in_cache);
        columns.filter(|columns| reduced_row_lens.contains(columns))
    }

    fn add(&mut self, id: Id, n: usize, granularity: Granularity, operand_groups: &[usize]) {
        if let (Op::Reduce(_), false) = (&self.g[id].op, self.groups[n].has_reduce) {
            self.groups[n].domain = own_domain(self.g, id);
            self.groups[n].has_reduce = true;
        }
        self.of[id.index()] = Some(n);
        self.granularity[id.index()] = granularity;
        self.groups[n].nodes.push(id);
        self.connect(n, operand_groups);
    }

    /// Records that group `n` reads from `others`.
    fn connect(&mut self, n: usize, others: &[usize]) {
        let mut height = 0;
        for &other in others {
            let other = self.root(other);
            if other != n && !self.groups[n].producers.contains(&other) {
                self.groups[n].producers.push(other);
                self.groups[other].readers.push(n);
                height = height.max(self.groups[other].height + 1);
            }
        }
        self.raise(n, height);
    }

    /// Removes producers of group `n` that have been merged into it.
    fn remove_self_edges(&mut self, n: usize) {
        let mut producers = std::mem::take(&mut self.groups[n].producers);
        producers.retain(|&other| self.root(other) != n);
        self.groups[n].producers = producers;
    }

    /// The granularity at which a node can join group `n`, or the reason why it cannot.
    fn check_join(
        &self,
        id: Id,
        dependencies: &[Dependency],
        n: usize,
        operand_groups: &[usize],
    ) -> Result<Granularity, String> {
        let (node, group) = (&self.g[id], &self.groups[n]);
        if node.op.is_library() {
            return Err(format!("{} is a library op", node.op.name()));
        }
        if group.nodes.len() >= MAX_NODES {
            return Err(format!("the kernel of its operand already has {MAX_NODES} nodes"));
        }
        let own: Vec<&Dependency> = dependencies.iter().filter(|r| r.group == Some(n)).collect();
        let granularity = match &node.op {
            Op::Reduce(_) => self.reduce_level(id, &own, group)?,
            _ => self.pointwise_level(id, &own, group)?,
        };
        let others = operand_groups.iter().copied().filter(|&other| other != n);
        match others.into_iter().find(|&other| self.depends(other, n)) {
            Some(_) => Err("another operand depends on the result of that kernel".to_string()),
            None => Ok(granularity),
        }
    }

    fn reduce_level(
        &self,
        id: Id,
        own: &[&Dependency],
        group: &Group,
    ) -> Result<Granularity, String> {
        let domain = own_domain(self.g, id);
        if group.is_library && !group.computes_rows_of(&domain) {
            return Err("it does not reduce short rows of a matrix product".to_string());
        }
        if group.has_reduce && group.domain != domain {
            return Err(format!(
                "it reduces {domain}, but the kernel of its operand reduces {}",
                group.domain
            ));
        }
        let elements = domain.elements(Granularity::PerElement);
        let is_aligned =
            |r: &&Dependency| self.is_aligned_with(r, Granularity::PerElement, &domain);
        if !own.iter().all(is_aligned) || group.domain.elements(Granularity::PerElement) != elements
        {
            return Err(format!("it reads {} through a view", own[0].base));
        }
        Ok(Granularity::PerRow)
    }

    fn pointwise_level(
        &self,
        id: Id,
        own: &[&Dependency],
        group: &Group,
    ) -> Result<Granularity, String> {
        let elements = self.g[id].ty.elements();
        let domain = &group.domain;
        for granularity in [Granularity::PerElement, Granularity::PerRow] {
            let has_size = domain.elements(granularity) == elements;
            if has_size && own.iter().all(|r| self.is_aligned_with(r, granularity, domain)) {
                return Ok(granularity);
            }
        }
        Err(format!("it reads {} through a view", own[0].base))
    }

    /// Merges the groups of a node's other operands into its own where they fit into one loop.
    fn merge_operands(&mut self, id: Id, dependencies: &[Dependency], n: usize) {
        let elements = self.g[id].ty.elements();
        for dependency in dependencies {
            let (Some(other), Some(home)) = (self.group_of(dependency.base), self.group_of(id))
            else {
                continue;
            };
            let is_pointwise =
                !matches!(self.g[id].op, Op::Reduce(_)) && !self.g[id].op.is_library();
            let is_same = is_pointwise
                && self.granularity(id) == Granularity::PerElement
                && matches!(
                    operand_view(self.g, dependency.base, &dependency.moves, elements),
                    OperandView::Identity
                );
            if other != home && is_same {
                self.merge(other, home);
            }
        }
        debug_assert!(self.group_of(id).is_some(), "group {n} keeps its nodes");
    }

    /// Merges two groups if they share a domain and neither depends on the other through a third
    /// group. Returns whether it did.
    fn merge(&mut self, a: usize, b: usize) -> bool {
        if self.groups[a].nodes.len() + self.groups[b].nodes.len() > MAX_NODES {
            return false;
        }
        let per_row = [(a, b), (b, a)].into_iter().find(|&(n, other)| self.is_per_row(n, other));
        let Some((n, _)) = per_row else { return self.merge_aligned(a, b) };
        self.set_level(n, Granularity::PerRow);
        let is_merged = self.merge_aligned(a, b);
        if !is_merged {
            self.set_level(n, Granularity::PerElement);
        }
        is_merged
    }

    /// Whether pointwise group `n` has one element per row that group `other` reduces.
    fn is_per_row(&self, n: usize, other: usize) -> bool {
        let (group, rows) = (&self.groups[n], &self.groups[other].domain);
        let elements = group.domain.elements(Granularity::PerElement);
        let is_pointwise = !group.has_reduce && !group.is_library;
        let has_rows =
            self.groups[other].has_reduce && rows.elements(Granularity::PerElement) != elements;
        is_pointwise && has_rows && rows.elements(Granularity::PerRow) == elements
    }

    fn set_level(&mut self, n: usize, granularity: Granularity) {
        for id in &self.groups[n].nodes {
            self.granularity[id.index()] = granularity;
        }
    }

    fn merge_aligned(&mut self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.groups[a], &self.groups[b]);
        let domains_agree = match (first.has_reduce, second.has_reduce) {
            (true, true) => first.domain == second.domain,
            _ => {
                let elements = |group: &Group| group.domain.elements(Granularity::PerElement);
                let is_per_row = self.is_per_row(a, b) || self.is_per_row(b, a);
                is_per_row || elements(first) == elements(second)
            }
        };
        let has_one_library_op = !(first.is_library && second.is_library);
        let may_reduce = |group: &Group, other: &Group| {
            !group.is_library || !other.has_reduce || group.computes_rows_of(&other.domain)
        };
        let may_reduce = may_reduce(first, second) && may_reduce(second, first);
        if !domains_agree || !has_one_library_op || !may_reduce {
            return false;
        }
        let is_split = |from: usize, to: usize| {
            self.reads_from(to, from)
                && (self.feeds_library(from, to) || !self.reads_aligned(to, from))
        };
        if is_split(a, b) || is_split(b, a) {
            return false;
        }
        let depends_through_third = |from: usize, to: usize| {
            let others = self.groups[from].producers.iter().filter(|&&n| n != to);
            others.into_iter().any(|&n| self.depends(self.root(n), to))
        };
        if depends_through_third(a, b) || depends_through_third(b, a) {
            return false;
        }
        // Keep the group with a library op, or else the one with a reduction: it decides the
        // kernel's kind.
        let rank = |group: &Group| (group.is_library, group.has_reduce);
        let (keep, gone) = if rank(first) > rank(second) { (a, b) } else { (b, a) };
        let gone_group = &mut self.groups[gone];
        gone_group.merged_into = Some(keep);
        let nodes = std::mem::take(&mut gone_group.nodes);
        let (producers, readers) =
            (std::mem::take(&mut gone_group.producers), std::mem::take(&mut gone_group.readers));
        // A product that absorbs a reduction takes over the reduction's domain.
        let rows = gone_group.has_reduce.then(|| gone_group.domain.clone());
        let group = &mut self.groups[keep];
        if let (Some(domain), false) = (rows, group.has_reduce) {
            group.domain = domain;
            group.has_reduce = true;
        }
        group.nodes.extend(nodes);
        group.nodes.sort_unstable();
        self.remove_self_edges(keep);
        self.connect(keep, &producers);
        for reader in readers {
            self.connect(self.root(reader), &[keep]);
        }
        true
    }

    /// Whether group `n` reads the results of group `other` element by element, or row by row.
    fn reads_aligned(&self, n: usize, other: usize) -> bool {
        let domains = [&self.groups[n].domain, &self.groups[other].domain];
        let domain = if self.groups[n].has_reduce { domains[0] } else { domains[1] };
        self.groups[n].nodes.iter().all(|&id| {
            let is_reduce = matches!(self.g[id].op, Op::Reduce(_));
            let granularity =
                if is_reduce { Granularity::PerElement } else { self.granularity(id) };
            let dependencies = self.dependencies(id);
            let mut across = dependencies.iter().filter(|r| r.group == Some(other));
            across.all(|r| self.is_aligned_with(r, granularity, domain))
        })
    }

    /// Whether an operand is read element by element, or as the value of each element's row.
    fn is_aligned_with(
        &self,
        dependency: &Dependency,
        granularity: Granularity,
        domain: &Domain,
    ) -> bool {
        let elements = domain.elements(granularity);
        match operand_view(self.g, dependency.base, &dependency.moves, elements) {
            OperandView::Identity => self.granularity(dependency.base) == granularity,
            OperandView::Through(view) => {
                granularity == Granularity::PerElement
                    && self.granularity(dependency.base) == Granularity::PerRow
                    && view.len() == elements
                    && view.reshape(&domain.shape(Granularity::PerElement)) == domain.broadcast()
            }
        }
    }

    /// Whether group `n` reads from group `other` directly.
    fn reads_from(&self, n: usize, other: usize) -> bool {
        self.groups[n].producers.iter().any(|&m| self.root(m) == other)
    }

    /// Whether the library op of group `to` reads a result of group `from`.
    fn feeds_library(&self, from: usize, to: usize) -> bool {
        let anchors = self.groups[to].nodes.iter().filter(|&&id| self.g[id].op.is_library());
        let mut operands = anchors.flat_map(|&id| self.dependencies(id));
        operands.any(|dependency| dependency.group == Some(from))
    }

    fn root(&self, mut n: usize) -> usize {
        while let Some(next) = self.groups[n].merged_into {
            n = next;
        }
        n
    }

    /// The groups in a valid execution order, as close as possible to graph order.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        let alive = |n: &usize| self.groups[*n].merged_into.is_none();
        let mut waits: Vec<usize> = vec![0; self.groups.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for n in (0..self.groups.len()).filter(alive) {
            let mut producers: Vec<usize> =
                self.groups[n].producers.iter().map(|&m| self.root(m)).collect();
            producers.sort_unstable();
            producers.dedup();
            waits[n] = producers.len();
            producers.into_iter().for_each(|m| readers[m].push(n));
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
