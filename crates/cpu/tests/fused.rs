//! Fused programs on several threads agree with the reference device, which evaluates node by
//! node.
#[path = "common/levels.rs"]
mod levels;

use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{Conv, ReduceOp, Role, Slice};
use brasa_ir::{Array, DType, Expr, Graph, Id, Recorder, Type, compose, eval};
use std::collections::HashMap;

/// Distinct values in −1..1.
fn sample(ty: &Type, seed: u64) -> Array {
    let value = |i: usize| {
        let mut h = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed;
        h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((h >> 40) as f64) / (1u64 << 23) as f64 - 1.0
    };
    Array::from_f64(ty, (0..ty.elements()).map(value))
}

fn check(name: &str, graph: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) {
    let want = eval(graph, inputs, wanted).expect("evaluates");
    let program = compile(graph, wanted);
    println!("{name}:\n{program}");
    for threads in [1, 2] {
        let mut executable = Executable::new(program.clone());
        let mut buffers: Vec<Buffer> =
            program.inputs.iter().map(|input| Buffer::from(&inputs[&input.node])).collect();
        let pool = Pool::new(threads);
        executable.run(&pool, &mut buffers, graph.slots()).expect("runs");
        for (n, want) in want.iter().enumerate() {
            let got = executable.output(&buffers, n);
            assert_eq!(got.ty, want.ty, "{name}, output {n}");
            for i in 0..want.len() {
                let (got, want) = (got.f64(i), want.f64(i));
                let close = (got - want).abs() <= 1e-5 * (1.0 + want.abs());
                assert!(close || got == want, "{name}, output {n}, element {i}: {got} vs {want}");
            }
        }
    }
}

fn run(
    name: &str,
    shapes: &[&[usize]],
    build: impl for<'g> Fn(&'g Recorder, &[Expr<'g>]) -> Vec<Expr<'g>>,
) {
    let g = Recorder::default();
    let input = |shape: &&[usize]| g.input("x", Role::Data, Type::new(DType::F32, *shape));
    let inputs: Vec<Expr> = shapes.iter().map(input).collect();
    let outputs = build(&g, &inputs);
    let wanted: Vec<Id> = outputs.iter().map(|y| y.id()).collect();
    let values: HashMap<Id, Array> =
        inputs.iter().enumerate().map(|(n, x)| (x.id(), sample(&x.ty(), n as u64))).collect();
    g.read(|graph| check(name, graph, &values, &wanted));
}

#[test]
fn small_programs_agree_with_the_reference() {
    run("chain", &[&[7, 33], &[33]], |_, x| vec![((x[0] * x[0] + x[1]).exp() - 1.0).relu()]);
    run("transpose", &[&[5, 70]], |_, x| vec![x[0].transposed() * 2.0]);
    run("pad", &[&[5, 70]], |_, x| vec![x[0].pad(1, 3, 2, -1.0) + 1.0]);
    run("sums", &[&[9, 40]], |_, x| vec![x[0].sum(&[0]), x[0].sum(&[1]), x[0].sum(&[0, 1])]);
    run("softmax", &[&[9, 40], &[9, 40]], |g, x| {
        let y = brasa_ir::compose::softmax(g, x[0], -1, None).expect("records");
        let dx = grad(g, &[y], &[Some(x[1])], &[x[0]]).expect("differentiates")[0].unwrap();
        vec![y, dx]
    });
    run("long rows", &[&[3, 3000]], |g, x| {
        vec![brasa_ir::compose::softmax(g, x[0], 1, None).expect("records")]
    });
    run("softmax of columns", &[&[30, 700]], |g, x| {
        vec![brasa_ir::compose::softmax(g, x[0], 0, None).expect("records")]
    });
    run("matmul", &[&[9, 40], &[40, 12], &[12]], |_, x| {
        vec![(x[0].contract(x[1]) + x[2]).relu(), x[1].transposed().contract(x[0].transposed())]
    });
    // Results written with streaming stores, in whole vectors and not.
    run("large results", &[&[1025, 1031]], |g, x| {
        vec![x[0] + 1.0, brasa_ir::compose::softmax(g, x[0], 1, None).expect("records")]
    });
    run("rows of nothing", &[&[3, 0]], |_, x| vec![x[0].sum(&[1]), x[0] + 1.0]);
    run("columns of nothing", &[&[0, 3]], |_, x| vec![x[0].sum(&[0]), x[0].sum(&[0, 1])]);
    run("middle", &[&[3, 4, 50]], |_, x| vec![x[0] - x[0].mean_keep(&[0, 2])]);
}

/// Light work on operands of products is done while these are packed.
#[test]
fn products_with_prologues_agree_with_the_reference() {
    run("repeated before", &[&[1, 80], &[64, 1], &[80, 16]], |_, x| {
        vec![(x[0].expand(&[64, 80]) * x[1].expand(&[64, 80])).contract(x[2])]
    });
    run("narrow weights", &[&[5, 130], &[130, 40], &[3, 50, 600], &[3, 20, 600]], |_, x| {
        let whole = |n: usize| (x[n] * 100.0).cast(DType::I32);
        let narrow = |n, dtype| whole(n).cast(dtype).cast(DType::F32) * 0.01;
        let wide = |n: usize| whole(n).cast(DType::F64);
        vec![
            x[0].contract(narrow(1, DType::I8)),
            narrow(0, DType::BF16).contract(x[1]),
            wide(0).contract(wide(1)),
            narrow(2, DType::I8).contract(narrow(3, DType::F16).permute(&[0, 2, 1])).relu(),
        ]
    });
    run("products of nothing", &[&[4, 0], &[0, 3], &[3, 0]], |_, x| {
        let narrow = |n: usize| x[n].cast(DType::F16).cast(DType::F32);
        vec![narrow(0).contract(x[1]), narrow(1).contract(narrow(2))]
    });
}

/// The left operand of one product is the rows of another.
#[test]
fn attention_agrees_with_the_reference() {
    for (t, d, heads) in [(40, 8, 3), (128, 32, 2), (600, 16, 1)] {
        run("attention", &[&[heads, t, d][..]; 4], |g, x| {
            let scores = x[0].contract(x[1].permute(&[0, 2, 1])) * 0.3;
            let weights = brasa_ir::compose::softmax(g, scores, -1, None).expect("records");
            let y = weights.contract(x[2]);
            let found = grad(g, &[y], &[Some(x[3])], &x[..3]).expect("differentiates");
            let mut all: Vec<Expr> = found.into_iter().map(|dx| dx.expect("depends")).collect();
            all.push(y);
            all
        });
        run(
            "attention alone",
            &[&[2, heads, t, d], &[2, t, heads, d], &[2, t, heads, d]],
            |g, x| {
                let [k, v] = [1, 2].map(|n| x[n].permute(&[0, 2, 1, 3]));
                let scores = x[0].contract(k.permute(&[0, 1, 3, 2]));
                let [i, j] = [[t, 1], [1, t]]
                    .map(|shape| g.iota(t, DType::I64).reshape(&shape).expand(&[2, heads, t, t]));
                let masked = j.le(i).choose(scores, scores.like(f64::NEG_INFINITY));
                let weights = brasa_ir::compose::softmax(g, masked, -1, None).expect("records");
                vec![weights.contract(v).relu() + 1.0]
            },
        );
    }
}

/// A reduction reads the product even if its buffer is overwritten in the same kernel.
#[test]
fn reductions_read_products_that_are_overwritten() {
    for n in [7, 8, 33, 64, 100, 257] {
        let shapes: [&[usize]; 3] = [&[2, 33, 9], &[2, 9, n], &[2, 33, n]];
        run(&format!("product of {n} columns, reduced"), &shapes, |_, x| {
            let y = x[0].contract(x[1]);
            vec![y + x[2], y.sum(&[2]), y.reduce(ReduceOp::Max, &[2])]
        });
    }
}

/// Epilogues may read and write in any order, however wide the results of their library op are.
#[test]
fn epilogues_read_and_write_through_views() {
    for n in [127, 129, 257, 513, 1025, 2049, 4100] {
        let shapes: [&[usize]; 5] = [&[20, 9], &[9, n], &[n, 20], &[20, 3 * n], &[n, 9]];
        run(&format!("epilogue of a product of {n} columns"), &shapes, |g, x| {
            let y = x[0].contract(x[1]);
            let stepped = every(g, x[3], 3);
            let moved = (y + x[2].transposed()).relu() * stepped;
            vec![moved, (y - stepped.flip(&[1])).transposed(), x[0].contract(x[4].transposed())]
        });
        let shapes: [&[usize]; 4] = [&[2, 3, n], &[4, 3, 3], &[n, 4, 2], &[2, 4, 2 * n]];
        run(&format!("epilogue of a convolution of {n} columns"), &shapes, |g, x| {
            let y = g.emit(convolution(), &[x[0], x[1]]);
            let stepped = every(g, x[3], 2);
            vec![y + x[2].permute(&[2, 1, 0]), (y * stepped).permute(&[2, 0, 1])]
        });
    }
}

/// Every `step`-th element of the last axis.
fn every<'g>(g: &'g Recorder, x: Expr<'g>, step: usize) -> Expr<'g> {
    let last = x.rank() - 1;
    let mut steps = vec![1; x.rank()];
    steps[last] = step;
    let len = x.shape().with(last, x.len(last) / step).to_vec();
    g.emit(Slice { start: vec![0; x.rank()], len, step: steps }, &[x])
}

/// A convolution with windows of three along one padded axis.
fn convolution() -> Conv {
    let one = vec![1];
    Conv {
        stride: one.clone(),
        before: vec![1],
        after: vec![1],
        dilation: one.clone(),
        spread: one,
        groups: 1,
    }
}

/// A result and the gradient of the first input, weighted by the second.
fn with_gradient<'g>(g: &'g Recorder, x: &[Expr<'g>], y: Expr<'g>) -> Vec<Expr<'g>> {
    let found = grad(g, &[y], &[Some(x[1])], &[x[0]]).expect("differentiates");
    vec![y, found[0].expect("depends")]
}

/// Division by per-row numbers: every row uses its own.
#[test]
fn means_and_their_gradients_agree_with_the_reference() {
    for shape in [[2, 32], [3, 70], [5, 33], [64, 65], [7, 2100]] {
        let rows = [shape[0]];
        run("mean of rows", &[&shape, &rows], |g, x| {
            let y = compose::mean(g, x[0], Some(vec![1]), false, None).expect("records");
            with_gradient(g, x, y)
        });
        run("mean of columns", &[&shape, &[shape[1]]], |g, x| {
            let y = compose::mean(g, x[0], Some(vec![0]), false, None).expect("records");
            with_gradient(g, x, y)
        });
        run("variance", &[&shape, &rows], |g, x| {
            let over = Some(vec![1].into());
            let y = compose::var(g, x[0], over, None, false, None).expect("records");
            with_gradient(g, x, y)
        });
        run("variance and mean", &[&shape, &rows], |g, x| {
            let over = Some(vec![1].into());
            let (a, b) = compose::var_mean(g, x[0], over, None, false, None).expect("records");
            with_gradient(g, x, a * 2.0 + b)
        });
        run("squared error of rows", &[&shape, &rows, &shape], |g, x| {
            let error = (x[0] - x[2]) * (x[0] - x[2]);
            let y = compose::mean(g, error, Some(vec![1]), false, None).expect("records");
            with_gradient(g, x, y)
        });
        run("normed rows", &[&shape, &shape], |g, x| {
            let axis = [shape[1]];
            let y = compose::layer_norm(g, x[0], axis.into(), None, None, 1e-5).expect("records");
            with_gradient(g, x, y)
        });
        run("repeated quotient", &[&rows, &shape], |_, x| {
            let each = (x[0] / 7.0).reshape(&[shape[0], 1]).expand(&shape);
            vec![
                each,
                each * x[1] + 1.0,
                x[1] / (x[0] + 3.0).reshape(&[shape[0], 1]).expand(&shape),
            ]
        });
    }
}

#[test]
fn means_of_several_axes_agree_with_the_reference() {
    for shape in [[4, 16, 49], [3, 40, 7]] {
        run("global pooling", &[&shape, &[shape[0] * shape[1]]], |g, x| {
            let pooled = compose::mean(g, x[0], Some(vec![2]), false, None).expect("records");
            let y = pooled.reshape(&[shape[0] * shape[1]]);
            with_gradient(g, x, y)
        });
        run("mean of two axes", &[&shape, &[shape[0]]], |g, x| {
            let y = compose::mean(g, x[0], Some(vec![1, 2]), false, None).expect("records");
            with_gradient(g, x, y)
        });
    }
}

#[test]
fn fused_programs_agree_with_the_reference_at_all_levels() {
    levels::run_again(
        &[
            "small_programs_agree_with_the_reference",
            "products_with_prologues_agree_with_the_reference",
            "attention_agrees_with_the_reference",
            "means_and_their_gradients_agree_with_the_reference",
            "means_of_several_axes_agree_with_the_reference",
        ],
        0,
    );
}
