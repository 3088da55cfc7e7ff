//! Seeds: each random op takes the next one of a sequence, so that a run can be repeated and
//! resumed regardless of what was read in between.
use crate::Device;
use crate::storage::{Data, lock};
use brasa_ir::ops::threefry;
use brasa_ir::{DType, Type};
use std::sync::{Arc, Mutex};

/// The state of the random generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RngState {
    /// The argument of the last [`manual_seed`].
    pub seed: u64,
    /// Number of random ops since.
    pub draws: u64,
}

static STATE: Mutex<RngState> = Mutex::new(RngState { seed: 0, draws: 0 });

/// Seeds all random ops that follow: same program, same numbers.
///
/// ```
/// use brasa::{Tensor, manual_seed};
/// # fn main() -> brasa::Result<()> {
/// manual_seed(7);
/// let a = Tensor::randn([3]).to_vec::<f32>()?;
/// manual_seed(7);
/// assert_eq!(a, Tensor::randn([3]).to_vec::<f32>()?);
/// # Ok(())
/// # }
/// ```
pub fn manual_seed(seed: u64) {
    set_rng_state(RngState { seed, draws: 0 });
}

/// The state of the generator, for [`set_rng_state`].
pub fn rng_state() -> RngState {
    *lock(&STATE)
}

/// Continues from a state.
pub fn set_rng_state(state: RngState) {
    *lock(&STATE) = state;
}

/// The seed of the next random op.
pub(crate) fn next_number() -> u32 {
    let mut state = lock(&STATE);
    let RngState { seed, draws } = *state;
    state.draws = draws.wrapping_add(1);
    let key = [seed as u32, (seed >> 32) as u32];
    threefry(key, [draws as u32, (draws >> 32) as u32])[0]
}

/// `count` draws from the standard normal distribution, made on the host.
#[cfg(not(brasa_page))]
pub(crate) fn normals(count: usize) -> Vec<f64> {
    let key = [next_number(), 0];
    let draw = |n: u64| {
        let drawn = threefry(key, [n as u32, (n >> 32) as u32]);
        let [radius, angle] = drawn.map(|bits| (bits as f64 + 0.5) / (1u64 << 32) as f64);
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    };
    (0..count as u64).map(draw).collect()
}

pub(crate) fn next_seed(device: Device) -> Arc<Data> {
    Data::from_bytes(device, Type::new(DType::U32, []), &next_number().to_le_bytes())
}
