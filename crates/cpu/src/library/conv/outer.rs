//! Convolutions with a large window, as in gradients of weights: few positions, long sums. Output
//! channels are the lanes, and the sums of several positions of several images stay in registers
//! during the loop over the window. With few output channels, as in depthwise layers, adjacent
//! elements of the window are the lanes. Sums are split into a fixed number of parts, for the
//! threads.
use super::Job;
use super::geometry::Geometry;
use super::kernel::{Kernels, MAX_ROWS, OuterArgs};
use super::window::{Unit, Window};
use crate::gemm::pack;
use crate::level::Level;
use crate::scratch;

/// Elements of packed weights per unit, which all positions of a task read before the next unit: a
/// large number means few accesses of the sums. 6 K, 12 K and 16 K give 125, 145 and 146 GFLOP/s
/// for 64 by 64 channels of 56 by 56 (one thread of a Xeon, 2026-11).
const MAX_PACKED: usize = 12 << 10;
/// Maximum sums per task: they stay in L2.
const MAX_SUMS: usize = 1 << 16;
/// Maximum elements of the copy of a task's images, if there is a copy.
const MAX_COPIED: usize = 1 << 18;
/// Maximum parts of a sum. More parts cost more additions, fewer leave threads without work.
const MAX_PARTS: usize = 16;
/// Maximum elements of all partial sums.
const MAX_PARTIAL: usize = 1 << 21;

pub(super) struct Outer {
    kernels: &'static Kernels,
    /// The output channels in strips of the widths of kernels. Empty if `lanes_in_window`.
    strips: Vec<Strip>,
    /// Output channels, rounded up to whole strips.
    lanes: usize,
    /// Whether lanes are adjacent elements of the window instead of output channels.
    lanes_in_window: bool,
    /// Input channels and rows of the window that are packed at a time.
    channels: usize,
    rows: usize,
    /// Images per task.
    images: usize,
    parts: usize,
    window: Window,
    /// The input offset of each position, for the images of a task.
    offsets: Vec<isize>,
}

struct Strip {
    first: usize,
    width: usize,
    kernels: &'static [unsafe fn(&OuterArgs)],
}

impl Outer {
    pub fn new(geometry: &Geometry, level: Level) -> Outer {
        let kernels = Kernels::of(level);
        let lanes_in_window = uses_window_lanes(geometry, kernels.lanes);
        let (mut strips, mut lanes) =
            (Vec::new(), if lanes_in_window { geometry.outputs } else { 0 });
        while lanes < geometry.outputs {
            let left = (geometry.outputs - lanes).div_ceil(kernels.lanes);
            let fits = |&&(vectors, _): &&(usize, _)| left >= vectors || left + 1 == vectors;
            let &(vectors, kernel) =
                kernels.outer.iter().find(fits).expect("the narrowest kernel always fits");
            let width = vectors * kernels.lanes;
            strips.push(Strip { first: lanes, width, kernels: kernel });
            lanes += width;
        }
        let [z, y, x] = &geometry.axes;
        let widest = strips.iter().map(|strip| strip.width).max().unwrap_or(1);
        let packed = (MAX_PACKED / widest).max(1);
        let rows = (packed / x.taps).clamp(1, y.taps);
        let is_flat = z.taps == 1 && rows == y.taps;
        let channels =
            if is_flat { (packed / (rows * x.taps)).clamp(1, geometry.channels) } else { 1 };
        let window = Window::new(geometry, kernels, channels, rows, lanes_in_window);
        let per_image = geometry.positions() * lanes;
        let images = (MAX_SUMS / per_image).min(MAX_COPIED / window.copied_len().max(1));
        let images = images.clamp(1, geometry.batch);
        let offsets = window.positions(geometry, images);
        let mut outer = Outer {
            kernels,
            strips,
            lanes,
            lanes_in_window,
            channels,
            rows,
            images,
            parts: 1,
            window,
            offsets,
        };
        let all = geometry.batch * geometry.groups * per_image;
        outer.parts = MAX_PARTS.min(MAX_PARTIAL / all).min(outer.units(geometry)).max(1);
        outer
    }

    /// Number of lanes that kernels use for the output channels of a position.
    pub fn used_lanes(&self) -> usize {
        if self.lanes_in_window { self.lanes * self.kernels.lanes } else { self.lanes }
    }

    /// Number of units that the window is split into.
    fn units(&self, geometry: &Geometry) -> usize {
        let [z, y, _] = &geometry.axes;
        geometry.channels.div_ceil(self.channels) * z.taps * y.taps.div_ceil(self.rows)
    }

    /// Unit number `n`.
    fn unit(&self, geometry: &Geometry, n: usize) -> Unit {
        let [z, y, _] = &geometry.axes;
        let blocks = y.taps.div_ceil(self.rows);
        let (row, n) = (n % blocks * self.rows, n / blocks);
        let (slice, channel) = (n % z.taps, n / z.taps * self.channels);
        Unit {
            channel,
            channels: self.channels.min(geometry.channels - channel),
            slice,
            row,
            rows: self.rows.min(y.taps - row),
        }
    }

    /// # Safety
    /// The contract of [`Job`], whose geometry is the one that this plan was made for.
    pub unsafe fn run(&self, job: &Job) {
        let geometry = job.geometry;
        let per_image = geometry.positions() * self.lanes;
        let per_part = geometry.groups * geometry.batch * per_image;
        let blocks = geometry.batch.div_ceil(self.images);
        scratch::with::<f32, ()>(self.parts * per_part, |partial| {
            let to = super::ResultPtr(partial.as_mut_ptr());
            job.parallel_for(self.parts * geometry.groups * blocks, &|n| {
                let (block, n) = (n % blocks, n / blocks);
                let (group, part) = (n % geometry.groups, n / geometry.groups);
                let first = block * self.images;
                let images = self.images.min(geometry.batch - first);
                let at = part * per_part + (group * geometry.batch + first) * per_image;
                // SAFETY: upheld by the caller; each task has its own sums.
                unsafe { self.run_task(job, part, group, first, images, to.at(at)) };
            });
            job.parallel_for(geometry.batch * geometry.groups, &|n| {
                let (image, group) = (n / geometry.groups, n % geometry.groups);
                let at = (group * geometry.batch + image) * per_image;
                let parts = partial.chunks_exact(per_part).map(|part| &part[at..][..per_image]);
                let start = n * geometry.outputs * geometry.positions();
                // SAFETY: the image is inside the result and belongs to this task.
                unsafe { self.add_up(geometry, parts, job.c.at(start)) };
            });
        });
        // SAFETY: all of the result is initialized.
        unsafe { job.library.run_epilogue(job.pool, job.memory, job.c) };
    }

    /// Adds the parts of an image, in order, and stores the sums by output channel.
    ///
    /// # Safety
    /// - Bounds: `to` is valid for writes of all outputs of the image.
    /// - Aliasing: no other thread accesses them.
    unsafe fn add_up<'a>(
        &self,
        geometry: &Geometry,
        mut parts: impl Iterator<Item = &'a [f32]>,
        to: *mut f32,
    ) {
        let first = parts.next().expect("there is a part");
        scratch::with::<f32, ()>(first.len(), |total| {
            total.copy_from_slice(first);
            for part in parts {
                total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
            let positions = geometry.positions();
            // SAFETY: upheld by the caller; `total` holds `lanes` sums for each position; the CPU
            // has the level of the kernels.
            unsafe {
                (self.kernels.pack)(&pack::PackArgs {
                    from: total.as_ptr(),
                    stride_i: self.lanes as isize,
                    stride_k: 1,
                    count: positions,
                    k: geometry.outputs,
                    width: positions,
                    to,
                });
            }
        });
    }

    /// Computes one part of the sums of `images` images from `first` on.
    ///
    /// # Safety
    /// - The contract of [`Job`].
    /// - Bounds: the part, group and images are inside the geometry; `sums` is valid for writes of
    ///   `lanes` elements for each position of these images.
    /// - Aliasing: nothing else accesses the sums.
    unsafe fn run_task(
        &self,
        job: &Job,
        part: usize,
        group: usize,
        first: usize,
        images: usize,
        sums: *mut f32,
    ) {
        let geometry = job.geometry;
        let units = self.units(geometry);
        let elements = images * geometry.positions() * self.lanes;
        debug_assert!(part < self.parts && first + images <= geometry.batch);
        // SAFETY: the caller guarantees these elements.
        unsafe { std::slice::from_raw_parts_mut(sums, elements).fill(0.0) };
        let packed = self.channels * self.rows * geometry.axes[2].taps * self.lanes;
        let packed = if self.lanes_in_window { 0 } else { packed };
        let copied = images * self.window.copied_len();
        scratch::with::<f32, ()>(packed + copied, |buffer| {
            let (packed, copied) = buffer.split_at_mut(packed);
            for n in part * units / self.parts..(part + 1) * units / self.parts {
                let unit = self.unit(geometry, n);
                // SAFETY: upheld by the caller; `packed` and `copied` have the size of the largest
                // unit.
                unsafe {
                    let input = self.window.prepare(job, group, first, images, &unit, copied);
                    if self.lanes_in_window {
                        self.add_window_lanes(job, group, &unit, images, input, sums);
                    } else {
                        self.pack_weights(job, group, &unit, packed);
                        self.add_channel_lanes(geometry, &unit, images, input, packed, sums);
                    }
                }
            }
        });
    }

    /// Packs the weights of a unit, strip by strip.
    ///
    /// # Safety
    /// The contract of [`Job`]; `group` and `unit` are inside the geometry. Panics if `to` is too
    /// short.
    unsafe fn pack_weights(&self, job: &Job, group: usize, unit: &Unit, to: &mut [f32]) {
        let Geometry { axes: [_, y, x], w, outputs, .. } = job.geometry;
        let per_channel = unit.rows * x.taps;
        let start = unit.weights(job.geometry);
        // Contiguous rows of a channel are one run.
        let is_plane = y.w == x.taps as isize * x.w || unit.rows == 1;
        let (runs, run) = if is_plane { (1, per_channel) } else { (unit.rows, x.taps) };
        let mut at = 0;
        for strip in &self.strips {
            let output = (group * outputs + strip.first) as isize;
            for channel in 0..unit.channels as isize {
                for row in 0..runs as isize {
                    let from = start + output * w.outer + channel * w.channel + row * y.w;
                    let to = to[at..at + run * strip.width].as_mut_ptr();
                    at += run * strip.width;
                    // SAFETY: the run is inside the weights, and its panel inside `to`.
                    unsafe {
                        (self.kernels.pack)(&pack::PackArgs {
                            from: job.w().offset(from),
                            stride_i: w.outer,
                            stride_k: x.w,
                            count: strip.width.min(outputs - strip.first),
                            k: run,
                            width: strip.width,
                            to,
                        });
                    }
                }
            }
        }
    }

    /// Adds a unit's products to the sums, with output channels as lanes.
    ///
    /// # Safety
    /// - Bounds: `input` is valid for reads of all elements of the unit at each of `offsets`, for
    ///   `images` images; `sums` for reads and writes of `lanes` elements for each position of
    ///   them.
    /// - Initialization: inputs and sums are initialized. `packed` holds the weights of the unit.
    /// - Aliasing: nothing else accesses the sums, nothing writes the inputs.
    unsafe fn add_channel_lanes(
        &self,
        geometry: &Geometry,
        unit: &Unit,
        images: usize,
        input: *const f32,
        packed: &[f32],
        sums: *mut f32,
    ) {
        let count = unit.channels * unit.rows * geometry.axes[2].taps;
        let all = images * geometry.positions();
        debug_assert!(packed.len() >= count * self.lanes && all <= self.offsets.len());
        let mut packed = packed.as_ptr();
        for strip in &self.strips {
            let max_rows = strip.kernels.len();
            let each = all.div_ceil(all.div_ceil(max_rows));
            for row in (0..all).step_by(each) {
                let rows = each.min(all - row);
                let call = OuterArgs {
                    b: packed,
                    // SAFETY: `sums` has `all` rows of `lanes`.
                    c: unsafe { sums.add(row * self.lanes + strip.first) },
                    ..self.args(geometry, unit, input, row, rows)
                };
                // SAFETY: upheld by the caller; the CPU has the level of the kernels.
                unsafe { strip.kernels[rows - 1](&call) };
            }
            // SAFETY: packed strips are adjacent, and the last one ends inside `packed`.
            packed = unsafe { packed.add(count * strip.width) };
        }
    }

    /// Adds a unit's products to the sums, with elements of the window as lanes and weights in
    /// place.
    ///
    /// # Safety
    /// The contract of [`Job`], and as [`Outer::add_channel_lanes`] for `input` and `sums`.
    unsafe fn add_window_lanes(
        &self,
        job: &Job,
        group: usize,
        unit: &Unit,
        images: usize,
        input: *const f32,
        sums: *mut f32,
    ) {
        let Geometry { axes: [_, y, _], w, outputs, .. } = job.geometry;
        let all = images * job.geometry.positions();
        let start = unit.weights(job.geometry) + (group * outputs) as isize * w.outer;
        for row in (0..all).step_by(MAX_ROWS) {
            let rows = MAX_ROWS.min(all - row);
            for output in 0..*outputs {
                let call = OuterArgs {
                    b: job.w().wrapping_offset(start + output as isize * w.outer),
                    b_steps: [w.channel, y.w],
                    // SAFETY: `sums` has `all` rows of `lanes`.
                    c: unsafe { sums.add(row * self.lanes + output) },
                    ..self.args(job.geometry, unit, input, row, rows)
                };
                // SAFETY: upheld by the caller; the CPU has the level of the kernels.
                unsafe { self.kernels.dots[rows - 1](&call) };
            }
        }
    }

    /// Arguments for rows `first..first + rows` of the sums; `b` and `c` are to be filled in.
    fn args(
        &self,
        geometry: &Geometry,
        unit: &Unit,
        input: *const f32,
        first: usize,
        rows: usize,
    ) -> OuterArgs {
        let mut call = OuterArgs {
            rows: [input; MAX_ROWS],
            counts: [unit.channels, unit.rows, geometry.axes[2].taps],
            steps: self.window.steps,
            b: std::ptr::null(),
            b_steps: [0; 2],
            c: std::ptr::null_mut(),
            c_row: self.lanes,
        };
        for (start, &offset) in call.rows.iter_mut().zip(&self.offsets[first..first + rows]) {
            *start = input.wrapping_offset(offset);
        }
        call
    }
}

/// Whether elements of the window are better lanes than output channels, of which there are few.
fn uses_window_lanes(geometry: &Geometry, lanes: usize) -> bool {
    let x = &geometry.axes[2];
    4 * geometry.outputs <= lanes && 2 * x.taps >= lanes && x.w == 1
}
