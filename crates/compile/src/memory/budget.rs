//! Memory budget: drops values that would be live for long, and runs the kernel that computed them
//! again before their next use. It is the same kernel with all its results, because a device may
//! round differently for different code: so recomputed values have the same bits. Random numbers
//! are functions of seed and element.
//!
//! - Assumes kernels in execution order, none of them concurrent.
//! - Guarantees the same kernels in the same order, with copies of some of them inserted, and a plan
//!   that fits into the budget together with the inputs; otherwise it returns an error.
use crate::memory::pack::peak;
use crate::memory::plan::{Lives, Task, plan};
use crate::schedule::kernel::{Body, Kernel};
use brasa_ir::ops::Op;
use brasa_ir::{Error, Graph, Id, Result};
use std::cmp::Reverse;

/// What staying within a budget costs per run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    /// The number of additional launches.
    pub launches: usize,
    /// The nodes that they recompute, one entry per recomputation.
    pub nodes: Vec<Id>,
    pub flops: u64,
    /// Bytes that the additional launches read and write.
    pub bytes: u64,
}

/// The kernels with recomputations inserted, such that inputs and arena need at most `budget`
/// bytes, and the cost of the recomputations.
pub(crate) fn fit_to_budget(
    task: Task,
    kernels: Vec<Kernel>,
    budget: usize,
) -> Result<(Vec<Kernel>, Recomputed)> {
    let inputs = input_bytes(task);
    match budget.checked_sub(inputs) {
        Some(left) => fit_arena(task, kernels, left),
        None => {
            let what =
                format!("the inputs alone take {inputs} bytes, more than the budget of {budget}");
            Err(Error::argument("compile", what))
        }
    }
}

/// `fit_to_budget` with a budget for the arena alone.
fn fit_arena(task: Task, kernels: Vec<Kernel>, budget: usize) -> Result<(Vec<Kernel>, Recomputed)> {
    let mut timeline = Timeline::new(task, kernels);
    let mut smallest = usize::MAX;
    let mut limit = budget;
    loop {
        if peak(&timeline.profile) <= limit {
            let arena_bytes = plan(task, &timeline.kernels()).arena_bytes;
            smallest = smallest.min(arena_bytes);
            if arena_bytes <= budget {
                let cost = timeline.cost;
                let order = timeline.order.into_iter();
                let kernels = order.map(|n| timeline.pool[n].clone()).collect();
                return Ok((kernels, cost));
            }
            // Lower the peak further to make up for fragmentation.
            limit = peak(&timeline.profile) - 1;
        }
        if !timeline.lower_peak() {
            smallest = smallest.min(plan(task, &timeline.kernels()).arena_bytes);
            return Err(timeline.too_large(budget, smallest));
        }
    }
}

/// Kernels in execution order.
struct Timeline<'a> {
    task: Task<'a>,
    pool: Vec<Kernel>,
    /// Indices into the pool. A recomputation is a separate kernel in the pool.
    order: Vec<usize>,
    lives: Lives,
    profile: Vec<usize>,
    cost: Recomputed,
}

/// A range of launches in which a live value is not used.
struct Gap {
    /// Launches to run again, in order, before launch `until`.
    recomputed: Vec<usize>,
    until: usize,
    score: f64,
}

/// Maximum number of launches to run again for one value.
const MAX_LAUNCHES: usize = 6;
/// Maximum number of gaps to try.
const MAX_TRIES: usize = 64;

impl<'a> Timeline<'a> {
    fn new(task: Task<'a>, pool: Vec<Kernel>) -> Timeline<'a> {
        let order: Vec<usize> = (0..pool.len()).collect();
        let lives = Lives::new(task, &pool.iter().collect::<Vec<_>>());
        let profile = lives.profile();
        Timeline { task, pool, order, lives, profile, cost: Recomputed::default() }
    }

    fn kernels(&self) -> Vec<&Kernel> {
        self.order.iter().map(|&n| &self.pool[n]).collect()
    }

    /// Lowers the live bytes at the peak. Returns false if nothing can be dropped.
    fn lower_peak(&mut self) -> bool {
        let peak = peak(&self.profile);
        let Some(peak_launch) = self.profile.iter().position(|&bytes| bytes == peak) else {
            return false;
        };
        let mut gaps = self.gaps(peak_launch);
        gaps.sort_by(|a, b| b.score.total_cmp(&a.score));
        gaps.iter().take(MAX_TRIES).any(|gap| self.close(gap))
    }

    /// The values that are live at a launch without being used in it.
    fn gaps(&self, peak_launch: usize) -> Vec<Gap> {
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); self.lives.buffers.len()];
        for (launch, touched) in self.lives.touched.iter().enumerate() {
            for id in touched.reads.iter().chain(&touched.writes) {
                uses[id.index()].push(launch);
            }
        }
        let mut gaps = Vec::new();
        for (n, buffer) in self.lives.buffers.iter().enumerate() {
            let is_kept = buffer.first < peak_launch && peak_launch < buffer.last;
            let is_computed = self.producer(n).is_some();
            if !is_kept || !is_computed || uses[n].contains(&peak_launch) {
                continue;
            }
            let since = uses[n].iter().copied().filter(|&at| at < peak_launch).max();
            let until = uses[n].iter().copied().find(|&at| at > peak_launch).unwrap_or(buffer.last);
            let Some((recomputed, cost)) = self.recomputation(n, peak_launch) else { continue };
            let length = until - since.unwrap_or(buffer.first);
            let score = buffer.ty.bytes() as f64 * length as f64 / (1.0 + cost);
            gaps.push(Gap { recomputed, until, score });
        }
        gaps
    }

    /// The launch that computes a buffer; none for inputs.
    fn producer(&self, buffer: usize) -> Option<usize> {
        let first = self.lives.buffers[buffer].first;
        let touched = self.lives.touched.get(first)?;
        touched.writes.iter().any(|id| id.index() == buffer).then_some(first)
    }

    /// The launches that recompute a buffer from buffers that are live after `peak_launch`, in
    /// order, and their cost.
    fn recomputation(&self, buffer: usize, peak_launch: usize) -> Option<(Vec<usize>, f64)> {
        let (mut todo, mut found, mut cost) = (vec![buffer], Vec::new(), 0.0);
        let flops_per_byte = f64::from(self.task.target.flops_per_byte);
        while let Some(buffer) = todo.pop() {
            let launch = self.producer(buffer)?;
            if found.contains(&launch) {
                continue;
            }
            found.push(launch);
            if found.len() > MAX_LAUNCHES {
                return None;
            }
            let (flops, bytes) = cost_of(self.task.g, &self.pool[self.order[launch]]);
            cost += flops as f64 + flops_per_byte * bytes as f64;
            for read in &self.lives.touched[launch].reads {
                let is_gone = self.lives.buffers[read.index()].last < peak_launch;
                if is_gone && self.producer(read.index()).is_some() {
                    todo.push(read.index());
                }
            }
        }
        found.sort_unstable();
        Some((found, cost))
    }

    /// Recomputes a value at the end of its gap, if that lowers or shortens the peak.
    fn close(&mut self, gap: &Gap) -> bool {
        let (pool_len, mut order) = (self.pool.len(), self.order.clone());
        for &launch in &gap.recomputed {
            let why = "it recomputes dropped results to save memory".to_string();
            self.pool.push(Kernel { why, ..self.pool[self.order[launch]].clone() });
        }
        order.splice(gap.until..gap.until, pool_len..self.pool.len());
        let kernels: Vec<&Kernel> = order.iter().map(|&n| &self.pool[n]).collect();
        let lives = Lives::new(self.task, &kernels);
        let profile = lives.profile();
        if rank(&profile) >= rank(&self.profile) {
            self.pool.truncate(pool_len);
            return false;
        }
        for kernel in &self.pool[pool_len..] {
            let (flops, bytes) = cost_of(self.task.g, kernel);
            self.cost.launches += 1;
            self.cost.nodes.extend(&kernel.writes);
            self.cost.flops += flops;
            self.cost.bytes += bytes;
        }
        (self.order, self.lives, self.profile) = (order, lives, profile);
        true
    }

    /// The error that names the largest values at the peak.
    fn too_large(&self, budget: usize, smallest: usize) -> Error {
        let peak = peak(&self.profile);
        let peak_launch = self.profile.iter().position(|&bytes| bytes == peak).unwrap_or(0);
        let is_there = |buffer: &&crate::memory::plan::Buffer| {
            let is_computed = buffer.first <= peak_launch && peak_launch <= buffer.last;
            is_computed && !matches!(buffer.place, crate::memory::plan::Place::Input(_))
        };
        let mut there: Vec<_> = self.lives.buffers.iter().filter(is_there).collect();
        there.sort_by_key(|buffer| (Reverse(buffer.ty.bytes()), buffer.node));
        let inputs = input_bytes(self.task);
        let mut what = format!(
            "the program does not fit into {} bytes; the smallest plan found needs {} bytes, \
             {inputs} of them for inputs. The largest values at the peak:",
            budget + inputs,
            smallest + inputs
        );
        for buffer in there.iter().take(3) {
            let origin = self.task.g[buffer.node].origin;
            let (call, site) = (origin.call, self.task.g.site(origin.site));
            what += &format!("\n  {call}: {}, {} bytes, at {site}", buffer.ty, buffer.ty.bytes());
        }
        Error::argument("compile", what).help("use a smaller batch")
    }
}

/// Orders profiles by peak, then by the number of launches at the peak.
fn rank(profile: &[usize]) -> (usize, usize) {
    let peak = peak(profile);
    (peak, profile.iter().filter(|&&bytes| bytes == peak).count())
}

fn input_bytes(task: Task) -> usize {
    task.inputs.iter().map(|&id| task.g[id].ty.bytes()).sum()
}

/// Approximate operations and memory traffic (bytes) of a kernel.
fn cost_of(g: &Graph, kernel: &Kernel) -> (u64, u64) {
    let touched = kernel.reads.iter().chain(&kernel.writes);
    let bytes: usize = touched.map(|&id| g[id].ty.bytes()).sum();
    let elements: usize = kernel.domain.axes.iter().map(|axis| axis.len).product();
    let mut flops = (elements * kernel.code.steps.len()) as u64;
    if let Body::Library { op, operands, out } = &kernel.body {
        let per_element = match op {
            Op::Contract(_) => 2 * operands[0].ty.shape.last().copied().unwrap_or(1),
            Op::Conv(_) => {
                let outputs = operands[1].ty.shape.first().copied().unwrap_or(1);
                2 * operands[1].ty.elements() / outputs.max(1)
            }
            _ => 8,
        };
        flops += (out.elements() * per_element) as u64;
    }
    (flops, bytes as u64)
}
