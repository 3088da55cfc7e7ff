//! `Random`: reproducible random bits, a pure function of seed, draw and element (Threefry-2x32
//! with 20 rounds): the same on every device and thread count, and recomputed rather than stored.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::{Shape, Type};

primitive! {
    /// 32 random bits per element, from a `u32` seed. `draw` numbers the draws of a graph, so that
    /// each has its own stream.
    pub struct Random { draw: u32, shape: Shape }
}

impl OpDef for Random {
    fn class(&self) -> Class {
        Class::Leaf
    }

    fn cost(&self) -> Option<u32> {
        Some(16)
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        if *inputs[0] != Type::new(DType::U32, []) {
            let error = Error::dtype("random_bits", "the seed must be one u32");
            return Err(error.operand("seed", inputs[0]));
        }
        Ok(Type::new(DType::U32, self.shape.clone()))
    }

    fn grad<'g>(&self, _: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![None]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let key = [inputs[0].i64(0) as u32, self.draw];
        // Elements 2i and 2i + 1 are the two words of block i.
        let bits =
            |n: usize| threefry(key, [(n / 2) as u32, (n as u64 >> 33) as u32])[n % 2] as i64;
        Ok(Array::from_i64(out, (0..out.elements()).map(bits)))
    }
}

/// One block of Threefry-2x32-20 (Salmon et al., 2011).
pub fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let mut x = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for round in 0..5 {
        for rotation in ROTATIONS[round % 2] {
            x[0] = x[0].wrapping_add(x[1]);
            x[1] = x[1].rotate_left(rotation) ^ x[0];
        }
        let n = round + 1;
        x[0] = x[0].wrapping_add(keys[n % 3]);
        x[1] = x[1].wrapping_add(keys[(n + 1) % 3]).wrapping_add(n as u32);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known-answer vectors published with the generator.
    #[test]
    fn threefry_gives_the_published_answers() {
        let ones = [u32::MAX; 2];
        assert_eq!(threefry([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(threefry(ones, ones), [0x1cb9_96fc, 0xbb00_2be7]);
        let (key, counter) = ([0x1319_8a2e, 0x0370_7344], [0x243f_6a88, 0x85a3_08d3]);
        assert_eq!(threefry(key, counter), [0xc492_3a9c, 0x483d_f7a0]);
    }
}
