//! Checked mode: after each launch, compares its results with reference evaluation, and memory that
//! it does not own with its previous content. Devices run the launches one by one and read the
//! memory; the comparison and the error messages are shared here.
use crate::program::Launch;
use crate::program::evaluate::evaluate;
use crate::schedule::kernel::{Body, Kernel};
use brasa_ir::bounds::{Bounded, Difference, difference};
use brasa_ir::ops::Op;
use brasa_ir::{Array, Error, Number, Result, Site, Type};
use std::ops::Range;

/// The byte that fills memory before a checked run: NaN in every float, −1 in every signed integer.
pub const UNWRITTEN: u8 = 0xff;

/// A launch that has run, with the memory before and after it.
pub struct CheckedLaunch<'a> {
    pub number: usize,
    pub launch: &'a Launch,
    pub slots: &'a [Number],
    /// The values that it reads, from before the launch.
    pub reads: &'a [Array],
    /// The values that it has written.
    pub writes: &'a [Array],
    /// All memory that it can access.
    pub memory: &'a [Region<'a>],
}

/// A region of memory, before and after a launch.
pub struct Region<'a> {
    pub name: String,
    pub before: &'a [u8],
    pub now: &'a [u8],
    /// The bytes that the launch may write.
    pub owned: Vec<Range<usize>>,
}

impl CheckedLaunch<'_> {
    /// An error if the launch wrote to memory that it does not own, or if a result is outside the
    /// error bounds of reference evaluation.
    pub fn verdict(&self) -> Result<()> {
        let owned = self.memory.iter().try_for_each(Region::check);
        owned.and_then(|()| self.check_results()).map_err(|what| self.failure(&what))
    }

    fn check_results(&self) -> Result<(), String> {
        if is_custom(&self.launch.kernel) {
            return Ok(());
        }
        let reads: Vec<Bounded> = self.reads.iter().map(Bounded::exact).collect();
        let wanted = evaluate(&self.launch.kernel, &reads, self.slots)?;
        let differing = self.writes.iter().zip(&wanted).find_map(|(got, want)| {
            difference(got, want).map(|difference| describe(&got.ty, &difference))
        });
        differing.map_or(Ok(()), Err)
    }

    fn failure(&self, what: &str) -> Error {
        let Launch { kernel, call, site, .. } = self.launch;
        let what = format!("kernel {} ({}) is wrong: {what}", self.number, kernel.name());
        let error = Error::device(call, what).help(
            "this is a bug in Brasa: please report it with the kernel as printed by `explain`",
        );
        error.at(Site::Text(site.as_str().into()))
    }
}

impl Region<'_> {
    /// Fails if bytes that the launch does not own have changed.
    fn check(&self) -> Result<(), String> {
        if self.before == self.now {
            return Ok(());
        }
        let is_owned = |at: usize| self.owned.iter().any(|range| range.contains(&at));
        let is_wrong = |at: &usize| self.now[*at] != self.before[*at] && !is_owned(*at);
        match (0..self.now.len()).find(is_wrong) {
            Some(at) => Err(format!(
                "byte {at} of {} was written by a kernel that does not own it",
                self.name
            )),
            None => Ok(()),
        }
    }
}

fn is_custom(kernel: &Kernel) -> bool {
    matches!(&kernel.body, Body::Library { op: Op::Custom(_), .. })
}

fn describe(ty: &Type, Difference { element, got, want, bound }: &Difference) -> String {
    let mut index = Vec::new();
    let mut rest = *element;
    for &len in ty.shape.iter().rev() {
        index.insert(0, rest % len.max(1));
        rest /= len.max(1);
    }
    format!(
        "element {index:?} of {ty} is {got}, but reference evaluation gives {want} ± {bound:.1e}"
    )
}
