//! A zero-padded copy of the part of an image that a task reads. If the window moves by a stride
//! above one, rows and columns are grouped by their residue modulo the stride, so that adjacent
//! positions always read adjacent elements.
use super::geometry::{Geometry, Phase};
use super::kernel::{CopyArgs, Kernels};

pub(super) struct Slab {
    /// The distance between rows.
    pub pitch: usize,
    /// The offset of each channel and tap.
    pub offsets: Vec<isize>,
    rows: usize,
    residues: [Residues; 2],
    phases: [Phase; 3],
}

/// The residues of the taps of an axis modulo the window's stride.
struct Residues {
    /// The lowest tap offset.
    low: isize,
    /// The distinct residues of tap offsets relative to the lowest.
    used: Vec<usize>,
}

impl Residues {
    fn new(phase: &Phase) -> Residues {
        let low = phase.tap_range().0;
        let residue = |&(_, at): &(usize, isize)| (at - low) as usize % phase.advance;
        let mut used: Vec<usize> = phase.taps.iter().map(residue).collect();
        used.sort_unstable();
        used.dedup();
        Residues { low, used }
    }

    /// The index of a tap's residue in `used`, and the tap's distance in strides.
    fn of(&self, phase: &Phase, at: isize) -> (usize, usize) {
        let distance = (at - self.low) as usize;
        let residue = distance % phase.advance;
        let number = self.used.iter().position(|&r| r == residue);
        (number.expect("a tap's residue is used"), distance / phase.advance)
    }
}

/// Distance in strides from the lowest tap to the highest.
fn span(phase: &Phase) -> usize {
    let (low, high) = phase.tap_range();
    (high - low) as usize / phase.advance
}

impl Slab {
    /// The distance between rows, for a phase of the last axis.
    pub fn pitch(x: &Phase) -> usize {
        x.count + span(x)
    }

    /// A slab for at most `rows` rows of output.
    pub fn new(channels: usize, phases: &[Phase; 3], rows: usize) -> Slab {
        let [z, y, x] = phases;
        let residues = [Residues::new(y), Residues::new(x)];
        let (pitch, rows) = (Slab::pitch(x), rows + span(y));
        let mut slab = Slab { pitch, offsets: Vec::new(), rows, residues, phases: phases.clone() };
        for c in 0..channels {
            for zi in 0..z.taps.len() {
                for &(_, at) in &y.taps {
                    let (yi, row) = slab.residues[0].of(y, at);
                    for &(_, at) in &x.taps {
                        let (xi, col) = slab.residues[1].of(x, at);
                        let offset = slab.plane(c, zi, yi, xi) + row * pitch + col;
                        slab.offsets.push(offset as isize);
                    }
                }
            }
        }
        slab
    }

    /// The number of positions from the first of `rows` rows to the last.
    pub fn run(&self, rows: usize) -> usize {
        (rows - 1) * self.pitch + self.phases[2].count
    }

    pub fn elements(&self, channels: usize) -> usize {
        self.plane(channels, 0, 0, 0)
    }

    /// The offset of the plane of one channel, depth tap and residue.
    fn plane(&self, c: usize, zi: usize, yi: usize, xi: usize) -> usize {
        let [ys, xs] = [self.residues[0].used.len(), self.residues[1].used.len()];
        (((c * self.phases[0].taps.len() + zi) * ys + yi) * xs + xi) * self.rows * self.pitch
    }

    /// Copies what outputs of `slice` read, from row `first` on, from the image at `from`.
    ///
    /// # Safety
    /// - Bounds: `from` is the address of a group of an image of `geometry`, all of which is valid
    ///   for reads.
    /// - Initialization: the image is initialized.
    /// - Aliasing: nothing writes the image during the call.
    /// - Level: the CPU supports the instructions of `kernels`.
    pub unsafe fn fill(
        &self,
        geometry: &Geometry,
        kernels: &Kernels,
        from: *const f32,
        slice: usize,
        first: usize,
        to: &mut [f32],
    ) {
        let [z, y, x] = &self.phases;
        let [depth, height, width] = &geometry.axes;
        let start = self.residues[0].low + (first * y.advance) as isize;
        let (row_step, step) = (y.advance as isize * height.x, x.advance as isize * width.x);
        let elements = self.elements(geometry.channels);
        to[elements..].fill(0.0);
        let mut planes = to[..elements].chunks_exact_mut(self.rows * self.pitch);
        for c in 0..geometry.channels as isize {
            for &(_, at) in &z.taps {
                let z = (slice * z.advance) as isize + at;
                let has_slice = z >= 0 && z < depth.len as isize;
                let from = from.wrapping_offset(c * geometry.x.channel + z * depth.x);
                for &residue in &self.residues[0].used {
                    let row = start + residue as isize;
                    let (top, bottom) = inside(row, y.advance, height.len, self.rows);
                    for &residue in &self.residues[1].used {
                        let col = self.residues[1].low + residue as isize;
                        let (left, right) = inside(col, x.advance, width.len, self.pitch);
                        let plane = planes.next().expect("as many planes as loops");
                        let is_empty = !has_slice || top == bottom || left == right;
                        let copied = (bottom - top) * (right - left);
                        if is_empty || copied < plane.len() {
                            plane.fill(0.0);
                        }
                        if is_empty {
                            continue;
                        }
                        let row = (row + (top * y.advance) as isize) * height.x;
                        let col = (col + (left * x.advance) as isize) * width.x;
                        let from = from.wrapping_offset(row + col);
                        let to = plane[top * self.pitch + left..].as_mut_ptr();
                        // SAFETY: rows and columns are inside the image and inside the plane.
                        unsafe {
                            copy(
                                kernels,
                                step,
                                &CopyArgs {
                                    from,
                                    from_row: row_step,
                                    to,
                                    to_row: self.pitch,
                                    count: bottom - top,
                                    len: right - left,
                                },
                            );
                        }
                    }
                }
            }
        }
    }
}

/// The range of `i` in `0..count` for which `start + i · step` is in `0..len`.
pub(super) fn inside(start: isize, step: usize, len: usize, count: usize) -> (usize, usize) {
    let until = |end: isize| (end - start).max(0) as usize;
    let first = until(0).div_ceil(step).min(count);
    (first, until(len as isize).div_ceil(step).clamp(first, count))
}

/// Copies rows whose elements are `step` apart in the source.
///
/// # Safety
/// As [`Kernels::copy`], with `step` as the distance between source elements.
pub(super) unsafe fn copy(kernels: &Kernels, step: isize, rows: &CopyArgs) {
    // SAFETY: upheld by the caller.
    unsafe {
        if step == 1 {
            return (kernels.copy)(rows);
        }
        for row in 0..rows.count {
            let from = rows.from.offset(row as isize * rows.from_row);
            let to = rows.to.add(row * rows.to_row);
            for i in 0..rows.len {
                *to.add(i) = *from.offset(i as isize * step);
            }
        }
    }
}
