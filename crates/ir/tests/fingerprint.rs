//! Fingerprints: graphs that differ only in the values of slots have the same fingerprint; all
//! others have different ones.
use brasa_ir::compose::{add, softmax, sum};
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{DType, Expr, Number, Recorder, Type};
use std::collections::HashSet;

fn input<'g>(g: &'g Recorder, name: &str, shape: &[usize]) -> Expr<'g> {
    g.input(name, Role::Data, Type::new(DType::F32, shape))
}

/// A program, recorded.
type Build = for<'g> fn(&'g Recorder) -> Expr<'g>;

fn of(record: Build) -> Fingerprint {
    let g = Recorder::default();
    record(&g);
    g.into_graph().fingerprint()
}

/// `x + number`.
fn shifted(number: f64) -> Recorder {
    let g = Recorder::default();
    add(&g, input(&g, "x", &[2, 3]).into(), number.into(), 1.0).expect("records");
    g
}

#[test]
fn values_of_numbers_do_not_change_the_fingerprint() {
    let (one, other) = (shifted(0.1).into_graph(), shifted(0.2).into_graph());
    assert_eq!(one.fingerprint(), other.fingerprint());
    assert_eq!(one.slots().len(), 1);
    assert_ne!(one.slots(), other.slots());
}

#[test]
fn a_new_slot_value_does_not_change_the_fingerprint() {
    let g = shifted(0.1);
    let before = g.read(|graph| graph.fingerprint());
    g.set_slot(0, Number::Float(7.0));
    assert_eq!(g.read(|graph| graph.fingerprint()), before);
    assert_eq!(g.read(|graph| graph.slots().to_vec()), [Number::Float(7.0)]);
}

#[test]
fn one_zero_and_minus_one_are_part_of_the_program() {
    let mut seen = HashSet::from([shifted(0.1).into_graph().fingerprint()]);
    for number in [-1.0, 0.0, 1.0] {
        let graph = shifted(number).into_graph();
        assert!(graph.slots().is_empty(), "{number} is a slot");
        assert!(seen.insert(graph.fingerprint()), "{number} looks like another");
    }
    for number in [2.0, -2.0, 0.5, 1e-3, f64::INFINITY] {
        let graph = shifted(number).into_graph();
        assert_eq!(graph.slots(), [Number::Float(number).to(DType::F32)]);
        assert!(!seen.insert(graph.fingerprint()), "{number} makes a program of its own");
    }
}

/// A graph with the inputs `x` and `y`.
fn both<'g>(g: &'g Recorder, of: impl Fn(Expr<'g>, Expr<'g>) -> Expr<'g>) -> Expr<'g> {
    of(input(g, "x", &[2]), input(g, "y", &[2]))
}

#[test]
fn every_other_difference_changes_the_fingerprint() {
    let programs: [(&str, Build); 12] = [
        ("a sum", |g| input(g, "x", &[2, 3]).sum(&[0])),
        ("another name", |g| input(g, "y", &[2, 3]).sum(&[0])),
        ("another shape", |g| input(g, "x", &[3, 2]).sum(&[0])),
        ("another rank", |g| input(g, "x", &[2, 3, 1]).sum(&[0])),
        ("another dtype", |g| g.input("x", Role::Data, Type::new(DType::F64, [2, 3])).sum(&[0])),
        ("another role", |g| g.input("x", Role::Param, Type::new(DType::F32, [2, 3])).sum(&[0])),
        ("another attribute", |g| input(g, "x", &[2, 3]).sum(&[1])),
        ("another op", |g| input(g, "x", &[2, 3]).max_keep(&[0])),
        ("one node more", |g| input(g, "x", &[2, 3]).sum(&[0]).exp()),
        ("x + x", |g| both(g, |x, _| x + x)),
        ("x − y", |g| both(g, |x, y| x - y)),
        ("y − x", |g| both(g, |x, y| y - x)),
    ];
    let mut seen = Vec::new();
    for (name, record) in programs {
        let print = of(record);
        assert_eq!(of(record), print, "{name} differs from itself");
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == print) {
            panic!("{name} looks like {other}");
        }
        seen.push((name, print));
    }
}

/// The location of a call in the source does not matter.
#[test]
fn call_sites_do_not_change_the_fingerprint() {
    let one = of(|g| softmax(g, input(g, "x", &[2, 3]), 1, None).expect("records"));
    let other = of(|g| {
        let x = input(g, "x", &[2, 3]);
        softmax(g, x, -1, None).expect("records")
    });
    assert_eq!(one, other);
}

#[test]
fn a_rejected_call_does_not_change_the_fingerprint() {
    let g = Recorder::default();
    let x = input(&g, "x", &[2, 3]);
    let before = g.read(|graph| (graph.len(), graph.fingerprint()));
    sum(&g, x, Some(vec![5]), false, None).expect_err("there is no such axis");
    assert_eq!(g.read(|graph| (graph.len(), graph.fingerprint())), before);
}

#[test]
fn the_order_of_draws_changes_the_fingerprint() {
    let g = Recorder::default();
    for _ in 0..2 {
        brasa_ir::compose::rand(&g, [3].into(), None).expect("records");
    }
    let draws: Vec<u32> = g.read(|graph| {
        let draw = |(_, node): (_, &brasa_ir::Node)| match &node.op {
            Op::Random(random) => Some(random.draw),
            _ => None,
        };
        graph.nodes().filter_map(draw).collect()
    });
    assert_eq!(draws, [0, 1]);
}
