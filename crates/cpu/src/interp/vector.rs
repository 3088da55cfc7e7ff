//! What one instruction does to a tile: loops over rows and lanes, compiled for every level of vector
//! instructions. A function is chosen once, when a kernel is prepared.
use crate::level::Level;
use std::marker::PhantomData;

/// A value in a tile: its first element and the bytes from row to row. Lanes follow each other, or
/// there is one number for all lanes of a row; which of these is known when a function is chosen.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Operand {
    pub(crate) ptr: *mut u8,
    pub(crate) rows: isize,
}

impl Operand {
    pub(crate) const NONE: Operand = Operand { ptr: std::ptr::null_mut(), rows: 0 };

    /// Rows that are `stride` elements apart.
    pub(crate) fn of_rows<T>(first: *mut T, stride: usize) -> Operand {
        Operand { ptr: first.cast(), rows: (stride * size_of::<T>()) as isize }
    }

    /// The first element of row `n`.
    #[inline(always)]
    pub(crate) fn row<T>(self, n: usize) -> *mut T {
        self.ptr.wrapping_offset(self.rows * n as isize).cast()
    }
}

/// Work on a tile of some rows and lanes. No operand overlaps the result.
pub(crate) type Function = unsafe fn(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]);

/// A loop that is compiled for each level.
pub(crate) trait Tile {
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]);
}

/// The loop with the instructions of a level.
pub(crate) fn at<T: Tile>(level: Level) -> Function {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c,bmi2")]
    unsafe fn avx512<T: Tile>(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        // SAFETY: as promised by the caller.
        unsafe { T::run(rows, lanes, to, args) }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,bmi2")]
    unsafe fn avx2<T: Tile>(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        // SAFETY: as promised by the caller.
        unsafe { T::run(rows, lanes, to, args) }
    }
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<T>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<T>,
        _ => T::run,
    }
}

/// A function of one number.
pub(crate) trait One {
    type In: Copy;
    type Out: Copy;
    fn of(x: Self::In) -> Self::Out;
}

/// A function of three numbers. Those of two ignore the third.
pub(crate) trait Three {
    type A: Copy;
    type B: Copy;
    type C: Copy;
    type Out: Copy;
    fn of(a: Self::A, b: Self::B, c: Self::C) -> Self::Out;
}

struct Ones<F>(PhantomData<F>);

impl<F: One> Tile for Ones<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for n in 0..rows {
            let (to, x) = (to.row::<F::Out>(n), args[0].row::<F::In>(n));
            // SAFETY: the caller promises `lanes` elements in each row.
            unsafe { (0..lanes).for_each(|i| *to.add(i) = F::of(*x.add(i))) }
        }
    }
}

/// `A`, `B`, `C`: whether an argument has an element for each lane, or one for all.
struct Threes<F, const A: bool, const B: bool, const C: bool>(PhantomData<F>);

impl<F: Three, const A: bool, const B: bool, const C: bool> Tile for Threes<F, A, B, C> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        if lanes == 0 {
            return;
        }
        for n in 0..rows {
            let to = to.row::<F::Out>(n);
            let (a, b, c) =
                (args[0].row::<F::A>(n), args[1].row::<F::B>(n), args[2].row::<F::C>(n));
            // SAFETY: the caller promises `lanes` elements in each row, or one.
            unsafe {
                let (a0, b0, c0) = (*a, *b, *c);
                for i in 0..lanes {
                    let a = if A { *a.add(i) } else { a0 };
                    let b = if B { *b.add(i) } else { b0 };
                    let c = if C { *c.add(i) } else { c0 };
                    *to.add(i) = F::of(a, b, c);
                }
            }
        }
    }
}

pub(crate) fn one<F: One>(level: Level, is_vector: [bool; 3]) -> Option<Function> {
    is_vector[0].then(|| at::<Ones<F>>(level))
}

/// A function of two numbers: the third argument is a copy of one of them.
pub(crate) fn two<F: Three>(level: Level, is_vector: [bool; 3]) -> Option<Function> {
    Some(match is_vector {
        [true, true, _] => at::<Threes<F, true, true, false>>(level),
        [true, false, _] => at::<Threes<F, true, false, false>>(level),
        [false, true, _] => at::<Threes<F, false, true, false>>(level),
        [false, false, _] => return None,
    })
}

pub(crate) fn three<F: Three>(level: Level, is_vector: [bool; 3]) -> Option<Function> {
    Some(match is_vector {
        [true, true, true] => at::<Threes<F, true, true, true>>(level),
        [true, true, false] => at::<Threes<F, true, true, false>>(level),
        [true, false, true] => at::<Threes<F, true, false, true>>(level),
        [true, false, false] => at::<Threes<F, true, false, false>>(level),
        [false, true, true] => at::<Threes<F, false, true, true>>(level),
        [false, true, false] => at::<Threes<F, false, true, false>>(level),
        [false, false, true] => at::<Threes<F, false, false, true>>(level),
        [false, false, false] => return None,
    })
}

/// `one`, `two` or `three` of a function that is written on the spot.
macro_rules! map {
    ($level:expr, $forms:expr, |$a:ident: $in:ty| -> $out:ty { $body:expr }) => {{
        struct F;
        impl $crate::interp::vector::One for F {
            type In = $in;
            type Out = $out;
            #[inline(always)]
            fn of($a: $in) -> $out {
                $body
            }
        }
        $crate::interp::vector::one::<F>($level, $forms)
    }};
    ($level:expr, $forms:expr, |$a:ident: $ta:ty, $b:ident: $tb:ty| -> $out:ty { $body:expr }) => {{
        struct F;
        impl $crate::interp::vector::Three for F {
            type A = $ta;
            type B = $tb;
            type C = u8;
            type Out = $out;
            #[inline(always)]
            fn of($a: $ta, $b: $tb, _: u8) -> $out {
                $body
            }
        }
        $crate::interp::vector::two::<F>($level, $forms)
    }};
    (
        $level:expr,
        $forms:expr,
        |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| -> $out:ty { $body:expr }
    ) => {{
        struct F;
        impl $crate::interp::vector::Three for F {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type Out = $out;
            #[inline(always)]
            fn of($a: $ta, $b: $tb, $c: $tc) -> $out {
                $body
            }
        }
        $crate::interp::vector::three::<F>($level, $forms)
    }};
}
pub(crate) use map;
