//! Where the values of a step lie in memory, for each index of a kernel's space.
use brasa_compile::kernel::{Domain, Granularity};
use brasa_ir::Shape;
use brasa_ir::view::{Bound, BoundedLayer, View};

/// One axis of a loop's space, after merging.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) len: usize,
    pub(crate) is_reduced: bool,
}

/// Maps an index of the space to an element of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) addressing: Addressing,
    /// Strides of the flat index of an element among those of its granularity.
    pub(crate) flat: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Addressing {
    /// `offset + Σ stride · index` if every index is inside its valid range and every bound holds,
    /// else padding.
    Affine { offset: isize, strides: Vec<isize>, valid: Vec<(usize, usize)>, bounds: Vec<Bound> },
    /// Evaluated through the view, element by element.
    View(View),
}

impl Access {
    /// The access of a view over a domain's elements of one granularity.
    pub(crate) fn new(view: &View, domain: &Domain, level: Granularity) -> Access {
        let is_seen = |is_reduced: bool| level == Granularity::PerElement || !is_reduced;
        let mut flat = vec![0; domain.axes.len()];
        let mut below = 1;
        for (n, axis) in domain.axes.iter().enumerate().rev() {
            if is_seen(axis.is_reduced) {
                flat[n] = below;
                below *= axis.len;
            }
        }
        let Some(BoundedLayer { layer, bounds }) = view.bounded() else {
            return Access { addressing: Addressing::View(view.clone()), flat };
        };
        // The axes of the view are those of the domain that the granularity sees, in order.
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
        Access {
            addressing: Addressing::Affine { offset: layer.offset, strides, valid, bounds },
            flat,
        }
    }

    /// Reorders the axes.
    pub(crate) fn permute(&mut self, order: &[usize]) {
        self.flat = order.iter().map(|&n| self.flat[n]).collect();
        if let Addressing::Affine { strides, valid, bounds, .. } = &mut self.addressing {
            *strides = order.iter().map(|&n| strides[n]).collect();
            *valid = order.iter().map(|&n| valid[n]).collect();
            for bound in bounds {
                bound.steps = order.iter().map(|&n| bound.steps[n]).collect();
            }
        }
    }

    /// Whether axes `n` and `n + 1` can be merged.
    pub(crate) fn can_merge(&self, n: usize, axes: &[Axis]) -> bool {
        let inner = axes[n + 1].len;
        match &self.addressing {
            Addressing::View(_) => self.flat[n] == self.flat[n + 1] * inner,
            Addressing::Affine { strides, valid, bounds, .. } => {
                let is_whole = |n: usize| valid[n] == (0, axes[n].len);
                // An axis of one valid index has stride 0, whatever the strides of its neighbours.
                let agree = |strides: &[isize]| strides[n] == strides[n + 1] * inner as isize;
                let all_agree = agree(strides) && bounds.iter().all(|bound| agree(&bound.steps));
                all_agree && is_whole(n) && is_whole(n + 1)
            }
        }
    }

    /// Removes axis `n`, merged into the next one, whose length becomes `merged_len`.
    pub(crate) fn merge(&mut self, n: usize, merged_len: usize) {
        self.flat.remove(n);
        if let Addressing::Affine { strides, valid, bounds, .. } = &mut self.addressing {
            strides.remove(n);
            valid.remove(n);
            valid[n] = (0, merged_len);
            for bound in bounds {
                bound.steps.remove(n);
            }
        }
    }

    /// Whether axis `n` can be split.
    pub(crate) fn can_split(&self, n: usize, axes: &[Axis]) -> bool {
        match &self.addressing {
            Addressing::View(_) => true,
            Addressing::Affine { valid, .. } => valid[n] == (0, axes[n].len),
        }
    }

    /// Splits axis `n` in two, `outer` by `inner`.
    pub(crate) fn split(&mut self, n: usize, outer: usize, inner: usize) {
        self.flat.insert(n, self.flat[n] * inner);
        if let Addressing::Affine { strides, valid, bounds, .. } = &mut self.addressing {
            strides.insert(n, strides[n] * inner as isize);
            valid[n] = (0, inner);
            valid.insert(n, (0, outer));
            for Bound { steps, .. } in bounds {
                steps.insert(n, steps[n] * inner as isize);
            }
        }
    }
}

/// The size of a tile, seen as `rows` rows of `lanes` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) rows: usize,
    /// Number of indices of the first lane axis.
    pub(crate) chunk: usize,
    pub(crate) lanes: usize,
}

/// The axes of a tile: rows run along one axis, lanes along one or several adjacent axes.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) rows: Option<usize>,
    pub(crate) lanes: std::ops::Range<usize>,
}

/// How much of a tile is inside the valid range of its access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Coverage {
    Empty,
    Partial,
    Full,
}

/// The access of one step, with what is known about its tiles in advance.
#[derive(Clone, Debug)]
pub(crate) struct TileAccess {
    pub(crate) access: Access,
    frame: Frame,
    /// Elements between rows.
    pub(crate) row_stride: isize,
    pub(crate) lanes: LaneLayout,
    pub(crate) is_masked: bool,
}

/// The memory layout of the lanes of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LaneLayout {
    /// Adjacent elements.
    Contiguous,
    /// All lanes are one element.
    Broadcast,
    /// At these offsets from the first lane.
    Table(Vec<i32>),
    /// Evaluated through the view.
    General,
}

/// A run of elements along the last axis.
pub(crate) enum ElementRun {
    /// Elements `start + i · stride`; those before `lo` and from `hi` on are padding.
    Affine { start: isize, stride: isize, lo: usize, hi: usize },
    /// The flat indices `start + i · step` of the granularity's elements.
    Flat { start: usize, step: usize },
}

impl TileAccess {
    /// The access as tiles of a frame see it, without a lane table.
    pub(crate) fn new(access: Access, axes: &[Axis], frame: Frame) -> TileAccess {
        let (row_stride, lanes, is_masked) = match &access.addressing {
            Addressing::View(_) => (0, LaneLayout::General, true),
            Addressing::Affine { strides, valid, bounds, .. } => {
                let is_cut = valid.iter().zip(axes).any(|(v, axis)| *v != (0, axis.len));
                let is_masked = is_cut || !bounds.is_empty();
                let row_stride = frame.rows.map_or(0, |n| strides[n]);
                let lanes = match merged_lanes(strides, axes, &frame)[..] {
                    [(_, 1)] => LaneLayout::Contiguous,
                    [(_, 0)] => LaneLayout::Broadcast,
                    _ => LaneLayout::Table(Vec::new()),
                };
                (row_stride, lanes, is_masked)
            }
        };
        TileAccess { access, frame, row_stride, lanes, is_masked }
    }

    /// Whether lanes have the layout `lanes` and no element is padding.
    pub(crate) fn is_plain(&self, lanes: LaneLayout) -> bool {
        !self.is_masked && self.lanes == lanes
    }

    /// Builds the lane table for tiles of up to `chunk` indices of the first lane axis.
    pub(crate) fn make_table(&mut self, axes: &[Axis], chunk: usize) {
        let (LaneLayout::Table(_), Addressing::Affine { strides, .. }) =
            (&self.lanes, &self.access.addressing)
        else {
            return;
        };
        let mut merged = merged_lanes(strides, axes, &self.frame);
        // The first lane axis comes last here, alone or merged with those inside it.
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
            Ok(table) => LaneLayout::Table(table),
            Err(_) => LaneLayout::General,
        };
    }

    /// The first element of a tile, ignoring padding.
    pub(crate) fn start(&self, index: &[usize]) -> isize {
        match &self.access.addressing {
            Addressing::Affine { offset, strides, .. } => {
                offset + strides.iter().zip(index).map(|(s, &i)| s * i as isize).sum::<isize>()
            }
            Addressing::View(_) => 0,
        }
    }

    /// How much of a tile is not padding.
    pub(crate) fn coverage(&self, axes: &[Axis], index: &[usize], region: Region) -> Coverage {
        if !self.is_masked {
            return Coverage::Full;
        }
        let Addressing::Affine { valid, bounds, .. } = &self.access.addressing else {
            return Coverage::Partial;
        };
        let count = |n: usize| match n {
            _ if Some(n) == self.frame.rows => region.rows,
            _ if n == self.frame.lanes.start => region.chunk,
            _ if self.frame.lanes.contains(&n) => axes[n].len,
            _ => 1,
        };
        let mut inside = Coverage::Full;
        let mut narrow = |(first, end): (isize, isize), (lo, hi): (isize, isize)| {
            if first < lo || end > hi {
                let is_outside = end <= lo || first >= hi;
                inside = if is_outside { Coverage::Empty } else { inside.min(Coverage::Partial) };
            }
        };
        for (n, &(lo, hi)) in valid.iter().enumerate() {
            // Axes that this granularity does not see have the whole range.
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

    /// Calls `f` with the position in the tile, the length and the elements of each run along the
    /// last lane axis.
    pub(crate) fn runs(
        &self,
        axes: &[Axis],
        index: &[usize],
        region: Region,
        mut f: impl FnMut(usize, usize, ElementRun),
    ) {
        let Frame { rows, lanes } = &self.frame;
        let last = lanes.end - 1;
        let len = if lanes.start == last { region.chunk } else { axes[last].len };
        // `Shape` stores few axes inline, so this allocates nothing.
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

    fn run(&self, index: &[usize], last: usize) -> ElementRun {
        match &self.access.addressing {
            Addressing::View(_) => {
                let flat = &self.access.flat;
                let start = index.iter().zip(flat).map(|(i, flat)| i * flat).sum();
                ElementRun::Flat { start, step: flat[last] }
            }
            Addressing::Affine { strides, valid, bounds, .. } => {
                let is_valid = |n: usize| valid[n].0 <= index[n] && index[n] < valid[n].1;
                let is_inside = (0..index.len()).all(|n| n == last || is_valid(n));
                let (lo, hi) = if is_inside { valid[last] } else { (0, 0) };
                let relative = |end: usize| end.saturating_sub(index[last]);
                let (mut lo, mut hi) = (relative(lo), relative(hi));
                for bound in bounds {
                    let (first, end) = bound.range(index, last);
                    (lo, hi) = (lo.max(first), hi.min(end));
                }
                ElementRun::Affine { start: self.start(index), stride: strides[last], lo, hi }
            }
        }
    }
}

/// Lengths and strides of the lane axes, innermost first, merged as far as this access allows.
fn merged_lanes(strides: &[isize], axes: &[Axis], frame: &Frame) -> Vec<(usize, isize)> {
    let mut merged: Vec<(usize, isize)> = Vec::with_capacity(4);
    for n in frame.lanes.clone().rev() {
        let (len, stride) = (axes[n].len, strides[n]);
        match merged.last_mut() {
            // The stride of an axis of length 1 does not matter.
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
