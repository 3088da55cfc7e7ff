//! The effect of each instruction on the bits of one lane.
use super::decode::LaneOp;

/// The operation of an instruction, by whether it has an EVEX prefix, its opcode map, mandatory
/// prefix and opcode.
pub(super) fn named(name: (bool, u8, u8, u8), immediate: u8) -> LaneOp {
    match name {
        (_, 1, 0, 0x10) => LaneOp::Load,
        (_, 1, 0, 0x11) => LaneOp::Store,
        (_, 1, 0, 0x2b) => LaneOp::Stream,
        (false, 2, 1, 0x2c) => LaneOp::LoadSome,
        (false, 2, 1, 0x2e) => LaneOp::StoreSome,
        (_, 2, 1, 0x18) => LaneOp::Spread,
        (_, 1, 0, 0x51) => LaneOp::Unary(|x| float(x).sqrt().to_bits()),
        (_, 1, 0, 0x54) => LaneOp::Binary(|a, b| a & b),
        (_, 1, 0, 0x55) => LaneOp::Binary(|a, b| !a & b),
        (_, 1, 0, 0x56) => LaneOp::Binary(|a, b| a | b),
        (_, 1, 0, 0x57) => LaneOp::Binary(|a, b| a ^ b),
        (_, 1, 0, 0x58) => LaneOp::Binary(|a, b| (float(a) + float(b)).to_bits()),
        (_, 1, 0, 0x59) => LaneOp::Binary(|a, b| (float(a) * float(b)).to_bits()),
        (_, 1, 0, 0x5b) => LaneOp::Unary(|x| (x as i32 as f32).to_bits()),
        (_, 1, 0, 0x5c) => LaneOp::Binary(|a, b| (float(a) - float(b)).to_bits()),
        // Returns the second operand if either is NaN or both are zero.
        (_, 1, 0, 0x5d) => LaneOp::Binary(|a, b| if float(a) < float(b) { a } else { b }),
        (_, 1, 0, 0x5e) => LaneOp::Binary(|a, b| (float(a) / float(b)).to_bits()),
        (_, 1, 0, 0x5f) => LaneOp::Binary(|a, b| if float(a) > float(b) { a } else { b }),
        (_, 1, 1, 0xfe) => LaneOp::Binary(u32::wrapping_add),
        (_, 1, 1, 0xfa) => LaneOp::Binary(u32::wrapping_sub),
        (_, 2, 1, 0x40) => LaneOp::Binary(u32::wrapping_mul),
        (_, 2, 1, 0x39) => LaneOp::Binary(|a, b| (a as i32).min(b as i32) as u32),
        (_, 2, 1, 0x3d) => LaneOp::Binary(|a, b| (a as i32).max(b as i32) as u32),
        (false, 1, 1, 0x76) => LaneOp::Binary(|a, b| all(a == b)),
        (false, 1, 1, 0x66) => LaneOp::Binary(|a, b| all(a as i32 > b as i32)),
        (_, 1, 0, 0xc2) => LaneOp::Compare(compare),
        (true, 3, 1, 0x1f) => LaneOp::Compare(compare_int),
        (_, 3, 1, 0x08) => LaneOp::UnaryImmediate(round),
        (false, 3, 1, 0x4a) => LaneOp::Blend,
        (true, 2, 1, 0x65) => LaneOp::BlendMasked,
        (true, 2, 1, 0x4c) => LaneOp::Unary(reciprocal),
        (true, 2, 1, 0x42) => LaneOp::Unary(exponent),
        (true, 3, 1, 0x26) if immediate == 0 => LaneOp::Unary(mantissa),
        (true, 2, 1, 0x2c) => LaneOp::Binary(scale),
        (_, 2, 1, 0x98) => LaneOp::Ternary(|to, first, last| fused(to, last, first)),
        (_, 2, 1, 0xa8) => LaneOp::Ternary(|to, first, last| fused(first, to, last)),
        (_, 2, 1, 0xb8) => LaneOp::Ternary(|to, first, last| fused(first, last, to)),
        (_, 2, 1, 0x9a) => LaneOp::Ternary(|to, first, last| fused(to, last, first ^ SIGN)),
        (_, 2, 1, 0xaa) => LaneOp::Ternary(|to, first, last| fused(first, to, last ^ SIGN)),
        (_, 2, 1, 0xba) => LaneOp::Ternary(|to, first, last| fused(first, last, to ^ SIGN)),
        (_, 2, 1, 0x9c) => LaneOp::Ternary(|to, first, last| fused(to ^ SIGN, last, first)),
        (_, 2, 1, 0xac) => LaneOp::Ternary(|to, first, last| fused(first ^ SIGN, to, last)),
        (_, 2, 1, 0xbc) => LaneOp::Ternary(|to, first, last| fused(first ^ SIGN, last, to)),
        _ => panic!("unknown instruction {name:02x?} with {immediate:#04x}"),
    }
}

/// Shifts by an immediate; the register field selects the direction.
pub(super) fn shift(direction: u8) -> fn(u32, u8) -> u32 {
    match direction {
        6 => |x, by| x.checked_shl(by.into()).unwrap_or(0),
        4 => |x, by| (x as i32 >> by.min(31)) as u32,
        other => panic!("unknown direction {other} of a shift"),
    }
}

const SIGN: u32 = 1 << 31;

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn all(is_set: bool) -> u32 {
    if is_set { u32::MAX } else { 0 }
}

/// Rounded once.
fn fused(a: u32, b: u32, c: u32) -> u32 {
    float(a).mul_add(float(b), float(c)).to_bits()
}

fn compare(a: u32, b: u32, how: u8) -> bool {
    let (a, b) = (float(a), float(b));
    match how {
        0x00 => a == b,
        0x03 => a.is_nan() || b.is_nan(),
        0x04 => a != b,
        0x08 => a == b || a.is_nan() || b.is_nan(),
        0x07 => !a.is_nan() && !b.is_nan(),
        0x11 => a < b,
        0x12 => a <= b,
        0x1d => a >= b,
        0x1e => a > b,
        other => panic!("unknown comparison {other:#04x}"),
    }
}

fn compare_int(a: u32, b: u32, how: u8) -> bool {
    let (a, b) = (a as i32, b as i32);
    match how {
        0 => a == b,
        1 => a < b,
        2 => a <= b,
        4 => a != b,
        5 => a >= b,
        6 => a > b,
        other => panic!("unknown comparison {other:#04x} of integers"),
    }
}

fn round(x: u32, how: u8) -> u32 {
    let x = float(x);
    match how {
        0x08 => x.round_ties_even(),
        0x09 => x.floor(),
        0x0a => x.ceil(),
        0x0b => x.trunc(),
        other => panic!("unknown rounding {other:#04x}"),
    }
    .to_bits()
}

/// To 14 bits: machines may differ in the bits after that.
fn reciprocal(x: u32) -> u32 {
    let exact = 1.0 / float(x);
    match exact.is_normal() {
        true => (exact.to_bits() + (1 << 8)) & !0x1ff,
        false => exact.to_bits(),
    }
}

/// The floor of the binary logarithm.
fn exponent(x: u32) -> u32 {
    let x = float(x).abs();
    let exponent = match x {
        0.0 => f32::NEG_INFINITY,
        // Every f32 is a normal f64.
        _ if x.is_finite() => ((f64::from(x).to_bits() >> 52) as i32 - 1023) as f32,
        _ => x,
    };
    exponent.to_bits()
}

/// The mantissa from 1 to 2, with the sign of the number; 1 for zeros and infinities.
fn mantissa(x: u32) -> u32 {
    let (x, sign) = (float(x), x & SIGN);
    let bits = f64::from(x).to_bits() & ((1 << 52) - 1);
    let mantissa = match x {
        _ if x.is_nan() => return x.to_bits(),
        _ if x == 0.0 || x.is_infinite() => 1.0,
        _ => f64::from_bits(bits | 1023 << 52) as f32,
    };
    mantissa.to_bits() | sign
}

/// `a · 2ⁿ`, rounded once: as f64 the product is exact.
fn scale(a: u32, n: u32) -> u32 {
    let (a, n) = (f64::from(float(a)), f64::from(float(n)).floor());
    let scaled = match n {
        _ if n.is_nan() => n,
        _ if n == f64::INFINITY => a * n,
        _ if n == f64::NEG_INFINITY => a / f64::INFINITY,
        _ => a * f64::from_bits(((n.clamp(-600.0, 600.0) + 1023.0) as u64) << 52),
    };
    (scaled as f32).to_bits()
}
