//! Validates programs, including untrusted ones that were read from bytes, so that devices can rely
//! on these invariants: every index is in range, every view stays inside its buffer, values have
//! the types that their ops require, and buffers that are live at the same time do not overlap.
use crate::memory::pack::ALIGN;
use crate::memory::plan::{Buffer, BufferId, Place};
use crate::program::{Launch, Program};
use crate::schedule::group::has_rows_of;
use crate::schedule::kernel::{
    Body, Code, Domain, Granularity, Kernel, Operand, Prologue, Ref, Step, StepOp,
};
use crate::schedule::{packs, takes_view};
use crate::target::Target;
use brasa_ir::ops::{Map, Op, OpDef, Reduce, ReduceOp, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Type};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

pub(crate) type Checked = Result<(), String>;

/// `Ok`, or the first violation of what a device requires.
pub(crate) fn check(program: &Program, target: &Target) -> Checked {
    let in_range = |id: &BufferId| id.index() < program.buffers.len();
    let touched = |launch: &Launch| launch.reads.iter().chain(&launch.writes).all(in_range);
    let copies_are = program.copies.iter().all(|(to, from)| in_range(to) && in_range(from));
    let bounds_are = program.bounds.iter().all(|b| in_range(&b.before) && in_range(&b.at));
    let all = program.launches.iter().all(touched) && program.outputs.iter().all(in_range);
    ensure(all && copies_are && bounds_are, || "a buffer does not exist".to_string())?;
    check_places(program)?;
    for (n, launch) in program.launches.iter().enumerate() {
        let checked = check_launch(program, n, launch, target);
        checked.map_err(|what| format!("launch {n}: {what}"))?;
    }
    check_outputs(program)?;
    check_bounds(program)?;
    check_overlaps(&program.buffers)?;
    check_concurrent(program)
}

/// Concurrent launches write nothing that another of them reads or writes.
fn check_concurrent(program: &Program) -> Checked {
    let mut head = 0;
    for (n, launch) in program.launches.iter().enumerate() {
        if !launch.kernel.is_concurrent {
            head = n;
        }
        for other in &program.launches[head..n] {
            let conflict = |a: &Launch, b: &Launch| {
                let touched = || b.reads.iter().chain(&b.writes);
                a.writes.iter().any(|w| touched().any(|id| share_memory(program, *w, *id)))
            };
            let is_apart = !conflict(launch, other) && !conflict(other, launch);
            ensure(is_apart, || format!("launch {n} conflicts with a concurrent launch"))?;
        }
    }
    let is_first = program.launches.first().is_some_and(|launch| launch.kernel.is_concurrent);
    ensure(!is_first, || "the first launch is marked concurrent".to_string())
}

/// Whether two buffers share a byte.
fn share_memory(program: &Program, a: BufferId, b: BufferId) -> bool {
    let [a, b] = [a, b].map(|id| &program.buffers[id.index()]);
    match (a.place, b.place) {
        (Place::Input(a), Place::Input(b)) => a == b,
        (Place::Arena(from), Place::Arena(to)) => {
            from < to + b.ty.bytes() && to < from + a.ty.bytes()
        }
        _ => false,
    }
}

/// Values of index checks are live after their launch, and the checked axis exists.
fn check_bounds(program: &Program) -> Checked {
    for bound in &program.bounds {
        let is_there = |id: BufferId| {
            let buffer = &program.buffers[id.index()];
            let is_number = buffer.ty.dtype == DType::I64 && buffer.ty.elements() == 1;
            is_number && (buffer.first..=buffer.last).contains(&bound.launch)
        };
        let is_known = is_there(bound.before) && is_there(bound.at);
        let has_axis = bound.positions.axis < bound.positions.input.rank();
        let is_counted = bound.positions.index.shape.is_addressable();
        let fits = is_known && has_axis && is_counted && bound.launch < program.launches.len();
        ensure(fits, || "an index check refers to missing values or axes".to_string())?;
    }
    Ok(())
}

pub(crate) fn ensure(is_true: bool, what: impl FnOnce() -> String) -> Checked {
    if is_true { Ok(()) } else { Err(what()) }
}

/// Every buffer is an input or lies inside the arena.
fn check_places(program: &Program) -> Checked {
    let end = program.launches.len();
    for buffer in &program.buffers {
        let (ty, is_alive) = (&buffer.ty, buffer.first <= buffer.last && buffer.last <= end);
        let fits = ty.shape.is_addressable()
            && match buffer.place {
                Place::Input(n) => program.inputs.get(n).is_some_and(|input| input.ty == *ty),
                Place::Arena(offset) => {
                    let fits = offset.checked_add(ty.bytes());
                    offset % ALIGN == 0 && fits.is_some_and(|end| end <= program.arena_bytes)
                }
            };
        ensure(fits && is_alive, || format!("{} {ty} has no valid place", buffer.node))?;
    }
    let used = program.buffers.iter().map(|buffer| match buffer.place {
        Place::Arena(offset) => (offset + buffer.ty.bytes()).next_multiple_of(ALIGN),
        Place::Input(_) => 0,
    });
    let used = used.max().unwrap_or(0);
    ensure(program.arena_bytes <= used, || "the arena is larger than its buffers".to_string())
}

/// Outputs and copied values outlive the run, and copies fit their targets.
fn check_outputs(program: &Program) -> Checked {
    let end = program.launches.len();
    let buffer = |id: &BufferId| &program.buffers[id.index()];
    let lasts = |id: &BufferId| buffer(id).last == end || is_input(buffer(id));
    ensure(program.outputs.iter().all(lasts), || "an output does not outlive the run".to_string())?;
    for (to, from) in &program.copies {
        let is_open = match buffer(to).place {
            Place::Input(n) => program.inputs[n].is_written,
            Place::Arena(_) => lasts(to),
        };
        let fits = buffer(to).ty == buffer(from).ty && buffer(to).place != buffer(from).place;
        ensure(is_open && fits && lasts(from), || {
            "a copy has mismatched types, places or lifetimes".to_string()
        })?;
    }
    Ok(())
}

fn is_input(buffer: &Buffer) -> bool {
    matches!(buffer.place, Place::Input(_))
}

/// Buffers that share bytes are not live at the same time, except a result and the operand that it
/// overwrites.
pub(crate) fn check_overlaps(buffers: &[Buffer]) -> Checked {
    let span = |buffer: &Buffer| match buffer.place {
        Place::Arena(offset) if buffer.ty.bytes() > 0 => Some(offset..offset + buffer.ty.bytes()),
        _ => None,
    };
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&n| buffers[n].first);
    // Live buffers by offset; they do not overlap.
    let mut alive: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for n in order {
        let (new, Some(own)) = (&buffers[n], span(&buffers[n])) else { continue };
        while let Some(&Reverse((last, over))) = ends.peek()
            && last < new.first
        {
            ends.pop();
            let start = span(&buffers[over]).map_or(0, |span| span.start);
            if alive.get(&start) == Some(&over) {
                alive.remove(&start);
            }
        }
        if let Some((_, &other)) = alive.range(..own.end).next_back() {
            let old = &buffers[other];
            let is_apart = span(old).is_none_or(|old| old.end <= own.start);
            let is_replaced = old.last == new.first
                && old.first < new.first
                && old.place == new.place
                && old.ty.bytes() == new.ty.bytes();
            let is_right = is_apart || is_replaced;
            ensure(is_right, || format!("{} and {} overlap", old.node, new.node))?;
        }
        alive.insert(own.start, n);
        ends.push(Reverse((new.last, n)));
    }
    Ok(())
}

fn check_launch(program: &Program, n: usize, launch: &Launch, target: &Target) -> Checked {
    let Launch { kernel, reads, writes, .. } = launch;
    let buffer = |id: &BufferId| &program.buffers[id.index()];
    let types = |ids: &[BufferId]| ids.iter().map(|id| &buffer(id).ty).collect::<Vec<&Type>>();
    check_kernel(kernel, &types(reads), &types(writes), target)?;
    let is_alive = |id: &BufferId| (buffer(id).first..=buffer(id).last).contains(&n);
    let all = reads.iter().filter(|id| !is_input(buffer(id))).chain(writes);
    ensure(all.into_iter().all(is_alive), || "a buffer is used outside its lifetime".to_string())?;
    let is_open = |id: &BufferId| match buffer(id).place {
        Place::Input(n) => program.inputs[n].is_written,
        Place::Arena(_) => true,
    };
    ensure(writes.iter().all(is_open), || "it writes to a read-only input".to_string())?;
    check_in_place(kernel, reads, writes, &program.buffers, target)
}

/// Results do not overlap each other, and they overlap operands only if these are read before.
pub(crate) fn check_in_place(
    kernel: &Kernel,
    reads: &[BufferId],
    writes: &[BufferId],
    buffers: &[Buffer],
    target: &Target,
) -> Checked {
    let buffer = |id: &BufferId| &buffers[id.index()];
    for (w, id) in writes.iter().enumerate().filter(|(_, id)| buffer(id).ty.bytes() > 0) {
        let new = buffer(id);
        let is_there = |id: &BufferId| buffer(id).place == new.place && buffer(id).ty.bytes() > 0;
        let is_shared = writes[..w].iter().any(is_there);
        ensure(!is_shared, || format!("{} overlaps another result", new.node))?;
        let can = |(read, _): (usize, &BufferId)| {
            let is_as_wide = buffer(&reads[read]).ty.dtype.bytes() == new.ty.dtype.bytes();
            let by_rows = || target.overwrites_rows && kernel.can_overwrite_rows(read, w);
            is_as_wide && (kernel.can_overwrite(Some(read)) || by_rows())
        };
        let overwritten = reads.iter().enumerate().filter(|(_, id)| is_there(id));
        let can = overwritten.into_iter().all(can);
        ensure(can, || format!("{} is written before it is read", new.node))?;
    }
    Ok(())
}

/// A single kernel: its steps, op and stores fit the types of its reads and writes.
pub(crate) fn check_kernel(
    kernel: &Kernel,
    reads: &[&Type],
    writes: &[&Type],
    target: &Target,
) -> Checked {
    let stores = kernel.stores();
    let as_many = reads.len() == kernel.reads.len()
        && writes.len() == kernel.writes.len()
        && writes.len() == stores.len();
    ensure(as_many, || "its buffers do not match its kernel".to_string())?;
    let shape: Vec<usize> = kernel.domain.axes.iter().map(|axis| axis.len).collect();
    let is_countable = brasa_ir::Shape::from(shape).is_addressable();
    ensure(is_countable, || "its domain is too large".to_string())?;
    steps(&kernel.domain, &kernel.code, Some(&kernel.body), reads)?;
    library(&kernel.body, &kernel.domain, reads)?;
    check_reduced_rows(kernel, target)?;
    for ((id, ty), (domain, step)) in kernel.writes.iter().zip(writes).zip(stores) {
        let step = step.ok_or("a store refers to a missing step")?;
        let fits = ty.dtype == step.dtype && ty.elements() == domain.elements(step.granularity);
        ensure(fits, || format!("{id} does not have the type of its step"))?;
    }
    Ok(())
}

/// Rows of a product are reduced in its launch only if the device does that for their length.
fn check_reduced_rows(kernel: &Kernel, target: &Target) -> Checked {
    let prologues = kernel.prologues().into_iter().map(|prologue| (&prologue.body, &prologue.code));
    for (body, code) in prologues.chain([(&kernel.body, &kernel.code)]) {
        let Body::Library { out, .. } = body else { continue };
        let reduces = code.steps.iter().any(|step| matches!(step.op, StepOp::Reduce { .. }));
        let can = out.shape.last().is_some_and(|len| target.reduced_row_lens.contains(len));
        ensure(can || !reduces, || format!("it cannot reduce rows of {out}"))?;
    }
    Ok(())
}

/// Steps read earlier steps of the right type and granularity. Loop prologues have no `body`.
fn steps(domain: &Domain, code: &Code, body: Option<&Body>, reads: &[&Type]) -> Checked {
    for (n, step) in code.steps.iter().enumerate() {
        let at = StepAt { n, step, earlier: &code.steps[..n], domain, body, reads };
        let dtype = at.dtype()?;
        ensure(dtype == step.dtype, || format!("step {n} is {dtype}, not {}", step.dtype))?;
    }
    Ok(())
}

/// A step, and what it can refer to.
struct StepAt<'a> {
    n: usize,
    step: &'a Step,
    earlier: &'a [Step],
    domain: &'a Domain,
    body: Option<&'a Body>,
    reads: &'a [&'a Type],
}

impl StepAt<'_> {
    /// The type of the step's value, as its op requires.
    fn dtype(&self) -> Result<DType, String> {
        let n = self.n;
        match &self.step.op {
            StepOp::Load { read, view, .. } => self.load(*read, view),
            StepOp::Const(_) => Ok(self.step.dtype),
            StepOp::Slot(slot) => {
                ensure(*slot < MAX_SLOTS, || {
                    format!("step {n} reads slot {slot}, which is out of range")
                })?;
                Ok(self.step.dtype)
            }
            StepOp::Iota { view } => self.view(view).map(|()| self.step.dtype),
            StepOp::Bits { seed, view, .. } => {
                self.view(view)?;
                let seed = self.arg(seed)?;
                ensure(seed.dtype == DType::U32, || {
                    format!("step {n} has a seed that is not u32")
                })?;
                Ok(DType::U32)
            }
            StepOp::Valid { view } => self.view(view).map(|()| DType::Bool),
            StepOp::Map { function, args } => self.map(*function, args),
            StepOp::Cast(of) => self.arg(of).map(|_| self.step.dtype),
            StepOp::Reduce { by, of } => self.reduce(*by, of),
            StepOp::Anchor => match self.body {
                Some(Body::Library { out, .. })
                    if self.step.granularity == Granularity::PerElement =>
                {
                    Ok(out.dtype)
                }
                _ => Err(format!("step {n} reads the result of a missing library op")),
            },
        }
    }

    fn view(&self, view: &View) -> Checked {
        let fits = view.shape()[..] == self.domain.shape(self.step.granularity)[..];
        ensure(fits, || format!("step {} has a view of another shape than its domain", self.n))
    }

    fn earlier(&self, of: &Ref) -> Result<&Step, String> {
        self.earlier.get(of.index()).ok_or(format!("step {} reads a later step", self.n))
    }

    fn arg(&self, of: &Ref) -> Result<&Step, String> {
        let arg = self.earlier(of)?;
        // Elements can read row values, but not the other way around.
        let is_seen = arg.granularity == Granularity::PerRow
            || self.step.granularity == Granularity::PerElement;
        ensure(is_seen, || format!("step {} reads elements for a row value", self.n))?;
        Ok(arg)
    }

    fn load(&self, read: usize, view: &View) -> Result<DType, String> {
        self.view(view)?;
        let ty = self.reads.get(read).ok_or("a load refers to a missing operand")?;
        let fits = view.reach() <= ty.elements();
        ensure(fits, || format!("step {} reads beyond its buffer", self.n))?;
        Ok(ty.dtype)
    }

    fn map(&self, function: Scalar, args: &[Ref]) -> Result<DType, String> {
        let is_full = args.len() == function.def().arity;
        ensure(is_full, || format!("step {} has too few or too many operands", self.n))?;
        let types = args.iter().map(|of| Ok(Type::new(self.arg(of)?.dtype, [])));
        let types = types.collect::<Result<Vec<Type>, String>>()?;
        let types: Vec<&Type> = types.iter().collect();
        Ok(Map(function).infer(&types).map_err(|e| e.message())?.dtype)
    }

    fn reduce(&self, by: ReduceOp, of: &Ref) -> Result<DType, String> {
        let of = self.earlier(of)?;
        let is_reduction = (of.granularity, self.step.granularity)
            == (Granularity::PerElement, Granularity::PerRow);
        let follows = match self.body {
            Some(Body::Loop) => true,
            Some(Body::Library { op: Op::Contract(_), out, .. }) => {
                out.shape.last().is_some_and(|&columns| self.domain.row() == Some(columns))
            }
            _ => false,
        };
        ensure(is_reduction && follows, || format!("step {} cannot reduce rows here", self.n))?;
        let axes = self.domain.axes.iter();
        let reduced = axes.filter(|axis| axis.is_reduced).map(|axis| axis.len).product();
        let reduce = Reduce { by, axes: vec![0] };
        Ok(reduce.infer(&[&Type::new(of.dtype, [reduced])]).map_err(|e| e.message())?.dtype)
    }
}

/// A prologue computes the whole operand.
fn check_prologue(op: &Op, n: usize, ty: &Type, prologue: &Prologue, reads: &[&Type]) -> Checked {
    let is_taken = matches!(op, Op::Contract(_)) && packs(ty.dtype) && ty.shape.is_addressable();
    let fits = match &prologue.body {
        Body::Loop => {
            prologue.domain.shape(Granularity::PerElement)[..] == ty.shape[..]
                && prologue.code.stores.len() == 1
        }
        Body::Library { op: Op::Contract(_), operands, out } => {
            let has_rows =
                operands[..].iter().all(|o| !matches!(&o.prologue, Some(p) if !is_loop(p)));
            n == 0 && has_rows && has_rows_of(out, ty) && out.dtype == ty.dtype
        }
        Body::Library { .. } => false,
    };
    ensure(is_taken && fits, || format!("{} cannot have this prologue", op.name()))?;
    let body = (!is_loop(prologue)).then_some(&prologue.body);
    steps(&prologue.domain, &prologue.code, body, reads)?;
    library(&prologue.body, &prologue.domain, reads)?;
    let value = prologue.code.stores.last().ok_or("a prologue stores nothing")?;
    let step = prologue.code.steps.get(value.index()).ok_or("a store refers to a missing step")?;
    let fits = step.dtype == ty.dtype && step.granularity == Granularity::PerElement;
    ensure(fits, || format!("a prologue of {} has another type than its operand", op.name()))
}

fn is_loop(prologue: &Prologue) -> bool {
    matches!(prologue.body, Body::Loop)
}

/// The recorder numbers slots from zero, one per number in the user's code.
const MAX_SLOTS: usize = 1 << 24;

/// A library op has operands that its shape rule accepts and views that it can read.
fn library(body: &Body, domain: &Domain, reads: &[&Type]) -> Checked {
    let Body::Library { op, operands, out } = body else { return Ok(()) };
    ensure(op.is_library(), || format!("{} is not a library op", op.name()))?;
    for (n, Operand { read, ty, view, prologue }) in operands.iter().enumerate() {
        if let Some(prologue) = prologue {
            check_prologue(op, n, ty, prologue, reads)?;
            continue;
        }
        let stored = reads.get(*read).ok_or("a library op reads a missing operand")?;
        let fits = stored.dtype == ty.dtype
            && view.shape()[..] == ty.shape[..]
            && view.reach() <= stored.elements()
            && takes_view(op, view);
        ensure(fits, || format!("an operand of {} has an invalid type or view", op.name()))?;
    }
    let types: Vec<&Type> = operands.iter().map(|operand| &operand.ty).collect();
    let arity = op.arity().unwrap_or(types.len());
    ensure(arity == types.len(), || format!("{} has too few or too many operands", op.name()))?;
    let inferred = op.infer(&types).map_err(|e| e.message())?;
    let fits = inferred == *out && out.elements() == domain.elements(Granularity::PerElement);
    ensure(fits, || format!("{} does not give {out}", op.name()))
}
