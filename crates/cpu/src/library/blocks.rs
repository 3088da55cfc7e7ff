//! Blocks of elements between memory and registers. Every dtype has functions of its own behind
//! pointers, so that the kernels around them are compiled for what registers hold alone.
use super::Target;
use super::stored::{Key, Running, Stored, Truth, Wide};
use crate::interp::Memory;
use crate::level::vectorized;
use brasa_ir::DType;
use half::{bf16, f16};

/// Elements as registers hold them.
#[derive(Clone, Copy)]
pub(super) struct Elements<W> {
    bytes: usize,
    /// Whether registers hold more than memory does.
    pub(super) is_narrow: bool,
    /// Reads every `stride`-th element from an address on.
    pub(super) widen: fn(*const u8, isize, &mut [W]),
    /// Rounds or wraps what was computed in registers.
    pub(super) settle: fn(&mut [W]),
}

/// Elements as running results.
#[derive(Clone, Copy)]
pub(super) struct Sums<R> {
    bytes: usize,
    /// Bytes of a result in registers.
    wide_bytes: usize,
    /// Reads every `stride`-th element from an address on, to places that are so far apart.
    pub(super) load: fn(*const u8, isize, &mut [R], usize),
    /// Rounds or wraps results that are so far apart, and writes them to every `stride`-th place.
    pub(super) store: fn(&[R], usize, *mut u8, isize),
    /// Sums the elements at some places after an address, then those `stride` further, and so on.
    pub(super) fold: fn(*const u8, &[usize], usize, *mut u8, usize),
}

/// Elements as places in an order.
#[derive(Clone, Copy)]
pub(super) struct Keys<K> {
    bytes: usize,
    /// Reads every `stride`-th element from an address on, and gives back the first in order.
    pub(super) fill: fn(*const u8, isize, Order<K>, &mut [K]) -> K,
}

/// What comes first.
#[derive(Clone, Copy)]
pub(super) struct Order<K> {
    /// The key of NaN.
    nan: K,
    /// Bits of all keys that are turned around.
    flip: K,
}

impl<K: Key> Order<K> {
    /// As a sort has it: NaN is higher than all else.
    pub(super) fn sorted(is_descending: bool) -> Order<K> {
        Order { nan: K::HIGHEST, flip: if is_descending { K::HIGHEST } else { !K::HIGHEST } }
    }

    /// The best comes first, and NaN before it.
    pub(super) fn best(is_max: bool) -> Order<K> {
        let nan = if is_max { K::HIGHEST } else { !K::HIGHEST };
        Order { nan, ..Order::sorted(is_max) }
    }
}

macro_rules! addresses {
    ($($table:ident)*) => {
        $(impl<T> $table<T> {
            /// Where element `n` of an operand lies.
            pub(super) fn at(&self, memory: Memory, read: usize, n: isize) -> *const u8 {
                self.after(memory.reads[read], n)
            }

            /// Where the `n`-th element after another lies.
            pub(super) fn after(&self, start: *const u8, n: isize) -> *const u8 {
                start.wrapping_offset(n * self.bytes as isize)
            }
        })*
    };
}
addresses!(Elements Sums Keys);

impl<W: Wide> Elements<W> {
    fn new<S: Stored<Wide = W>>() -> Elements<W> {
        let (bytes, is_narrow) = (size_of::<S>(), S::IS_NARROW);
        Elements { bytes, is_narrow, widen: widen::<S>, settle: settle::<S> }
    }
}

impl<R: Running> Sums<R> {
    fn new<S: Stored<Sum = R>>() -> Sums<R> {
        let (bytes, wide_bytes) = (size_of::<S>(), size_of::<S::Wide>());
        Sums { bytes, wide_bytes, load: load::<S>, store: store::<S>, fold: fold::<S> }
    }

    /// Where element `n` of a result lies.
    pub(super) fn to(&self, Target(result): Target<u8>, n: isize) -> *mut u8 {
        result.wrapping_offset(n * self.wide_bytes as isize)
    }
}

impl<K: Key> Keys<K> {
    fn new<S: Stored<Wide: Wide<Key = K>>>() -> Keys<K> {
        Keys { bytes: size_of::<S>(), fill: fill::<S> }
    }
}

/// The functions of a dtype, which is the first of a list where it is none of the others.
macro_rules! tables {
    ($($table:ident<$held:ty>: $first:ty $(, $dtype:ident $stored:ty)*;)*) => {
        $(impl $table<$held> {
            pub(super) fn of(dtype: DType) -> Self {
                match dtype {
                    $(DType::$dtype => Self::new::<$stored>(),)*
                    _ => Self::new::<$first>(),
                }
            }
        })*
    };
}
tables! {
    Elements<f32>: f32, F16 f16, BF16 bf16;
    Elements<f64>: f64;
    Elements<i32>: i32, Bool Truth, U8 u8, I8 i8;
    Elements<i64>: i64, U32 u32;
    Sums<f64>: f64, F16 f16, BF16 bf16, F32 f32;
    Sums<i64>: i64, Bool Truth, U8 u8, I8 i8, I32 i32, U32 u32;
    Keys<u32>: i32, F16 f16, BF16 bf16, F32 f32, Bool Truth, U8 u8, I8 i8;
    Keys<u64>: i64, F64 f64, U32 u32;
}

/// Makes a block of every `stride`-th element; neighbours by a loop of vectors.
#[inline(always)]
fn each<S: Copy, T>(from: *const u8, stride: isize, to: &mut [T], mut f: impl FnMut(S) -> T) {
    let from: *const S = from.cast();
    if stride == 1 {
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: callers ask for elements inside of a buffer.
            *to = f(unsafe { *from.add(i) });
        }
        return;
    }
    for (i, to) in to.iter_mut().enumerate() {
        // SAFETY: as above.
        *to = f(unsafe { *from.offset(stride * i as isize) });
    }
}

vectorized! {
    fn widen<S: Stored>(from: *const u8, stride: isize, to: &mut [S::Wide]) {
        each(from, stride, to, S::widen);
    }
}

vectorized! {
    fn settle<S: Stored>(x: &mut [S::Wide]) {
        for x in x {
            *x = S::settle_wide(*x);
        }
    }
}

vectorized! {
    fn fill<S: Stored>(
        from: *const u8,
        stride: isize,
        order: Order<KeyOf<S>>,
        to: &mut [KeyOf<S>],
    ) -> KeyOf<S> {
        let mut first = KeyOf::<S>::HIGHEST;
        each(from, stride, to, |x: S| {
            let key = x.widen().key(order.nan) ^ order.flip;
            first = first.min(key);
            key
        });
        first
    }
}

vectorized! {
    fn load<S: Stored>(from: *const u8, stride: isize, to: &mut [S::Sum], apart: usize) {
        if (stride, apart) == (1, 1) {
            return each(from, 1, to, S::sum);
        }
        for i in 0..to.len().div_ceil(apart) {
            // SAFETY: callers ask for elements inside of a buffer.
            to[i * apart] = unsafe { *from.cast::<S>().offset(stride * i as isize) }.sum();
        }
    }
}

vectorized! {
    fn store<S: Stored>(from: &[S::Sum], apart: usize, to: *mut u8, stride: isize) {
        let to: *mut S::Wide = to.cast();
        if (stride, apart) == (1, 1) {
            for (i, from) in from.iter().enumerate() {
                // SAFETY: callers write to places inside of the result.
                unsafe { *to.add(i) = S::settle(*from) };
            }
            return;
        }
        for i in 0..from.len().div_ceil(apart) {
            // SAFETY: as above.
            unsafe { *to.offset(stride * i as isize) = S::settle(from[i * apart]) };
        }
    }
}

fn fold<S: Stored>(x: *const u8, terms: &[usize], stride: usize, to: *mut u8, count: usize) {
    let (x, to): (*const S, *mut S::Wide) = (x.cast(), to.cast());
    for i in 0..count {
        // SAFETY: callers ask for elements inside of a buffer, and have a place for each result.
        unsafe {
            let term = |&term: &usize| (*x.add(term + i * stride)).sum();
            let sum = terms.iter().map(term).fold(S::Sum::default(), S::Sum::plus);
            *to.add(i) = S::settle(sum);
        }
    }
}

type KeyOf<S> = <<S as Stored>::Wide as Wide>::Key;

/// Calls code that is generic in what registers hold, with the functions of a dtype.
macro_rules! by_class {
    ($dtype:expr, $elements:ident => $call:expr) => {
        match Class::of($dtype) {
            Class::F32 => by_class!(@ f32: $dtype, $elements => $call),
            Class::F64 => by_class!(@ f64: $dtype, $elements => $call),
            Class::I32 => by_class!(@ i32: $dtype, $elements => $call),
            Class::I64 => by_class!(@ i64: $dtype, $elements => $call),
        }
    };
    (@ $held:ty: $dtype:expr, $elements:ident => $call:expr) => {{
        let $elements = Elements::<$held>::of($dtype);
        $call
    }};
}
pub(super) use by_class;

/// Calls code that is generic in what running results are kept in.
macro_rules! by_sum {
    ($dtype:expr, $sums:ident => $call:expr) => {
        match Class::of($dtype).is_float() {
            true => {
                let $sums = Sums::<f64>::of($dtype);
                $call
            }
            false => {
                let $sums = Sums::<i64>::of($dtype);
                $call
            }
        }
    };
}
pub(super) use by_sum;

/// Calls code that is generic in the width of keys.
macro_rules! by_key {
    ($dtype:expr, $keys:ident => $call:expr) => {
        match Class::of($dtype).bytes() {
            4 => {
                let $keys = Keys::<u32>::of($dtype);
                $call
            }
            _ => {
                let $keys = Keys::<u64>::of($dtype);
                $call
            }
        }
    };
}
pub(super) use by_key;
