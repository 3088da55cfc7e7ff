//! Random attention graphs: chained matrix products, and products with prologues, equal the same
//! products run one after the other, with the same bits on any number of threads.
#[path = "common/levels.rs"]
mod levels;

use brasa_compile::{Options, Program, Target, compile_with, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::softmax;
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Id, Recorder, Type};
use std::collections::HashMap;

/// A pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = (self.0 ^ (self.0 >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
        (self.0 >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

struct Case {
    wanted: Vec<Id>,
    values: HashMap<Id, Array>,
}

fn record(g: &Recorder, dice: &mut Dice) -> Case {
    let dtype = dice.of(&[DType::F32, DType::F32, DType::F64]);
    let (batch, heads) = (1 + dice.below(3), 1 + dice.below(3));
    let (m, t, d, e) =
        (1 + dice.below(150), 32 + dice.below(170), 1 + dice.below(40), 1 + dice.below(40));
    let mut values = HashMap::new();
    let mut input = |dice: &mut Dice, shape: &[usize], axes: &[usize]| {
        // Narrow operands are converted while they are packed.
        let stored = dice.of(&[dtype, dtype, DType::I8, DType::F16]);
        let x = g.input("x", Role::Data, Type::new(stored, shape));
        let numbers: Vec<i64> = (0..x.elements()).map(|_| dice.below(129) as i64 - 64).collect();
        let value = match stored.is_float() {
            true => Array::from_f64(&x.ty(), numbers.into_iter().map(|n| n as f64)),
            false => Array::from_i64(&x.ty(), numbers),
        };
        values.insert(x.id(), value);
        let x = x.cast(dtype) * 0.015625;
        x.permute(axes)
    };
    let q = input(dice, &[batch, m, heads, d], &[0, 2, 1, 3]);
    let k = input(dice, &[batch, t, heads, d], &[0, 2, 3, 1]);
    let v = input(dice, &[batch, heads, t, e], &[0, 1, 2, 3]);
    let up = input(dice, &[batch, heads, m, e], &[0, 1, 2, 3]);
    let mut scores = q.contract(k) * 0.5;
    if dice.below(2) == 0 {
        let shape = [batch, heads, m, t];
        let [i, j] = [(m, [m, 1]), (t, [1, t])]
            .map(|(len, line)| g.iota(len, DType::I64).reshape(&line).expand(&shape));
        scores = j.le(i).choose(scores, scores.like(f64::NEG_INFINITY));
    }
    let weights = softmax(g, scores, -1, None).expect("records");
    let y = weights.contract(v);
    let mut wanted = vec![if dice.below(2) == 0 { y } else { y.relu() + 1.0 }];
    if dice.below(3) == 0 {
        wanted.push(weights);
    }
    if dice.below(2) == 0 {
        let inputs = [q, k, v];
        let found = grad(g, &wanted[..1], &[Some(up)], &inputs).expect("differentiates");
        wanted.extend(found.into_iter().flatten());
    }
    Case { wanted: wanted.iter().map(|x| x.id()).collect(), values }
}

fn run(program: &Program, case: &Case, threads: usize) -> Vec<Array> {
    let mut buffers: Vec<Buffer> =
        program.inputs.iter().map(|input| Buffer::from(&case.values[&input.node])).collect();
    let mut executable = Executable::new(program.clone());
    executable.run(&Pool::new(threads), &mut buffers, &[]).expect("runs");
    (0..case.wanted.len()).map(|n| executable.output(&buffers, n)).collect()
}

#[test]
fn chained_products_equal_single_products() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut chains, mut works) = (0, 0);
    for seed in 0..cases {
        let mut dice = Dice(seed * 77 + 1);
        let g = Recorder::default();
        let case = record(&g, &mut dice);
        let compiled = |options: &Options| {
            g.read(|graph| compile_with(graph, &case.wanted, options)).expect("compiles")
        };
        let single = Options::new(Target {
            chains_products: false,
            packs_prologues: false,
            reduces_products: false,
            ..Target::default()
        });
        let program = compiled(&Options::default());
        let bytes = program.to_bytes().expect("serializes");
        assert_eq!(Program::from_bytes(&bytes).expect("is valid"), program);
        for work in program.launches.iter().flat_map(|launch| launch.kernel.prologues()) {
            let is_chain = !work.body.operands().is_empty();
            *if is_chain { &mut chains } else { &mut works } += 1;
        }
        let want = run(&compiled(&single), &case, 1);
        let got = run(&program, &case, 1);
        for (n, (got, want)) in got.iter().zip(&want).enumerate() {
            for i in 0..want.len() {
                let (got, want) = (got.f64(i), want.f64(i));
                let is_near = (got - want).abs() <= 2e-5 * (1.0 + want.abs());
                assert!(
                    is_near,
                    "seed {seed}, output {n}, element {i}: {got}, not {want}\n{program}"
                );
            }
        }
        for threads in [2, 3] {
            let bits = |list: &[Array]| list.iter().map(Array::to_bytes).collect::<Vec<_>>();
            let others = run(&program, &case, threads);
            assert!(
                bits(&others) == bits(&got),
                "seed {seed}: {threads} threads differ\n{program}"
            );
        }
    }
    assert!(chains > cases / 4 && works > cases / 8, "{chains} chains, {works} works");
}

#[test]
fn chained_products_equal_single_products_at_all_levels() {
    levels::run_again(&["chained_products_equal_single_products"], 12);
}
