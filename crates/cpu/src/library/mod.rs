//! Kernels of library ops: each op has an algorithm of its own, or runs by the `eval` of the op
//! table, as custom ops do. The kernel's pointwise code follows as an epilogue.
mod arg_reduce;
mod chained;
mod contract;
mod conv;
mod dtype_ops;
mod fold;
mod gather;
mod index;
mod integer_matmul;
mod lines;
mod producer;
mod scan;
mod scatter;
mod sort;
mod stored;
mod walk;

use crate::interp::{Anchor, Class, Loop, LoopOptions, Memory};
use crate::paths::{self, Path};
use crate::pool::Pool;
use crate::scratch;
use arg_reduce::ArgReduce;
use brasa_compile::kernel::{Code, Domain, Granularity, Operand, Ref, Step, StepOp};
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::view::View;
use brasa_ir::{Array, DType, Number, Result, Type};
use contract::Contract;
use conv::Conv;
use dtype_ops::{ElementOps, KeyOps, SumOps, by_class, by_key, by_sum};
use fold::Fold;
use gather::Gather;
use integer_matmul::IntegerMatmul;
use scan::Scan;
use scatter::Scatter;
use sort::Sort;

/// A library op, prepared with the code that follows it.
pub(crate) struct Library {
    op: Op,
    operands: Vec<Operand>,
    out: Type,
    epilogue: Loop,
    algorithm: Algorithm,
    /// The write whose buffer holds the op's own result until the epilogue has read it. `None` if
    /// the result needs scratch memory.
    result_write: Option<usize>,
    has_epilogue: bool,
}

/// An op, its operands and the type of its result.
type OpCall<'a> = (&'a Op, &'a [Operand], &'a Type);

/// How the op itself runs.
enum Algorithm {
    Contract(Box<Contract>),
    Conv(Box<Conv>),
    Fold(Fold),
    Gather(Gather),
    IntegerMatmul(IntegerMatmul),
    Scan(Scan),
    Scatter(Scatter),
    Sort(Sort),
    ArgReduce(ArgReduce),
    /// By the `eval` of the op table.
    Reference,
}

impl Algorithm {
    /// `None` if the op runs by [`Algorithm::Reference`]. Writes of a chained product begin at
    /// `first_write`.
    fn new((op, operands, out): OpCall, first_write: usize) -> Option<Algorithm> {
        Some(match op {
            Op::Contract(_) => match Contract::new(operands, first_write) {
                Some(contract) => Algorithm::Contract(Box::new(contract)),
                None => Algorithm::IntegerMatmul(IntegerMatmul::new(operands)?),
            },
            Op::Conv(conv) => Algorithm::Conv(Box::new(Conv::new(conv, operands, out)?)),
            Op::Fold(fold) => Algorithm::Fold(Fold::new(fold, &operands[0])),
            Op::Gather(gather) => Algorithm::Gather(Gather::new(gather.axis, operands)?),
            Op::Scan(scan) => Algorithm::Scan(Scan::new(scan, operands)),
            Op::Scatter(scatter) => {
                Algorithm::Scatter(Scatter::new(scatter.axis, scatter.by, operands)?)
            }
            Op::Sort(sort) => Algorithm::Sort(Sort::new(sort, &operands[0])),
            Op::ArgReduce(op) => Algorithm::ArgReduce(ArgReduce::new(op, &operands[0])),
            _ => return None,
        })
    }

    /// The code path to record.
    fn path(&self) -> Path {
        match self {
            Algorithm::Fold(_) => Path::Fold,
            Algorithm::Gather(_) => Path::Gather,
            Algorithm::IntegerMatmul(_) => Path::ContractIntegers,
            Algorithm::Scan(_) => Path::Scan,
            Algorithm::Scatter(_) => Path::Scatter,
            Algorithm::Sort(_) => Path::Sort,
            Algorithm::ArgReduce(op) if op.is_contiguous() => Path::ArgReduceAlong,
            Algorithm::ArgReduce(_) => Path::ArgReduceAcross,
            Algorithm::Contract(_) | Algorithm::Conv(_) | Algorithm::Reference => {
                Path::LoopEpilogue
            }
        }
    }
}

/// A pointer to the result of an op.
///
/// The unsafe functions that take one require, with [`Class`] elements as registers hold them:
/// - Bounds: the pointer is valid for reads and writes of all elements of the result, and aligned.
/// - Initialization: none, unless the function says so. All elements are initialized afterwards.
/// - Aliasing: the result overlaps no buffer that the op reads. While the function runs, other
///   threads access only elements that the function does not.
/// - Lifetime: the memory stays allocated while the function runs.
#[derive(Clone, Copy)]
struct ResultPtr<T>(*mut T);

// SAFETY: threads access disjoint elements, see above.
unsafe impl<T> Sync for ResultPtr<T> {}

impl<T> ResultPtr<T> {
    /// The address of element `n`.
    ///
    /// # Safety
    /// The result has more than `n` elements, or exactly `n` if nothing is accessed there.
    unsafe fn at(self, n: usize) -> *mut T {
        // SAFETY: the element is inside the result or one past its end.
        unsafe { self.0.add(n) }
    }
}

impl Library {
    pub(crate) fn new(
        (op, operands, out): OpCall,
        domain: &Domain,
        code: &Code,
        options: LoopOptions,
    ) -> Library {
        let first_write = options.first_write + code.stores.len();
        let algorithm =
            Algorithm::new((op, operands, out), first_write).unwrap_or(Algorithm::Reference);
        // Narrow dtypes are wider in registers than in memory, so they cannot use the buffer.
        let is_narrow = !Class::is_stored_as(out.dtype);
        let anchor = find_anchor_write(code, out.dtype, options.shared).filter(|_| !is_narrow);
        let is_reduced = code.steps.iter().any(|s| matches!(s.op, StepOp::Reduce { .. }));
        let columns = match &algorithm {
            _ if is_reduced => None,
            Algorithm::Contract(contract) => Some(contract.columns()),
            Algorithm::Conv(_) => Some(out.shape[2..].iter().product()),
            _ => None,
        };
        let epilogue = Loop::new(domain, code, LoopOptions { anchor, columns, ..options });
        let Code { steps, stores } = code;
        let has_epilogue = steps.len() > 1 || stores.len() > 1 || anchor.is_none();
        let result_write = anchor.map(|write| options.first_write + write);
        let (op, operands, out) = (op.clone(), operands.to_vec(), out.clone());
        Library { op, operands, out, epilogue, algorithm, result_write, has_epilogue }
    }

    /// Runs the op and its epilogue.
    ///
    /// # Safety
    /// `memory` meets the launch contract of [`Memory`] for the reads and writes of the kernel.
    pub(crate) unsafe fn run(&self, pool: &Pool, memory: Memory) -> Result<()> {
        let is_there = |x: &Operand| x.prologue.is_some() || x.read < memory.reads.len();
        debug_assert!(self.operands.iter().all(is_there), "every operand has a buffer");
        // SAFETY: the caller meets the contract; a write or scratch memory has the size of the
        // result.
        unsafe {
            match &self.algorithm {
                Algorithm::Contract(contract) => contract.run(self, pool, memory),
                Algorithm::Conv(conv) => conv.run(self, pool, memory),
                Algorithm::Reference => self.run_reference(pool, memory)?,
                _ => match self.result_write {
                    Some(write) => self.run_whole(pool, memory, memory.write(write))?,
                    None => {
                        let bytes = self.out.elements() * Class::of(self.out.dtype).bytes();
                        scratch::with::<u8, _>(bytes, |to| {
                            self.run_whole(pool, memory, to.as_mut_ptr())
                        })?;
                    }
                },
            }
        }
        Ok(())
    }

    /// Computes all of the op's result at `to`, then runs the epilogue.
    ///
    /// # Safety
    /// As [`Library::run`], and `to` meets the contract of [`ResultPtr`].
    unsafe fn run_whole(&self, pool: &Pool, memory: Memory, to: *mut u8) -> Result<()> {
        paths::hit(self.algorithm.path());
        let (dtype, result) = (self.operands[0].ty.dtype, ResultPtr(to.cast()));
        // SAFETY: the caller meets both contracts; the types are those of the op's dtype.
        unsafe {
            match &self.algorithm {
                Algorithm::Fold(fold) => {
                    by_sum!(dtype, sums => fold.run(sums, pool, memory, ResultPtr(to)))
                }
                Algorithm::Gather(gather) => by_class!(dtype, elements => {
                    gather.run(elements, pool, memory, ResultPtr(to.cast()))?;
                }),
                Algorithm::IntegerMatmul(matmul) => match Class::of(dtype) {
                    Class::I64 => {
                        matmul.run(
                            ElementOps::<i64>::of(dtype),
                            pool,
                            memory,
                            ResultPtr(to.cast()),
                        );
                    }
                    _ => {
                        matmul.run(ElementOps::<i32>::of(dtype), pool, memory, ResultPtr(to.cast()))
                    }
                },
                Algorithm::Scan(scan) => {
                    by_sum!(dtype, sums => scan.run(sums, pool, memory, ResultPtr(to)))
                }
                Algorithm::Scatter(scatter) => by_class!(dtype, elements => {
                    scatter.run(elements, pool, memory, ResultPtr(to.cast()))?;
                }),
                Algorithm::Sort(sort) => {
                    by_key!(dtype, keys => sort.run(keys, pool, memory, result))
                }
                Algorithm::ArgReduce(op) if op.is_contiguous() => {
                    by_key!(dtype, keys => op.run_contiguous(keys, pool, memory, result))
                }
                Algorithm::ArgReduce(op) => {
                    by_class!(dtype, elements => op.run_strided(elements, pool, memory, result))
                }
                Algorithm::Contract(_) | Algorithm::Conv(_) | Algorithm::Reference => {
                    unreachable!("these run their epilogue themselves")
                }
            }
            self.run_epilogue(pool, memory, ResultPtr(to));
        }
        Ok(())
    }

    /// Runs the epilogue over the whole result, which is at `c` as registers hold it.
    ///
    /// # Safety
    /// As [`Library::run`], `c` meets the contract of [`ResultPtr`], and all elements of the result
    /// are initialized.
    unsafe fn run_epilogue<T: Copy>(&self, pool: &Pool, memory: Memory, c: ResultPtr<T>) {
        if self.skips_epilogue() {
            return;
        }
        // SAFETY: the caller meets the contract.
        unsafe { self.epilogue.run_epilogue(pool, memory, Anchor::Whole(c.0.cast())) };
    }

    /// Whether the kernel only stores the op's result, unchanged.
    fn skips_epilogue(&self) -> bool {
        !self.has_epilogue
    }

    /// Calls `f` with memory for the op's result: the buffer of a write, or scratch memory.
    fn with_result<T: scratch::Pod, R>(
        &self,
        memory: Memory,
        f: impl FnOnce(ResultPtr<T>) -> R,
    ) -> R {
        match self.result_write.filter(|_| size_of::<T>() == self.out.dtype.bytes()) {
            Some(write) => f(ResultPtr(memory.write(write).cast())),
            None => scratch::with::<T, R>(self.out.elements(), |c| f(ResultPtr(c.as_mut_ptr()))),
        }
    }

    /// Runs the op as the reference device does, then the epilogue over the whole result.
    ///
    /// # Safety
    /// As [`Library::run`].
    unsafe fn run_reference(&self, pool: &Pool, memory: Memory) -> Result<()> {
        let array = |operand: &Operand| {
            let bytes = reach(&operand.view) * operand.ty.dtype.bytes();
            // SAFETY: by the launch contract, the buffer holds all that the view reaches.
            let bytes = unsafe { std::slice::from_raw_parts(memory.reads[operand.read], bytes) };
            read_view(&operand.view, &operand.ty, bytes)
        };
        let operands: Vec<Array> = self.operands.iter().map(array).collect();
        let operands: Vec<&Array> = operands.iter().collect();
        let result = self.op.eval(&operands, &self.out)?;
        let mut anchor = to_registers(&result);
        let anchor = Anchor::Whole(anchor.as_mut_ptr().cast());
        // SAFETY: the caller meets the contract; the anchor has every element of the result.
        unsafe { self.epilogue.run_epilogue(pool, memory, anchor) };
        Ok(())
    }
}

/// Finds a write whose buffer can hold the op's result until the code has read it: the write of the
/// result itself; otherwise any write of the same size that shares no buffer with a read and is
/// stored after the last step that reads the result.
fn find_anchor_write(code: &Code, dtype: DType, shared: &[(usize, usize)]) -> Option<usize> {
    let Code { steps, stores } = code;
    let is_read = |w: usize| shared.iter().any(|&(_, write)| write == w);
    let writes = || (0..stores.len()).filter(|&w| !is_read(w));
    let is_anchor = |n: usize| matches!(steps[n].op, StepOp::Anchor);
    let is_reduce = |step: &Step| matches!(step.op, StepOp::Reduce { .. });
    let own = writes().find(|&w| is_anchor(stores[w].index()));
    // The number of reductions that each step depends on, and the maximum over readers of the
    // result.
    let (mut after, mut last) = (Vec::with_capacity(steps.len()), 0);
    // Whether a later stage may recompute the step from the result instead of keeping its value.
    let mut can_rematerialize: Vec<bool> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        let args = step.op.args();
        let waits = |arg: &Ref| after[arg.index()] + is_reduce(&steps[arg.index()]) as usize;
        let own: usize = args.iter().map(waits).max().unwrap_or(0);
        let reads = |arg: &Ref| {
            let is_later = own > after[arg.index()];
            is_anchor(arg.index()) || is_later && can_rematerialize[arg.index()]
        };
        if args.iter().any(reads) {
            // A reduction reads after all values of its stage are stored.
            last = last.max(own + is_reduce(step) as usize);
        }
        let is_map = matches!(step.op, StepOp::Map { .. });
        can_rematerialize
            .push(is_anchor(n) || is_map && args.iter().any(|arg| can_rematerialize[arg.index()]));
        after.push(own);
    }
    let fits = |&w: &usize| {
        let n = stores[w].index();
        steps[n].dtype == dtype
            && steps[n].granularity == Granularity::PerElement
            && after[n] >= last
    };
    own.or_else(|| writes().find(fits))
}

/// The number of storage elements that a view can reach.
fn reach(view: &View) -> usize {
    let lowest = view.layers().last().expect("a view has a layer");
    let furthest = |axis: &brasa_ir::view::Axis| {
        let last = axis.hi.saturating_sub(1) as isize * axis.stride;
        last.max(axis.lo as isize * axis.stride)
    };
    let end: isize = lowest.offset + lowest.axes.iter().map(furthest).sum::<isize>();
    if view.is_empty() { 0 } else { end as usize + 1 }
}

/// Reads the tensor that a view of `bytes` describes.
fn read_view(view: &View, ty: &Type, bytes: &[u8]) -> Array {
    let stored = Type::new(ty.dtype, [bytes.len() / ty.dtype.bytes()]);
    let stored = Array::from_bytes(&stored, bytes).expect("whole elements");
    let indices = (0..ty.elements()).map(|i| view.index_flat(i));
    stored.pick(ty, indices, Number::Int(0))
}

/// Converts the elements of a tensor to the representation in registers, as 8-byte words.
fn to_registers(x: &Array) -> Vec<u64> {
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
