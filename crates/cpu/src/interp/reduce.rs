//! Reductions of a stage: running results of its tiles become values of rows.
use super::class::{self, Class};
use super::fold::{self, RUNNING};
use super::prepare::{Instr, Kind};
use super::run::Thread;
use super::stages::CHAINED;
use super::vector::Operand;

impl Thread<'_> {
    /// The running results of a reduction, which is the `n`-th of its stage.
    fn running(&self, n: usize) -> Operand {
        let start = self.base.wrapping_add(self.code.running.start);
        Operand { ptr: start.wrapping_add(self.skip(n)), rows: 0 }
    }

    /// What a chain leaves of the `n`-th reduction of its stage: a line for each row, or one in all.
    pub(super) fn chained(&self, n: usize) -> Operand {
        let ptr = self.base.wrapping_add(self.code.chained + n * self.code.chained_bytes());
        Operand { ptr, rows: if self.code.is_by_columns() { 0 } else { CHAINED as isize } }
    }

    /// Begins the reductions of rows that chains add to.
    pub(super) unsafe fn begin_chained(&mut self, stage: usize) {
        let code = self.code;
        if !code.is_by_columns() {
            return;
        }
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            if let Kind::Reduce { by, is_chained: true, .. } = instr.kind {
                let class = code.instrs[instr.args[0]].class;
                let (to, neutral) = (self.chained(i), fold::neutral(by, class));
                // SAFETY: there is an element for each lane.
                unsafe { class::fill(class, to.ptr, self.full.lanes, neutral) };
            }
        }
    }

    fn skip(&self, n: usize) -> usize {
        n * self.code.running_bytes()
    }

    pub(super) unsafe fn begin_reduces(&mut self, stage: usize) {
        for (i, &n) in self.code.stages[stage].reduces.iter().enumerate() {
            let instr = &self.code.instrs[n];
            let Kind::Reduce { by, folds, .. } = instr.kind else { continue };
            let (running, neutral) = (self.running(i), fold::neutral(by, folds.class));
            // SAFETY: there is a running result for each value of a row.
            unsafe { class::fill(folds.class, running.ptr, self.row.lanes, neutral) };
        }
    }

    /// Adds the current tile to the running results.
    pub(super) unsafe fn fold(&mut self, stage: usize, position: usize) {
        let code = self.code;
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            let Kind::Reduce { folds, is_chained, .. } = instr.kind else { continue };
            if is_chained {
                let args = [self.chained(i), Operand::NONE, Operand::NONE];
                let running = self.running(i);
                // SAFETY: the chain has left these results.
                unsafe {
                    match code.is_by_columns() {
                        true => (folds.rows)(1, self.full.lanes, running, &args),
                        false => (folds.lanes)(self.full.rows, RUNNING, running, &args),
                    }
                }
                continue;
            }
            let of = self.operand(instr.args[0], position);
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
            let (to, running, lanes) = (self.values[n], self.running(i), self.row.lanes);
            // SAFETY: registers have a value for each row.
            unsafe {
                (folds.result)(1, lanes, to, &[running, Operand::NONE, Operand::NONE]);
                if !instr.class.is_float() && !Class::is_stored_as(instr.dtype) {
                    wrap(instr, to.ptr, lanes);
                }
                self.store(n, 0, |_| true);
            }
        }
    }
}

/// Wraps integers as their dtype does.
unsafe fn wrap(instr: &Instr, x: *mut u8, len: usize) {
    for i in 0..len {
        // SAFETY: promised by the caller.
        unsafe {
            let int = instr.dtype.wrap(class::get_i64(instr.class, x, i));
            class::set(instr.class, x, i, int as f64, int);
        }
    }
}
