//! Library ops: those with kernels of their own, and the rest by their meaning in the op table.
mod contract;
mod conv;
mod indexing;

use crate::gemm::Element;
use crate::interp::{Anchor, Loop, Memory, Setting};
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::{Code, Kernel, Operand, What};
use brasa_ir::ops::Op;
use brasa_ir::view::View;
use brasa_ir::{Array, DType, Number, Result, Type};
use contract::Contract;
use conv::Conv;
use indexing::{Gather, Scatter};

/// A library op with the code that follows it.
pub(crate) struct Library {
    op: Op,
    operands: Vec<Operand>,
    out: Type,
    epilogue: Loop,
    fast: Fast,
    /// The write that the op's own result can go to on its way to the epilogue.
    target: Option<usize>,
    has_epilogue: bool,
}

/// How the op itself is run.
enum Fast {
    Contract(Contract),
    Conv(Box<Conv>),
    Gather(Gather),
    Scatter(Scatter),
    /// By its meaning in the op table.
    Plain,
}

/// Where a product of matrices is written.
#[derive(Clone, Copy)]
struct Target<T>(*mut T);

// SAFETY: threads write different tiles.
unsafe impl<T> Sync for Target<T> {}

impl<T> Target<T> {
    fn cast<U>(self) -> Target<U> {
        Target(self.0.cast())
    }

    /// # Safety
    /// The result has an element `n`.
    unsafe fn at(self, n: usize) -> *mut T {
        // SAFETY: promised by the caller.
        unsafe { self.0.add(n) }
    }
}

impl Library {
    pub(crate) fn new(
        op: &Op,
        operands: &[Operand],
        out: &Type,
        kernel: &Kernel,
        setting: Setting,
    ) -> Library {
        let fast = match op {
            Op::Contract(_) => Contract::new(operands).map_or(Fast::Plain, Fast::Contract),
            Op::Conv(conv) => match Conv::new(conv, operands, out) {
                Some(conv) => Fast::Conv(Box::new(conv)),
                None => Fast::Plain,
            },
            Op::Gather(gather) => {
                Gather::new(gather.axis, operands).map_or(Fast::Plain, Fast::Gather)
            }
            Op::Scatter(scatter) => {
                Scatter::new(scatter.axis, scatter.by, operands).map_or(Fast::Plain, Fast::Scatter)
            }
            _ => Fast::Plain,
        };
        let anchor = anchor_write(kernel, out.dtype, setting.shared);
        let columns = match &fast {
            Fast::Contract(contract) => Some(contract.columns()),
            Fast::Conv(_) => Some(out.shape[2..].iter().product()),
            _ => None,
        };
        let epilogue = Loop::new(kernel, Setting { anchor, columns, ..setting });
        let Code { steps, stores } = &kernel.code;
        let has_epilogue = steps.len() > 1 || stores.len() > 1 || anchor.is_none();
        let target = anchor;
        let (op, operands, out) = (op.clone(), operands.to_vec(), out.clone());
        Library { op, operands, out, epilogue, fast, target, has_epilogue }
    }

    /// # Safety
    /// The buffers are as large as the kernel's reads and writes say.
    pub(crate) unsafe fn run(&self, pool: &Pool, memory: Memory) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe {
            match &self.fast {
                Fast::Contract(contract) => contract.run(self, pool, memory),
                Fast::Conv(conv) => conv.run(self, pool, memory),
                Fast::Gather(gather) => match self.out.dtype.bytes() {
                    4 if self.out.dtype != DType::U32 => {
                        self.with_target::<f32, _>(memory, |c| {
                            gather.run(pool, memory, c.cast())?;
                            self.finish(pool, memory, c);
                            Ok(())
                        })?;
                    }
                    8 => self.with_target::<f64, _>(memory, |c| {
                        gather.run(pool, memory, c.cast())?;
                        self.finish(pool, memory, c);
                        Ok(())
                    })?,
                    _ => self.plain(pool, memory)?,
                },
                Fast::Scatter(scatter) => self.with_target::<f32, _>(memory, |c| {
                    scatter.run(pool, memory, c)?;
                    self.finish(pool, memory, c);
                    Ok(())
                })?,
                Fast::Plain => self.plain(pool, memory)?,
            }
        }
        Ok(())
    }

    /// Whether the result is stored as it is, and nothing else.
    fn is_plain(&self) -> bool {
        !self.has_epilogue
    }

    /// Calls `f` with memory for the op's result: the buffer of a write, or scratch.
    fn with_target<T: Element, R>(&self, memory: Memory, f: impl FnOnce(Target<T>) -> R) -> R {
        match self.target.filter(|_| size_of::<T>() == self.out.dtype.bytes()) {
            Some(write) => f(Target(memory.writes[write].cast())),
            None => scratch::with::<T, R>(self.out.elements(), |c| f(Target(c.as_mut_ptr()))),
        }
    }

    /// The op as the reference device does it, then the epilogue over all of its result.
    unsafe fn plain(&self, pool: &Pool, memory: Memory) -> Result<()> {
        let array = |operand: &Operand| {
            let bytes = reach(&operand.view) * operand.ty.dtype.bytes();
            // SAFETY: the buffer holds all that the view reaches.
            let bytes = unsafe { std::slice::from_raw_parts(memory.reads[operand.read], bytes) };
            through(&operand.view, &operand.ty, bytes)
        };
        let operands: Vec<Array> = self.operands.iter().map(array).collect();
        let operands: Vec<&Array> = operands.iter().collect();
        let result = self.op.def().eval(&operands, &self.out)?;
        let mut anchor = registers(&result);
        let anchor = Anchor::Whole(anchor.as_mut_ptr().cast());
        // SAFETY: the anchor has every element of the result.
        unsafe { self.epilogue.run_behind(pool, memory, anchor) };
        Ok(())
    }
}

/// A write that can hold the op's result until the code has read it: the result's own, or else any
/// that is as large and that the code does not read itself.
fn anchor_write(kernel: &Kernel, dtype: DType, shared: &[(usize, usize)]) -> Option<usize> {
    let is_read = |w: usize| shared.iter().any(|&(_, write)| write == w);
    let step = |w: usize| &kernel.code.steps[kernel.code.stores[w].index()];
    let writes = || (0..kernel.code.stores.len()).filter(|&w| !is_read(w));
    let own = writes().find(|&w| matches!(step(w).what, What::Anchor));
    own.or_else(|| writes().find(|&w| step(w).dtype == dtype))
}

/// The elements of storage that a view can reach.
fn reach(view: &View) -> usize {
    let lowest = view.layers().last().expect("a view has a layer");
    let furthest = |axis: &brasa_ir::view::Axis| {
        let last = axis.hi.saturating_sub(1) as isize * axis.stride;
        last.max(axis.lo as isize * axis.stride)
    };
    let end: isize = lowest.offset + lowest.axes.iter().map(furthest).sum::<isize>();
    if view.is_empty() { 0 } else { end as usize + 1 }
}

/// The tensor that a view of some bytes is.
fn through(view: &View, ty: &Type, bytes: &[u8]) -> Array {
    let stored = Type::new(ty.dtype, [bytes.len() / ty.dtype.bytes()]);
    let stored = Array::from_bytes(&stored, bytes).expect("whole elements");
    let indices = (0..ty.elements()).map(|i| view.index_flat(i));
    stored.pick(ty, indices, Number::Int(0))
}

/// A tensor's elements as registers hold them, in 8-byte words.
fn registers(x: &Array) -> Vec<u64> {
    let mut bytes: Vec<u8> = Vec::with_capacity(x.len() * 8);
    for i in 0..x.len() {
        match x.dtype() {
            DType::F64 => bytes.extend(x.f64(i).to_le_bytes()),
            DType::F16 | DType::BF16 | DType::F32 => bytes.extend((x.f64(i) as f32).to_le_bytes()),
            DType::U32 | DType::I64 => bytes.extend(x.i64(i).to_le_bytes()),
            _ => bytes.extend((x.i64(i) as i32).to_le_bytes()),
        }
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let word = |w: &[u8]| u64::from_le_bytes(w.try_into().expect("eight bytes"));
    bytes.chunks_exact(8).map(word).collect()
}
