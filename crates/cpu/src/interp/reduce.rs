//! Reductions of a stage: running results of its tiles become values of rows.
use super::class::{self, Class};
use super::fold;
use super::prepare::{Instr, Kind};
use super::run::Thread;
use super::vector::Operand;
use brasa_compile::kernel::Level;

impl Thread<'_> {
    /// The running results of a reduction, which is the `n`-th of its stage.
    fn running(&self, n: usize) -> Operand {
        let start = self.base.wrapping_add(self.code.running.start);
        Operand { ptr: start.wrapping_add(self.skip(n)), rows: 0 }
    }

    fn skip(&self, n: usize) -> usize {
        n * self.code.running_bytes()
    }

    pub(super) unsafe fn begin_reduces(&mut self, stage: usize) {
        for (i, &n) in self.code.stages[stage].reduces.iter().enumerate() {
            let instr = &self.code.instrs[n];
            let Kind::Reduce { by, folds } = instr.kind else { continue };
            let (float, int) = fold::neutral(by, folds.class);
            let running = self.running(i);
            for i in 0..self.row.lanes {
                // SAFETY: there is a running result for each value of a row.
                unsafe { class::set(folds.class, running.ptr, i, float, int) };
            }
        }
    }

    /// Adds the current tile to the running results.
    pub(super) unsafe fn fold(&mut self, stage: usize, position: usize) {
        let code = self.code;
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            let Kind::Reduce { folds, .. } = instr.kind else { continue };
            let of = self.operand(instr.args[0], Level::Full, position);
            let function = if code.is_by_columns() { folds.rows } else { folds.lanes };
            let args = [of, Operand::NONE, Operand::NONE];
            // SAFETY: the tile has these elements.
            unsafe { function(self.full.rows, self.full.lanes, self.running(i), &args) };
        }
    }

    /// Adds running results that another thread has found.
    pub(super) unsafe fn merge(&mut self, part: *const u8) {
        let code = self.code;
        for (i, &n) in code.stages[0].reduces.iter().enumerate() {
            let Kind::Reduce { folds, .. } = code.instrs[n].kind else { continue };
            let ptr = part.wrapping_add(self.skip(i)).cast_mut();
            let args = [Operand { ptr, rows: 0 }, Operand::NONE, Operand::NONE];
            // SAFETY: promised by the caller.
            unsafe { (folds.merge)(1, self.row.lanes, self.running(i), &args) };
        }
    }

    /// Turns running results into values of rows.
    pub(super) unsafe fn end_reduces(&mut self, stage: usize) {
        let code = self.code;
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            let Kind::Reduce { folds, .. } = instr.kind else { continue };
            let (to, running) = (self.values[n].ptr, self.running(i).ptr);
            // SAFETY: registers have a value for each row.
            unsafe {
                for i in 0..self.row.lanes {
                    set_result(instr, to, i, folds.class, running);
                }
                self.store(n, 0, |_| true);
            }
        }
    }
}

unsafe fn set_result(instr: &Instr, to: *mut u8, i: usize, class: Class, running: *const u8) {
    // SAFETY: promised by the caller.
    unsafe {
        match class.is_float() {
            true => class::set(instr.class, to, i, class::get_f64(class, running, i), 0),
            false => {
                let int = instr.dtype.wrap(class::get_i64(class, running, i));
                class::set(instr.class, to, i, int as f64, int);
            }
        }
    }
}
