//! Tile functions: loops over rows and lanes, compiled for every SIMD level. A function is chosen
//! once, when a kernel is prepared.
use crate::level::Level;
use std::marker::PhantomData;

/// A value in a tile: its first element and the bytes from row to row. Lanes are adjacent, or one
/// number stands for all lanes of a row; the chosen function knows which.
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

/// A function on a tile.
///
/// # Safety
/// As [`TileKernel::run`]; the machine has the instructions of the level that the function was
/// compiled for.
pub(crate) type TileFn = unsafe fn(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]);

/// A loop that is compiled for each SIMD level.
pub(crate) trait TileKernel {
    /// # Safety
    /// - Bounds: `to` points to `rows` rows of `lanes` elements, `to.rows` bytes apart. So does
    ///   each argument that the loop reads per lane; one that it reads per row has one element in
    ///   each row. All are aligned to their elements.
    /// - Initialization: the elements of the arguments are initialized; those of `to` need not be,
    ///   unless the loop accumulates into them.
    /// - Aliasing: `to` overlaps no argument, and no other thread accesses it.
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]);
}

/// The loop compiled with the instructions of a level.
pub(crate) fn for_level<T: TileKernel>(level: Level) -> TileFn {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c,bmi2")]
    unsafe fn avx512<T: TileKernel>(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        // SAFETY: the caller meets the contract of `TileKernel::run`.
        unsafe { T::run(rows, lanes, to, args) }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,bmi2")]
    unsafe fn avx2<T: TileKernel>(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        // SAFETY: the caller meets the contract of `TileKernel::run`.
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
pub(crate) trait UnaryFn {
    type In: Copy;
    type Out: Copy;
    fn of(x: Self::In) -> Self::Out;
}

/// A function of three numbers; functions of two ignore the third.
pub(crate) trait TernaryFn {
    type A: Copy;
    type B: Copy;
    type C: Copy;
    type Out: Copy;
    fn of(a: Self::A, b: Self::B, c: Self::C) -> Self::Out;
}

struct MapUnary<F>(PhantomData<F>);

impl<F: UnaryFn> TileKernel for MapUnary<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for n in 0..rows {
            let (to, x) = (to.row::<F::Out>(n), args[0].row::<F::In>(n));
            // SAFETY: by the contract of `TileKernel::run`: `lanes` elements in each row.
            unsafe { (0..lanes).for_each(|i| *to.add(i) = F::of(*x.add(i))) }
        }
    }
}

/// `A`, `B`, `C`: whether each argument has an element per lane, or one per row.
struct MapTernary<F, const A: bool, const B: bool, const C: bool>(PhantomData<F>);

impl<F: TernaryFn, const A: bool, const B: bool, const C: bool> TileKernel
    for MapTernary<F, A, B, C>
{
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        if lanes == 0 {
            return;
        }
        for n in 0..rows {
            let to = to.row::<F::Out>(n);
            let (a, b, c) =
                (args[0].row::<F::A>(n), args[1].row::<F::B>(n), args[2].row::<F::C>(n));
            // SAFETY: by the contract of `TileKernel::run`: `lanes` elements in each row, or one.
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

pub(crate) fn unary<F: UnaryFn>(level: Level, is_vector: [bool; 3]) -> Option<TileFn> {
    is_vector[0].then(|| for_level::<MapUnary<F>>(level))
}

/// The tile function of two numbers; the third argument is a copy of one of them.
pub(crate) fn binary<F: TernaryFn>(level: Level, is_vector: [bool; 3]) -> Option<TileFn> {
    Some(match is_vector {
        [true, true, _] => for_level::<MapTernary<F, true, true, false>>(level),
        [true, false, _] => for_level::<MapTernary<F, true, false, false>>(level),
        [false, true, _] => for_level::<MapTernary<F, false, true, false>>(level),
        [false, false, _] => return None,
    })
}

pub(crate) fn ternary<F: TernaryFn>(level: Level, is_vector: [bool; 3]) -> Option<TileFn> {
    Some(match is_vector {
        [true, true, true] => for_level::<MapTernary<F, true, true, true>>(level),
        [true, true, false] => for_level::<MapTernary<F, true, true, false>>(level),
        [true, false, true] => for_level::<MapTernary<F, true, false, true>>(level),
        [true, false, false] => for_level::<MapTernary<F, true, false, false>>(level),
        [false, true, true] => for_level::<MapTernary<F, false, true, true>>(level),
        [false, true, false] => for_level::<MapTernary<F, false, true, false>>(level),
        [false, false, true] => for_level::<MapTernary<F, false, false, true>>(level),
        [false, false, false] => return None,
    })
}

/// The tile function of a closure of one, two or three numbers.
macro_rules! map {
    ($level:expr, $forms:expr, |$a:ident: $in:ty| -> $out:ty { $body:expr }) => {{
        struct F;
        impl $crate::interp::vector::UnaryFn for F {
            type In = $in;
            type Out = $out;
            #[inline(always)]
            fn of($a: $in) -> $out {
                $body
            }
        }
        $crate::interp::vector::unary::<F>($level, $forms)
    }};
    ($level:expr, $forms:expr, |$a:ident: $ta:ty, $b:ident: $tb:ty| -> $out:ty { $body:expr }) => {{
        struct F;
        impl $crate::interp::vector::TernaryFn for F {
            type A = $ta;
            type B = $tb;
            type C = u8;
            type Out = $out;
            #[inline(always)]
            fn of($a: $ta, $b: $tb, _: u8) -> $out {
                $body
            }
        }
        $crate::interp::vector::binary::<F>($level, $forms)
    }};
    (
        $level:expr,
        $forms:expr,
        |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| -> $out:ty { $body:expr }
    ) => {{
        struct F;
        impl $crate::interp::vector::TernaryFn for F {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type Out = $out;
            #[inline(always)]
            fn of($a: $ta, $b: $tb, $c: $tc) -> $out {
                $body
            }
        }
        $crate::interp::vector::ternary::<F>($level, $forms)
    }};
}
pub(crate) use map;
