//! Statistics of random ops on the reference device. Tolerances are at least five standard errors,
//! and the seeds are fixed.
use brasa_ir::ops::Role;
use brasa_ir::ops::compose::*;
use brasa_ir::{Array, DType, ErrorKind, Expr, Recorder, Result, Type, eval};
use std::collections::HashMap;

const N: usize = 20_000;

/// The value of `y`, with `seed` bound.
fn run(g: &Recorder, y: Expr, seed: i64) -> Vec<f64> {
    let scalar = Type::new(DType::U32, []);
    let seed = [(g.seed().id(), Array::from_i64(&scalar, [seed]))];
    let inputs = HashMap::from(seed);
    g.read(|graph| eval(graph, &inputs, &[y.id()])).expect("evaluates")[0].to_f64()
}

/// The elements of one draw with seed 7.
fn sample(draw: impl for<'g> FnOnce(&'g Recorder) -> Result<Expr<'g>>) -> Vec<f64> {
    let g = Recorder::default();
    let y = draw(&g).expect("records");
    run(&g, y, 7)
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn variance(x: &[f64]) -> f64 {
    let center = mean(x);
    mean(&x.iter().map(|x| (x - center).powi(2)).collect::<Vec<_>>())
}

fn assert_near(what: &str, got: f64, want: f64, limit: f64) {
    assert!((got - want).abs() <= limit, "{what}: {got}, expected {want} ± {limit}");
}

/// The relative frequency of each of `classes` indices.
fn frequencies(x: &[f64], classes: usize) -> Vec<f64> {
    let count = |class: usize| x.iter().filter(|&&x| x == class as f64).count();
    (0..classes).map(|class| count(class) as f64 / x.len() as f64).collect()
}

/// A tensor with these elements, made of constants.
fn tensor<'g>(g: &'g Recorder, elements: &[f64]) -> Expr<'g> {
    let n = elements.len();
    let at = |(i, &x): (usize, &f64)| g.constant(x, DType::F32, &[1]).pad(0, i, n - 1 - i, 0.0);
    elements.iter().enumerate().map(at).reduce(|sum, x| sum + x).expect("there are elements")
}

#[test]
fn draws_have_the_expected_means_and_variances() {
    type Draw = for<'g> fn(&'g Recorder) -> Result<Expr<'g>>;
    let rows: [(&str, Draw, f64, f64); 9] = [
        ("rand", |g| rand(g, [N].into(), None), 0.5, 1.0 / 12.0),
        ("rand f16", |g| rand(g, [N].into(), Some(DType::F16)), 0.5, 1.0 / 12.0),
        ("rand f64", |g| rand(g, [N].into(), Some(DType::F64)), 0.5, 1.0 / 12.0),
        ("randn", |g| randn(g, [N].into(), None), 0.0, 1.0),
        ("randn bf16", |g| randn(g, [N].into(), Some(DType::BF16)), 0.0, 1.0),
        ("uniform", |g| uniform(g, [N].into(), -3.0, 1.0, None), -1.0, 16.0 / 12.0),
        ("normal", |g| normal(g, 2.0.into(), Some(0.5.into()), Some([N].into()), None), 2.0, 0.25),
        ("exponential", |g| exponential(g, g.constant(0, DType::F32, &[N]), 2.0), 0.5, 0.25),
        // The variance of a normal variable within two deviations: 1 − 4φ(2) / (2Φ(2) − 1).
        ("truncated", |g| truncated_normal(g, [N].into(), 0.0, 1.0, -2.0, 2.0, None), 0.0, 0.7737),
    ];
    for (name, draw, center, spread) in rows {
        let x = sample(draw);
        let error = (spread / N as f64).sqrt();
        assert_near(&format!("mean of {name}"), mean(&x), center, 5.0 * error);
        assert_near(&format!("variance of {name}"), variance(&x), spread, 0.1 * spread);
    }
}

#[test]
fn uniform_numbers_fill_their_range_evenly() {
    let x = sample(|g| rand(g, [N].into(), None));
    assert!(x.iter().all(|x| (0.0..1.0).contains(x)));
    let tenths: Vec<f64> = x.iter().map(|x| (x * 10.0).floor()).collect();
    for share in frequencies(&tenths, 10) {
        assert_near("share of a tenth", share, 0.1, 0.011);
    }
    let half = sample(|g| rand(g, [N].into(), Some(DType::F16)));
    assert!(half.iter().all(|x| (0.0..1.0).contains(x)), "no rounding up to one");
}

#[test]
fn normal_numbers_have_normal_tails() {
    let x = sample(|g| randn(g, [N].into(), None));
    for (limit, share) in [(1.0, 0.6827), (2.0, 0.9545), (3.0, 0.9973)] {
        let inside = x.iter().filter(|x| x.abs() < limit).count() as f64 / N as f64;
        assert_near("share inside", inside, share, 0.017);
    }
    let cut = sample(|g| truncated_normal(g, [N].into(), 1.0, 2.0, 0.5, 1.5, None));
    assert!(cut.iter().all(|x| (0.5..=1.5).contains(x)));
}

#[test]
fn integers_are_in_range_and_evenly_distributed() {
    let x = sample(|g| randint(g, -2, 3, [N].into(), None));
    let shifted: Vec<f64> = x.iter().map(|x| x + 2.0).collect();
    for share in frequencies(&shifted, 5) {
        assert_near("share of an integer", share, 0.2, 0.015);
    }
    let bytes = sample(|g| randint(g, -100, 100, [N].into(), Some(DType::I8)));
    assert!(bytes.iter().all(|x| (-100.0..100.0).contains(x)));
    let g = Recorder::default();
    assert_eq!(
        randint(&g, 3, 3, [2].into(), None).expect_err("an empty range").kind(),
        ErrorKind::Argument
    );
}

#[test]
fn bernoulli_follows_its_probabilities() {
    let x = sample(|g| bernoulli(g, tensor(g, &[0.0, 0.3, 1.0]).expand(&[N, 3])));
    for (column, want) in [0.0, 0.3, 1.0].into_iter().enumerate() {
        let column: Vec<f64> = x.iter().skip(column).step_by(3).copied().collect();
        assert_near("rate", mean(&column), want, 0.017 * want.min(1.0 - want).sqrt());
    }
}

#[test]
fn permutations_contain_every_number_once() {
    let x = sample(|g| randperm(g, 1000, None));
    let mut sorted = x.clone();
    sorted.sort_by(f64::total_cmp);
    assert!(sorted.iter().enumerate().all(|(i, &x)| x == i as f64));
    assert_ne!(x, sorted);
    let still = x.iter().enumerate().filter(|&(i, &x)| x == i as f64).count();
    assert!(still < 8, "{still} numbers stayed");
}

#[test]
fn multinomial_follows_its_weights() {
    let weights = [1.0, 0.0, 3.0, 4.0];
    let again = sample(|g| multinomial(g, tensor(g, &weights), N, true));
    let first = sample(|g| multinomial(g, tensor(g, &weights).expand(&[N, 4]), 1, false));
    for x in [again, first] {
        for (got, weight) in frequencies(&x, 4).into_iter().zip(weights) {
            assert_near("frequency", got, weight / 8.0, 0.018 * weight.min(1.0));
        }
    }
}

#[test]
fn multinomial_without_replacement_repeats_nothing() {
    let x =
        sample(|g| multinomial(g, tensor(g, &[1.0, 2.0, 0.0, 5.0]).expand(&[500, 4]), 3, false));
    for row in x.chunks(3) {
        let mut row = row.to_vec();
        row.sort_by(f64::total_cmp);
        assert_eq!(row, [0.0, 1.0, 3.0], "the weightless class comes last");
    }
    // After class 3 (5 of 8) comes class 1 with probability 2 of 3.
    let after: Vec<f64> = x.chunks(3).filter(|row| row[0] == 3.0).map(|row| row[1]).collect();
    assert_near("second place", frequencies(&after, 2)[1], 2.0 / 3.0, 0.14);
}

#[test]
fn categories_follow_their_logits() {
    let x = sample(|g| categorical(g, tensor(g, &[0.0, 2f64.ln(), 5f64.ln()]).expand(&[N, 3])));
    for (got, weight) in frequencies(&x, 3).into_iter().zip([1.0, 2.0, 5.0]) {
        assert_near("frequency", got, weight / 8.0, 0.018);
    }
    let y = sample(|g| {
        let logits = tensor(g, &[0.0, 3f64.ln()]).expand(&[N, 2]);
        gumbel_softmax(g, logits, 0.5, true, -1)
    });
    assert!(y.chunks(2).all(|row| (row[0] + row[1] - 1.0).abs() < 1e-6 && row[0] * row[1] < 1e-6));
    let second: Vec<f64> = y.iter().skip(1).step_by(2).copied().collect();
    assert_near("rate of the second", mean(&second), 0.75, 0.016);
}

#[test]
fn dropout_keeps_the_expectation() {
    let ones = |g: &'_ Recorder| g.constant(1, DType::F32, &[N]).id();
    let x = sample(|g| dropout(g, g.expr(ones(g)), 0.3, true));
    assert!(x.iter().all(|&x| x == 0.0 || (x - 1.0 / 0.7).abs() < 1e-6));
    assert_near("mean", mean(&x), 1.0, 0.024);
    assert_eq!(sample(|g| dropout(g, g.expr(ones(g)), 1.0, true)), vec![0.0; N]);
    assert_eq!(sample(|g| dropout(g, g.expr(ones(g)), 0.3, false)), vec![1.0; N]);
    let normal = sample(|g| {
        let x = randn(g, [N].into(), None)?;
        alpha_dropout(g, x, 0.2, true)
    });
    assert_near("mean", mean(&normal), 0.0, 0.036);
    assert_near("variance", variance(&normal), 1.0, 0.1);
}

#[test]
fn channel_dropout_drops_whole_channels() {
    type Dropout = for<'g> fn(&'g Recorder, Expr<'g>, f64, bool) -> Result<Expr<'g>>;
    let rows: [(Dropout, &[usize], usize); 4] = [
        (feature_dropout, &[10, 20, 3, 5], 15),
        (dropout1d, &[10, 20, 15], 15),
        (dropout1d, &[200, 15], 15),
        (dropout3d, &[200, 1, 3, 5], 15),
    ];
    for (dropout, shape, len) in rows {
        let x = sample(|g| dropout(g, g.constant(1, DType::F32, shape), 0.5, true));
        assert!(x.chunks(len).all(|channel| channel.iter().all(|&x| x == channel[0])));
        assert_near("mean", mean(&x), 1.0, 0.36);
        assert_ne!(mean(&x), 0.0);
    }
}

#[test]
fn different_seeds_and_draws_give_different_numbers() {
    let g = Recorder::default();
    let (a, b) = (rand(&g, [8].into(), None), rand(&g, [8].into(), None));
    let (a, b) = (a.expect("records"), b.expect("records"));
    assert_eq!(run(&g, a, 1), run(&g, a, 1));
    assert_ne!(run(&g, a, 1), run(&g, a, 2));
    assert_ne!(run(&g, a, 1), run(&g, b, 1));
    let again = Recorder::default();
    let a_again = rand(&again, [8].into(), None).expect("records");
    assert_eq!(run(&g, a, 1), run(&again, a_again, 1));
}

#[test]
fn a_rejected_call_removes_its_seed() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [2]));
    let mean = g.constant(0, DType::F32, &[3]);
    let failed = g.scope("test", || {
        let y = rand_like(&g, x, None)?;
        normal(&g, mean.into(), Some(y.into()), None, None)
    });
    assert_eq!(failed.expect_err("shapes clash").kind(), ErrorKind::Shape);
    assert_eq!(g.read(|graph| graph.seed()), None);
    let y = rand_like(&g, x, None).expect("records");
    assert_eq!(g.read(|graph| graph.seed()), Some(g.seed().id()));
    assert_eq!(run(&g, y, 3).len(), 2);
}

#[test]
fn attention_dropout_preserves_the_mean() {
    let y = sample(|g| {
        let zeros = |len: usize| g.constant(0.0, DType::F32, &[len, 1]);
        let (query, key, value) = (zeros(2000), zeros(10), g.constant(1.0, DType::F32, &[10, 1]));
        scaled_dot_product_attention(g, query, key, value, None, 0.5, false, None, false)
    });
    // Each output is the mean of ten weights that are 0 or 2.
    assert_near("mean", mean(&y), 1.0, 0.04);
    assert_near("variance", variance(&y), 0.1, 0.02);
}

#[test]
fn normal_numbers_are_bounded() {
    // Uniform numbers may be zero; they are clamped to 1e-10 before their logarithm is taken.
    let g = Recorder::default();
    let y = randn(&g, [N].into(), None).expect("records");
    let text = g.read(|graph| brasa_ir::text::print(graph, &[y.id()]));
    assert!(text.contains("1e-10"), "{text}");
    let most = (-2.0 * 1e-10f64.ln()).sqrt();
    assert!(run(&g, y, 7).iter().all(|x| x.abs() <= most));
}
