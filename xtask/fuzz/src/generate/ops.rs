//! Cases of the op table with realistic axis lengths: around multiples of vectors, tiles and
//! blocks, or with one long axis. Graphs include gradients.
use super::{Case, GraphBuilder};
use crate::random::{LENGTHS, Random};
use brasa_ir::case::{self, Recorded, cases};
use brasa_ir::ops::{Const, Op, Pad};
use brasa_ir::table::Call;
use brasa_ir::{DType, Graph, Id, Number, Recorder};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The axis lengths of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As in the op table.
    Small,
    /// Around multiples of vectors and tiles.
    Boundary,
    /// One axis longer than blocks and workgroups.
    Large,
}

/// A case of the op table with a dtype for its floats and a size.
#[derive(Clone, Copy)]
pub struct OpCase {
    case: case::Case,
    float: DType,
    size: Size,
}

/// Dtypes to replace `f32`.
const DTYPES: [DType; 8] = [
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::Bool,
];

const SIZES: [Size; 3] = [Size::Small, Size::Boundary, Size::Large];

/// Maximum number of random lengths to try for an op that rejects a call or is too expensive.
const MAX_TRIES: usize = 16;

/// Maximum number of multiplications and elements of a graph; the oracle then takes some tens of
/// milliseconds.
const MAX_WORK: usize = 3_000_000;

impl OpCase {
    /// Every case in `f32` at three sizes, and in each other dtype at one of them.
    pub fn all() -> Vec<OpCase> {
        let mut list = Vec::new();
        for (n, case) in cases().enumerate() {
            for (m, float) in DTYPES.into_iter().enumerate() {
                let is_wanted = |size: &Size| m == 0 || SIZES[(n + m) % 3] == *size;
                let sizes = SIZES.into_iter().filter(is_wanted);
                list.extend(sizes.map(|size| OpCase { case, float, size }));
            }
        }
        list
    }

    fn draw(random: &mut Random) -> OpCase {
        let all: Vec<case::Case> = cases().collect();
        let float = if random.one_in(2) { DType::F32 } else { random.pick(&DTYPES) };
        OpCase { case: random.pick(&all), float, size: random.pick(&SIZES[1..]) }
    }

    /// The graph of the case with its gradients. `None` if the op does not support the dtype, no
    /// axis can change its length, recording needs data, or the op is a custom op.
    pub fn graph(&self, random: &mut Random, has_doubles: bool) -> Option<Case> {
        if matches!(self.case.entry.call, Call::Reading(_)) {
            return None;
        }
        let lengths = self.lengths()?;
        if self.size != Size::Small && lengths.is_empty() {
            return None;
        }
        let tries = if self.size == Size::Small { 1 } else { MAX_TRIES };
        (0..tries).find_map(|n| {
            let new = self.resized(random, &lengths, n < MAX_TRIES / 4);
            self.record(random, &new, has_doubles)
        })
    }

    /// The axis lengths in the text of the case, except zero and one.
    fn lengths(&self) -> Option<BTreeSet<usize>> {
        let found = RefCell::new(BTreeSet::new());
        let note = |len: usize| {
            found.borrow_mut().insert(len);
            len
        };
        self.case.record_resized(&Recorder::default(), self.float, &note).ok()?;
        Some(found.into_inner().into_iter().filter(|&len| len > 1).collect())
    }

    /// New lengths for some or all of the lengths, in the same order.
    fn resized(
        &self,
        random: &mut Random,
        lengths: &BTreeSet<usize>,
        has_all: bool,
    ) -> BTreeMap<usize, usize> {
        let chosen: Vec<usize> =
            lengths.iter().copied().filter(|_| has_all || random.one_in(2)).collect();
        let (from, to) = match chosen.len() {
            1 => (7, 4097),
            2 => (7, 257),
            _ => (7, 65),
        };
        match self.size {
            Size::Small => BTreeMap::new(),
            Size::Boundary => {
                let fits: Vec<usize> =
                    LENGTHS.into_iter().filter(|len| (from..=to).contains(len)).collect();
                let mut new: Vec<usize> = chosen.iter().map(|_| random.pick(&fits)).collect();
                new.sort_unstable();
                chosen.into_iter().zip(new).collect()
            }
            Size::Large => {
                let long = random.pick(&[511, 1000, 4095, 4097, 65_535, 65_537]);
                let one = random.below(lengths.len());
                lengths.iter().nth(one).map(|&len| (len, long)).into_iter().collect()
            }
        }
    }

    fn record(
        &self,
        random: &mut Random,
        new: &BTreeMap<usize, usize>,
        has_doubles: bool,
    ) -> Option<Case> {
        if new.is_empty() && self.size != Size::Small {
            return None;
        }
        let g = Recorder::default();
        let resize = |len: usize| new.get(&len).copied().unwrap_or(len);
        let Recorded { inputs, outputs } =
            self.case.record_resized(&g, self.float, &resize).ok()?;
        if !g.read(|graph| is_fit(graph, has_doubles)) {
            return None;
        }
        let is_float = |id: &Id| g.expr(*id).dtype().is_float();
        let random = Random::new(random.below(usize::MAX) as u64);
        let (most, pool) = (MAX_WORK, Vec::new());
        let wanted = inputs.iter().map(|(id, _)| *id).filter(is_float).map(|id| g.expr(id));
        let mut builder =
            GraphBuilder { g: &g, random, float: self.float, most, pool, inputs: wanted.collect() };
        let ends: Vec<_> = outputs.iter().copied().filter(is_float).map(|id| g.expr(id)).collect();
        let gradients = builder.gradients(&ends);
        // Gradients that are too expensive are left out.
        let has_gradients = g.read(|graph| is_fit(graph, has_doubles));
        let outputs = outputs.into_iter().chain(gradients.into_iter().filter(|_| has_gradients));
        let outputs = outputs.collect();
        Some(Case { graph: g.into_graph(), outputs })
    }
}

/// A random case; retries until an op supports it.
pub(super) fn draw(random: &mut Random, has_doubles: bool) -> Case {
    loop {
        if let Some(case) = OpCase::draw(random).graph(random, has_doubles) {
            return case;
        }
    }
}

/// Whether the oracle can evaluate a graph quickly and a device supports its dtypes.
fn is_fit(graph: &Graph, has_doubles: bool) -> bool {
    let mut work = 0usize;
    for (_, node) in graph.nodes() {
        let depth = match &node.op {
            Op::Custom(_) => return false,
            // GPUs store i64 in 32 bits and reject larger numbers.
            Op::Const(Const { value, .. }) | Op::Pad(Pad { value, .. })
                if !has_doubles && is_long(*value) =>
            {
                return false;
            }
            Op::Contract(_) => graph[node.inputs[0]].ty.shape.last().copied().unwrap_or(1),
            Op::Conv(_) => graph[node.inputs[1]].ty.shape[1..].iter().product(),
            _ => 1,
        };
        if node.ty.dtype == DType::F64 && !has_doubles {
            return false;
        }
        work = work.saturating_add(node.ty.elements().saturating_mul(depth));
    }
    work <= MAX_WORK
}

fn is_long(value: Number) -> bool {
    matches!(value, Number::Int(value) if i32::try_from(value).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ops but those with fixed shapes, those that read data and those on the host run at
    /// realistic sizes.
    #[test]
    fn most_ops_run_at_realistic_sizes() {
        let (mut tried, mut all) = (BTreeSet::new(), BTreeSet::new());
        for (n, op) in OpCase::all().into_iter().enumerate() {
            if op.float != DType::F32 || op.size == Size::Small {
                continue;
            }
            all.insert(op.case.entry.name);
            if !tried.contains(op.case.entry.name)
                && op.graph(&mut Random::new(n as u64), true).is_some()
            {
                tried.insert(op.case.entry.name);
            }
        }
        let left: Vec<_> = all.difference(&tried).copied().collect();
        println!("{} of {}, not {left:?}", tried.len(), all.len());
        assert!(tried.len() * 100 >= all.len() * 85, "{} of {}: {left:?}", tried.len(), all.len());
    }
}
