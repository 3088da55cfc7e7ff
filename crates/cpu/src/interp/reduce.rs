//! Reductions: running results of a row, or of every column of a block.
use super::block::{self, Class};
use super::prepare::Kind;
use super::run::Thread;
use brasa_ir::ops::ReduceOp;

impl Thread<'_> {
    /// The running results of a reduction: one for each lane, 8 bytes wide.
    fn running(&self, n: usize) -> *mut u8 {
        let lanes = self.code.block_bytes();
        // SAFETY: a reduction's register has room for three blocks.
        unsafe { self.base.add(self.code.instrs[n].register + lanes) }
    }

    pub(super) unsafe fn begin_reduces(&mut self, stage: usize, lanes: usize) {
        for &n in &self.code.stages[stage].reduces {
            let Kind::Reduce { by, of } = self.code.instrs[n].kind else { continue };
            let is_float = matches!(self.code.instrs[of].class, Class::F32 | Class::F64);
            let (float, int) = match by {
                ReduceOp::Sum => (0.0, 0),
                ReduceOp::Max => (f64::NEG_INFINITY, i64::MIN),
                ReduceOp::Min => (f64::INFINITY, i64::MAX),
            };
            let class = if is_float { Class::F64 } else { Class::I64 };
            for i in 0..lanes {
                // SAFETY: running results have a block.
                unsafe { block::set(class, self.running(n), i, float, int) };
            }
        }
    }

    pub(super) unsafe fn reduce_row(&mut self, stage: usize, lanes: usize) {
        for &n in &self.code.stages[stage].reduces {
            let Kind::Reduce { by, of } = self.code.instrs[n].kind else { continue };
            let (class, x, running) =
                (self.code.instrs[of].class, self.values[of], self.running(n));
            // SAFETY: the operand has `lanes` elements.
            unsafe {
                match (class, by) {
                    (Class::F32, ReduceOp::Sum) => {
                        *running.cast::<f64>() += block::sum_f32(self.simd, lanes, x.cast());
                    }
                    (Class::F32, _) => {
                        let sign = if by == ReduceOp::Max { 1.0 } else { -1.0 };
                        let best = block::max_f32(self.simd, lanes, x.cast(), sign) as f64;
                        let so_far = *running.cast::<f64>();
                        *running.cast::<f64>() = better(by, so_far, best);
                    }
                    _ => (0..lanes).for_each(|i| accumulate(by, class, running, 0, x, i)),
                }
            }
        }
    }

    pub(super) unsafe fn reduce_columns(&mut self, stage: usize, lanes: usize) {
        for &n in &self.code.stages[stage].reduces {
            let Kind::Reduce { by, of } = self.code.instrs[n].kind else { continue };
            let (class, x, running) =
                (self.code.instrs[of].class, self.values[of], self.running(n));
            // SAFETY: the operand has `lanes` elements.
            unsafe {
                match (class, by) {
                    (Class::F32, ReduceOp::Sum) => {
                        block::add_to_f64(self.simd, lanes, running.cast(), x.cast());
                    }
                    _ => (0..lanes).for_each(|i| accumulate(by, class, running, i, x, i)),
                }
            }
        }
    }

    /// Turns running results into row values.
    pub(super) unsafe fn end_reduces(&mut self, stage: usize, lanes: usize) {
        let code = self.code;
        for &n in &code.stages[stage].reduces {
            let instr = &code.instrs[n];
            let (to, running) = (self.register(n, 0), self.running(n));
            let is_float = matches!(instr.class, Class::F32 | Class::F64);
            let class = if is_float { Class::F64 } else { Class::I64 };
            // SAFETY: registers have a block.
            unsafe {
                for i in 0..lanes {
                    let (float, int) =
                        (block::get_f64(class, running, i), block::get_i64(class, running, i));
                    block::set(instr.class, to, i, float, instr.dtype.wrap(int));
                }
                self.values[n] = to;
                let saved = self.index[code.axes.len() - 1];
                if !code.is_by_columns() {
                    self.splat(n);
                    self.index[code.axes.len() - 1] = 0;
                }
                self.store(n, lanes);
                self.index[code.axes.len() - 1] = saved;
            }
        }
    }
}

/// NaN wins.
fn better(by: ReduceOp, a: f64, b: f64) -> f64 {
    match by {
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        ReduceOp::Min => a.min(b),
        _ => a.max(b),
    }
}

unsafe fn accumulate(
    by: ReduceOp,
    class: Class,
    running: *mut u8,
    lane: usize,
    x: *const u8,
    i: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        if matches!(class, Class::F32 | Class::F64) {
            let (so_far, x) = (running.cast::<f64>().add(lane), block::get_f64(class, x, i));
            *so_far = if by == ReduceOp::Sum { *so_far + x } else { better(by, *so_far, x) };
            return;
        }
        let (so_far, x) = (running.cast::<i64>().add(lane), block::get_i64(class, x, i));
        *so_far = match by {
            ReduceOp::Sum => (*so_far).wrapping_add(x),
            ReduceOp::Max => (*so_far).max(x),
            ReduceOp::Min => (*so_far).min(x),
        };
    }
}
