//! Index arithmetic: maps the index of a thread's element to an index into a buffer. Axes are
//! merged as far as every access allows, so that most shaders need no division.
use brasa_compile::kernel::{Domain, Granularity};
use brasa_ir::view::{Layer, View};

/// One axis of the iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) len: usize,
    pub(crate) is_reduced: bool,
}

/// One axis of an access: the stride, and the range outside of which elements are padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccessAxis {
    stride: isize,
    lo: usize,
    hi: usize,
}

/// Maps the iteration space to a buffer: an affine map, then the view's lower layers.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    offset: isize,
    axes: Vec<AccessAxis>,
    below: Vec<Layer>,
}

/// An index into a buffer as WGSL: an `i32` expression, and the condition under which the element
/// is not padding.
pub(crate) struct ElementIndex {
    /// Statements that both expressions depend on.
    pub(crate) lines: Vec<String>,
    pub(crate) index: String,
    pub(crate) is_valid: Option<String>,
}

impl Access {
    pub(crate) fn new(view: &View, domain: &Domain, level: Granularity) -> Access {
        let shape = domain.shape(level);
        let view = if view.shape()[..] == shape[..] { view.clone() } else { view.reshape(&shape) };
        let mut layers = view.layers();
        let top = layers.next().expect("a view has a layer");
        let mut own = top.axes.iter();
        let axis = |axis: &brasa_compile::kernel::DomainAxis| {
            let is_seen = level == Granularity::PerElement || !axis.is_reduced;
            match is_seen.then(|| own.next()).flatten() {
                Some(axis) => AccessAxis { stride: axis.stride, lo: axis.lo, hi: axis.hi },
                None => AccessAxis { stride: 0, lo: 0, hi: axis.len },
            }
        };
        let axes = domain.axes.iter().map(axis).collect();
        Access { offset: top.offset, axes, below: layers.cloned().collect() }
    }

    fn is_whole(&self, n: usize, axes: &[Axis]) -> bool {
        (self.axes[n].lo, self.axes[n].hi) == (0, axes[n].len)
    }

    /// Whether axes `n` and `n + 1` can be merged.
    fn merges(&self, n: usize, axes: &[Axis]) -> bool {
        let inner = axes[n + 1].len as isize;
        let agrees = self.axes[n].stride == self.axes[n + 1].stride * inner;
        agrees && self.is_whole(n, axes) && self.is_whole(n + 1, axes)
    }

    fn merge(&mut self, n: usize, len: usize) {
        self.axes.remove(n);
        self.axes[n] = AccessAxis { lo: 0, hi: len, ..self.axes[n] };
    }

    /// Whether elements are accessed in the order of the iteration space.
    pub(crate) fn is_in_order(&self, axes: &[Axis]) -> bool {
        let mut expected = 1;
        let strides = (0..axes.len()).rev().all(|n| {
            let fits = axes[n].len == 1 || self.axes[n].stride == expected;
            expected *= axes[n].len as isize;
            fits && self.is_whole(n, axes)
        });
        strides && self.offset == 0 && self.below.is_empty()
    }
}

impl Access {
    /// Whether every aligned group of four neighbours along the last axis is a vec4 in memory.
    pub(crate) fn is_vec4_aligned(&self, axes: &[Axis]) -> bool {
        let Some(last) = axes.len().checked_sub(1) else { return false };
        let is_whole = |n: usize| self.is_whole(n, axes);
        let others = |n: usize| self.axes[n].stride % 4 == 0 || axes[n].len == 1;
        // An empty buffer has one word, too few for a vec4.
        axes.iter().all(|axis| axis.len > 0)
            && self.below.is_empty()
            && self.offset % 4 == 0
            && self.axes[last].stride == 1
            && axes[last].len.is_multiple_of(4)
            && (0..last).all(others)
            && (0..=last).all(is_whole)
    }

    /// Whether the access is broadcast along the last axis.
    pub(crate) fn is_broadcast_on_last(&self, axes: &[Axis]) -> bool {
        let Some(last) = axes.len().checked_sub(1) else { return false };
        self.below.is_empty() && self.axes[last].stride == 0 && self.is_whole(last, axes)
    }
}

/// The iteration space of a kernel after merging axes.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) axes: Vec<Axis>,
}

impl Space {
    /// Merges neighbouring axes wherever every access allows it.
    pub(crate) fn new(domain: &Domain, mut accesses: Vec<&mut Access>) -> Space {
        let axis = |axis: &brasa_compile::kernel::DomainAxis| Axis {
            len: axis.len,
            is_reduced: axis.is_reduced,
        };
        let mut axes: Vec<Axis> = domain.axes.iter().map(axis).collect();
        for n in (0..axes.len().saturating_sub(1)).rev() {
            let is_one_kind = axes[n].is_reduced == axes[n + 1].is_reduced;
            if !is_one_kind || !accesses.iter().all(|access| access.merges(n, &axes)) {
                continue;
            }
            let len = axes[n].len * axes[n + 1].len;
            accesses.iter_mut().for_each(|access| access.merge(n, len));
            axes.remove(n);
            axes[n].len = len;
        }
        Space { axes }
    }

    /// The number of elements of the reduced axes, or of the others.
    pub(crate) fn elements(&self, is_reduced: bool) -> usize {
        self.axes.iter().filter(|axis| axis.is_reduced == is_reduced).map(|axis| axis.len).product()
    }

    /// Statements that set the indices `i0`, `i1` … of the axes that `is_wanted` selects from the
    /// flat index `flat` over these axes.
    pub(crate) fn unravel(
        &self,
        flat: &str,
        is_wanted: impl Fn(usize, Axis) -> bool,
    ) -> Vec<String> {
        let wanted: Vec<usize> =
            (0..self.axes.len()).filter(|&n| is_wanted(n, self.axes[n])).collect();
        let mut lines = Vec::new();
        let mut below = 1;
        for (at, &n) in wanted.iter().enumerate().rev() {
            let divided = if below == 1 { flat.to_string() } else { format!("{flat} / {below}u") };
            let rest = match at {
                0 => divided,
                _ => format!("{divided} % {}u", self.axes[n].len),
            };
            lines.push(format!("let i{n} = i32({rest});"));
            below *= self.axes[n].len;
        }
        lines
    }

    /// The element index of an access. `name` prefixes its variables; `flat`, if given, is the
    /// flat index in the whole space.
    pub(crate) fn element_index(
        &self,
        access: &Access,
        name: &str,
        flat: Option<&str>,
    ) -> ElementIndex {
        if let Some(flat) = flat.filter(|_| access.is_in_order(&self.axes)) {
            let index = format!("i32({flat})");
            return ElementIndex { lines: Vec::new(), index, is_valid: None };
        }
        let mut terms = Vec::new();
        let mut conditions = Vec::new();
        for (n, (axis, own)) in access.axes.iter().zip(&self.axes).enumerate() {
            terms.extend(term(axis.stride, &format!("i{n}")));
            conditions.extend(inside(&format!("i{n}"), axis.lo, axis.hi, own.len));
        }
        let mut index = sum(access.offset, terms);
        let mut lines = Vec::new();
        for (depth, layer) in access.below.iter().enumerate() {
            let flat = format!("{name}_flat{depth}");
            lines.push(format!("let {flat} = u32({index});"));
            let (mut terms, mut below) = (Vec::new(), 1);
            for (n, axis) in layer.axes.iter().enumerate().rev() {
                let digit = format!("{name}_{depth}_{n}");
                if axis.stride != 0 || axis.is_masked() {
                    let divided =
                        if below == 1 { flat.clone() } else { format!("{flat} / {below}u") };
                    let digit_of = match n {
                        0 => divided,
                        _ => format!("{divided} % {}u", axis.len),
                    };
                    lines.push(format!("let {digit} = i32({digit_of});"));
                }
                terms.extend(term(axis.stride, &digit));
                conditions.extend(inside(&digit, axis.lo, axis.hi, axis.len));
                below *= axis.len;
            }
            index = sum(layer.offset, terms);
        }
        // Not `&&`, which branches: with about thirty of them the compiler of SwiftShader
        // (Chromium's software adapter) does not terminate.
        let is_valid = (!conditions.is_empty()).then(|| conditions.join(" & "));
        ElementIndex { lines, index, is_valid }
    }
}

/// `stride · name`, or `None` if the stride is 0.
pub(crate) fn term(stride: isize, name: &str) -> Option<String> {
    match stride {
        0 => None,
        1 => Some(name.to_string()),
        _ => Some(format!("{name} * {}", number(stride))),
    }
}

pub(crate) fn sum(offset: isize, mut terms: Vec<String>) -> String {
    if offset != 0 || terms.is_empty() {
        terms.push(number(offset));
    }
    terms.join(" + ")
}

fn number(n: isize) -> String {
    if n < 0 { format!("({n})") } else { n.to_string() }
}

/// The conditions under which an index is not padding.
fn inside(name: &str, lo: usize, hi: usize, len: usize) -> impl Iterator<Item = String> {
    let low = (lo > 0).then(|| format!("({name} >= {lo})"));
    let high = (hi < len).then(|| format!("({name} < {hi})"));
    low.into_iter().chain(high)
}
