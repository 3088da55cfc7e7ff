//! Code: what the nodes of one group become, as steps over its domain.
use crate::group::Groups;
use crate::kernel::{
    Body, Code, Domain, DomainAxis, Kernel, Level, Operand, Ref, Step, What, Work,
};
use crate::schedule::{Traits, apply, is_library, is_movement};
use crate::seams::seams;
use brasa_ir::ops::{Map, Op, Random, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Graph, Id, Number, Type};
use std::collections::HashMap;

/// Writes the code of one group.
pub(crate) struct Coder<'a> {
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
    pub(crate) fn new(
        g: &'a Graph,
        traits: &'a Traits,
        groups: &'a Groups<'a>,
        group: usize,
    ) -> Coder<'a> {
        let (code, reads) = (Code::default(), Vec::new());
        let (values, inlined) = (HashMap::new(), HashMap::new());
        let full = |id: &Id| match &g[*id].op {
            Op::Reduce(_) => Some(&g[g[*id].inputs[0]].ty.shape[..]),
            _ => (groups.level(*id) == Level::Full).then(|| &g[*id].ty.shape[..]),
        };
        let mut shapes: Vec<Vec<usize>> =
            groups[group].nodes.iter().filter_map(full).map(<[usize]>::to_vec).collect();
        // Movement of as many elements cuts the space where its views would have to divide.
        let elements = groups[group].domain.elements(Level::Full);
        for &id in &groups[group].nodes {
            let own = is_movement(&g[id].op).then_some(id);
            let sources = g[id].inputs.iter().flat_map(|&input| traits.sources(g, input));
            let seams = sources.map(|(base, moves)| {
                let moves: Vec<Id> = moves.into_iter().chain(own).collect();
                seams(g, base, &moves)
            });
            shapes.extend(seams.filter(|shape| shape.iter().product::<usize>() == elements));
        }
        let domain = groups[group].domain.refined(&shapes);
        Coder { g, traits, groups, group, domain, code, reads, values, inlined }
    }

    pub(crate) fn kernel(mut self, stored: &[bool]) -> Kernel {
        let group = &self.groups[self.group];
        let (mut nodes, mut why) = (group.nodes.clone(), group.why.clone());
        let (body, mut writes) = self.body(stored);
        if has_light_work(&body) {
            why += "; it does light work on operands while it packs them";
        }
        if let Some(rows) = group.rows {
            nodes.splice(0..0, self.groups[rows].nodes.iter().copied());
            writes.extend(self.groups[rows].nodes.iter().filter(|id| stored[id.index()]));
        }
        let (domain, code, reads) = (self.domain, self.code, self.reads);
        Kernel { body, domain, code, reads, writes, nodes, why, is_beside: false }
    }

    /// Writes the code of the group's nodes; gives what they are built around, and what is stored.
    fn body(&mut self, stored: &[bool]) -> (Body, Vec<Id>) {
        let mut body = Body::Loop;
        let nodes = &self.groups[self.group].nodes;
        for &id in nodes {
            if is_library(&self.g[id].op) {
                body = self.library(id, stored);
            }
            let value = self.node(id);
            self.values.insert(id, value);
        }
        let writes: Vec<Id> = nodes.iter().copied().filter(|id| stored[id.index()]).collect();
        self.code.stores = writes.iter().map(|id| self.values[id]).collect();
        (body, writes)
    }

    /// The library op that the group is built around.
    fn library(&mut self, id: Id, stored: &[bool]) -> Body {
        let node = &self.g[id];
        let operand = |(n, &input): (usize, &Id)| {
            let (base, moves) = self.traits.base(self.g, input);
            let (ty, view) = (self.g[input].ty.clone(), apply(self.g, base, &moves));
            let work = match self.groups[self.group].rows.filter(|_| n == 0) {
                Some(rows) => Some(self.rows(rows, base, stored)),
                None if self.traits.is_work(self.g, base) => Some(self.work(base, &moves, &ty)),
                None => None,
            };
            let read = if work.is_some() { 0 } else { self.read(base) };
            Operand { read, ty, view, work }
        };
        let operands = node.inputs.iter().enumerate().map(operand).collect();
        Body::Library { op: node.op.clone(), operands, out: node.ty.clone() }
    }

    /// Another group as what makes the rows of an operand.
    fn rows(&mut self, group: usize, base: Id, stored: &[bool]) -> Work {
        let mut maker = Coder::new(self.g, self.traits, self.groups, group);
        std::mem::swap(&mut maker.reads, &mut self.reads);
        let (body, _) = maker.body(stored);
        maker.code.stores.push(maker.values[&base]);
        self.reads = maker.reads;
        Work { body, domain: maker.domain, code: maker.code }
    }

    /// Light work as code of its own, over the elements of an operand.
    fn work(&mut self, base: Id, moves: &[Id], ty: &Type) -> Work {
        let axis = |&len: &usize| DomainAxis { len, is_reduced: false };
        let domain = Domain { axes: ty.shape.iter().map(axis).collect() };
        let own = std::mem::replace(&mut self.domain, domain);
        let (code, inlined) = (std::mem::take(&mut self.code), std::mem::take(&mut self.inlined));
        let value = self.inline(base, moves, Level::Full);
        self.code.stores.push(value);
        self.inlined = inlined;
        let code = std::mem::replace(&mut self.code, code);
        let domain = std::mem::replace(&mut self.domain, own);
        Work { body: Body::Loop, domain, code }
    }

    /// The value of a node of this group.
    fn node(&mut self, id: Id) -> Ref {
        let node = &self.g[id];
        let level = self.groups.level(id);
        let what = match &node.op {
            op if is_library(op) => What::Anchor,
            Op::Reduce(reduce) => {
                let of = self.value(node.inputs[0], Level::Full);
                What::Reduce { by: reduce.by, of: self.spread(of, Level::Full) }
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
                    return self.spread(own, level);
                }
                moves.push(id);
                return self.inline(base, &moves, level);
            }
            _ => return self.inline(id, &[], level),
        };
        let value = self.push(what, node.ty.dtype, level);
        self.settled(id, value)
    }

    /// A row's value that is stored for every element, or reduced with itself, as a value of each.
    fn spread(&mut self, value: Ref, level: Level) -> Ref {
        let step = &self.code.steps[value.index()];
        let (dtype, is_there) = (step.dtype, step.level == level);
        if is_there { value } else { self.push(What::Cast(value), dtype, level) }
    }

    /// The value of a node, rounded if others rely on that.
    fn settled(&mut self, id: Id, value: Ref) -> Ref {
        // What is stored and not used here is rounded by that.
        let is_alone = is_library(&self.g[id].op) && self.groups[self.group].nodes.len() == 1;
        if is_alone || !self.traits.is_rounded(id) {
            return value;
        }
        let level = self.code.steps[value.index()].level;
        self.push(What::Cast(value), self.g[id].ty.dtype, level)
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
        let is_own = self.groups[self.group].nodes.contains(&base);
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
        let value = self.settled(base, value);
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

fn has_light_work(body: &Body) -> bool {
    let is_light = |work: &Work| matches!(work.body, Body::Loop);
    body.operands().iter().any(|operand| operand.work.as_ref().is_some_and(is_light))
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
