//! Data and initial weights from a counter hash, the same for every program of the benchmark, so
//! that losses can be compared.

/// SplitMix64 of `seed` and the numbers from 1 on.
fn hash(seed: u64, n: usize) -> impl Iterator<Item = u64> {
    let start = seed.wrapping_mul(0xD134_2543_DE82_EF95);
    (1..=n as u64).map(move |i| {
        let z = start.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// Floats in `−bound .. bound`.
pub fn uniform(seed: u64, n: usize, bound: f32) -> Vec<f32> {
    let unit = |z: u64| (z >> 40) as f32 * (1.0 / 16_777_216.0) * 2.0 - 1.0;
    hash(seed, n).map(|z| unit(z) * bound).collect()
}

/// Integers in `0 .. below`.
pub fn integers(seed: u64, n: usize, below: u64) -> Vec<i64> {
    hash(seed, n).map(|z| (z % below) as i64).collect()
}

/// How a parameter begins.
#[derive(Clone, Copy)]
pub enum Start {
    Ones,
    Zeros,
    Uniform(f32),
}

/// The initial values of the `n`-th parameter of a model.
pub fn initial(n: usize, elements: usize, start: Start) -> Vec<f32> {
    match start {
        Start::Ones => vec![1.0; elements],
        Start::Zeros => vec![0.0; elements],
        Start::Uniform(bound) => uniform(1000 + n as u64, elements, bound),
    }
}
