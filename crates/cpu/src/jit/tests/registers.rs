//! Register allocation: values that are hoisted out of loops or spilled to the stack are not
//! confused.
use super::*;

/// Hoisted quotients of per-row numbers are recomputed for each row, whichever operand is per row.
#[test]
fn hoisted_quotients_are_recomputed_per_row() {
    const ROWS: usize = 3;
    for runner in Runner::all() {
        for (lanes, which) in [1, 16, 33, 200].into_iter().flat_map(|n| [(n, 0), (n, 1), (n, 2)]) {
            let (x, each) = (numbers(ROWS * lanes), [10.0f32, -20.0, 35.0]);
            let mut trace = Trace::new(runner.level());
            let a = trace.operand(OperandKind::Lanes);
            let row = trace.operand(OperandKind::Row);
            let same = trace.operand(OperandKind::Same);
            let number = trace.number(7.0);
            let quotient = match which {
                0 => trace.binary(BinaryOp::Div, row, number),
                1 => trace.binary(BinaryOp::Div, row, same),
                _ => trace.binary(BinaryOp::Div, same, row),
            };
            let value = trace.binary(BinaryOp::Add, a, quotient);
            let operand = trace.result();
            let output = Output { value, operand, is_late: false, is_streamed: false };
            let code = MachineCode::new(&trace, &[output], &[])
                .expect("the system allows executable memory");
            let mut got = vec![0.0f32; ROWS * lanes];
            let mut table = [
                interp::Operand::of_rows(x.as_ptr().cast_mut(), lanes),
                interp::Operand::of_rows(each.as_ptr().cast_mut(), 1),
                interp::Operand::of_rows((&raw const each[2]).cast_mut(), 0),
                interp::Operand::of_rows(got.as_mut_ptr(), lanes),
            ];
            // SAFETY: operands have these rows and lanes.
            unsafe { runner.run(&code, ROWS, lanes, &mut table, false) };
            for (n, (x, got)) in x.chunks(lanes).zip(got.chunks(lanes)).enumerate() {
                let quotient = [each[n] / 7.0, each[n] / each[2], each[2] / each[n]][which];
                let want: Vec<f32> = x.iter().map(|x| x + quotient).collect();
                assert_same(&format!("{runner:?}, {which} of {lanes}, row {n}"), x, got, &want);
            }
        }
    }
}

/// The last read of an operand from the stack happens before its slot is reused by a spill.
#[test]
fn stack_operands_are_read_before_their_slots_are_reused() {
    for runner in Runner::all() {
        let x = numbers(100);
        let got = run(runner, &[&x], |trace, args| {
            let part = |trace: &mut Trace, n: usize| {
                let n = trace.number(n as f32);
                trace.binary(BinaryOp::Mul, args[0], n)
            };
            let parts: Vec<Value> = (1..60).map(|n| part(trace, n)).collect();
            let twice = part(trace, 2);
            let all: Vec<Value> =
                parts.iter().map(|&part| trace.binary(BinaryOp::Sub, twice, part)).collect();
            all.iter().rev().fold(twice, |sum, &x| trace.binary(BinaryOp::Sub, sum, x))
        });
        let want: Vec<f32> = x
            .iter()
            .map(|x| {
                let twice = x * 2.0;
                (1..60).rev().fold(twice, |sum, n| sum - (twice - x * n as f32))
            })
            .collect();
        assert_same("differences", &x, &got, &want);
    }
}

/// A spilled value is both factor and addend.
#[test]
fn a_fused_multiply_add_may_read_one_stack_slot_twice() {
    for runner in Runner::all() {
        let x = numbers(100);
        let got = run(runner, &[&x], |trace, args| {
            let parts: Vec<Value> = (1..60)
                .map(|n| {
                    let n = trace.number(n as f32);
                    trace.binary(BinaryOp::Add, args[0], n)
                })
                .collect();
            // The first values are spilled by now.
            let all: Vec<Value> =
                parts.iter().map(|&part| trace.fused(Fused::Add, args[0], part, part)).collect();
            all.iter().fold(args[0], |sum, &x| trace.binary(BinaryOp::Add, sum, x))
        });
        let want: Vec<f32> = x
            .iter()
            .map(|&x| {
                let parts = (1..60).map(|n| x + n as f32);
                parts.fold(x, |sum, part| sum + x.mul_add(part, part))
            })
            .collect();
        assert_same("fused", &x, &got, &want);
    }
}

/// A trace with a late result that is computed first, so many values that operands are evicted, and
/// a reduction where the level has them.
fn late_trace(level: Level) -> (Trace, [Output; 3], Vec<Fold>) {
    let mut trace = Trace::new(level);
    let first = trace.operand(OperandKind::Lanes);
    let late = trace.binary(BinaryOp::Add, first, first);
    let second = trace.operand(OperandKind::Lanes);
    let early = trace.binary(BinaryOp::Add, second, first);
    let parts: Vec<Value> = (1..60)
        .map(|n| {
            let n = trace.number(n as f32);
            trace.binary(BinaryOp::Mul, early, n)
        })
        .collect();
    let sum = parts.iter().rev().fold(early, |sum, &x| trace.binary(BinaryOp::Sub, sum, x));
    let output = |value, operand, is_late| Output { value, operand, is_late, is_streamed: false };
    let outputs = [
        output(late, trace.result(), true),
        output(second, trace.result(), false),
        output(sum, trace.result(), false),
    ];
    let mut folds = Vec::new();
    if trace.is_wide() {
        folds.push(Fold {
            value: second,
            operand: trace.running(),
            by: BinaryOp::AddInt,
            neutral: 0,
        });
    }
    (trace, outputs, folds)
}

/// A late result may overwrite an operand, even if this operand is read last because its register
/// was evicted.
#[test]
fn late_results_are_written_after_operands_are_reloaded() {
    for runner in Runner::all() {
        let (y, mut x) = (numbers(100), numbers(107)[7..].to_vec());
        let before = x.clone();
        let (trace, outputs, folds) = late_trace(runner.level());
        let code = MachineCode::new(&trace, &outputs, &folds)
            .expect("the system allows executable memory");
        let (mut copy, mut sums) = (vec![0.0f32; 100], vec![0.0f32; 100]);
        let mut running = [7u32; interp::RUNNING];
        let overwritten = x.as_mut_ptr();
        let mut table = [
            interp::Operand::of_rows(y.as_ptr().cast_mut(), 0),
            interp::Operand::of_rows(overwritten, 0),
            interp::Operand::of_rows(overwritten, 0),
            interp::Operand::of_rows(copy.as_mut_ptr(), 0),
            interp::Operand::of_rows(sums.as_mut_ptr(), 0),
            interp::Operand::of_rows(running.as_mut_ptr(), 0),
        ];
        // SAFETY: operands have these lanes; the result that overlaps an operand is late.
        unsafe { runner.run(&code, 1, 100, &mut table, false) };
        let twice: Vec<f32> = y.iter().map(|y| y + y).collect();
        assert_same("late", &y, &x, &twice);
        assert_same("copy", &before, &copy, &before);
        if trace.is_wide() {
            let mut want = [0u32; interp::RUNNING];
            for (i, x) in before.iter().enumerate() {
                let to = &mut want[i % interp::RUNNING];
                *to = to.wrapping_add(x.to_bits());
            }
            assert_eq!(running, want);
        }
    }
}

/// Operands of a hoisted quotient release their registers: hoisted numbers use all remaining ones.
#[test]
fn operands_of_hoisted_quotients_release_their_registers() {
    for runner in Runner::all() {
        let (x, one, other) = (numbers(100), [1.5f32], [-0.25f32]);
        let got = run(runner, &[&x, &one, &other], |trace, args| {
            let [x, one, other] = [args[0], args[1], args[2]];
            let sums = [trace.binary(BinaryOp::Add, x, one), trace.binary(BinaryOp::Add, x, other)];
            let quotient = trace.binary(BinaryOp::Div, one, other);
            let numbers: Vec<Value> = (1..40).map(|n| trace.number(n as f32)).collect();
            let live: Vec<Value> =
                numbers[..6].iter().map(|&n| trace.fused(Fused::Add, x, quotient, n)).collect();
            let mut sum = trace.binary(BinaryOp::Sub, sums[0], sums[1]);
            for &n in &numbers {
                sum = trace.binary(BinaryOp::Add, sum, n);
                sum = trace.binary(BinaryOp::Mul, sum, n);
                sum = trace.binary(BinaryOp::Div, sum, n);
            }
            sum = live.iter().fold(sum, |sum, &x| trace.binary(BinaryOp::Sub, sum, x));
            trace.fused(Fused::Add, x, quotient, sum)
        });
        let quotient = one[0] / other[0];
        let want: Vec<f32> = x
            .iter()
            .map(|&x| {
                let sum = (x + one[0]) - (x + other[0]);
                let sum = (1..40).map(|n| n as f32).fold(sum, |sum, n| (sum + n) * n / n);
                let live = (1..7).map(|n| x.mul_add(quotient, n as f32));
                x.mul_add(quotient, live.fold(sum, |sum, x| sum - x))
            })
            .collect();
        assert_same("sums", &x, &got, &want);
    }
}
