//! Data and initial weights from a counter-based hash. All benchmarked libraries use the same, so
//! that losses can be compared.
use brasa_cpu::Buffer;

/// SplitMix64 of `seed` and a counter from 1.
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

/// The initialization of a parameter.
#[derive(Clone, Copy)]
pub enum Init {
    Ones,
    Zeros,
    Uniform(f32),
}

impl Init {
    /// The values of the `n`-th parameter of a model.
    pub fn of_param(self, n: usize) -> Values {
        match self {
            Init::Ones => Values::Ones,
            Init::Zeros => Values::Zeros,
            Init::Uniform(bound) => Values::Uniform { seed: 1000 + n as u64, bound },
        }
    }
}

/// The values of an input, generated on demand.
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
    /// A buffer of `len` values, written directly: a copy would count as memory of the workload.
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
    for (slot, element) in buffer.bytes_mut().chunks_exact_mut(N).zip(elements) {
        slot.copy_from_slice(&element);
    }
    buffer
}
