//! `brasa bench --profile`: time, FLOPs and memory traffic of each kernel, compared with the
//! machine's peak rates.
use super::machine::Machine;
use super::model::Step;
use brasa_compile::kernel::{Body, Kernel};
use brasa_cpu::Pool;
use brasa_ir::Result;
use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};

/// The order in which kernels are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// Launch order
    Order,
    /// Slowest first
    Time,
}

/// One step, kernel by kernel.
pub struct Profile {
    pub workload: String,
    pub machine: Machine,
    /// Seconds of a step without profiling.
    step: f64,
    rows: Vec<Row>,
}

/// A kernel, or several identical ones.
struct Row {
    kernel: Kernel,
    /// Index of its first launch.
    first: usize,
    count: usize,
    /// Totals over all of them.
    seconds: f64,
    flops: f64,
    bytes: f64,
}

/// Measuring time. The best time of each kernel is kept.
const MEASURE_TIME: Duration = Duration::from_secs(1);

impl Profile {
    pub fn measure(workload: &str, step: &mut Step, pool: &Pool) -> Result<Profile> {
        let (begin, mut whole) = (Instant::now(), Duration::MAX);
        let mut best: Vec<Duration> = Vec::new();
        let mut rounds = 0;
        while begin.elapsed() < MEASURE_TIME || rounds < 3 {
            let start = Instant::now();
            step.take(pool)?;
            whole = whole.min(start.elapsed());
            let times = step.profile(pool)?;
            best.resize(times.len(), Duration::MAX);
            best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
            rounds += 1;
        }
        let kernels = step.engine.program().launches.iter().map(|launch| &launch.kernel);
        let rows = kernels.zip(best).enumerate();
        let rows = rows.map(|(n, (kernel, time))| Row::new(n, kernel, time.as_secs_f64()));
        let (workload, rows) = (workload.to_string(), rows.collect());
        let machine = Machine::measure(pool);
        Ok(Profile { workload, machine, step: whole.as_secs_f64(), rows })
    }

    /// Merges identical kernels into the row of the first.
    pub fn group(&mut self) {
        let mut groups: Vec<Row> = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            match groups.iter_mut().find(|group| is_identical(&group.kernel, &row.kernel)) {
                Some(group) => group.add(&row),
                None => groups.push(row),
            }
        }
        self.rows = groups;
    }

    pub fn sort(&mut self, order: Order) {
        match order {
            Order::Order => self.rows.sort_by_key(|row| row.first),
            Order::Time => self.rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds)),
        }
    }

    fn total(&self, part: impl Fn(&Row) -> f64) -> f64 {
        self.rows.iter().map(part).sum()
    }

    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "launch": row.first,
                "count": row.count,
                "name": row.kernel.name(),
                "shape": shapes(&row.kernel),
                "us": row.seconds * 1e6,
                "flops": row.flops,
                "bytes": row.bytes,
                "of_peak": row.of_peak(&self.machine),
                "of_copy": row.of_copy(&self.machine),
                "bound": row.bound(&self.machine),
            })
        };
        json!({
            "workload": self.workload,
            "step_ms": self.step * 1e3,
            "kernels_ms": self.total(|row| row.seconds) * 1e3,
            "threads": self.machine.threads,
            "peak_gflops": self.machine.flops / 1e9,
            "copy_gbs": self.machine.bytes / 1e9,
            "kernels": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl Row {
    fn new(first: usize, kernel: &Kernel, seconds: f64) -> Row {
        let (flops, bytes) = (kernel.flops() as f64, kernel.bytes() as f64);
        Row { kernel: kernel.clone(), first, count: 1, seconds, flops, bytes }
    }

    fn add(&mut self, other: &Row) {
        self.count += other.count;
        self.seconds += other.seconds;
        self.flops += other.flops;
        self.bytes += other.bytes;
    }

    fn of_peak(&self, machine: &Machine) -> f64 {
        self.flops / self.seconds / machine.flops
    }

    fn of_copy(&self, machine: &Machine) -> f64 {
        self.bytes / self.seconds / machine.bytes
    }

    /// The machine limit that it is closer to.
    fn bound(&self, machine: &Machine) -> &'static str {
        if self.of_peak(machine) > self.of_copy(machine) { "flops" } else { "bytes" }
    }
}

/// Whether two kernels do the same work on the same shapes. Instruction order and constants may
/// differ.
fn is_identical(a: &Kernel, b: &Kernel) -> bool {
    let form = |k: &Kernel| (k.name(), shapes(k), k.code.steps.len(), k.flops(), k.bytes());
    a.domain == b.domain && form(a) == form(b)
}

/// The iteration space of a loop kernel, or the operand and result shapes of a library op.
fn shapes(kernel: &Kernel) -> String {
    let Body::Library { operands, out, .. } = &kernel.body else {
        return kernel.domain.to_string();
    };
    let operands: Vec<String> = operands.iter().map(|o| format!("{:?}", &o.ty.shape[..])).collect();
    format!("{} -> {:?}", operands.join(" "), &out.shape[..])
}

/// About three significant digits, for a column of width seven.
fn short(x: f64) -> String {
    match x {
        _ if x < 0.0005 => "0".to_string(),
        _ if x < 1.0 => format!("{x:.3}"),
        _ if x < 10.0 => format!("{x:.2}"),
        _ if x < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (machine, kernels) = (&self.machine, self.total(|row| row.seconds));
        let count: usize = self.rows.iter().map(|row| row.count).sum();
        writeln!(
            f,
            "{}: {} ms per step; {count} {}, total {} ms ({:.0} %), {} GFLOP, {} MB",
            self.workload,
            short(self.step * 1e3),
            if count == 1 { "kernel" } else { "kernels" },
            short(kernels * 1e3),
            100.0 * kernels / self.step,
            short(self.total(|row| row.flops) / 1e9),
            short(self.total(|row| row.bytes) / 1e6),
        )?;
        writeln!(
            f,
            "machine: {} threads, {:.0} GFLOP/s in products, {:.1} GB/s in copies",
            machine.threads,
            machine.flops / 1e9,
            machine.bytes / 1e9
        )?;
        writeln!(
            f,
            "{:>4} {:>3} {:>9} {:>7} {:>7} {:>7} {:>8} {:>7} {:>7} {:>7} {:<6} kernel",
            "#", "x", "us", "share", "MFLOP", "MB", "GFLOP/s", "of peak", "GB/s", "of copy", "near"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:>4} {:>3} {:>9.1} {:>5.1} % {:>7} {:>7} {:>8} {:>5.0} % {:>7} {:>5.0} % {:<6} {} {}",
                row.first,
                row.count,
                row.seconds * 1e6,
                100.0 * row.seconds / kernels,
                short(row.flops / 1e6),
                short(row.bytes / 1e6),
                short(row.flops / row.seconds / 1e9),
                100.0 * row.of_peak(machine),
                short(row.bytes / row.seconds / 1e9),
                100.0 * row.of_copy(machine),
                row.bound(machine),
                row.kernel.name(),
                shapes(&row.kernel)
            )?;
        }
        Ok(())
    }
}
