//! Convolutions whose window is as large as the image, as in gradients of weights: few positions,
//! long sums. Output channels are the lanes, and the sums of some positions of some images stay in
//! registers while the window runs. Where there are hardly any output channels, as in depthwise
//! layers, neighbours under the window are the lanes. Sums are cut into a fixed number of parts, for
//! the threads.
use super::Job;
use super::geometry::Geometry;
use super::kernel::{Kernels, MOST_ROWS, Outer as Call};
use super::window::{Unit, Window};
use crate::gemm::pack;
use crate::level::Level;
use crate::scratch;

/// Elements of packed weights that all positions of a task see before the next: a long run between
/// two visits to the sums. 6 K, 12 K and 16 K give 125, 145 and 146 GFLOP/s for 64 by 64 channels of
/// 56 by 56 (one thread of a Xeon, 2026-11).
const PACKED: usize = 12 << 10;
/// Sums of a task: they stay in L2.
const MOST_SUMS: usize = 1 << 16;
/// Elements of the copy of the images that a task sees, where there has to be one.
const MOST_COPIED: usize = 1 << 18;
/// Parts of a sum. More would be more to add up, fewer would leave threads without work.
const PARTS: usize = 16;
/// Elements of all partial sums.
const MOST_PARTIAL: usize = 1 << 21;

pub(super) struct Outer {
    kernels: &'static Kernels,
    /// Output channels by width, which index the kernels: where each begins, among `lanes`.
    strips: Vec<Strip>,
    /// Output channels, rounded up to whole strips.
    lanes: usize,
    /// Whether lanes are neighbours under the window, and there are no strips.
    is_along: bool,
    /// Input channels and rows of the window that are packed at a time.
    channels: usize,
    rows: usize,
    /// Images of a task.
    images: usize,
    parts: usize,
    window: Window,
    /// Where positions begin, those of the images of a task.
    places: Vec<isize>,
}

struct Strip {
    first: usize,
    width: usize,
    kernels: &'static [unsafe fn(&Call)],
}

impl Outer {
    pub fn new(geometry: &Geometry, level: Level) -> Outer {
        let kernels = Kernels::of(level);
        let is_along = is_along(geometry, kernels.lanes);
        let (mut strips, mut lanes) = (Vec::new(), if is_along { geometry.outputs } else { 0 });
        while lanes < geometry.outputs {
            let left = (geometry.outputs - lanes).div_ceil(kernels.lanes);
            let fits = |&&(vectors, _): &&(usize, _)| left >= vectors || left + 1 == vectors;
            let &(vectors, kernel) =
                kernels.outer.iter().find(fits).expect("one vector fits always");
            let width = vectors * kernels.lanes;
            strips.push(Strip { first: lanes, width, kernels: kernel });
            lanes += width;
        }
        let [z, y, x] = &geometry.axes;
        let widest = strips.iter().map(|strip| strip.width).max().unwrap_or(1);
        let packed = (PACKED / widest).max(1);
        let rows = (packed / x.taps).clamp(1, y.taps);
        let is_flat = z.taps == 1 && rows == y.taps;
        let channels =
            if is_flat { (packed / (rows * x.taps)).clamp(1, geometry.channels) } else { 1 };
        let window = Window::new(geometry, kernels, channels, rows, is_along);
        let per_image = geometry.positions() * lanes;
        let images = (MOST_SUMS / per_image).min(MOST_COPIED / window.copied().max(1));
        let images = images.clamp(1, geometry.batch);
        let places = window.places(geometry, images);
        let mut outer = Outer {
            kernels,
            strips,
            lanes,
            is_along,
            channels,
            rows,
            images,
            parts: 1,
            window,
            places,
        };
        let all = geometry.batch * geometry.groups * per_image;
        outer.parts = PARTS.min(MOST_PARTIAL / all).min(outer.units(geometry)).max(1);
        outer
    }

    /// Lanes that kernels use for the output channels of a position.
    pub fn lanes(&self) -> usize {
        if self.is_along { self.lanes * self.kernels.lanes } else { self.lanes }
    }

    fn units(&self, geometry: &Geometry) -> usize {
        let [z, y, _] = &geometry.axes;
        geometry.channels.div_ceil(self.channels) * z.taps * y.taps.div_ceil(self.rows)
    }

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
    /// As [`super::Conv::run`].
    pub unsafe fn run(&self, job: &Job) {
        let geometry = job.geometry;
        let per_image = geometry.positions() * self.lanes;
        let per_part = geometry.groups * geometry.batch * per_image;
        let blocks = geometry.batch.div_ceil(self.images);
        scratch::with::<f32, ()>(self.parts * per_part, |partial| {
            let to = super::Target(partial.as_mut_ptr());
            job.share(self.parts * geometry.groups * blocks, &|n| {
                let (block, n) = (n % blocks, n / blocks);
                let (group, part) = (n % geometry.groups, n / geometry.groups);
                let first = block * self.images;
                let images = self.images.min(geometry.batch - first);
                let at = part * per_part + (group * geometry.batch + first) * per_image;
                // SAFETY: promised by the caller; each task has its own sums.
                unsafe { self.task(job, part, group, first, images, to.at(at)) };
            });
            job.share(geometry.batch * geometry.groups, &|n| {
                let (image, group) = (n / geometry.groups, n % geometry.groups);
                let at = (group * geometry.batch + image) * per_image;
                let parts = partial.chunks_exact(per_part).map(|part| &part[at..][..per_image]);
                let start = n * geometry.outputs * geometry.positions();
                // SAFETY: the result has every element, and this image is the task's own.
                unsafe { self.add_up(geometry, parts, job.c.at(start)) };
            });
        });
        // SAFETY: all of the result has been written.
        unsafe { job.library.finish(job.pool, job.memory, job.c) };
    }

    /// Adds the parts of an image, in order, and writes them output channel by output channel.
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
            // SAFETY: the caller promises room for the image; kernels are of the machine's level.
            unsafe {
                (self.kernels.pack)(&pack::Call {
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

    /// The sums of a part for some images.
    unsafe fn task(
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
        // SAFETY: the caller promises room for the sums.
        unsafe { std::slice::from_raw_parts_mut(sums, elements).fill(0.0) };
        let packed = self.channels * self.rows * geometry.axes[2].taps * self.lanes;
        let packed = if self.is_along { 0 } else { packed };
        let copied = images * self.window.copied();
        scratch::with::<f32, ()>(packed + copied, |room| {
            let (packed, copied) = room.split_at_mut(packed);
            for n in part * units / self.parts..(part + 1) * units / self.parts {
                let unit = self.unit(geometry, n);
                // SAFETY: promised by the caller; there is room for what a unit sees.
                unsafe {
                    let input = self.window.start(job, group, first, images, &unit, copied);
                    if self.is_along {
                        self.sum_along(job, group, &unit, images, input, sums);
                    } else {
                        self.pack(job, group, &unit, packed);
                        self.sum(geometry, &unit, images, input, packed, sums);
                    }
                }
            }
        });
    }

    /// The weights of a unit, strip by strip.
    unsafe fn pack(&self, job: &Job, group: usize, unit: &Unit, to: &mut [f32]) {
        let Geometry { axes: [_, y, x], w, outputs, .. } = job.geometry;
        let per_channel = unit.rows * x.taps;
        let start = unit.weights(job.geometry);
        // Rows that lie one after the other are one run, and so are channels.
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
                    // SAFETY: the view stays inside its buffer, and the run inside `to`.
                    unsafe {
                        (self.kernels.pack)(&pack::Call {
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

    /// Adds a unit's products to the sums.
    unsafe fn sum(
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
        let mut packed = packed.as_ptr();
        for strip in &self.strips {
            let most = strip.kernels.len();
            let each = all.div_ceil(all.div_ceil(most));
            for row in (0..all).step_by(each) {
                let rows = each.min(all - row);
                let call = Call {
                    b: packed,
                    // SAFETY: the sums have `all` rows of `lanes`.
                    c: unsafe { sums.add(row * self.lanes + strip.first) },
                    ..self.call(geometry, unit, input, row, rows)
                };
                // SAFETY: the input holds all that the window sees from these places.
                unsafe { strip.kernels[rows - 1](&call) };
            }
            // SAFETY: strips lie one after the other.
            packed = unsafe { packed.add(count * strip.width) };
        }
    }

    /// As `sum`, with the weights where they lie.
    unsafe fn sum_along(
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
        for row in (0..all).step_by(MOST_ROWS) {
            let rows = MOST_ROWS.min(all - row);
            for output in 0..*outputs {
                let call = Call {
                    b: job.w().wrapping_offset(start + output as isize * w.outer),
                    b_steps: [w.channel, y.w],
                    // SAFETY: the sums have `all` rows of `lanes`.
                    c: unsafe { sums.add(row * self.lanes + output) },
                    ..self.call(job.geometry, unit, input, row, rows)
                };
                // SAFETY: the input holds all that the window sees from these places.
                unsafe { self.kernels.dots[rows - 1](&call) };
            }
        }
    }

    /// A call for rows `first..first + rows` of the sums, without weights and sums.
    fn call(
        &self,
        geometry: &Geometry,
        unit: &Unit,
        input: *const f32,
        first: usize,
        rows: usize,
    ) -> Call {
        let mut call = Call {
            rows: [input; MOST_ROWS],
            counts: [unit.channels, unit.rows, geometry.axes[2].taps],
            steps: self.window.steps,
            b: std::ptr::null(),
            b_steps: [0; 2],
            c: std::ptr::null_mut(),
            c_row: self.lanes,
        };
        for (start, &place) in call.rows.iter_mut().zip(&self.places[first..first + rows]) {
            *start = input.wrapping_offset(place);
        }
        call
    }
}

/// Whether lanes are better neighbours under the window than output channels, as where there are
/// few of these.
fn is_along(geometry: &Geometry, lanes: usize) -> bool {
    let x = &geometry.axes[2];
    4 * geometry.outputs <= lanes && 2 * x.taps >= lanes && x.w == 1
}
