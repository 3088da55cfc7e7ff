//! The passes of the compiler, in order. [`compile_with`], `explain` and `extract` run them from
//! here, so that the result of every pass is verified and can be printed.
#[cfg(not(target_family = "wasm"))]
use crate::dump::Dump;
use crate::graph::prepared::Prepared;
use crate::memory::budget::{Recomputed, fit_to_budget};
use crate::memory::plan::{Plan, Task, plan};
use crate::options::Options;
use crate::pass::Pass;
use crate::program::Program;
use crate::program::check::{Checked, ensure};
use crate::program::verify;
use crate::schedule::kernel::{Kernel, list_kernels};
use crate::schedule::order::order_kernels;
use crate::schedule::schedule;
use brasa_ir::{Graph, Id, Result, text};

/// The program that computes `wanted` and performs all writes.
pub fn compile(g: &Graph, wanted: &[Id]) -> Program {
    compile_with(g, wanted, &Options::default())
        .expect("compiling fails only if a budget is exceeded")
}

/// `compile` with options. Fails only if the program does not fit into the budget.
pub fn compile_with(g: &Graph, wanted: &[Id], options: &Options) -> Result<Program> {
    Pipeline::new(options).run(g, wanted)
}

/// The passes as functions from stage to stage. Each verifies its result, and prints it on request.
pub(crate) struct Pipeline<'a> {
    pub(crate) options: &'a Options,
    #[cfg(not(target_family = "wasm"))]
    pub(crate) dump: Dump<'a>,
}

impl<'a> Pipeline<'a> {
    pub(crate) fn new(options: &'a Options) -> Pipeline<'a> {
        Pipeline {
            options,
            #[cfg(not(target_family = "wasm"))]
            dump: Dump::from_environment(),
        }
    }

    /// All passes.
    pub(crate) fn run(&self, g: &Graph, wanted: &[Id]) -> Result<Program> {
        let prepared = self.simplify(g, wanted);
        let kernels = self.schedule(&prepared);
        let kernels = self.order(&prepared, &kernels);
        let (kernels, recomputed) = match self.options.budget {
            None => (kernels, Recomputed::default()),
            Some(budget) => self.fit_to_budget(&prepared, kernels, budget)?,
        };
        let plan = self.plan(&prepared, &kernels);
        Ok(self.program(prepared, kernels, plan, recomputed))
    }

    pub(crate) fn simplify(&self, g: &Graph, wanted: &[Id]) -> Prepared {
        self.print(Pass::Recording, || text::print(g, wanted));
        self.verify(Pass::Recording, || verify::graph(g, wanted));
        let prepared = Prepared::simplify(g, wanted, self.options.target.checks_bounds);
        self.print(Pass::Simplify, || text::print(&prepared.graph, &prepared.roots()));
        self.verify(Pass::Simplify, || verify::graph(&prepared.graph, &prepared.roots()));
        prepared
    }

    /// Rematerialization is a part of scheduling: it changes which values are stored, and nodes are
    /// then grouped again.
    pub(crate) fn schedule(&self, prepared: &Prepared) -> Vec<Kernel> {
        let kernels = schedule(&prepared.graph, &prepared.roots(), self.options);
        self.print(Pass::Schedule, || list_kernels(&kernels));
        self.verify(Pass::Schedule, || self.check_kernels(prepared, &kernels, false));
        kernels
    }

    pub(crate) fn order(&self, prepared: &Prepared, scheduled: &[Kernel]) -> Vec<Kernel> {
        // Concurrent kernels need more memory.
        let has_budget = self.options.budget.is_some();
        let min_concurrent = if has_budget { 0 } else { self.options.target.min_concurrent };
        let kernels = order_kernels(self.task(prepared), scheduled, min_concurrent);
        self.print(Pass::Order, || list_kernels(&kernels));
        self.verify(Pass::Order, || {
            ensure(kernels.len() == scheduled.len(), || "kernels were lost".to_string())?;
            self.check_kernels(prepared, &kernels, false)
        });
        kernels
    }

    fn fit_to_budget(
        &self,
        prepared: &Prepared,
        kernels: Vec<Kernel>,
        budget: usize,
    ) -> Result<(Vec<Kernel>, Recomputed)> {
        let (kernels, recomputed) = fit_to_budget(self.task(prepared), kernels, budget)?;
        self.print(Pass::Budget, || list_kernels(&kernels));
        self.verify(Pass::Budget, || self.check_kernels(prepared, &kernels, true));
        Ok((kernels, recomputed))
    }

    pub(crate) fn plan(&self, prepared: &Prepared, kernels: &[Kernel]) -> Plan {
        let (task, kernels) = (self.task(prepared), kernels.iter().collect::<Vec<_>>());
        let plan = plan(task, &kernels);
        self.print(Pass::Plan, || plan.to_string());
        self.verify(Pass::Plan, || verify::plan(task, &kernels, &plan));
        plan
    }

    fn program(
        &self,
        mut prepared: Prepared,
        kernels: Vec<Kernel>,
        plan: Plan,
        recomputed: Recomputed,
    ) -> Program {
        let inputs = std::mem::take(&mut prepared.inputs);
        let program = Program::new(self.task(&prepared), inputs, kernels, plan, recomputed);
        self.print(Pass::Program, || program.to_string());
        self.verify(Pass::Program, || {
            let (peak, budget) = (program.peak_bytes(), self.options.budget.unwrap_or(usize::MAX));
            ensure(peak <= budget, || format!("it needs {peak} bytes, the budget is {budget}"))?;
            verify::program(&program, &self.options.target)
        });
        program
    }

    pub(crate) fn task<'p>(&'p self, prepared: &'p Prepared) -> Task<'p> {
        prepared.task(&self.options.target)
    }

    fn check_kernels(&self, prepared: &Prepared, kernels: &[Kernel], may_repeat: bool) -> Checked {
        verify::kernels(self.task(prepared), &prepared.roots(), kernels, may_repeat)
    }

    /// Prints the result of a pass if that is requested.
    #[cfg(not(target_family = "wasm"))]
    fn print(&self, pass: Pass, stage: impl FnOnce() -> String) {
        self.dump.print(pass, stage);
    }

    #[cfg(target_family = "wasm")]
    fn print(&self, _: Pass, _: impl FnOnce() -> String) {}

    /// Verifies the result of a pass if verification is on.
    pub(crate) fn verify(&self, pass: Pass, check: impl FnOnce() -> Checked) {
        // Never in the browser: the verifier would be a tenth of the downloaded wasm.
        let is_requested = self.options.verify && !cfg!(target_family = "wasm");
        if is_requested || cfg!(debug_assertions) {
            verify::expect(pass.name(), check());
        }
    }
}
