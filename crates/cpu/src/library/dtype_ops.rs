//! Tables of functions that load and store blocks of elements, one table per dtype. Kernels call
//! them by pointer, so that they are monomorphized per register type and not per dtype.
use super::ResultPtr;
use super::stored::{Accumulator, Key, Stored, StoredBool, Wide};
use crate::interp::Memory;
use crate::level::pointer;
use brasa_ir::DType;
use half::{bf16, f16};

/// Loads elements of a dtype into the register type `W`, and rounds them.
#[derive(Clone, Copy)]
pub(super) struct ElementOps<W> {
    pub(super) bytes: usize,
    /// Whether `W` is wider than the dtype.
    pub(super) is_narrow: bool,
    widen: unsafe fn(*const u8, isize, &mut [W]),
    round: unsafe fn(&mut [W]),
}

/// Loads elements of a dtype into the accumulator type `R`, and stores them rounded.
#[derive(Clone, Copy)]
pub(super) struct SumOps<R> {
    bytes: usize,
    /// Bytes of a result in registers.
    wide_bytes: usize,
    /// Whether the dtype is `R` itself.
    pub(super) is_plain: bool,
    load: unsafe fn(*const u8, isize, &mut [R]),
    store: unsafe fn(&[R], *mut u8, isize),
    fold: unsafe fn(*const u8, &[usize], usize, *mut u8, usize),
}

/// Loads elements of a dtype as sort keys.
#[derive(Clone, Copy)]
pub(super) struct KeyOps<K> {
    bytes: usize,
    load_keys: unsafe fn(*const u8, isize, Order<K>, &mut [K]) -> K,
}

/// The order of sort keys.
#[derive(Clone, Copy)]
pub(super) struct Order<K> {
    /// The key of NaN.
    nan: K,
    /// Bits that are inverted in all keys.
    flip: K,
}

impl<K: Key> Order<K> {
    /// The order of a sort: NaN is greater than everything else.
    pub(super) fn sorted(is_descending: bool) -> Order<K> {
        Order { nan: K::HIGHEST, flip: if is_descending { K::HIGHEST } else { !K::HIGHEST } }
    }

    /// The order of an arg reduction: NaN comes first, then the maximum or minimum.
    pub(super) fn best(is_max: bool) -> Order<K> {
        let nan = if is_max { K::HIGHEST } else { !K::HIGHEST };
        Order { nan, ..Order::sorted(is_max) }
    }
}

macro_rules! addresses {
    ($($table:ident)*) => {
        $(impl<T> $table<T> {
            /// The address of element `n` of an operand.
            pub(super) fn at(&self, memory: Memory, read: usize, n: isize) -> *const u8 {
                self.after(memory.reads[read], n)
            }

            /// The address `n` elements after `start`.
            pub(super) fn after(&self, start: *const u8, n: isize) -> *const u8 {
                start.wrapping_offset(n * self.bytes as isize)
            }
        })*
    };
}
addresses!(ElementOps SumOps KeyOps);

impl<W: Wide> ElementOps<W> {
    fn new<S: Stored<Wide = W>>() -> ElementOps<W> {
        let (bytes, is_narrow) = (size_of::<S>(), S::IS_NARROW);
        ElementOps { bytes, is_narrow, widen: widen::<S>(), round: round::<S>() }
    }

    /// Loads every `stride`-th element from `from` on.
    ///
    /// # Safety
    /// - Bounds: `from` is aligned to the dtype and valid for reads of `to.len()` elements,
    ///   `stride` elements apart.
    /// - Initialization: these elements are initialized.
    /// - Aliasing: no thread writes them during the call.
    pub(super) unsafe fn widen(&self, from: *const u8, stride: isize, to: &mut [W]) {
        debug_assert!(from.addr().is_multiple_of(self.bytes));
        // SAFETY: upheld by the caller; the function was chosen for this CPU.
        unsafe { (self.widen)(from, stride, to) }
    }

    /// As [`ElementOps::widen`], but returns contiguous elements of type `W` in place; others are
    /// loaded into `buffer`.
    ///
    /// # Safety
    /// As [`ElementOps::widen`], for `buffer.len()` elements. No thread writes them while the
    /// returned slice is in use.
    pub(super) unsafe fn read<'a>(
        &self,
        from: *const u8,
        stride: isize,
        buffer: &'a mut [W],
    ) -> &'a [W] {
        // SAFETY: upheld by the caller; elements that are not narrow are stored as `W`.
        unsafe {
            if stride == 1 && !self.is_narrow {
                return std::slice::from_raw_parts(from.cast(), buffer.len());
            }
            self.widen(from, stride, buffer);
        }
        buffer
    }

    /// Rounds or wraps computed values to the dtype.
    pub(super) fn round(&self, x: &mut [W]) {
        // SAFETY: the function was chosen for this CPU.
        unsafe { (self.round)(x) }
    }
}

impl<R: Accumulator> SumOps<R> {
    fn new<S: Stored<Sum = R>>() -> SumOps<R> {
        let (bytes, wide_bytes) = (size_of::<S>(), size_of::<S::Wide>());
        let is_plain = bytes == size_of::<R>();
        let (load, store) = (load::<S>(), store::<S>());
        SumOps { bytes, wide_bytes, is_plain, load, store, fold: fold::<S> }
    }

    /// The address of element `n` of a result.
    pub(super) fn to(&self, ResultPtr(result): ResultPtr<u8>, n: isize) -> *mut u8 {
        result.wrapping_offset(n * self.wide_bytes as isize)
    }

    /// Loads every `stride`-th element from `from` on.
    ///
    /// # Safety
    /// As [`ElementOps::widen`].
    pub(super) unsafe fn load(&self, from: *const u8, stride: isize, to: &mut [R]) {
        debug_assert!(from.addr().is_multiple_of(self.bytes));
        // SAFETY: upheld by the caller; the function was chosen for this CPU.
        unsafe { (self.load)(from, stride, to) }
    }

    /// Rounds or wraps results, and stores them to every `stride`-th element from `to` on.
    ///
    /// # Safety
    /// - Bounds: `to` is aligned to the register type and valid for writes of `from.len()`
    ///   elements, `stride` elements apart.
    /// - Aliasing: no other thread accesses these elements during the call.
    pub(super) unsafe fn store(&self, from: &[R], to: *mut u8, stride: isize) {
        debug_assert!(to.addr().is_multiple_of(self.wide_bytes));
        // SAFETY: upheld by the caller; the function was chosen for this CPU.
        unsafe { (self.store)(from, to, stride) }
    }

    /// Computes `count` sums: sum `i` is over the elements at `from + term + i · stride`, for each
    /// of `terms`. Sums are stored contiguously at `to`.
    ///
    /// # Safety
    /// - Bounds: `from` is valid for reads of these elements, `to` for writes of `count` results;
    ///   both are aligned.
    /// - Initialization: the elements are initialized.
    /// - Aliasing: the results do not overlap them, no thread writes the elements, and no other
    ///   thread accesses the results.
    pub(super) unsafe fn fold(
        &self,
        from: *const u8,
        (terms, stride): (&[usize], usize),
        to: *mut u8,
        count: usize,
    ) {
        // SAFETY: upheld by the caller.
        unsafe { (self.fold)(from, terms, stride, to, count) }
    }
}

impl<K: Key> KeyOps<K> {
    fn new<S: Stored<Wide: Wide<Key = K>>>() -> KeyOps<K> {
        KeyOps { bytes: size_of::<S>(), load_keys: load_keys::<S>() }
    }

    /// Loads the keys of every `stride`-th element from `from` on. Returns the smallest.
    ///
    /// # Safety
    /// As [`ElementOps::widen`].
    pub(super) unsafe fn load_keys(
        &self,
        from: *const u8,
        stride: isize,
        order: Order<K>,
        to: &mut [K],
    ) -> K {
        debug_assert!(from.addr().is_multiple_of(self.bytes));
        // SAFETY: upheld by the caller; the function was chosen for this CPU.
        unsafe { (self.load_keys)(from, stride, order, to) }
    }
}

/// Selects the functions of a dtype; the first type of each list is the default.
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
    ElementOps<f32>: f32, F16 f16, BF16 bf16;
    ElementOps<f64>: f64;
    ElementOps<i32>: i32, Bool StoredBool, U8 u8, I8 i8;
    ElementOps<i64>: i64, U32 u32;
    SumOps<f64>: f64, F16 f16, BF16 bf16, F32 f32;
    SumOps<i64>: i64, Bool StoredBool, U8 u8, I8 i8, I32 i32, U32 u32;
    KeyOps<u32>: i32, F16 f16, BF16 bf16, F32 f32, Bool StoredBool, U8 u8, I8 i8;
    KeyOps<u64>: i64, F64 f64, U32 u32;
}

/// Maps every `stride`-th element to an element of `to`; the loop for stride 1 is vectorized.
#[inline(always)]
fn each<S: Copy, T>(from: *const u8, stride: isize, to: &mut [T], mut f: impl FnMut(S) -> T) {
    let from: *const S = from.cast();
    if stride == 1 {
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: the callers of these function pointers guarantee `to.len()` readable
            // elements.
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
    fn round<S: Stored>(x: &mut [S::Wide]) {
        for x in x {
            *x = S::round_wide(*x);
        }
    }
}

pointer! {
    fn load_keys<S: Stored>(
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
                // SAFETY: the callers of `SumOps::store` guarantee `from.len()` writable elements.
                unsafe { *to.add(i) = S::round(*from) };
            }
            return;
        }
        for (i, from) in from.iter().enumerate() {
            // SAFETY: as above.
            unsafe { *to.offset(stride * i as isize) = S::round(*from) };
        }
    }
}

fn fold<S: Stored>(x: *const u8, terms: &[usize], stride: usize, to: *mut u8, count: usize) {
    let (x, to): (*const S, *mut S::Wide) = (x.cast(), to.cast());
    for i in 0..count {
        // SAFETY: the callers of `SumOps::fold` guarantee the elements and `count` results.
        unsafe {
            let term = |&term: &usize| (*x.add(term + i * stride)).sum();
            let sum = terms.iter().map(term).fold(S::Sum::default(), S::Sum::plus);
            *to.add(i) = S::round(sum);
        }
    }
}

type KeyOf<S> = <<S as Stored>::Wide as Wide>::Key;

/// Calls code that is generic over the register type, with the functions of a dtype.
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
        let $elements = ElementOps::<$held>::of($dtype);
        $call
    }};
}
pub(super) use by_class;

/// Calls code that is generic over the accumulator type, with the functions of a dtype.
macro_rules! by_sum {
    ($dtype:expr, $sums:ident => $call:expr) => {
        match Class::of($dtype).is_float() {
            true => {
                let $sums = SumOps::<f64>::of($dtype);
                $call
            }
            false => {
                let $sums = SumOps::<i64>::of($dtype);
                $call
            }
        }
    };
}
pub(super) use by_sum;

/// Calls code that is generic over the key type, with the functions of a dtype.
macro_rules! by_key {
    ($dtype:expr, $keys:ident => $call:expr) => {
        match Class::of($dtype).bytes() {
            4 => {
                let $keys = KeyOps::<u32>::of($dtype);
                $call
            }
            _ => {
                let $keys = KeyOps::<u64>::of($dtype);
                $call
            }
        }
    };
}
pub(super) use by_key;
