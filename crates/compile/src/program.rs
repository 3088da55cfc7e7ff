//! Programs: what a device runs. An ordered list of launches over planned buffers, made once for a
//! graph and run as often as one likes with new inputs and new numbers in its slots.
use crate::bound::{Bound, Watch};
use crate::budget::{Recomputed, fit, input_bytes};
use crate::check::{Checked, ensure};
use crate::kernel::{Kernel, What};
use crate::order::arranged;
use crate::plan::{Buffer, BufferId, Place, Plan, Task, Touched, plan};
use crate::schedule::{is_library, schedule};
use crate::simplify::{Simplified, simplify_watched};
use crate::verify;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{Error, Graph, Id, Result, Type};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub launches: Vec<Launch>,
    /// Every value with its place and the launches between which it lives: enough to draw it.
    pub buffers: Vec<Buffer>,
    pub arena_bytes: usize,
    /// The most bytes of the arena that are in use at once; the rest is lost in gaps.
    pub live_bytes: usize,
    pub inputs: Vec<ProgramInput>,
    /// One for each node that was wanted.
    pub outputs: Vec<BufferId>,
    /// What to copy after the last launch, in order: `(to, from)`.
    pub copies: Vec<(BufferId, BufferId)>,
    /// What a device has to look at on the way, in the order of launches.
    pub bounds: Vec<Bound>,
    /// What staying within a budget costs.
    pub recomputed: Recomputed,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub kernel: Kernel,
    pub reads: Vec<BufferId>,
    pub writes: Vec<BufferId>,
    /// The call it was recorded for and where that stands: those of its library op, or of the last
    /// node. Of several recordings with one fingerprint, they are those of the first.
    pub call: String,
    pub site: String,
}

/// What the caller hands in.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramInput {
    /// The input in the graph that was compiled.
    pub node: Id,
    pub name: String,
    pub role: Role,
    pub ty: Type,
    /// Whether a run changes it.
    pub is_written: bool,
}

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The most bytes that inputs and intermediate values may take together. Where they would take
    /// more, values are computed again instead of being kept.
    pub budget: Option<usize>,
    /// Whether the device can reduce short rows of a product in the launch that computes them.
    pub reduces_products: bool,
    /// The most inputs of a launch that reductions without anything in common may share; with 0
    /// they never do. Devices whose launches are dear to begin ask for this.
    pub joint_inputs: usize,
    /// Whether the device reads what a row is updated from before it writes any of the row's values:
    /// then these replace the old ones in place.
    pub overwrites_rows: bool,
    /// Whether the device looks at the bounds of positions that are compared with: a class out of
    /// range is an error then, and else no class.
    pub checks_bounds: bool,
    /// Whether products can do light work on their operands while they pack them.
    pub packs_work: bool,
    /// Whether a product can take the rows of another in the launch that makes these.
    pub chains_products: bool,
    /// Kernels too small for several threads run side by side where at least so many of like work
    /// need nothing of each other and there is no budget; with 0 they never do.
    pub fewest_beside: usize,
    /// Whether what each pass leaves is verified before the next begins. Debug builds always do.
    pub verify: bool,
}

impl Default for Options {
    /// No budget, and what the CPU device can do.
    fn default() -> Options {
        Options {
            budget: None,
            reduces_products: true,
            joint_inputs: 0,
            overwrites_rows: false,
            checks_bounds: true,
            packs_work: true,
            chains_products: true,
            // Two or three take longer than one after the other: their values move between caches.
            fewest_beside: 4,
            verify: false,
        }
    }
}

impl Options {
    /// Looks at what a pass leaves, if that is asked for.
    pub(crate) fn verify(&self, pass: &str, check: impl FnOnce() -> Checked) {
        // Engines of the browser do without: the code would be a tenth of what they download.
        let is_asked = self.verify && !cfg!(target_family = "wasm");
        if is_asked || cfg!(debug_assertions) {
            verify::expect(pass, check());
        }
    }
}

/// The program that computes `wanted` and carries out all writes.
pub fn compile(g: &Graph, wanted: &[Id]) -> Program {
    compile_with(g, wanted, &Options::default()).expect("without a budget there is a program")
}

/// `compile` with options; fails only where these cannot be kept to.
pub fn compile_with(g: &Graph, wanted: &[Id], options: &Options) -> Result<Program> {
    let ready = Ready::new(g, wanted, options);
    let kernels = ready.kernels(options);
    let (kernels, plan, cost) = match options.budget {
        None => {
            let plan = plan(ready.task(), &kernels.iter().collect::<Vec<_>>());
            (kernels, plan, Recomputed::default())
        }
        Some(budget) => ready.within(budget, kernels, options)?,
    };
    options
        .verify("plan", || verify::plan(ready.task(), &kernels.iter().collect::<Vec<_>>(), &plan));
    let program = ready.program(kernels, plan, cost);
    options.verify("program", || verify::program(&program, options.overwrites_rows));
    Ok(program)
}

/// A simplified graph with what a plan has to know.
pub(crate) struct Ready {
    pub(crate) graph: Graph,
    pub(crate) wanted: Vec<Id>,
    /// The inputs that are left, as nodes of `graph`.
    pub(crate) nodes: Vec<Id>,
    pub(crate) inputs: Vec<ProgramInput>,
    watches: Vec<Watch>,
    overwrites_rows: bool,
}

impl Ready {
    pub(crate) fn new(g: &Graph, wanted: &[Id], options: &Options) -> Ready {
        options.verify("recording", || verify::graph(g, wanted));
        let is_write = |op: &Op| matches!(op, Op::Write(_));
        let writes = g.nodes().filter(|(_, node)| is_write(&node.op)).map(|(id, _)| id);
        let needed: Vec<Id> = wanted.iter().copied().chain(writes).collect();
        let simple = simplify_watched(g, &needed, options.checks_bounds);
        let place = |&id: &Id| simple.place(id).expect("wanted nodes stay");
        let mut wanted: Vec<Id> = wanted.iter().map(place).collect();
        // The result of a write is the value that was written.
        for id in wanted.iter_mut().filter(|id| is_write(&simple.graph[**id].op)) {
            *id = simple.graph[*id].inputs[1];
        }
        let (nodes, inputs) = inputs(g, &simple);
        let overwrites_rows = options.overwrites_rows;
        let Simplified { graph, watches, .. } = simple;
        let ready = Ready { graph, wanted, nodes, inputs, watches, overwrites_rows };
        options.verify("simplify", || verify::graph(&ready.graph, &ready.roots()));
        ready
    }

    /// The kernels in the order they are to run, if there is enough memory.
    pub(crate) fn kernels(&self, options: &Options) -> Vec<Kernel> {
        let (task, roots) = (self.task(), self.roots());
        let scheduled = schedule(&self.graph, &roots, options);
        options.verify("schedule", || verify::kernels(task, &roots, &scheduled, false));
        // What runs side by side takes more memory.
        let fewest_beside = if options.budget.is_some() { 0 } else { options.fewest_beside };
        let kernels = arranged(task, &scheduled, fewest_beside);
        options.verify("order", || {
            ensure(kernels.len() == scheduled.len(), || "kernels were lost".to_string())?;
            verify::kernels(task, &roots, &kernels, false)
        });
        kernels
    }

    /// Kernels and their plan within a budget.
    fn within(
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
        let (kernels, plan, cost) = fit(task, kernels, left)?;
        options.verify("budget", || {
            let arena = plan.arena_bytes;
            ensure(arena <= left, || format!("{arena} bytes of {left} are taken"))?;
            verify::kernels(task, &roots, &kernels, true)
        });
        Ok((kernels, plan, cost))
    }

    /// The nodes that are looked at from outside.
    pub(crate) fn roots(&self) -> Vec<Id> {
        let watched = self.watches.iter().flat_map(|watch| [watch.before, watch.at]);
        self.wanted.iter().copied().chain(watched).collect()
    }

    pub(crate) fn task(&self) -> Task<'_> {
        let Ready { graph: g, nodes: inputs, wanted, watches, overwrites_rows, .. } = self;
        Task { g, inputs, wanted, watches, overwrites_rows: *overwrites_rows }
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
        let Plan { buffers, arena_bytes, live_bytes, outputs, copies, watched, .. } = plan;
        let bound = |(watch, [before, at]): (&Watch, [BufferId; 2])| {
            let launch = buffers[before.index()].last;
            let origin = self.graph[watch.before].origin;
            let (call, site) = (origin.call.to_string(), self.graph.site(origin.site).to_string());
            Bound { launch, before, at, positions: watch.positions.clone(), call, site }
        };
        let mut bounds: Vec<Bound> = self.watches.iter().zip(watched).map(bound).collect();
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

/// The inputs that are left, as nodes of the simplified graph and as the caller knows them.
fn inputs(g: &Graph, simple: &Simplified) -> (Vec<Id>, Vec<ProgramInput>) {
    let mut is_written = vec![false; simple.graph.len()];
    for (_, node) in simple.graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_))) {
        is_written[node.inputs[0].index()] = true;
    }
    let input = |(id, node): (Id, &brasa_ir::Node)| {
        let Op::Input(input) = &node.op else { return None };
        let place = simple.place(id)?;
        let (name, role, ty) = (input.name.clone(), input.role, node.ty.clone());
        let is_written = is_written[place.index()];
        Some((place, ProgramInput { node: id, name, role, ty, is_written }))
    };
    g.nodes().filter_map(input).unzip()
}

impl Program {
    /// The most bytes that a run holds: inputs and arena. Library ops need a little more to pack
    /// their operands, depending on the device.
    pub fn peak_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.bytes()).sum::<usize>() + self.arena_bytes
    }

    /// How many numbers a run has to be given.
    pub fn slots(&self) -> usize {
        let codes = self.launches.iter().flat_map(|launch| {
            let works = launch.kernel.works().into_iter().map(|work| &work.code);
            works.chain([&launch.kernel.code])
        });
        let steps = codes.flat_map(|code| &code.steps);
        let slots = steps.filter_map(|step| match step.what {
            What::Slot(slot) => Some(slot + 1),
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
            writeln!(f, "{launches} launches again: {flops} flops, {bytes} bytes moved")?;
        }
        let (arena, live, peak) = (self.arena_bytes, self.live_bytes, self.peak_bytes());
        writeln!(f, "arena {arena} bytes, {live} in use at once; with inputs {peak} bytes")
    }
}
