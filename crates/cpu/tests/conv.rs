//! Convolutions of random geometry and their gradients agree with the reference device, and give
//! the same bits on any number of threads. `BRASA_FUZZ=n` tries `n` of them.
use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{Conv, Role};
use brasa_ir::{Array, DType, Graph, Id, Recorder, Type, eval};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::collections::HashMap;

/// A convolution. `axes` holds length, taps, stride, padding before and after, dilation and spread
/// of each axis.
#[derive(Clone, Debug)]
struct Case {
    batch: usize,
    groups: usize,
    channels: usize,
    outputs: usize,
    axes: Vec<(usize, usize, usize, isize, isize, usize, usize)>,
    /// Whether the operands are read through views.
    is_moved: bool,
}

impl Case {
    /// A case with `[length, taps, stride, padding]` per axis; dilation and spread are 1.
    fn new([batch, groups, channels, outputs]: [usize; 4], axes: &[[usize; 4]]) -> Case {
        let axis = |&[len, taps, stride, pad]: &[usize; 4]| {
            (len, taps, stride, pad as isize, pad as isize, 1, 1)
        };
        let axes = axes.iter().map(axis).collect();
        Case { batch, groups, channels, outputs, axes, is_moved: false }
    }

    fn any() -> impl Strategy<Value = Case> {
        let long = |rank: usize| [40usize, 18, 8][rank - 1];
        let axis = move |rank: usize| {
            let (len, taps) = (1..long(rank), 1..[9usize, 5, 3][rank - 1]);
            (len, taps, 1..4usize, -1..4isize, -1..4isize, 1..3usize, one_or_more())
        };
        let axes =
            (1..4usize).prop_flat_map(move |rank| proptest::collection::vec(axis(rank), rank));
        let sizes = (1..5usize, one_or_more(), 1..7usize, 1..36usize);
        (sizes, axes, any::<bool>()).prop_map(
            |((batch, groups, channels, outputs), axes, is_moved)| Case {
                batch,
                groups,
                channels,
                outputs,
                axes,
                is_moved,
            },
        )
    }

    fn op(&self) -> Conv {
        let axes = &self.axes;
        Conv {
            stride: axes.iter().map(|a| a.2).collect(),
            before: axes.iter().map(|a| a.3).collect(),
            after: axes.iter().map(|a| a.4).collect(),
            dilation: axes.iter().map(|a| a.5).collect(),
            spread: axes.iter().map(|a| a.6).collect(),
            groups: self.groups,
        }
    }

    /// Shapes of input and weights.
    fn shapes(&self) -> [Vec<usize>; 2] {
        let lens = self.axes.iter().map(|a| a.0);
        let taps = self.axes.iter().map(|a| a.1);
        let x = [self.batch, self.groups * self.channels].into_iter().chain(lens).collect();
        let w = [self.groups * self.outputs, self.channels].into_iter().chain(taps).collect();
        [x, w]
    }
}

/// Mostly 1.
fn one_or_more() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(1usize), 1 => 2..4usize]
}

/// Distinct values in −1..1.
fn sample(ty: &Type, seed: u64) -> Array {
    let value = |i: usize| {
        let mut h = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed;
        h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((h >> 40) as f64) / (1u64 << 23) as f64 - 1.0
    };
    Array::from_f64(ty, (0..ty.elements()).map(value))
}

/// Checks the convolution, the convolution with bias and activation, and both gradients.
fn check(case: &Case) -> Result<(), String> {
    let g = Recorder::default();
    let input = |shape: &[usize]| g.input("x", Role::Data, Type::new(DType::F32, shape));
    let [x, w] = case.shapes().map(|shape| {
        if !case.is_moved {
            let x = input(&shape);
            return (x, x);
        }
        // Batch and channels are swapped, and the last axis is flipped.
        let mut stored = shape.clone();
        stored.swap(0, 1);
        let stored = input(&stored);
        (stored, stored.swap(0, 1).flip(&[shape.len() - 1]))
    });
    let mut inputs = vec![x.0.id(), w.0.id()];
    let (x, w) = (x.1, w.1);
    // Skips windows that do not fit.
    let Ok(y) = g.push(case.op(), &[x, w]) else { return Ok(()) };
    if y.elements() == 0 {
        return Ok(());
    }
    let mut bias_shape = vec![1; y.rank()];
    bias_shape[1] = y.shape()[1];
    let (bias, dy) = (input(&bias_shape), input(&y.shape()));
    inputs.extend([bias.id(), dy.id()]);
    let activated = (y + bias).relu();
    let gradients = grad(&g, &[y], &[Some(dy)], &[x, w]).map_err(|e| e.to_string())?;
    let mut wanted = vec![y.id(), activated.id()];
    wanted.extend(gradients.iter().flatten().map(|dx| dx.id()));
    g.read(|graph| compare(graph, &inputs, &wanted))
}

fn compare(graph: &Graph, inputs: &[Id], wanted: &[Id]) -> Result<(), String> {
    let value = |(n, &id): (usize, &Id)| (id, sample(&graph[id].ty, n as u64));
    let values: HashMap<Id, Array> = inputs.iter().enumerate().map(value).collect();
    // Also each output alone: an epilogue is part of its convolution's kernel.
    let alone = wanted.iter().map(std::slice::from_ref);
    for wanted in alone.chain([wanted]) {
        let want = eval(graph, &values, wanted).map_err(|e| e.to_string())?;
        let program = compile(graph, wanted);
        let mut first: Option<Vec<Vec<u8>>> = None;
        for threads in [1, 3] {
            let mut executable = Executable::new(program.clone());
            let mut buffers: Vec<Buffer> =
                program.inputs.iter().map(|input| Buffer::from(&values[&input.node])).collect();
            let pool = Pool::new(threads);
            executable.run(&pool, &mut buffers, graph.slots()).map_err(|e| e.to_string())?;
            let got: Vec<Array> = (0..want.len()).map(|n| executable.output(&buffers, n)).collect();
            for (n, (got, want)) in got.iter().zip(&want).enumerate() {
                if let Some(what) = difference(got, want) {
                    return Err(format!("output {n}, {what}\n{program}"));
                }
            }
            let bits: Vec<Vec<u8>> = got.iter().map(Array::to_bytes).collect();
            if first.get_or_insert_with(|| bits.clone()) != &bits {
                return Err(format!("{threads} threads give different bits than one\n{program}"));
            }
        }
    }
    Ok(())
}

/// The first element that differs by more than rounding.
fn difference(got: &Array, want: &Array) -> Option<String> {
    (0..want.len()).find_map(|i| {
        let (got, want) = (got.f64(i), want.f64(i));
        let is_close = (got - want).abs() <= 2e-5 * (1.0 + want.abs());
        (!is_close).then(|| format!("element {i}: {got}, reference {want}"))
    })
}

#[test]
fn random_convolutions_agree_with_the_reference() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(128);
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(cases.into()),
        ..Config::default()
    };
    let result =
        TestRunner::new(config).run(&Case::any(), |case| check(&case).map_err(TestCaseError::fail));
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// Layers as in common models, at sizes that cross the boundaries of blocks and panels.
#[test]
fn layers_agree_with_the_reference() {
    let plain = |sizes, axes: &[[usize; 4]]| Case::new(sizes, axes);
    let layers = [
        plain([3, 1, 1, 32], &[[28, 3, 1, 0], [28, 3, 1, 0]]),
        plain([2, 1, 32, 40], &[[13, 3, 1, 0], [13, 3, 1, 0]]),
        plain([1, 1, 3, 17], &[[60, 7, 2, 3], [60, 7, 2, 3]]),
        plain([2, 1, 70, 20], &[[8, 3, 1, 1], [8, 3, 1, 1]]),
        plain([5, 1, 24, 33], &[[2, 3, 1, 1], [2, 3, 1, 1]]),
        plain([2, 1, 20, 48], &[[7, 1, 1, 0], [7, 1, 1, 0]]),
        plain([2, 1, 20, 48], &[[9, 1, 2, 0], [9, 1, 2, 0]]),
        plain([2, 19, 1, 1], &[[20, 3, 1, 1], [20, 3, 1, 1]]),
        plain([2, 19, 1, 1], &[[21, 3, 2, 1], [21, 3, 2, 1]]),
        plain([3, 5, 1, 2], &[[40, 3, 1, 1], [50, 3, 1, 1]]),
        plain([2, 3, 4, 8], &[[12, 3, 1, 1], [12, 3, 1, 1]]),
        plain([1, 1, 2, 3], &[[50, 3, 1, 1], [50, 3, 1, 1]]),
        plain([2, 1, 6, 20], &[[900, 9, 1, 4]]),
        plain([1, 1, 3, 8], &[[7, 3, 1, 1], [9, 3, 1, 1], [10, 3, 2, 1]]),
        plain([4, 1, 16, 20], &[[6, 6, 1, 0], [6, 6, 1, 0]]),
        // Enough patches for the Winograd kernel.
        plain([2, 1, 16, 17], &[[33, 3, 1, 1], [31, 3, 1, 1]]),
        plain([1, 2, 17, 16], &[[36, 3, 1, 0], [63, 3, 1, 0]]),
    ];
    for layer in layers {
        if let Err(what) = check(&layer) {
            panic!("{layer:?}: {what}");
        }
    }
}
