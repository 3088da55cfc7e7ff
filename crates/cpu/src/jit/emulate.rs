//! Runs loops that were made for a level on machines without it: the bytes are decoded and each
//! instruction done as the manual says, on the memory that the loop is for. It is slow and for tests,
//! and strict: a panic where a machine would fault or where the stack of the caller would be hit.
mod decode;
mod lanes;

use decode::{Address, Vector};
pub(super) use decode::{Last, Op, Step, decode};
use std::ops::Range;

const RSP: usize = 4;
const RSI: usize = 6;
const RDI: usize = 7;
const RDX: usize = 2;
/// Registers that a caller expects back.
const SAVED: [usize; 7] = [3, RSP, 5, 12, 13, 14, 15];
/// Bytes of the stack.
const STACK: usize = 1 << 16;
/// What registers hold before they are written: NaN that hardly anything else gives.
const NOTHING: u32 = 0x7fc0_dead;

/// Runs the function that begins at `entry` with three arguments.
///
/// # Safety
/// The code is that of a loop, and the arguments are what it may be called with.
pub(super) unsafe fn call(code: &[u8], entry: usize, arguments: [usize; 3]) {
    let steps = decode(code, entry);
    let mut stack = vec![0u64; STACK / 8];
    let mut gprs = std::array::from_fn(|n| 0xdead_0000 + n as u64);
    gprs[RSP] = stack.as_mut_ptr_range().end as u64;
    for (n, argument) in [RDI, RSI, RDX].into_iter().zip(arguments) {
        gprs[n] = argument as u64;
    }
    let mut machine = Machine {
        code: code.as_ptr() as u64,
        vectors: [[NOTHING; 16]; 32],
        masks: [0xdead; 8],
        gprs,
        is_zero: false,
        is_below: false,
        frame: 0..0,
    };
    let mut at = 0;
    loop {
        at += 1;
        match steps[at - 1] {
            Step::Return => break,
            Step::Jump { when, to } if machine.holds(when) => at = to,
            Step::Jump { .. } => {}
            // SAFETY: promised by the caller.
            ref step => unsafe { machine.step(step) },
        }
    }
    for n in SAVED {
        assert_eq!(machine.gprs[n], gprs[n], "register {n} is the caller's");
    }
}

struct Machine {
    /// Where the code begins.
    code: u64,
    vectors: [[u32; 16]; 32],
    masks: [u16; 8],
    gprs: [u64; 16],
    is_zero: bool,
    is_below: bool,
    /// The addresses of the stack that the function has taken.
    frame: Range<u64>,
}

impl Machine {
    fn holds(&self, when: u8) -> bool {
        match when {
            0x82 => self.is_below,
            0x83 => !self.is_below,
            0x84 => self.is_zero,
            _ => !self.is_zero,
        }
    }

    unsafe fn step(&mut self, step: &Step) {
        let gprs = self.gprs;
        let at = |base: u8, at: i32| {
            let address = gprs[base as usize].wrapping_add_signed(at.into());
            std::ptr::with_exposed_provenance_mut::<u64>(address as usize)
        };
        let set = |machine: &mut Machine, to: u8, x: u64| {
            (machine.is_zero, machine.gprs[to as usize]) = (x == 0, x);
        };
        // SAFETY: promised by the caller.
        unsafe {
            match *step {
                Step::Load { to, base, at: n } => {
                    self.gprs[to as usize] = at(base, n).read_unaligned();
                }
                Step::AddToMemory { base, at: n, from } => {
                    let sum = at(base, n).read_unaligned().wrapping_add(gprs[from as usize]);
                    at(base, n).write_unaligned(sum);
                }
                Step::Copy { to, from } => self.gprs[to as usize] = gprs[from as usize],
                Step::Compare { a, b } => {
                    let (a, b) = (gprs[a as usize], gprs[b as usize]);
                    (self.is_below, self.is_zero) = (a < b, a == b);
                }
                Step::Xor { to, from } => set(self, to, gprs[to as usize] ^ gprs[from as usize]),
                Step::And { to, number } => {
                    set(self, to, gprs[to as usize] & i64::from(number) as u64)
                }
                Step::Add { to, number } => {
                    set(self, to, gprs[to as usize].wrapping_add_signed(number.into()));
                    if to as usize == RSP {
                        self.frame = self.gprs[RSP]..gprs[RSP];
                    }
                }
                Step::Push(from) => {
                    self.gprs[RSP] -= 8;
                    self.stack().write(gprs[from as usize]);
                }
                Step::Pop(to) => {
                    self.gprs[to as usize] = self.stack().read();
                    self.gprs[RSP] += 8;
                }
                Step::LowBits { to, from, count } => {
                    let (x, count) = (gprs[from as usize] as u32, gprs[count as usize] as u8);
                    let low = 1u32.checked_shl(count.into()).map_or(u32::MAX, |bit| bit - 1);
                    self.gprs[to as usize] = u64::from(x & low);
                }
                Step::MoveWord { to, from } => {
                    self.vectors[to as usize] = [0; 16];
                    self.vectors[to as usize][0] = gprs[from as usize] as u32;
                }
                Step::MaskFromRegister { to, from } => {
                    self.masks[to as usize] = gprs[from as usize] as u16;
                }
                Step::LoadMask { to, from } => {
                    self.masks[to as usize] = self.memory::<u16>(from, 2).read_unaligned();
                }
                Step::StoreMask { to, from } => {
                    self.memory::<u16>(to, 2).write_unaligned(self.masks[from as usize]);
                }
                Step::Vector(ref vector) => self.vector(vector),
                Step::ZeroUpper => self.vectors.iter_mut().for_each(|v| v[4..].fill(0)),
                Step::Jump { .. } | Step::Return => {}
            }
        }
    }

    fn stack(&self) -> *mut u64 {
        std::ptr::with_exposed_provenance_mut(self.gprs[RSP] as usize)
    }

    /// Some bytes of memory; those of the stack have to be the function's own.
    fn memory<T>(&self, address: Address, bytes: u64) -> *mut T {
        let base = address.base.map_or(self.code, |base| self.gprs[base as usize]);
        let index = address.index.map_or(0, |(n, scale)| self.gprs[n as usize] << scale);
        let start = base.wrapping_add(index).wrapping_add_signed(address.at);
        if address.base == Some(RSP as u8) {
            let is_own = self.frame.start <= start && start + bytes <= self.frame.end;
            assert!(is_own, "{address:?} is outside the stack of {:?}", self.frame);
        }
        std::ptr::with_exposed_provenance_mut(start as usize)
    }

    unsafe fn vector(&mut self, vector: &Vector) {
        let Vector { to, first, last, immediate, lanes, .. } = *vector;
        let to = to as usize;
        let all = ((1u32 << lanes) - 1) as u16;
        let is_blend = matches!(vector.op, Op::BlendMasked);
        let chosen = vector.mask.map_or(all, |mask| self.masks[mask as usize]);
        let (old, first) = (self.vectors[to], self.vectors[first as usize]);
        let signs = (0..lanes).fold(0, |all, l| all | ((first[l] >> 31) as u16) << l);
        // SAFETY: promised by the caller.
        unsafe {
            match vector.op {
                Op::Store | Op::Stream | Op::StoreSome => {
                    let Last::Lanes(address) = last else { panic!("{vector:?} has no memory") };
                    let some = if let Op::StoreSome = vector.op { signs } else { chosen };
                    let memory = self.memory::<u32>(address, 4 * lanes as u64);
                    let is_aligned = memory.addr().is_multiple_of(4 * lanes);
                    assert!(is_aligned || !matches!(vector.op, Op::Stream), "{memory:?}");
                    for l in (0..lanes).filter(|l| some >> l & 1 == 1) {
                        memory.add(l).write_unaligned(old[l]);
                    }
                    return;
                }
                _ => {}
            }
            let read = if let Op::LoadSome = vector.op { signs } else { chosen };
            let last = self.last(vector, read);
            if let (Op::Compare(f), 16) = (vector.op, lanes) {
                let bits = (0..16).map(|l| u16::from(f(first[l], last[l], immediate)) << l);
                self.masks[to] = bits.fold(0, |all, bit| all | bit) & chosen;
                return;
            }
            let of = |l: usize| match vector.op {
                Op::One(f) => f(last[l]),
                Op::OneBy(f) => f(last[l], immediate),
                Op::Two(f) => f(first[l], last[l]),
                Op::Three(f) => f(old[l], first[l], last[l]),
                Op::Compare(f) if f(first[l], last[l], immediate) => u32::MAX,
                Op::Compare(_) => 0,
                Op::Spread => last[0],
                Op::Blend => {
                    let mask = self.vectors[(immediate >> 4) as usize][l];
                    if mask >> 31 == 1 { last[l] } else { first[l] }
                }
                Op::BlendMasked => {
                    if chosen >> l & 1 == 1 {
                        last[l]
                    } else {
                        first[l]
                    }
                }
                _ => last[l],
            };
            let made = std::array::from_fn(|l| match l {
                _ if l >= lanes => 0,
                _ if is_blend || chosen >> l & 1 == 1 => of(l),
                _ if vector.is_zeroing => 0,
                _ => old[l],
            });
            self.vectors[to] = made;
        }
    }

    /// The last operand: lanes of memory that are not asked for are not looked at.
    unsafe fn last(&self, vector: &Vector, asked: u16) -> [u32; 16] {
        let lanes = vector.lanes;
        let mut of = [0; 16];
        // SAFETY: promised by the caller.
        unsafe {
            match vector.last {
                Last::Register(n) => return self.vectors[n as usize],
                Last::Lanes(from) if !matches!(vector.op, Op::Spread) => {
                    let memory = self.memory::<u32>(from, 4 * lanes as u64);
                    for l in (0..lanes).filter(|l| asked >> l & 1 == 1) {
                        of[l] = memory.add(l).read_unaligned();
                    }
                }
                Last::Lanes(from) | Last::One(from) if asked != 0 => {
                    of = [self.memory::<u32>(from, 4).read_unaligned(); 16];
                }
                _ => {}
            }
        }
        of
    }
}
