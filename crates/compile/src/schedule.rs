//! Scheduling: cuts a graph into kernels. Pointwise work and reductions over one domain become one
//! loop, pointwise work behind a library op becomes its epilogue, movement becomes index arithmetic,
//! and what needs no memory is computed where it is used. Each kernel knows why it begins.
use crate::group::{Fit, Groups};
use crate::kernel::{Body, Code, Domain, Kernel, Level, Operand, Ref, Step, What};
use crate::program::Options;
use crate::repeat::repeated;
use brasa_ir::ops::{Map, Op, Random, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Graph, Id, Node, Number};
use std::collections::HashMap;

/// The kernels that compute `wanted` and all writes, in an order that can be run.
pub fn schedule(g: &Graph, wanted: &[Id], options: &Options) -> Vec<Kernel> {
    let mut traits = Traits::new(g, wanted);
    let first = Groups::of_all(g, &traits, options);
    let repeated = repeated(g, &traits, &first, &stored(g, &traits, &first, wanted), wanted);
    let groups = if repeated.is_empty() {
        first
    } else {
        traits.repeat(&repeated);
        Groups::of_all(g, &traits, options)
    };
    let stored = stored(g, &traits, &groups, wanted);
    let code = |&n: &usize| Coder::new(g, &traits, &groups, n).kernel(&stored);
    groups.in_order().iter().map(code).collect()
}

/// What is known of each node before any grouping.
pub(crate) struct Traits {
    computed: Vec<bool>,
    light: Vec<bool>,
}

/// Light work costs less to repeat than to load: about one load from the second-level cache.
pub(crate) const LIGHT: u32 = 24;

impl Traits {
    fn new(g: &Graph, wanted: &[Id]) -> Traits {
        let mut cost: Vec<Option<u32>> = Vec::with_capacity(g.len());
        for (_, node) in g.nodes() {
            let own = match &node.op {
                Op::Const(_) | Op::Slot(_) | Op::Iota(_) => Some(1),
                Op::Input(_) if node.ty.elements() == 1 => Some(1),
                Op::Random(_) => Some(16),
                Op::Map(Map(row)) => Some(weight(*row)),
                Op::Cast(_) => Some(1),
                op if is_movement(op) => Some(0),
                _ => None,
            };
            let loads = loads(g, node, &cost);
            let inputs = node.inputs.iter().map(|input| match cost[input.index()] {
                None if loads.is_some() => Some(LOAD),
                known => known,
            });
            let total = inputs.fold(own, |sum, input| Some(sum? + input?));
            cost.push(total.filter(|&sum| sum <= LIGHT));
        }
        let light: Vec<bool> = cost.iter().map(Option::is_some).collect();
        let mut traits = Traits { computed: vec![false; g.len()], light };
        for (id, node) in g.nodes() {
            let is_leaf = matches!(node.op, Op::Input(_) | Op::Write(_));
            let is_work = !is_leaf && !is_movement(&node.op) && !traits.light[id.index()];
            traits.computed[id.index()] = is_work;
        }
        traits.force(g, wanted);
        traits
    }

    /// Some nodes need a buffer of their own whatever they are: what is wanted or written, and
    /// operands that a library op cannot read through their view.
    fn force(&mut self, g: &Graph, wanted: &[Id]) {
        let written = g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written: Vec<Id> = written.map(|(_, node)| node.inputs[1]).collect();
        for id in wanted.iter().chain(&written) {
            // Inputs have a buffer already.
            self.computed[id.index()] = !matches!(g[*id].op, Op::Input(_));
        }
        // A buffer in the middle of another operand's movement can make that unreadable: look again.
        while self.force_operands(g) {}
    }

    /// Gives buffers to operands of library ops; tells whether any was missing.
    fn force_operands(&mut self, g: &Graph) -> bool {
        let mut has_forced = false;
        for (_, node) in g.nodes().filter(|(_, node)| is_library(&node.op)) {
            for &id in &node.inputs {
                if !self.is_readable(g, &node.op, id) {
                    let part = self.readable_part(g, &node.op, id);
                    self.computed[part.index()] = true;
                    has_forced = true;
                }
            }
        }
        has_forced
    }

    /// Whether a library op can read an operand where it lies.
    fn is_readable(&self, g: &Graph, op: &Op, id: Id) -> bool {
        let (base, moves) = self.base(g, id);
        let has_buffer = self.is_computed(base) || matches!(g[base].op, Op::Input(_));
        has_buffer && takes_view(op, &apply(g, base, &moves))
    }

    /// What of an operand needs a buffer so that a library op can read it: what lies below its
    /// movement if that repeats nothing, so that other readers can share it.
    fn readable_part(&self, g: &Graph, op: &Op, id: Id) -> Id {
        let (base, moves) = self.base(g, id);
        let is_as_large = g[base].ty.elements() == g[id].ty.elements();
        let is_shared = is_as_large && takes_view(op, &apply(g, base, &moves));
        if is_shared { base } else { id }
    }

    /// Makes light work of values that their readers compute for themselves.
    fn repeat(&mut self, ids: &[Id]) {
        for id in ids {
            self.light[id.index()] = true;
            self.computed[id.index()] = false;
        }
    }

    /// Has a place in a kernel of its own or with others.
    pub(crate) fn is_computed(&self, id: Id) -> bool {
        self.computed[id.index()]
    }

    /// Computed wherever it is used, from nothing that has to be loaded.
    pub(crate) fn is_light(&self, id: Id) -> bool {
        self.light[id.index()] && !self.computed[id.index()]
    }

    /// The nodes outside of light work that `id` is computed from, each with the movement through
    /// which it is seen, innermost first.
    pub(crate) fn bases(&self, g: &Graph, id: Id) -> Vec<(Id, Vec<Id>)> {
        let mut found = Vec::new();
        let mut todo = vec![(id, Vec::new())];
        while let Some((id, outer)) = todo.pop() {
            let (base, mut moves) = self.base(g, id);
            moves.extend(outer);
            match self.is_light(base) {
                true => todo.extend(g[base].inputs.iter().map(|&input| (input, moves.clone()))),
                false => found.push((base, moves)),
            }
        }
        found
    }

    /// The node that movement from `id` downwards leads to, and the movement, innermost first.
    pub(crate) fn base(&self, g: &Graph, id: Id) -> (Id, Vec<Id>) {
        let (mut base, mut moves) = (id, Vec::new());
        while is_movement(&g[base].op) && !self.is_computed(base) {
            moves.push(base);
            base = g[base].inputs[0];
        }
        moves.reverse();
        (base, moves)
    }
}

/// Whether a library op can read an operand through a view.
pub(crate) fn takes_view(op: &Op, view: &View) -> bool {
    match op {
        Op::Contract(_) | Op::Conv(_) | Op::Gather(_) | Op::Scatter(_) => view.affine().is_some(),
        _ => view.is_contiguous(),
    }
}

/// A load that hits the cache, in additions.
const LOAD: u32 = 4;

/// The bytes that pointwise work has to load, if that is at most half of what it makes: then it is
/// less traffic to do it wherever it is used. Repeated rows times repeated columns are of this kind.
fn loads(g: &Graph, node: &Node, cost: &[Option<u32>]) -> Option<usize> {
    if !matches!(node.op, Op::Map(_) | Op::Cast(_)) {
        return None;
    }
    let mut bases: Vec<Id> = Vec::new();
    for &input in node.inputs.iter().filter(|input| cost[input.index()].is_none()) {
        let mut base = input;
        while is_movement(&g[base].op) {
            base = g[base].inputs[0];
        }
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    let bytes: usize = bases.iter().map(|&base| g[base].ty.bytes()).sum();
    (2 * bytes <= node.ty.bytes()).then_some(bytes)
}

/// Rough cost of a scalar function, in additions.
pub(crate) fn weight(row: Scalar) -> u32 {
    match row {
        Scalar::Div | Scalar::Sqrt | Scalar::Rsqrt | Scalar::Reciprocal => 4,
        Scalar::FloorDivide | Scalar::Remainder | Scalar::Fmod => 6,
        row if row.def().kind == brasa_ir::ops::Kind::Float => 12,
        _ => 1,
    }
}

pub(crate) fn is_movement(op: &Op) -> bool {
    matches!(
        op,
        Op::Reshape(_)
            | Op::Permute(_)
            | Op::Expand(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Flip(_)
            | Op::Window(_)
    )
}

pub(crate) fn is_library(op: &Op) -> bool {
    matches!(
        op,
        Op::Contract(_)
            | Op::Conv(_)
            | Op::Gather(_)
            | Op::Scatter(_)
            | Op::Scan(_)
            | Op::Sort(_)
            | Op::ArgReduce(_)
            | Op::Fold(_)
            | Op::Custom(_)
    )
}

/// `base`, seen through `moves`.
pub(crate) fn apply(g: &Graph, base: Id, moves: &[Id]) -> View {
    let plain = View::new(&g[base].ty.shape);
    moves.iter().fold(plain, |view, &id| match &g[id].op {
        Op::Reshape(op) => view.reshape(&op.shape),
        Op::Permute(op) => view.permute(&op.axes),
        Op::Expand(op) => view.expand(&op.shape),
        Op::Slice(op) => view.slice(&op.start, &op.len, &op.step),
        Op::Pad(op) => view.pad(&op.before, &op.after),
        Op::Flip(op) => view.flip(&op.axes),
        Op::Window(op) => view.window(op.axis, op.size, op.step, op.dilation),
        other => unreachable!("{} is no movement", other.name()),
    })
}

/// The nodes that get buffers: what is wanted, written, or read by another kernel.
fn stored(g: &Graph, traits: &Traits, groups: &Groups, wanted: &[Id]) -> Vec<bool> {
    let mut stored = vec![false; g.len()];
    for &id in wanted {
        stored[id.index()] = true;
    }
    for (id, node) in g.nodes() {
        if let Op::Write(_) = node.op {
            stored[node.inputs[1].index()] = true;
        }
        let Some(group) = groups.of(id) else { continue };
        for (base, _) in node.inputs.iter().flat_map(|&input| traits.bases(g, input)) {
            if groups.of(base).is_some_and(|other| other != group) {
                stored[base.index()] = true;
            }
        }
    }
    stored
}

/// Writes the code of one group.
struct Coder<'a> {
    g: &'a Graph,
    traits: &'a Traits,
    groups: &'a Groups<'a>,
    group: usize,
    domain: Domain,
    code: Code,
    reads: Vec<Id>,
    /// Values of the group's own nodes.
    values: HashMap<Id, Ref>,
    /// Values loaded or computed on the spot, by node, movement and level.
    inlined: HashMap<(Id, Vec<Id>, Level), Ref>,
}

impl<'a> Coder<'a> {
    fn new(g: &'a Graph, traits: &'a Traits, groups: &'a Groups<'a>, group: usize) -> Coder<'a> {
        let (code, reads) = (Code::default(), Vec::new());
        let (values, inlined) = (HashMap::new(), HashMap::new());
        let full = |id: &Id| match &g[*id].op {
            Op::Reduce(_) => Some(&g[g[*id].inputs[0]].ty.shape[..]),
            _ => (groups.level(*id) == Level::Full).then(|| &g[*id].ty.shape[..]),
        };
        let mut shapes: Vec<&[usize]> = groups[group].nodes.iter().filter_map(full).collect();
        // Movement of as many elements cuts the space where its views would have to divide.
        let elements = groups[group].domain.elements(Level::Full);
        for &id in &groups[group].nodes {
            let bases = g[id].inputs.iter().flat_map(|&input| traits.bases(g, input));
            let moves = bases.flat_map(|(_, moves)| moves);
            let moved = moves.map(|id| &g[id].ty).filter(|ty| ty.elements() == elements);
            shapes.extend(moved.map(|ty| &ty.shape[..]));
        }
        let domain = groups[group].domain.refined(&shapes);
        Coder { g, traits, groups, group, domain, code, reads, values, inlined }
    }

    fn kernel(mut self, stored: &[bool]) -> Kernel {
        let group = &self.groups[self.group];
        let mut body = Body::Loop;
        for &id in &group.nodes {
            if is_library(&self.g[id].op) {
                body = self.library(id);
            }
            let value = self.node(id);
            self.values.insert(id, value);
        }
        let writes: Vec<Id> = group.nodes.iter().copied().filter(|id| stored[id.index()]).collect();
        self.code.stores = writes.iter().map(|id| self.values[id]).collect();
        let (nodes, why) = (group.nodes.clone(), group.why.clone());
        let (domain, code, reads) = (self.domain, self.code, self.reads);
        Kernel { body, domain, code, reads, writes, nodes, why }
    }

    /// The library op that the group is built around.
    fn library(&mut self, id: Id) -> Body {
        let node = &self.g[id];
        let operand = |&input: &Id| {
            let (base, moves) = self.traits.base(self.g, input);
            let read = self.read(base);
            let (ty, view) = (self.g[input].ty.clone(), apply(self.g, base, &moves));
            Operand { read, ty, view }
        };
        let operands = node.inputs.iter().map(operand).collect();
        Body::Library { op: node.op.clone(), operands, out: node.ty.clone() }
    }

    /// The value of a node of this group.
    fn node(&mut self, id: Id) -> Ref {
        let node = &self.g[id];
        let level = self.groups.level(id);
        let what = match &node.op {
            op if is_library(op) => What::Anchor,
            Op::Reduce(reduce) => {
                let of = self.value(node.inputs[0], Level::Full);
                What::Reduce { by: reduce.by, of }
            }
            Op::Map(Map(row)) => {
                let args = node.inputs.iter().map(|&input| self.value(input, level)).collect();
                What::Map { row: *row, args }
            }
            Op::Cast(_) => What::Cast(self.value(node.inputs[0], level)),
            // Movement and leaves that were given a buffer of their own.
            op if is_movement(op) => {
                let (base, mut moves) = self.traits.base(self.g, node.inputs[0]);
                if let Some(&own) = self.values.get(&base) {
                    // A row's value that is stored for every element has to become one first.
                    let is_spread = self.code.steps[own.index()].level != level;
                    let dtype = node.ty.dtype;
                    return if is_spread { self.push(What::Cast(own), dtype, level) } else { own };
                }
                moves.push(id);
                return self.inline(base, &moves, level);
            }
            _ => return self.inline(id, &[], level),
        };
        self.push(what, node.ty.dtype, level)
    }

    /// The value of an operand at each element of the domain, or of each row.
    fn value(&mut self, id: Id, level: Level) -> Ref {
        let (base, moves) = self.traits.base(self.g, id);
        match self.values.get(&base) {
            Some(&own) => own,
            None => self.inline(base, &moves, level),
        }
    }

    /// A value from outside the group: loaded, or computed here from light work.
    fn inline(&mut self, base: Id, moves: &[Id], level: Level) -> Ref {
        let is_own = self.groups.of(base) == Some(self.group);
        if self.traits.is_light(base) || is_own {
            return self.light(base, moves, level);
        }
        self.load(base, moves, level)
    }

    /// How the domain sees a node through movement. All of it sees one element, as that of a seed.
    fn view(&self, base: Id, moves: &[Id], level: Level) -> View {
        let (view, shape) = (apply(self.g, base, moves), self.domain.shape(level));
        match view.len() {
            1 => view.reshape(&vec![1; shape.len()]).expand(&shape),
            _ => view.reshape(&shape),
        }
    }

    fn load(&mut self, base: Id, moves: &[Id], level: Level) -> Ref {
        let key = (base, moves.to_vec(), level);
        if let Some(&known) = self.inlined.get(&key) {
            return known;
        }
        let dtype = self.g[base].ty.dtype;
        let view = self.view(base, moves, level);
        let pads = Pads::of(self.g, moves);
        let (read, fill) = (self.read(base), pads.fill(dtype));
        let mut value = self.push(What::Load { read, view, fill }, dtype, level);
        if !pads.have_one_value() {
            value = self.fill_padding(base, moves, value, level);
        }
        self.inlined.insert(key, value);
        value
    }

    /// Light work, done here.
    fn light(&mut self, base: Id, moves: &[Id], level: Level) -> Ref {
        let node = &self.g[base];
        if let Op::Input(_) = node.op {
            return self.load(base, moves, level);
        }
        let key = (base, moves.to_vec(), level);
        if let Some(&known) = self.inlined.get(&key) {
            return known;
        }
        let dtype = node.ty.dtype;
        let view = || self.view(base, moves, level);
        let what = match &node.op {
            Op::Const(c) => What::Const(c.value),
            Op::Slot(slot) => What::Slot(slot.slot),
            Op::Iota(_) => What::Iota { view: view() },
            Op::Random(Random { draw, .. }) => {
                let view = view();
                What::Bits { draw: *draw, seed: self.below(node.inputs[0], &[], level), view }
            }
            Op::Map(Map(row)) => {
                let args = node.inputs.iter().map(|&x| self.below(x, moves, level)).collect();
                What::Map { row: *row, args }
            }
            Op::Cast(_) => What::Cast(self.below(node.inputs[0], moves, level)),
            other => unreachable!("{} is not light", other.name()),
        };
        let value = self.push(what, dtype, level);
        let value = self.fill_padding(base, moves, value, level);
        self.inlined.insert(key, value);
        value
    }

    /// An operand of light work, seen through the movement above that work.
    fn below(&mut self, id: Id, moves: &[Id], level: Level) -> Ref {
        let (base, mut inner) = self.traits.base(self.g, id);
        if let Some(&own) = self.values.get(&base) {
            return own;
        }
        inner.extend(moves);
        self.inline(base, &inner, level)
    }

    /// Where movement has padded, its value in place of `value`.
    fn fill_padding(&mut self, base: Id, moves: &[Id], value: Ref, level: Level) -> Ref {
        let shape = self.domain.shape(level);
        let dtype = self.code.steps[value.index()].dtype;
        let mut value = value;
        for (n, &id) in moves.iter().enumerate() {
            let Op::Pad(pad) = &self.g[id].op else { continue };
            let inner = if n == 0 { base } else { moves[n - 1] };
            let view = apply(self.g, inner, &moves[n..]).reshape(&shape);
            let valid = self.push(What::Valid { view }, DType::Bool, level);
            let fill = self.push(What::Const(pad.value), dtype, level);
            let args = vec![valid, value, fill];
            value = self.push(What::Map { row: Scalar::Select, args }, dtype, level);
        }
        value
    }

    fn read(&mut self, id: Id) -> usize {
        let known = self.reads.iter().position(|&other| other == id);
        known.unwrap_or_else(|| {
            self.reads.push(id);
            self.reads.len() - 1
        })
    }

    fn push(&mut self, what: What, dtype: DType, level: Level) -> Ref {
        self.code.steps.push(Step { what, dtype, level });
        Ref(self.code.steps.len() as u32 - 1)
    }
}

/// The values that padding among some movement is filled with.
struct Pads(Vec<Number>);

impl Pads {
    fn of(g: &Graph, moves: &[Id]) -> Pads {
        let value = |id: &Id| match &g[*id].op {
            Op::Pad(pad) => Some(pad.value),
            _ => None,
        };
        Pads(moves.iter().filter_map(value).collect())
    }

    fn have_one_value(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn fill(&self, dtype: DType) -> Number {
        self.0.first().copied().unwrap_or(Number::Int(0).to(dtype))
    }
}

/// How an operand reaches a node: what the groups ask when they look for a place.
pub(crate) fn fit(g: &Graph, base: Id, moves: &[Id], elements: usize) -> Fit {
    let view = apply(g, base, moves);
    let is_identity = view.len() == elements
        && g[base].ty.elements() == elements
        && view.reshape(&[elements]).is_contiguous();
    if is_identity { Fit::Same } else { Fit::Through(view) }
}

/// The domain of a node alone.
pub(crate) fn own_domain(g: &Graph, id: Id) -> Domain {
    let node = &g[id];
    match &node.op {
        Op::Reduce(reduce) => Domain::new(&g[node.inputs[0]].ty.shape, &reduce.axes),
        _ => Domain::new(&node.ty.shape, &[]),
    }
}
