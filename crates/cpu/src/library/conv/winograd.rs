//! Winograd convolution for 3 × 3 windows: transforms 4 × 4 patches, which overlap by two, so that
//! 16 multiplications give 2 × 2 outputs, where a direct sum takes 36 (minimal filtering F(2×2,
//! 3×3)). Each of the 16 points is a matrix product over the channels. The error is two to three
//! times that of a direct sum.
use super::geometry::{Axis, Geometry};
use super::kernel::{Kernels, TileArgs};
use super::{Job, ResultPtr};
use crate::level::Level;
use crate::scratch;
use crate::simd::{Simd, x86::F32x16};
use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_permutex2var_ps};

/// Points of a transformed patch.
const POINTS: usize = 16;
/// Maximum bytes of transformed input per task: a third of L2.
const MAX_TRANSFORMED_BYTES: usize = 640 << 10;
/// Minimum input and output channels: with fewer, the transforms cost more than they save.
const MIN_CHANNELS: usize = 16;
/// Maximum input channels: a panel of weights then stays in L1.
const MAX_CHANNELS: usize = 512;
/// Minimum patches for which transforming the weights pays off: one image of 24² is as fast
/// without.
const MIN_PATCHES: usize = 512;

pub(super) struct Winograd {
    /// Output channels of a panel, its kernel, and panels per group.
    height: usize,
    tile: unsafe fn(&TileArgs),
    panels: usize,
    /// Patches per row and per column of an image.
    across: usize,
    down: usize,
    /// Rows of patches per task, and the number of its patches, rounded up to whole tiles.
    rows: usize,
    columns: usize,
    /// The offset of each channel of the transformed input.
    offsets: Vec<isize>,
}

impl Winograd {
    /// `None` if the window is not 3 × 3 with stride 1, or if the transforms do not pay off.
    pub fn new(geometry: &Geometry, level: Level) -> Option<Winograd> {
        let [depth, height, width] = &geometry.axes;
        let is_window =
            |axis: &Axis| [axis.taps, axis.stride, axis.dilation, axis.spread] == [3, 1, 1, 1];
        let is_flat = [depth.len, depth.taps, depth.out] == [1; 3] && depth.before == 0;
        let is_window = is_flat && is_window(height) && is_window(width) && width.x == 1;
        let (down, across) = (height.out.div_ceil(2), width.out.div_ceil(2));
        let has_channels = geometry.outputs >= MIN_CHANNELS
            && (MIN_CHANNELS..=MAX_CHANNELS).contains(&geometry.channels);
        let has_patches = geometry.batch * down * across >= MIN_PATCHES;
        if level != Level::Avx512 || !is_window || !has_channels || !has_patches {
            return None;
        }
        let kernels = Kernels::of(level);
        let panels = geometry.outputs.div_ceil(kernels.tall.len());
        let unit = 2 * kernels.lanes;
        // The number of rows that wastes the fewest columns, among those that fit L2 and leave
        // enough tasks.
        let max_rows = MAX_TRANSFORMED_BYTES / (4 * POINTS * geometry.channels * across);
        let max_rows = max_rows.min(geometry.batch * down / 8).max(1);
        let waste = |rows: usize| {
            let patches = rows * across;
            (patches.next_multiple_of(unit) - patches) * 1000 / patches
        };
        let rows = (1..=max_rows).rev().min_by_key(|&rows| waste(rows))?;
        let columns = (rows * across).next_multiple_of(unit);
        let height = geometry.outputs.div_ceil(panels);
        let offsets = (0..geometry.channels).map(|c| (c * columns) as isize).collect();
        let tile = kernels.tall[height - 1];
        Some(Winograd { height, tile, panels, across, down, rows, columns, offsets })
    }

    /// # Safety
    /// The contract of [`Job`], whose geometry is the one that this plan was made for.
    pub unsafe fn run(&self, job: &Job) {
        let Geometry { batch, groups, channels, .. } = *job.geometry;
        let panel = channels * self.height;
        scratch::with::<f32, ()>(groups * self.panels * POINTS * panel, |weights| {
            let to = ResultPtr(weights.as_mut_ptr());
            job.parallel_for(groups * self.panels, &|n| {
                // SAFETY: each panel has its own part of the scratch memory, and views are inside
                // their buffers.
                unsafe { self.transform_weights(job, n, to.at(n * POINTS * panel)) };
            });
            let blocks = (batch * self.down).div_ceil(self.rows);
            job.parallel_for(groups * blocks, &|n| {
                let (group, first) = (n / blocks, n % blocks * self.rows);
                let rows = self.rows.min(batch * self.down - first);
                let weights = &weights[group * self.panels * POINTS * panel..];
                let block = Block { winograd: self, job, weights, group, first, rows };
                // SAFETY: upheld by the caller; tasks write disjoint outputs.
                unsafe { block.run() };
            });
        });
    }

    /// The distance between points of a block of `rows` channels: one cache line more than they
    /// need. If it were a multiple of a page, all 16 points would map to one set of L1.
    fn plane(&self, rows: usize) -> usize {
        rows * self.columns + F32x16::LANES
    }

    /// Transforms the weights of a panel. For each point, the weights of each input channel are
    /// adjacent.
    ///
    /// # Safety
    /// - The contract of [`Job`].
    /// - Bounds: `panel` is inside the geometry; `to` is valid for writes of
    ///   `POINTS · channels · height` elements.
    /// - Aliasing: nothing else accesses them.
    unsafe fn transform_weights(&self, job: &Job, panel: usize, to: *mut f32) {
        let Geometry { channels, outputs, axes, w, .. } = job.geometry;
        debug_assert!(panel < job.geometry.groups * self.panels);
        let first = panel % self.panels * self.height;
        let output = panel / self.panels * outputs + first;
        for r in 0..self.height {
            for c in 0..*channels {
                let at = w.offset + (output + r) as isize * w.outer + c as isize * w.channel;
                let mut taps = [[0.0; 3]; 3];
                if first + r < *outputs {
                    for (y, row) in taps.iter_mut().enumerate() {
                        for (x, tap) in row.iter_mut().enumerate() {
                            let at = at + y as isize * axes[1].w + x as isize * axes[2].w;
                            // SAFETY: the weight is inside its buffer.
                            *tap = unsafe { *job.w().offset(at) };
                        }
                    }
                }
                for (n, value) in transform_taps(&taps).into_iter().enumerate() {
                    // SAFETY: the caller guarantees the elements of the panel.
                    unsafe { *to.add((n * channels + c) * self.height + r) = value };
                }
            }
        }
    }
}

/// Transforms the weights of one window.
fn transform_taps(taps: &[[f32; 3]; 3]) -> [f32; POINTS] {
    let spread = |[a, b, c]: [f32; 3]| [a, 0.5 * (a + b + c), 0.5 * (a - b + c), c];
    let rows = taps.map(spread);
    let mut points = [0.0; POINTS];
    for x in 0..4 {
        let column = spread([rows[0][x], rows[1][x], rows[2][x]]);
        column.into_iter().enumerate().for_each(|(y, value)| points[4 * y + x] = value);
    }
    points
}

/// A task: rows of patches of one group, across images.
struct Block<'a> {
    winograd: &'a Winograd,
    job: &'a Job<'a>,
    weights: &'a [f32],
    group: usize,
    first: usize,
    rows: usize,
}

impl Block<'_> {
    /// Computes the outputs of the block.
    ///
    /// # Safety
    /// - The contract of [`Job`].
    /// - Bounds: the rows are inside the batch; `weights` holds the transformed weights of the
    ///   group.
    /// - Aliasing: no other thread accesses the outputs of these rows.
    /// - Level: the CPU supports AVX-512.
    unsafe fn run(&self) {
        let Winograd { height, panels, columns, across, tile, .. } = *self.winograd;
        let Geometry { channels, outputs, .. } = *self.job.geometry;
        let [input_plane, sums_plane] = [channels, height].map(|rows| self.winograd.plane(rows));
        scratch::with::<f32, ()>(POINTS * (input_plane + sums_plane), |memory| {
            let (input, sums) = memory.split_at_mut(POINTS * input_plane);
            // SAFETY: upheld by the caller; `input` and `sums` have the size of the block.
            unsafe {
                self.transform_input(input);
                for panel in 0..panels {
                    let rows = height.min(outputs - panel * height);
                    for point in 0..POINTS {
                        let weights = (panel * POINTS + point) * channels * height;
                        for col in (0..self.rows * across).step_by(2 * F32x16::LANES) {
                            tile(&TileArgs {
                                k: channels,
                                a: self.weights[weights..].as_ptr(),
                                offsets: self.winograd.offsets.as_ptr(),
                                b: input.as_ptr().add(point * input_plane + col),
                                c: sums.as_mut_ptr().add(point * sums_plane + col),
                                c_row: columns,
                                rows,
                                add: false,
                            });
                        }
                    }
                    self.store_outputs(panel * height, rows, sums);
                }
            }
        });
    }

    /// The image of a row of the block, and its row of patches in the image.
    fn image_and_row(&self, row: usize) -> (usize, usize) {
        let row = self.first + row;
        (row / self.winograd.down, row % self.winograd.down)
    }

    /// Transforms the input of the patches.
    ///
    /// # Safety
    /// As [`Block::run`]. Panics if `input` is too short.
    unsafe fn transform_input(&self, input: &mut [f32]) {
        let Winograd { across, columns, .. } = *self.winograd;
        let geometry = self.job.geometry;
        let Geometry { channels, ref axes, ref x, .. } = *geometry;
        let [_, height, width] = axes;
        let patches = self.rows * across;
        if patches < columns {
            for plane in input.chunks_exact_mut(self.winograd.plane(channels)) {
                let rows = plane.chunks_exact_mut(columns);
                rows.for_each(|row| row[patches..].fill(0.0));
            }
        }
        // Length of a row of the image, including what the last vector reads past its patches.
        let reads = across.next_multiple_of(F32x16::LANES) * 2 + 2;
        let has_whole_rows =
            width.before <= 0 && (width.out + 2) as isize - width.before <= width.len as isize;
        let (left, right) = super::slab::inside(-width.before, 1, width.len, reads);
        // Rows with padding are copied, each to one of four lines in turn; the fifth stays zero.
        scratch::with::<f32, ()>(5 * reads, |lines| {
            lines.fill(0.0);
            let lines = lines.as_mut_ptr();
            for channel in 0..channels {
                for row in 0..self.rows {
                    let (image, down) = self.image_and_row(row);
                    let start = geometry.image(image, self.group) + channel as isize * x.channel;
                    // The previous row of patches has copied the first two.
                    let is_next = row > 0 && down > 0;
                    let mut rows = [lines.wrapping_add(4 * reads).cast_const(); 4];
                    for (y, to) in rows.iter_mut().enumerate() {
                        let y_in = (2 * down + y) as isize - height.before;
                        if y_in < 0 || y_in >= height.len as isize {
                            continue;
                        }
                        let at = start + y_in * height.x - width.before;
                        if has_whole_rows && at + reads as isize <= x.reach as isize {
                            *to = self.job.x().wrapping_offset(at);
                            continue;
                        }
                        let line = lines.wrapping_add((2 * down + y) % 4 * reads);
                        *to = line;
                        if is_next && y < 2 && !has_whole_rows {
                            continue;
                        }
                        // SAFETY: these columns are inside the row of the image and of the line.
                        unsafe {
                            let from = self.job.x().offset(at + left as isize);
                            from.copy_to_nonoverlapping(line.add(left), right - left);
                        }
                    }
                    let to = input[channel * columns + row * across..].as_mut_ptr();
                    // SAFETY: each row has `reads` elements; `input` has all points of the row of
                    // patches; the caller guarantees AVX-512.
                    unsafe { transform_patches(&rows, across, to, self.winograd.plane(channels)) };
                }
            }
        });
    }

    /// Transforms the sums of `count` channels from `first` on to outputs, stores them and runs the
    /// epilogue.
    ///
    /// # Safety
    /// As [`Block::run`], for these channels. Panics if `sums` is too short.
    unsafe fn store_outputs(&self, first: usize, count: usize, sums: &[f32]) {
        let Winograd { height, across, columns, .. } = *self.winograd;
        let geometry = self.job.geometry;
        let [_, rows, width] = geometry.axes.map(|axis| axis.out);
        let positions = geometry.positions();
        let start = |image: usize, y: usize| {
            let item = image * geometry.groups + self.group;
            (item * geometry.outputs + first) * positions + y * width
        };
        for channel in 0..count {
            for row in 0..self.rows {
                let (image, down) = self.image_and_row(row);
                let at = start(image, 2 * down) + channel * positions;
                let has_both = 2 * down + 1 < rows;
                // SAFETY: these rows of the result belong to this task; `sums` has all points of
                // the row of patches.
                unsafe {
                    let from = sums[channel * columns + row * across..].as_ptr();
                    let to = self.job.c.at(at);
                    let next = has_both.then(|| to.add(width));
                    transform_sums(from, self.winograd.plane(height), across, to, next, width);
                }
            }
        }
        let mut row = 0;
        while row < self.rows {
            let (image, down) = self.image_and_row(row);
            let taken = (self.rows - row).min(self.winograd.down - down);
            let len = (rows - 2 * down).min(2 * taken) * width;
            // SAFETY: these rows are initialized and belong to this task.
            unsafe { self.job.run_epilogue(start(image, 2 * down), len, count, positions) };
            row += taken;
        }
    }
}

/// Permutations of the 32 lanes of two vectors: `EVEN` and `ODD` deinterleave, `LOW` and `HIGH`
/// interleave.
static EVEN: [i32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
static ODD: [i32; 16] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];
static LOW: [i32; 16] = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];
static HIGH: [i32; 16] = [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31];

/// Selects lanes of two vectors by index.
///
/// # Safety
/// The CPU supports AVX-512.
#[inline(always)]
unsafe fn permute(a: F32x16, lanes: &[i32; 16], b: F32x16) -> F32x16 {
    // SAFETY: the caller guarantees AVX-512; `lanes` is one vector.
    unsafe {
        let lanes: __m512i = _mm512_loadu_si512(lanes.as_ptr().cast());
        F32x16(_mm512_permutex2var_ps(a.0, lanes, b.0))
    }
}

/// Transforms a row of patches: point `n` of each goes to `to + n · plane`.
///
/// # Safety
/// - Level: the CPU supports AVX-512.
/// - Bounds: each row is valid for reads of two elements for each patch, with patches rounded up to
///   whole vectors, and two more; `to` for writes of `patches` elements at each of `POINTS` planes.
/// - Initialization: the rows are initialized.
/// - Aliasing: nothing else accesses the planes, nothing writes the rows, and they do not overlap.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma,bmi2")]
unsafe fn transform_patches(rows: &[*const f32; 4], patches: usize, to: *mut f32, plane: usize) {
    for first in (0..patches).step_by(F32x16::LANES) {
        let count = (patches - first).min(F32x16::LANES);
        // SAFETY: upheld by the caller.
        unsafe {
            let mut columns = [[F32x16::splat(0.0); 4]; 4];
            for y in 0..4 {
                let from = rows[y].add(2 * first);
                for x in [0, 2] {
                    let (low, high) = (F32x16::load(from.add(x)), F32x16::load(from.add(x + 16)));
                    columns[x][y] = permute(low, &EVEN, high);
                    columns[x + 1][y] = permute(low, &ODD, high);
                }
            }
            let mut points = [[F32x16::splat(0.0); 4]; 4];
            for (x, [a, b, c, d]) in columns.into_iter().enumerate() {
                for (row, point) in points.iter_mut().zip([a - c, b + c, c - b, b - d]) {
                    row[x] = point;
                }
            }
            for (y, [a, b, c, d]) in points.into_iter().enumerate() {
                let row = [a - c, b + c, c - b, b - d];
                for (x, point) in row.into_iter().enumerate() {
                    point.store_first(to.add((4 * y + x) * plane + first), count);
                }
            }
        }
    }
}

/// Transforms the sums of a row of patches to two rows of outputs. Points are `plane` apart.
///
/// # Safety
/// - Level: the CPU supports AVX-512.
/// - Bounds: `from` is valid for reads of `patches` elements at each of `POINTS` planes; `to` and
///   `next` for writes of `width` elements, with `2 · patches - 1 <= width <= 2 · patches`.
/// - Initialization: the sums are initialized.
/// - Aliasing: nothing else accesses the rows of outputs, which do not overlap the sums or each
///   other.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma,bmi2")]
unsafe fn transform_sums(
    from: *const f32,
    plane: usize,
    patches: usize,
    to: *mut f32,
    next: Option<*mut f32>,
    width: usize,
) {
    debug_assert!(width.div_ceil(2) == patches);
    for first in (0..patches).step_by(F32x16::LANES) {
        let count = (patches - first).min(F32x16::LANES);
        // SAFETY: upheld by the caller.
        unsafe {
            let [mut upper, mut lower] = [[F32x16::splat(0.0); 4]; 2];
            for (x, (upper, lower)) in upper.iter_mut().zip(&mut lower).enumerate() {
                let mut points = [F32x16::splat(0.0); 4];
                for (y, point) in points.iter_mut().enumerate() {
                    *point = F32x16::load_first(from.add((4 * y + x) * plane + first), count);
                }
                let [a, b, c, d] = points;
                *upper = a + b + c;
                *lower = b - c - d;
            }
            for (row, to) in [(upper, Some(to)), (lower, next)] {
                let Some(to) = to else { continue };
                let [a, b, c, d] = row;
                let (even, odd) = (a + b + c, b - c - d);
                let (to, left) = (to.add(2 * first), width - 2 * first);
                permute(even, &LOW, odd).store_first(to, left.min(16));
                if left > 16 {
                    permute(even, &HIGH, odd).store_first(to.add(16), (left - 16).min(16));
                }
            }
        }
    }
}
