//! Direct convolution, without an im2col copy: if the rows of an image are at a fixed pitch, each
//! tap reads at a fixed offset from the position, for all positions. A tile runs over consecutive
//! positions, across the ends of rows; sums for the gap between two rows are discarded.
use super::geometry::{Axis, Geometry, Phase};
use super::kernel::{CopyArgs, Kernels, TileArgs};
use super::slab::Slab;
use super::{Job, Weights};
use crate::level::Level;
use crate::scratch;

/// Longest run of `k` between two accesses of the sums: a panel of weights takes 28 KB of L1.
const KC: usize = 512;
/// Approximate maximum of positions per task: sums of 64 channels then take 200 KB of L2.
const MAX_POSITIONS: usize = 768;
/// Maximum number of sums held at a time.
const MAX_SUMS: usize = 1 << 16;
/// Minimum number of tasks per thread, so that threads finish at about the same time.
const TASKS_PER_THREAD: usize = 4;

pub(super) struct Direct {
    kernels: &'static Kernels,
    /// Channels of a panel, and the kernel and width in positions of its tiles.
    height: usize,
    tile: unsafe fn(&TileArgs),
    width: usize,
    /// Panels per group.
    panels: usize,
    parts: Vec<PhasePlan>,
    /// Number of elements of all packed weights.
    packed: usize,
}

/// The plan for the outputs of one phase per axis.
struct PhasePlan {
    phases: [Phase; 3],
    k: usize,
    weights: Weights,
    /// The offset of its packed weights.
    packed: usize,
    /// Maximum rows of output per task.
    rows: usize,
    slab: Slab,
    in_place: Option<InPlace>,
}

/// How tiles read the input in place: the offset of each channel and tap.
struct InPlace {
    pitch: usize,
    offsets: Vec<isize>,
    furthest: isize,
}

impl Direct {
    pub fn new(geometry: &Geometry, level: Level) -> Direct {
        let kernels = Kernels::of(level);
        let outputs = geometry.outputs;
        let (table, vectors) = match outputs <= kernels.flat.len() {
            true => (kernels.flat, 4),
            false => (kernels.tall, 2),
        };
        let panels = outputs.div_ceil(table.len());
        // Equal panels: 64 channels are 5 panels of 13, not 4 of 14 and one of 8.
        let height = outputs.div_ceil(panels);
        let [z, y, x] = geometry.axes.map(|axis| axis.phases());
        let (mut parts, mut packed) = (Vec::new(), 0);
        for z in &z {
            for y in &y {
                for x in &x {
                    let part = PhasePlan::new(geometry, [z.clone(), y.clone(), x.clone()], packed);
                    packed += geometry.groups * panels * height * part.k;
                    parts.push(part);
                }
            }
        }
        let (tile, width) = (table[height - 1], vectors * kernels.lanes);
        Direct { kernels, height, tile, width, panels, parts, packed }
    }

    /// Number of positions that tiles compute for one channel of one image, including discarded
    /// ones.
    pub fn computed_positions(&self) -> usize {
        let of = |part: &PhasePlan| {
            let [z, y, _] = &part.phases;
            let run = part.slab.run(part.rows).next_multiple_of(self.width);
            z.count * (y.count * run).div_ceil(part.rows)
        };
        self.parts.iter().map(of).sum()
    }

    /// # Safety
    /// The contract of [`Job`], whose geometry is the one that this plan was made for.
    pub unsafe fn run(&self, job: &Job) {
        let geometry = job.geometry;
        scratch::with::<f32, ()>(self.packed, |packed| {
            let to = super::ResultPtr(packed.as_mut_ptr());
            let per_part = geometry.groups * self.panels;
            job.parallel_for(self.parts.len() * per_part, &|n| {
                let (part, n) = (&self.parts[n / per_part], n % per_part);
                let (group, panel) = (n / self.panels, n % self.panels);
                let first = panel * self.height;
                let count = self.height.min(geometry.outputs - first);
                // SAFETY: each panel has its own part of the scratch memory, and views are inside
                // their buffers.
                unsafe {
                    let to = to.at(part.packed + n * part.k * self.height);
                    let output = group * geometry.outputs + first;
                    part.weights.pack(job, self.kernels, output, count, self.height, to);
                }
            });
            for part in &self.parts {
                // SAFETY: upheld by the caller; the weights are packed.
                unsafe { self.run_phase(job, part, packed) };
            }
        });
        if !self.has_one_phase() {
            // SAFETY: all of the result is initialized.
            unsafe { job.library.run_epilogue(job.pool, job.memory, job.c) };
        }
    }

    /// Whether there is one phase, whose rows are rows of the result.
    fn has_one_phase(&self) -> bool {
        self.parts.len() == 1
    }

    /// Computes the outputs of one phase.
    ///
    /// # Safety
    /// The contract of [`Job`]. `packed` holds all packed weights.
    unsafe fn run_phase(&self, job: &Job, part: &PhasePlan, packed: &[f32]) {
        debug_assert!(packed.len() >= self.packed);
        let geometry = job.geometry;
        let [z, y, x] = &part.phases;
        let items = geometry.batch * geometry.groups * z.count;
        let wanted = if job.is_parallel() { TASKS_PER_THREAD * job.pool.threads() } else { 1 };
        // Rows per task, halved until there are enough tasks or too few tiles per task.
        let is_short = |rows: usize| rows == 1 || part.slab.run(rows) <= 2 * self.width;
        let mut rows = part.rows;
        while items * y.count.div_ceil(rows) < wanted && !is_short(rows) {
            rows = rows.div_ceil(2);
        }
        let blocks = y.count.div_ceil(rows);
        let splits = wanted.div_ceil(items * blocks).clamp(1, self.panels);
        let tasks = items * blocks * splits;
        let work = 2 * geometry.outputs * part.k * rows * x.count / splits;
        let at_once = (super::CHUNK_FLOPS / work.max(1)).clamp(1, tasks.div_ceil(wanted));
        let task = |n: usize| {
            let (n, split) = (n / splits, n % splits);
            let (item, block) = (n / blocks, n % blocks);
            let first = block * rows;
            let block = Block {
                direct: self,
                job,
                part,
                packed,
                image: item / z.count / geometry.groups,
                group: item / z.count % geometry.groups,
                slice: item % z.count,
                first,
                rows: rows.min(y.count - first),
            };
            // There are at least as many panels as splits, so no split is empty.
            let first_panel = |split: usize| split * self.panels / splits;
            // SAFETY: upheld by the caller; tasks write disjoint outputs.
            unsafe { block.run(first_panel(split), first_panel(split + 1)) };
        };
        job.parallel_for(tasks.div_ceil(at_once), &|chunk| {
            (chunk * at_once..((chunk + 1) * at_once).min(tasks)).for_each(task);
        });
    }
}

impl PhasePlan {
    fn new(geometry: &Geometry, phases: [Phase; 3], packed: usize) -> PhasePlan {
        let weights = Weights::new(geometry, &phases);
        let [z, y, x] = &phases;
        let k = geometry.channels * z.taps.len() * y.taps.len() * x.taps.len();
        let pitch = Slab::pitch(x);
        let rows = (MAX_POSITIONS / pitch).clamp(1, y.count);
        // Equal blocks.
        let rows = y.count.div_ceil(y.count.div_ceil(rows));
        let slab = Slab::new(geometry.channels, &phases, rows);
        let in_place = InPlace::new(geometry, &phases, pitch);
        PhasePlan { k, weights, packed, rows, slab, in_place, phases }
    }
}

impl InPlace {
    /// `None` if the input has to be copied: because of padding, a stride, or rows that are far
    /// apart.
    fn new(geometry: &Geometry, phases: &[Phase; 3], pitch: usize) -> Option<InPlace> {
        let [_, row, col]: &[Axis; 3] = &geometry.axes;
        let [z, y, x] = phases;
        let is_inside = geometry.axes.iter().zip(phases).all(|(a, phase)| phase.is_inside(a.len));
        let is_row = x.advance == 1 && (col.x == 1 || col.len == 1);
        let row_pitch = if y.count == 1 { x.count as isize } else { row.x };
        let is_near = row_pitch >= x.count as isize && row_pitch <= (pitch + pitch / 4) as isize;
        if !(is_inside && is_row && y.advance == 1 && is_near) {
            return None;
        }
        let mut offsets = Vec::new();
        for c in 0..geometry.channels as isize {
            for &(_, z) in &z.taps {
                for &(_, y) in &y.taps {
                    let row = c * geometry.x.channel + z * geometry.axes[0].x + y * row.x;
                    offsets.extend(x.taps.iter().map(|&(_, x)| row + x));
                }
            }
        }
        let furthest = offsets.iter().copied().max().unwrap_or(0);
        Some(InPlace { pitch: row_pitch as usize, offsets, furthest })
    }
}

/// A task: rows of the output of one group of one image.
struct Block<'a> {
    direct: &'a Direct,
    job: &'a Job<'a>,
    part: &'a PhasePlan,
    packed: &'a [f32],
    image: usize,
    group: usize,
    slice: usize,
    first: usize,
    rows: usize,
}

/// The input of tiles: in place or in a slab.
struct Input<'a> {
    start: *const f32,
    pitch: usize,
    offsets: &'a [isize],
}

impl Block<'_> {
    /// Computes panels `first..end` of the block.
    ///
    /// # Safety
    /// - The contract of [`Job`].
    /// - Bounds: the block and the panels are inside the phase; `packed` holds all packed weights.
    /// - Aliasing: no other thread accesses these channels of these rows of the result.
    unsafe fn run(&self, first: usize, end: usize) {
        let Block { part, job, direct, .. } = self;
        // SAFETY: views are inside their buffers, and the slab holds the rows and one more tile.
        unsafe {
            if let Some(input) = self.in_place() {
                return self.run_panels(&input, first, end);
            }
            let len = part.slab.elements(job.geometry.channels) + direct.width;
            scratch::with::<f32, ()>(len, |slab| {
                let start = job.geometry.image(self.image, self.group);
                let from = job.x().offset(start);
                part.slab.fill(job.geometry, direct.kernels, from, self.slice, self.first, slab);
                let (pitch, offsets) = (part.slab.pitch, &part.slab.offsets[..]);
                self.run_panels(&Input { start: slab.as_ptr(), pitch, offsets }, first, end);
            });
        }
    }

    /// The input in place, if tiles that extend past the last row stay inside the buffer.
    fn in_place(&self) -> Option<Input<'_>> {
        let InPlace { pitch, offsets, furthest } = self.part.in_place.as_ref()?;
        let geometry = self.job.geometry;
        let [z, y, _] = &geometry.axes;
        let slice = (self.slice * self.part.phases[0].advance) as isize * z.x;
        let at = geometry.image(self.image, self.group) + slice + self.first as isize * y.x;
        let last = at + furthest + self.run_of(*pitch).next_multiple_of(self.direct.width) as isize;
        let start = self.job.x().wrapping_offset(at);
        (last <= geometry.x.reach as isize).then_some(Input { start, pitch: *pitch, offsets })
    }

    /// The number of positions from the first to the last.
    fn run_of(&self, pitch: usize) -> usize {
        (self.rows - 1) * pitch + self.part.phases[2].count
    }

    /// Computes panels `first..end` from `input`.
    ///
    /// # Safety
    /// As [`Block::run`]. `input` is valid for reads of the block's positions, rounded up to whole
    /// tiles, at each offset.
    unsafe fn run_panels(&self, input: &Input, first: usize, end: usize) {
        let Direct { height, width, .. } = *self.direct;
        let run = self.run_of(input.pitch).next_multiple_of(width);
        let at_once = (MAX_SUMS / (run * height)).clamp(1, end - first);
        scratch::with::<f32, ()>(at_once * height * run, |sums| {
            for from in (first..end).step_by(at_once) {
                let to = (from + at_once).min(end);
                // SAFETY: upheld by the caller; `sums` has the size of the panels.
                unsafe {
                    self.sum(input, from, to, run, sums.as_mut_ptr());
                    self.write(input.pitch, from, to, run, sums);
                }
            }
        });
    }

    /// Computes the sums of panels `from..to` at `run` positions.
    ///
    /// # Safety
    /// As [`Block::run_panels`]. `sums` is valid for reads and writes of `run` elements for each
    /// channel of these panels, `run` being a multiple of the tile width; nothing else accesses
    /// them.
    unsafe fn sum(&self, input: &Input, from: usize, to: usize, run: usize, sums: *mut f32) {
        let Direct { height, width, tile, panels, .. } = *self.direct;
        debug_assert!(run.is_multiple_of(width) && to <= panels);
        let part = self.part;
        let kc = part.k.div_ceil(part.k.div_ceil(KC).max(1)).max(1);
        let outputs = self.job.geometry.outputs;
        for k0 in (0..part.k.max(1)).step_by(kc) {
            for panel in from..to {
                let weights = part.packed + (self.group * panels + panel) * part.k * height;
                let weights = self.packed[weights + k0 * height..].as_ptr();
                for col in (0..run).step_by(width) {
                    // SAFETY: the input holds all positions of the run at each offset.
                    unsafe {
                        tile(&TileArgs {
                            k: kc.min(part.k - k0),
                            a: weights,
                            offsets: input.offsets[k0..].as_ptr(),
                            b: input.start.wrapping_add(col),
                            c: sums.add((panel - from) * height * run + col),
                            c_row: run,
                            rows: height.min(outputs - panel * height),
                            add: k0 > 0,
                        });
                    }
                }
            }
        }
    }

    /// Copies the sums of panels `from..to` to the result. With one phase, runs the epilogue on
    /// them.
    ///
    /// # Safety
    /// As [`Block::run`], for these panels.
    unsafe fn write(&self, pitch: usize, from: usize, to: usize, run: usize, sums: &[f32]) {
        let Block { part, job, direct, .. } = self;
        let geometry = job.geometry;
        let [z, y, x] = &part.phases;
        let [_, height, width] = geometry.axes.map(|axis| axis.out);
        let first = from * direct.height;
        let count = (to * direct.height).min(geometry.outputs) - first;
        let channel = (self.image * geometry.groups + self.group) * geometry.outputs + first;
        let slice = z.first + self.slice * z.step;
        let row = y.first + self.first * y.step;
        let start = channel * geometry.positions() + (slice * height + row) * width + x.first;
        for (n, sums) in sums.chunks_exact(run).take(count).enumerate() {
            let at = start + n * geometry.positions();
            // SAFETY: these rows of the result belong to this task.
            unsafe {
                if x.step == 1 {
                    let is_run = pitch == x.count && y.step == 1 && x.count == width;
                    let (count, len) =
                        if is_run { (1, self.rows * width) } else { (self.rows, x.count) };
                    (direct.kernels.copy)(&CopyArgs {
                        from: sums.as_ptr(),
                        from_row: pitch as isize,
                        to: job.c.at(at),
                        to_row: y.step * width,
                        count,
                        len,
                    });
                } else {
                    for row in 0..self.rows {
                        let to = job.c.at(at + row * y.step * width);
                        for (i, &sum) in sums[row * pitch..][..x.count].iter().enumerate() {
                            *to.add(i * x.step) = sum;
                        }
                    }
                }
            }
        }
        if direct.has_one_phase() {
            // SAFETY: these rows of the result are initialized and belong to this task.
            unsafe { job.run_epilogue(start, self.rows * width, count, geometry.positions()) };
        }
    }
}
