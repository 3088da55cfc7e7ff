//! Where the values of a step lie in memory, for each index of a kernel's space.
use brasa_compile::kernel::{Domain, Level};
use brasa_ir::Shape;
use brasa_ir::view::{Bound, Bounded, View};

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
    pub(crate) flat: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// `offset + Σ stride · index`, where every index is inside its range and every bound holds, else
    /// padding.
    Affine { offset: isize, strides: Vec<isize>, valid: Vec<(usize, usize)>, bounds: Vec<Bound> },
    /// Through the view, element by element.
    Any(View),
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
        let Some(Bounded { layer, bounds }) = view.bounded() else {
            return Access { way: Way::Any(view.clone()), flat };
        };
        // Axes of the view are those of the domain that the level sees, in order.
        let mut own = layer.axes.iter().enumerate();
        let (mut strides, mut valid) = (Vec::new(), Vec::new());
        let mut steps = vec![Vec::new(); bounds.len()];
        for axis in &domain.axes {
            let seen = is_seen(axis.is_reduced).then(|| own.next()).flatten();
            strides.push(seen.map_or(0, |(_, own)| own.stride));
            valid.push(seen.map_or((0, axis.len), |(_, own)| (own.lo, own.hi)));
            for (steps, bound) in steps.iter_mut().zip(&bounds) {
                steps.push(seen.map_or(0, |(n, _)| bound.steps[n]));
            }
        }
        let of_domain =
            |(bound, steps): (Bound, Vec<isize>)| Bound { steps: steps.into(), ..bound };
        let bounds = bounds.into_iter().zip(steps).map(of_domain).collect();
        Access { way: Way::Affine { offset: layer.offset, strides, valid, bounds }, flat }
    }

    /// Puts the axes into another order.
    pub(crate) fn permute(&mut self, order: &[usize]) {
        self.flat = order.iter().map(|&n| self.flat[n]).collect();
        if let Way::Affine { strides, valid, bounds, .. } = &mut self.way {
            *strides = order.iter().map(|&n| strides[n]).collect();
            *valid = order.iter().map(|&n| valid[n]).collect();
            for bound in bounds {
                bound.steps = order.iter().map(|&n| bound.steps[n]).collect();
            }
        }
    }

    /// Whether axes `n` and `n + 1` can be walked as one.
    pub(crate) fn merges(&self, n: usize, axes: &[Axis]) -> bool {
        let inner = axes[n + 1].len;
        match &self.way {
            Way::Any(_) => self.flat[n] == self.flat[n + 1] * inner,
            Way::Affine { strides, valid, bounds, .. } => {
                let is_whole = |n: usize| valid[n] == (0, axes[n].len);
                // An axis of one valid index has stride 0, whatever its neighbours have.
                let agree = |strides: &[isize]| strides[n] == strides[n + 1] * inner as isize;
                let all_agree = agree(strides) && bounds.iter().all(|bound| agree(&bound.steps));
                all_agree && is_whole(n) && is_whole(n + 1)
            }
        }
    }

    /// Forgets axis `n`, which has been merged into the one behind it.
    pub(crate) fn merge(&mut self, n: usize, merged_len: usize) {
        self.flat.remove(n);
        if let Way::Affine { strides, valid, bounds, .. } = &mut self.way {
            strides.remove(n);
            valid.remove(n);
            valid[n] = (0, merged_len);
            for bound in bounds {
                bound.steps.remove(n);
            }
        }
    }

    /// Whether axis `n` can be cut in two.
    pub(crate) fn splits(&self, n: usize, axes: &[Axis]) -> bool {
        match &self.way {
            Way::Any(_) => true,
            Way::Affine { valid, .. } => valid[n] == (0, axes[n].len),
        }
    }

    /// Cuts axis `n` into two, the inner one of `inner` elements.
    pub(crate) fn split(&mut self, n: usize, outer: usize, inner: usize) {
        self.flat.insert(n, self.flat[n] * inner);
        if let Way::Affine { strides, valid, bounds, .. } = &mut self.way {
            strides.insert(n, strides[n] * inner as isize);
            valid[n] = (0, inner);
            valid.insert(n, (0, outer));
            for Bound { steps, .. } in bounds {
                steps.insert(n, steps[n] * inner as isize);
            }
        }
    }
}

/// The elements of a tile: some along each of a few axes. Steps of both levels see their tile as
/// `rows` rows of `lanes` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) rows: usize,
    /// How many indices of the first of the axes that lanes run over.
    pub(crate) chunk: usize,
    pub(crate) lanes: usize,
}

/// The axes of a tile: rows lie along one, lanes along one or several neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) rows: Option<usize>,
    pub(crate) lanes: std::ops::Range<usize>,
}

/// How much of a tile is inside the ranges of its access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inside {
    Nothing,
    Partly,
    Whole,
}

/// The access of one step, with all that can be known about its tiles.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) access: Access,
    frame: Frame,
    /// The distance of rows.
    pub(crate) row_stride: isize,
    pub(crate) lanes: Lanes,
    pub(crate) is_masked: bool,
}

/// How the lanes of one row follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// One after the other.
    Next,
    /// All are one element.
    Same,
    /// At these distances from the first.
    Table(Vec<i32>),
    /// As the view says.
    Any,
}

/// A run of elements along the last axis.
pub(crate) enum Run {
    /// From this element on; those before `lo` and from `hi` on are padding.
    Affine { start: isize, stride: isize, lo: usize, hi: usize },
    /// The flat numbers of the level's elements, `step` apart.
    Flat { start: usize, step: usize },
}

impl Place {
    /// The place of an access in tiles of a frame, still without a table.
    pub(crate) fn new(access: Access, axes: &[Axis], frame: Frame) -> Place {
        let (row_stride, lanes, is_masked) = match &access.way {
            Way::Any(_) => (0, Lanes::Any, true),
            Way::Affine { strides, valid, bounds, .. } => {
                let is_cut = valid.iter().zip(axes).any(|(v, axis)| *v != (0, axis.len));
                let is_masked = is_cut || !bounds.is_empty();
                let row_stride = frame.rows.map_or(0, |n| strides[n]);
                let lanes = match merged_lanes(strides, axes, &frame)[..] {
                    [(_, 1)] => Lanes::Next,
                    [(_, 0)] => Lanes::Same,
                    _ => Lanes::Table(Vec::new()),
                };
                (row_stride, lanes, is_masked)
            }
        };
        Place { access, frame, row_stride, lanes, is_masked }
    }

    /// Whether all elements lie in the way of `lanes`, without padding.
    pub(crate) fn is_plain(&self, lanes: Lanes) -> bool {
        !self.is_masked && self.lanes == lanes
    }

    /// Makes the table of lanes for tiles of up to `chunk` indices of the first lane axis.
    pub(crate) fn make_table(&mut self, axes: &[Axis], chunk: usize) {
        let (Lanes::Table(_), Way::Affine { strides, .. }) = (&self.lanes, &self.access.way) else {
            return;
        };
        let mut merged = merged_lanes(strides, axes, &self.frame);
        // The first lane axis is the last here, alone or merged with those inside it.
        if let Some((len, _)) = merged.last_mut() {
            *len = *len / axes[self.frame.lanes.start].len.max(1) * chunk;
        }
        let mut table: Vec<isize> = vec![0];
        for (len, stride) in merged {
            let inner = table.len();
            table.reserve(inner * len.saturating_sub(1));
            for i in 1..len {
                for l in 0..inner {
                    table.push(table[l] + stride * i as isize);
                }
            }
        }
        self.lanes = match table.iter().map(|&at| i32::try_from(at)).collect() {
            Ok(table) => Lanes::Table(table),
            Err(_) => Lanes::Any,
        };
    }

    /// The first element of a tile, were it inside.
    pub(crate) fn start(&self, index: &[usize]) -> isize {
        match &self.access.way {
            Way::Affine { offset, strides, .. } => {
                offset + strides.iter().zip(index).map(|(s, &i)| s * i as isize).sum::<isize>()
            }
            Way::Any(_) => 0,
        }
    }

    /// How much of a tile is no padding.
    pub(crate) fn inside(&self, axes: &[Axis], index: &[usize], region: Region) -> Inside {
        if !self.is_masked {
            return Inside::Whole;
        }
        let Way::Affine { valid, bounds, .. } = &self.access.way else { return Inside::Partly };
        let count = |n: usize| match n {
            _ if Some(n) == self.frame.rows => region.rows,
            _ if n == self.frame.lanes.start => region.chunk,
            _ if self.frame.lanes.contains(&n) => axes[n].len,
            _ => 1,
        };
        let mut inside = Inside::Whole;
        let mut narrow = |(first, end): (isize, isize), (lo, hi): (isize, isize)| {
            if first < lo || end > hi {
                let is_outside = end <= lo || first >= hi;
                inside = if is_outside { Inside::Nothing } else { inside.min(Inside::Partly) };
            }
        };
        for (n, &(lo, hi)) in valid.iter().enumerate() {
            // What another level walks along, this one does not see.
            if (lo, hi) != (0, axes[n].len) {
                let first = index[n] as isize;
                narrow((first, first + count(n) as isize), (lo as isize, hi as isize));
            }
        }
        for bound in bounds {
            let (mut first, mut end) = (bound.start, bound.start + 1);
            for (n, &step) in bound.steps.iter().enumerate().filter(|(_, step)| **step != 0) {
                let (at, reach) = (step * index[n] as isize, step * (count(n) as isize - 1));
                (first, end) = (first + at + reach.min(0), end + at + reach.max(0));
            }
            narrow((first, end), (bound.lo, bound.hi));
        }
        inside
    }

    /// Calls `f` with the place in the tile, the length and the elements of each run along the last
    /// lane axis.
    pub(crate) fn runs(
        &self,
        axes: &[Axis],
        index: &[usize],
        region: Region,
        mut f: impl FnMut(usize, usize, Run),
    ) {
        let Frame { rows, lanes } = &self.frame;
        let last = lanes.end - 1;
        let len = if lanes.start == last { region.chunk } else { axes[last].len };
        // As a shape, it needs no allocation.
        let mut at: Shape = index.iter().copied().collect();
        let first_row = rows.map_or(0, |n| at[n]);
        let mut done = 0;
        for row in 0..region.rows {
            if let Some(n) = *rows {
                at[n] = first_row + row;
            }
            for _ in 0..region.lanes / len.max(1) {
                f(done, len, self.run(&at, last));
                done += len;
                for n in (lanes.start..last).rev() {
                    at[n] += 1;
                    let end = if n == lanes.start { index[n] + region.chunk } else { axes[n].len };
                    if at[n] < end {
                        break;
                    }
                    at[n] = index[n];
                }
            }
        }
    }

    fn run(&self, index: &[usize], last: usize) -> Run {
        match &self.access.way {
            Way::Any(_) => {
                let flat = &self.access.flat;
                let start = index.iter().zip(flat).map(|(i, flat)| i * flat).sum();
                Run::Flat { start, step: flat[last] }
            }
            Way::Affine { strides, valid, bounds, .. } => {
                let is_valid = |n: usize| valid[n].0 <= index[n] && index[n] < valid[n].1;
                let is_inside = (0..index.len()).all(|n| n == last || is_valid(n));
                let (lo, hi) = if is_inside { valid[last] } else { (0, 0) };
                let relative = |end: usize| end.saturating_sub(index[last]);
                let (mut lo, mut hi) = (relative(lo), relative(hi));
                for bound in bounds {
                    let (first, end) = bound.range(index, last);
                    (lo, hi) = (lo.max(first), hi.min(end));
                }
                Run::Affine { start: self.start(index), stride: strides[last], lo, hi }
            }
        }
    }
}

/// Lengths and strides of the lane axes, inner ones first, merged as far as this one access allows.
fn merged_lanes(strides: &[isize], axes: &[Axis], frame: &Frame) -> Vec<(usize, isize)> {
    let mut merged: Vec<(usize, isize)> = Vec::with_capacity(4);
    for n in frame.lanes.clone().rev() {
        let (len, stride) = (axes[n].len, strides[n]);
        match merged.last_mut() {
            // An axis of one index has any stride.
            Some((inner, own)) if len == 1 || stride == *own * *inner as isize => *inner *= len,
            Some(last @ (1, _)) => *last = (len, stride),
            _ => merged.push((len, stride)),
        }
    }
    if let [(1, stride)] = &mut merged[..] {
        *stride = 1;
    }
    merged
}
