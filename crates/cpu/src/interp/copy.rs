//! Copies between buffers and registers: widens and narrows dtypes on the way, and supports lanes
//! at arbitrary offsets.
use super::vector::{Operand, TileFn, TileKernel, UnaryFn, for_level, map};
use crate::level::Level;
use brasa_ir::DType;
use half::{bf16, f16};
use std::marker::PhantomData;

/// The copy functions of one dtype.
#[derive(Clone, Copy)]
pub(crate) struct Copies {
    /// Lanes are adjacent on both sides.
    pub(crate) plain: TileFn,
    /// Lanes of the buffer lie at the offsets of a table, the second argument.
    pub(crate) by_table: TileFn,
}

/// From a buffer to a register.
struct Gather<F>(PhantomData<F>);

impl<F: UnaryFn> TileKernel for Gather<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        let table = args[1].ptr.cast::<i32>();
        for n in 0..rows {
            let (to, from) = (to.row::<F::Out>(n), args[0].row::<F::In>(n));
            // SAFETY: by the contract of `TileKernel::run`; all `lanes` offsets of the table stay
            // in the buffer.
            unsafe {
                (0..lanes).for_each(|i| *to.add(i) = F::of(*from.offset(*table.add(i) as isize)));
            }
        }
    }
}

/// From a register to a buffer.
struct Scatter<F>(PhantomData<F>);

impl<F: UnaryFn> TileKernel for Scatter<F> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        let table = args[1].ptr.cast::<i32>();
        for n in 0..rows {
            let (to, from) = (to.row::<F::Out>(n), args[0].row::<F::In>(n));
            // SAFETY: by the contract of `TileKernel::run`; all `lanes` offsets of the table stay
            // in the buffer.
            unsafe {
                (0..lanes).for_each(|i| *to.offset(*table.add(i) as isize) = F::of(*from.add(i)));
            }
        }
    }
}

macro_rules! copies {
    ($by_table:ident, $level:expr, |$x:ident: $in:ty| -> $out:ty { $body:expr }) => {{
        struct F;
        impl UnaryFn for F {
            type In = $in;
            type Out = $out;
            #[inline(always)]
            fn of($x: $in) -> $out {
                $body
            }
        }
        let plain = map!($level, [true; 3], |$x: $in| -> $out { $body });
        Copies {
            plain: plain.expect("a form for vectors"),
            by_table: for_level::<$by_table<F>>($level),
        }
    }};
}

/// From a register of f32 to a buffer by streaming stores, which avoid reading the overwritten
/// lines.
#[cfg(target_arch = "x86_64")]
macro_rules! streaming {
    ($name:ident, $lanes:literal, $load:ident, $stream:ident) => {
        struct $name;

        impl TileKernel for $name {
            #[inline(always)]
            unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
                use std::arch::x86_64::{$load, $stream};
                for n in 0..rows {
                    let (to, from) = (to.row::<f32>(n), args[0].row::<f32>(n));
                    let is_aligned = to.addr().is_multiple_of(4 * $lanes);
                    let whole = if is_aligned { lanes / $lanes * $lanes } else { 0 };
                    let mut i = 0;
                    // SAFETY: by the contract of `TileKernel::run`; the stores are aligned.
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
streaming!(Stream512, 16, _mm512_loadu_ps, _mm512_stream_ps);
#[cfg(target_arch = "x86_64")]
streaming!(Stream256, 8, _mm256_loadu_ps, _mm256_stream_ps);

/// Fences streaming stores: after it other threads see them like normal stores. Called once per
/// thread, because one fence per tile would take an eighth of a softmax.
pub(crate) fn fence_streaming_stores() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 machine has SSE.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Streaming stores of f32, if the level has them.
pub(crate) fn streaming_store(level: Level) -> Option<TileFn> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(for_level::<Stream512>(level)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Some(for_level::<Stream256>(level)),
        _ => None,
    }
}

/// Copies from buffers of a dtype to registers.
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

/// Copies from registers to buffers of a dtype.
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
