//! Where the values of a step lie in memory, for each index of a kernel's space.
use super::prepare::MOST_AXES;
use brasa_compile::kernel::{Domain, Level};
use brasa_ir::view::View;

/// One axis of the space after merging.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) len: usize,
    pub(crate) is_reduced: bool,
}

/// How an index of the space leads to an element of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) way: Way,
    /// Strides of the flat number of an element among those of its level.
    flat: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// `offset + Σ stride · index`, where every index is inside its range, else padding.
    Affine { offset: isize, strides: Vec<isize>, valid: Vec<(usize, usize)> },
    /// Through the view, element by element.
    Any(View),
}

/// A run of elements along the last axis.
pub(crate) enum Run {
    /// From this element on; those before `lo` and from `hi` on are padding.
    Affine { start: isize, stride: isize, lo: usize, hi: usize },
    /// The flat numbers of the level's elements, `step` apart.
    Flat { start: usize, step: usize },
}

impl Access {
    /// The access of a view over a domain's elements of one level.
    pub(crate) fn new(view: &View, domain: &Domain, level: Level) -> Access {
        let is_seen = |is_reduced: bool| level == Level::Full || !is_reduced;
        let mut flat = vec![0; domain.axes.len()];
        let mut below = 1;
        for (n, axis) in domain.axes.iter().enumerate().rev() {
            if is_seen(axis.is_reduced) {
                flat[n] = below;
                below *= axis.len;
            }
        }
        let mut layers = view.layers();
        let top = layers.next().expect("a view has a layer");
        if layers.next().is_some() {
            return Access { way: Way::Any(view.clone()), flat };
        }
        // Axes of the view are those of the domain that the level sees, in order.
        let mut own = top.axes.iter();
        let (mut strides, mut valid) = (Vec::new(), Vec::new());
        for axis in &domain.axes {
            match is_seen(axis.is_reduced).then(|| own.next()).flatten() {
                Some(axis) => {
                    strides.push(axis.stride);
                    valid.push((axis.lo, axis.hi));
                }
                None => {
                    strides.push(0);
                    valid.push((0, axis.len));
                }
            }
        }
        Access { way: Way::Affine { offset: top.offset, strides, valid }, flat }
    }

    /// Puts the axes into another order.
    pub(crate) fn permute(&mut self, order: &[usize]) {
        self.flat = order.iter().map(|&n| self.flat[n]).collect();
        if let Way::Affine { strides, valid, .. } = &mut self.way {
            *strides = order.iter().map(|&n| strides[n]).collect();
            *valid = order.iter().map(|&n| valid[n]).collect();
        }
    }

    /// Whether axes `n` and `n + 1` can be walked as one.
    pub(crate) fn merges(&self, n: usize, axes: &[Axis]) -> bool {
        let inner = axes[n + 1].len;
        match &self.way {
            Way::Any(_) => self.flat[n] == self.flat[n + 1] * inner,
            Way::Affine { strides, valid, .. } => {
                let is_whole = |n: usize| valid[n] == (0, axes[n].len);
                // An axis of one valid index has stride 0, whatever its neighbours have.
                let agrees = strides[n] == strides[n + 1] * inner as isize;
                agrees && is_whole(n) && is_whole(n + 1)
            }
        }
    }

    /// Forgets axis `n`, which has been merged into the one behind it.
    pub(crate) fn merge(&mut self, n: usize, merged_len: usize) {
        self.flat.remove(n);
        if let Way::Affine { strides, valid, .. } = &mut self.way {
            strides.remove(n);
            valid.remove(n);
            valid[n] = (0, merged_len);
        }
    }

    /// The elements from `index` on along the last axis.
    pub(crate) fn run(&self, index: &[usize]) -> Run {
        let last = index.len() - 1;
        match &self.way {
            Way::Any(_) => {
                let start = index.iter().zip(&self.flat).map(|(i, flat)| i * flat).sum();
                Run::Flat { start, step: self.flat[last] }
            }
            Way::Affine { offset, strides, valid } => {
                let mut start = *offset;
                let mut is_inside = true;
                for n in 0..last {
                    start += strides[n] * index[n] as isize;
                    is_inside &= valid[n].0 <= index[n] && index[n] < valid[n].1;
                }
                start += strides[last] * index[last] as isize;
                let (lo, hi) = if is_inside { valid[last] } else { (0, 0) };
                let relative = |end: usize| end.saturating_sub(index[last]);
                Run::Affine { start, stride: strides[last], lo: relative(lo), hi: relative(hi) }
            }
        }
    }

    /// Calls `f` with the place in the block, the length and the first element of each run along the
    /// last axis of a block that runs over several axes; `None` where there may be padding.
    pub(crate) fn walk(
        &self,
        axes: &[Axis],
        is_lane: impl Fn(usize) -> bool,
        index: &[usize],
        lanes: usize,
        mut f: impl FnMut(usize, usize, isize),
    ) -> Option<()> {
        let Way::Affine { strides, valid, .. } = &self.way else { return None };
        if valid.iter().zip(axes).any(|(v, axis)| *v != (0, axis.len)) || axes.len() > MOST_AXES {
            return None;
        }
        let Run::Affine { mut start, stride, .. } = self.run(index) else { return None };
        debug_assert_eq!(stride, self.last_stride());
        let last = axes.len() - 1;
        let mut at = [0; MOST_AXES];
        at[..=last].copy_from_slice(index);
        let mut done = 0;
        while done < lanes {
            let run = (lanes - done).min(axes[last].len - at[last]);
            f(done, run, start);
            done += run;
            start -= stride * at[last] as isize;
            at[last] = 0;
            for n in (0..last).rev().filter(|&n| is_lane(n)) {
                at[n] += 1;
                start += strides[n];
                if at[n] < axes[n].len {
                    break;
                }
                start -= strides[n] * axes[n].len as isize;
                at[n] = 0;
            }
        }
        Some(())
    }

    /// Whether the elements of some axes lie in memory as one run, in the order of these axes.
    pub(crate) fn is_flat(&self, axes: &[Axis], is_lane: impl Fn(Axis) -> bool) -> bool {
        let Way::Affine { strides, .. } = &self.way else { return false };
        let mut expected = 1;
        for n in (0..axes.len()).rev().filter(|&n| is_lane(axes[n])) {
            if strides[n] != expected && axes[n].len != 1 {
                return false;
            }
            expected *= axes[n].len as isize;
        }
        self.is_plain(axes)
    }

    /// The distance of neighbours along the last axis; zero where it is not always the same.
    pub(crate) fn last_stride(&self) -> isize {
        match &self.way {
            Way::Affine { strides, .. } => strides.last().copied().unwrap_or(0),
            Way::Any(_) => 0,
        }
    }

    /// Whether runs are plain memory, one element after the other.
    pub(crate) fn is_plain(&self, axes: &[Axis]) -> bool {
        match &self.way {
            Way::Any(_) => false,
            Way::Affine { strides, valid, .. } => {
                let is_whole = valid.iter().zip(axes).all(|(v, axis)| *v == (0, axis.len));
                is_whole && strides.last() == Some(&1)
            }
        }
    }
}
