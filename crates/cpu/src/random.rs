//! Random bits of many elements at once: the op table's Threefry generator, vectorized over
//! sixteen blocks.
use crate::level::vectorized;
use brasa_ir::ops::threefry;

/// Blocks computed per iteration, one per SIMD lane.
const BLOCKS: usize = 16;

/// Writes the random bits of elements `start ..`, zero-extended to `i64` as registers hold a
/// `u32`.
pub(crate) fn bits(key: [u32; 2], start: u64, to: &mut [i64]) {
    let (lead, to) = to.split_at_mut(to.len().min((start % 2) as usize));
    if let [first] = lead {
        *first = one(key, start);
    }
    let start = start + lead.len() as u64;
    let (groups, rest) = to.as_chunks_mut::<{ 2 * BLOCKS }>();
    blocks(key, start / 2, groups);
    let done = start + (groups.len() * 2 * BLOCKS) as u64;
    for (i, to) in rest.iter_mut().enumerate() {
        *to = one(key, done + i as u64);
    }
}

fn one(key: [u32; 2], element: u64) -> i64 {
    let block = element / 2;
    threefry(key, [block as u32, (block >> 32) as u32])[(element % 2) as usize].into()
}

vectorized! {
    /// Writes whole groups of blocks, from block number `first` on.
    fn blocks<>(key: [u32; 2], first: u64, to: &mut [[i64; 2 * BLOCKS]]) {
        const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
        let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
        for (n, to) in to.iter_mut().enumerate() {
            let block = |lane: usize| first + (n * BLOCKS + lane) as u64;
            let mut x: [u32; BLOCKS] =
                std::array::from_fn(|lane| (block(lane) as u32).wrapping_add(keys[0]));
            let mut y: [u32; BLOCKS] =
                std::array::from_fn(|lane| ((block(lane) >> 32) as u32).wrapping_add(keys[1]));
            for round in 0..5 {
                for rotation in ROTATIONS[round % 2] {
                    for lane in 0..BLOCKS {
                        x[lane] = x[lane].wrapping_add(y[lane]);
                        y[lane] = y[lane].rotate_left(rotation) ^ x[lane];
                    }
                }
                let n = round + 1;
                let (to_x, to_y) = (keys[n % 3], keys[(n + 1) % 3].wrapping_add(n as u32));
                for lane in 0..BLOCKS {
                    x[lane] = x[lane].wrapping_add(to_x);
                    y[lane] = y[lane].wrapping_add(to_y);
                }
            }
            for lane in 0..BLOCKS {
                to[2 * lane] = x[lane].into();
                to[2 * lane + 1] = y[lane].into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectorized_bits_equal_single_elements() {
        let key = [0x1319_8a2e, 7];
        for start in [0, 1, 6, (1 << 33) - 21, (1 << 33) - 20] {
            for len in [0, 1, 2, 31, 33, 200] {
                let mut got = vec![0; len];
                bits(key, start, &mut got);
                let want: Vec<i64> = (0..len as u64).map(|i| one(key, start + i)).collect();
                assert_eq!(got, want, "{len} from {start}");
            }
        }
    }
}
