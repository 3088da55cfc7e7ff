//! Lower bounds on the cost of a kernel: arithmetic operations and bytes moved. Profiles compare
//! them with the measured time.
use crate::schedule::kernel::{Body, Domain, Granularity, Kernel, Operand, Step, StepOp};
use brasa_ir::Type;
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::view::{Layer, View};

impl Kernel {
    /// Arithmetic operations: two per multiply-add of a matrix product or convolution, one per
    /// element of any pointwise step or reduction. Movement, casts, random numbers and custom ops
    /// count zero.
    pub fn flops(&self) -> usize {
        let all = |domain: &Domain, steps: &[Step]| -> usize {
            steps.iter().map(|step| flops_of(domain, step)).sum()
        };
        let body = |body: &Body| match body {
            Body::Loop => 0,
            Body::Library { op, operands, out } => library_flops(op, operands, out),
        };
        let prologues = self.prologues();
        let own = prologues.iter().map(|p| all(&p.domain, &p.code.steps) + body(&p.body));
        all(&self.domain, &self.code.steps) + body(&self.body) + own.sum::<usize>()
    }

    /// Estimated work in element steps; one thread does about 50 per nanosecond. Operations of
    /// products count a quarter.
    pub(crate) fn work(&self) -> usize {
        let steps = |domain: &Domain, steps: &[Step]| -> usize {
            steps.iter().map(|step| domain.elements(step.granularity)).sum()
        };
        let body = |body: &Body| match body {
            Body::Loop => 0,
            Body::Library { op, operands, out } => library_work(op, operands, out),
        };
        let prologues = self.prologues();
        let own = prologues.iter().map(|p| steps(&p.domain, &p.code.steps) + body(&p.body));
        steps(&self.domain, &self.code.steps) + body(&self.body) + own.sum::<usize>()
    }

    /// Bytes moved between the kernel and memory if each element is read and written once: repeated
    /// reads are free, and so are elements outside all views.
    pub fn bytes(&self) -> usize {
        let read = (0..self.reads.len()).map(|read| self.bytes_read(read));
        let written = self.stores().into_iter().map(|(domain, step)| {
            step.map_or(0, |step| domain.elements(step.granularity) * step.dtype.bytes())
        });
        read.chain(written).sum()
    }

    /// The bytes of one operand. Overlapping views are counted once as far as their extents show
    /// the overlap.
    fn bytes_read(&self, read: usize) -> usize {
        let mut views: Vec<(&View, usize)> = Vec::new();
        let mut add = |view, width| {
            if !views.contains(&(view, width)) {
                views.push((view, width));
            }
        };
        let prologues = self.prologues();
        let prologue_steps = prologues.iter().flat_map(|prologue| &prologue.code.steps);
        for step in self.code.steps.iter().chain(prologue_steps) {
            match &step.op {
                StepOp::Load { read: other, view, .. } if *other == read => {
                    add(view, step.dtype.bytes());
                }
                _ => {}
            }
        }
        for body in prologues.iter().map(|prologue| &prologue.body).chain([&self.body]) {
            let Body::Library { op, operands, out } = body else { continue };
            for (n, operand) in
                operands.iter().enumerate().filter(|(_, o)| o.prologue.is_none() && o.read == read)
            {
                if n == 0 && matches!(op, Op::Gather(_)) {
                    // The gathered elements depend on data, but their number does not.
                    let most = distinct(&operand.view).min(out.elements());
                    return most * operand.ty.dtype.bytes();
                }
                add(&operand.view, operand.ty.dtype.bytes());
            }
        }
        let separate: usize = views.iter().map(|(view, width)| distinct(view) * width).sum();
        let extents = views.iter().filter_map(|(view, _)| extent(view));
        let whole = extents.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let width = views.first().map_or(0, |(_, width)| *width);
        whole.map_or(0, |(first, last)| separate.min((last - first + 1).unsigned_abs() * width))
    }
}

fn flops_of(domain: &Domain, step: &Step) -> usize {
    match step.op {
        StepOp::Map { .. } => domain.elements(step.granularity),
        StepOp::Reduce { .. } => domain.elements(Granularity::PerElement),
        _ => 0,
    }
}

fn library_work(op: &Op, operands: &[Operand], out: &Type) -> usize {
    match op {
        Op::Contract(_) | Op::Conv(_) => library_flops(op, operands, out) / 4,
        // These run element by element.
        _ => 16 * operands.iter().map(|operand| operand.ty.elements()).sum::<usize>(),
    }
}

fn library_flops(op: &Op, operands: &[Operand], out: &Type) -> usize {
    let types: Vec<&Type> = operands.iter().map(|operand| &operand.ty).collect();
    op.flops(&types, out)
}

/// An upper bound on the number of stored elements that a view reads.
fn distinct(view: &View) -> usize {
    let Some((first, last)) = extent(view) else { return 0 };
    let fewest = view.layers().map(valid_elements).min().unwrap_or(0);
    fewest.min((last - first + 1).unsigned_abs())
}

/// The number of indices of a layer with distinct positions, as far as its strides show.
fn valid_elements(layer: &Layer) -> usize {
    let count = |stride: isize, valid: usize| if stride == 0 { valid.min(1) } else { valid };
    layer.axes.iter().map(|axis| count(axis.stride, axis.hi.saturating_sub(axis.lo))).product()
}

/// The first and the last stored element that a view can read; `None` if it is all padding.
fn extent(view: &View) -> Option<(isize, isize)> {
    if view.layers().any(|layer| valid_elements(layer) == 0) {
        return None;
    }
    let storage = view.layers().last()?;
    let (mut first, mut last) = (storage.offset, storage.offset);
    for axis in &storage.axes {
        let ends = [axis.lo, axis.hi - 1].map(|at| at as isize * axis.stride);
        first += ends[0].min(ends[1]);
        last += ends[0].max(ends[1]);
    }
    Some((first, last))
}
