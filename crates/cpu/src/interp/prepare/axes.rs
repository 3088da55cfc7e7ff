//! Orders the axes of a kernel's loops so that tiles can be cut from them, and merges axes as far
//! as every load and store allows.
use crate::interp::access::{Access, Axis};
use crate::interp::shape::{self, Mode};
use brasa_compile::kernel::{Code, Domain, DomainAxis, Granularity, Step, StepOp};
use brasa_ir::view::View;

/// The axes with the accesses of all steps and stores, while the axes are reordered.
pub(super) struct LoopNest {
    pub(super) axes: Vec<Axis>,
    pub(super) accesses: Vec<Option<Access>>,
    pub(super) writes: Vec<Access>,
}

/// Adds an axis of length 1 if no axis is kept (a scalar or a single reduced row), so that later
/// code needs no special case.
pub(super) fn with_axes(domain: &Domain) -> Domain {
    let mut domain = domain.clone();
    if domain.axes.iter().all(|axis| axis.is_reduced) {
        domain.axes.insert(0, DomainAxis { len: 1, is_reduced: false });
    }
    domain
}

impl LoopNest {
    pub(super) fn new(code: &Code, domain: &Domain) -> LoopNest {
        let plain = |level: Granularity| {
            let view = View::new(&domain.shape(level));
            Access::new(&view, domain, level)
        };
        let access = |step: &Step| match &step.op {
            StepOp::Load { view, .. }
            | StepOp::Iota { view }
            | StepOp::Bits { view, .. }
            | StepOp::Valid { view } => {
                let shape = domain.shape(step.granularity);
                if view.shape()[..] == shape[..] {
                    return Some(Access::new(view, domain, step.granularity));
                }
                Some(Access::new(&view.reshape(&shape), domain, step.granularity))
            }
            StepOp::Anchor => Some(plain(step.granularity)),
            _ => None,
        };
        let axis = |axis: &DomainAxis| Axis { len: axis.len, is_reduced: axis.is_reduced };
        LoopNest {
            axes: domain.axes.iter().map(axis).collect(),
            accesses: code.steps.iter().map(access).collect(),
            writes: code.stores.iter().map(|n| plain(code.steps[n.index()].granularity)).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().flatten().chain(&self.writes)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Access> {
        self.accesses.iter_mut().flatten().chain(&mut self.writes)
    }

    /// Exchanges the last two axes. Writes have no view of their own and follow the new order.
    pub(super) fn swap_last_axes(&mut self) {
        let last = self.axes.len() - 1;
        let mut order: Vec<usize> = (0..=last).collect();
        order.swap(last - 1, last);
        self.axes.swap(last - 1, last);
        self.accesses.iter_mut().flatten().for_each(|access| access.permute(&order));
        let shape: Vec<usize> = self.axes.iter().map(|axis| axis.len).collect();
        let axis = |&len: &usize| DomainAxis { len, is_reduced: false };
        let domain = Domain { axes: shape.iter().map(axis).collect() };
        let plain = Access::new(&View::new(&shape), &domain, Granularity::PerElement);
        self.writes.fill(plain);
    }

    /// Orders the axes so that tiles can be cut from them, and merges them.
    pub(super) fn order_and_merge(&mut self, mode: Mode, columns: Option<usize>) {
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
                && self.all().all(|access| access.can_merge(n, &self.axes));
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
            self.split_columns(columns);
        }
    }

    /// Splits the last axis so that its inner part is the column axis, if possible.
    fn split_columns(&mut self, columns: usize) {
        let last = self.axes.len() - 1;
        let len = self.axes[last].len;
        if columns == 0 || len <= columns || !len.is_multiple_of(columns) {
            return;
        }
        if self.all().all(|access| access.can_split(last, &self.axes)) {
            let outer = len / columns;
            self.all_mut().for_each(|access| access.split(last, outer, columns));
            self.axes.insert(last, Axis { len: outer, is_reduced: false });
            self.axes[last + 1].len = columns;
        }
    }
}
