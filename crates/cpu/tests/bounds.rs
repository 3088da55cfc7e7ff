//! Indices out of range give the same errors as the reference device, even where a fused kernel
//! compares with indices instead of gathering.
use brasa_compile::kernel::Body;
use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::*;
use brasa_ir::ops::{Op, Role, Write};
use brasa_ir::{Array, DType, Expr, Id, Recorder, Result, Type, eval};
use std::collections::HashMap;

const CLASSES: usize = 5;

fn is_gather(body: &Body) -> bool {
    match body {
        Body::Library { op, .. } => matches!(op, Op::Gather(_)),
        Body::Loop => false,
    }
}

/// The results of the reference and of the compiled program for a training step with these
/// classes.
fn outcomes(
    classes: &[i64],
    loss: for<'g> fn(&'g Recorder, Expr<'g>, Expr<'g>) -> Result<Expr<'g>>,
) -> [Result<Vec<f64>, String>; 2] {
    let g = Recorder::default();
    let n = classes.len();
    let scores = g.input("scores", Role::Param, Type::new(DType::F32, [n, CLASSES]));
    let target = g.input("target", Role::Data, Type::new(DType::I64, [n]));
    let loss = loss(&g, scores.exp(), target).expect("records");
    let dx = grad(&g, &[loss], &[], &[scores]).expect("differentiates")[0].expect("depends");
    let wanted: Vec<Id> = [loss, dx].map(|x| x.id()).into();
    g.push(Write {}, &[scores, scores - dx]).expect("records");
    let values = (0..n * CLASSES).map(|i| (i * 7 % 11) as f64 / 11.0);
    let inputs: HashMap<Id, Array> = HashMap::from([
        (scores.id(), Array::from_f64(&scores.ty(), values)),
        (target.id(), Array::from_i64(&target.ty(), classes.iter().copied())),
    ]);
    let flat = |values: Vec<Array>| values.iter().flat_map(Array::to_f64).collect();
    g.read(|graph| {
        let program = compile(graph, &wanted);
        let ops = program.launches.iter().map(|launch| &launch.kernel.body);
        assert!(!ops.into_iter().any(is_gather), "gathers must be fused:\n{program}");
        let bind =
            |input: &brasa_compile::program::ProgramInput| Buffer::from(&inputs[&input.node]);
        let mut buffers: Vec<Buffer> = program.inputs.iter().map(bind).collect();
        let before: Vec<Vec<u8>> = buffers.iter().map(|buffer| buffer.bytes().to_vec()).collect();
        let mut executable = Executable::new(program);
        let run = executable.run(&Pool::new(2), &mut buffers, graph.slots());
        let got = match run {
            Ok(()) => Ok(flat((0..2).map(|n| executable.output(&buffers, n)).collect())),
            Err(error) => {
                let after = buffers.iter().map(|buffer| buffer.bytes().to_vec());
                assert_eq!(
                    after.collect::<Vec<_>>(),
                    before,
                    "a failed step must not change parameters"
                );
                Err(error.to_string())
            }
        };
        [eval(graph, &inputs, &wanted).map(flat).map_err(|error| error.to_string()), got]
    })
}

#[test]
fn classes_out_of_range_are_errors() {
    let good: Vec<i64> = (0..40).map(|i| i * 3 % CLASSES as i64).collect();
    let with = |places: &[(usize, i64)]| {
        let mut classes = good.clone();
        places.iter().for_each(|&(n, class)| classes[n] = class);
        classes
    };
    type Loss = for<'g> fn(&'g Recorder, Expr<'g>, Expr<'g>) -> Result<Expr<'g>>;
    let losses: [(&str, Loss); 3] = [
        ("cross_entropy", |g, x, t| cross_entropy(g, x, t, None, -100, Reduction::Mean, 0.0)),
        ("cross_entropy", |g, x, t| cross_entropy(g, x, t, None, 3, Reduction::Sum, 0.1)),
        ("nll_loss", |g, x, t| nll_loss(g, x, t, None, -100, Reduction::Mean)),
    ];
    for (name, loss) in losses {
        for bad in
            [&[(0, 5)][..], &[(39, -1)], &[(7, 9), (8, -4)], &[(39, i64::MAX), (17, i64::MIN)]]
        {
            let [want, got] = outcomes(&with(bad), loss);
            let want = want.expect_err("the reference rejects the class");
            assert!(want.starts_with(name) && want.contains("bounds.rs:"), "{want}");
            assert_eq!(got.expect_err("the class is out of range"), want);
        }
        for fine in [good.clone(), with(&[(2, 4), (3, 0)]), vec![1]] {
            let [want, got] = outcomes(&fine, loss);
            let (want, got) = (want.expect("evaluates"), got.expect("runs"));
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
            assert!(got.iter().zip(&want).all(is_near), "{name}: {got:?}, not {want:?}");
        }
    }
    let [want, got] = outcomes(&with(&[(5, -100), (9, -100)]), losses[0].1);
    let (want, got) = (want.expect("classes that are ignored"), got.expect("runs"));
    assert!((want[0] - got[0]).abs() < 1e-5, "{} and {}", want[0], got[0]);
}
