//! Lowering: turns the nodes of one group into a kernel, as straight-line code over its domain.
use crate::schedule::group::Groups;
use crate::schedule::kernel::{
    Body, Code, Domain, DomainAxis, Granularity, Kernel, Operand, Prologue, Ref, Step, StepOp,
};
use crate::schedule::split_axes::split_axes;
use crate::schedule::{Traits, apply};
use brasa_ir::ops::{Map, Op, Random, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Graph, Id, Number, Type};
use std::collections::HashMap;

/// Lowers one group.
pub(crate) struct Lowering<'a> {
    g: &'a Graph,
    traits: &'a Traits,
    groups: &'a Groups<'a>,
    group: usize,
    domain: Domain,
    code: Code,
    reads: Vec<Id>,
    /// Values of the group's nodes.
    values: HashMap<Id, Ref>,
    /// Values loaded or computed inline, by node, movement ops and granularity.
    inlined: HashMap<(Id, Vec<Id>, Granularity), Ref>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(
        g: &'a Graph,
        traits: &'a Traits,
        groups: &'a Groups<'a>,
        group: usize,
    ) -> Lowering<'a> {
        let (code, reads) = (Code::default(), Vec::new());
        let (values, inlined) = (HashMap::new(), HashMap::new());
        let full = |id: &Id| match &g[*id].op {
            Op::Reduce(_) => Some(&g[g[*id].inputs[0]].ty.shape[..]),
            _ => (groups.granularity(*id) == Granularity::PerElement).then(|| &g[*id].ty.shape[..]),
        };
        let mut shapes: Vec<Vec<usize>> =
            groups[group].nodes.iter().filter_map(full).map(<[usize]>::to_vec).collect();
        // Split the domain where views of movement ops with as many elements would need division.
        let elements = groups[group].domain.elements(Granularity::PerElement);
        for &id in &groups[group].nodes {
            let own = g[id].op.is_movement().then_some(id);
            let sources = g[id].inputs.iter().flat_map(|&input| traits.sources(g, input));
            let split_shapes = sources.map(|(base, moves)| {
                let moves: Vec<Id> = moves.into_iter().chain(own).collect();
                split_axes(g, base, &moves)
            });
            shapes.extend(split_shapes.filter(|shape| shape.iter().product::<usize>() == elements));
        }
        let domain = groups[group].domain.refined(&shapes);
        Lowering { g, traits, groups, group, domain, code, reads, values, inlined }
    }

    /// The kernel of the group.
    pub(crate) fn kernel(mut self, stored: &[bool]) -> Kernel {
        let group = &self.groups[self.group];
        let (mut nodes, mut why) = (group.nodes.clone(), group.why.clone());
        let (body, mut writes) = self.body(stored);
        if has_loop_prologue(&body) {
            why += "; it computes cheap operands while packing them";
        }
        if let Some(rows) = group.row_producer {
            nodes.splice(0..0, self.groups[rows].nodes.iter().copied());
            writes.extend(self.groups[rows].nodes.iter().filter(|id| stored[id.index()]));
        }
        let (domain, code, reads) = (self.domain, self.code, self.reads);
        Kernel { body, domain, code, reads, writes, nodes, why, is_concurrent: false }
    }

    /// Emits the code of the group's nodes. Returns the kernel's body and the stored nodes.
    fn body(&mut self, stored: &[bool]) -> (Body, Vec<Id>) {
        let mut body = Body::Loop;
        let nodes = &self.groups[self.group].nodes;
        for &id in nodes {
            if self.g[id].op.is_library() {
                body = self.library(id, stored);
            }
            let value = self.node(id);
            self.values.insert(id, value);
        }
        let writes: Vec<Id> = nodes.iter().copied().filter(|id| stored[id.index()]).collect();
        self.code.stores = writes.iter().map(|id| self.values[id]).collect();
        (body, writes)
    }

    /// The library op of the group, with its operands.
    fn library(&mut self, id: Id, stored: &[bool]) -> Body {
        let node = &self.g[id];
        let operand = |(n, &input): (usize, &Id)| {
            let (base, moves) = self.traits.base(self.g, input);
            let (ty, view) = (self.g[input].ty.clone(), apply(self.g, base, &moves));
            let prologue = match self.groups[self.group].row_producer.filter(|_| n == 0) {
                Some(rows) => Some(self.row_prologue(rows, base, stored)),
                None if self.traits.is_inlined_op(self.g, base) => {
                    Some(self.inline_prologue(base, &moves, &ty))
                }
                None => None,
            };
            let read = if prologue.is_some() { 0 } else { self.read(base) };
            Operand { read, ty, view, prologue }
        };
        let operands = node.inputs.iter().enumerate().map(operand).collect();
        Body::Library { op: node.op.clone(), operands, out: node.ty.clone() }
    }

    /// A prologue that computes the rows of an operand: the code of another group.
    fn row_prologue(&mut self, group: usize, base: Id, stored: &[bool]) -> Prologue {
        let mut producer = Lowering::new(self.g, self.traits, self.groups, group);
        std::mem::swap(&mut producer.reads, &mut self.reads);
        let (body, _) = producer.body(stored);
        producer.code.stores.push(producer.values[&base]);
        self.reads = producer.reads;
        Prologue { body, domain: producer.domain, code: producer.code }
    }

    /// A prologue that computes a light operand, as separate code over its elements.
    fn inline_prologue(&mut self, base: Id, moves: &[Id], ty: &Type) -> Prologue {
        let axis = |&len: &usize| DomainAxis { len, is_reduced: false };
        let domain = Domain { axes: ty.shape.iter().map(axis).collect() };
        let own = std::mem::replace(&mut self.domain, domain);
        let (code, inlined) = (std::mem::take(&mut self.code), std::mem::take(&mut self.inlined));
        let value = self.inline(base, moves, Granularity::PerElement);
        self.code.stores.push(value);
        self.inlined = inlined;
        let code = std::mem::replace(&mut self.code, code);
        let domain = std::mem::replace(&mut self.domain, own);
        Prologue { body: Body::Loop, domain, code }
    }

    /// Emits a node of this group.
    fn node(&mut self, id: Id) -> Ref {
        let node = &self.g[id];
        let granularity = self.groups.granularity(id);
        let op = match &node.op {
            op if op.is_library() => StepOp::Anchor,
            Op::Reduce(reduce) => {
                let of = self.value(node.inputs[0], Granularity::PerElement);
                StepOp::Reduce { by: reduce.by, of: self.broadcast(of, Granularity::PerElement) }
            }
            Op::Map(Map(function)) => {
                let args =
                    node.inputs.iter().map(|&input| self.value(input, granularity)).collect();
                StepOp::Map { function: *function, args }
            }
            Op::Cast(_) => StepOp::Cast(self.value(node.inputs[0], granularity)),
            // Stored movement ops and leaves.
            op if op.is_movement() => {
                let (base, mut moves) = self.traits.base(self.g, node.inputs[0]);
                if let Some(&own) = self.values.get(&base) {
                    return self.broadcast(own, granularity);
                }
                moves.push(id);
                return self.inline(base, &moves, granularity);
            }
            _ => return self.inline(id, &[], granularity),
        };
        let value = self.push(op, node.ty.dtype, granularity);
        self.round(id, value)
    }

    /// A value at the given granularity: a row value becomes a value of each element.
    fn broadcast(&mut self, value: Ref, granularity: Granularity) -> Ref {
        let step = &self.code.steps[value.index()];
        let (dtype, has_level) = (step.dtype, step.granularity == granularity);
        if has_level { value } else { self.push(StepOp::Cast(value), dtype, granularity) }
    }

    /// Rounds the value of a node to its dtype if other nodes rely on that.
    fn round(&mut self, id: Id, value: Ref) -> Ref {
        // A value that is only stored is rounded by the store.
        let is_alone = self.g[id].op.is_library() && self.groups[self.group].nodes.len() == 1;
        if is_alone || !self.traits.is_rounded(id) {
            return value;
        }
        let granularity = self.code.steps[value.index()].granularity;
        self.push(StepOp::Cast(value), self.g[id].ty.dtype, granularity)
    }

    /// The value of an operand, per element or per row.
    fn value(&mut self, id: Id, granularity: Granularity) -> Ref {
        let (base, moves) = self.traits.base(self.g, id);
        match self.values.get(&base) {
            Some(&own) => own,
            None => self.inline(base, &moves, granularity),
        }
    }

    /// A value from outside the group: loaded, or computed inline if it is light.
    fn inline(&mut self, base: Id, moves: &[Id], granularity: Granularity) -> Ref {
        let is_own = self.groups[self.group].nodes.contains(&base);
        if self.traits.is_light(base) || is_own {
            return self.light(base, moves, granularity);
        }
        self.load(base, moves, granularity)
    }

    /// The view of a node through movement ops over the domain. A single element, such as a seed,
    /// is broadcast.
    fn view(&self, base: Id, moves: &[Id], granularity: Granularity) -> View {
        let (view, shape) = (apply(self.g, base, moves), self.domain.shape(granularity));
        match view.len() {
            1 => view.reshape(&vec![1; shape.len()]).expand(&shape),
            _ => view.reshape(&shape),
        }
    }

    fn load(&mut self, base: Id, moves: &[Id], granularity: Granularity) -> Ref {
        let key = (base, moves.to_vec(), granularity);
        if let Some(&known) = self.inlined.get(&key) {
            return known;
        }
        let dtype = self.g[base].ty.dtype;
        let view = self.view(base, moves, granularity);
        let pads = Pads::of(self.g, moves);
        let (read, fill) = (self.read(base), pads.fill(dtype));
        let mut value = self.push(StepOp::Load { read, view, fill }, dtype, granularity);
        if !pads.have_one_value() {
            value = self.fill_padding(base, moves, value, granularity);
        }
        self.inlined.insert(key, value);
        value
    }

    /// Computes a light value inline.
    fn light(&mut self, base: Id, moves: &[Id], granularity: Granularity) -> Ref {
        let node = &self.g[base];
        if let Op::Input(_) = node.op {
            return self.load(base, moves, granularity);
        }
        let key = (base, moves.to_vec(), granularity);
        if let Some(&known) = self.inlined.get(&key) {
            return known;
        }
        let dtype = node.ty.dtype;
        let view = || self.view(base, moves, granularity);
        let op = match &node.op {
            Op::Const(c) => StepOp::Const(c.value),
            Op::Slot(slot) => StepOp::Slot(slot.slot),
            Op::Iota(_) => StepOp::Iota { view: view() },
            Op::Random(Random { draw, .. }) => {
                let view = view();
                StepOp::Bits {
                    draw: *draw,
                    seed: self.inner_operand(node.inputs[0], &[], granularity),
                    view,
                }
            }
            Op::Map(Map(function)) => {
                let args = node
                    .inputs
                    .iter()
                    .map(|&x| self.inner_operand(x, moves, granularity))
                    .collect();
                StepOp::Map { function: *function, args }
            }
            Op::Cast(_) => StepOp::Cast(self.inner_operand(node.inputs[0], moves, granularity)),
            other => unreachable!("{} is not light", other.name()),
        };
        let value = self.push(op, dtype, granularity);
        let value = self.round(base, value);
        let value = self.fill_padding(base, moves, value, granularity);
        self.inlined.insert(key, value);
        value
    }

    /// An operand of a light node, seen through the movement ops after that node.
    fn inner_operand(&mut self, id: Id, moves: &[Id], granularity: Granularity) -> Ref {
        let (base, mut inner) = self.traits.base(self.g, id);
        if let Some(&own) = self.values.get(&base) {
            return own;
        }
        inner.extend(moves);
        self.inline(base, &inner, granularity)
    }

    /// Replaces `value` by the padding value where a movement op has padded.
    fn fill_padding(
        &mut self,
        base: Id,
        moves: &[Id],
        value: Ref,
        granularity: Granularity,
    ) -> Ref {
        let shape = self.domain.shape(granularity);
        let dtype = self.code.steps[value.index()].dtype;
        let mut value = value;
        for (n, &id) in moves.iter().enumerate() {
            let Op::Pad(pad) = &self.g[id].op else { continue };
            let inner = if n == 0 { base } else { moves[n - 1] };
            let view = apply(self.g, inner, &moves[n..]).reshape(&shape);
            let valid = self.push(StepOp::Valid { view }, DType::Bool, granularity);
            let fill = self.push(StepOp::Const(pad.value), dtype, granularity);
            let args = vec![valid, value, fill];
            value = self.push(StepOp::Map { function: Scalar::Select, args }, dtype, granularity);
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

    fn push(&mut self, op: StepOp, dtype: DType, granularity: Granularity) -> Ref {
        self.code.steps.push(Step { op, dtype, granularity });
        Ref(self.code.steps.len() as u32 - 1)
    }
}

fn has_loop_prologue(body: &Body) -> bool {
    let is_loop = |prologue: &Prologue| matches!(prologue.body, Body::Loop);
    body.operands().iter().any(|operand| operand.prologue.as_ref().is_some_and(is_loop))
}

/// The padding values of a chain of movement ops.
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
