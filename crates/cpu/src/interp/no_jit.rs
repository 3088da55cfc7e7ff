//! Stub of `chain` for targets without a JIT: there are no chains.
use super::prepare::{Instr, LoopOptions, Write};
use super::run::TileRunner;
use super::shape::Mode;
use super::stages::Stage;
use std::ops::Range;

pub(crate) struct Chain {
    pub(crate) members: Range<usize>,
}

#[allow(dead_code, reason = "fields are only read by the JIT")]
pub(crate) struct LoopInfo<'a> {
    pub(crate) writes: &'a [Write],
    pub(crate) options: LoopOptions<'a>,
    pub(crate) mode: Mode,
    pub(crate) is_short: bool,
}

pub(crate) fn build(_: &mut [Instr], _: &mut [Stage], _: LoopInfo) {}

impl TileRunner<'_> {
    /// # Safety
    /// None: does nothing.
    pub(super) unsafe fn chain(&mut self, _: &Chain, _: usize) {}
}
