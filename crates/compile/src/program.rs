//! `Program`: what a device runs, an ordered list of launches over planned buffers. A graph is
//! compiled once; its program runs any number of times with new inputs and new slot values.
use crate::bound::{Bound, IndexCheck};
use crate::budget::{Recomputed, fit_to_budget, input_bytes};
use crate::check::{Checked, ensure};
use crate::kernel::{Kernel, StepOp};
use crate::order::order_kernels;
use crate::plan::{Buffer, BufferId, Place, Plan, Task, Touched, plan};
use crate::schedule::{is_library, schedule};
use crate::simplify::{Simplified, simplify_with_checks};
use crate::verify;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{Error, Graph, Id, Result, Type};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub launches: Vec<Launch>,
    /// Every value with its place and its lifetime in launches. Tools can draw memory from this.
    pub buffers: Vec<Buffer>,
    pub arena_bytes: usize,
    /// Peak number of live bytes in the arena; the rest is fragmentation.
    pub live_bytes: usize,
    pub inputs: Vec<ProgramInput>,
    /// One per wanted node.
    pub outputs: Vec<BufferId>,
    /// Copies after the last launch, in order: `(to, from)`.
    pub copies: Vec<(BufferId, BufferId)>,
    /// Index range checks that the device performs, in the order of launches.
    pub bounds: Vec<Bound>,
    /// The cost of staying within the memory budget.
    pub recomputed: Recomputed,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub kernel: Kernel,
    pub reads: Vec<BufferId>,
    pub writes: Vec<BufferId>,
    /// The user's call and its source location, taken from the library op or else the last node.
    /// If several recordings share a fingerprint, they are those of the first.
    pub call: String,
    pub site: String,
}

/// An input that the caller provides.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramInput {
    /// The input in the graph that was compiled.
    pub node: Id,
    pub name: String,
    pub role: Role,
    pub ty: Type,
    /// Whether a run writes to it.
    pub is_written: bool,
}

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Maximum bytes of inputs and intermediate values together. Values are recomputed instead of
    /// kept if necessary.
    pub budget: Option<usize>,
    /// Whether the device can reduce short rows of a matrix product in the launch that computes
    /// them.
    pub reduces_products: bool,
    /// Merge independent reductions into one launch if it has at most this many inputs. 0 disables.
    /// Useful on devices with a high launch overhead.
    pub joint_inputs: usize,
    /// Whether the device reads everything a row depends on before it writes the row's values. Row
    /// values can then replace the old ones in place.
    pub overwrites_rows: bool,
    /// Whether the device checks the range of indices that simplification turned into masks. A
    /// class out of range is then an error; otherwise it matches no class.
    pub checks_bounds: bool,
    /// Whether matrix products can compute cheap prologues of their operands while packing them.
    pub packs_prologues: bool,
    /// Whether a matrix product can consume rows of another product in the launch that computes
    /// them.
    pub chains_products: bool,
    /// Run independent kernels that are too small for several threads concurrently when at least
    /// this many have similar cost. 0 disables; a budget disables too.
    pub min_concurrent: usize,
    /// Whether to verify the result of each pass. Debug builds always do.
    pub verify: bool,
}

impl Default for Options {
    /// No budget, and the features of the CPU device.
    fn default() -> Options {
        Options {
            budget: None,
            reduces_products: true,
            joint_inputs: 0,
            overwrites_rows: false,
            checks_bounds: true,
            packs_prologues: true,
            chains_products: true,
            // Two or three run faster sequentially: concurrent ones move values between caches.
            min_concurrent: 4,
            verify: false,
        }
    }
}

impl Options {
    /// Verifies the result of a pass if verification is on.
    pub(crate) fn verify(&self, pass: &str, check: impl FnOnce() -> Checked) {
        // Never in the browser: the verifier would be a tenth of the downloaded wasm.
        let is_requested = self.verify && !cfg!(target_family = "wasm");
        if is_requested || cfg!(debug_assertions) {
            verify::expect(pass, check());
        }
    }
}

/// The program that computes `wanted` and performs all writes.
pub fn compile(g: &Graph, wanted: &[Id]) -> Program {
    compile_with(g, wanted, &Options::default())
        .expect("compiling fails only if a budget is exceeded")
}

/// `compile` with options. Fails only if the program does not fit into the budget.
pub fn compile_with(g: &Graph, wanted: &[Id], options: &Options) -> Result<Program> {
    let prepared = Prepared::new(g, wanted, options);
    let kernels = prepared.kernels(options);
    let (kernels, plan, cost) = match options.budget {
        None => {
            let plan = plan(prepared.task(), &kernels.iter().collect::<Vec<_>>());
            (kernels, plan, Recomputed::default())
        }
        Some(budget) => prepared.fit_budget(budget, kernels, options)?,
    };
    options.verify("plan", || {
        verify::plan(prepared.task(), &kernels.iter().collect::<Vec<_>>(), &plan)
    });
    let program = prepared.program(kernels, plan, cost);
    options.verify("program", || verify::program(&program, options.overwrites_rows));
    Ok(program)
}

/// A simplified graph, with everything that scheduling and planning need to know.
pub(crate) struct Prepared {
    pub(crate) graph: Graph,
    pub(crate) wanted: Vec<Id>,
    /// The inputs that are still used, as nodes of `graph`.
    pub(crate) nodes: Vec<Id>,
    pub(crate) inputs: Vec<ProgramInput>,
    index_checks: Vec<IndexCheck>,
    overwrites_rows: bool,
}

impl Prepared {
    pub(crate) fn new(g: &Graph, wanted: &[Id], options: &Options) -> Prepared {
        options.verify("recording", || verify::graph(g, wanted));
        let is_write = |op: &Op| matches!(op, Op::Write(_));
        let writes = g.nodes().filter(|(_, node)| is_write(&node.op)).map(|(id, _)| id);
        let needed: Vec<Id> = wanted.iter().copied().chain(writes).collect();
        let simple = simplify_with_checks(g, &needed, options.checks_bounds);
        let place = |&id: &Id| simple.new_id(id).expect("simplification keeps wanted nodes");
        let mut wanted: Vec<Id> = wanted.iter().map(place).collect();
        // The value of a write node is the written value.
        for id in wanted.iter_mut().filter(|id| is_write(&simple.graph[**id].op)) {
            *id = simple.graph[*id].inputs[1];
        }
        let (nodes, inputs) = inputs(g, &simple);
        let overwrites_rows = options.overwrites_rows;
        let Simplified { graph, index_checks, .. } = simple;
        let prepared = Prepared { graph, wanted, nodes, inputs, index_checks, overwrites_rows };
        options.verify("simplify", || verify::graph(&prepared.graph, &prepared.roots()));
        prepared
    }

    /// The kernels in execution order, before any budget is applied.
    pub(crate) fn kernels(&self, options: &Options) -> Vec<Kernel> {
        let (task, roots) = (self.task(), self.roots());
        let scheduled = schedule(&self.graph, &roots, options);
        options.verify("schedule", || verify::kernels(task, &roots, &scheduled, false));
        // Concurrent kernels need more memory.
        let min_concurrent = if options.budget.is_some() { 0 } else { options.min_concurrent };
        let kernels = order_kernels(task, &scheduled, min_concurrent);
        options.verify("order", || {
            ensure(kernels.len() == scheduled.len(), || "kernels were lost".to_string())?;
            verify::kernels(task, &roots, &kernels, false)
        });
        kernels
    }

    /// Kernels and their plan within a memory budget.
    fn fit_budget(
        &self,
        budget: usize,
        kernels: Vec<Kernel>,
        options: &Options,
    ) -> Result<(Vec<Kernel>, Plan, Recomputed)> {
        let (task, roots) = (self.task(), self.roots());
        let inputs = input_bytes(task);
        let Some(left) = budget.checked_sub(inputs) else {
            let what =
                format!("the inputs alone take {inputs} bytes, more than the budget of {budget}");
            return Err(Error::argument("compile", what));
        };
        let (kernels, plan, cost) = fit_to_budget(task, kernels, left)?;
        options.verify("budget", || {
            let arena = plan.arena_bytes;
            ensure(arena <= left, || {
                format!("the arena has {arena} bytes, the budget leaves {left}")
            })?;
            verify::kernels(task, &roots, &kernels, true)
        });
        Ok((kernels, plan, cost))
    }

    /// The nodes whose values are read from outside: wanted nodes and index checks.
    pub(crate) fn roots(&self) -> Vec<Id> {
        let check_values = self.index_checks.iter().flat_map(|check| [check.before, check.at]);
        self.wanted.iter().copied().chain(check_values).collect()
    }

    pub(crate) fn task(&self) -> Task<'_> {
        let Prepared { graph: g, nodes: inputs, wanted, index_checks, overwrites_rows, .. } = self;
        Task { g, inputs, wanted, index_checks, overwrites_rows: *overwrites_rows }
    }

    fn program(self, kernels: Vec<Kernel>, plan: Plan, recomputed: Recomputed) -> Program {
        let launch = |(kernel, Touched { reads, writes }): (Kernel, Touched)| {
            let is_anchor = |id: &&Id| is_library(&self.graph[**id].op);
            let node = kernel.nodes.iter().find(is_anchor).or(kernel.nodes.last());
            let origin = node.map(|&id| self.graph[id].origin);
            let call = origin.map_or("", |origin| origin.call).to_string();
            let site = origin.map_or(String::new(), |o| self.graph.site(o.site).to_string());
            Launch { kernel, reads, writes, call, site }
        };
        let launches = kernels.into_iter().zip(plan.touched).map(launch).collect();
        let Plan { buffers, arena_bytes, live_bytes, outputs, copies, check_values, .. } = plan;
        let bound = |(check, [before, at]): (&IndexCheck, [BufferId; 2])| {
            let launch = buffers[before.index()].last;
            let origin = self.graph[check.before].origin;
            let (call, site) = (origin.call.to_string(), self.graph.site(origin.site).to_string());
            Bound { launch, before, at, positions: check.positions.clone(), call, site }
        };
        let mut bounds: Vec<Bound> =
            self.index_checks.iter().zip(check_values).map(bound).collect();
        bounds.sort_by_key(|bound| bound.launch);
        let inputs = self.inputs;
        Program {
            launches,
            buffers,
            arena_bytes,
            live_bytes,
            inputs,
            outputs,
            copies,
            bounds,
            recomputed,
        }
    }
}

/// The inputs that are still used, as nodes of the simplified graph and as the caller knows them.
fn inputs(g: &Graph, simple: &Simplified) -> (Vec<Id>, Vec<ProgramInput>) {
    let mut is_written = vec![false; simple.graph.len()];
    for (_, node) in simple.graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_))) {
        is_written[node.inputs[0].index()] = true;
    }
    let input = |(id, node): (Id, &brasa_ir::Node)| {
        let Op::Input(input) = &node.op else { return None };
        let place = simple.new_id(id)?;
        let (name, role, ty) = (input.name.clone(), input.role, node.ty.clone());
        let is_written = is_written[place.index()];
        Some((place, ProgramInput { node: id, name, role, ty, is_written }))
    };
    g.nodes().filter_map(input).unzip()
}

impl Program {
    /// Peak memory of a run: inputs and arena. Library ops need a little more to pack their
    /// operands, depending on the device.
    pub fn peak_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.bytes()).sum::<usize>() + self.arena_bytes
    }

    /// How many slot values a run takes.
    pub fn slots(&self) -> usize {
        let codes = self.launches.iter().flat_map(|launch| {
            let prologues = launch.kernel.prologues().into_iter().map(|prologue| &prologue.code);
            prologues.chain([&launch.kernel.code])
        });
        let steps = codes.flat_map(|code| &code.steps);
        let slots = steps.filter_map(|step| match step.op {
            StepOp::Slot(slot) => Some(slot + 1),
            _ => None,
        });
        slots.max().unwrap_or(0)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, launch) in self.launches.iter().enumerate() {
            write!(f, "#{n} {}", launch.kernel)?;
        }
        for buffer in &self.buffers {
            let place = match buffer.place {
                Place::Input(n) => format!("input {n}"),
                Place::Arena(offset) => format!("arena +{offset}"),
            };
            let (first, last, bytes) = (buffer.first, buffer.last, buffer.ty.bytes());
            writeln!(f, "{} {} {bytes} bytes {place} #{first}..#{last}", buffer.node, buffer.ty)?;
        }
        if self.recomputed.launches > 0 {
            let Recomputed { launches, flops, bytes, .. } = &self.recomputed;
            writeln!(f, "{launches} launches recomputed: {flops} flops, {bytes} bytes moved")?;
        }
        let (arena, live, peak) = (self.arena_bytes, self.live_bytes, self.peak_bytes());
        writeln!(f, "arena {arena} bytes, {live} in use at once; with inputs {peak} bytes")
    }
}
