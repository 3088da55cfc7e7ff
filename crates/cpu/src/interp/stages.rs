//! Stages and registers: sorts instructions into stages between reductions, and allocates
//! registers, which later values reuse.
use super::access::LaneLayout;
use super::chain::Chain;
use super::class::Class;
use super::fold::RUNNING;
use super::prepare::{Instr, InstrKind, Loop, NO_REGISTER, is_broadcast};
use super::shape::frame_of;
use brasa_compile::kernel::Granularity;

/// The instructions that run between one set of reductions and the next.
#[derive(Default)]
pub(crate) struct Stage {
    /// Instructions with one value per row.
    pub(crate) rows: Vec<usize>,
    /// Instructions with one value per element.
    pub(crate) elements: Vec<usize>,
    pub(crate) reduces: Vec<usize>,
    /// For each instruction whether this stage stores its values: an instruction may run in
    /// several stages.
    pub(crate) is_home: Vec<bool>,
    /// Adjacent elements that run as one chain.
    pub(crate) chains: Vec<Chain>,
}

impl Stage {
    /// The chain that begins at an element.
    pub(super) fn chain_at(&self, at: usize) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.members.start == at)
    }

    /// The elements that are not part of a chain.
    pub(super) fn steps(&self) -> impl Iterator<Item = usize> {
        let is_alone = |at: &usize| !self.chains.iter().any(|chain| chain.members.contains(at));
        (0..self.elements.len()).filter(is_alone).map(|at| self.elements[at])
    }

    /// The end of the chain that an element is part of, or the element itself.
    fn end_of(&self, at: usize) -> usize {
        let chain = self.chains.iter().find(|chain| chain.members.contains(&at));
        chain.map_or(at, |chain| chain.members.end - 1)
    }
}

/// Loads that must be copied are kept from stage to stage in rows of up to this length, and
/// repeated in longer ones.
const MAX_KEPT_ROW: usize = 64;

/// Sorts the instructions into stages, and marks the values that must outlive their tile: those
/// that a later stage needs, of rows that span several tiles.
pub(crate) fn build(instrs: &mut [Instr], is_long: bool, row: usize) -> Vec<Stage> {
    let mut stage_of = vec![0usize; instrs.len()];
    let mut is_rematerialized = vec![false; instrs.len()];
    for n in 0..instrs.len() {
        let after = |&arg: &usize| {
            let is_reduced = matches!(instrs[arg].kind, InstrKind::Reduce { .. });
            stage_of[arg] + is_reduced as usize
        };
        stage_of[n] = instrs[n].args.iter().map(after).max().unwrap_or(0);
        is_rematerialized[n] = is_long && can_rematerialize(instrs, &is_rematerialized, n, row);
    }
    let count = stage_of.iter().max().map_or(1, |last| last + 1);
    let mut stages: Vec<Stage> = (0..count).map(|_| Stage::default()).collect();
    for (at, stage) in stages.iter_mut().enumerate() {
        let mut is_in = vec![false; instrs.len()];
        for n in (0..instrs.len()).rev() {
            let is_home = stage_of[n] == at;
            // A value that is cheap to recompute runs in the stages that use or store it.
            is_in[n] |= is_home && (!is_rematerialized[n] || !instrs[n].stores.is_empty());
            if !is_in[n] {
                continue;
            }
            for &arg in &instrs[n].args.clone() {
                if is_rematerialized[arg] {
                    is_in[arg] = true;
                } else if is_long
                    && stage_of[arg] < at
                    && instrs[arg].level == Granularity::PerElement
                {
                    instrs[arg].is_kept = !is_number(&instrs[arg].kind);
                }
            }
        }
        for n in (0..instrs.len()).filter(|&n| is_in[n] && !is_number(&instrs[n].kind)) {
            match (&instrs[n].kind, instrs[n].level) {
                (InstrKind::Reduce { .. }, _) => stage.reduces.push(n),
                (_, Granularity::PerRow) => stage.rows.push(n),
                (_, Granularity::PerElement) => stage.elements.push(n),
            }
        }
        stage.is_home = stage_of.iter().map(|&home| home == at).collect();
    }
    // A kept value lies in its register, not in a buffer.
    for instr in instrs.iter_mut().filter(|instr| instr.is_kept) {
        instr.is_direct = false;
    }
    stages
}

pub(crate) fn is_number(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Const(_) | InstrKind::Slot(_))
}

/// Whether recomputing a value in a later stage is cheaper than keeping it.
fn can_rematerialize(instrs: &[Instr], is_rematerialized: &[bool], n: usize, row: usize) -> bool {
    let instr = &instrs[n];
    let has_all = || {
        let is_there =
            |&arg: &usize| is_rematerialized[arg] || instrs[arg].level == Granularity::PerRow;
        instr.args.iter().all(is_there)
    };
    match &instr.kind {
        _ if instr.level == Granularity::PerRow => false,
        InstrKind::Const(_)
        | InstrKind::Slot(_)
        | InstrKind::Iota
        | InstrKind::Valid
        | InstrKind::Anchor => true,
        InstrKind::Load { is_direct, .. } => *is_direct || row > MAX_KEPT_ROW,
        InstrKind::Map { .. } => is_broadcast(&instr.kind) || has_all(),
        _ => false,
    }
}

/// Bytes of the partial results that chains leave per row of a reduction.
pub(crate) const CHAINED_BYTES: usize = 4 * RUNNING;
/// Registers are aligned to cache lines.
const LINE: usize = 64;

impl Loop {
    /// Allocates a register for every value and chooses the shape of tiles.
    pub(super) fn allocate(&mut self, is_embedded: bool) {
        let slots = self.share_registers();
        self.choose_extents(slots.iter().sum(), is_embedded);
        for n in 0..self.instrs.len() {
            if let Some(mut place) = self.instrs[n].place.take() {
                place.make_table(&self.axes, self.chunk_of(self.instrs[n].level, is_embedded));
                self.instrs[n].place = Some(place);
            }
        }
        for w in 0..self.writes.len() {
            let level = self.level_of_write(w);
            let chunk = self.chunk_of(level, is_embedded);
            self.writes[w].place.make_table(&self.axes, chunk);
        }
        let mut next = 0;
        let mut take = |bytes: usize| {
            let at = next;
            next += bytes.next_multiple_of(LINE);
            at
        };
        let shared: Vec<usize> =
            slots.iter().map(|bytes| take(bytes * self.extents.elements)).collect();
        let (elements, rows) = (self.extents.elements, self.extents.rows);
        for instr in &mut self.instrs {
            let bytes = instr.class.bytes();
            instr.register = match (&instr.kind, instr.level) {
                (InstrKind::Const(_) | InstrKind::Slot(_), _) => take(LINE),
                (_, Granularity::PerRow) => take(rows * bytes),
                _ if instr.is_kept => {
                    take(self.extents.positions.max(1) * tile_bytes(elements, instr.class))
                }
                (_, Granularity::PerElement) => {
                    shared.get(instr.register).copied().unwrap_or(NO_REGISTER)
                }
            };
        }
        let most = self.stages.iter().map(|stage| stage.reduces.len()).max().unwrap_or(0);
        let is_chained = |i: &Instr| matches!(i.kind, InstrKind::Reduce { is_chained: true, .. });
        if self.instrs.iter().any(is_chained) {
            self.chained = take(most * self.chained_bytes());
        }
        let start = take(most * self.running_bytes());
        self.running = start..take(0);
        self.scratch = self.running.end;
    }

    /// Bytes of the running results of one reduction.
    pub(crate) fn running_bytes(&self) -> usize {
        (self.extents.rows * 8).next_multiple_of(LINE)
    }

    /// Bytes of the partial results that chains leave of one reduction.
    pub(crate) fn chained_bytes(&self) -> usize {
        let bytes = if self.is_by_columns() { 4 } else { CHAINED_BYTES };
        (self.extents.rows * bytes).next_multiple_of(LINE)
    }

    fn level_of_write(&self, w: usize) -> Granularity {
        let owner = self.instrs.iter().find(|instr| instr.stores.contains(&w));
        owner.map_or(Granularity::PerElement, |instr| instr.level)
    }

    /// Maximum number of indices of the first lane axis in tiles of a granularity. Tiles of an
    /// epilogue are as wide as registers are long.
    fn chunk_of(&self, level: Granularity, is_embedded: bool) -> usize {
        let first = frame_of(&self.frame, self.mode, level).lanes.start;
        match is_embedded {
            true => self.axes[first].len.min(self.extents.elements),
            false => self.extents.of[first],
        }
    }

    /// Bytes from one tile of a kept value to the next.
    pub(crate) fn kept_bytes(&self, class: Class) -> usize {
        tile_bytes(self.extents.elements, class)
    }

    /// Assigns register numbers to values with an element per lane, reusing registers of values
    /// that are no longer needed. Returns the bytes per element of each register.
    fn share_registers(&mut self) -> Vec<usize> {
        let mut order: Vec<(usize, bool)> = Vec::new();
        let mut last = vec![0usize; self.instrs.len()];
        for stage in &self.stages {
            let first = order.len();
            for (at, &n) in stage.elements.iter().enumerate() {
                order.push((n, true));
                // What a chain reads stays live until the end of the chain.
                let end = first + stage.end_of(at);
                self.instrs[n].args.iter().for_each(|&arg| last[arg] = end);
                last[n] = last[n].max(end);
            }
            let end = order.len();
            order.push((usize::MAX, false));
            // Reductions and stores to shared memory come at the end of a tile.
            for &n in &stage.reduces {
                self.instrs[n].args.iter().for_each(|&arg| last[arg] = end);
            }
            for &n in &stage.elements {
                let stores = &self.instrs[n].stores;
                if stores.iter().any(|&w| self.writes[w].is_shared) {
                    last[n] = last[n].max(end);
                }
            }
        }
        let mut slots: Vec<usize> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        let mut has = vec![false; self.instrs.len()];
        for (at, &(n, is_step)) in order.iter().enumerate() {
            if is_step && !has[n] && self.needs_register(n) {
                let bytes = self.instrs[n].class.bytes();
                let found = free.iter().rposition(|&slot| slots[slot] == bytes);
                let slot = match found {
                    Some(i) => free.remove(i),
                    None => {
                        slots.push(bytes);
                        slots.len() - 1
                    }
                };
                self.instrs[n].register = slot;
                has[n] = true;
            }
            for n in 0..self.instrs.len() {
                if has[n] && last[n] == at {
                    free.push(self.instrs[n].register);
                }
            }
        }
        slots
    }

    fn needs_register(&self, n: usize) -> bool {
        let instr = &self.instrs[n];
        match &instr.kind {
            _ if instr.is_kept || instr.is_direct || instr.is_chain_internal => false,
            InstrKind::Anchor => false,
            // Loads with padding or too short rows are copied to a register.
            InstrKind::Load { is_direct: true, .. } => {
                let place = instr.place.as_ref();
                self.is_short
                    || !place.is_some_and(|p| {
                        p.is_plain(LaneLayout::Contiguous) || p.is_plain(LaneLayout::Broadcast)
                    })
            }
            _ => true,
        }
    }
}

fn tile_bytes(elements: usize, class: Class) -> usize {
    (elements * class.bytes()).next_multiple_of(LINE)
}
