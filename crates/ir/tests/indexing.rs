//! Index expressions compared with results worked out by hand. Each element of the indexed tensor
//! is its flat index, so the elements that are read tell which ones an assignment must change.
use brasa_ir::ops::compose::{index, index_put};
use brasa_ir::value::Index;
use brasa_ir::{Array, DType, Expr, Recorder, Value, eval};
use std::collections::HashMap;

/// `0, 1, … 23` of shape `[2, 3, 4]`.
fn cube(g: &Recorder) -> Expr<'_> {
    g.iota(24, DType::I64).reshape(&[2, 3, 4])
}

/// A tensor whose elements are their flat indices.
fn tensor<'g>(g: &'g Recorder, shape: &[usize], values: &[i64]) -> Index<'g> {
    let scalar = |&v: &i64| g.constant(v, DType::I64, &[1]).id();
    let parts = values.iter().map(|v| Value::Tensor(scalar(v))).collect();
    let cat = brasa_ir::table::find("cat").expect("an op");
    let ids = cat.call(g, &[Value::List(parts)], &[]).expect("joins");
    Index::Tensor(g.expr(ids[0]).reshape(shape))
}

fn values(g: &Recorder, x: Expr) -> Array {
    g.read(|graph| eval(graph, &HashMap::new(), &[x.id()])).expect("evaluates").remove(0)
}

const ALL: Index<'static> = Index::Slice(None, None, None);

type Row<'g> = (Vec<Index<'g>>, &'static [usize], &'static [i64]);

fn rows(g: &Recorder) -> Vec<Row<'_>> {
    let every_third = Index::Slice(None, None, Some(3));
    vec![
        (vec![Index::At(-1), Index::At(0)], &[4], &[12, 13, 14, 15]),
        (
            vec![Index::Ellipsis, Index::NewAxis, every_third],
            &[2, 3, 1, 2],
            &[0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23],
        ),
        // The axes of separated index tensors become the first.
        (
            vec![tensor(g, &[2], &[1, 0]), ALL, tensor(g, &[2], &[2, 3])],
            &[2, 3],
            &[14, 18, 22, 3, 7, 11],
        ),
        // The axes of adjacent index tensors stay in place.
        (
            vec![ALL, tensor(g, &[2, 1], &[0, 2]), tensor(g, &[2], &[1, -1])],
            &[2, 2, 2],
            &[1, 3, 9, 11, 13, 15, 21, 23],
        ),
        (vec![Index::At(1), ALL, tensor(g, &[2], &[0, -1])], &[3, 2], &[12, 15, 16, 19, 20, 23]),
        (
            vec![Index::NewAxis, tensor(g, &[1], &[1]), Index::Ellipsis, Index::At(2)],
            &[1, 1, 3],
            &[14, 18, 22],
        ),
        (
            vec![Index::Slice(Some(1), None, None), tensor(g, &[2], &[2, 0])],
            &[1, 2, 4],
            &[20, 21, 22, 23, 12, 13, 14, 15],
        ),
        (vec![Index::Slice(Some(5), Some(9), Some(i64::MAX))], &[0, 3, 4], &[]),
        (vec![Index::Slice(Some(-1), Some(9), None), Index::At(1)], &[1, 4], &[16, 17, 18, 19]),
    ]
}

#[test]
fn indices_read_the_same_elements_as_in_python() {
    let g = Recorder::default();
    for (n, (at, shape, want)) in rows(&g).into_iter().enumerate() {
        let y = values(&g, index(&g, cube(&g), at).expect("indexes"));
        assert_eq!((&y.shape()[..], &y.to_i64()[..]), (shape, want), "row {n}");
    }
}

#[test]
fn assignments_change_the_elements_that_reads_return() {
    let g = Recorder::default();
    for (n, (at, _, places)) in rows(&g).into_iter().enumerate() {
        for accumulate in [false, true] {
            let put = index_put(&g, cube(&g), at.clone(), 100.into(), accumulate);
            let y = values(&g, put.expect("assigns")).to_i64();
            let new = |i: i64| if accumulate { i + 100 } else { 100 };
            let want = |i: i64| if places.contains(&i) { new(i) } else { i };
            assert_eq!(y, (0..24).map(want).collect::<Vec<_>>(), "row {n}, {accumulate}");
        }
    }
}

#[test]
fn repeated_indices_accumulate_or_keep_the_last_value() {
    let g = Recorder::default();
    let x = g.constant(0, DType::I64, &[3]);
    let new = g.iota(4, DType::I64);
    let at = || vec![tensor(&g, &[4], &[2, 0, 2, 0])];
    let set = index_put(&g, x, at(), new.into(), false).expect("assigns");
    let sum = index_put(&g, x, at(), new.into(), true).expect("assigns");
    assert_eq!(values(&g, set).to_i64(), [3, 0, 2]);
    assert_eq!(values(&g, sum).to_i64(), [4, 0, 2]);
}

#[test]
fn invalid_indices_are_rejected() {
    let g = Recorder::default();
    let mask = g.constant(true, DType::Bool, &[2]);
    let rows: Vec<(Vec<Index>, &str)> = vec![
        (vec![Index::At(2)], "index 2 is out of range for axis 0 of length 2"),
        (vec![ALL; 4], "4 indices for 3 axes"),
        (vec![Index::Ellipsis; 2], "an index has at most one ellipsis"),
        (vec![Index::Slice(None, None, Some(-1))], "the step of a slice must be positive: -1"),
        (vec![Index::Tensor(mask)], "the number of elements that a mask selects depends on data"),
    ];
    for (at, want) in rows {
        let error = index(&g, cube(&g), at).expect_err(want).message();
        assert!(error.starts_with(&format!("index: {want}\n")), "{error}");
    }
    // Out of range of its axis, but inside the tensor.
    let at = vec![tensor(&g, &[1], &[0]), tensor(&g, &[1], &[3])];
    let y = index(&g, cube(&g), at).expect("records");
    assert!(g.read(|graph| eval(graph, &HashMap::new(), &[y.id()])).is_err());
}
