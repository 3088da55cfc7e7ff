//! Convolutions. If the window is a single element, each image is one matrix product. Otherwise
//! kernels read the image without an im2col copy: along its rows, by output channels, or by
//! Winograd transforms.
mod direct;
mod geometry;
mod kernel;
mod outer;
mod slab;
mod window;
#[cfg(target_arch = "x86_64")]
mod winograd;

use super::{Library, ResultPtr};
use crate::gemm::{
    Accumulate, Epilogue, NoEpilogue, Output, Size, Strided, Tile, gemm_batched, pack,
};
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
    algorithm: ConvAlgorithm,
}

enum ConvAlgorithm {
    /// A matrix product of weights and image.
    Product,
    Direct(Direct),
    Outer(Outer),
    #[cfg(target_arch = "x86_64")]
    Winograd(Winograd),
}

/// A convolution of at least this many operations uses several threads: 1.5 us of one thread
/// (2-core Xeon, 2026-11).
const PARALLEL_FLOPS: usize = 1 << 18;
/// Threads claim small tasks in chunks of about this many operations.
const CHUNK_FLOPS: usize = 1 << 18;

impl Conv {
    /// `None` for dtypes and operands that these kernels do not support, and for empty tensors.
    pub(super) fn new(op: &Attributes, operands: &[Operand], out: &Type) -> Option<Conv> {
        let is_work = out.elements() > 0 && operands.iter().all(|x| x.ty.elements() > 0);
        let is_fast = is_work && out.dtype == DType::F32;
        let geometry = Geometry::new(op, operands, out).filter(|_| is_fast)?;
        let algorithm = ConvAlgorithm::new(&geometry);
        Some(Conv { geometry, algorithm })
    }

    /// # Safety
    /// `memory` meets the launch contract of [`Memory`] for the reads and writes of `library`,
    /// which this convolution belongs to.
    pub(super) unsafe fn run(&self, library: &Library, pool: &Pool, memory: Memory) {
        library.with_result::<f32, ()>(memory, |c: ResultPtr<f32>| {
            let job = Job { geometry: &self.geometry, library, pool, memory, c };
            // SAFETY: the caller meets the launch contract, and `c` has the size of the result.
            unsafe {
                paths::hit(self.algorithm.path());
                match &self.algorithm {
                    ConvAlgorithm::Product => job.multiply(),
                    ConvAlgorithm::Direct(direct) => direct.run(&job),
                    ConvAlgorithm::Outer(outer) => outer.run(&job),
                    #[cfg(target_arch = "x86_64")]
                    ConvAlgorithm::Winograd(winograd) => winograd.run(&job),
                }
            }
        });
    }
}

impl ConvAlgorithm {
    fn path(&self) -> Path {
        match self {
            ConvAlgorithm::Product => Path::ConvProduct,
            ConvAlgorithm::Direct(_) => Path::ConvDirect,
            ConvAlgorithm::Outer(_) => Path::ConvOuter,
            #[cfg(target_arch = "x86_64")]
            ConvAlgorithm::Winograd(_) => Path::ConvWinograd,
        }
    }

    fn new(geometry: &Geometry) -> ConvAlgorithm {
        if geometry.is_product() {
            return ConvAlgorithm::Product;
        }
        let level = Level::best();
        #[cfg(target_arch = "x86_64")]
        if let Some(winograd) = Winograd::new(geometry, level) {
            return ConvAlgorithm::Winograd(winograd);
        }
        let outer = Outer::new(geometry, level);
        // With a window as large as the image there are too few positions for `Direct`.
        if geometry.taps() > 4 * geometry.positions() {
            return ConvAlgorithm::Outer(outer);
        }
        // Compares the vector operations of both. `Outer` has more overhead per sum.
        let direct = Direct::new(geometry, level);
        let direct_work = direct.computed_positions() * geometry.outputs;
        let outer_work = geometry.positions() * outer.used_lanes();
        if direct_work * 2 > outer_work * 3 {
            ConvAlgorithm::Outer(outer)
        } else {
            ConvAlgorithm::Direct(direct)
        }
    }
}

impl Geometry {
    /// Whether the convolution is a matrix product: one tap, stride 1, no padding, contiguous rows.
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
///
/// The unsafe functions that take or belong to a job require:
/// - `memory` meets the launch contract of [`Memory`] for the reads and writes of `library`;
///   `geometry` describes its operands.
/// - `c` meets the contract of [`ResultPtr`].
struct Job<'a> {
    geometry: &'a Geometry,
    library: &'a Library,
    pool: &'a Pool,
    memory: Memory<'a>,
    c: ResultPtr<f32>,
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

    /// Calls `task` for `0..count`, on all threads if the convolution is large enough.
    fn parallel_for(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        match self.is_parallel() {
            true => self.pool.run(count, task),
            false => (0..count).for_each(task),
        }
    }

    /// Runs the epilogue on `count` runs of `len` elements of the result, `distance` apart.
    ///
    /// # Safety
    /// - The contract of [`Job`].
    /// - Bounds: these elements are inside the result.
    /// - Initialization: they are initialized.
    /// - Aliasing: no other thread accesses them, or the writes of the epilogue at their indices.
    unsafe fn run_epilogue(&self, start: usize, len: usize, count: usize, distance: usize) {
        if self.library.skips_epilogue() {
            return;
        }
        // Adjacent whole channels are one run.
        let (len, count) = if len == distance { (len * count, 1) } else { (len, count) };
        self.library.epilogue.with_runner(self.memory, |runner| {
            for flat in (0..count).map(|n| start + n * distance) {
                // SAFETY: upheld by the caller.
                unsafe { runner.run_flat(flat, len, self.c.at(flat).cast()) };
            }
        });
    }

    /// Runs the convolution as matrix products.
    ///
    /// # Safety
    /// The contract of [`Job`]; the geometry is that of a product.
    unsafe fn multiply(&self) {
        let geometry = self.geometry;
        debug_assert!(geometry.is_product());
        let Geometry { groups, channels, outputs, x, w, .. } = *geometry;
        let positions = geometry.positions();
        let size = Size { m: outputs, n: positions, k: channels };
        let item = |n: usize| {
            let start = w.offset + (n % groups * outputs) as isize * w.outer;
            // SAFETY: views are inside their buffers; each image and group has its own output.
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
            // SAFETY: the tile is the part of the result at these indices, is complete, and belongs
            // to this thread.
            unsafe { self.run_epilogue(start, tile.cols, tile.rows, positions) };
        };
        let epilogue: &dyn Epilogue<f32> =
            if self.library.skips_epilogue() { &NoEpilogue } else { &finish };
        gemm_batched(self.pool, products, size, &item, epilogue);
    }
}

/// A strided view of the `reach` elements at `data`.
///
/// # Safety
/// - Bounds and initialization: `data` points to `reach` initialized elements.
/// - Aliasing: nothing writes them while the view is in use.
/// - Lifetime: they outlive the view.
unsafe fn strided(
    data: *const f32,
    reach: usize,
    offset: isize,
    stride_i: isize,
    stride_k: isize,
) -> Strided<'static, f32> {
    // SAFETY: upheld by the caller.
    let data = unsafe { std::slice::from_raw_parts(data, reach) };
    Strided { data, offset: offset as usize, stride_i, stride_k }
}

/// The layout of the weights of an output channel, in the order of input channels and taps.
struct Weights {
    /// Runs of constant stride: start, length and stride of each.
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
    /// - The contract of [`Job`]; `geometry` is the one that the layout was computed from.
    /// - Bounds: the output channels are inside the weights, `count <= width`, and `to` is valid
    ///   for writes of `width` times the number of weights of a channel.
    /// - Aliasing: nothing else accesses the panel during the call.
    unsafe fn pack(
        &self,
        job: &Job,
        kernels: &Kernels,
        output: usize,
        count: usize,
        width: usize,
        mut to: *mut f32,
    ) {
        debug_assert!(count <= width);
        let w = &job.geometry.w;
        for &(at, k, stride_k) in &self.runs {
            // SAFETY: the run is inside the weights, and its panel rows are inside the panel.
            unsafe {
                let from = job.w().offset(w.offset + output as isize * w.outer + at);
                let stride_i = w.outer;
                (kernels.pack)(&pack::PackArgs { from, stride_i, stride_k, count, k, width, to });
                to = to.add(k * width);
            }
        }
    }
}
