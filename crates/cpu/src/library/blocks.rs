//! Blocks of elements between memory and registers. Every dtype has functions of its own behind
//! pointers, so that the kernels around them are compiled for what registers hold alone.
use super::Target;
use super::stored::{Key, Running, Stored, Truth, Wide};
use crate::interp::Memory;
use crate::level::pointer;
use brasa_ir::DType;
use half::{bf16, f16};

/// Elements as registers hold them.
#[derive(Clone, Copy)]
pub(super) struct Elements<W> {
    pub(super) bytes: usize,
    /// Whether registers hold more than memory does.
    pub(super) is_narrow: bool,
    widen: unsafe fn(*const u8, isize, &mut [W]),
    settle: unsafe fn(&mut [W]),
}

/// Elements as running results.
#[derive(Clone, Copy)]
pub(super) struct Sums<R> {
    bytes: usize,
    /// Bytes of a result in registers.
    wide_bytes: usize,
    /// Whether memory holds what running results are kept in.
    pub(super) is_plain: bool,
    load: unsafe fn(*const u8, isize, &mut [R]),
    store: unsafe fn(&[R], *mut u8, isize),
    fold: unsafe fn(*const u8, &[usize], usize, *mut u8, usize),
}

/// Elements as places in an order.
#[derive(Clone, Copy)]
pub(super) struct Keys<K> {
    bytes: usize,
    fill: unsafe fn(*const u8, isize, Order<K>, &mut [K]) -> K,
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
        Elements { bytes, is_narrow, widen: widen::<S>(), settle: settle::<S>() }
    }

    /// Reads every `stride`-th element from an address on.
    ///
    /// # Safety
    /// There are as many elements as places in `to`.
    pub(super) unsafe fn widen(&self, from: *const u8, stride: isize, to: &mut [W]) {
        // SAFETY: promised by the caller; the machine has the level of the function.
        unsafe { (self.widen)(from, stride, to) }
    }

    /// As [`Elements::widen`], by way of `room` where elements cannot be read where they lie.
    ///
    /// # Safety
    /// As [`Elements::widen`]; the elements are not written to.
    pub(super) unsafe fn read<'a>(
        &self,
        from: *const u8,
        stride: isize,
        room: &'a mut [W],
    ) -> &'a [W] {
        // SAFETY: promised by the caller.
        unsafe {
            if stride == 1 && !self.is_narrow {
                return std::slice::from_raw_parts(from.cast(), room.len());
            }
            self.widen(from, stride, room);
        }
        room
    }

    /// Rounds or wraps what was computed in registers.
    pub(super) fn settle(&self, x: &mut [W]) {
        // SAFETY: the machine has the level of the function.
        unsafe { (self.settle)(x) }
    }
}

impl<R: Running> Sums<R> {
    fn new<S: Stored<Sum = R>>() -> Sums<R> {
        let (bytes, wide_bytes) = (size_of::<S>(), size_of::<S::Wide>());
        let is_plain = bytes == size_of::<R>();
        let (load, store) = (load::<S>(), store::<S>());
        Sums { bytes, wide_bytes, is_plain, load, store, fold: fold::<S> }
    }

    /// Where element `n` of a result lies.
    pub(super) fn to(&self, Target(result): Target<u8>, n: isize) -> *mut u8 {
        result.wrapping_offset(n * self.wide_bytes as isize)
    }

    /// Reads every `stride`-th element from an address on.
    ///
    /// # Safety
    /// There are as many elements as places in `to`.
    pub(super) unsafe fn load(&self, from: *const u8, stride: isize, to: &mut [R]) {
        // SAFETY: promised by the caller; the machine has the level of the function.
        unsafe { (self.load)(from, stride, to) }
    }

    /// Rounds or wraps results, and writes them to every `stride`-th place.
    ///
    /// # Safety
    /// There are as many places as results.
    pub(super) unsafe fn store(&self, from: &[R], to: *mut u8, stride: isize) {
        // SAFETY: as above.
        unsafe { (self.store)(from, to, stride) }
    }

    /// Sums the elements at `terms` after an address, then those `stride` further, and so on.
    ///
    /// # Safety
    /// There are these elements, and places for `count` results.
    pub(super) unsafe fn fold(
        &self,
        from: *const u8,
        (terms, stride): (&[usize], usize),
        to: *mut u8,
        count: usize,
    ) {
        // SAFETY: promised by the caller.
        unsafe { (self.fold)(from, terms, stride, to, count) }
    }
}

impl<K: Key> Keys<K> {
    fn new<S: Stored<Wide: Wide<Key = K>>>() -> Keys<K> {
        Keys { bytes: size_of::<S>(), fill: fill::<S>() }
    }

    /// Reads every `stride`-th element from an address on, and gives back the first in order.
    ///
    /// # Safety
    /// There are as many elements as places in `to`.
    pub(super) unsafe fn fill(
        &self,
        from: *const u8,
        stride: isize,
        order: Order<K>,
        to: &mut [K],
    ) -> K {
        // SAFETY: promised by the caller; the machine has the level of the function.
        unsafe { (self.fill)(from, stride, order, to) }
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

pointer! {
    fn widen<S: Stored>(from: *const u8, stride: isize, to: &mut [S::Wide]) {
        each(from, stride, to, S::widen);
    }
}

pointer! {
    fn settle<S: Stored>(x: &mut [S::Wide]) {
        for x in x {
            *x = S::settle_wide(*x);
        }
    }
}

pointer! {
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

pointer! {
    fn load<S: Stored>(from: *const u8, stride: isize, to: &mut [S::Sum]) {
        each(from, stride, to, S::sum);
    }
}

pointer! {
    fn store<S: Stored>(from: &[S::Sum], to: *mut u8, stride: isize) {
        let to: *mut S::Wide = to.cast();
        if stride == 1 {
            for (i, from) in from.iter().enumerate() {
                // SAFETY: callers write to places inside of the result.
                unsafe { *to.add(i) = S::settle(*from) };
            }
            return;
        }
        for (i, from) in from.iter().enumerate() {
            // SAFETY: as above.
            unsafe { *to.offset(stride * i as isize) = S::settle(*from) };
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
