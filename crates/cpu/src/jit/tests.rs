//! Generated loops give the same bits as the functions that they replace: for every operation,
//! numbers of all kinds, any number of lanes, and more values than registers. Loops of every level
//! are emulated; those that the machine supports also run directly.
mod random;
mod registers;

use super::*;
use crate::interp;
use crate::level::Level;
use crate::vmath::Unary;
use crate::vmath::tests::{bound, tiny, ulps};

/// Numbers of all kinds: both zeros, subnormal and huge ones, infinities, NaN, and many others.
fn numbers(count: usize) -> Vec<f32> {
    const EDGES: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-40,
        -1e-40,
        88.0,
        -104.5,
        1e12,
        3e-13,
    ];
    let mut state = 12345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Some of any magnitude, the others of magnitudes common in networks.
        match state >> 30 {
            0 => f32::from_bits(state << 2),
            _ => (state >> 8) as f32 / 1_000_000.0 - 8.0,
        }
    };
    (0..count).map(|n| EDGES.get(n % 37).copied().unwrap_or_else(&mut next)).collect()
}

/// Runs a loop from some operands to one result.
fn run(
    runner: Runner,
    inputs: &[&[f32]],
    build: impl FnOnce(&mut Trace, &[Value]) -> Value,
) -> Vec<f32> {
    let mut trace = Trace::new(runner.level());
    let args: Vec<Value> = inputs
        .iter()
        .map(|x| trace.operand(if x.len() == 1 { OperandKind::Row } else { OperandKind::Lanes }))
        .collect();
    let value = build(&mut trace, &args);
    let operand = trace.result();
    let output = Output { value, operand, is_late: false, is_streamed: false };
    let code =
        MachineCode::new(&trace, &[output], &[]).expect("the system allows executable memory");
    let lanes = inputs.iter().map(|x| x.len()).max().unwrap_or(0);
    let mut result = vec![7.0; lanes + 1];
    let mut table: Vec<interp::Operand> = inputs
        .iter()
        .map(|x| interp::Operand { ptr: x.as_ptr().cast_mut().cast(), rows: 0 })
        .collect();
    table.push(interp::Operand { ptr: result.as_mut_ptr().cast(), rows: 0 });
    // SAFETY: operands have `lanes` elements, or one.
    unsafe { runner.run(&code, 1, lanes, &mut table, false) };
    assert_eq!(result.pop(), Some(7.0), "the loop writes past the end");
    result
}

#[track_caller]
fn assert_same(what: &str, x: &[f32], got: &[f32], want: &[f32]) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let is_same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
        assert!(is_same, "{what}({:e}) [{i}]: {got:e}, wanted {want:e}", x[i]);
    }
}

/// How the loops of a level are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runner {
    Machine(Level),
    Emulator(Level),
}

impl Runner {
    /// All ways that this machine supports.
    fn all() -> impl Iterator<Item = Runner> {
        let can_run = |level: &Level| *level >= Level::Avx2;
        let machine = Level::available().iter().copied().filter(can_run).map(Runner::Machine);
        machine.chain([Level::Avx2, Level::Avx512].map(Runner::Emulator))
    }

    /// The ways with the operations of AVX-512.
    fn wide() -> impl Iterator<Item = Runner> {
        Runner::all().filter(|runner| runner.level() == Level::Avx512)
    }

    fn level(self) -> Level {
        match self {
            Runner::Machine(level) | Runner::Emulator(level) => level,
        }
    }

    /// # Safety
    /// As [`MachineCode::run`].
    unsafe fn run(
        self,
        code: &MachineCode,
        rows: usize,
        lanes: usize,
        table: &mut [interp::Operand],
        is_streamed: bool,
    ) {
        // SAFETY: the caller meets the contract; `all` lists only levels of this machine.
        unsafe {
            match self {
                Runner::Machine(_) => code.run(rows, lanes, table, is_streamed),
                Runner::Emulator(_) => code.emulate(rows, lanes, table, is_streamed),
            }
        }
    }
}

#[test]
fn traced_functions_equal_vector_functions() {
    for runner in Runner::all() {
        for count in [1, 7, 8, 9, 15, 16, 17, 1000] {
            let x = numbers(count);
            for &function in Unary::ALL {
                let mut can_trace = false;
                let got = run(runner, &[&x], |trace, args| {
                    let value = function.trace(trace, args[0]);
                    can_trace = value.is_some();
                    value.unwrap_or(args[0])
                });
                if !can_trace {
                    continue;
                }
                // The low bits of a 14-bit reciprocal depend on the machine.
                if runner == Runner::Emulator(Level::Avx512) || runner.level() > Level::best() {
                    assert_near(function, &x, &got);
                    continue;
                }
                let mut want = vec![0.0; count];
                function.map_at(runner.level(), &x, &mut want);
                assert_same(function.name(), &x, &got, &want);
            }
        }
        assert!(Unary::Gelu.trace(&mut Trace::new(runner.level()), Value(0)).is_some());
    }
}

/// Asserts that results are within the function's error bound for all levels.
#[track_caller]
fn assert_near(function: Unary, x: &[f32], got: &[f32]) {
    for (&x, &y) in x.iter().zip(got) {
        let want = function.f64_function()(f64::from(x));
        let is_tiny = (f64::from(y) - want).abs() <= tiny(function);
        let is_near = is_tiny || ulps(y, want) <= bound(function);
        assert!(is_near, "{}({x:e}): {y:e}, wanted {want:e}", function.name());
    }
}

type Plain = fn(f32, f32) -> f32;
type Build = fn(&mut Trace, Value, Value) -> Value;

/// Vector minima and maxima give the second operand if either is NaN.
fn second(a: f32, b: f32, chooses: bool) -> f32 {
    if chooses { a } else { b }
}

/// Name, meaning and trace of an operation.
const OPERATIONS: [(&str, Plain, Build); 12] = [
    ("add", |a, b| a + b, |t, a, b| t.binary(BinaryOp::Add, a, b)),
    ("sub", |a, b| a - b, |t, a, b| t.binary(BinaryOp::Sub, a, b)),
    ("mul", |a, b| a * b, |t, a, b| t.binary(BinaryOp::Mul, a, b)),
    ("div", |a, b| a / b, |t, a, b| t.binary(BinaryOp::Div, a, b)),
    ("min", |a, b| second(a, b, a < b), |t, a, b| t.binary(BinaryOp::Min, a, b)),
    ("max", |a, b| second(a, b, a > b), |t, a, b| t.binary(BinaryOp::Max, a, b)),
    ("copysign", f32::copysign, |t, a, b| t.copysign(a, b)),
    ("sqrt", |a, _| a.sqrt(), |t, a, _| t.unary(UnaryOp::Sqrt, a)),
    ("neg", |a, _| -a, |t, a, _| t.neg(a)),
    ("abs", |a, _| a.abs(), |t, a, _| t.abs(a)),
    ("floor", |a, _| a.floor(), |t, a, _| t.unary(UnaryOp::Floor, a)),
    (
        "select",
        |a, b| second(a, b, a <= b),
        |t, a, b| {
            let mask = t.compare(Compare::Le, a, b);
            t.select(mask, a, b)
        },
    ),
];

#[test]
fn operations_equal_scalar_arithmetic() {
    for runner in Runner::all() {
        let x = numbers(1003);
        let y: Vec<f32> = numbers(1010)[7..].to_vec();
        for (name, plain, build) in OPERATIONS {
            let want: Vec<f32> = x.iter().zip(&y).map(|(&a, &b)| plain(a, b)).collect();
            let got = run(runner, &[&x, &y], |trace, args| build(trace, args[0], args[1]));
            assert_same(name, &x, &got, &want);
            for one in [0.0, -3.5, f32::NAN, 1e-30] {
                let want: Vec<f32> = x.iter().map(|&a| plain(a, one)).collect();
                let got = run(runner, &[&x, &[one]], |trace, args| build(trace, args[0], args[1]));
                assert_same(name, &x, &got, &want);
                let got = run(runner, &[&x], |trace, args| {
                    let one = trace.number(one);
                    build(trace, args[0], one)
                });
                assert_same(name, &x, &got, &want);
                let want: Vec<f32> = x.iter().map(|&a| plain(one, a)).collect();
                let got = run(runner, &[&[one], &x], |trace, args| build(trace, args[0], args[1]));
                assert_same(name, &x, &got, &want);
            }
        }
    }
}

/// Every combination of operands of a fused multiply-add that are in registers, in memory, or used
/// again afterwards.
#[test]
fn fused_multiply_adds_are_exact_in_all_forms() {
    for runner in Runner::all() {
        let x = numbers(100);
        let y: Vec<f32> = numbers(150)[50..].to_vec();
        let one = [2.5f32];
        type Plain = fn(f32, f32, f32) -> f32;
        let forms: [(Fused, Plain); 3] = [
            (Fused::Add, |a, b, c| a.mul_add(b, c)),
            (Fused::Sub, |a, b, c| a.mul_add(b, -c)),
            (Fused::From, |a, b, c| (-a).mul_add(b, c)),
        ];
        let operands: [&[f32]; 3] = [&x, &y, &one];
        for (form, plain) in forms {
            for n in 0..27 {
                let choice = [n % 3, n / 3 % 3, n / 9];
                for stays in 0..8 {
                    let got = run(runner, &operands, |trace, args| {
                        let [a, b, c] = choice.map(|k| args[k]);
                        let fused = trace.fused(form, a, b, c);
                        // Values that are used afterwards must not be overwritten.
                        let kept = (0..3).filter(|k| stays >> k & 1 == 1).map(|k| args[k]);
                        kept.fold(fused, |sum, x| trace.binary(BinaryOp::Sub, sum, x))
                    });
                    let want: Vec<f32> = (0..x.len())
                        .map(|i| {
                            let values = [x[i], y[i], one[0]];
                            let [a, b, c] = choice.map(|k| values[k]);
                            let kept = (0..3).filter(|k| stays >> k & 1 == 1).map(|k| values[k]);
                            kept.fold(plain(a, b, c), |sum, x| sum - x)
                        })
                        .collect();
                    assert_same(&format!("{form:?} {choice:?} {stays}"), &x, &got, &want);
                }
            }
        }
    }
}

#[test]
fn values_beyond_the_registers_are_spilled_and_reloaded() {
    for runner in Runner::all() {
        let x = numbers(333);
        let got = run(runner, &[&x], |trace, args| {
            let parts: Vec<Value> = (0..70)
                .map(|n| {
                    let n = trace.number(n as f32);
                    trace.binary(BinaryOp::Add, args[0], n)
                })
                .collect();
            let products: Vec<Value> =
                parts.iter().map(|&part| trace.binary(BinaryOp::Mul, part, args[0])).collect();
            let last = parts[0];
            parts
                .iter()
                .chain(&products)
                .rev()
                .fold(last, |sum, &x| trace.binary(BinaryOp::Sub, sum, x))
        });
        let want: Vec<f32> = x
            .iter()
            .map(|&x| {
                let parts: Vec<f32> = (0..70).map(|n| x + n as f32).collect();
                let products: Vec<f32> = parts.iter().map(|part| part * x).collect();
                parts.iter().chain(&products).rev().fold(parts[0], |sum, x| sum - x)
            })
            .collect();
        assert_same("sums", &x, &got, &want);
    }
}

#[test]
fn loops_support_row_operands_masks_and_results_in_place() {
    for runner in Runner::all() {
        const ROWS: usize = 3;
        const LANES: usize = 37;
        let mut x = numbers(ROWS * 40);
        let before = x.clone();
        let flags: Vec<i32> = (0..ROWS * LANES).map(|n| (n % 3 == 0) as i32).collect();
        let each = [10.0f32, 20.0, 30.0];
        let mut signs = vec![9i32; ROWS * LANES + 1];
        let mut trace = Trace::new(runner.level());
        let a = trace.operand(OperandKind::Lanes);
        let flag = trace.operand(OperandKind::Lanes);
        let row = trace.operand(OperandKind::Row);
        let mask = trace.mask(flag);
        let sum = trace.binary(BinaryOp::Add, a, row);
        let value = trace.select(mask, sum, a);
        let zero = trace.number(0.0);
        let is_below = trace.compare(Compare::Lt, value, zero);
        let is_below = trace.flag(is_below);
        let [own, other] = [trace.result(), trace.result()];
        let outputs = [
            Output { value, operand: own, is_late: true, is_streamed: true },
            Output { value: is_below, operand: other, is_late: false, is_streamed: false },
        ];
        let code =
            MachineCode::new(&trace, &outputs, &[]).expect("the system allows executable memory");
        assert!(code.can_stream() && code.alignment() >= 32);
        let at = |ptr: *mut u8, rows: usize| interp::Operand { ptr, rows: rows as isize };
        let own = x.as_mut_ptr().cast::<u8>();
        let mut table = [
            at(own, 160),
            at(flags.as_ptr().cast_mut().cast(), 4 * LANES),
            at(each.as_ptr().cast_mut().cast(), 4),
            at(own, 160),
            at(signs.as_mut_ptr().cast(), 4 * LANES),
        ];
        // SAFETY: operands have these rows and lanes; a result that overlaps an operand is late.
        unsafe { runner.run(&code, ROWS, LANES, &mut table, false) };
        assert_eq!(signs.pop(), Some(9));
        for n in 0..ROWS {
            for i in 0..40 {
                let old = before[n * 40 + i];
                let is_set = i < LANES && flags[n * LANES + i] != 0;
                let want = if is_set { old + each[n] } else { old };
                assert_same("in place", &[old], &[x[n * 40 + i]], &[want]);
                if i < LANES {
                    assert_eq!(signs[n * LANES + i], (want < 0.0) as i32, "{want}");
                }
            }
        }
    }
}

/// Whole vectors are written with streaming stores.
#[test]
fn streaming_stores_write_the_same_values() {
    for runner in Runner::all() {
        #[repr(align(64))]
        struct Line([f32; 100]);
        let x = numbers(100);
        let mut y = Line([7.0; 100]);
        let mut trace = Trace::new(runner.level());
        let a = trace.operand(OperandKind::Lanes);
        let value = trace.binary(BinaryOp::Add, a, a);
        let operand = trace.result();
        let output = Output { value, operand, is_late: false, is_streamed: true };
        let code =
            MachineCode::new(&trace, &[output], &[]).expect("the system allows executable memory");
        let mut table = [
            interp::Operand { ptr: x.as_ptr().cast_mut().cast(), rows: 0 },
            interp::Operand { ptr: y.0.as_mut_ptr().cast(), rows: 0 },
        ];
        // SAFETY: operands have these lanes, and the streamed result is aligned.
        unsafe { runner.run(&code, 1, 99, &mut table, true) };
        let want: Vec<f32> = x[..99].iter().map(|x| x + x).collect();
        assert_same("twice", &x, &y.0, &want);
        assert_eq!(y.0[99], 7.0);
    }
}

/// Reductions of rows of any length equal lane-by-lane reductions to running results, as the tile
/// functions do them; NaN propagates.
#[test]
fn reductions_of_lanes_equal_tile_functions() {
    for runner in Runner::wide() {
        check_lane_reductions(runner);
    }
}

fn check_lane_reductions(runner: Runner) {
    const ROWS: usize = 3;
    type Plain = fn(f32, f32) -> f32;
    let forms: [(BinaryOp, f32, Plain); 3] = [
        (BinaryOp::Add, 0.0, |a, b| a + b),
        (BinaryOp::Max, f32::NEG_INFINITY, |a, b| if a.is_nan() | (a > b) { a } else { b }),
        (BinaryOp::Min, f32::INFINITY, |a, b| if a.is_nan() | (a < b) { a } else { b }),
    ];
    for lanes in [0, 1, 15, 16, 17, 48, 63, 64, 65, 127, 128, 200, 333] {
        let mut x = numbers(ROWS * lanes);
        // Makes the first row finite.
        x.iter_mut().take(lanes).filter(|x| x.abs() > 100.0 || x.is_nan()).for_each(|x| *x = 1.5);
        let mut trace = Trace::new(Level::Avx512);
        let a = trace.operand(OperandKind::Lanes);
        let product = trace.binary(BinaryOp::Mul, a, a);
        let twice = trace.binary(BinaryOp::Add, a, a);
        let folds = forms.map(|(by, neutral, _)| {
            // Reduces an operand, and a computed value.
            let value = if by == BinaryOp::Min { a } else { product };
            Fold { value, operand: trace.running(), by, neutral: neutral.to_bits() }
        });
        let operand = trace.result();
        let output = Output { value: twice, operand, is_late: false, is_streamed: false };
        let code = MachineCode::new(&trace, &[output], &folds)
            .expect("the system allows executable memory");
        let mut running = vec![[[7.0f32; interp::RUNNING]; ROWS]; 3];
        let mut doubled = vec![0.0f32; ROWS * lanes];
        let at = |ptr: *mut f32, rows: usize| interp::Operand::of_rows(ptr, rows);
        let mut table = vec![at(x.as_mut_ptr(), lanes)];
        table.extend(running.iter_mut().map(|r| at(r.as_mut_ptr().cast(), interp::RUNNING)));
        table.push(at(doubled.as_mut_ptr(), lanes));
        // SAFETY: operands have these rows and lanes; a result that overlaps an operand is late.
        unsafe { runner.run(&code, ROWS, lanes, &mut table, false) };
        for ((by, neutral, plain), running) in forms.iter().zip(&running) {
            for (row, running) in x.chunks(lanes.max(1)).zip(running) {
                let mut want = [*neutral; interp::RUNNING];
                for (i, &x) in row.iter().enumerate() {
                    let x = if *by == BinaryOp::Min { x } else { x * x };
                    want[i % interp::RUNNING] = plain(want[i % interp::RUNNING], x);
                }
                assert_same(&format!("{by:?} of {lanes}"), &want, running, &want);
            }
        }
        let want: Vec<f32> = x.iter().map(|x| x + x).collect();
        assert_same("twice", &x, &doubled, &want);
    }
}

/// Division by a per-row number through its reciprocal equals the division of single steps.
#[test]
fn rows_are_divided_by_reciprocals() {
    for runner in Runner::wide() {
        check_division_by_reciprocals(runner);
    }
}

fn check_division_by_reciprocals(runner: Runner) {
    const LANES: usize = 333;
    let x = numbers(LANES);
    let divisors = [3.0f32, -0.7, 1.25e-20];
    for operand in [OperandKind::Row, OperandKind::Same] {
        let mut trace = Trace::with_reciprocals(Level::Avx512);
        let (a, by) = (trace.operand(OperandKind::Lanes), trace.operand(operand));
        let value = trace.divide(a, by);
        assert_eq!(trace.divisors, [1]);
        let result = trace.result();
        let output = Output { value, operand: result, is_late: false, is_streamed: false };
        let code =
            MachineCode::new(&trace, &[output], &[]).expect("the system allows executable memory");
        let mut got = vec![0.0f32; LANES * divisors.len()];
        let mut table = [
            interp::Operand::of_rows(x.as_ptr().cast_mut(), 0),
            interp::Operand::of_rows(divisors.as_ptr().cast_mut(), 1),
            interp::Operand::of_rows(got.as_mut_ptr(), LANES),
        ];
        // SAFETY: operands have these rows and lanes; a result that overlaps an operand is late.
        unsafe { runner.run(&code, divisors.len(), LANES, &mut table, false) };
        for (n, got) in got.chunks(LANES).enumerate() {
            let by = if operand == OperandKind::Row { divisors[n] } else { divisors[0] };
            let want: Vec<f32> = x.iter().map(|x| quotient(*x, by)).collect();
            assert_same(&format!("over {by:e}"), &x, got, &want);
            let is_plain = |x: &f32| *x == 0.0 || (1e-20..1e15).contains(&x.abs());
            for (i, x) in x.iter().enumerate().filter(|(_, x)| is_plain(x)) {
                assert_eq!(got[i].to_bits(), (x / by).to_bits(), "{x:e} over {by:e}");
            }
        }
    }
    fn quotient(x: f32, by: f32) -> f32 {
        let guess = x * (1.0 / by);
        let quotient = guess.mul_add(-by, x).mul_add(1.0 / by, guess);
        if quotient.is_nan() || quotient == 0.0 { guess } else { quotient }
    }
}
