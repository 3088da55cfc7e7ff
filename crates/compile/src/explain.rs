//! Describes a compiled graph as JSON: its nodes, the kernels they are fused into and the memory
//! plan. For tools that visualize it; docs/trace.md describes the fields.
use crate::memory::plan::Place;
use crate::options::Options;
use crate::pipeline::Pipeline;
use crate::schedule::kernel::{Body, Kernel};
use brasa_ir::graph::{Node, QuickMap};
use brasa_ir::ops::{Map, Op, Reduce, Role};
use brasa_ir::{Graph, Id, Type};
use std::fmt::Display;

/// Compiles `wanted` as [`compile_with`](crate::compile_with) does, ignoring a budget, and returns
/// the result as JSON. `name` returns the caller's name and role of an input of `g`.
pub fn explain(
    g: &Graph,
    wanted: &[Id],
    options: &Options,
    name: &dyn Fn(Id) -> Option<(String, Role)>,
) -> String {
    let passes = Pipeline::new(options);
    let prepared = passes.simplify(g, wanted);
    let kernels = passes.schedule(&prepared);
    let kernels = passes.order(&prepared, &kernels);
    let plan = passes.plan(&prepared, &kernels);
    let given: QuickMap<Id, Option<(String, Role)>> = prepared
        .nodes
        .iter()
        .zip(&prepared.inputs)
        .map(|(id, input)| (*id, name(input.node)))
        .collect();
    let name = |id: Id| given.get(&id)?.clone();

    let nodes =
        prepared.graph.nodes().map(|(id, node)| json_node(&prepared.graph, id, node, name(id)));
    let launches = kernels.iter().zip(&plan.touched).map(|(kernel, touched)| {
        let buffers = |ids: &[crate::memory::plan::BufferId]| list(ids.iter().map(|id| id.0));
        let (reads, writes) = (buffers(&touched.reads), buffers(&touched.writes));
        json_kernel(kernel, &reads, &writes)
    });
    let buffers = plan.buffers.iter().map(|buffer| {
        let (place, offset) = match buffer.place {
            Place::Input(n) => ("input", n),
            Place::Arena(offset) => ("arena", offset),
        };
        object(&[
            ("node", buffer.node.index().to_string()),
            ("place", text(place)),
            ("offset", offset.to_string()),
            ("bytes", buffer.ty.bytes().to_string()),
            ("from", buffer.first.to_string()),
            ("to", buffer.last.to_string()),
        ])
    });
    let inputs: usize = prepared.inputs.iter().map(|input| input.ty.bytes()).sum();
    let memory = object(&[
        ("arena", plan.arena_bytes.to_string()),
        ("live", plan.live_bytes.to_string()),
        ("inputs", inputs.to_string()),
        ("buffers", list(buffers)),
    ]);
    object(&[
        ("recorded", g.len().to_string()),
        ("nodes", list(nodes)),
        ("kernels", list(launches)),
        ("outputs", list(prepared.wanted.iter().map(|id| id.index()))),
        ("plan", memory),
    ])
}

fn json_node(g: &Graph, id: Id, node: &Node, name: Option<(String, Role)>) -> String {
    let word = match &node.op {
        Op::Map(Map(function)) => function.def().name,
        Op::Reduce(Reduce { by, .. }) => by.word(),
        op => op.name(),
    };
    let mut fields = vec![
        ("id", id.index().to_string()),
        ("op", text(word)),
        ("call", text(node.origin.call)),
        ("site", text(g.site(node.origin.site))),
        ("inputs", list(node.inputs.iter().map(|input| input.index()))),
    ];
    fields.extend(json_type(&node.ty));
    if let Op::Input(input) = &node.op {
        let (name, role) = name.unwrap_or_else(|| (input.name.clone(), input.role));
        fields.push(("name", text(name)));
        fields.push(("role", text(role.word())));
    }
    object(&fields)
}

fn json_kernel(kernel: &Kernel, reads: &str, writes: &str) -> String {
    let kind = match &kernel.body {
        Body::Loop => "loop",
        Body::Library { .. } => "library",
    };
    object(&[
        ("name", text(kernel.name())),
        ("kind", text(kind)),
        ("domain", text(&kernel.domain)),
        ("nodes", list(kernel.nodes.iter().map(|id| id.index()))),
        ("reads", reads.to_string()),
        ("writes", writes.to_string()),
        ("why", text(&kernel.why)),
        ("concurrent", kernel.is_concurrent.to_string()),
        ("flops", kernel.flops().to_string()),
        ("bytes", kernel.bytes().to_string()),
        ("listing", text(kernel)),
    ])
}

fn json_type(ty: &Type) -> [(&'static str, String); 2] {
    [("dtype", text(ty.dtype)), ("shape", list(ty.shape.iter()))]
}

fn object(fields: &[(&str, String)]) -> String {
    let fields = fields.iter().map(|(name, value)| format!("{}:{value}", text(name)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn list(items: impl Iterator<Item = impl Display>) -> String {
    format!("[{}]", items.map(|item| item.to_string()).collect::<Vec<_>>().join(","))
}

fn text(of: impl Display) -> String {
    let mut out = String::from("\"");
    for c in of.to_string().chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
