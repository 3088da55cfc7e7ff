//! Reductions of a stage: turns the running results of its tiles into per-row values.
use super::class::{self, Class};
use super::fold::{self, RUNNING};
use super::prepare::{Instr, InstrKind};
use super::run::TileRunner;
use super::stages::CHAINED_BYTES;
use super::vector::Operand;

impl TileRunner<'_> {
    /// The running results of the `n`-th reduction of a stage.
    fn running(&self, n: usize) -> Operand {
        let start = self.base.wrapping_add(self.code.running.start);
        Operand { ptr: start.wrapping_add(self.skip(n)), rows: 0 }
    }

    /// The partial results that a chain leaves of the `n`-th reduction of its stage: one line per
    /// row, or one for all rows.
    pub(super) fn chained(&self, n: usize) -> Operand {
        let ptr = self.base.wrapping_add(self.code.chained + n * self.code.chained_bytes());
        Operand { ptr, rows: if self.code.is_by_columns() { 0 } else { CHAINED_BYTES as isize } }
    }

    /// Initializes the partial results that chains add rows to.
    ///
    /// # Safety
    /// As [`TileRunner::step`] for a tile of this stage.
    pub(super) unsafe fn begin_chained(&mut self, stage: usize) {
        let code = self.code;
        if !code.is_by_columns() {
            return;
        }
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            if let InstrKind::Reduce { by, is_chained: true, .. } = instr.kind {
                let class = code.instrs[instr.args[0]].class;
                let (to, neutral) = (self.chained(i), fold::neutral(by, class));
                // SAFETY: the partial results have an element per lane of the largest tile.
                unsafe { class::fill(class, to.ptr, self.full.lanes, neutral) };
            }
        }
    }

    fn skip(&self, n: usize) -> usize {
        n * self.code.running_bytes()
    }

    /// Initializes the running results of a stage.
    ///
    /// # Safety
    /// The current tile is at most as large as `extents`.
    pub(super) unsafe fn begin_reduces(&mut self, stage: usize) {
        for (i, &n) in self.code.stages[stage].reduces.iter().enumerate() {
            let instr = &self.code.instrs[n];
            let InstrKind::Reduce { by, folds, .. } = instr.kind else { continue };
            debug_assert!(self.row.lanes <= self.code.extents.rows, "{} rows", self.row.lanes);
            let (running, neutral) = (self.running(i), fold::neutral(by, folds.class));
            // SAFETY: the register has a running result per value of a row.
            unsafe { class::fill(folds.class, running.ptr, self.row.lanes, neutral) };
        }
    }

    /// Adds the current tile to the running results.
    ///
    /// # Safety
    /// As [`TileRunner::step`]; the element steps of this tile and `begin_reduces` have run.
    pub(super) unsafe fn fold(&mut self, stage: usize, position: usize) {
        let code = self.code;
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            let InstrKind::Reduce { folds, is_chained, .. } = instr.kind else { continue };
            if is_chained {
                let args = [self.chained(i), Operand::NONE, Operand::NONE];
                let running = self.running(i);
                // SAFETY: the chain has written these partial results.
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
            // SAFETY: the operand has the elements of the current tile.
            unsafe { function(self.full.rows, self.full.lanes, self.running(i), &args) };
        }
    }

    /// Adds running results that another thread has computed.
    ///
    /// # Safety
    /// `part` points to `running.len()` bytes of running results of stage 0, written by
    /// `reduce_piece` of the same unit and aligned to 8; `begin_reduces(0)` has run.
    pub(super) unsafe fn merge(&mut self, part: *const u8) {
        debug_assert!(!part.is_null(), "no running results");
        let code = self.code;
        for (i, &n) in code.stages[0].reduces.iter().enumerate() {
            let InstrKind::Reduce { folds, .. } = code.instrs[n].kind else { continue };
            let ptr = part.wrapping_add(self.skip(i)).cast_mut();
            let args = [Operand { ptr, rows: 0 }, Operand::NONE, Operand::NONE];
            // SAFETY: the caller meets the contract.
            unsafe { (folds.merge)(1, self.row.lanes, self.running(i), &args) };
        }
    }

    /// Converts running results to per-row values and stores these.
    ///
    /// # Safety
    /// As [`TileRunner::step`]; `begin_reduces` and all tiles of the stage have run.
    pub(super) unsafe fn end_reduces(&mut self, stage: usize) {
        let code = self.code;
        for (i, &n) in code.stages[stage].reduces.iter().enumerate() {
            let instr = &code.instrs[n];
            let InstrKind::Reduce { folds, .. } = instr.kind else { continue };
            let (to, running, lanes) = (self.values[n], self.running(i), self.row.lanes);
            // SAFETY: registers have a value per row.
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

/// Wraps integers to the range of their dtype.
///
/// # Safety
/// `x` points to `len` initialized elements of the class of `instr`.
unsafe fn wrap(instr: &Instr, x: *mut u8, len: usize) {
    for i in 0..len {
        // SAFETY: the caller meets the contract.
        unsafe {
            let int = instr.dtype.wrap(class::get_i64(instr.class, x, i));
            class::set(instr.class, x, i, int as f64, int);
        }
    }
}
