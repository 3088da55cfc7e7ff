//! Serialization of graphs: round trips are exact, and invalid bytes are rejected safely.
use brasa_compile::bytes::{graph_from_bytes, graph_to_bytes};
use brasa_compile::compile;
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::Role;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::text::print;
use brasa_ir::{DType, Error, Graph, Number, Recorder, Site, Type, verify};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::hash::Hasher;

fn config(default: u32) -> Config {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let rng_seed = RngSeed::Fixed(cases.into());
    Config { cases, failure_persistence: None, rng_seed, ..Config::default() }
}

fn bits(slots: &[Number]) -> Vec<(u8, u64)> {
    let bits = |number: &Number| match *number {
        Number::Bool(x) => (0, x as u64),
        Number::Int(x) => (1, x as u64),
        Number::Float(x) => (2, x.to_bits()),
    };
    slots.iter().map(bits).collect()
}

/// The call and the source location of every node.
fn origins(g: &Graph) -> Vec<(&'static str, String)> {
    let origin =
        |node: &brasa_ir::graph::Node| (node.origin.call, g.site(node.origin.site).to_string());
    g.nodes().map(|(_, node)| origin(node)).collect()
}

fn same(a: &Graph, b: &Graph) -> Result<(), TestCaseError> {
    prop_assert_eq!(print(a, &[]), print(b, &[]));
    prop_assert_eq!(a.fingerprint(), b.fingerprint());
    prop_assert_eq!(bits(a.slots()), bits(b.slots()));
    prop_assert_eq!(origins(a), origins(b));
    Ok(())
}

#[test]
fn random_graphs_round_trip() {
    let result = TestRunner::new(config(64)).run(&Recipe::any(), |recipe| {
        let g = Recorder::default();
        build(&recipe, &g, DType::F32);
        let fail = |e: Error| TestCaseError::fail(e.to_string());
        g.read(|graph| {
            let bytes = graph_to_bytes(graph).map_err(fail)?;
            let again = graph_from_bytes(&bytes).map_err(fail)?;
            prop_assert_eq!(verify(&again), Ok(()));
            same(graph, &again)?;
            prop_assert_eq!(graph_to_bytes(&again).map_err(fail)?, bytes);
            Ok(())
        })
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// A graph with numbers that decimal text rounds, and with source locations in another language.
fn odd_graph() -> Graph {
    let g = Recorder::default();
    let recorded = g.scope_at("linear", Site::Text("train.ts:12:7".into()), || {
        let x = g.input("x \"1\"\n", Role::Param, Type::new(DType::F64, [2, 3]));
        let odd = [f64::NAN, -0.0, f64::NEG_INFINITY, f64::MIN_POSITIVE / 8.0, 0.1 + 0.2];
        let values = odd.map(|value| g.constant(value, DType::F64, &[2, 3]));
        let slots = odd.map(|value| g.number(Number::Float(value), DType::F64).expand(&[2, 3]));
        let all = values.into_iter().chain(slots);
        Ok(all.fold(x, |sum, value| sum + value).id())
    });
    recorded.expect("records");
    g.into_graph()
}

#[test]
fn odd_numbers_and_sites_round_trip() {
    let graph = odd_graph();
    let again =
        graph_from_bytes(&graph_to_bytes(&graph).expect("serializes")).expect("deserializes");
    same(&graph, &again).expect("they are the same");
    assert!(origins(&again).iter().all(|o| *o == ("linear", "train.ts:12:7".to_string())));
}

/// Recomputes the checksum, as an attacker would.
fn update_checksum(bytes: &mut [u8]) {
    let mut hash = Fingerprint::default();
    hash.write(&bytes[24..]);
    hash.write_usize(bytes.len() - 24);
    bytes[16..24].copy_from_slice(&hash.finish().to_le_bytes());
}

#[test]
fn corrupted_bytes_are_rejected() {
    let bytes = graph_to_bytes(&odd_graph()).expect("serializes");
    let message = |bytes: &[u8]| graph_from_bytes(bytes).expect_err("is rejected").to_string();
    assert_eq!(message(&[]), "graph: these bytes are not a graph");
    let mut other = bytes.clone();
    other[40] ^= 1;
    assert_eq!(message(&other), "graph: the graph is corrupted: its checksum does not match");
    for len in 24..bytes.len() {
        let mut short = bytes[..len].to_vec();
        update_checksum(&mut short);
        assert!(graph_from_bytes(&short).is_err(), "{len} bytes of {}", bytes.len());
    }
}

/// After a change of one byte, reading fails or gives a graph that compiles.
#[test]
fn changed_graphs_are_rejected_or_compile() {
    let compiled = std::cell::Cell::new(0);
    let change = (Recipe::any(), any::<prop::sample::Index>(), any::<u8>());
    let result = TestRunner::new(config(512)).run(&change, |(recipe, at, byte)| {
        let g = Recorder::default();
        build(&recipe, &g, DType::F32);
        let mut bytes = g.read(graph_to_bytes).expect("serializes");
        let at = 24 + at.index(bytes.len() - 24);
        bytes[at] = byte;
        update_checksum(&mut bytes);
        let Ok(graph) = graph_from_bytes(&bytes) else { return Ok(()) };
        if graph.nodes().all(|(_, node)| node.ty.bytes() < 1 << 20) {
            let last = graph.ids().last();
            compile(&graph, last.as_slice());
            compiled.set(compiled.get() + 1);
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    assert!(compiled.get() > 0, "no changed graph was compiled");
}
