//! Which kernel computes a product: the cost rule of the ladder that [`contract`](super::contract) writes.
use super::product::Product;
use super::scalar::Class;
use super::shader::Device;
use super::sharing::{BUSY, MOST_TURNS};
use super::threads::THREADS;

/// How a product is computed.
pub(crate) struct Plan {
    pub(crate) rung: Rung,
    /// Parts that sums are split into, and their length.
    pub(crate) parts: usize,
    pub(crate) part: usize,
}

pub(crate) enum Rung {
    /// `lanes` threads for each element, `per_group` elements for each workgroup.
    Dots { lanes: usize, per_group: usize },
    /// Elements of a workgroup of 16 × 16 threads.
    Tiles { block_m: usize, block_n: usize },
    /// `lines` of one factor by `threads` · `vector` of the other, which are columns or rows.
    Blocks { lines: usize, vector: usize, threads: usize, is_by_columns: bool, subgroup: usize },
}

/// Tiles for every part of a small device.
const ENOUGH_TILES: usize = 32;
/// Sums this long over few elements are better shared by many threads.
const LONG: usize = 512;
/// A part of a sum is at least this long on hardware, as its second pass is one dispatch more.
const SHORTEST_PART: usize = 4096;
/// Workgroups that keep the cores of software busy.
const ENOUGH_BLOCKS: usize = 16;
/// Lanes of a software's subgroup that are worth sharing loads. Products of 128 × 784 × 512 with lanes that
/// share, by 16 × 4 elements, and alone, by 8 × 8: 22 and 9 GFLOP/s where there are 8 (lavapipe), 3 and 4.4
/// where there are 4 (SwiftShader).
pub(crate) const SHARING_LANES: usize = 8;

impl Plan {
    /// The cost rule. What a rung reads for each multiplication decides: dots read two elements,
    /// tiles and blocks of `m × n` read `1/m + 1/n`, and lanes of a subgroup that share theirs an eighth
    /// of one of these. `most` is the memory for parts, in words.
    pub(crate) fn new(p: &Product, device: Device, most: usize) -> Plan {
        let Device { is_software, subgroup } = device;
        let rung = match is_software {
            true => Plan::software(p, subgroup),
            false => Plan::hardware(p),
        };
        let groups = rung.groups(p);
        let wanted = match is_software {
            true => {
                let spare = (ENOUGH_BLOCKS / groups.max(1)).min(p.k / 2048);
                p.k.div_ceil(MOST_TURNS).max(spare)
            }
            false if matches!(rung, Rung::Dots { .. }) => 1,
            false => (2 * ENOUGH_TILES / groups.max(1)).min(p.k / SHORTEST_PART),
        };
        let parts = wanted.min(most / p.outputs().max(1)).max(1);
        // Whole slices of tiles.
        let part = p.k.max(1).div_ceil(parts).next_multiple_of(16);
        Plan { rung, parts: p.k.div_ceil(part).max(1), part }
    }

    fn software(p: &Product, subgroup: usize) -> Rung {
        if p.outputs() < 16 {
            return Plan::dots(p, THREADS);
        }
        let subgroup = if subgroup >= SHARING_LANES { subgroup } else { 0 };
        // What the lanes of a subgroup tell each other is loaded once for all of them.
        let (most_lines, most_vector) = match (subgroup, p.class()) {
            (0, Class::Float) => (8, 8),
            (0, _) => (8, 4),
            _ => (16, 4),
        };
        // Lanes are loaded one by one: what is loaded in lanes should be loaded few times.
        let passes = |lines: usize| lines.div_ceil(most_lines);
        let loads = |lanes: usize, lines: usize| lanes.next_multiple_of(32) * passes(lines);
        // Columns that are loaded by fours are worth more than fewer loads.
        let is_by_columns = (subgroup > 0 && p.has_fours()) || loads(p.n, p.m) <= loads(p.m, p.n);
        let (lanes, lines) = if is_by_columns { (p.n, p.m) } else { (p.m, p.n) };
        let lines = lines.div_ceil(passes(lines));
        let vector = lanes.div_ceil(8).next_power_of_two().min(most_vector);
        let threads = Plan::threads(lanes.div_ceil(vector), subgroup.max(8), 256 / most_vector);
        Rung::Blocks { lines, vector, threads, is_by_columns, subgroup }
    }

    /// How many of `wanted` threads a workgroup has: as many as can be without idle ones beyond a
    /// sixteenth.
    fn threads(wanted: usize, least: usize, most: usize) -> usize {
        let mut threads = most.max(least);
        while threads > least && wanted.next_multiple_of(threads) > wanted + wanted / 16 {
            threads /= 2;
        }
        threads.max(least)
    }

    fn hardware(p: &Product) -> Rung {
        let is_thin = p.m < 8 || p.n < 8 || p.k < 8;
        if is_thin || (p.outputs() < 256 && p.k >= LONG) {
            return Plan::dots(p, 64);
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
        Rung::Tiles { block_m, block_n }
    }

    fn dots(p: &Product, most_lanes: usize) -> Rung {
        let wanted = BUSY.div_ceil(p.outputs().max(1)).next_power_of_two();
        let lanes = wanted.min(p.k.div_ceil(8).next_power_of_two()).min(most_lanes);
        Rung::Dots { lanes, per_group: (THREADS / lanes).min(p.outputs().next_power_of_two()) }
    }
}

impl Rung {
    /// The workgroups of one part.
    pub(crate) fn groups(&self, p: &Product) -> usize {
        match *self {
            Rung::Dots { per_group, .. } => p.outputs().div_ceil(per_group),
            Rung::Tiles { block_m, block_n } => {
                p.batch * p.m.div_ceil(block_m) * p.n.div_ceil(block_n)
            }
            Rung::Blocks { lines, vector, threads, is_by_columns, .. } => {
                let (lanes, uniform) = if is_by_columns { (p.n, p.m) } else { (p.m, p.n) };
                p.batch * uniform.div_ceil(lines) * lanes.div_ceil(vector * threads)
            }
        }
    }

    pub(crate) fn threads(&self) -> usize {
        match *self {
            Rung::Dots { lanes, per_group } => lanes * per_group,
            Rung::Tiles { .. } => THREADS,
            Rung::Blocks { threads, .. } => threads,
        }
    }
}
