//! Chains of movement ops.
use super::{GraphBuilder, fit};
use brasa_ir::ops::Fold;
use brasa_ir::{Expr, compose};

impl<'g> GraphBuilder<'g> {
    pub(super) fn movements(&mut self) {
        let rank = self.random.within(1, 5);
        let shape = self.random.shape(rank, self.most);
        self.input(&shape);
        for _ in 0..self.random.within(2, 9) {
            let (x, bound) = self.any();
            let (y, bound) = match self.random.below(6) {
                0 => self.reduced(x, bound),
                1 => self.pointwise(x, bound),
                2 => (self.joined(x), bound),
                _ => (self.moved(x), bound),
            };
            self.keep(y, bound);
        }
    }

    pub(super) fn joined(&mut self, x: Expr<'g>) -> Expr<'g> {
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        if 3 * x.elements() > self.most.max(64) {
            return x;
        }
        let axis = self.random.below(x.rank());
        let parts: Vec<Expr> = (0..self.random.within(1, 2))
            .map(|_| {
                let (other, _) = self.any();
                fit(other, &x.shape().with(axis, self.random.within(1, 5)))
            })
            .collect();
        let parts = [vec![x], parts].concat();
        compose::cat(self.g, parts, axis as isize).expect("parts fit")
    }

    pub(super) fn moved(&mut self, x: Expr<'g>) -> Expr<'g> {
        let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
        let axis = self.random.below(x.rank());
        let (shape, len) = (x.shape(), x.len(axis));
        let left = self.most.max(64) / x.elements().max(1);
        match self.random.below(8) {
            0 => {
                let mut axes: Vec<usize> = (0..x.rank()).collect();
                axes.rotate_left(self.random.below(x.rank()));
                axes.swap(0, axis);
                x.permute(&axes)
            }
            1 => {
                let mask = self.random.within(1, 31);
                let axes: Vec<usize> = (0..x.rank()).filter(|axis| mask >> axis & 1 == 1).collect();
                x.flip(&axes)
            }
            2 => {
                let (start, step) = (self.random.below(len), self.random.within(1, 4));
                let most = (len - start).div_ceil(step);
                x.stride(axis, start, self.random.within(most.div_ceil(2), most), step)
            }
            3 if left > 1 && x.rank() < 6 => {
                let mut shape = shape;
                shape.insert(axis, self.random.length(left));
                x.unsqueeze(axis).expand(&shape)
            }
            4 => {
                let (before, after) = (self.random.below(4), self.random.below(4));
                x.pad(axis, before, after, self.random.below(3) as f64 * 0.5)
            }
            5 if x.rank() < 6 => {
                let (size, step, dilation) =
                    (self.random.within(1, 4), self.random.within(1, 3), self.random.within(1, 2));
                let size = size.min((len - 1) / dilation + 1).min(left.max(1) * step);
                x.window(axis, size.max(1), step, dilation)
            }
            6 => {
                let rank = self.random.within(1, 4);
                let to = self.factors(x.elements(), rank);
                x.reshape(&to)
            }
            _ if x.rank() >= 2 && x.rank() < 6 => self.folded(x),
            _ => x.reshape(&[x.elements()]),
        }
    }

    /// A fold: adds windows at the positions that they were taken from.
    pub(super) fn folded(&mut self, x: Expr<'g>) -> Expr<'g> {
        let axis = self.random.below(x.rank() - 1);
        let (windows, size) = (x.len(axis), x.len(x.rank() - 1));
        let (step, dilation) = (self.random.within(1, 3), self.random.within(1, 2));
        let len = (windows - 1) * step + (size - 1) * dilation + 1 + self.random.below(step);
        if size > 9 || len * x.elements() / (windows * size) > self.most.max(64) {
            return x;
        }
        self.g.emit(Fold { axis, len, step, dilation }, &[x]) * (1.0 / size as f64)
    }

    /// A random shape with this number of elements.
    pub(super) fn factors(&mut self, elements: usize, rank: usize) -> Vec<usize> {
        let mut shape = vec![1; rank];
        let mut left = elements;
        for axis in (1..rank).rev() {
            let divisors: Vec<usize> =
                (1..=left.min(600)).filter(|d| left.is_multiple_of(*d)).collect();
            shape[axis] = self.random.pick(&divisors);
            left /= shape[axis];
        }
        shape[0] = left;
        shape
    }
}
