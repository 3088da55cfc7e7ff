//! Emulator of generated loops, for tests on machines without the instructions: decodes the bytes
//! and executes each instruction as the manual specifies, on the real memory. It is slow, and
//! strict: it panics where a machine would fault or where the function would touch the caller's
//! stack.
mod decode;
mod lanes;

use decode::{Address, Vector};
pub(super) use decode::{Instruction, LaneOp, Last, decode};
use std::ops::Range;

const RSP: usize = 4;
const RSI: usize = 6;
const RDI: usize = 7;
const RDX: usize = 2;
/// Callee-saved registers.
const SAVED: [usize; 7] = [3, RSP, 5, 12, 13, 14, 15];
/// Bytes of the emulated stack.
const STACK: usize = 1 << 16;
/// Initial value of registers: a NaN that hardly any computation produces.
const NOTHING: u32 = 0x7fc0_dead;

/// Runs the function at `entry` with three arguments.
///
/// # Safety
/// - `code` is the code of a loop, as [`super::MachineCode`] compiles it.
/// - `arguments` meet the contract of [`super::MachineCode::run`], with a table pointer whose
///   provenance is exposed.
pub(super) unsafe fn call(code: &[u8], entry: usize, arguments: [usize; 3]) {
    debug_assert!(entry < code.len(), "entry {entry} of {} bytes", code.len());
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
            Instruction::Return => break,
            Instruction::Jump { when, to } if machine.holds(when) => at = to,
            Instruction::Jump { .. } => {}
            // SAFETY: the caller meets the contract.
            ref step => unsafe { machine.step(step) },
        }
    }
    for n in SAVED {
        assert_eq!(machine.gprs[n], gprs[n], "register {n} must be restored");
    }
}

struct Machine {
    /// Address of the code.
    code: u64,
    vectors: [[u32; 16]; 32],
    masks: [u16; 8],
    gprs: [u64; 16],
    is_zero: bool,
    is_below: bool,
    /// The addresses of the function's stack frame.
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

    /// Executes one instruction.
    ///
    /// # Safety
    /// Its memory operands point to memory that the loop may access.
    unsafe fn step(&mut self, step: &Instruction) {
        let gprs = self.gprs;
        let at = |base: u8, at: i32| {
            let address = gprs[base as usize].wrapping_add_signed(at.into());
            std::ptr::with_exposed_provenance_mut::<u64>(address as usize)
        };
        let set = |machine: &mut Machine, to: u8, x: u64| {
            (machine.is_zero, machine.gprs[to as usize]) = (x == 0, x);
        };
        // SAFETY: the caller meets the contract.
        unsafe {
            match *step {
                Instruction::Load { to, base, at: n } => {
                    self.gprs[to as usize] = at(base, n).read_unaligned();
                }
                Instruction::AddToMemory { base, at: n, from } => {
                    let sum = at(base, n).read_unaligned().wrapping_add(gprs[from as usize]);
                    at(base, n).write_unaligned(sum);
                }
                Instruction::Copy { to, from } => self.gprs[to as usize] = gprs[from as usize],
                Instruction::Compare { a, b } => {
                    let (a, b) = (gprs[a as usize], gprs[b as usize]);
                    (self.is_below, self.is_zero) = (a < b, a == b);
                }
                Instruction::Xor { to, from } => {
                    set(self, to, gprs[to as usize] ^ gprs[from as usize])
                }
                Instruction::And { to, number } => {
                    set(self, to, gprs[to as usize] & i64::from(number) as u64)
                }
                Instruction::Add { to, number } => {
                    set(self, to, gprs[to as usize].wrapping_add_signed(number.into()));
                    if to as usize == RSP {
                        self.frame = self.gprs[RSP]..gprs[RSP];
                    }
                }
                Instruction::Push(from) => {
                    self.gprs[RSP] -= 8;
                    self.stack().write(gprs[from as usize]);
                }
                Instruction::Pop(to) => {
                    self.gprs[to as usize] = self.stack().read();
                    self.gprs[RSP] += 8;
                }
                Instruction::LowBits { to, from, count } => {
                    let (x, count) = (gprs[from as usize] as u32, gprs[count as usize] as u8);
                    let low = 1u32.checked_shl(count.into()).map_or(u32::MAX, |bit| bit - 1);
                    self.gprs[to as usize] = u64::from(x & low);
                }
                Instruction::MoveWord { to, from } => {
                    self.vectors[to as usize] = [0; 16];
                    self.vectors[to as usize][0] = gprs[from as usize] as u32;
                }
                Instruction::MaskFromRegister { to, from } => {
                    self.masks[to as usize] = gprs[from as usize] as u16;
                }
                Instruction::LoadMask { to, from } => {
                    self.masks[to as usize] = self.memory::<u16>(from, 2).read_unaligned();
                }
                Instruction::StoreMask { to, from } => {
                    self.memory::<u16>(to, 2).write_unaligned(self.masks[from as usize]);
                }
                Instruction::Vector(ref vector) => self.vector(vector),
                Instruction::ZeroUpper => self.vectors.iter_mut().for_each(|v| v[4..].fill(0)),
                Instruction::Jump { .. } | Instruction::Return => {}
            }
        }
    }

    fn stack(&self) -> *mut u64 {
        std::ptr::with_exposed_provenance_mut(self.gprs[RSP] as usize)
    }

    /// The pointer of an operand of `bytes` bytes. Panics if it is relative to the stack pointer
    /// and outside the frame.
    fn memory<T>(&self, address: Address, bytes: u64) -> *mut T {
        let base = address.base.map_or(self.code, |base| self.gprs[base as usize]);
        let index = address.index.map_or(0, |(n, scale)| self.gprs[n as usize] << scale);
        let start = base.wrapping_add(index).wrapping_add_signed(address.at);
        if address.base == Some(RSP as u8) {
            let is_own = self.frame.start <= start && start + bytes <= self.frame.end;
            assert!(is_own, "{address:?} is outside the stack frame {:?}", self.frame);
        }
        std::ptr::with_exposed_provenance_mut(start as usize)
    }

    /// Executes a vector instruction.
    ///
    /// # Safety
    /// As `step`.
    unsafe fn vector(&mut self, vector: &Vector) {
        let Vector { to, first, last, immediate, lanes, .. } = *vector;
        let to = to as usize;
        let all = ((1u32 << lanes) - 1) as u16;
        let is_blend = matches!(vector.op, LaneOp::BlendMasked);
        let chosen = vector.mask.map_or(all, |mask| self.masks[mask as usize]);
        let (old, first) = (self.vectors[to], self.vectors[first as usize]);
        let signs = (0..lanes).fold(0, |all, l| all | ((first[l] >> 31) as u16) << l);
        // SAFETY: the caller meets the contract.
        unsafe {
            match vector.op {
                LaneOp::Store | LaneOp::Stream | LaneOp::StoreSome => {
                    let Last::Lanes(address) = last else { panic!("{vector:?} has no memory") };
                    let some = if let LaneOp::StoreSome = vector.op { signs } else { chosen };
                    let memory = self.memory::<u32>(address, 4 * lanes as u64);
                    let is_aligned = memory.addr().is_multiple_of(4 * lanes);
                    assert!(is_aligned || !matches!(vector.op, LaneOp::Stream), "{memory:?}");
                    for l in (0..lanes).filter(|l| some >> l & 1 == 1) {
                        memory.add(l).write_unaligned(old[l]);
                    }
                    return;
                }
                _ => {}
            }
            let read = if let LaneOp::LoadSome = vector.op { signs } else { chosen };
            let last = self.last(vector, read);
            if let (LaneOp::Compare(f), 16) = (vector.op, lanes) {
                let bits = (0..16).map(|l| u16::from(f(first[l], last[l], immediate)) << l);
                self.masks[to] = bits.fold(0, |all, bit| all | bit) & chosen;
                return;
            }
            let of = |l: usize| match vector.op {
                LaneOp::Unary(f) => f(last[l]),
                LaneOp::UnaryImmediate(f) => f(last[l], immediate),
                LaneOp::Binary(f) => f(first[l], last[l]),
                LaneOp::Ternary(f) => f(old[l], first[l], last[l]),
                LaneOp::Compare(f) if f(first[l], last[l], immediate) => u32::MAX,
                LaneOp::Compare(_) => 0,
                LaneOp::Spread => last[0],
                LaneOp::Blend => {
                    let mask = self.vectors[(immediate >> 4) as usize][l];
                    if mask >> 31 == 1 { last[l] } else { first[l] }
                }
                LaneOp::BlendMasked => {
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

    /// The value of the last operand. Lanes of memory outside the mask `asked` are not read.
    ///
    /// # Safety
    /// As `step`.
    unsafe fn last(&self, vector: &Vector, asked: u16) -> [u32; 16] {
        let lanes = vector.lanes;
        let mut of = [0; 16];
        // SAFETY: the caller meets the contract.
        unsafe {
            match vector.last {
                Last::Register(n) => return self.vectors[n as usize],
                Last::Lanes(from) if !matches!(vector.op, LaneOp::Spread) => {
                    let memory = self.memory::<u32>(from, 4 * lanes as u64);
                    for l in (0..lanes).filter(|l| asked >> l & 1 == 1) {
                        of[l] = memory.add(l).read_unaligned();
                    }
                }
                Last::Lanes(from) | Last::Broadcast(from) if asked != 0 => {
                    of = [self.memory::<u32>(from, 4).read_unaligned(); 16];
                }
                _ => {}
            }
        }
        of
    }
}
