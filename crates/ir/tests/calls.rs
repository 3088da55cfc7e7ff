//! Calls of ops with known results and known complaints, where PyTorch's recorded cases have none.
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
fn results() {
    let int = Value::Int;
    let bilinear = Value::Str("bilinear".to_string());
    type Row<'a> = (&'a str, &'a [&'a [usize]], Vec<Value>, &'a [f64]);
    let rows: [Row; 12] = [
        ("matrix_power", &[&[2, 2]], vec![int(3)], &[6.0, 11.0, 22.0, 39.0]),
        ("matrix_power", &[&[2, 2]], vec![int(0)], &[1.0, 0.0, 0.0, 1.0]),
        ("multi_dot", &[&[2], &[2, 3], &[3]], vec![], &[14.0]),
        ("lp_pool1d", &[&[1, 4]], vec![Value::Float(2.0), int(2)], &[1.0, 13f64.sqrt()]),
        ("crop", &[&[1, 2, 2]], [-1, 1, 2, 2].map(int).to_vec(), &[0.0, 0.0, 1.0, 0.0]),
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

#[test]
fn complaints() {
    let word = |text: &str| Value::Str(text.to_string());
    type Row<'a> = (&'a str, &'a [&'a [usize]], Vec<Value>, &'a str);
    let rows: [Row; 6] = [
        (
            "matmul",
            &[&[32, 784], &[128, 784]],
            vec![],
            "matmul: a has 784 columns but b has 128 rows\n  a: f32[32, 784]\n  b: f32[128, 784]\n  \
             help: transpose b: matmul(a, b.T)",
        ),
        (
            "linear",
            &[&[2, 3], &[3, 4]],
            vec![],
            "linear: input has 3 features but weight takes 4\n  input: f32[2, 3]\n  \
             weight: f32[3, 4]\n  help: the weight is [out, in]: linear(input, weight.T)",
        ),
        (
            "conv2d",
            &[&[1, 8, 8, 3], &[4, 3, 3, 3]],
            vec![],
            "conv2d: input has 8 channels but weight takes 3\n  input: f32[1, 8, 8, 3]\n  \
             weight: f32[4, 3, 3, 3]\n  \
             help: channels come before the spatial axes: input.movedim(-1, 1)",
        ),
        (
            "conv1d",
            &[&[1, 2, 3], &[4, 2, 5]],
            vec![],
            "conv1d: the kernel covers 5 elements of spatial axis 0, which has 3 with its padding\
             \n  input: f32[1, 2, 3]\n  weight: f32[4, 2, 5]",
        ),
        (
            "max_pool2d",
            &[&[1, 2, 4, 4]],
            vec![Value::Int(2), Value::None, Value::Int(2)],
            "max_pool2d: padding is 2, more than half of a kernel of 2\n  input: f32[1, 2, 4, 4]",
        ),
        (
            "interpolate",
            &[&[1, 2, 4]],
            vec![Value::Int(8), Value::None, word("bilinear")],
            "interpolate: mode 'bilinear' needs an input of 4 axes, [N, C, …], got 3\n  \
             input: f32[1, 2, 4]",
        ),
    ];
    for (op, shapes, args, want) in rows {
        assert_eq!(call(op, shapes, &args), Err(want.to_string()));
    }
}
