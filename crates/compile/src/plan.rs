//! Memory planning: when each buffer lives, which ones share a place in the arena, and which
//! results are written straight over the operands they replace.
use crate::bound::Watch;
use crate::kernel::{Body, Kernel, Level, What, Work};
use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id, Type};
use std::cmp::Reverse;

/// A buffer of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub u32);

impl BufferId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The caller's, by number of the program's input.
    Input(usize),
    /// In the arena, from this byte on.
    Arena(usize),
}

/// The value of a node for as long as somebody needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    pub node: Id,
    pub ty: Type,
    pub place: Place,
    /// The first and the last launch that touches it; what outlives the run lasts to the number of
    /// launches.
    pub first: usize,
    pub last: usize,
}

/// The buffers of a program.
pub(crate) struct Plan {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) arena_bytes: usize,
    /// The most bytes that are in use at once: no arena can be smaller.
    pub(crate) live_bytes: usize,
    /// The buffers that each launch reads and writes.
    pub(crate) touched: Vec<Touched>,
    pub(crate) outputs: Vec<BufferId>,
    /// What to copy when all launches are done, in order: `(to, from)`.
    pub(crate) copies: Vec<(BufferId, BufferId)>,
    /// The two values of each watch.
    pub(crate) watched: Vec<[BufferId; 2]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) reads: Vec<BufferId>,
    pub(crate) writes: Vec<BufferId>,
}

/// Offsets keep whole cache lines and every vector width aligned.
pub(crate) const ALIGN: usize = 64;

/// What a plan is made for: a graph, its inputs in the caller's order, and what is wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) g: &'a Graph,
    pub(crate) inputs: &'a [Id],
    pub(crate) wanted: &'a [Id],
    pub(crate) watches: &'a [Watch],
    /// Whether the device can write values of rows over those they replace.
    pub(crate) overwrites_rows: bool,
}

impl Task<'_> {
    /// The inputs that are written, each with its new value.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (Id, Id)> {
        let writes = self.g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        writes.map(|(_, node)| (node.inputs[0], node.inputs[1]))
    }
}

/// Gives every node that kernels read or write a buffer, and every buffer a place.
pub(crate) fn plan(task: Task, kernels: &[&Kernel]) -> Plan {
    let mut lives = Lives::new(task, kernels);
    let spans = lives.spans();
    let live_bytes = most(&profile(&spans, kernels.len()));
    let (offsets, arena_bytes) = pack(&spans, usize::MAX);
    for (span, offset) in spans.iter().zip(offsets) {
        lives.buffers[span.home].place = Place::Arena(offset);
    }
    for n in 0..lives.buffers.len() {
        lives.buffers[n].place = lives.buffers[lives.home[n]].place;
    }
    let Lives { buffers, touched, outputs, copies, watched, .. } = lives;
    Plan { buffers, arena_bytes, live_bytes, touched, outputs, copies, watched }
}

/// Buffers and their lives, before they have a place.
pub(crate) struct Lives {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) touched: Vec<Touched>,
    outputs: Vec<BufferId>,
    copies: Vec<(BufferId, BufferId)>,
    watched: Vec<[BufferId; 2]>,
    /// The buffer whose place each one takes: its own, or that of the value it overwrites.
    home: Vec<usize>,
    /// The first launch of the wave that each one is in.
    waves: Vec<usize>,
}

/// A piece of the arena that is in use from one launch to another.
pub(crate) struct Span {
    pub(crate) home: usize,
    pub(crate) bytes: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Lives {
    /// A value that several kernels compute gets a buffer from each, and readers take the latest.
    pub(crate) fn new(task: Task, kernels: &[&Kernel]) -> Lives {
        let mut lives = Lives {
            buffers: Vec::new(),
            touched: Vec::with_capacity(kernels.len()),
            outputs: Vec::new(),
            copies: Vec::new(),
            watched: Vec::new(),
            home: Vec::new(),
            waves: Vec::with_capacity(kernels.len()),
        };
        for (n, kernel) in kernels.iter().enumerate() {
            let head = if kernel.is_beside { lives.waves.last().copied() } else { None };
            lives.waves.push(head.unwrap_or(n));
        }
        let mut latest: Vec<Option<BufferId>> = vec![None; task.g.len()];
        for (n, &id) in task.inputs.iter().enumerate() {
            latest[id.index()] = Some(lives.add(task.g, id, Place::Input(n), 0));
        }
        let known = |latest: &[Option<BufferId>], id: Id| {
            latest[id.index()].expect("kernels are in an order that can be run")
        };
        for (launch, kernel) in kernels.iter().enumerate() {
            let reads: Vec<BufferId> = kernel.reads.iter().map(|&id| known(&latest, id)).collect();
            reads.iter().for_each(|read| lives.buffers[read.index()].last = launch);
            let add = |&id: &Id| {
                let buffer = lives.add(task.g, id, Place::Arena(0), launch);
                latest[id.index()] = Some(buffer);
                buffer
            };
            let writes = kernel.writes.iter().map(add).collect();
            lives.touched.push(Touched { reads, writes });
        }
        lives.outputs = task.wanted.iter().map(|&id| known(&latest, id)).collect();
        let writes = task.writes().map(|(to, value)| (known(&latest, to), known(&latest, value)));
        lives.copies = writes.filter(|(to, value)| to != value).collect();
        lives.stage_exchanges(task.g);
        let lasting = lives.outputs.iter().chain(lives.copies.iter().map(|(_, value)| value));
        for id in lasting {
            lives.buffers[id.index()].last = kernels.len();
        }
        for watch in task.watches {
            let pair = [watch.before, watch.at].map(|id| known(&latest, id));
            let last = pair.map(|id| lives.buffers[id.index()].last).into_iter().max();
            pair.iter().for_each(|id| lives.buffers[id.index()].last = last.unwrap_or(0));
            lives.watched.push(pair);
        }
        lives.overwrite_inputs(kernels, task.overwrites_rows);
        lives.overwrite_operands(kernels);
        lives
    }

    fn add(&mut self, g: &Graph, node: Id, place: Place, first: usize) -> BufferId {
        let id = BufferId(self.buffers.len() as u32);
        self.home.push(id.index());
        self.buffers.push(Buffer { node, ty: g[node].ty.clone(), place, first, last: first });
        id
    }

    /// Inputs that take each other's values: these go through the arena.
    fn stage_exchanges(&mut self, g: &Graph) {
        let mut copies = std::mem::take(&mut self.copies);
        let mut staged = Vec::new();
        for n in 0..copies.len() {
            let from = copies[n].1;
            let is_input = matches!(self.buffers[from.index()].place, Place::Input(_));
            if is_input && copies.iter().any(|&(to, _)| to == from) {
                let node = self.buffers[from.index()].node;
                copies[n].1 = self.add(g, node, Place::Arena(0), self.touched.len());
                staged.push((copies[n].1, from));
            }
        }
        self.copies = [staged, copies].concat();
    }

    /// Writes new values of inputs at once where the old ones are no longer needed.
    fn overwrite_inputs(&mut self, kernels: &[&Kernel], overwrites_rows: bool) {
        let copies = std::mem::take(&mut self.copies);
        for (target, value) in copies {
            let new = &self.buffers[value.index()];
            let is_made = matches!(new.place, Place::Arena(_)) && new.first < kernels.len();
            let is_free = is_made && self.is_at_home(value);
            let is_over = self.is_over(target, new.first);
            let may_overwrite = || {
                self.can_overwrite(kernels, new.first, target)
                    || (overwrites_rows && self.can_overwrite_rows(kernels, target, value))
            };
            if is_free && is_over && may_overwrite() {
                self.home[value.index()] = target.index();
            } else {
                self.copies.push((target, value));
            }
        }
    }

    /// Writes results over operands of the same size that die in the same launch. Library ops have
    /// a use for the memory of their result, and are left alone.
    fn overwrite_operands(&mut self, kernels: &[&Kernel]) {
        for launch in 0..kernels.len() {
            if !matches!(kernels[launch].body, Body::Loop) {
                continue;
            }
            let Touched { reads, writes } = self.touched[launch].clone();
            let mut dying = reads;
            dying.retain(|read| {
                let buffer = &self.buffers[read.index()];
                matches!(buffer.place, Place::Arena(_)) && self.is_over(*read, launch)
            });
            for write in writes {
                if !self.is_at_home(write) {
                    continue;
                }
                let fits = |read: &BufferId| {
                    let (old, new) = (&self.buffers[read.index()].ty, self.ty(write));
                    old.elements() == new.elements()
                        && old.dtype.bytes() == new.dtype.bytes()
                        && self.can_overwrite(kernels, launch, *read)
                };
                if let Some(at) = dying.iter().position(fits) {
                    let read = dying.swap_remove(at);
                    self.home[write.index()] = self.home[read.index()];
                }
            }
        }
    }

    /// Whether a buffer is touched neither after a launch nor by another that runs beside it.
    fn is_over(&self, id: BufferId, launch: usize) -> bool {
        let wave = self.waves.get(launch).map_or(launch..launch, |&head| head..launch);
        let is_read = |n: usize| self.touched[n].reads.contains(&id);
        self.buffers[id.index()].last <= launch && !wave.into_iter().any(is_read)
    }

    fn ty(&self, id: BufferId) -> &Type {
        &self.buffers[id.index()].ty
    }

    fn is_at_home(&self, id: BufferId) -> bool {
        self.home[id.index()] == id.index()
    }

    fn can_overwrite(&self, kernels: &[&Kernel], launch: usize, target: BufferId) -> bool {
        let read = self.touched[launch].reads.iter().position(|&read| read == target);
        kernels[launch].can_overwrite(read)
    }

    /// `can_overwrite` for a value of each row.
    fn can_overwrite_rows(&self, kernels: &[&Kernel], target: BufferId, value: BufferId) -> bool {
        let launch = self.buffers[value.index()].first;
        let Touched { reads, writes } = &self.touched[launch];
        let read = reads.iter().position(|&read| read == target);
        let write = writes.iter().position(|&write| write == value);
        let (Some(read), Some(write)) = (read, write) else { return false };
        kernels[launch].can_overwrite_rows(read, write)
    }

    /// The pieces of the arena.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let mut lasts: Vec<usize> = self.buffers.iter().map(|buffer| buffer.last).collect();
        for (n, &home) in self.home.iter().enumerate() {
            lasts[home] = lasts[home].max(self.buffers[n].last);
        }
        let is_piece =
            |n: &usize| self.home[*n] == *n && matches!(self.buffers[*n].place, Place::Arena(_));
        // What runs side by side begins and ends together.
        let mut ends: Vec<usize> = (0..self.waves.len()).collect();
        for n in (1..ends.len()).rev() {
            if self.waves[n] == self.waves[n - 1] {
                ends[n - 1] = ends[n];
            }
        }
        let span = |home: usize| {
            let bytes = self.buffers[home].ty.bytes().next_multiple_of(ALIGN);
            let (first, last) = (self.buffers[home].first, lasts[home]);
            let first = self.waves.get(first).map_or(first, |&head| head);
            let last = ends.get(last).map_or(last, |&end| end);
            Span { home, bytes, first, last }
        };
        (0..self.buffers.len()).filter(is_piece).map(span).collect()
    }

    /// The bytes in use at each launch, and after the last.
    pub(crate) fn profile(&self) -> Vec<usize> {
        profile(&self.spans(), self.touched.len())
    }
}

pub(crate) fn profile(spans: &[Span], launches: usize) -> Vec<usize> {
    let mut change = vec![0isize; launches + 2];
    for span in spans {
        change[span.first] += span.bytes as isize;
        change[span.last + 1] -= span.bytes as isize;
    }
    let mut bytes = 0;
    let mut at = |change: &isize| {
        bytes += change;
        bytes as usize
    };
    change[..=launches].iter().map(&mut at).collect()
}

/// The most bytes that are in use at once: no arena can be smaller.
pub(crate) fn most(profile: &[usize]) -> usize {
    profile.iter().copied().max().unwrap_or(0)
}

/// Packings this close to the least possible are good enough.
const SLACK: f64 = 1.01;
/// Pairs of spans that may be compared in search of a better packing: about 10 ms.
const PATIENCE: usize = 1 << 23;
const MOST_TRIES: usize = 100;

/// An offset for each span, and the size of the arena. Each span lies at the lowest place that is
/// free for as long as it lives, the largest or the most lasting first; and then again and again,
/// with the span that stuck out placed before all others. No span lies across the end of a page.
pub(crate) fn pack(spans: &[Span], page: usize) -> (Vec<usize>, usize) {
    let launches = spans.iter().map(|span| span.last).max().unwrap_or(0);
    let good = (SLACK * most(&profile(spans, launches)) as f64) as usize;
    let tries = (PATIENCE / (spans.len() * spans.len()).max(1)).clamp(1, MOST_TRIES);
    let length = |span: &Span| span.last - span.first + 1;
    let by_size = |span: &Span| span.bytes;
    let by_area = |span: &Span| span.bytes.saturating_mul(length(span));
    let keys: [&dyn Fn(&Span) -> usize; 3] = [&by_size, &by_area, &length];
    let mut best = (Vec::new(), usize::MAX);
    for key in keys {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&n| (Reverse(key(&spans[n])), n));
        for _ in 0..tries {
            let (offsets, total) = pack_in_order(spans, &order, page);
            let end = |n: &usize| offsets[*n] + spans[*n].bytes;
            let at = order.iter().position(|n| end(n) == total).unwrap_or(0);
            if total < best.1 {
                best = (offsets, total);
            }
            if best.1 <= good || at == 0 {
                break;
            }
            order[..=at].rotate_right(1);
        }
        if best.1 <= good {
            break;
        }
    }
    best
}

fn pack_in_order(spans: &[Span], order: &[usize], page: usize) -> (Vec<usize>, usize) {
    let (mut offsets, mut total) = (vec![0; spans.len()], 0);
    // Those with a place, in order of their offsets.
    let mut placed: Vec<(usize, usize)> = Vec::with_capacity(spans.len());
    for &n in order {
        let span = &spans[n];
        let mut offset = 0;
        loop {
            for &(start, other) in &placed {
                if start >= offset + span.bytes {
                    break;
                }
                let other = &spans[other];
                let meet = other.first <= span.last && span.first <= other.last;
                if meet && start + other.bytes > offset {
                    offset = start + other.bytes;
                }
            }
            let end = (offset / page + 1).saturating_mul(page);
            if offset + span.bytes <= end {
                break;
            }
            offset = end;
        }
        offsets[n] = offset;
        total = total.max(offset + span.bytes);
        let at = placed.partition_point(|other| *other < (offset, n));
        placed.insert(at, (offset, n));
    }
    (offsets, total)
}

impl Kernel {
    /// Whether results may be written over an operand: it is read element by element alone, each
    /// before the result at that element is written. `None` is an operand that is not read.
    pub(crate) fn can_overwrite(&self, read: Option<usize>) -> bool {
        let Some(read) = read else { return true };
        // What makes rows runs ahead of the rest.
        let is_ahead = |work: &&Work| !work.body.operands().is_empty();
        let is_operand = self.body.reads(read) || self.works().iter().any(is_ahead);
        let reads_in_step = self.code.steps.iter().all(|step| match &step.what {
            What::Load { read: other, view, .. } if *other == read => {
                step.level == Level::Full && view.is_contiguous()
            }
            What::Reduce { .. } => false,
            _ => true,
        });
        !is_operand && reads_in_step
    }

    /// Whether a value of each row may be written over an operand of a loop: it is read row by row
    /// and for rows alone, and the new value waits for a reduction.
    fn can_overwrite_rows(&self, read: usize, write: usize) -> bool {
        let steps = &self.code.steps;
        let (mut is_late, mut is_tainted) = (vec![false; steps.len()], vec![false; steps.len()]);
        for (n, step) in steps.iter().enumerate() {
            let after = |marks: &[bool]| step.what.args().iter().any(|arg| marks[arg.index()]);
            is_late[n] = matches!(step.what, What::Reduce { .. }) || after(&is_late);
            is_tainted[n] = after(&is_tainted);
            if let What::Load { read: other, view, .. } = &step.what {
                is_tainted[n] = *other == read;
                if is_tainted[n] && !view.is_contiguous() {
                    return false;
                }
            }
            if is_tainted[n] && step.level == Level::Full {
                return false;
            }
        }
        let value = self.code.stores[write].index();
        matches!(self.body, Body::Loop) && steps[value].level == Level::Row && is_late[value]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(bytes: usize, first: usize, last: usize) -> Span {
        Span { home: 0, bytes, first, last }
    }

    #[test]
    fn spans_that_live_together_lie_apart() {
        let spans: Vec<Span> = (0..60)
            .map(|n| span(64 * (1 + n * 7 % 11), n * 13 % 37, n * 13 % 37 + n * 5 % 9))
            .collect();
        let (offsets, total) = pack(&spans, usize::MAX);
        let end = |n: usize| offsets[n] + spans[n].bytes;
        for a in 0..spans.len() {
            assert!(end(a) <= total);
            for b in 0..a {
                let meet = spans[a].first <= spans[b].last && spans[b].first <= spans[a].last;
                let apart = end(a) <= offsets[b] || end(b) <= offsets[a];
                assert!(!meet || apart, "spans {a} and {b} overlap");
            }
        }
    }

    #[test]
    fn nested_lives_are_packed_without_a_gap() {
        // What a forward and a backward pass leave: the first value is needed last.
        let spans: Vec<Span> = (0..20).map(|n| span(64 * (n % 4 + 1), n, 40 - n)).collect();
        let least = most(&profile(&spans, 41));
        assert_eq!(pack(&spans, usize::MAX).1, least);
    }

    #[test]
    fn nothing_lies_across_pages() {
        let spans: Vec<Span> = (0..30).map(|n| span(64 * (n % 5 + 1), n, n + 9)).collect();
        let (offsets, _) = pack(&spans, 448);
        for (n, (a, at)) in spans.iter().zip(&offsets).enumerate() {
            assert_eq!(at / 448, (at + a.bytes - 1) / 448, "span {n} at {at}");
            for (b, other) in spans.iter().zip(&offsets).take(n) {
                let meet = a.first <= b.last && b.first <= a.last;
                let overlap = *at < other + b.bytes && *other < at + a.bytes;
                assert!(!(meet && overlap), "span {n} at {at}");
            }
        }
    }
}
