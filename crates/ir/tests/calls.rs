//! Calls of ops with known results that the recorded cases of PyTorch do not cover.
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Recorder, Type, Value, eval, table};
use std::collections::HashMap;

/// Calls `op` with tensors of these shapes, which count 0, 1, 2, …, and then `args`.
fn call(op: &str, shapes: &[&[usize]], args: &[Value]) -> Result<Vec<f64>, String> {
    let g = Recorder::default();
    let mut inputs = HashMap::new();
    let mut values = Vec::new();
    for shape in shapes {
        let ty = Type::new(DType::F32, *shape);
        let x = g.input("x", Role::Data, ty.clone()).id();
        inputs.insert(x, Array::from_i64(&ty, 0..ty.elements() as i64));
        values.push(Value::Tensor(x));
    }
    if op == "multi_dot" {
        values = vec![Value::List(values)];
    }
    values.extend_from_slice(args);
    let entry = table::find(op).ok_or("no such op")?;
    let outputs = entry.call(&g, &values, &[]).map_err(|e| e.message())?;
    let results = g.read(|graph| eval(graph, &inputs, &outputs)).map_err(|e| e.message())?;
    Ok(results.iter().flat_map(Array::to_f64).collect())
}

fn ints(list: &[i64]) -> Value {
    Value::List(list.iter().map(|&i| Value::Int(i)).collect())
}

#[test]
fn calls_give_the_known_results() {
    let int = Value::Int;
    let bilinear = Value::Str("bilinear".to_string());
    type Row<'a> = (&'a str, &'a [&'a [usize]], Vec<Value>, &'a [f64]);
    let rows: [Row; 14] = [
        ("matrix_power", &[&[2, 2]], vec![int(3)], &[6.0, 11.0, 22.0, 39.0]),
        ("matrix_power", &[&[2, 2]], vec![int(0)], &[1.0, 0.0, 0.0, 1.0]),
        ("multi_dot", &[&[2], &[2, 3], &[3]], vec![], &[14.0]),
        ("lp_pool1d", &[&[1, 4]], vec![Value::Float(2.0), int(2)], &[1.0, 13f64.sqrt()]),
        ("crop", &[&[1, 2, 2]], [-1, 1, 2, 2].map(int).to_vec(), &[0.0, 0.0, 1.0, 0.0]),
        ("crop", &[&[1, 2, 2]], [5, 0, 1, 2].map(int).to_vec(), &[0.0, 0.0]),
        ("adaptive_max_pool3d", &[&[1, 2, 2, 2, 2]], vec![int(0), Value::Bool(true)], &[]),
        ("center_crop", &[&[1, 3, 4]], vec![ints(&[1, 2])], &[5.0, 6.0]),
        ("center_crop", &[&[1, 1, 1]], vec![int(3)], &[0.0; 9]),
        ("channel_shuffle", &[&[1, 4, 1]], vec![int(2)], &[0.0, 2.0, 1.0, 3.0]),
        (
            "affine_grid",
            &[&[1, 2, 3]],
            vec![ints(&[1, 1, 1, 2])],
            // x = ∓1/2, y = 0: (0·x + 2, 3·x + 5)
            &[2.0, 3.5, 2.0, 6.5],
        ),
        (
            "resize",
            &[&[1, 4]],
            vec![ints(&[1, 2]), bilinear.clone(), Value::Bool(true)],
            &[5.0 / 7.0, 16.0 / 7.0],
        ),
        ("resize", &[&[1, 4]], vec![ints(&[1, 2]), bilinear], &[0.5, 2.5]),
        ("pdist", &[&[3, 1]], vec![], &[1.0, 2.0, 1.0]),
    ];
    for (op, shapes, args, want) in rows {
        let got = call(op, shapes, &args).unwrap_or_else(|e| panic!("{op}{args:?}: {e}"));
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-5;
        let agrees = got.len() == want.len() && got.iter().zip(want).all(is_near);
        assert!(agrees, "{op}{args:?}: got {got:?}, expected {want:?}");
    }
}
