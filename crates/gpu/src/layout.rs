//! Where the tensors of a program lie on the device: in the arena, or in bindings of their own.
use crate::alarms::ALARM;
use crate::emit::{Home, Operand, Operands, is_hosted};
use crate::memory::{WORD, bytes};
use brasa_compile::Program;
use brasa_compile::kernel::Body;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::Launch;
use std::collections::HashMap;

/// Where things lie in the arena, in bytes.
#[derive(Default)]
pub(crate) struct Layout {
    /// Inputs that are copied into the arena for a run, as a kernel has too many to bind them.
    pub(crate) staged: HashMap<usize, usize>,
    /// The result of an op that runs on the CPU.
    pub(crate) anchor: usize,
    /// Where launches note indices out of range.
    pub(crate) alarm: usize,
    pub(crate) bytes: usize,
}

/// The buffers of a launch as its shader sees them, and the inputs to bind.
pub(crate) fn operands(
    program: &Program,
    layout: &Layout,
    launch: &Launch,
) -> (Operands, Vec<usize>) {
    let mut inputs: Vec<usize> = Vec::new();
    let mut is_written = Vec::new();
    let mut operand = |id: &BufferId, writes: bool| {
        let buffer = &program.buffers[id.index()];
        let home = match buffer.place {
            Place::Input(n) if !layout.staged.contains_key(&n) => {
                let at = inputs.iter().position(|&other| other == n).unwrap_or_else(|| {
                    inputs.push(n);
                    is_written.push(false);
                    inputs.len() - 1
                });
                is_written[at] |= writes;
                Home::Input(at)
            }
            _ => Home::Arena,
        };
        Operand { dtype: buffer.ty.dtype, home }
    };
    let reads = launch.reads.iter().map(|id| operand(id, false)).collect();
    let writes = launch.writes.iter().map(|id| operand(id, true)).collect();
    (Operands { reads, writes, inputs: is_written }, inputs)
}

impl Layout {
    /// Arranges the arena for elements of a word each, with at most `most` inputs bound at once.
    pub(crate) fn new(program: &mut Program, most: usize) -> Layout {
        program.rearrange(bytes);
        let mut layout = Layout { bytes: program.arena_bytes, ..Layout::default() };
        for launch in &program.launches {
            let place = |id: &BufferId| match program.buffers[id.index()].place {
                Place::Input(n) if !layout.staged.contains_key(&n) => Some(n),
                _ => None,
            };
            let mut inputs: Vec<usize> =
                launch.reads.iter().chain(&launch.writes).filter_map(place).collect();
            inputs.sort_unstable();
            inputs.dedup();
            // The smallest cost the least to copy.
            inputs.sort_by_key(|&n| program.inputs[n].ty.elements());
            let surplus = inputs.len().saturating_sub(most);
            for &n in &inputs[..surplus] {
                let at = layout.reserve(bytes(&program.inputs[n].ty));
                layout.staged.insert(n, at);
            }
        }
        let anchor = |launch: &Launch| match &launch.kernel.body {
            Body::Library { op, out, .. } if is_hosted(op) => bytes(out),
            _ => 0,
        };
        let largest = program.launches.iter().map(anchor).max().unwrap_or(0);
        layout.anchor = layout.reserve(largest);
        layout.alarm = layout.reserve(ALARM);
        layout
    }

    fn reserve(&mut self, bytes: usize) -> usize {
        let at = self.bytes;
        self.bytes += bytes.next_multiple_of(4 * WORD);
        at
    }

    /// Where a buffer begins in the arena, if it lies there.
    pub(crate) fn place(&self, program: &Program, id: BufferId) -> Option<usize> {
        match program.buffers[id.index()].place {
            Place::Arena(at) => Some(at),
            Place::Input(n) => self.staged.get(&n).copied(),
        }
    }
}
