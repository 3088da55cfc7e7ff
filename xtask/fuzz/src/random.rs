//! A small seeded random number generator with helpers for choices.

/// Lengths around multiples of vectors, tiles, blocks and workgroups.
pub const LENGTHS: [usize; 31] = [
    1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511,
    512, 513, 1000, 4095, 4097, 65535, 65536, 65537,
];

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x9E37_79B9_7F4A_7C15)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; zero if `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A number from `low` to `high`, inclusive.
    pub fn within(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A length of at most `most`, usually one of `LENGTHS`.
    pub fn length(&mut self, most: usize) -> usize {
        let fits = LENGTHS.iter().filter(|&&len| len <= most.max(1)).count();
        match self.below(8) {
            0 => self.within(1, most.clamp(1, 70)),
            _ => LENGTHS[self.below(fits)],
        }
    }

    /// A shape of this rank with at most `most` elements.
    pub fn shape(&mut self, rank: usize, most: usize) -> Vec<usize> {
        let mut shape = vec![1; rank];
        let mut order: Vec<usize> = (0..rank).collect();
        order.rotate_left(self.below(rank.max(1)));
        let mut left = most;
        for axis in order {
            shape[axis] = self.length(left);
            left /= shape[axis];
        }
        shape
    }

    /// A number of elements up to 300,000, log-distributed.
    pub fn elements(&mut self) -> usize {
        let high = self.below(300_000) as f64;
        let exponent = self.below(1000) as f64 / 1000.0;
        (high.max(64.0).powf(exponent)) as usize + 32
    }
}
