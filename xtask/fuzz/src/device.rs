//! The devices to test.
use crate::generate::{Case, Kind};
use crate::remote::Remote;
use crate::report::{Paths, add_paths};
use brasa_compile::{Options, Program, compile_with};
use brasa_cpu::{Executable, Pool};
use brasa_gpu::{Gpu, Limits, Shaders, wait_for};
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Id, Number};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// For each step, the outputs followed by the new values of written inputs.
pub type Results = Vec<Vec<Array>>;

/// The number of graphs to generate for one that is run on a GPU.
const CANDIDATES: u64 = 12;

/// An engine of the npm package, as arguments of `packages/brasa/scripts/engine.mjs`.
#[derive(Clone, Copy)]
pub struct WebEngine {
    pub place: &'static str,
    pub device: &'static str,
    pub variant: &'static str,
}

pub enum Device {
    /// The CPU at its level, on one thread and on several.
    Cpu { one: Pool, several: Pool },
    /// An adapter, configured as hardware, as software with and without subgroups, and with small
    /// limits.
    Gpu(Vec<Gpu>),
    /// An engine of the npm package, one per tested number of threads.
    Web { engines: Vec<Remote>, has_doubles: bool },
}

impl Device {
    pub fn cpu() -> Device {
        Device::Cpu { one: Pool::new(1), several: Pool::new(3) }
    }

    pub fn gpu() -> Result<Device, String> {
        let gpu = Gpu::global().map_err(|error| error.to_string())?;
        let hardware = Limits { is_software: false, ..gpu.limits() };
        let software = Limits { is_software: true, ..gpu.limits() };
        let without_subgroups = Limits { subgroup: 0, ..software };
        let small = Limits { buffers: 6, ..gpu.limits() };
        Ok(Device::Gpu(
            [hardware, software, without_subgroups, small]
                .map(|limits| gpu.with_limits(limits))
                .into(),
        ))
    }

    pub fn web(engine: WebEngine) -> Result<Device, String> {
        let WebEngine { place, device, variant } = engine;
        let start = |threads: &&str| {
            let options = ["--device", device, "--variant", variant, "--threads", threads];
            Remote::open(&[&[place], &options[..]].concat())
        };
        let threads: &[&str] =
            if matches!(variant, "single" | "checked") { &["1"] } else { &["1", "3"] };
        let engines = threads.iter().map(start).collect::<Result<_, _>>()?;
        Ok(Device::Web { engines, has_doubles: device == "cpu" })
    }

    /// How often engines of the npm package took each fast path, if they count that.
    pub fn remote_paths(&self) -> Result<Paths, String> {
        let mut all = Paths::new();
        if let Device::Web { engines, .. } = self {
            for engine in engines {
                add_paths(&mut all, engine.paths()?);
            }
        }
        Ok(all)
    }

    pub fn has_doubles(&self) -> bool {
        match self {
            Device::Cpu { .. } => true,
            Device::Gpu(_) => false,
            Device::Web { has_doubles, .. } => *has_doubles,
        }
    }

    pub fn has_dtypes(&self, case: &Case) -> bool {
        let has_doubles = case.graph.nodes().any(|(_, node)| node.ty.dtype == DType::F64);
        self.has_doubles() || !has_doubles
    }

    /// The number of configurations to run a graph in; the seed selects one.
    pub fn configurations(&self) -> u64 {
        match self {
            Device::Cpu { .. } => 4,
            Device::Gpu(kinds) => kinds.len() as u64,
            Device::Web { .. } => 1,
        }
    }

    /// The graph of a kind and seed, or of a related seed. On a GPU, compiling shaders is slow but
    /// generating their text is fast: of several candidates, takes the first one with a new shader
    /// path.
    pub fn choose(&self, kind: Kind, seed: u64) -> (u64, Case) {
        let make = |seed: u64| (seed, Case::generate(kind, seed, self.has_doubles()));
        let Device::Gpu(kinds) = self else { return make(seed) };
        let is_new = |(seed, case): &(u64, Case)| {
            let write = || write_shaders(&kinds[*seed as usize % kinds.len()], case);
            brasa_gpu::paths::takes_new(|| _ = catch_unwind(AssertUnwindSafe(write)))
        };
        let mut candidates = (0..CANDIDATES).map(|n| make(seed + (n << 32)));
        candidates.find(is_new).unwrap_or_else(|| make(seed))
    }

    /// Runs a graph for some steps; `seed` selects the configuration.
    pub fn run(&self, case: &Case, steps: usize, seed: u64) -> Result<Results, String> {
        let checks_kernels = checks_kernels(seed);
        match self {
            Device::Cpu { one, several } => {
                let mut plain = Options { verify: true, ..brasa_cpu::options() };
                plain.target.min_concurrent = 0;
                if checks_kernels {
                    run_cpu(one, case, 1, &plain, Executable::run_checked)?;
                }
                let first = run_cpu(one, case, steps, &plain, Executable::run)?;
                let mut options = plain.clone();
                options.target.min_concurrent = [0, 2, 4][seed as usize / Kind::ALL.len() % 3];
                if seed.is_multiple_of(5) {
                    options.budget = tight_budget(case, &plain);
                }
                let second = run_cpu(several, case, steps, &options, Executable::run)?;
                match have_same_bits(&first, &second) {
                    true => Ok(first),
                    false => Err(format!(
                        "results of three threads with {options:?} differ from one thread"
                    )),
                }
            }
            Device::Gpu(kinds) => {
                let kind = &kinds[seed as usize % kinds.len()];
                let mode = if checks_kernels { Mode::Checked } else { Mode::Plain };
                wait_for(run_gpu(kind, case, steps, mode)).map_err(|error| error.message())
            }
            Device::Web { engines, .. } => {
                let mut results = engines.iter().map(|engine| engine.run(case, steps));
                let first = results.next().expect("an engine")?;
                for other in results {
                    if !have_same_bits(&first, &other?) {
                        return Err("results of three threads differ from one thread".to_string());
                    }
                }
                Ok(first)
            }
        }
    }
}

fn have_same_bits(a: &Results, b: &Results) -> bool {
    let is_same = |(a, b): (&Array, &Array)| {
        a.to_bytes() == b.to_bytes() || a.to_f64().iter().any(|x| x.is_nan())
    };
    a.iter().flatten().zip(b.iter().flatten()).all(is_same)
}

/// Generates the shaders of a graph; ignores errors.
fn write_shaders(gpu: &Gpu, case: &Case) {
    if let Ok(program) = compile_with(&case.graph, &case.outputs, &brasa_gpu::options()) {
        _ = Shaders::new(program, gpu.limits());
    }
}

/// Whether to run a graph in checked mode, which is more thorough and slower. Graph kinds alternate
/// with the seed, so the period is coprime to the number of kinds.
fn checks_kernels(seed: u64) -> bool {
    seed % 7 == 3
}

/// A budget of three quarters of a program's memory, if the program can fit into that.
fn tight_budget(case: &Case, options: &Options) -> Option<usize> {
    let unlimited = compile_with(&case.graph, &case.outputs, options).ok()?;
    let budget = Some(unlimited.peak_bytes() * 3 / 4);
    let options = Options { budget, ..options.clone() };
    compile_with(&case.graph, &case.outputs, &options).is_ok().then_some(budget)?
}

/// A way to run an executable.
type Run = fn(&mut Executable, &Pool, &mut [brasa_cpu::Buffer], &[Number]) -> brasa_ir::Result<()>;

fn run_cpu(
    pool: &Pool,
    case: &Case,
    steps: usize,
    options: &Options,
    run: Run,
) -> Result<Results, String> {
    let program =
        compile_with(&case.graph, &case.outputs, options).map_err(|error| error.to_string())?;
    let mut buffers: Vec<brasa_cpu::Buffer> = Vec::new();
    let mut executable = Executable::new(program.clone());
    let mut results = Vec::new();
    for step in 0..steps {
        for (n, value) in bound(case, &program, step) {
            match buffers.get_mut(n) {
                Some(buffer) => *buffer = brasa_cpu::Buffer::from(&value),
                None => buffers.push(brasa_cpu::Buffer::from(&value)),
            }
        }
        run(&mut executable, pool, &mut buffers, case.graph.slots())
            .map_err(|error| error.to_string())?;
        let outputs = (0..case.outputs.len()).map(|n| executable.output(&buffers, n));
        let mut all: Vec<Array> = outputs.collect();
        for n in written(case, &program) {
            let ty = &program.inputs[n].ty;
            all.push(Array::from_bytes(ty, buffers[n].bytes())?);
        }
        results.push(all);
    }
    Ok(results)
}

enum Mode {
    Plain,
    Checked,
}

async fn run_gpu(gpu: &Gpu, case: &Case, steps: usize, mode: Mode) -> brasa_ir::Result<Results> {
    let program = compile_with(&case.graph, &case.outputs, &brasa_gpu::options())?;
    let mut buffers: Vec<brasa_gpu::Buffer> = Vec::new();
    let mut executable = brasa_gpu::Executable::new(gpu, program.clone()).await?;
    let mut results = Vec::new();
    for step in 0..steps {
        for (n, value) in bound(case, &program, step) {
            let buffer = gpu.upload(&value)?;
            match buffers.get_mut(n) {
                Some(old) => *old = buffer,
                None => buffers.push(buffer),
            }
        }
        let bound: Vec<&brasa_gpu::Buffer> = buffers.iter().collect();
        match mode {
            Mode::Plain => executable.run(&bound, case.graph.slots()).await?,
            Mode::Checked => executable.run_checked(&bound, case.graph.slots()).await?,
        }
        let mut all = Vec::new();
        for n in 0..case.outputs.len() {
            all.push(executable.output(&bound, n).await?);
        }
        for n in written(case, &program) {
            all.push(gpu.read(bound[n]).await?);
        }
        results.push(all);
    }
    Ok(results)
}

/// The inputs to upload before a step: all of them before the first, later those with role `Data`.
fn bound(case: &Case, program: &Program, step: usize) -> Vec<(usize, Array)> {
    let values = case.inputs(step);
    let value = |node: Id| values.iter().find(|(id, ..)| *id == node).expect("an input");
    let inputs = program.inputs.iter().enumerate();
    inputs
        .map(|(n, input)| (n, value(input.node)))
        .filter(|(_, (_, role, _))| step == 0 || *role == Role::Data)
        .map(|(n, (_, _, value))| (n, value.clone()))
        .collect()
}

/// The inputs that a program writes, in the order of the graph's writes.
fn written(case: &Case, program: &Program) -> Vec<usize> {
    let place = |id: Id| program.inputs.iter().position(|input| input.node == id);
    case.writes().iter().filter_map(|&(input, _)| place(input)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Kind;
    use std::collections::HashSet;

    #[test]
    fn checked_mode_covers_all_kinds_of_graphs() {
        let kinds = Kind::ALL.len() as u64;
        let checked: HashSet<u64> =
            (0..7 * kinds).filter(|&seed| checks_kernels(seed)).map(|seed| seed % kinds).collect();
        assert_eq!(checked.len() as u64, kinds);
    }
}
