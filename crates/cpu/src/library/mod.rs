//! Library ops: each with kernels of its own, but for those of users, which run by their meaning.
mod blocks;
mod contract;
mod conv;
mod fold;
mod gather;
mod index;
mod integers;
mod lines;
mod made;
mod rows;
mod scan;
mod scatter;
mod sort;
mod stored;
mod walk;
mod winner;

use crate::interp::{Anchor, Class, Loop, Memory, Setting};
use crate::paths::{self, Path};
use crate::pool::Pool;
use crate::scratch;
use blocks::{Elements, Keys, Sums, by_class, by_key, by_sum};
use brasa_compile::kernel::{Code, Domain, Level, Operand, Ref, Step, What};
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::view::View;
use brasa_ir::{Array, DType, Number, Result, Type};
use contract::Contract;
use conv::Conv;
use fold::Fold;
use gather::Gather;
use integers::Product;
use scan::Scan;
use scatter::Scatter;
use sort::Sort;
use winner::Winner;

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

/// An op, its operands and the type of its result.
type Call<'a> = (&'a Op, &'a [Operand], &'a Type);

/// How the op itself is run.
enum Fast {
    Contract(Box<Contract>),
    Conv(Box<Conv>),
    Fold(Fold),
    Gather(Gather),
    Product(Product),
    Scan(Scan),
    Scatter(Scatter),
    Sort(Sort),
    Winner(Winner),
    /// By its meaning in the op table.
    Plain,
}

impl Fast {
    /// `first_write` is the number of writes that the op's own code has.
    fn new((op, operands, out): Call, first_write: usize) -> Option<Fast> {
        Some(match op {
            Op::Contract(_) => match Contract::new(operands, first_write) {
                Some(contract) => Fast::Contract(Box::new(contract)),
                None => Fast::Product(Product::new(operands)?),
            },
            Op::Conv(conv) => Fast::Conv(Box::new(Conv::new(conv, operands, out)?)),
            Op::Fold(fold) => Fast::Fold(Fold::new(fold, &operands[0])),
            Op::Gather(gather) => Fast::Gather(Gather::new(gather.axis, operands)?),
            Op::Scan(scan) => Fast::Scan(Scan::new(scan, operands)),
            Op::Scatter(scatter) => {
                Fast::Scatter(Scatter::new(scatter.axis, scatter.by, operands)?)
            }
            Op::Sort(sort) => Fast::Sort(Sort::new(sort, &operands[0])),
            Op::ArgReduce(op) => Fast::Winner(Winner::new(op, &operands[0])),
            _ => return None,
        })
    }

    /// What is counted for a whole result.
    fn path(&self) -> Path {
        match self {
            Fast::Fold(_) => Path::Fold,
            Fast::Gather(_) => Path::Gather,
            Fast::Product(_) => Path::ContractIntegers,
            Fast::Scan(_) => Path::Scan,
            Fast::Scatter(_) => Path::Scatter,
            Fast::Sort(_) => Path::Sort,
            Fast::Winner(winner) if winner.is_along() => Path::ArgReduceAlong,
            Fast::Winner(_) => Path::ArgReduceAcross,
            Fast::Contract(_) | Fast::Conv(_) | Fast::Plain => Path::LoopBehind,
        }
    }
}

/// Where a result is written.
#[derive(Clone, Copy)]
struct Target<T>(*mut T);

// SAFETY: threads write different elements.
unsafe impl<T> Sync for Target<T> {}

impl<T> Target<T> {
    /// # Safety
    /// The result has an element `n`.
    unsafe fn at(self, n: usize) -> *mut T {
        // SAFETY: promised by the caller.
        unsafe { self.0.add(n) }
    }
}

impl Library {
    pub(crate) fn new(
        (op, operands, out): Call,
        domain: &Domain,
        code: &Code,
        setting: Setting,
    ) -> Library {
        let first_write = setting.first_write + code.stores.len();
        let fast = Fast::new((op, operands, out), first_write).unwrap_or(Fast::Plain);
        // Narrow results are wider in registers than in memory.
        let is_narrow = !Class::is_stored_as(out.dtype);
        let anchor = anchor_write(code, out.dtype, setting.shared).filter(|_| !is_narrow);
        let is_reduced = code.steps.iter().any(|s| matches!(s.what, What::Reduce { .. }));
        let columns = match &fast {
            _ if is_reduced => None,
            Fast::Contract(contract) => Some(contract.columns()),
            Fast::Conv(_) => Some(out.shape[2..].iter().product()),
            _ => None,
        };
        let epilogue = Loop::new(domain, code, Setting { anchor, columns, ..setting });
        let Code { steps, stores } = code;
        let has_epilogue = steps.len() > 1 || stores.len() > 1 || anchor.is_none();
        let target = anchor.map(|write| setting.first_write + write);
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
                Fast::Plain => self.plain(pool, memory)?,
                _ => match self.target {
                    Some(write) => self.whole(pool, memory, memory.write(write))?,
                    None => {
                        let bytes = self.out.elements() * Class::of(self.out.dtype).bytes();
                        scratch::with::<u8, _>(bytes, |to| {
                            self.whole(pool, memory, to.as_mut_ptr())
                        })?;
                    }
                },
            }
        }
        Ok(())
    }

    /// All of the op's result, then the epilogue.
    unsafe fn whole(&self, pool: &Pool, memory: Memory, to: *mut u8) -> Result<()> {
        paths::hit(self.fast.path());
        let (dtype, place) = (self.operands[0].ty.dtype, Target(to.cast()));
        // SAFETY: promised by the caller.
        unsafe {
            match &self.fast {
                Fast::Fold(fold) => {
                    by_sum!(dtype, sums => fold.run(sums, pool, memory, Target(to)))
                }
                Fast::Gather(gather) => by_class!(dtype, elements => {
                    gather.run(elements, pool, memory, Target(to.cast()))?;
                }),
                Fast::Product(product) => match Class::of(dtype) {
                    Class::I64 => {
                        product.run(Elements::<i64>::of(dtype), pool, memory, Target(to.cast()));
                    }
                    _ => product.run(Elements::<i32>::of(dtype), pool, memory, Target(to.cast())),
                },
                Fast::Scan(scan) => {
                    by_sum!(dtype, sums => scan.run(sums, pool, memory, Target(to)))
                }
                Fast::Scatter(scatter) => by_class!(dtype, elements => {
                    scatter.run(elements, pool, memory, Target(to.cast()))?;
                }),
                Fast::Sort(sort) => by_key!(dtype, keys => sort.run(keys, pool, memory, place)),
                Fast::Winner(winner) if winner.is_along() => {
                    by_key!(dtype, keys => winner.along(keys, pool, memory, place))
                }
                Fast::Winner(winner) => {
                    by_class!(dtype, elements => winner.across(elements, pool, memory, place))
                }
                Fast::Contract(_) | Fast::Conv(_) | Fast::Plain => {
                    unreachable!("these have epilogues of their own")
                }
            }
            self.finish(pool, memory, Target(to));
        }
        Ok(())
    }

    /// Runs the epilogue over the whole result, which lies at `c` as registers hold it.
    ///
    /// # Safety
    /// `c` has every element of the result, and the buffers are as large as the kernel says.
    unsafe fn finish<T: Copy>(&self, pool: &Pool, memory: Memory, c: Target<T>) {
        if self.is_plain() {
            return;
        }
        // SAFETY: promised by the caller.
        unsafe { self.epilogue.run_behind(pool, memory, Anchor::Whole(c.0.cast())) };
    }

    /// Whether the result is stored as it is, and nothing else.
    fn is_plain(&self) -> bool {
        !self.has_epilogue
    }

    /// Calls `f` with memory for the op's result: the buffer of a write, or scratch.
    fn with_target<T: scratch::Number, R>(
        &self,
        memory: Memory,
        f: impl FnOnce(Target<T>) -> R,
    ) -> R {
        match self.target.filter(|_| size_of::<T>() == self.out.dtype.bytes()) {
            Some(write) => f(Target(memory.write(write).cast())),
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
        let result = self.op.eval(&operands, &self.out)?;
        let mut anchor = registers(&result);
        let anchor = Anchor::Whole(anchor.as_mut_ptr().cast());
        // SAFETY: the anchor has every element of the result.
        unsafe { self.epilogue.run_behind(pool, memory, anchor) };
        Ok(())
    }
}

/// A write that can hold the op's result until the code has read it: the result's own, or else any
/// that is as large, that the code does not read itself, and that comes after all who read the result.
fn anchor_write(code: &Code, dtype: DType, shared: &[(usize, usize)]) -> Option<usize> {
    let Code { steps, stores } = code;
    let is_read = |w: usize| shared.iter().any(|&(_, write)| write == w);
    let writes = || (0..stores.len()).filter(|&w| !is_read(w));
    let is_anchor = |n: usize| matches!(steps[n].what, What::Anchor);
    let is_reduce = |step: &Step| matches!(step.what, What::Reduce { .. });
    let own = writes().find(|&w| is_anchor(stores[w].index()));
    // How many reductions a step waits for, and the most that a reader of the result does.
    let (mut after, mut last) = (Vec::with_capacity(steps.len()), 0);
    // What a later stage may compute again from the result instead of keeping it.
    let mut can_repeat: Vec<bool> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        let args = step.what.args();
        let waits = |arg: &Ref| after[arg.index()] + is_reduce(&steps[arg.index()]) as usize;
        let own: usize = args.iter().map(waits).max().unwrap_or(0);
        let reads = |arg: &Ref| {
            let is_later = own > after[arg.index()];
            is_anchor(arg.index()) || is_later && can_repeat[arg.index()]
        };
        if args.iter().any(reads) {
            // A reduction reads when all values of its stage are stored.
            last = last.max(own + is_reduce(step) as usize);
        }
        let is_map = matches!(step.what, What::Map { .. });
        can_repeat.push(is_anchor(n) || is_map && args.iter().any(|arg| can_repeat[arg.index()]));
        after.push(own);
    }
    let fits = |&w: &usize| {
        let n = stores[w].index();
        steps[n].dtype == dtype && steps[n].level == Level::Full && after[n] >= last
    };
    own.or_else(|| writes().find(fits))
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
