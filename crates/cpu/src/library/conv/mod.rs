//! Convolutions: one product of matrices for each image where the window is a single element, else
//! kernels that read the image itself, along its rows or by output channels.
mod direct;
mod geometry;
mod kernel;
mod outer;
mod slab;
mod window;
#[cfg(target_arch = "x86_64")]
mod winograd;

use super::{Library, Target};
use crate::gemm::{Accumulate, Epilogue, Output, Plain, Size, Strided, Tile, gemm_batched, pack};
use crate::interp::Memory;
use crate::level::Level;
use crate::paths::{self, Path};
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::ops::Conv as Attributes;
use brasa_ir::{DType, Type};
use direct::Direct;
use geometry::{Geometry, Phase};
use kernel::Kernels;
use outer::Outer;
#[cfg(target_arch = "x86_64")]
use winograd::Winograd;

pub(super) struct Conv {
    geometry: Geometry,
    way: Way,
}

enum Way {
    /// Weights by image.
    Product,
    Direct(Direct),
    Outer(Outer),
    #[cfg(target_arch = "x86_64")]
    Winograd(Winograd),
}

/// From here on a convolution is worth two threads: 1.5 us of one (2-core Xeon, 2026-11).
const PARALLEL_FLOPS: usize = 1 << 18;
/// Small tasks are claimed about this much at a time.
const CHUNK_FLOPS: usize = 1 << 18;

impl Conv {
    /// `None` for element types without a fast path, and for nothing at all.
    pub(super) fn new(op: &Attributes, operands: &[Operand], out: &Type) -> Option<Conv> {
        let is_work = out.elements() > 0 && operands.iter().all(|x| x.ty.elements() > 0);
        let is_fast = is_work && out.dtype == DType::F32;
        let geometry = Geometry::new(op, operands, out).filter(|_| is_fast)?;
        let way = Way::new(&geometry);
        Some(Conv { geometry, way })
    }

    /// # Safety
    /// The buffers are as large as the operands' views and the kernel's writes say.
    pub(super) unsafe fn run(&self, library: &Library, pool: &Pool, memory: Memory) {
        library.with_target::<f32, ()>(memory, |c: Target<f32>| {
            let job = Job { geometry: &self.geometry, library, pool, memory, c };
            // SAFETY: promised by the caller.
            unsafe {
                paths::hit(self.way.path());
                match &self.way {
                    Way::Product => job.multiply(),
                    Way::Direct(direct) => direct.run(&job),
                    Way::Outer(outer) => outer.run(&job),
                    #[cfg(target_arch = "x86_64")]
                    Way::Winograd(winograd) => winograd.run(&job),
                }
            }
        });
    }
}

impl Way {
    fn path(&self) -> Path {
        match self {
            Way::Product => Path::ConvProduct,
            Way::Direct(_) => Path::ConvDirect,
            Way::Outer(_) => Path::ConvOuter,
            #[cfg(target_arch = "x86_64")]
            Way::Winograd(_) => Path::ConvWinograd,
        }
    }

    fn new(geometry: &Geometry) -> Way {
        if geometry.is_product() {
            return Way::Product;
        }
        let level = Level::best();
        #[cfg(target_arch = "x86_64")]
        if let Some(winograd) = Winograd::new(geometry, level) {
            return Way::Winograd(winograd);
        }
        let outer = Outer::new(geometry, level);
        // A window as large as the image leaves few positions to run along.
        if geometry.taps() > 4 * geometry.positions() {
            return Way::Outer(outer);
        }
        // Vectors of work by both ways; starting and ending sums costs `Outer` more.
        let direct = Direct::new(geometry, level);
        let by_rows = direct.positions() * geometry.outputs;
        let by_outputs = geometry.positions() * outer.lanes();
        if by_rows * 2 > by_outputs * 3 { Way::Outer(outer) } else { Way::Direct(direct) }
    }
}

impl Geometry {
    /// Whether the windows of an image are the image: one tap, one step, no padding, rows that lie
    /// one after the other.
    fn is_product(&self) -> bool {
        let [z, y, x] = &self.axes;
        let is_one = |axis: &geometry::Axis| axis.taps == 1 && axis.stride == 1;
        let follows = |outer: &geometry::Axis, inner: isize| outer.len == 1 || outer.x == inner;
        let width = x.len as isize * x.x;
        self.is_dense()
            && self.axes.iter().all(|axis| is_one(axis) && axis.len == axis.out)
            && follows(y, width)
            && follows(z, y.len as isize * width)
            && self.positions() >= 16
            && self.outputs > 1
    }
}

/// One run of a convolution.
struct Job<'a> {
    geometry: &'a Geometry,
    library: &'a Library,
    pool: &'a Pool,
    memory: Memory<'a>,
    c: Target<f32>,
}

impl Job<'_> {
    fn x(&self) -> *const f32 {
        self.memory.reads[self.geometry.x.read].cast()
    }

    fn w(&self) -> *const f32 {
        self.memory.reads[self.geometry.w.read].cast()
    }

    /// Whether there is enough work for all threads.
    fn is_parallel(&self) -> bool {
        self.pool.threads() > 1 && self.geometry.flops() >= PARALLEL_FLOPS
    }

    /// Calls `task` for `0..count`, on all threads if the convolution is worth it.
    fn share(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        match self.is_parallel() {
            true => self.pool.run(count, task),
            false => (0..count).for_each(task),
        }
    }

    /// The epilogue on `count` runs of `len` elements of the result, `distance` apart.
    ///
    /// # Safety
    /// These elements are written, and the caller's own.
    unsafe fn finish(&self, start: usize, len: usize, count: usize, distance: usize) {
        if self.library.is_plain() {
            return;
        }
        // Whole channels follow each other, and are one run.
        let (len, count) = if len == distance { (len * count, 1) } else { (len, count) };
        self.library.epilogue.with_thread(self.memory, |thread| {
            for flat in (0..count).map(|n| start + n * distance) {
                // SAFETY: promised by the caller.
                unsafe { thread.epilogue(flat, len, self.c.at(flat).cast()) };
            }
        });
    }

    /// # Safety
    /// As [`Conv::run`].
    unsafe fn multiply(&self) {
        let geometry = self.geometry;
        let Geometry { groups, channels, outputs, x, w, .. } = *geometry;
        let positions = geometry.positions();
        let size = Size { m: outputs, n: positions, k: channels };
        let item = |n: usize| {
            let start = w.offset + (n % groups * outputs) as isize * w.outer;
            // SAFETY: views stay inside their buffers; each image and group has its own output.
            unsafe {
                let a = strided(self.w(), w.reach, start, w.outer, w.channel);
                let start = geometry.image(n / groups, n % groups);
                let b = strided(self.x(), x.reach, start, geometry.axes[2].x, x.channel);
                let elements = outputs * positions;
                let c = self.c.at(n * elements);
                (a, b, Output::from_raw(c, elements, positions, Accumulate::Replace))
            }
        };
        let products = geometry.batch * groups;
        let finish = |tile: &mut Tile<f32>| {
            let start = (tile.batch * outputs + tile.row) * positions + tile.col;
            // SAFETY: the tile is the result at these elements.
            unsafe { self.finish(start, tile.cols, tile.rows, positions) };
        };
        let epilogue: &dyn Epilogue<f32> = if self.library.is_plain() { &Plain } else { &finish };
        gemm_batched(self.pool, products, size, &item, epilogue);
    }
}

/// # Safety
/// `reach` elements at `data` live as long as the result is used.
unsafe fn strided(
    data: *const f32,
    reach: usize,
    offset: isize,
    stride_i: isize,
    stride_k: isize,
) -> Strided<'static, f32> {
    // SAFETY: promised by the caller.
    let data = unsafe { std::slice::from_raw_parts(data, reach) };
    Strided { data, offset: offset as usize, stride_i, stride_k }
}

/// Where the weights of an output channel lie, in the order of channels and taps.
struct Weights {
    /// Runs with one stride: where each begins, its length and its stride.
    runs: Vec<(isize, usize, isize)>,
}

impl Weights {
    fn new(geometry: &Geometry, [z, y, x]: &[Phase; 3]) -> Weights {
        let mut taps = Vec::new();
        for &(z, _) in &z.taps {
            for &(y, _) in &y.taps {
                for &(x, _) in &x.taps {
                    let steps = [z, y, x].into_iter().zip(&geometry.axes);
                    taps.push(steps.map(|(tap, axis)| tap as isize * axis.w).sum::<isize>());
                }
            }
        }
        let (channels, channel) = (geometry.channels, geometry.w.channel);
        let starts = (0..channels as isize).map(|c| c * channel);
        let Some(&first) = taps.first() else { return Weights { runs: Vec::new() } };
        let step = taps.get(1).map_or(channel, |&second| second - first);
        let is_even = taps.windows(2).all(|pair| pair[1] - pair[0] == step);
        let runs = if !is_even {
            starts.flat_map(|start| taps.iter().map(move |&tap| (start + tap, 1, 1))).collect()
        } else if channels == 1 || channel == step * taps.len() as isize {
            vec![(first, channels * taps.len(), step)]
        } else {
            starts.map(|start| (start + first, taps.len(), step)).collect()
        };
        Weights { runs }
    }

    /// Packs `count` output channels from `output` on into a panel of `width`.
    ///
    /// # Safety
    /// `to` has room for the panel, and the buffers are as large as the views say.
    unsafe fn pack(
        &self,
        job: &Job,
        kernels: &Kernels,
        output: usize,
        count: usize,
        width: usize,
        mut to: *mut f32,
    ) {
        let w = &job.geometry.w;
        for &(at, k, stride_k) in &self.runs {
            // SAFETY: promised by the caller.
            unsafe {
                let from = job.w().offset(w.offset + output as isize * w.outer + at);
                let stride_i = w.outer;
                (kernels.pack)(&pack::Call { from, stride_i, stride_k, count, k, width, to });
                to = to.add(k * width);
            }
        }
    }
}
