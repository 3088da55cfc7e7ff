//! The checked mode: after each kernel its results are compared with the kernel's plain meaning, and
//! whatever it had no business to write with what it was before. Memory that nothing has written yet
//! holds NaN. Hundreds of times slower than a run.
use crate::device::Executable;
use crate::memory::Buffer;
use crate::pool::Pool;
use brasa_compile::evaluate;
use brasa_compile::kernel::{Body, Kernel};
use brasa_compile::plan::Place;
use brasa_compile::program::Launch;
use brasa_ir::bounds::{Bounded, Difference, difference};
use brasa_ir::ops::Op;
use brasa_ir::{Error, Number, Result, Site, Type};

/// What unwritten memory is filled with: NaN in every float, −1 in every signed integer.
const UNWRITTEN: u8 = 0xff;

impl Executable {
    /// `run`, with every kernel checked. The first one that gives what its plain meaning does not, or
    /// that writes outside of its results, is an error.
    pub fn run_checked(
        &mut self,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
    ) -> Result<()> {
        self.check(inputs, slots)?;
        self.have_arena()?;
        self.arena.bytes_mut().fill(UNWRITTEN);
        for n in 0..self.program.launches.len() {
            let reads: Vec<Bounded> = {
                let ids = &self.program.launches[n].reads;
                ids.iter().map(|&id| Bounded::exact(&self.array(inputs, id))).collect()
            };
            let before = self.memory(inputs);
            self.launch(n..n + 1, pool, inputs, slots)?;
            let launch = &self.program.launches[n];
            self.check_guards(launch, inputs, &before).map_err(|what| failure(n, launch, &what))?;
            self.check_results(launch, inputs, &reads, slots)
                .map_err(|what| failure(n, launch, &what))?;
        }
        self.copy(inputs);
        Ok(())
    }

    /// All memory that a launch could reach: the arena, then the inputs.
    fn memory(&self, inputs: &[Buffer]) -> Vec<Vec<u8>> {
        let all = std::iter::once(&self.arena).chain(inputs);
        all.map(|buffer| buffer.bytes().to_vec()).collect()
    }

    /// Whether a launch left alone what is not its own.
    fn check_guards(
        &self,
        launch: &Launch,
        inputs: &[Buffer],
        before: &[Vec<u8>],
    ) -> std::result::Result<(), String> {
        let written: Vec<(usize, usize, usize)> = launch
            .writes
            .iter()
            .map(|id| {
                let buffer = &self.program.buffers[id.index()];
                match buffer.place {
                    Place::Input(n) => (n + 1, 0, buffer.ty.bytes()),
                    Place::Arena(offset) => (0, offset, offset + buffer.ty.bytes()),
                }
            })
            .collect();
        let all = std::iter::once(&self.arena).chain(inputs);
        for (n, (now, before)) in all.zip(before).enumerate() {
            let is_own = |at: usize| {
                written.iter().any(|&(of, start, end)| of == n && (start..end).contains(&at))
            };
            let mut pairs = now.bytes().iter().zip(before).enumerate();
            if let Some((at, _)) = pairs.find(|(at, (now, before))| now != before && !is_own(*at)) {
                let what =
                    if n == 0 { "the arena".to_string() } else { format!("input {}", n - 1) };
                return Err(format!(
                    "byte {at} of {what} was written by a kernel that does not own it"
                ));
            }
        }
        Ok(())
    }

    /// Whether a launch's results are those of its plain meaning.
    fn check_results(
        &self,
        launch: &Launch,
        inputs: &[Buffer],
        reads: &[Bounded],
        slots: &[Number],
    ) -> std::result::Result<(), String> {
        if is_of_user(&launch.kernel) {
            return Ok(());
        }
        let wanted = evaluate(&launch.kernel, reads, slots)?;
        for (&id, want) in launch.writes.iter().zip(&wanted) {
            let got = self.array(inputs, id);
            if let Some(difference) = difference(&got, want) {
                return Err(describe(&got.ty, &difference));
            }
        }
        Ok(())
    }
}

fn is_of_user(kernel: &Kernel) -> bool {
    matches!(&kernel.body, Body::Library { op: Op::Custom(_), .. })
}

fn describe(ty: &Type, Difference { element, got, want, bound }: &Difference) -> String {
    let mut index = Vec::new();
    let mut rest = *element;
    for &len in ty.shape.iter().rev() {
        index.insert(0, rest % len.max(1));
        rest /= len.max(1);
    }
    format!("element {index:?} of {ty} is {got}, but plain evaluation gives {want} ± {bound:.1e}")
}

fn failure(n: usize, launch: &Launch, what: &str) -> Error {
    let what = format!("kernel {n} ({}) is wrong: {what}", launch.kernel.name());
    let error = Error::device(&launch.call, what).help(
        "this is an error in Brasa: please report it with the kernel, as `explain` prints it",
    );
    error.at(Site::Text(launch.site.as_str().into()))
}
