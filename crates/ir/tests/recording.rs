//! Recording: the nodes that a call adds to the graph, and the errors and rollback of rejected
//! calls.
use brasa_ir::compose::{Reduction, layer_norm, linear, matmul, mean, mse_loss};
use brasa_ir::ops::Role;
use brasa_ir::{DType, Error, ErrorKind, Expr, Recorder, Type};

fn input<'g>(g: &'g Recorder, shape: &[usize]) -> Expr<'g> {
    g.input("x", Role::Data, Type::new(DType::F32, shape))
}

/// Asserts that a call site is `line` of this file.
#[track_caller]
fn assert_here(site: &str, line: u32) {
    assert!(site.contains(&format!("recording.rs:{line}:")), "{site}, expected line {line}");
}

#[test]
fn nodes_have_op_type_and_site() {
    let g = Recorder::default();
    let (x, w) = (input(&g, &[32, 784]), input(&g, &[784, 10]));
    let (line, y) = (line!(), matmul(&g, x, w).expect("records"));
    let (next, z) = (line!(), y.exp());
    assert_eq!(y.ty(), Type::new(DType::F32, [32, 10]));
    assert_eq!(y.shape()[..], [32, 10]);
    g.read(|graph| {
        let site = |x: Expr| graph.site(graph[x.id()].origin.site).to_string();
        assert_eq!((graph[y.id()].origin.call, graph[y.id()].op.name()), ("matmul", "contract"));
        assert_eq!(graph[y.id()].inputs[..], [x.id(), w.id()]);
        assert_here(&site(y), line);
        assert_eq!(graph[z.id()].origin.call, "exp");
        assert_here(&site(z), next);
    });
}

/// All nodes of a composite belong to the call the user made.
#[test]
fn composites_record_under_their_own_name() {
    let g = Recorder::default();
    let x = input(&g, &[4, 8]);
    let first = g.read(|graph| graph.len());
    let (line, _) = (line!(), layer_norm(&g, x, [8].into(), None, None, 1e-5).expect("records"));
    g.read(|graph| {
        let nodes: Vec<_> = graph.nodes().skip(first).collect();
        assert!(nodes.len() > 5, "a composite has several nodes");
        for (id, node) in nodes {
            assert_eq!(node.origin.call, "layer_norm", "{id}");
            assert_here(&graph.site(node.origin.site).to_string(), line);
        }
    });
}

#[test]
fn errors_name_op_operands_help_and_site() {
    let g = Recorder::default();
    let (x, w) = (input(&g, &[32, 784]), input(&g, &[128, 784]));
    let (line, error) = (line!(), matmul(&g, x, w).expect_err("inner lengths differ"));
    assert_eq!(error.kind(), ErrorKind::Shape);
    let text = error.to_string();
    let (message, site) = text.rsplit_once("\n  at ").expect("a site");
    assert_eq!(
        message,
        "matmul: a has 784 columns but b has 128 rows\n  a: f32[32, 784]\n  b: f32[128, 784]\n  \
         help: transpose b: matmul(a, b.T)"
    );
    assert_here(site, line);
}

#[test]
fn a_rejected_call_leaves_the_graph_unchanged() {
    let g = Recorder::default();
    let (x, y) = (input(&g, &[2, 3]), input(&g, &[5]));
    let before = g.read(|graph| (graph.len(), graph.slots().len(), graph.fingerprint()));
    let rejected: [(&str, Option<Error>); 4] = [
        ("matmul", matmul(&g, x, y).err()),
        ("linear", linear(&g, x, x, Some(y)).err()),
        ("mean", mean(&g, x, Some(vec![2]), false, None).err()),
        ("mse_loss", mse_loss(&g, x, y, Reduction::Mean, None).err()),
    ];
    for (op, error) in rejected {
        assert_eq!(error.unwrap_or_else(|| panic!("{op} was accepted")).op(), op);
    }
    assert_eq!(g.read(|graph| (graph.len(), graph.slots().len(), graph.fingerprint())), before);
    // The recorder remains usable.
    assert_eq!((x + x).shape()[..], [2, 3]);
}
