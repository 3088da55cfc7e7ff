//! Gradients of the weights of 3 × 3 windows: convolutions with 3 × 3 outputs, whose window is a whole
//! image. The window is cut into 2 × 2 taps, each of which sees a patch of 4 × 4: a product of 16
//! transformed numbers stands for the 36 of its 9 outputs. The 16 are products of matrices over all
//! patches, and their sums are transformed back once, at the end.
use super::geometry::{Axis, Geometry};
use super::winograd::{CHANNELS, EVEN, HELD, ODD, PATCHES, POINTS, Rows, pick};
use super::{Job, Target};
use crate::gemm::{Accumulate, Output, Plain, Size, Strided, gemm_alone};
use crate::level::Level;
use crate::scratch;
use crate::simd::{Simd, x86::F32x16};

/// Parts of the sums, for the threads, and elements of all of them.
const PARTS: usize = 16;
const MOST_PARTIAL: usize = 1 << 21;
/// Parts below which threads would wait for each other.
const LEAST_PARTS: usize = 4;

pub(super) struct Gradient {
    /// Patches along a row and a column of an image.
    across: usize,
    down: usize,
    /// Rows of patches, those of all images, that are transformed at a time.
    rows: usize,
    parts: usize,
}

impl Gradient {
    /// `None` where the convolution is another, or where it does not pay.
    pub fn new(geometry: &Geometry, level: Level) -> Option<Gradient> {
        let Geometry { batch, channels, outputs, axes: [depth, height, width], .. } = geometry;
        let is_window = |axis: &Axis| {
            [axis.out, axis.stride, axis.dilation, axis.spread] == [3, 1, 1, 1] && axis.taps > 3
        };
        let is_flat = [depth.len, depth.taps, depth.out] == [1; 3] && depth.before == 0;
        let is_window = is_flat && is_window(height) && is_window(width);
        let is_along = width.x == 1 && width.w == 1;
        let (down, across) = (height.taps.div_ceil(2), width.taps.div_ceil(2));
        let has_channels = *batch >= CHANNELS && *outputs >= CHANNELS;
        let has_patches = channels * down * across >= PATCHES;
        if level != Level::Avx512 || !is_window || !is_along || !has_channels || !has_patches {
            return None;
        }
        let all = channels * down;
        // As many rows as waste least of a vector, among those that fit and leave work to share.
        let held = HELD / (size_of::<f32>() * POINTS * (batch + outputs) * across);
        let most = held.min(all / LEAST_PARTS).max(1);
        let waste = |rows: usize| {
            let patches = rows * across;
            (patches.next_multiple_of(F32x16::LANES) - patches) * 1000 / patches
        };
        let rows = (1..=most).rev().min_by_key(|&rows| waste(rows))?;
        let sums = geometry.groups * POINTS * batch * outputs;
        let parts = PARTS.min(MOST_PARTIAL / sums).min(all.div_ceil(rows));
        (parts >= LEAST_PARTS).then_some(Gradient { across, down, rows, parts })
    }

    /// # Safety
    /// As [`super::Conv::run`].
    pub unsafe fn run(&self, job: &Job) {
        let Geometry { batch, groups, outputs, .. } = *job.geometry;
        let per_group = POINTS * batch * outputs;
        let per_part = groups * per_group;
        scratch::with::<f32, ()>(self.parts * per_part, |partial| {
            let to = Target(partial.as_mut_ptr());
            job.share(self.parts * groups, &|n| {
                // SAFETY: promised by the caller; each task has its own sums.
                unsafe { self.task(job, n / groups, n % groups, to.at(n * per_group)) };
            });
            job.share(groups * outputs, &|n| {
                let (group, output) = (n / outputs, n % outputs);
                let parts = partial.chunks_exact(per_part);
                let parts = parts.map(|part| &part[group * per_group..][..per_group]);
                // SAFETY: promised by the caller; each task has its own output channel.
                unsafe { self.gather(job, group, output, parts) };
            });
        });
        // SAFETY: all of the result has been written.
        unsafe { job.library.finish(job.pool, job.memory, job.c) };
    }

    /// The sums of a part: those of each point, of each output channel, lie together.
    unsafe fn task(&self, job: &Job, part: usize, group: usize, sums: *mut f32) {
        let Geometry { batch, channels, outputs, .. } = *job.geometry;
        let columns = self.rows * self.across;
        // A line more than they take, or all points would share one set of the first-level cache.
        let [of_input, of_taps] = [batch, outputs].map(|n| n * columns + F32x16::LANES);
        let all = channels * self.down;
        let blocks = all.div_ceil(self.rows);
        let rows = Rows::new(job, self.across);
        scratch::with::<f32, ()>(POINTS * (of_input + of_taps) + rows.lines(), |memory| {
            let (lines, memory) = memory.split_at_mut(rows.lines());
            let (input, taps) = memory.split_at_mut(POINTS * of_input);
            lines.fill(0.0);
            let mine = part * blocks / self.parts..(part + 1) * blocks / self.parts;
            for (n, block) in mine.enumerate() {
                let first = block * self.rows;
                let count = self.rows.min(all - first);
                for row in 0..count {
                    let (image, down) = ((first + row) / self.down, (first + row) % self.down);
                    let at = row * self.across;
                    // SAFETY: promised by the caller; both have room for the row.
                    unsafe {
                        self.spread_taps(job, group, (image, down), (&mut taps[at..], columns));
                    }
                }
                for channel in 0..batch {
                    for row in 0..count {
                        let (image, down) = ((first + row) / self.down, (first + row) % self.down);
                        let x = &job.geometry.x;
                        let start = job.geometry.image(channel, group) + image as isize * x.channel;
                        let to = input[channel * columns + row * self.across..].as_mut_ptr();
                        // SAFETY: promised by the caller; the input has room for the row.
                        unsafe {
                            rows.spread(lines, (start, down), row > 0 && down > 0, to, of_input);
                        }
                    }
                }
                let accumulate = if n == 0 { Accumulate::Replace } else { Accumulate::Add };
                let size = Size { m: outputs, n: batch, k: count * self.across };
                for point in 0..POINTS {
                    let a = Strided::rows(&taps[point * of_taps..][..of_taps], columns);
                    let b = Strided::rows(&input[point * of_input..][..of_input], columns);
                    let each = batch * outputs;
                    // SAFETY: the caller promises room for the sums, which are this task's.
                    let c = unsafe {
                        Output::from_raw(sums.add(point * each), each, batch, accumulate)
                    };
                    gemm_alone(0, size, &a, &b, c, &Plain);
                }
            }
        });
    }

    /// Transforms the taps of a row of patches, of each output channel: they go `columns` apart.
    unsafe fn spread_taps(
        &self,
        job: &Job,
        group: usize,
        (image, down): (usize, usize),
        (to, columns): (&mut [f32], usize),
    ) {
        let Geometry { outputs, axes: [_, height, width], w, .. } = job.geometry;
        let plane = outputs * columns + F32x16::LANES;
        for output in 0..*outputs {
            let channel = (group * outputs + output) as isize * w.outer;
            let at = w.offset + channel + image as isize * w.channel;
            let row = |y: usize| {
                (y < height.taps).then(|| job.w().wrapping_offset(at + y as isize * height.w))
            };
            let rows = [row(2 * down), row(2 * down + 1)];
            let to = to[output * columns..].as_mut_ptr();
            // SAFETY: rows have `taps` elements, and the machine AVX-512; promised by the caller.
            unsafe { spread_taps(&rows, width.taps, to, plane) };
        }
    }

    /// The windows of an output channel: adds the parts, in order, and transforms them back.
    unsafe fn gather<'a>(
        &self,
        job: &Job,
        group: usize,
        output: usize,
        parts: impl Iterator<Item = &'a [f32]>,
    ) {
        let Geometry { batch, groups, outputs, .. } = *job.geometry;
        scratch::with::<f32, ()>(POINTS * batch, |total| {
            total.fill(0.0);
            for part in parts {
                for (point, total) in total.chunks_exact_mut(batch).enumerate() {
                    let sums = &part[(point * outputs + output) * batch..][..batch];
                    total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
                }
            }
            for image in 0..batch {
                let at = ((image * groups + group) * outputs + output) * 9;
                let window = of_points(std::array::from_fn(|n| total[n * batch + image]));
                for (n, value) in window.into_iter().enumerate() {
                    // SAFETY: the result has every element, and this channel is the task's own.
                    unsafe { *job.c.at(at + n) = value };
                }
            }
        });
    }
}

/// A window from its sums.
fn of_points(points: [f32; POINTS]) -> [f32; 9] {
    let join = |[a, b, c, d]: [f32; 4]| [a + b + c, b - c, b + c - d];
    let columns: [[f32; 3]; 4] =
        std::array::from_fn(|x| join(std::array::from_fn(|y| points[4 * y + x])));
    let mut window = [0.0; 9];
    for y in 0..3 {
        let row = join(std::array::from_fn(|x| columns[x][y]));
        window[3 * y..][..3].copy_from_slice(&row);
    }
    window
}

/// The transform of two rows of `taps`, which may be missing: number `n` of each pair goes to
/// `to + n · plane`.
///
/// # Safety
/// The rows are as long, and there is room for all pairs.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma,bmi2")]
unsafe fn spread_taps(rows: &[Option<*const f32>; 2], taps: usize, to: *mut f32, plane: usize) {
    const LANES: usize = F32x16::LANES;
    let pairs = taps.div_ceil(2);
    for first in (0..pairs).step_by(LANES) {
        let count = (pairs - first).min(LANES);
        let left = taps - 2 * first;
        // SAFETY: promised by the caller.
        unsafe {
            let half = F32x16::splat(0.5);
            let spread = |a: F32x16, b: F32x16| [a, half * (a + b), half * (a - b), b];
            let mut spreads = [[F32x16::splat(0.0); 4]; 2];
            for (row, points) in rows.iter().zip(&mut spreads) {
                let Some(row) = row else { continue };
                let from = row.add(2 * first);
                let low = F32x16::load_first(from, left.min(LANES));
                let rest = left.saturating_sub(LANES).min(LANES);
                let high = F32x16::load_first(from.wrapping_add(LANES), rest);
                *points = spread(pick(low, &EVEN, high), pick(low, &ODD, high));
            }
            for x in 0..4 {
                let column = spread(spreads[0][x], spreads[1][x]);
                for (y, point) in column.into_iter().enumerate() {
                    point.store_first(to.add((4 * y + x) * plane + first), count);
                }
            }
        }
    }
}
