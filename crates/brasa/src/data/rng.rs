//! A small random number generator for data: shuffling, augmentation, synthetic examples. Tensors
//! use a separate generator.

/// A random number generator with the same output on all platforms (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// An independent generator for one of several purposes, derived from one seed.
    pub fn fork(seed: u64, purpose: u64) -> Rng {
        let mut mixed = Rng(seed);
        Rng(mixed.next().wrapping_add(purpose.wrapping_mul(0xd1b5_4a32_d192_ed03)))
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number in `0..end`; 0 if the range is empty.
    pub fn below(&mut self, end: usize) -> usize {
        // The high half of the product: the bias is below `end` in 2⁶⁴.
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A number in `from..to`.
    pub fn uniform(&mut self, from: f32, to: f32) -> f32 {
        let part = (self.next() >> 40) as f32 / (1u64 << 24) as f32;
        from + (to - from) * part
    }

    /// A draw from the standard normal distribution.
    pub fn normal(&mut self) -> f32 {
        // Box-Muller transform; the logarithm's argument is never zero.
        let radius = (-2.0 * (1.0 - self.uniform(0.0, 1.0)).ln()).sqrt();
        radius * self.uniform(0.0, std::f32::consts::TAU).cos()
    }

    /// A random element of a list, which must not be empty.
    pub fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_expected_distribution() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 5];
        (0..10_000).for_each(|_| counts[rng.below(5)] += 1);
        assert!(counts.iter().all(|&count| (1850..2150).contains(&count)), "{counts:?}");
        let normal: Vec<f32> = (0..10_000).map(|_| rng.normal()).collect();
        let mean = normal.iter().sum::<f32>() / 1e4;
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 1e4;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        let mut order: Vec<usize> = (0..100).collect();
        rng.shuffle(&mut order);
        assert!(!order.is_sorted());
        order.sort();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
        assert_eq!(rng.below(0), 0);
    }
}
