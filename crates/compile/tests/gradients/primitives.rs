//! All differentiable primitives, with all attributes that affect their gradient rules.
use brasa_ir::ops::*;
use brasa_ir::{DType, Expr};

/// A primitive with its attributes, as a function of tensors of the given shapes.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) shapes: Vec<Vec<usize>>,
    pub(crate) build: Build,
}

type Build = Box<dyn for<'g> Fn(&[Expr<'g>]) -> Expr<'g>>;

pub(crate) fn cases() -> Vec<Case> {
    [moves(), reductions(), windows(), indices(), contractions(), convolutions(), scans(), empty()]
        .into_iter()
        .flatten()
        .collect()
}

/// `op` applied to one tensor per shape, squared so that the second derivative is not zero.
fn case(op: impl Into<Op>, shapes: &[&[usize]]) -> Case {
    let op = op.into();
    let name = format!("{op:?} of {shapes:?}");
    with(name, shapes, move |x| {
        let y = x[0].recorder().emit(op.clone(), x);
        y * y
    })
}

fn with(
    name: String,
    shapes: &[&[usize]],
    build: impl for<'g> Fn(&[Expr<'g>]) -> Expr<'g> + 'static,
) -> Case {
    let shapes = shapes.iter().map(|shape| shape.to_vec()).collect();
    Case { name, shapes, build: Box::new(build) }
}

fn moves() -> Vec<Case> {
    let slice = |start: [usize; 2], len: [usize; 2], step: [usize; 2]| {
        let [start, len, step] = [start, len, step].map(Vec::from);
        case(Slice { start, len, step }, &[&[5, 4]])
    };
    let pad = |before: [usize; 2], after: [usize; 2], value: f64| {
        let (before, after) = (before.to_vec(), after.to_vec());
        case(Pad { before, after, value: value.into() }, &[&[2, 3]])
    };
    vec![
        case(Reshape { shape: [3, 2].into() }, &[&[2, 3]]),
        case(Reshape { shape: [].into() }, &[&[1, 1]]),
        case(Permute { axes: vec![2, 0, 1] }, &[&[2, 3, 2]]),
        case(Expand { shape: [2, 3].into() }, &[&[3]]),
        case(Expand { shape: [2, 3, 2].into() }, &[&[3, 1]]),
        case(Expand { shape: [4].into() }, &[&[]]),
        slice([0, 0], [5, 4], [1, 1]),
        slice([1, 2], [3, 1], [1, 1]),
        slice([0, 1], [3, 2], [2, 2]),
        slice([1, 0], [2, 2], [3, 3]),
        slice([4, 3], [1, 1], [7, 9]),
        slice([2, 4], [1, 0], [1, 1]),
        pad([1, 0], [0, 2], 0.0),
        pad([0, 1], [1, 1], 1.5),
        case(Flip { axes: vec![1] }, &[&[2, 3]]),
        case(Flip { axes: vec![0, 2] }, &[&[2, 2, 3]]),
        case(Write {}, &[&[2], &[2]]),
        with("cast from f64 to f64".to_string(), &[&[3]], |x| {
            let y = x[0].recorder().emit(Cast { dtype: DType::F64 }, x);
            y * y
        }),
    ]
}

fn reductions() -> Vec<Case> {
    let bys = [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min];
    let axes = [vec![0], vec![1], vec![0, 2], vec![0, 1, 2], vec![]];
    let of = |by| axes.clone().map(|axes| case(Reduce { by, axes }, &[&[2, 3, 2]]));
    bys.into_iter().flat_map(of).collect()
}

fn windows() -> Vec<Case> {
    let mut cases = Vec::new();
    for (size, step, dilation) in [(1, 1, 1), (3, 1, 1), (2, 2, 1), (2, 1, 3), (3, 2, 2), (2, 4, 1)]
    {
        cases.push(case(Window { axis: 1, size, step, dilation }, &[&[2, 7, 2]]));
        let windows = (7 - (size - 1) * dilation - 1) / step + 1;
        let fold = Fold { axis: 1, len: 7, step, dilation };
        cases.push(case(fold, &[&[2, windows, 2, size]]));
    }
    cases
}

/// Indices 2, 1, 0, 2, 1, 0 … in the given shape: with repetitions, all below three.
fn index<'g>(x: Expr<'g>, shape: &[usize]) -> Expr<'g> {
    let count = x.recorder().iota(shape.iter().product(), DType::I64);
    let down = (count * -1.0 + 2.0).remainder(count.like(3));
    down.reshape(shape)
}

fn indices() -> Vec<Case> {
    let gather = |axis: usize, x: [usize; 2], of: [usize; 2]| {
        with(format!("gather axis={axis} {x:?} at {of:?}"), &[&x], move |operands| {
            let y = operands[0].gather(axis, index(operands[0], &of));
            y * y
        })
    };
    let mut cases = vec![
        gather(0, [3, 2], [4, 2]),
        gather(0, [3, 2], [2, 1]),
        gather(1, [2, 3], [2, 5]),
        gather(1, [2, 3], [1, 1]),
    ];
    let bys = [ScatterOp::Set, ScatterOp::Add, ScatterOp::Max, ScatterOp::Min, ScatterOp::Prod];
    for by in bys {
        for (axis, x, src) in
            [(0, [3, 2], [4, 2]), (0, [3, 2], [2, 1]), (1, [2, 3], [2, 5]), (1, [2, 3], [1, 2])]
        {
            let name = format!("scatter by={} axis={axis} {src:?} into {x:?}", by.word());
            cases.push(with(name, &[&x, &src], move |operands| {
                let index = index(operands[0], &src);
                let y = operands[0].scatter(axis, index, operands[1], by);
                y * y
            }));
        }
    }
    cases.push(with("scatter by=prod with zeros".to_string(), &[&[3], &[4]], |x| {
        // One zero at index 2, two at index 1, none at index 0.
        let some = x[1] * index(x[1], &[4]).eq(index(x[1], &[4]).like(0)).cast(DType::F64);
        x[0].scatter(0, index(x[0], &[4]), some, ScatterOp::Prod)
    }));
    cases
}

fn contractions() -> Vec<Case> {
    let of = |a: &[usize], b: &[usize]| case(Contract {}, &[a, b]);
    vec![
        of(&[2, 3], &[3, 2]),
        of(&[1, 1], &[1, 1]),
        of(&[2, 2, 3], &[2, 3, 1]),
        of(&[2, 1, 2, 2], &[2, 1, 2, 3]),
        with("contract of x with itself".to_string(), &[&[2, 3]], |x| {
            x[0].contract(x[0].transposed())
        }),
    ]
}

fn convolutions() -> Vec<Case> {
    let mut cases = Vec::new();
    for stride in [1, 2] {
        for (before, after) in [(0, 0), (2, 1), (-1, 0), (1, -2)] {
            for (dilation, spread) in [(1, 1), (2, 1), (1, 2), (2, 3)] {
                let conv = Conv {
                    stride: vec![stride],
                    before: vec![before],
                    after: vec![after],
                    dilation: vec![dilation],
                    spread: vec![spread],
                    groups: 1,
                };
                cases.push(case(conv, &[&[1, 1, 5], &[1, 1, 2]]));
            }
        }
    }
    let plane = |stride: [usize; 2], padding: [isize; 2], groups: usize| Conv {
        stride: stride.to_vec(),
        before: padding.to_vec(),
        after: padding.to_vec(),
        dilation: vec![1, 2],
        spread: vec![1, 1],
        groups,
    };
    cases.push(case(plane([1, 2], [1, 0], 1), &[&[2, 2, 3, 4], &[2, 2, 2, 2]]));
    cases.push(case(plane([2, 1], [0, 1], 2), &[&[2, 4, 3, 3], &[2, 2, 2, 2]]));
    cases.push(case(plane([1, 1], [0, 0], 2), &[&[1, 2, 2, 3], &[4, 1, 1, 2]]));
    let point = Conv {
        stride: vec![],
        before: vec![],
        after: vec![],
        dilation: vec![],
        spread: vec![],
        groups: 1,
    };
    cases.push(case(point, &[&[2, 3], &[2, 3]]));
    cases
}

fn scans() -> Vec<Case> {
    let mut cases = Vec::new();
    for by in [ScanOp::Sum, ScanOp::Linear, ScanOp::Max, ScanOp::Min] {
        for reverse in [false, true] {
            for (axis, shape) in [(0, &[4, 2][..]), (1, &[2, 4]), (0, &[1]), (1, &[2, 3, 2])] {
                let shapes = [shape, shape];
                let operands = if by == ScanOp::Linear { 2 } else { 1 };
                cases.push(case(Scan { by, axis, reverse }, &shapes[..operands]));
            }
        }
    }
    cases
}

/// Tensors without elements, as operands or results.
fn empty() -> Vec<Case> {
    let conv = |padding: isize| Conv {
        stride: vec![1],
        before: vec![padding],
        after: vec![padding],
        dilation: vec![1],
        spread: vec![1],
        groups: 1,
    };
    let at_nothing = |name: &str, by: Option<ScatterOp>| {
        with(format!("{name} at no indices"), &[&[3], &[0]], move |x| {
            let none = x[0].recorder().constant(0, DType::I64, &[0]);
            match by {
                Some(by) => x[0].scatter(0, none, x[1], by),
                None => x[0].gather(0, none),
            }
        })
    };
    let scan = |by| Scan { by, axis: 0, reverse: false };
    vec![
        case(Reduce { by: ReduceOp::Sum, axes: vec![0] }, &[&[0, 2]]),
        case(Reduce { by: ReduceOp::Max, axes: vec![1] }, &[&[0, 2]]),
        case(Expand { shape: [0, 2].into() }, &[&[2]]),
        case(Pad { before: vec![1], after: vec![2], value: 1.5.into() }, &[&[0]]),
        case(Slice { start: vec![2], len: vec![0], step: vec![3] }, &[&[3]]),
        case(Window { axis: 1, size: 2, step: 1, dilation: 1 }, &[&[0, 3]]),
        case(Fold { axis: 1, len: 3, step: 1, dilation: 1 }, &[&[0, 2, 2]]),
        case(Contract {}, &[&[2, 0], &[0, 3]]),
        case(Contract {}, &[&[0, 2], &[2, 3]]),
        case(conv(0), &[&[0, 1, 3], &[2, 1, 2]]),
        case(conv(0), &[&[2, 0, 3], &[2, 0, 2]]),
        case(conv(2), &[&[2, 1, 0], &[2, 1, 2]]),
        case(scan(ScanOp::Sum), &[&[0, 2]]),
        case(scan(ScanOp::Linear), &[&[0, 2], &[0, 2]]),
        case(scan(ScanOp::Max), &[&[0, 2]]),
        at_nothing("gather", None),
        at_nothing("scatter by=set", Some(ScatterOp::Set)),
        at_nothing("scatter by=prod", Some(ScatterOp::Prod)),
    ]
}
