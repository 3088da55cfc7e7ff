//! Every library kernel agrees with the reference device: random shapes, types and attributes,
//! with NaN, infinities, zeros of both signs and many equal elements, and with the same bits on
//! any number of threads.
use brasa_compile::compile;
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{
    ArgReduce, Contract, Fold, Gather, Op, ReduceOp, Role, Scan, ScanOp, Scatter, ScatterOp, Sort,
};
use brasa_ir::{Array, DType, Recorder, Type, eval};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::collections::HashMap;

/// A pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// One to four axes, one of them sometimes long.
    fn shape(&mut self) -> Vec<usize> {
        let rank = 1 + self.below(4);
        let mut shape: Vec<usize> = (0..rank).map(|_| 1 + self.below(7)).collect();
        let longest = [9000, 300, 90, 70][rank - 1];
        let axis = self.below(rank);
        if self.below(2) == 0 {
            shape[axis] = 1 + self.below(longest);
        }
        shape
    }

    /// Elements with some duplicates; with `wild` also NaN, infinities and negative zeros.
    fn array(&mut self, dtype: DType, shape: &[usize], wild: bool) -> Array {
        let ty = Type::new(dtype, shape);
        let wild = wild && dtype.is_float();
        let is_coarse = self.below(2) == 0;
        let values: Vec<f64> = (0..ty.elements())
            .map(|_| match self.below(40) {
                0 if wild => f64::NAN,
                1 if wild => f64::INFINITY,
                2 if wild => f64::NEG_INFINITY,
                3 => -0.0,
                _ if is_coarse => self.below(7) as f64 - 3.0,
                _ => (self.next() >> 11) as f64 / (1u64 << 50) as f64 - 4.0,
            })
            .collect();
        match dtype.is_float() {
            true => Array::from_f64(&ty, values),
            false => Array::from_i64(&ty, values.iter().map(|&x| (x * 100.0) as i64)),
        }
    }

    fn index(&mut self, shape: &[usize], len: usize) -> Array {
        let dtype = self.of(&[DType::I64, DType::I32, DType::U8, DType::U32, DType::I8]);
        let len = len.min(120);
        let ty = Type::new(dtype, shape);
        let values: Vec<i64> = (0..ty.elements()).map(|_| self.below(len) as i64).collect();
        Array::from_i64(&ty, values)
    }
}

const DTYPES: &[DType] = &[
    DType::F32,
    DType::F32,
    DType::F64,
    DType::I32,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::U8,
    DType::I8,
    DType::U32,
    DType::Bool,
];

/// Checks an op, alone and with an epilogue, against the reference.
fn check(op: impl Into<Op>, values: Vec<Array>, tolerance: f64) -> Result<(), TestCaseError> {
    let op = op.into();
    let types: Vec<String> = values.iter().map(|value| value.ty.to_string()).collect();
    let what = format!("{op:?} of {}", types.join(", "));
    let g = Recorder::default();
    let inputs: Vec<_> = values.iter().map(|v| g.input("x", Role::Data, v.ty.clone())).collect();
    let y = g.emit(op, &inputs);
    // Once alone, and once with an epilogue.
    let z = y.cast(DType::F64) + 1.0;
    let wanted = [y.id(), z.id()];
    let values: HashMap<_, _> = inputs.iter().map(|x| x.id()).zip(values).collect();
    g.read(|graph| {
        let want = eval(graph, &values, &wanted);
        for wanted in [&wanted[..], &wanted[..1]] {
            let program = compile(graph, wanted);
            let mut first: Option<Vec<Vec<u8>>> = None;
            for threads in [1, 3] {
                let mut buffers: Vec<Buffer> =
                    program.inputs.iter().map(|input| Buffer::from(&values[&input.node])).collect();
                let mut executable = Executable::new(program.clone());
                let got = executable.run(&Pool::new(threads), &mut buffers, graph.slots());
                let want = match (got, &want) {
                    (Ok(()), Ok(want)) => want,
                    (Err(got), Err(want)) => {
                        assert_eq!(got.to_string(), want.to_string(), "{what}");
                        continue;
                    }
                    (got, want) => {
                        let what = format!("{what}: {got:?}, reference {:?}", want.as_ref().err());
                        return Err(TestCaseError::fail(what));
                    }
                };
                let got: Vec<Array> =
                    (0..wanted.len()).map(|n| executable.output(&buffers, n)).collect();
                for (n, (got, want)) in got.iter().zip(want).enumerate() {
                    if let Some(difference) = difference(got, want, tolerance) {
                        let what = format!("{what}, output {n}, {difference}\n{program}");
                        return Err(TestCaseError::fail(what));
                    }
                }
                let bits: Vec<Vec<u8>> = got.iter().map(Array::to_bytes).collect();
                if first.get_or_insert(bits.clone()) != &bits {
                    return Err(TestCaseError::fail(format!(
                        "{what}: bits depend on the number of threads"
                    )));
                }
            }
        }
        Ok(())
    })
}

fn difference(got: &Array, want: &Array, tolerance: f64) -> Option<String> {
    assert_eq!(got.ty, want.ty);
    (0..want.len()).find_map(|i| {
        let (got, want) = (got.f64(i), want.f64(i));
        let is_same = got == want || (got.is_nan() && want.is_nan());
        let is_close = (got - want).abs() <= tolerance * (1.0 + want.abs());
        (!is_same && !is_close).then(|| format!("element {i}: {got}, reference {want}"))
    })
}

/// The rounding error of one operation in a dtype.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-13,
        DType::F32 => 1e-6,
        DType::F16 => 2e-3,
        DType::BF16 => 2e-2,
        _ => 0.0,
    }
}

fn each(test: impl Fn(&mut Dice) -> Result<(), TestCaseError>) {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(cases.into()),
        ..Config::default()
    };
    let result =
        TestRunner::new(config).run(&proptest::num::u64::ANY, |seed| test(&mut Dice(seed)));
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn scans_agree_with_the_reference() {
    each(|dice| {
        let (dtype, shape) = (dice.of(DTYPES), dice.shape());
        let axis = dice.below(shape.len());
        let by = dice.of(&[ScanOp::Sum, ScanOp::Linear, ScanOp::Max, ScanOp::Min]);
        // In a linear recurrence infinities and NaN persist: only short lines get them.
        let wild = by != ScanOp::Linear || shape[axis] < 9;
        let mut values = vec![dice.array(dtype, &shape, wild)];
        if by == ScanOp::Linear {
            let small = dice.array(dtype, &shape, false);
            let small = match dtype.is_float() {
                true => Array::from_f64(&small.ty, small.to_f64().iter().map(|x| x / 8.0)),
                false => small,
            };
            values.insert(0, small);
        }
        let terms = if dtype == DType::F64 { shape[axis] as f64 } else { 1.0 };
        check(Scan { by, axis, reverse: dice.below(2) == 0 }, values, terms * epsilon(dtype))
    });
}

/// Lines that are split into segments.
#[test]
fn long_scans_agree_with_the_reference() {
    let mut dice = Dice(7);
    for (dtype, by) in [
        (DType::F32, ScanOp::Sum),
        (DType::F32, ScanOp::Max),
        (DType::I64, ScanOp::Sum),
        (DType::F32, ScanOp::Linear),
    ] {
        for (shape, axis) in [(vec![2, 70_001], 1), (vec![40_960], 0), (vec![9000, 3], 0)] {
            let x = dice.array(dtype, &shape, by == ScanOp::Max);
            let values = if by == ScanOp::Linear {
                vec![dice.array(dtype, &shape, false), x]
            } else {
                vec![x]
            };
            let values: Vec<Array> = match by {
                ScanOp::Linear => values
                    .iter()
                    .map(|v| Array::from_f64(&v.ty, v.to_f64().iter().map(|x| x / 5.0)))
                    .collect(),
                _ => values,
            };
            for reverse in [false, true] {
                let scan = Scan { by, axis, reverse };
                check(scan, values.clone(), 1e-6).expect("agrees");
            }
        }
    }
}

#[test]
fn sorts_agree_with_the_reference() {
    each(|dice| {
        let (dtype, shape) = (dice.of(DTYPES), dice.shape());
        let axis = dice.below(shape.len());
        let keep = match dice.below(3) {
            0 => dice.below(shape[axis] + 1),
            1 => dice.below(5).min(shape[axis]),
            _ => shape[axis],
        };
        let x = dice.array(dtype, &shape, true);
        check(Sort { axis, descending: dice.below(2) == 0, keep }, vec![x], 0.0)
    });
}

/// Lines that several threads sort together.
#[test]
fn long_sorts_agree_with_the_reference() {
    let mut dice = Dice(3);
    for (dtype, shape) in
        [(DType::F32, vec![100_003]), (DType::F64, vec![70_000, 2]), (DType::U8, vec![1, 66_000])]
    {
        for keep in [shape.iter().max().copied().unwrap_or(0), 40_000, 11] {
            let axis = if shape.len() == 2 && shape[0] == 1 { 1 } else { 0 };
            let x = dice.array(dtype, &shape, true);
            let sort = Sort { axis, descending: keep == 40_000, keep };
            check(sort, vec![x], 0.0).expect("agrees");
        }
    }
}

#[test]
fn folds_agree_with_the_reference() {
    each(|dice| {
        let dtype = dice.of(&[DType::F32, DType::F64, DType::F16, DType::I32]);
        let (step, dilation) = (1 + dice.below(3), 1 + dice.below(3));
        let (windows, size) = (1 + dice.below(9), 1 + dice.below(5));
        let len = (windows - 1) * step + (size - 1) * dilation + 1 + dice.below(step);
        let mut shape = dice.shape();
        let axis = dice.below(shape.len());
        shape[axis] = windows;
        shape.push(size);
        let x = dice.array(dtype, &shape, true);
        check(Fold { axis, len, step, dilation }, vec![x], epsilon(dtype))
    });
}

#[test]
fn arg_reductions_agree_with_the_reference() {
    each(|dice| {
        let (dtype, shape) = (dice.of(DTYPES), dice.shape());
        let axis = dice.below(shape.len());
        let wild = dice.below(2) == 0;
        let x = dice.array(dtype, &shape, wild);
        check(ArgReduce { by: dice.of(&[ReduceOp::Max, ReduceOp::Min]), axis }, vec![x], 0.0)
    });
}

#[test]
fn argmax_of_a_long_line_is_the_first_maximum() {
    let ty = Type::new(DType::U8, [1 << 17]);
    let last =
        |n: i64| Array::from_i64(&ty, (0..1 << 17).map(|i| (i == n || i == n + 40_000) as i64));
    for at in [0, 1, 32_767, 32_768, 90_000] {
        check(ArgReduce { by: ReduceOp::Max, axis: 0 }, vec![last(at)], 0.0).expect("agrees");
    }
}

#[test]
fn gathers_agree_with_the_reference() {
    each(|dice| {
        let (dtype, shape) = (dice.of(DTYPES), dice.shape());
        let axis = dice.below(shape.len());
        let mut wanted: Vec<usize> = shape.iter().map(|&len| 1 + dice.below(len)).collect();
        wanted[axis] = 1 + dice.below(12);
        let index = dice.index(&wanted, shape[axis]);
        check(Gather { axis }, vec![dice.array(dtype, &shape, true), index], 0.0)
    });
}

#[test]
fn scatters_agree_with_the_reference() {
    use ScatterOp::{Add, Max, Min, Prod, Set};
    each(|dice| {
        let (dtype, shape) = (dice.of(DTYPES), dice.shape());
        let axis = dice.below(shape.len());
        let mut sources: Vec<usize> = shape.iter().map(|&len| 1 + dice.below(len)).collect();
        sources[axis] = 1 + dice.below(12);
        let index = dice.index(&sources, shape[axis]);
        let by = dice.of(&[Set, Add, Max, Min, Prod]);
        let values = vec![
            dice.array(dtype, &shape, true),
            index,
            dice.array(dtype, &sources, dice.0 & 1 == 0),
        ];
        check(Scatter { axis, by }, values, 16.0 * epsilon(dtype))
    });
}

/// Rows, columns, lines and indices that threads share.
#[test]
fn large_scatters_agree_with_the_reference() {
    let mut dice = Dice(5);
    for (shape, sources, axis) in [
        (vec![300], vec![40_000], 0),
        (vec![90, 100], vec![300, 100], 0),
        (vec![100, 90], vec![100, 300], 1),
        (vec![4, 90, 70], vec![4, 80, 70], 1),
    ] {
        for by in [ScatterOp::Add, ScatterOp::Set] {
            let index = dice.index(&sources, shape[axis]);
            let (x, src) =
                (dice.array(DType::F32, &shape, false), dice.array(DType::F32, &sources, false));
            check(Scatter { axis, by }, vec![x, index, src], 3e-4).expect("agrees");
        }
    }
}

/// An index of rows: one index for a whole row of the other axes.
#[test]
fn gathers_and_scatters_of_whole_rows_agree_with_the_reference() {
    let g = Recorder::default();
    let mut dice = Dice(11);
    let input = |name, dtype, shape: &[usize]| g.input(name, Role::Data, Type::new(dtype, shape));
    let (x, index) = (input("x", DType::F16, &[50, 3, 40]), input("i", DType::I64, &[600]));
    let src = input("s", DType::F16, &[600, 3, 40]);
    let rows = index.reshape(&[600, 1, 1]).expand(&[600, 3, 40]);
    let y = x.gather(0, rows);
    let z = x.permute(&[0, 2, 1]).scatter(
        0,
        index.reshape(&[600, 1, 1]).expand(&[600, 40, 3]),
        src.permute(&[0, 2, 1]),
        ScatterOp::Add,
    );
    let wanted = [y.id(), z.id()];
    let values = HashMap::from([
        (x.id(), dice.array(DType::F16, &[50, 3, 40], false)),
        (index.id(), Array::from_i64(&Type::new(DType::I64, [600]), (0..600).map(|i| i * 7 % 50))),
        (src.id(), dice.array(DType::F16, &[600, 3, 40], false)),
    ]);
    g.read(|graph| {
        let want = eval(graph, &values, &wanted).expect("evaluates");
        let got = brasa_cpu::run(graph, &values, &wanted).expect("runs");
        for (got, want) in got.iter().zip(&want) {
            assert_eq!(difference(got, want, 4e-3), None);
        }
    });
}

/// The error names the first index out of range, as the reference does.
#[test]
fn indices_out_of_range_are_errors() {
    let x = Array::f32([4, 5], &[0.0; 20]);
    for bad in [[0, 3, 4, 9], [-1, 2, 2, 2], [3, 3, 3, 4]] {
        let index = Array::from_i64(&Type::new(DType::I64, [4, 1]), bad);
        let src = Array::f32([4, 1], &[1.0; 4]);
        check(Gather { axis: 0 }, vec![x.clone(), index.clone()], 0.0).expect("the same error");
        let scatter = Scatter { axis: 0, by: ScatterOp::Max };
        check(scatter, vec![x.clone(), index, src], 0.0).expect("the same error");
    }
}

#[test]
fn products_of_integers_agree_with_the_reference() {
    each(|dice| {
        let dtype = dice.of(&[DType::I32, DType::I64, DType::U8, DType::I8, DType::U32]);
        let [m, k, n] = [1 + dice.below(80), dice.below(30), 1 + dice.below(150)];
        let mut batch: Vec<usize> = (0..dice.below(3)).map(|_| 1 + dice.below(3)).collect();
        let a = dice.array(dtype, &[&batch[..], &[m, k]].concat(), false);
        batch.extend([k, n]);
        let b = dice.array(dtype, &batch, false);
        check(Contract {}, vec![a, b], 0.0)
    });
}
