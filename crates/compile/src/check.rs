//! The check of programs, also of those from outside: what devices rely on without looking. Every
//! index exists, every view stays inside its buffer, values have the types their ops ask for, and
//! buffers that live at one time lie apart.
use crate::group::{has_rows_of, is_hot};
use crate::kernel::{Body, Code, Domain, Kernel, Level, Operand, What, Work};
use crate::pack::ALIGN;
use crate::plan::{Buffer, BufferId, Place};
use crate::program::{Launch, Program};
use crate::schedule::{is_library, packs, takes_view};
use brasa_ir::ops::{Map, Op, OpDef, Reduce};
use brasa_ir::view::View;
use brasa_ir::{DType, Type};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

pub(crate) type Checked = Result<(), String>;

/// `Ok`, or the first thing that is wrong. Values of rows may lie where they replace others if the
/// device `overwrites_rows`.
pub(crate) fn check(program: &Program, overwrites_rows: bool) -> Checked {
    let in_range = |id: &BufferId| id.index() < program.buffers.len();
    let touched = |launch: &Launch| launch.reads.iter().chain(&launch.writes).all(in_range);
    let copies_are = program.copies.iter().all(|(to, from)| in_range(to) && in_range(from));
    let bounds_are = program.bounds.iter().all(|b| in_range(&b.before) && in_range(&b.at));
    let all = program.launches.iter().all(touched) && program.outputs.iter().all(in_range);
    ensure(all && copies_are && bounds_are, || "a buffer does not exist".to_string())?;
    places(program)?;
    for (n, launch) in program.launches.iter().enumerate() {
        let checked = check_launch(program, n, launch, overwrites_rows);
        checked.map_err(|what| format!("launch {n}: {what}"))?;
    }
    ends(program)?;
    bounds(program)?;
    overlaps(&program.buffers)?;
    waves(program)
}

/// What runs side by side writes nothing that another of them touches.
fn waves(program: &Program) -> Checked {
    let mut head = 0;
    for (n, launch) in program.launches.iter().enumerate() {
        if !launch.kernel.is_beside {
            head = n;
        }
        for other in &program.launches[head..n] {
            let meet = |a: &Launch, b: &Launch| {
                let touched = || b.reads.iter().chain(&b.writes);
                a.writes.iter().any(|w| touched().any(|id| is_common(program, *w, *id)))
            };
            let is_apart = !meet(launch, other) && !meet(other, launch);
            ensure(is_apart, || format!("launch {n} meets what runs beside it"))?;
        }
    }
    let is_first = program.launches.first().is_some_and(|launch| launch.kernel.is_beside);
    ensure(!is_first, || "the first launch runs beside nothing".to_string())
}

/// Whether two buffers have a byte in common.
fn is_common(program: &Program, a: BufferId, b: BufferId) -> bool {
    let [a, b] = [a, b].map(|id| &program.buffers[id.index()]);
    match (a.place, b.place) {
        (Place::Input(a), Place::Input(b)) => a == b,
        (Place::Arena(from), Place::Arena(to)) => {
            from < to + b.ty.bytes() && to < from + a.ty.bytes()
        }
        _ => false,
    }
}

/// Bounds are known after their launch, and name an axis that there is.
fn bounds(program: &Program) -> Checked {
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
        ensure(fits, || "a bound of nothing".to_string())?;
    }
    Ok(())
}

pub(crate) fn ensure(is_true: bool, what: impl FnOnce() -> String) -> Checked {
    if is_true { Ok(()) } else { Err(what()) }
}

/// Every buffer lies inside the arena or is an input.
fn places(program: &Program) -> Checked {
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
        ensure(fits && is_alive, || format!("{} {ty} has no place", buffer.node))?;
    }
    let used = program.buffers.iter().map(|buffer| match buffer.place {
        Place::Arena(offset) => (offset + buffer.ty.bytes()).next_multiple_of(ALIGN),
        Place::Input(_) => 0,
    });
    let used = used.max().unwrap_or(0);
    ensure(program.arena_bytes <= used, || "the arena is larger than its buffers".to_string())
}

/// Outputs and copies.
fn ends(program: &Program) -> Checked {
    let end = program.launches.len();
    let buffer = |id: &BufferId| &program.buffers[id.index()];
    let lasts = |id: &BufferId| buffer(id).last == end || is_input(buffer(id));
    ensure(program.outputs.iter().all(lasts), || "an output is lost".to_string())?;
    for (to, from) in &program.copies {
        let is_open = match buffer(to).place {
            Place::Input(n) => program.inputs[n].is_written,
            Place::Arena(_) => lasts(to),
        };
        let fits = buffer(to).ty == buffer(from).ty && buffer(to).place != buffer(from).place;
        ensure(is_open && fits && lasts(from), || "a copy does not fit".to_string())?;
    }
    Ok(())
}

fn is_input(buffer: &Buffer) -> bool {
    matches!(buffer.place, Place::Input(_))
}

/// Buffers with common bytes do not live at one time, but for a result and the operand it replaces.
pub(crate) fn overlaps(buffers: &[Buffer]) -> Checked {
    let span = |buffer: &Buffer| match buffer.place {
        Place::Arena(offset) if buffer.ty.bytes() > 0 => Some(offset..offset + buffer.ty.bytes()),
        _ => None,
    };
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&n| buffers[n].first);
    // Those that live, by their offsets; they lie apart.
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

fn check_launch(program: &Program, n: usize, launch: &Launch, overwrites_rows: bool) -> Checked {
    let Launch { kernel, reads, writes, .. } = launch;
    let buffer = |id: &BufferId| &program.buffers[id.index()];
    let types = |ids: &[BufferId]| ids.iter().map(|id| &buffer(id).ty).collect::<Vec<&Type>>();
    check_kernel(kernel, &types(reads), &types(writes))?;
    let is_alive = |id: &BufferId| (buffer(id).first..=buffer(id).last).contains(&n);
    let all = reads.iter().filter(|id| !is_input(buffer(id))).chain(writes);
    ensure(all.into_iter().all(is_alive), || "a buffer does not live yet, or no more".to_string())?;
    let is_open = |id: &BufferId| match buffer(id).place {
        Place::Input(n) => program.inputs[n].is_written,
        Place::Arena(_) => true,
    };
    ensure(writes.iter().all(is_open), || "it writes to what is only read".to_string())?;
    in_place(kernel, reads, writes, &program.buffers, overwrites_rows)
}

/// Results lie apart, and over operands only if these are read before.
pub(crate) fn in_place(
    kernel: &Kernel,
    reads: &[BufferId],
    writes: &[BufferId],
    buffers: &[Buffer],
    overwrites_rows: bool,
) -> Checked {
    let buffer = |id: &BufferId| &buffers[id.index()];
    for (w, id) in writes.iter().enumerate().filter(|(_, id)| buffer(id).ty.bytes() > 0) {
        let new = buffer(id);
        let is_there = |id: &BufferId| buffer(id).place == new.place && buffer(id).ty.bytes() > 0;
        let is_shared = writes[..w].iter().any(is_there);
        ensure(!is_shared, || format!("{} is not free", new.node))?;
        let can = |(read, _): (usize, &BufferId)| {
            let is_as_wide = buffer(&reads[read]).ty.dtype.bytes() == new.ty.dtype.bytes();
            let by_rows = || overwrites_rows && kernel.can_overwrite_rows(read, w);
            is_as_wide && (kernel.can_overwrite(Some(read)) || by_rows())
        };
        let overwritten = reads.iter().enumerate().filter(|(_, id)| is_there(id));
        let can = overwritten.into_iter().all(can);
        ensure(can, || format!("{} is written before it is read", new.node))?;
    }
    Ok(())
}

/// A kernel alone: its steps, its op and its stores fit the types of what it reads and writes.
pub(crate) fn check_kernel(kernel: &Kernel, reads: &[&Type], writes: &[&Type]) -> Checked {
    let stores = kernel.stores();
    let as_many = reads.len() == kernel.reads.len()
        && writes.len() == kernel.writes.len()
        && writes.len() == stores.len();
    ensure(as_many, || "its operands are not those of its kernel".to_string())?;
    let shape: Vec<usize> = kernel.domain.axes.iter().map(|axis| axis.len).collect();
    let is_countable = brasa_ir::Shape::from(shape).is_addressable();
    ensure(is_countable, || "its space is too large".to_string())?;
    steps(&kernel.domain, &kernel.code, Some(&kernel.body), reads)?;
    library(&kernel.body, &kernel.domain, reads)?;
    for ((id, ty), (domain, step)) in kernel.writes.iter().zip(writes).zip(stores) {
        let step = step.ok_or("a store of nothing")?;
        let fits = ty.dtype == step.dtype && ty.elements() == domain.elements(step.level);
        ensure(fits, || format!("{id} has another type"))?;
    }
    Ok(())
}

/// Steps read steps before them, of the right type and level. What makes an operand has no body.
fn steps(domain: &Domain, code: &Code, body: Option<&Body>, reads: &[&Type]) -> Checked {
    let steps = &code.steps;
    for (n, step) in steps.iter().enumerate() {
        let view = |view: &View| {
            let fits = view.shape()[..] == domain.shape(step.level)[..];
            ensure(fits, || format!("step {n} has another shape"))
        };
        let arg = |of: &crate::kernel::Ref| {
            let arg = steps[..n].get(of.index()).ok_or(format!("step {n} reads a later one"))?;
            // A value of each row is seen by all of its elements, but not the other way.
            let is_seen = arg.level == Level::Row || step.level == Level::Full;
            ensure(is_seen, || format!("step {n} reads elements for a row")).map(|()| arg)
        };
        let dtype = match &step.what {
            What::Load { read, view: seen, .. } => {
                view(seen)?;
                let ty = reads.get(*read).ok_or("a read of nothing")?;
                ensure(seen.reach() <= ty.elements(), || {
                    format!("step {n} reads beyond its buffer")
                })?;
                ty.dtype
            }
            What::Const(_) => step.dtype,
            What::Slot(slot) => {
                ensure(*slot < MOST_SLOTS, || format!("step {n} reads slot {slot}"))?;
                step.dtype
            }
            What::Iota { view: seen } => {
                view(seen)?;
                step.dtype
            }
            What::Bits { seed, view: seen, .. } => {
                view(seen)?;
                let seed = arg(seed)?;
                ensure(seed.dtype == DType::U32, || format!("step {n} has no seed"))?;
                DType::U32
            }
            What::Valid { view: seen } => {
                view(seen)?;
                DType::Bool
            }
            What::Map { row, args } => {
                let is_full = args.len() == row.def().arity;
                ensure(is_full, || format!("step {n} lacks operands"))?;
                let mut types = Vec::new();
                for of in args {
                    types.push(Type::new(arg(of)?.dtype, []));
                }
                let types: Vec<&Type> = types.iter().collect();
                Map(*row).infer(&types).map_err(|e| e.message())?.dtype
            }
            What::Cast(of) => {
                arg(of)?;
                step.dtype
            }
            What::Reduce { by, of } => {
                let of = steps[..n].get(of.index()).ok_or(format!("step {n} reads a later one"))?;
                let levels = (of.level, step.level) == (Level::Full, Level::Row);
                let follows = match body {
                    Some(Body::Loop) => true,
                    Some(Body::Library { op: Op::Contract(_), out, .. }) => {
                        out.shape.last().is_some_and(|&columns| is_hot(domain, columns))
                    }
                    _ => false,
                };
                ensure(levels && follows, || format!("step {n} reduces a row"))?;
                let axes = domain.axes.iter();
                let reduced = axes.filter(|axis| axis.is_reduced).map(|axis| axis.len).product();
                let reduce = Reduce { by: *by, axes: vec![0] };
                reduce.infer(&[&Type::new(of.dtype, [reduced])]).map_err(|e| e.message())?.dtype
            }
            What::Anchor => match body {
                Some(Body::Library { out, .. }) if step.level == Level::Full => out.dtype,
                _ => return Err(format!("step {n} follows no library op")),
            },
        };
        ensure(dtype == step.dtype, || format!("step {n} is {dtype}, not {}", step.dtype))?;
    }
    Ok(())
}

/// What makes an operand makes all of it.
fn made(op: &Op, n: usize, ty: &Type, work: &Work, reads: &[&Type]) -> Checked {
    let is_taken = matches!(op, Op::Contract(_)) && packs(ty.dtype) && ty.shape.is_addressable();
    let fits = match &work.body {
        Body::Loop => {
            work.domain.shape(Level::Full)[..] == ty.shape[..] && work.code.stores.len() == 1
        }
        Body::Library { op: Op::Contract(_), operands, out } => {
            let has_rows = operands[..].iter().all(|o| !matches!(&o.work, Some(w) if !is_light(w)));
            n == 0 && has_rows && has_rows_of(out, ty) && out.dtype == ty.dtype
        }
        Body::Library { .. } => false,
    };
    ensure(is_taken && fits, || format!("{} cannot make an operand", op.name()))?;
    let body = (!is_light(work)).then_some(&work.body);
    steps(&work.domain, &work.code, body, reads)?;
    library(&work.body, &work.domain, reads)?;
    let value = work.code.stores.last().ok_or("work has no result")?;
    let step = work.code.steps.get(value.index()).ok_or("a store of nothing")?;
    let fits = step.dtype == ty.dtype && step.level == Level::Full;
    ensure(fits, || format!("an operand of {} has another type", op.name()))
}

fn is_light(work: &Work) -> bool {
    matches!(work.body, Body::Loop)
}

/// Slots are counted from zero by the recorder, one for each number in the user's code.
const MOST_SLOTS: usize = 1 << 24;

/// A library op's operands are what its rule asks for, and lie where it can read them.
fn library(body: &Body, domain: &Domain, reads: &[&Type]) -> Checked {
    let Body::Library { op, operands, out } = body else { return Ok(()) };
    ensure(is_library(op), || format!("{} is no library op", op.name()))?;
    for (n, Operand { read, ty, view, work }) in operands.iter().enumerate() {
        if let Some(work) = work {
            made(op, n, ty, work, reads)?;
            continue;
        }
        let stored = reads.get(*read).ok_or("an operand of nothing")?;
        let fits = stored.dtype == ty.dtype
            && view.shape()[..] == ty.shape[..]
            && view.reach() <= stored.elements()
            && takes_view(op, view);
        ensure(fits, || format!("an operand of {} does not fit", op.name()))?;
    }
    let types: Vec<&Type> = operands.iter().map(|operand| &operand.ty).collect();
    let arity = op.arity().unwrap_or(types.len());
    ensure(arity == types.len(), || format!("{} lacks operands", op.name()))?;
    let inferred = op.infer(&types).map_err(|e| e.message())?;
    let fits = inferred == *out && out.elements() == domain.elements(Level::Full);
    ensure(fits, || format!("{} does not give {out}", op.name()))
}
