//! Fitting a memory budget: values that would have to be kept for long are dropped, and the kernel
//! that made them runs again where they are needed next. It is the same kernel with all its results,
//! since a device may round in another way where code has another form: so its bits are the same.
//! Random draws are functions of seed and element.
use crate::kernel::{Body, Kernel};
use crate::pack::most;
use crate::plan::{Lives, Plan, Task, plan};
use brasa_ir::ops::Op;
use brasa_ir::{Error, Graph, Id, Result};
use std::cmp::Reverse;

/// What it costs to stay within a budget, for each run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    /// How many launches there are beyond those that are needed once.
    pub launches: usize,
    /// The nodes that these compute, once for each time.
    pub nodes: Vec<Id>,
    pub flops: u64,
    /// Bytes that the additional kernels read and write.
    pub bytes: u64,
}

/// The kernels, some of them repeated, such that a plan takes at most `budget` bytes of arena.
pub(crate) fn fit(
    task: Task,
    kernels: Vec<Kernel>,
    budget: usize,
) -> Result<(Vec<Kernel>, Plan, Recomputed)> {
    let mut timeline = Timeline::new(task, kernels);
    let mut smallest = usize::MAX;
    let mut limit = budget;
    loop {
        if most(&timeline.profile) <= limit {
            let plan = plan(task, &timeline.kernels());
            smallest = smallest.min(plan.arena_bytes);
            if plan.arena_bytes <= budget {
                let cost = timeline.cost;
                let order = timeline.order.into_iter();
                let kernels = order.map(|n| timeline.pool[n].clone()).collect();
                return Ok((kernels, plan, cost));
            }
            // The gaps of the packing have to go too.
            limit = most(&timeline.profile) - 1;
        }
        if !timeline.lower() {
            smallest = smallest.min(plan(task, &timeline.kernels()).arena_bytes);
            return Err(timeline.too_large(budget, smallest));
        }
    }
}

/// Kernels in the order they run.
struct Timeline<'a> {
    task: Task<'a>,
    pool: Vec<Kernel>,
    /// Kernels of the pool; a repeated one is a kernel of its own.
    order: Vec<usize>,
    lives: Lives,
    profile: Vec<usize>,
    cost: Recomputed,
}

/// A value that is not touched for a while.
struct Gap {
    /// Launches to repeat, in order, before launch `until`.
    again: Vec<usize>,
    until: usize,
    score: f64,
}

/// At most this many launches are repeated for the sake of one value.
const LONGEST: usize = 6;
/// Gaps that are tried out before the search gives up.
const TRIES: usize = 64;

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

    /// Takes something off the fullest moment; false if nothing can be taken.
    fn lower(&mut self) -> bool {
        let peak = most(&self.profile);
        let Some(fullest) = self.profile.iter().position(|&bytes| bytes == peak) else {
            return false;
        };
        let mut gaps = self.gaps(fullest);
        gaps.sort_by(|a, b| b.score.total_cmp(&a.score));
        gaps.iter().take(TRIES).any(|gap| self.close(gap))
    }

    /// The values that are kept over a moment without being used in it.
    fn gaps(&self, moment: usize) -> Vec<Gap> {
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); self.lives.buffers.len()];
        for (launch, touched) in self.lives.touched.iter().enumerate() {
            for id in touched.reads.iter().chain(&touched.writes) {
                uses[id.index()].push(launch);
            }
        }
        let mut gaps = Vec::new();
        for (n, buffer) in self.lives.buffers.iter().enumerate() {
            let is_kept = buffer.first < moment && moment < buffer.last;
            let is_made = self.maker(n).is_some();
            if !is_kept || !is_made || uses[n].contains(&moment) {
                continue;
            }
            let since = uses[n].iter().copied().filter(|&at| at < moment).max();
            let until = uses[n].iter().copied().find(|&at| at > moment).unwrap_or(buffer.last);
            let Some((again, cost)) = self.again(n, moment) else { continue };
            let length = until - since.unwrap_or(buffer.first);
            let score = buffer.ty.bytes() as f64 * length as f64 / (1.0 + cost);
            gaps.push(Gap { again, until, score });
        }
        gaps
    }

    /// The launch that makes a buffer; none makes the caller's.
    fn maker(&self, buffer: usize) -> Option<usize> {
        let first = self.lives.buffers[buffer].first;
        let touched = self.lives.touched.get(first)?;
        touched.writes.iter().any(|id| id.index() == buffer).then_some(first)
    }

    /// The launches that make a buffer from what is there after `moment`, in order, and their cost.
    fn again(&self, buffer: usize, moment: usize) -> Option<(Vec<usize>, f64)> {
        let (mut todo, mut found, mut cost) = (vec![buffer], Vec::new(), 0.0);
        while let Some(buffer) = todo.pop() {
            let launch = self.maker(buffer)?;
            if found.contains(&launch) {
                continue;
            }
            found.push(launch);
            if found.len() > LONGEST {
                return None;
            }
            let (flops, bytes) = work(self.task.g, &self.pool[self.order[launch]]);
            cost += flops as f64 + FLOPS_PER_BYTE * bytes as f64;
            for read in &self.lives.touched[launch].reads {
                let is_gone = self.lives.buffers[read.index()].last < moment;
                if is_gone && self.maker(read.index()).is_some() {
                    todo.push(read.index());
                }
            }
        }
        found.sort_unstable();
        Some((found, cost))
    }

    /// Repeats launches before the end of a gap, if that lowers the peak, or shortens it.
    fn close(&mut self, gap: &Gap) -> bool {
        let (pool_len, mut order) = (self.pool.len(), self.order.clone());
        for &launch in &gap.again {
            let why = "its results were dropped to save memory".to_string();
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
            let (flops, bytes) = work(self.task.g, kernel);
            self.cost.launches += 1;
            self.cost.nodes.extend(&kernel.writes);
            self.cost.flops += flops;
            self.cost.bytes += bytes;
        }
        (self.order, self.lives, self.profile) = (order, lives, profile);
        true
    }

    /// The error that names what fills the fullest moment.
    fn too_large(&self, budget: usize, smallest: usize) -> Error {
        let peak = most(&self.profile);
        let fullest = self.profile.iter().position(|&bytes| bytes == peak).unwrap_or(0);
        let is_there = |buffer: &&crate::plan::Buffer| {
            let is_made = buffer.first <= fullest && fullest <= buffer.last;
            is_made && !matches!(buffer.place, crate::plan::Place::Input(_))
        };
        let mut there: Vec<_> = self.lives.buffers.iter().filter(is_there).collect();
        there.sort_by_key(|buffer| (Reverse(buffer.ty.bytes()), buffer.node));
        let inputs = input_bytes(self.task);
        let mut what = format!(
            "the program does not fit into {} bytes; the least found is {} bytes, \
             {inputs} of them inputs. The largest values at the fullest moment:",
            budget + inputs,
            smallest + inputs
        );
        for buffer in there.iter().take(3) {
            let origin = self.task.g[buffer.node].origin;
            let (call, site) = (origin.call, self.task.g.site(origin.site));
            what += &format!("\n  {call}: {}, {} bytes, at {site}", buffer.ty, buffer.ty.bytes());
        }
        Error::argument("compile", what).help("a smaller batch makes all of them smaller")
    }
}

/// Peaks are lowered one moment after the other.
fn rank(profile: &[usize]) -> (usize, usize) {
    let peak = most(profile);
    (peak, profile.iter().filter(|&&bytes| bytes == peak).count())
}

pub(crate) fn input_bytes(task: Task) -> usize {
    task.inputs.iter().map(|&id| task.g[id].ty.bytes()).sum()
}

/// What a core can compute while it moves a byte from or to memory; 9 on a 2-core Xeon with
/// AVX-512 (350 GFLOP/s, 39 GB/s).
const FLOPS_PER_BYTE: f64 = 9.0;

/// The operations and the memory traffic of a kernel, roughly.
fn work(g: &Graph, kernel: &Kernel) -> (u64, u64) {
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
