//! What lies under a large window: the image itself, or a copy with zeros where the image is padded
//! or spread. Every position sees elements that are the same steps apart.
use super::Job;
use super::geometry::Geometry;
use super::kernel::{Kernels, Rows};
use super::slab::{copy, inside};

/// Some of the elements under the window: channels, one slice, and rows.
pub(super) struct Unit {
    pub channel: usize,
    pub channels: usize,
    pub slice: usize,
    pub row: usize,
    pub rows: usize,
}

impl Unit {
    /// Where its weights begin for output channel 0.
    pub fn weights(&self, geometry: &Geometry) -> isize {
        let Geometry { axes: [z, y, _], w, .. } = geometry;
        let [channel, slice, row] = [self.channel, self.slice, self.row].map(|n| n as isize);
        w.offset + channel * w.channel + slice * z.w + row * y.w
    }
}

pub(super) struct Window {
    kernels: &'static Kernels,
    /// Steps between channels, rows and columns under the window.
    pub steps: [isize; 3],
    /// Steps between images, and between positions of the window on each axis.
    image: isize,
    outs: [isize; 3],
    copied: Option<Copied>,
}

/// A copy: for each image and channel of a unit and each slice of the output, `rows` of columns
/// ordered by their residue, so that neighbours under the window can be neighbours in memory.
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
    /// For units of at most `channels` and `rows`; where `is_along`, neighbours under the window
    /// have to be neighbours in memory.
    pub fn new(
        geometry: &Geometry,
        kernels: &'static Kernels,
        channels: usize,
        rows: usize,
        is_along: bool,
    ) -> Window {
        let [z, y, x] = &geometry.axes;
        let col = x.dilation as isize * x.x;
        if geometry.is_dense() && (col == 1 || !is_along) {
            let outs = [z, y, x].map(|axis| axis.stride as isize * axis.x);
            let steps = [geometry.x.channel, y.dilation as isize * y.x, col];
            return Window { kernels, steps, image: geometry.x.outer, outs, copied: None };
        }
        let residues = if is_along { x.dilation } else { 1 };
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

    /// Elements of the copy of an image.
    pub fn copied(&self) -> usize {
        self.copied.as_ref().map_or(0, Copied::image)
    }

    /// Where each position of `images` images begins, image by image.
    pub fn places(&self, geometry: &Geometry, images: usize) -> Vec<isize> {
        let [depth, height, width] = geometry.axes.map(|axis| axis.out as isize);
        let col = |x: isize| match &self.copied {
            Some(Copied { residues, width, .. }) => {
                let (residues, width) = (*residues as isize, *width as isize);
                x * self.outs[2] % residues * width + x * self.outs[2] / residues
            }
            None => x * self.outs[2],
        };
        let mut places = Vec::with_capacity(images * geometry.positions());
        for image in 0..images as isize {
            for z in 0..depth {
                for y in 0..height {
                    let row = image * self.image + z * self.outs[0] + y * self.outs[1];
                    places.extend((0..width).map(|x| row + col(x)));
                }
            }
        }
        places
    }

    /// What a unit sees of `images` images from `first` on: where the first position begins.
    ///
    /// # Safety
    /// The buffers are as large as the views say, and `room` has [`Window::copied`] for each image.
    pub unsafe fn start(
        &self,
        job: &Job,
        group: usize,
        first: usize,
        images: usize,
        unit: &Unit,
        room: &mut [f32],
    ) -> *const f32 {
        let geometry = job.geometry;
        let [z, y, x] = &geometry.axes;
        let at = geometry.image(first, group) + unit.channel as isize * geometry.x.channel;
        let slice = (unit.slice * z.dilation) as isize - z.before;
        let row = (unit.row * y.dilation) as isize - y.before;
        let Some(copied) = &self.copied else {
            return job.x().wrapping_offset(at + slice * z.x + row * y.x - x.before * x.x);
        };
        let planes = room[..images * copied.image()].chunks_exact_mut(copied.plane());
        for (n, plane) in planes.enumerate() {
            plane.fill(0.0);
            let (n, out) = (n / z.out, n % z.out);
            let (image, channel) = (n / copied.channels, n % copied.channels);
            let slice = hit(slice + (out * z.stride) as isize, z.spread, z.len);
            let Some(slice) = slice.filter(|_| channel < unit.channels) else { continue };
            let from = at + image as isize * geometry.x.outer + slice as isize * z.x;
            let from = job.x().wrapping_offset(from + channel as isize * geometry.x.channel);
            // SAFETY: the slice lies inside the image.
            unsafe { self.fill(geometry, copied, from, [row, -x.before], plane) };
        }
        room.as_ptr()
    }

    /// Copies the rectangle of a slice that begins at place `[row, col]` to a plane of zeros.
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
                let rows = Rows {
                    from: from.wrapping_offset(at),
                    from_row: y.x,
                    to: to[top * pitch + residue * width + left..].as_mut_ptr(),
                    to_row: pitch,
                    count: bottom - top,
                    len: right - left,
                };
                // SAFETY: the rows lie inside the image and inside `to`.
                unsafe { copy(self.kernels, residues as isize * x.x, &rows) };
            }
            return;
        }
        for (n, to) in to.chunks_exact_mut(pitch).enumerate() {
            let Some(row) = hit(row + n as isize, y.spread, y.len) else { continue };
            for (i, to) in to.iter_mut().enumerate() {
                let i = i % width * residues + i / width;
                if let Some(col) = hit(col + i as isize, x.spread, x.len) {
                    // SAFETY: the element lies inside the image.
                    *to = unsafe { *from.offset(row as isize * y.x + col as isize * x.x) };
                }
            }
        }
    }
}

/// The element at a place of an axis whose elements are `spread` apart.
fn hit(place: isize, spread: usize, len: usize) -> Option<usize> {
    let place = usize::try_from(place).ok()?;
    (place.is_multiple_of(spread) && place / spread < len).then_some(place / spread)
}
