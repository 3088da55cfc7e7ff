//! Remainders and whole quotients: vector code, and then the few elements that it is not meant for.
use super::vector::{Function, Operand, Tile, at};
use crate::level::Level;
use crate::vmath::Quotient;
use std::marker::PhantomData;

/// `A`, `B`: whether an argument has an element for each lane, or one for all.
struct Quotients<Q, const A: bool, const B: bool>(PhantomData<Q>);

impl<Q: Quotient, const A: bool, const B: bool> Tile for Quotients<Q, A, B> {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for n in 0..rows {
            let (to, a, b) = (to.row::<f32>(n), args[0].row::<f32>(n), args[1].row::<f32>(n));
            // SAFETY: the caller promises `lanes` elements in each row, or one.
            let pair = |i: usize| unsafe {
                (*a.add(if A { i } else { 0 }), *b.add(if B { i } else { 0 }))
            };
            let mut huge = 0;
            for i in 0..lanes {
                let (a, b) = pair(i);
                huge |= u32::from(Q::is_huge(a, b));
                // SAFETY: as above.
                unsafe { *to.add(i) = Q::of(a, b) };
            }
            if huge == 0 {
                continue;
            }
            for i in 0..lanes {
                let (a, b) = pair(i);
                if Q::is_huge(a, b) {
                    // SAFETY: as above.
                    unsafe { *to.add(i) = Q::plain(a, b) };
                }
            }
        }
    }
}

pub(super) fn quotient<Q: Quotient>(level: Level, is_vector: [bool; 3]) -> Option<Function> {
    Some(match is_vector {
        [true, true, _] => at::<Quotients<Q, true, true>>(level),
        [true, false, _] => at::<Quotients<Q, true, false>>(level),
        [false, true, _] => at::<Quotients<Q, false, true>>(level),
        [false, false, _] => return None,
    })
}
