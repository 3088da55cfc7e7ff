//! Data and initial weights from a counter hash, the same for every program of the benchmark, so
//! that losses can be compared.
use brasa_cpu::Buffer;

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

impl Start {
    /// The values of the `n`-th parameter of a model.
    pub fn of_param(self, n: usize) -> Values {
        match self {
            Start::Ones => Values::Ones,
            Start::Zeros => Values::Zeros,
            Start::Uniform(bound) => Values::Uniform { seed: 1000 + n as u64, bound },
        }
    }
}

/// What an input is fed with, made when it is asked for.
pub enum Values {
    Zeros,
    Ones,
    /// Floats in `−bound .. bound`.
    Uniform {
        seed: u64,
        bound: f32,
    },
    Integers(Vec<i64>),
}

impl Values {
    /// The bytes of `len` of them, straight into their place: copies would count as memory of the
    /// workload.
    pub fn buffer(&self, len: usize) -> Buffer {
        match self {
            Values::Zeros => Buffer::new(4 * len),
            Values::Ones => filled(len, std::iter::repeat_n(1f32.to_ne_bytes(), len)),
            Values::Uniform { seed, bound } => {
                let unit = |z: u64| (z >> 40) as f32 * (1.0 / 16_777_216.0) * 2.0 - 1.0;
                filled(len, hash(*seed, len).map(|z| (unit(z) * bound).to_ne_bytes()))
            }
            Values::Integers(values) => filled(len, values.iter().map(|n| n.to_ne_bytes())),
        }
    }
}

fn filled<const N: usize>(len: usize, elements: impl Iterator<Item = [u8; N]>) -> Buffer {
    let mut buffer = Buffer::new(N * len);
    for (place, element) in buffer.bytes_mut().chunks_exact_mut(N).zip(elements) {
        place.copy_from_slice(&element);
    }
    buffer
}
