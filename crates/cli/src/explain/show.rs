//! Formats an explanation as text for terminals of at least 80 columns.
use super::trace::{Buffer, Kernel, Node, Storage, Trace};
use crate::device::Device;
use std::fmt::Write;
use std::io::IsTerminal;

/// A trace and the style to print it with.
pub struct Page<'t> {
    trace: &'t Trace,
    is_bold: bool,
}

/// Width of a bar over time, in columns.
const BAR: usize = 32;
/// Block characters from empty to full.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl<'t> Page<'t> {
    pub fn new(trace: &'t Trace) -> Page<'t> {
        let is_bold = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Page { trace, is_bold }
    }

    fn heading(&self, text: &str) -> String {
        if self.is_bold { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }

    pub fn summary(&self, title: &str, device: Device) -> String {
        let Trace { recorded, nodes, kernels, plan } = self.trace;
        let sum = |part: fn(&Kernel) -> f64| kernels.iter().map(part).sum::<f64>();
        let (flops, bytes) = (quantity(sum(|k| k.flops), "FLOP"), quantity(sum(|k| k.bytes), "B"));
        let (live, inputs) = (quantity(plan.live as f64, "B"), quantity(plan.inputs as f64, "B"));
        let device = match device {
            Device::Gpu => "the GPU",
            _ => "the CPU",
        };
        format!(
            "{}\n  graph    {recorded} nodes recorded, {} after simplification\n  \
             kernels  {} launches: {flops}, {bytes} of memory traffic\n  \
             memory   peak {live} of intermediates, {inputs} of inputs, parameters and state\n",
            self.heading(&format!("{title}, for {device}")),
            nodes.len(),
            kernels.len(),
        )
    }

    pub fn graph(&self) -> String {
        let mut text = format!("\n{}\n", self.heading("Graph"));
        _ = writeln!(text, "{:>6} {:<11} {:<22} {:<15} recorded by", "node", "op", "type", "of");
        for (n, node) in self.trace.nodes.iter().enumerate() {
            let inputs: Vec<String> = node.inputs.iter().map(|input| format!("%{input}")).collect();
            let (op, ty, of) = (&node.op, node.ty(), inputs.join(" "));
            _ = writeln!(
                text,
                "{:>6} {op:<11} {ty:<22} {of:<15} {}",
                format!("%{n}"),
                origin(node)
            );
        }
        text
    }

    pub fn kernels(&self) -> String {
        let mut text = format!("\n{}\n", self.heading("Kernels"));
        for (n, kernel) in self.trace.kernels.iter().enumerate() {
            text += &self.about(n, kernel);
        }
        text
    }

    /// Name, cost, nodes, calls and boundary reason of a kernel.
    fn about(&self, n: usize, kernel: &Kernel) -> String {
        let Kernel { name, domain, nodes, why, flops, bytes, .. } = kernel;
        let head = format!("{:<5}{name} {domain}", format!("#{n}"));
        let (flops, bytes) = (quantity(*flops, "FLOP"), quantity(*bytes, "B"));
        let calls = self.trace.calls(kernel);
        let calls: Vec<String> =
            calls.iter().map(|(call, site)| format!("{call} {}", short(site))).collect();
        let mut text = format!("{} {flops:>11} {bytes:>9}\n", self.heading(&format!("{head:<56}")));
        text += &wrap("nodes", &ranges(nodes), " ");
        text += &wrap("from", &calls, ", ");
        text += &wrap("reason", std::slice::from_ref(why), "");
        text
    }

    /// A kernel with its nodes, buffers and code.
    pub fn kernel(&self, n: usize, kernel: &Kernel) -> String {
        let mut text = self.about(n, kernel);
        for (what, buffers) in [("reads", &kernel.reads), ("writes", &kernel.writes)] {
            for &buffer in buffers {
                let buffer = &self.trace.plan.buffers[buffer];
                let node = &self.trace.nodes[buffer.node];
                let named = node.name.as_deref().unwrap_or(&node.op);
                let (id, ty) = (format!("%{}", buffer.node), node.ty());
                let bytes = quantity(buffer.bytes as f64, "B");
                _ = writeln!(
                    text,
                    "     {what:<7} {id:>6} {ty:<22} {bytes:>9}  {named}, {}",
                    location(buffer)
                );
            }
        }
        text += "\n";
        for &id in &kernel.nodes {
            let node = &self.trace.nodes[id];
            let (op, ty) = (&node.op, node.ty());
            _ = writeln!(text, "{:>6} {op:<11} {ty:<22} {}", format!("%{id}"), origin(node));
        }
        _ = write!(text, "\n{}\n", kernel.listing.trim_end());
        if let Some(wgsl) = &kernel.wgsl {
            _ = write!(text, "\n{}\n", wgsl.trim_end());
        }
        text
    }

    pub fn memory(&self) -> String {
        let (plan, launches) = (&self.trace.plan, self.trace.kernels.len());
        let mut text = format!("\n{}\n", self.heading("Memory"));
        for role in ["data", "param", "state"] {
            let is_it = |b: &&Buffer| self.trace.nodes[b.node].role.as_deref() == Some(role);
            let own = plan.buffers.iter().filter(|b| b.place == Storage::Input).filter(is_it);
            let (count, bytes) = own.fold((0, 0), |(n, sum), buffer| (n + 1, sum + buffer.bytes));
            if count > 0 {
                let tensors = if count == 1 { "tensor" } else { "tensors" };
                _ = writeln!(
                    text,
                    "  {role:<6} {:>9} in {count} {tensors}",
                    quantity(bytes as f64, "B")
                );
            }
        }
        let (arena, live) = (quantity(plan.arena as f64, "B"), quantity(plan.live as f64, "B"));
        let peak = plan.peak_launch(launches);
        _ = writeln!(text, "  arena  {arena:>9}, peak {live} at launch #{peak}\n");
        let columns = launches.clamp(1, BAR);
        let (ends, used) = (format!("#0 .. #{}", launches.saturating_sub(1)), "in use over time");
        _ = writeln!(text, "{:>6} {:<22} {:>9} {:>11}  {ends}", "node", "type", "bytes", "offset");
        _ = writeln!(text, "{:>6} {used:<22} {live:>9} {:>11} ▕{}▏", "", "", self.usage(columns));
        for buffer in plan.arena() {
            let (id, ty) = (format!("%{}", buffer.node), self.trace.nodes[buffer.node].ty());
            let (bytes, offset) =
                (quantity(buffer.bytes as f64, "B"), format!("+{}", buffer.offset));
            let line = (0..columns).map(|column| {
                let lives = buffer.lives_at(&span(column, columns, launches));
                if lives { '█' } else { '·' }
            });
            let line: String = line.collect();
            _ = writeln!(text, "{id:>6} {ty:<22} {bytes:>9} {offset:>11} ▕{line}▏");
        }
        text
    }

    /// Arena usage over time, as block characters.
    fn usage(&self, columns: usize) -> String {
        let (plan, launches) = (&self.trace.plan, self.trace.kernels.len());
        let column = |column: usize| {
            let most = span(column, columns, launches).map(|launch| plan.in_use(launch)).max();
            let height = (8 * most.unwrap_or(0)).div_ceil(plan.live.max(1));
            HEIGHTS[height.min(8)]
        };
        (0..columns).map(column).collect()
    }

    pub fn code(&self) -> String {
        let mut text = format!("\n{}\n", self.heading("Code"));
        for (n, kernel) in self.trace.kernels.iter().enumerate() {
            match &kernel.wgsl {
                Some(wgsl) => _ = writeln!(text, "{wgsl}"),
                None => _ = write!(text, "#{n} {}", kernel.listing),
            }
        }
        text
    }
}

/// The launches that one column of a bar covers.
fn span(column: usize, columns: usize, launches: usize) -> std::ops::Range<usize> {
    column * launches / columns..(column + 1) * launches / columns
}

fn location(buffer: &Buffer) -> String {
    match buffer.place {
        Storage::Input => "caller's memory".to_string(),
        Storage::Arena => format!("arena +{}", buffer.offset),
    }
}

/// The call that recorded a node, or the name of an input.
fn origin(node: &Node) -> String {
    match (&node.name, &node.role) {
        (Some(name), Some(role)) if name.is_empty() || name == role => role.clone(),
        (Some(name), Some(role)) => format!("{name} ({role})"),
        _ => format!("{} {}", node.call, short(&node.site)),
    }
}

/// A call site without the folders of its path.
fn short(site: &str) -> &str {
    site.rsplit(['/', '\\']).next().unwrap_or(site)
}

/// `%3-%8 %41`
fn ranges(ids: &[usize]) -> Vec<String> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a + 1 == *b);
    let text = |run: &[usize]| match run {
        [one] => format!("%{one}"),
        [first, .., last] => format!("%{first}-%{last}"),
        [] => String::new(),
    };
    runs.map(text).collect()
}

/// A label followed by items, wrapped to 80 columns.
fn wrap(word: &str, items: &[String], between: &str) -> String {
    let mut text = format!("     {word:<7}");
    let mut column = 12;
    for (n, item) in items.iter().enumerate() {
        let last = n + 1 == items.len();
        let len = item.chars().count() + if last { 0 } else { between.len() };
        if column + len > 80 && column > 12 {
            text = format!("{}\n{:12}", text.trim_end(), "");
            column = 12;
        }
        text += item;
        text += if last { "" } else { between };
        column += len;
    }
    text + "\n"
}

/// Three significant digits with a unit: `16.4 kFLOP`.
fn quantity(x: f64, unit: &str) -> String {
    let steps = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (size, prefix) = steps.into_iter().find(|(size, _)| x >= *size).unwrap_or((1.0, ""));
    let x = x / size;
    match (prefix, x) {
        ("", _) => format!("{x:.0} {unit}"),
        (_, x) if x < 9.995 => format!("{x:.2} {prefix}{unit}"),
        (_, x) if x < 99.95 => format!("{x:.1} {prefix}{unit}"),
        _ => format!("{x:.0} {prefix}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits() {
        let rows = [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1000.0, "1.00 kB"),
            (16_384.0, "16.4 kB"),
            (2.5e8, "250 MB"),
        ];
        for (x, want) in rows {
            assert_eq!(quantity(x, "B"), want);
        }
    }

    #[test]
    fn ids_are_written_as_ranges() {
        assert_eq!(ranges(&[41, 4, 5, 6, 9]), ["%4-%6", "%9", "%41"]);
    }

    #[test]
    fn every_launch_is_in_one_column() {
        for (launches, columns) in [(1, 1), (7, 7), (32, 32), (33, 32), (130, 32)] {
            let all: Vec<usize> = (0..columns).flat_map(|c| span(c, columns, launches)).collect();
            assert_eq!(all, (0..launches).collect::<Vec<_>>());
        }
    }

    #[test]
    fn long_lists_are_wrapped() {
        let items: Vec<String> = (0..40).map(|n| format!("%{n}")).collect();
        let text = wrap("nodes", &items, " ");
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() <= 80), "{text}");
        assert_eq!(text.split_whitespace().count(), 41);
    }
}
