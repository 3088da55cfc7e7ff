//! The order of kernels: graph order, except that kernels that free more memory than they allocate
//! run as early as possible, and independent small kernels run concurrently.
//!
//! - Assumes kernels in a valid execution order, none of them concurrent.
//! - Guarantees the same kernels in a valid execution order. Without concurrent kernels their peak
//!   memory is at most that of the given order. A kernel that is marked concurrent depends on no
//!   kernel of its wave.
use crate::memory::pack::peak;
use crate::memory::plan::{Lives, Task};
use crate::schedule::kernel::Kernel;
use brasa_ir::Id;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The kernels in execution order, with concurrent ones marked.
pub(crate) fn order_kernels(task: Task, kernels: &[Kernel], min_concurrent: usize) -> Vec<Kernel> {
    let order = min_peak_order(task, kernels).into_iter().cloned().collect();
    match min_concurrent {
        0 => order,
        _ => mark_concurrent(task, order, min_concurrent),
    }
}

/// Graph order or greedy order, whichever has the lower peak memory.
pub(crate) fn min_peak_order<'k>(task: Task, kernels: &'k [Kernel]) -> Vec<&'k Kernel> {
    let graph_order: Vec<&Kernel> = kernels.iter().collect();
    let greedy = greedy_order(task, kernels);
    let peak = |order: &[&Kernel]| peak(&Lives::new(task, order).profile());
    if peak(&greedy) < peak(&graph_order) { greedy } else { graph_order }
}

/// Runs kernels that free memory as early as possible.
fn greedy_order<'k>(task: Task, kernels: &'k [Kernel]) -> Vec<&'k Kernel> {
    let links = Links::new(task, kernels);
    let mut waits: Vec<usize> = links.before.iter().map(Vec::len).collect();
    let mut left = links.readers.clone();
    let bytes = |id: Id| task.g[id].ty.bytes() as isize;
    let net = |n: usize, left: &[usize]| -> isize {
        let taken: isize = kernels[n].writes.iter().map(|&id| bytes(id)).sum();
        let dies = |id: &&Id| left[id.index()] == 1;
        let freed: isize = kernels[n].reads.iter().filter(dies).map(|&id| bytes(id)).sum();
        taken - freed
    };
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..kernels.len()).filter(|&n| waits[n] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(kernels.len());
    while let Some(Reverse(next)) = ready.pop() {
        // A ready kernel that frees memory goes first. Only the oldest ready kernels are
        // considered.
        let mut passed = vec![next];
        let mut chosen = next;
        while net(chosen, &left) > 0 && passed.len() < LOOK_AHEAD {
            let Some(Reverse(other)) = ready.pop() else { break };
            passed.push(other);
            if net(other, &left) <= 0 {
                chosen = other;
            }
        }
        ready.extend(passed.into_iter().filter(|&n| n != chosen).map(Reverse));
        kernels[chosen]
            .reads
            .iter()
            .for_each(|id| left[id.index()] = left[id.index()].saturating_sub(1));
        order.push(&kernels[chosen]);
        for &later in &links.after[chosen] {
            waits[later] -= 1;
            if waits[later] == 0 {
                ready.push(Reverse(later));
            }
        }
    }
    order
}

/// Maximum number of ready kernels to consider when one is chosen.
const LOOK_AHEAD: usize = 32;

/// Groups independent small kernels of similar cost into waves of at least `min_concurrent` and
/// marks them as concurrent. Their results live longer, but take little memory.
fn mark_concurrent(task: Task, mut kernels: Vec<Kernel>, min_concurrent: usize) -> Vec<Kernel> {
    let Links { before, .. } = Links::new(task, &kernels);
    let work: Vec<usize> = kernels.iter().map(Kernel::work).collect();
    let is_small = |n: usize| !kernels[n].is_custom() && work[n] < task.target.parallel_work;
    let is_small: Vec<bool> = (0..kernels.len()).map(is_small).collect();
    let is_similar = |a: usize, b: usize| work[a] <= 2 * work[b] && work[b] <= 2 * work[a];
    // The first kernel of the wave that each kernel belongs to, once known.
    let mut heads: Vec<Option<usize>> = vec![None; kernels.len()];
    let mut order: Vec<usize> = Vec::with_capacity(kernels.len());
    for head in 0..kernels.len() {
        if heads[head].is_some() {
            continue;
        }
        heads[head] = Some(head);
        let is_done = |n: &usize| heads[*n].is_some_and(|other| other != head);
        let is_free = |n: &usize| is_small[*n] && is_similar(head, *n) && heads[*n].is_none();
        let others = (head + 1..kernels.len().min(head + LOOK_AHEAD))
            .filter(|n| is_small[head] && is_free(n) && before[*n].iter().all(is_done));
        let mut wave: Vec<usize> = [head].into_iter().chain(others).collect();
        if wave.len() < min_concurrent {
            wave.truncate(1);
        }
        for &n in &wave[1..] {
            heads[n] = Some(head);
            kernels[n].is_concurrent = true;
        }
        order.extend(wave);
    }
    let mut kernels: Vec<Option<Kernel>> = kernels.into_iter().map(Some).collect();
    order.into_iter().map(|n| kernels[n].take().expect("each kernel is in one wave")).collect()
}

/// Dependencies between kernels.
struct Links {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    /// How many kernels read a node; one more if it outlives all kernels.
    readers: Vec<usize>,
}

impl Links {
    fn new(task: Task, kernels: &[Kernel]) -> Links {
        let mut writer: Vec<Option<usize>> = vec![None; task.g.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); task.g.len()];
        for (n, kernel) in kernels.iter().enumerate() {
            kernel.reads.iter().for_each(|id| readers[id.index()].push(n));
            kernel.writes.iter().for_each(|id| writer[id.index()] = Some(n));
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); kernels.len()];
        for (n, kernel) in kernels.iter().enumerate() {
            before[n].extend(kernel.reads.iter().filter_map(|id| writer[id.index()]));
        }
        let mut lasting: Vec<Id> = task.wanted.to_vec();
        for (target, value) in task.writes() {
            // The new value of an input can overwrite the old one if all readers of that run
            // before.
            let Some(writer) = writer[value.index()] else { continue };
            before[writer].extend(readers[target.index()].iter().filter(|&&n| n < writer));
            lasting.push(value);
        }
        let mut after = vec![Vec::new(); kernels.len()];
        for (n, list) in before.iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            list.iter().for_each(|&m: &usize| after[m].push(n));
        }
        let mut counts: Vec<usize> = readers.iter().map(Vec::len).collect();
        // Inputs and values that outlive the run are never freed.
        lasting.iter().chain(task.inputs).for_each(|id| counts[id.index()] += 1);
        Links { before, after, readers: counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::schedule;
    use crate::{Options, Target};
    use brasa_ir::ops::Role;
    use brasa_ir::{DType, Expr, Recorder, Type};

    /// The greedy order may have a higher peak: then kernels keep graph order.
    #[test]
    fn no_order_needs_more_memory_than_graph_order() {
        let mut worse = 0;
        let target = Target { overwrites_rows: true, ..Target::default() };
        for seed in 0..200 {
            let draw = |n: usize, most: usize| (n * 7919 + seed * 104_729) % 1_000_003 % most;
            let g = Recorder::default();
            let matrix = |len| g.input("", Role::Data, Type::new(DType::F32, [len, len]));
            let mut values: Vec<Expr> = [8, 24, 40].map(matrix).into();
            for n in 0..20 {
                let [a, b] = [n, n + 99].map(|n| values[draw(n, values.len())]);
                let sum = b.flip(&[0]).sum_keep(&[0, 1]).expand(&a.shape());
                values.push(a.contract(a) + sum);
            }
            let last = values.iter().skip(18).map(|value| value.sum_keep(&[0, 1]));
            let wanted = [last.reduce(|a, b| a + b).expect("values is not empty").id()];
            let inputs = [0, 1, 2].map(|n| values[n].id());
            let graph = g.read(|graph| graph.clone());
            let kernels = schedule(&graph, &wanted, &Options::default());
            let task = Task {
                g: &graph,
                inputs: &inputs,
                wanted: &wanted,
                index_checks: &[],
                target: &target,
            };
            let graph_order: Vec<&Kernel> = kernels.iter().collect();
            let peak = |order: &[&Kernel]| peak(&Lives::new(task, order).profile());
            worse += usize::from(peak(&greedy_order(task, &kernels)) > peak(&graph_order));
            assert!(peak(&min_peak_order(task, &kernels)) <= peak(&graph_order), "seed {seed}");
        }
        assert!(worse > 0, "graph order was never better");
    }
}
