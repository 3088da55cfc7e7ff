//! The input of a large window: the image in place, or a copy with zeros for padding and input
//! dilation. The strides between the elements of a window are the same for every position.
use super::Job;
use super::geometry::Geometry;
use super::kernel::{CopyArgs, Kernels};
use super::slab::{copy, inside};

/// A part of the window: channels, one slice, and rows.
pub(super) struct Unit {
    pub channel: usize,
    pub channels: usize,
    pub slice: usize,
    pub row: usize,
    pub rows: usize,
}

impl Unit {
    /// The offset of its weights for output channel 0.
    pub fn weights(&self, geometry: &Geometry) -> isize {
        let Geometry { axes: [z, y, _], w, .. } = geometry;
        let [channel, slice, row] = [self.channel, self.slice, self.row].map(|n| n as isize);
        w.offset + channel * w.channel + slice * z.w + row * y.w
    }
}

pub(super) struct Window {
    kernels: &'static Kernels,
    /// Distances between channels, rows and columns of the window.
    pub steps: [isize; 3],
    /// Distances between images, and between positions of the window on each axis.
    image: isize,
    outs: [isize; 3],
    copied: Option<Copied>,
}

/// The layout of a copy: for each image, channel of a unit and slice of the output, `rows` rows
/// whose columns are ordered by residue, so that adjacent elements of the window are adjacent in
/// memory.
#[derive(Clone, Copy)]
struct Copied {
    channels: usize,
    slices: usize,
    rows: usize,
    residues: usize,
    /// Columns of one residue.
    width: usize,
}

impl Copied {
    fn plane(&self) -> usize {
        self.rows * self.residues * self.width
    }

    fn image(&self) -> usize {
        self.channels * self.slices * self.plane()
    }
}

impl Window {
    /// A window for units of at most `channels` and `rows`. If `lanes_in_window`, adjacent columns
    /// of the window have to be adjacent in memory.
    pub fn new(
        geometry: &Geometry,
        kernels: &'static Kernels,
        channels: usize,
        rows: usize,
        lanes_in_window: bool,
    ) -> Window {
        let [z, y, x] = &geometry.axes;
        let col = x.dilation as isize * x.x;
        if geometry.is_dense() && (col == 1 || !lanes_in_window) {
            let outs = [z, y, x].map(|axis| axis.stride as isize * axis.x);
            let steps = [geometry.x.channel, y.dilation as isize * y.x, col];
            return Window { kernels, steps, image: geometry.x.outer, outs, copied: None };
        }
        let residues = if lanes_in_window { x.dilation } else { 1 };
        let columns = (x.out - 1) * x.stride + (x.taps - 1) * x.dilation + 1;
        let copied = Copied {
            channels,
            slices: z.out,
            rows: (y.out - 1) * y.stride + (rows - 1) * y.dilation + 1,
            residues,
            width: columns.div_ceil(residues),
        };
        let (plane, pitch) = (copied.plane() as isize, residues * copied.width);
        Window {
            kernels,
            steps: [
                plane * z.out as isize,
                (y.dilation * pitch) as isize,
                (x.dilation / residues) as isize,
            ],
            image: copied.image() as isize,
            outs: [plane, (y.stride * pitch) as isize, x.stride as isize],
            copied: Some(copied),
        }
    }

    /// Number of elements of the copy of an image.
    pub fn copied_len(&self) -> usize {
        self.copied.as_ref().map_or(0, Copied::image)
    }

    /// The offset of each position of `images` images, image by image.
    pub fn positions(&self, geometry: &Geometry, images: usize) -> Vec<isize> {
        let [depth, height, width] = geometry.axes.map(|axis| axis.out as isize);
        let col = |x: isize| match &self.copied {
            Some(Copied { residues, width, .. }) => {
                let (residues, width) = (*residues as isize, *width as isize);
                x * self.outs[2] % residues * width + x * self.outs[2] / residues
            }
            None => x * self.outs[2],
        };
        let mut positions = Vec::with_capacity(images * geometry.positions());
        for image in 0..images as isize {
            for z in 0..depth {
                for y in 0..height {
                    let row = image * self.image + z * self.outs[0] + y * self.outs[1];
                    positions.extend((0..width).map(|x| row + col(x)));
                }
            }
        }
        positions
    }

    /// The address of what the first position of a unit reads, for `images` images from `first` on.
    /// The part is copied to `buffer` if necessary.
    ///
    /// # Safety
    /// - The contract of [`Job`], whose geometry is the one of this window.
    /// - Bounds: `unit`, `group` and the images are inside the geometry. Panics if `buffer` has
    ///   fewer than [`Window::copied_len`] elements per image.
    /// - Lifetime: the returned address is valid as long as `buffer` and the input.
    pub unsafe fn prepare(
        &self,
        job: &Job,
        group: usize,
        first: usize,
        images: usize,
        unit: &Unit,
        buffer: &mut [f32],
    ) -> *const f32 {
        let geometry = job.geometry;
        let [z, y, x] = &geometry.axes;
        let at = geometry.image(first, group) + unit.channel as isize * geometry.x.channel;
        let slice = (unit.slice * z.dilation) as isize - z.before;
        let row = (unit.row * y.dilation) as isize - y.before;
        let Some(copied) = &self.copied else {
            return job.x().wrapping_offset(at + slice * z.x + row * y.x - x.before * x.x);
        };
        let planes = buffer[..images * copied.image()].chunks_exact_mut(copied.plane());
        for (n, plane) in planes.enumerate() {
            plane.fill(0.0);
            let (n, out) = (n / z.out, n % z.out);
            let (image, channel) = (n / copied.channels, n % copied.channels);
            let slice = element_at(slice + (out * z.stride) as isize, z.spread, z.len);
            let Some(slice) = slice.filter(|_| channel < unit.channels) else { continue };
            let from = at + image as isize * geometry.x.outer + slice as isize * z.x;
            let from = job.x().wrapping_offset(from + channel as isize * geometry.x.channel);
            // SAFETY: the slice is inside the image.
            unsafe { self.fill(geometry, copied, from, [row, -x.before], plane) };
        }
        buffer.as_ptr()
    }

    /// Copies the rectangle of a slice that begins at coordinate `[row, col]` to a plane of zeros.
    ///
    /// # Safety
    /// - Bounds: `from` is the address of a slice of an image of `geometry`, all of which is valid
    ///   for reads. `to` is a plane of `copied`.
    /// - Initialization: the slice is initialized.
    /// - Aliasing: nothing writes the slice during the call.
    unsafe fn fill(
        &self,
        geometry: &Geometry,
        copied: &Copied,
        from: *const f32,
        [row, col]: [isize; 2],
        to: &mut [f32],
    ) {
        let [_, y, x] = &geometry.axes;
        let Copied { residues, width, .. } = *copied;
        let pitch = residues * width;
        if x.spread == 1 && y.spread == 1 {
            let (top, bottom) = inside(row, 1, y.len, copied.rows);
            for residue in 0..residues {
                let col = col + residue as isize;
                let (left, right) = inside(col, residues, x.len, width);
                if top == bottom || left == right {
                    continue;
                }
                let col = col + (left * residues) as isize;
                let at = (row + top as isize) * y.x + col * x.x;
                let rows = CopyArgs {
                    from: from.wrapping_offset(at),
                    from_row: y.x,
                    to: to[top * pitch + residue * width + left..].as_mut_ptr(),
                    to_row: pitch,
                    count: bottom - top,
                    len: right - left,
                };
                // SAFETY: the rows are inside the image and inside `to`.
                unsafe { copy(self.kernels, residues as isize * x.x, &rows) };
            }
            return;
        }
        for (n, to) in to.chunks_exact_mut(pitch).enumerate() {
            let Some(row) = element_at(row + n as isize, y.spread, y.len) else { continue };
            for (i, to) in to.iter_mut().enumerate() {
                let i = i % width * residues + i / width;
                if let Some(col) = element_at(col + i as isize, x.spread, x.len) {
                    // SAFETY: the element is inside the image.
                    *to = unsafe { *from.offset(row as isize * y.x + col as isize * x.x) };
                }
            }
        }
    }
}

/// The index of the element at a coordinate of an axis whose elements are `spread` apart.
fn element_at(coordinate: isize, spread: usize, len: usize) -> Option<usize> {
    let coordinate = usize::try_from(coordinate).ok()?;
    let index = coordinate / spread;
    (coordinate.is_multiple_of(spread) && index < len).then_some(index)
}
