//! A spiral with several arms: two-dimensional points of classes that are not linearly separable.
use super::{Rng, TensorDataset};
use crate::{Result, Tensor};

/// Points `[n, 2]` on the arms of a spiral, with a little noise, and the arm of each.
pub fn spiral(points: usize, arms: usize, seed: u64) -> Result<TensorDataset> {
    let mut rng = Rng::new(seed);
    let (mut x, mut y) = (Vec::with_capacity(2 * points), Vec::with_capacity(points));
    for n in 0..points {
        let arm = n % arms.max(1);
        let radius = rng.uniform(0.05, 1.0);
        let turn = arm as f32 / arms as f32 * std::f32::consts::TAU;
        let angle = turn + 4.0 * radius + 0.12 * rng.normal();
        x.extend([radius * angle.cos(), radius * angle.sin()]);
        y.push(arm as i64);
    }
    TensorDataset::new([Tensor::from_vec(x, [points, 2]), Tensor::from_vec(y, points)])
}
