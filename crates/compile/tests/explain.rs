//! `explain`: the JSON is valid, complete and consistent.
use brasa_compile::{Options, compile, explain, grad};
use brasa_ir::compose::{Reduction, linear, mse_loss};
use brasa_ir::ops::Role;
use brasa_ir::{DType, Id, Recorder, Site, Type};
use serde_json::Value;

/// A layer and its gradient, with each call on a line of its own.
fn layer() -> (Value, usize) {
    let g = Recorder::default();
    let tensor = |name, role, shape| g.input(name, role, Type::new(DType::F32, shape));
    let (x, y) = (tensor("x", Role::Data, [4, 3]), tensor("y", Role::Data, [4, 2]));
    let w = tensor("w", Role::Param, [2, 3]);
    let at = |line: &str| Site::Text(line.into());
    let guess = g.scope_at("linear", at("model.js:3:1"), || linear(&g, x, w, None));
    let guess = guess.expect("the shapes fit");
    let loss = g.scope_at("mse_loss", at("a \"loss\"\\\n\u{1}"), || {
        mse_loss(&g, guess, y, Reduction::Mean, None)
    });
    let loss = loss.expect("the shapes fit");
    let dw = grad(&g, &[loss], &[], &[w]).expect("w is reached")[0].expect("w is reached");
    let wanted = [loss.id(), dw.id()];
    let name = |id: Id| (id == w.id()).then(|| ("layer.weight".to_string(), Role::Param));
    let text = g.read(|graph| explain(graph, &wanted, &Options::default(), &name));
    let launches = g.read(|graph| compile(graph, &wanted).launches.len());
    (serde_json::from_str(&text).expect("it is JSON"), launches)
}

fn list<'a>(of: &'a Value, name: &str) -> &'a Vec<Value> {
    of[name].as_array().unwrap_or_else(|| panic!("{name} is a list"))
}

#[test]
fn nodes_kernels_and_buffers_refer_to_each_other() {
    let (all, launches) = layer();
    let (nodes, kernels) = (list(&all, "nodes"), list(&all, "kernels"));
    let buffers = list(&all["plan"], "buffers");
    assert_eq!(kernels.len(), launches);
    let below = |ids: &Value, len: usize| {
        ids.as_array().is_some_and(|ids| ids.iter().all(|id| id.as_u64() < Some(len as u64)))
    };
    for (n, node) in nodes.iter().enumerate() {
        assert_eq!(node["id"], n);
        assert!(below(&node["inputs"], n), "inputs precede their readers: {node}");
    }
    for kernel in kernels {
        assert!(below(&kernel["nodes"], nodes.len()) && !list(kernel, "nodes").is_empty());
        assert!(below(&kernel["reads"], buffers.len()) && below(&kernel["writes"], buffers.len()));
        assert!(kernel["why"].as_str().is_some_and(|why| !why.is_empty()));
    }
    for buffer in buffers.iter().filter(|buffer| buffer["place"] == "arena") {
        let end = buffer["offset"].as_u64().zip(buffer["bytes"].as_u64()).map(|(a, b)| a + b);
        assert!(end <= all["plan"]["arena"].as_u64(), "{buffer}");
    }
}

#[test]
fn inputs_have_the_names_given_by_the_caller() {
    let (all, _) = layer();
    let inputs = list(&all, "nodes").iter().filter(|node| node["op"] == "input");
    let named: Vec<_> = inputs.map(|node| (node["name"].as_str(), node["role"].as_str())).collect();
    let expected = [("x", "data"), ("y", "data"), ("layer.weight", "param")];
    assert_eq!(named, expected.map(|(name, role)| (Some(name), Some(role))));
}

#[test]
fn a_gradient_has_the_site_of_its_op() {
    let (all, _) = layer();
    let gradients: Vec<_> = list(&all, "nodes").iter().filter(|n| n["call"] == "grad").collect();
    let at = |site: &str| gradients.iter().filter(|node| node["site"] == site).count();
    assert!(at("model.js:3:1") > 0, "the product that gives dw: {gradients:?}");
    assert!(at("a \"loss\"\\\n\u{1}") > 0, "the gradient of the loss: {gradients:?}");
}
