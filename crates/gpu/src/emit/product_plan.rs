//! Chooses the algorithm for a product by a cost rule; [`contract`](super::contract) emits it.
use super::product::Product;
use super::row_partition::{BUSY_THREADS, MAX_ITERATIONS};
use super::scalar::Class;
use super::shader::DeviceTraits;
use super::threads::THREADS;

/// The algorithm of a product, and how its sums are split.
pub(crate) struct ProductPlan {
    pub(crate) algorithm: Algorithm,
    /// The number of parts that sums are split into, and their length.
    pub(crate) parts: usize,
    pub(crate) part: usize,
}

pub(crate) enum Algorithm {
    /// `lanes` threads for each element, `per_group` elements for each workgroup.
    Dots { lanes: usize, per_group: usize },
    /// `block_m × block_n` elements for each workgroup of 16 × 16 threads.
    Tiles { block_m: usize, block_n: usize },
    /// `lines` of one factor by `threads · vector` of the other, which are columns or rows.
    Blocks { lines: usize, vector: usize, threads: usize, is_by_columns: bool, subgroup: usize },
}

/// Tiles that occupy every core of a small GPU.
const ENOUGH_TILES: usize = 32;
/// From this length on, sums for few output elements are shared by many threads.
const LONG: usize = 512;
/// Minimum length of a part of a split sum on hardware; the second pass costs a dispatch.
const SHORTEST_PART: usize = 4096;
/// Workgroups that keep the cores of a software adapter busy.
const ENOUGH_BLOCKS: usize = 16;
/// Minimum subgroup size on a software adapter for sharing loads between lanes. Products of 128 ×
/// 784 × 512, with shared loads (16 × 4 elements per thread) and without (8 × 8): 22 and 9
/// GFLOP/s with subgroups of 8 (lavapipe), 3 and 4.4 with subgroups of 4 (SwiftShader).
pub(crate) const MIN_SUBGROUP: usize = 8;

impl ProductPlan {
    /// The cost rule: the loads per multiplication decide. Dots load two elements, tiles and
    /// blocks of `m × n` load `1/m + 1/n`, and lanes of a subgroup that share loads reduce one of
    /// these to an eighth. `most` is the available scratch in words.
    pub(crate) fn new(p: &Product, device: DeviceTraits, most: usize) -> ProductPlan {
        let DeviceTraits { is_software, subgroup } = device;
        let algorithm = match is_software {
            true => ProductPlan::software(p, subgroup),
            false => ProductPlan::hardware(p),
        };
        let groups = algorithm.groups(p);
        let wanted = match is_software {
            true => {
                let spare = (ENOUGH_BLOCKS / groups.max(1)).min(p.k / 2048);
                p.k.div_ceil(MAX_ITERATIONS).max(spare)
            }
            false if matches!(algorithm, Algorithm::Dots { .. }) => 1,
            false => (2 * ENOUGH_TILES / groups.max(1)).min(p.k / SHORTEST_PART),
        };
        let parts = wanted.min(most / p.outputs().max(1)).max(1);
        // Round up to whole slices of tiles.
        let part = p.k.max(1).div_ceil(parts).next_multiple_of(16);
        ProductPlan { algorithm, parts: p.k.div_ceil(part).max(1), part }
    }

    fn software(p: &Product, subgroup: usize) -> Algorithm {
        if p.outputs() < 16 {
            return ProductPlan::dots(p, THREADS);
        }
        let subgroup = if subgroup >= MIN_SUBGROUP { subgroup } else { 0 };
        // A value that lanes broadcast is loaded once per subgroup.
        let (max_lines, max_vector) = match (subgroup, p.class()) {
            (0, Class::Float) => (8, 8),
            (0, _) => (8, 4),
            _ => (16, 4),
        };
        // Per-lane values are loaded lane by lane, so prefer the layout that loads them less
        // often.
        let passes = |lines: usize| lines.div_ceil(max_lines);
        let loads = |lanes: usize, lines: usize| lanes.next_multiple_of(32) * passes(lines);
        // Columns that are loaded as vec4 are worth more than fewer loads.
        let is_by_columns = (subgroup > 0 && p.has_vec4()) || loads(p.n, p.m) <= loads(p.m, p.n);
        let (lanes, lines) = if is_by_columns { (p.n, p.m) } else { (p.m, p.n) };
        let lines = lines.div_ceil(passes(lines));
        let vector = lanes.div_ceil(8).next_power_of_two().min(max_vector);
        let threads =
            ProductPlan::threads(lanes.div_ceil(vector), subgroup.max(8), 256 / max_vector);
        Algorithm::Blocks { lines, vector, threads, is_by_columns, subgroup }
    }

    /// The workgroup size for `wanted` threads: as large as possible with at most a sixteenth of
    /// the threads idle.
    fn threads(wanted: usize, least: usize, most: usize) -> usize {
        let mut threads = most.max(least);
        while threads > least && wanted.next_multiple_of(threads) > wanted + wanted / 16 {
            threads /= 2;
        }
        threads.max(least)
    }

    fn hardware(p: &Product) -> Algorithm {
        let is_thin = p.m < 8 || p.n < 8 || p.k < 8;
        if is_thin || (p.outputs() < 256 && p.k >= LONG) {
            return ProductPlan::dots(p, 64);
        }
        let fitting = |len: usize| len.next_multiple_of(16).next_power_of_two().clamp(16, 64);
        let (mut block_m, mut block_n) = (fitting(p.m), fitting(p.n));
        let count = |m: usize, n: usize| p.batch * p.m.div_ceil(m) * p.n.div_ceil(n);
        // Long sums are split instead, which keeps tiles large.
        let enough = if p.k >= 2 * SHORTEST_PART { 1 } else { ENOUGH_TILES };
        while count(block_m, block_n) < enough && (block_m > 16 || block_n > 16) {
            if block_m >= block_n {
                block_m /= 2;
            } else {
                block_n /= 2;
            }
        }
        Algorithm::Tiles { block_m, block_n }
    }

    fn dots(p: &Product, max_lanes: usize) -> Algorithm {
        let wanted = BUSY_THREADS.div_ceil(p.outputs().max(1)).next_power_of_two();
        let lanes = wanted.min(p.k.div_ceil(8).next_power_of_two()).min(max_lanes);
        Algorithm::Dots { lanes, per_group: (THREADS / lanes).min(p.outputs().next_power_of_two()) }
    }
}

impl Algorithm {
    /// The number of workgroups for one part.
    pub(crate) fn groups(&self, p: &Product) -> usize {
        match *self {
            Algorithm::Dots { per_group, .. } => p.outputs().div_ceil(per_group),
            Algorithm::Tiles { block_m, block_n } => {
                p.batch * p.m.div_ceil(block_m) * p.n.div_ceil(block_n)
            }
            Algorithm::Blocks { lines, vector, threads, is_by_columns, .. } => {
                let (lanes, uniform) = if is_by_columns { (p.n, p.m) } else { (p.m, p.n) };
                p.batch * uniform.div_ceil(lines) * lanes.div_ceil(vector * threads)
            }
        }
    }

    pub(crate) fn threads(&self) -> usize {
        match *self {
            Algorithm::Dots { lanes, per_group } => lanes * per_group,
            Algorithm::Tiles { .. } => THREADS,
            Algorithm::Blocks { threads, .. } => threads,
        }
    }
}
