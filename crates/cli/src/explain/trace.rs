//! The compiler's explanation of a step (docs/trace.md), deserialized.
use serde::Deserialize;
use std::ops::Range;

#[derive(Deserialize)]
pub struct Trace {
    pub recorded: usize,
    pub nodes: Vec<Node>,
    pub kernels: Vec<Kernel>,
    pub plan: Plan,
}

#[derive(Deserialize)]
pub struct Node {
    pub op: String,
    pub call: String,
    pub site: String,
    pub inputs: Vec<usize>,
    pub dtype: String,
    pub shape: Vec<usize>,
    pub name: Option<String>,
    pub role: Option<String>,
}

#[derive(Deserialize)]
pub struct Kernel {
    pub name: String,
    pub domain: String,
    pub nodes: Vec<usize>,
    pub reads: Vec<usize>,
    pub writes: Vec<usize>,
    pub why: String,
    pub flops: f64,
    pub bytes: f64,
    pub listing: String,
    /// The shader, if compiled for a GPU.
    pub wgsl: Option<String>,
}

#[derive(Deserialize)]
pub struct Plan {
    pub arena: usize,
    pub live: usize,
    pub inputs: usize,
    pub buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
pub struct Buffer {
    pub node: usize,
    pub place: Storage,
    pub offset: usize,
    pub bytes: usize,
    pub from: usize,
    pub to: usize,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    Input,
    Arena,
}

impl Node {
    pub fn ty(&self) -> String {
        format!("{}{:?}", self.dtype, self.shape)
    }
}

impl Buffer {
    pub fn lives_at(&self, launches: &Range<usize>) -> bool {
        self.from < launches.end && self.to >= launches.start
    }
}

impl Plan {
    /// The buffers in the arena.
    pub fn arena(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(|buffer| buffer.place == Storage::Arena)
    }

    /// Bytes of the arena in use at one launch.
    pub fn in_use(&self, launch: usize) -> usize {
        let at = launch..launch + 1;
        self.arena().filter(|buffer| buffer.lives_at(&at)).map(|buffer| buffer.bytes).sum()
    }

    /// The first launch with the peak arena usage.
    pub fn peak_launch(&self, launches: usize) -> usize {
        (0..launches).rev().max_by_key(|&launch| self.in_use(launch)).unwrap_or(0)
    }
}

impl Trace {
    /// The calls that a kernel computes, each with its site, in order.
    pub fn calls(&self, kernel: &Kernel) -> Vec<(&str, &str)> {
        let mut calls = Vec::new();
        for node in kernel.nodes.iter().map(|&n| &self.nodes[n]) {
            let call = (node.call.as_str(), node.site.as_str());
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        calls
    }
}
