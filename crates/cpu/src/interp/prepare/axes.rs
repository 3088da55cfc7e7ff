//! The axes of a kernel's loops: put into the order in which tiles are cut from them, and merged as
//! far as every step and every store allows.
use crate::interp::access::{Access, Axis};
use crate::interp::shape::{self, Mode};
use brasa_compile::kernel::{Code, Domain, DomainAxis, Level, Step, What};
use brasa_ir::view::View;

/// Where steps and stores look, while axes are put in order.
pub(super) struct Drafts {
    pub(super) axes: Vec<Axis>,
    pub(super) accesses: Vec<Option<Access>>,
    pub(super) writes: Vec<Access>,
}

/// A scalar's domain has no axes, and a single row none that is kept; code is simpler with one.
pub(super) fn with_axes(domain: &Domain) -> Domain {
    let mut domain = domain.clone();
    if domain.axes.iter().all(|axis| axis.is_reduced) {
        domain.axes.insert(0, DomainAxis { len: 1, is_reduced: false });
    }
    domain
}

impl Drafts {
    pub(super) fn new(code: &Code, domain: &Domain) -> Drafts {
        let plain = |level: Level| {
            let view = View::new(&domain.shape(level));
            Access::new(&view, domain, level)
        };
        let access = |step: &Step| match &step.what {
            What::Load { view, .. }
            | What::Iota { view }
            | What::Bits { view, .. }
            | What::Valid { view } => {
                let shape = domain.shape(step.level);
                if view.shape()[..] == shape[..] {
                    return Some(Access::new(view, domain, step.level));
                }
                Some(Access::new(&view.reshape(&shape), domain, step.level))
            }
            What::Anchor => Some(plain(step.level)),
            _ => None,
        };
        let axis = |axis: &DomainAxis| Axis { len: axis.len, is_reduced: axis.is_reduced };
        Drafts {
            axes: domain.axes.iter().map(axis).collect(),
            accesses: code.steps.iter().map(access).collect(),
            writes: code.stores.iter().map(|n| plain(code.steps[n.index()].level)).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().flatten().chain(&self.writes)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        self.accesses.iter_mut().flatten().chain(&mut self.writes)
    }

    /// Exchanges the last two axes. What is written has no place of its own, and follows them.
    pub(super) fn turn(&mut self) {
        let last = self.axes.len() - 1;
        let mut order: Vec<usize> = (0..=last).collect();
        order.swap(last - 1, last);
        self.axes.swap(last - 1, last);
        self.accesses.iter_mut().flatten().for_each(|access| access.permute(&order));
        let shape: Vec<usize> = self.axes.iter().map(|axis| axis.len).collect();
        let axis = |&len: &usize| DomainAxis { len, is_reduced: false };
        let domain = Domain { axes: shape.iter().map(axis).collect() };
        let plain = Access::new(&View::new(&shape), &domain, Level::Full);
        self.writes.fill(plain);
    }

    /// Puts the axes into the order in which tiles are cut from them, and merges them.
    pub(super) fn order(&mut self, mode: Mode, columns: Option<usize>) {
        if mode == Mode::Rows && shape::has_short_rows(&self.axes) {
            let mut order: Vec<usize> = (0..self.axes.len()).collect();
            order.sort_by_key(|&n| !self.axes[n].is_reduced);
            self.axes = order.iter().map(|&n| self.axes[n]).collect();
            self.all_mut().for_each(|access| access.permute(&order));
        }
        let mut below = 1;
        for n in (0..self.axes.len().saturating_sub(1)).rev() {
            below *= self.axes[n + 1].len;
            let (outer, inner) = (self.axes[n], self.axes[n + 1]);
            let can_merge = outer.is_reduced == inner.is_reduced
                && columns != Some(below)
                && self.all().all(|access| access.merges(n, &self.axes));
            if !can_merge {
                continue;
            }
            let len = outer.len * inner.len;
            self.all_mut().for_each(|access| access.merge(n, len));
            self.axes.remove(n);
            self.axes[n].len = len;
            below /= inner.len.max(1);
        }
        if let Some(columns) = columns {
            self.cut(columns);
        }
    }

    /// Cuts the last axis so that it becomes that of the columns, where this can be.
    fn cut(&mut self, columns: usize) {
        let last = self.axes.len() - 1;
        let len = self.axes[last].len;
        if columns == 0 || len <= columns || !len.is_multiple_of(columns) {
            return;
        }
        if self.all().all(|access| access.splits(last, &self.axes)) {
            let outer = len / columns;
            self.all_mut().for_each(|access| access.split(last, outer, columns));
            self.axes.insert(last, Axis { len: outer, is_reduced: false });
            self.axes[last + 1].len = columns;
        }
    }
}
