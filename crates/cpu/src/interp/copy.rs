//! Elements from memory to registers and back: narrow types become wide ones on the way, and lanes
//! may lie anywhere.
use super::vector::{Function, One, Operand, Tile, at, map};
use crate::level::Level;
use brasa_ir::DType;
use half::{bf16, f16};
use std::marker::PhantomData;

/// How elements of one dtype are moved.
#[derive(Clone, Copy)]
pub(crate) struct Copies {
    /// Lanes that follow each other on both sides.
    pub(crate) plain: Function,
    /// Lanes of memory that a table leads to; the table is the second argument.
    pub(crate) by_table: Function,
}

/// From memory to a register.
struct Gather<F>(PhantomData<F>);

impl<F: One> Tile for Gather<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        let table = args[1].ptr.cast::<i32>();
        for n in 0..rows {
            let (to, from) = (to.row::<F::Out>(n), args[0].row::<F::In>(n));
            // SAFETY: the caller promises a table that leads to elements.
            unsafe {
                (0..lanes).for_each(|i| *to.add(i) = F::of(*from.offset(*table.add(i) as isize)));
            }
        }
    }
}

/// From a register to memory.
struct Scatter<F>(PhantomData<F>);

impl<F: One> Tile for Scatter<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        let table = args[1].ptr.cast::<i32>();
        for n in 0..rows {
            let (to, from) = (to.row::<F::Out>(n), args[0].row::<F::In>(n));
            // SAFETY: the caller promises a table that leads to elements.
            unsafe {
                (0..lanes).for_each(|i| *to.offset(*table.add(i) as isize) = F::of(*from.add(i)));
            }
        }
    }
}

macro_rules! copies {
    ($by_table:ident, $level:expr, |$x:ident: $in:ty| -> $out:ty { $body:expr }) => {{
        struct F;
        impl One for F {
            type In = $in;
            type Out = $out;
            #[inline(always)]
            fn of($x: $in) -> $out {
                $body
            }
        }
        let plain = map!($level, [true; 3], |$x: $in| -> $out { $body });
        Copies { plain: plain.expect("a form for vectors"), by_table: at::<$by_table<F>>($level) }
    }};
}

/// From a register of f32 to memory around the caches, which spares reading what is overwritten.
#[cfg(target_arch = "x86_64")]
macro_rules! around {
    ($name:ident, $lanes:literal, $load:ident, $stream:ident) => {
        struct $name;

        impl Tile for $name {
            #[inline(always)]
            unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
                use std::arch::x86_64::{$load, $stream};
                for n in 0..rows {
                    let (to, from) = (to.row::<f32>(n), args[0].row::<f32>(n));
                    let is_aligned = to.addr().is_multiple_of(4 * $lanes);
                    let whole = if is_aligned { lanes / $lanes * $lanes } else { 0 };
                    let mut i = 0;
                    // SAFETY: the caller promises `lanes` elements in each row, and the level.
                    unsafe {
                        while i < whole {
                            $stream(to.add(i), $load(from.add(i)));
                            i += $lanes;
                        }
                        (whole..lanes).for_each(|i| *to.add(i) = *from.add(i));
                    }
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
around!(Around512, 16, _mm512_loadu_ps, _mm512_stream_ps);
#[cfg(target_arch = "x86_64")]
around!(Around256, 8, _mm256_loadu_ps, _mm256_stream_ps);

/// Ends stores around the caches: other threads see them after this as they see any others. Once for
/// each tile, the wait would take an eighth of a softmax.
pub(crate) fn end_around() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every machine of this kind has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Stores of f32 around the caches, where the machine has them.
pub(crate) fn around(level: Level) -> Option<Function> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(at::<Around512>(level)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Some(at::<Around256>(level)),
        _ => None,
    }
}

/// Into registers.
pub(crate) fn loads(dtype: DType, l: Level) -> Copies {
    match dtype {
        DType::F32 | DType::I32 => copies!(Gather, l, |x: u32| -> u32 { x }),
        DType::F64 | DType::I64 => copies!(Gather, l, |x: u64| -> u64 { x }),
        DType::F16 => copies!(Gather, l, |x: f16| -> f32 { x.to_f32() }),
        DType::BF16 => copies!(Gather, l, |x: bf16| -> f32 { x.to_f32() }),
        DType::Bool | DType::U8 => copies!(Gather, l, |x: u8| -> i32 { x as i32 }),
        DType::I8 => copies!(Gather, l, |x: i8| -> i32 { x as i32 }),
        DType::U32 => copies!(Gather, l, |x: u32| -> i64 { x as i64 }),
    }
}

/// Out of registers.
pub(crate) fn stores(dtype: DType, l: Level) -> Copies {
    match dtype {
        DType::F32 | DType::I32 => copies!(Scatter, l, |x: u32| -> u32 { x }),
        DType::F64 | DType::I64 => copies!(Scatter, l, |x: u64| -> u64 { x }),
        DType::F16 => copies!(Scatter, l, |x: f32| -> f16 { f16::from_f32(x) }),
        DType::BF16 => copies!(Scatter, l, |x: f32| -> bf16 { bf16::from_f32(x) }),
        DType::Bool | DType::U8 => copies!(Scatter, l, |x: i32| -> u8 { x as u8 }),
        DType::I8 => copies!(Scatter, l, |x: i32| -> i8 { x as i8 }),
        DType::U32 => copies!(Scatter, l, |x: i64| -> u32 { x as u32 }),
    }
}
