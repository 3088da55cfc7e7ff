//! Chains where no code can be made at run time: there are none.
use super::prepare::{Instr, Setting, Write};
use super::run::Thread;
use super::shape::Mode;
use super::stages::Stage;
use std::ops::Range;

pub(crate) struct Chain {
    pub(crate) members: Range<usize>,
}

#[allow(dead_code, reason = "nobody looks around where there are no chains")]
pub(crate) struct Around<'a> {
    pub(crate) writes: &'a [Write],
    pub(crate) setting: Setting<'a>,
    pub(crate) mode: Mode,
    pub(crate) is_short: bool,
}

pub(crate) fn find(_: &mut [Instr], _: &mut [Stage], _: Around) {}

impl Thread<'_> {
    pub(super) unsafe fn chain(&mut self, _: &Chain, _: usize) {}
}
