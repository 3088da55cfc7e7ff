//! Assembler for the subset of AVX2, AVX-512 and x86-64 that loops use. Both vector sets share
//! their opcodes; they differ in the prefix (VEX or EVEX) and what it can encode.
use crate::level::Level;

/// The registers of a level. Numbers 0 to 31 are vector registers, 32 and up mask registers;
/// before AVX-512 masks are vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorIsa {
    pub(super) is_wide: bool,
    /// Lanes per vector.
    pub(super) lanes: i32,
    /// The registers that values may use, as bit sets.
    pub(super) vectors: u64,
    pub(super) masks: u64,
    /// The register with the mask of the last lanes, which do not fill a vector.
    pub(super) tail_mask: u8,
}

const AVX2: VectorIsa =
    VectorIsa { is_wide: false, lanes: 8, vectors: 0x7fff, masks: 0x7fff, tail_mask: 15 };
/// The mask register k0 stands for all lanes and cannot be allocated.
const AVX512: VectorIsa = VectorIsa {
    is_wide: true,
    lanes: 16,
    vectors: 0xffff_ffff,
    masks: 0x7e << 32,
    tail_mask: 32 + 7,
};

impl VectorIsa {
    pub(super) fn of(level: Level) -> VectorIsa {
        if level == Level::Avx512 { AVX512 } else { AVX2 }
    }

    /// Bytes per vector.
    pub(super) fn bytes(self) -> i32 {
        4 * self.lanes
    }
}

pub(super) fn is_mask(register: u8) -> bool {
    register >= 32
}

/// A general-purpose register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gpr(pub(super) u8);

pub(super) const RAX: Gpr = Gpr(0);
pub(super) const RCX: Gpr = Gpr(1);
pub(super) const RDX: Gpr = Gpr(2);
pub(super) const RSP: Gpr = Gpr(4);
pub(super) const RSI: Gpr = Gpr(6);
pub(super) const RDI: Gpr = Gpr(7);
pub(super) const R11: Gpr = Gpr(11);

/// The last operand of an instruction (ModRM r/m).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rm {
    Vector(u8),
    /// The vector at `base + 4 · rax`.
    Elements(Gpr),
    /// The vector at `base + displacement`.
    Memory(Gpr, i32),
    /// The number at `base`, which AVX-512 can broadcast to all lanes.
    Broadcast(Gpr),
    /// A constant behind the code, for all lanes: a vector there, or with AVX-512 a single number.
    Const(u32),
    /// The lane indices, a vector behind the code.
    LaneIndex,
    /// A general-purpose register.
    Gpr(Gpr),
}

/// The encoding of an instruction: opcode map, prefix, opcode, and whether it is limited to 128
/// bits and has only a VEX form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Opcode {
    map: u8,
    prefix: u8,
    code: u8,
    is_short: bool,
}

const fn opcode(map: u8, prefix: u8, code: u8) -> Opcode {
    Opcode { map, prefix, code, is_short: false }
}

const fn short(map: u8, prefix: u8, code: u8) -> Opcode {
    Opcode { is_short: true, ..opcode(map, prefix, code) }
}

/// Mandatory prefixes.
const NONE: u8 = 0;
const X66: u8 = 1;
/// Opcode maps.
const X0F: u8 = 1;
const X0F38: u8 = 2;
const X0F3A: u8 = 3;

pub(super) const ADD: Opcode = opcode(X0F, NONE, 0x58);
pub(super) const MUL: Opcode = opcode(X0F, NONE, 0x59);
pub(super) const SUB: Opcode = opcode(X0F, NONE, 0x5c);
pub(super) const MIN: Opcode = opcode(X0F, NONE, 0x5d);
pub(super) const DIV: Opcode = opcode(X0F, NONE, 0x5e);
pub(super) const MAX: Opcode = opcode(X0F, NONE, 0x5f);
pub(super) const SQRT: Opcode = opcode(X0F, NONE, 0x51);
pub(super) const AND: Opcode = opcode(X0F, NONE, 0x54);
pub(super) const AND_NOT: Opcode = opcode(X0F, NONE, 0x55);
pub(super) const OR: Opcode = opcode(X0F, NONE, 0x56);
pub(super) const XOR: Opcode = opcode(X0F, NONE, 0x57);
pub(super) const ADD_INT: Opcode = opcode(X0F, X66, 0xfe);
pub(super) const SUB_INT: Opcode = opcode(X0F, X66, 0xfa);
pub(super) const MUL_INT: Opcode = opcode(X0F38, X66, 0x40);
pub(super) const MIN_INT: Opcode = opcode(X0F38, X66, 0x39);
pub(super) const MAX_INT: Opcode = opcode(X0F38, X66, 0x3d);
pub(super) const EQ_INT: Opcode = opcode(X0F, X66, 0x76);
pub(super) const GT_INT: Opcode = opcode(X0F, X66, 0x66);
pub(super) const ROUND: Opcode = opcode(X0F3A, X66, 0x08);
pub(super) const TO_FLOAT: Opcode = opcode(X0F, NONE, 0x5b);
/// The first operand is the result, and the register field selects the direction.
pub(super) const SHIFT: Opcode = opcode(X0F, X66, 0x72);
pub(super) const COMPARE: Opcode = opcode(X0F, NONE, 0xc2);
/// The mask register is the upper half of the immediate.
pub(super) const BLEND: Opcode = opcode(X0F3A, X66, 0x4a);
pub(super) const LOAD: Opcode = opcode(X0F, NONE, 0x10);
pub(super) const STORE: Opcode = opcode(X0F, NONE, 0x11);
/// A streaming store.
pub(super) const STREAM: Opcode = opcode(X0F, NONE, 0x2b);
/// The lanes that a mask, the first operand, selects.
pub(super) const LOAD_MASKED: Opcode = opcode(X0F38, X66, 0x2c);
pub(super) const STORE_MASKED: Opcode = opcode(X0F38, X66, 0x2e);
/// Broadcasts one number in memory, or the first lane of a vector.
pub(super) const BROADCAST: Opcode = opcode(X0F38, X66, 0x18);
/// A general register to the first lane.
pub(super) const MOVE_WORD: Opcode = short(X0F, X66, 0x6e);

// Instructions of AVX-512 only.
pub(super) const COMPARE_INT: Opcode = opcode(X0F3A, X66, 0x1f);
/// The last operand where the instruction's mask is set, else the first.
pub(super) const BLEND_MASKED: Opcode = opcode(X0F38, X66, 0x65);
/// To 14 bits.
pub(super) const RECIPROCAL: Opcode = opcode(X0F38, X66, 0x4c);
pub(super) const EXPONENT: Opcode = opcode(X0F38, X66, 0x42);
pub(super) const MANTISSA: Opcode = opcode(X0F3A, X66, 0x26);
/// `a · 2ⁿ`.
pub(super) const SCALE: Opcode = opcode(X0F38, X66, 0x2c);
/// Moves masks from and to memory, and from a general register.
pub(super) const LOAD_MASK: Opcode = short(X0F, NONE, 0x90);
pub(super) const STORE_MASK: Opcode = short(X0F, NONE, 0x91);
pub(super) const MOVE_MASK: Opcode = short(X0F, NONE, 0x92);
/// `bzhi`: clears the bits of a general register from a bit index on, the first operand.
pub(super) const LOW_BITS: Opcode = short(X0F38, NONE, 0xf5);

/// Which lanes an AVX-512 instruction writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneMask {
    All,
    /// Those of a mask; the others keep their value.
    Merging(u8),
    /// Those of a mask; the others are set to zero.
    Zeroing(u8),
}

/// A fused multiply-add. It overwrites the destination; the digits of the form say which operands
/// are multiplied.
pub(super) const fn fused(form: u8, kind: u8) -> Opcode {
    opcode(X0F38, X66, form + kind)
}
pub(super) const FORM_132: u8 = 0x98;
pub(super) const FORM_213: u8 = 0xa8;
pub(super) const FORM_231: u8 = 0xb8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Below,
    AtLeast,
    Zero,
    NotZero,
}

/// A jump target.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

/// An assembler with the code written so far.
pub(super) struct Asm {
    pub(super) isa: VectorIsa,
    pub(super) bytes: Vec<u8>,
    /// Displacement that is added to the addresses of elements.
    pub(super) displacement: i32,
    /// Constants behind the code.
    numbers: Vec<Rm>,
    /// References to constants: offset of the displacement, end of the instruction, and index of
    /// the constant.
    const_refs: Vec<(usize, usize, usize)>,
    labels: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
}

/// The register of an operand, or of its address.
fn register_number(rm: Rm) -> u8 {
    match rm {
        Rm::Vector(n)
        | Rm::Gpr(Gpr(n))
        | Rm::Elements(Gpr(n))
        | Rm::Memory(Gpr(n), _)
        | Rm::Broadcast(Gpr(n)) => n,
        Rm::Const(_) | Rm::LaneIndex => 0,
    }
}

impl Asm {
    pub(super) fn new(isa: VectorIsa) -> Asm {
        let (bytes, numbers, const_refs) = (Vec::new(), Vec::new(), Vec::new());
        let (labels, jumps) = (Vec::new(), Vec::new());
        Asm { isa, bytes, displacement: 0, numbers, const_refs, labels, jumps }
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn dword(&mut self, dword: u32) {
        self.bytes.extend(dword.to_le_bytes());
    }

    /// Emits an instruction on vectors.
    pub(super) fn vector(&mut self, op: Opcode, to: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        self.masked(LaneMask::All, op, to, first, rm, immediate);
    }

    /// Emits an instruction on some lanes of vectors.
    pub(super) fn masked(
        &mut self,
        lane_mask: LaneMask,
        op: Opcode,
        to: u8,
        first: u8,
        rm: Rm,
        immediate: Option<u8>,
    ) {
        self.prefix(lane_mask, op, to, first, rm);
        self.byte(op.code);
        self.operands(to, rm, immediate);
        if let Some(immediate) = immediate {
            self.byte(immediate);
        }
    }

    /// Emits the VEX or EVEX prefix of an instruction.
    fn prefix(&mut self, lane_mask: LaneMask, op: Opcode, to: u8, first: u8, rm: Rm) {
        let number = register_number(rm);
        // Prefixes hold the upper bits of register numbers inverted; that of the index is always
        // clear.
        let bit = |n: u8, at: u8| !n >> at & 1;
        match self.isa.is_wide && !op.is_short {
            true => {
                let (mask, zero) = match lane_mask {
                    LaneMask::All => (0, 0),
                    LaneMask::Merging(mask) => (mask & 7, 0),
                    LaneMask::Zeroing(mask) => (mask & 7, 1),
                };
                // The broadcast bit; the broadcast instruction itself must not set it.
                let is_one = matches!(rm, Rm::Broadcast(_) | Rm::Const(_)) && op != BROADCAST;
                let high = if matches!(rm, Rm::Vector(_)) { bit(number, 4) } else { 1 };
                self.byte(0x62);
                let (r, r_high, b) = (bit(to, 3), bit(to & 31, 4), bit(number, 3));
                self.byte(r << 7 | high << 6 | b << 5 | r_high << 4 | op.map);
                self.byte((!first & 15) << 3 | 1 << 2 | op.prefix);
                let v_high = bit(first & 31, 4);
                self.byte(zero << 7 | 0b10 << 5 | u8::from(is_one) << 4 | v_high << 3 | mask);
            }
            false => {
                self.byte(0xc4);
                self.byte(bit(to, 3) << 7 | 1 << 6 | bit(number, 3) << 5 | op.map);
                self.byte((!first & 15) << 3 | u8::from(!op.is_short) << 2 | op.prefix);
            }
        }
    }

    /// Emits the bytes that name the register `to` and the operand `rm`.
    fn operands(&mut self, to: u8, rm: Rm, immediate: Option<u8>) {
        let (reg, low) = ((to & 7) << 3, register_number(rm) & 7);
        match rm {
            Rm::Vector(_) | Rm::Gpr(_) => self.byte(0b11 << 6 | reg | low),
            Rm::Elements(_) => {
                // rbp and r13 as a base require a displacement.
                let mode = match (self.displacement, low) {
                    (0, 5) => 0b01,
                    (0, _) => 0b00,
                    _ => 0b10,
                };
                self.byte(mode << 6 | reg | 0b100);
                self.byte(0b10 << 6 | RAX.0 << 3 | low);
                match mode {
                    0b01 => self.byte(0),
                    0b10 => self.dword(self.displacement as u32),
                    _ => {}
                }
            }
            Rm::Memory(..) | Rm::Broadcast(_) => {
                self.byte(0b10 << 6 | reg | low);
                if low == RSP.0 {
                    self.byte(0b100 << 3 | RSP.0);
                }
                let distance = if let Rm::Memory(_, distance) = rm { distance } else { 0 };
                self.dword(distance as u32);
            }
            Rm::Const(_) | Rm::LaneIndex => {
                self.byte(reg | 0b101);
                let n = self.number(rm);
                let end = self.bytes.len() + 4 + usize::from(immediate.is_some());
                self.const_refs.push((self.bytes.len(), end, n));
                self.dword(0);
            }
        }
    }

    fn number(&mut self, number: Rm) -> usize {
        self.numbers.iter().position(|&n| n == number).unwrap_or_else(|| {
            self.numbers.push(number);
            self.numbers.len() - 1
        })
    }

    /// Emits a load of a value from a register or from memory, broadcast if it is one number.
    pub(super) fn load_value(&mut self, lane_mask: LaneMask, to: u8, from: Rm) {
        let is_one = match from {
            Rm::Broadcast(_) => true,
            Rm::Const(_) => self.isa.is_wide,
            _ => false,
        };
        self.masked(lane_mask, if is_one { BROADCAST } else { LOAD }, to, 0, from, None);
    }

    /// Emits a 64-bit instruction on a register and another register or memory at `base + at`.
    fn plain(&mut self, code: u8, reg: Gpr, base: Gpr, at: Option<i32>) {
        self.byte(0x48 | (reg.0 >> 3) << 2 | base.0 >> 3);
        self.byte(code);
        let mode = if at.is_some() { 0b10 } else { 0b11 };
        self.byte(mode << 6 | (reg.0 & 7) << 3 | base.0 & 7);
        if let Some(at) = at {
            self.dword(at as u32);
        }
    }

    pub(super) fn load(&mut self, to: Gpr, base: Gpr, at: i32) {
        self.plain(0x8b, to, base, Some(at));
    }

    pub(super) fn add_to_memory(&mut self, base: Gpr, at: i32, x: Gpr) {
        self.plain(0x01, x, base, Some(at));
    }

    pub(super) fn copy(&mut self, to: Gpr, from: Gpr) {
        self.plain(0x89, from, to, None);
    }

    pub(super) fn compare(&mut self, a: Gpr, b: Gpr) {
        self.plain(0x39, b, a, None);
    }

    /// Emits an instruction with an immediate number.
    fn with_number(&mut self, which: u8, to: Gpr, number: i32) {
        self.byte(0x48 | to.0 >> 3);
        self.byte(0x81);
        self.byte(0b11 << 6 | which << 3 | to.0 & 7);
        self.dword(number as u32);
    }

    pub(super) fn add_number(&mut self, to: Gpr, number: i32) {
        self.with_number(0, to, number);
    }

    pub(super) fn and_number(&mut self, to: Gpr, number: i32) {
        self.with_number(4, to, number);
    }

    pub(super) fn clear(&mut self, to: Gpr) {
        self.plain(0x31, to, to, None);
    }

    pub(super) fn push(&mut self, x: Gpr) {
        self.bytes.extend([0x40 | x.0 >> 3, 0x50 | x.0 & 7]);
    }

    pub(super) fn pop(&mut self, x: Gpr) {
        self.bytes.extend([0x40 | x.0 >> 3, 0x58 | x.0 & 7]);
    }

    /// Emits the end of a function.
    pub(super) fn leave(&mut self) {
        // vzeroupper; ret
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub(super) fn here(&mut self, label: Label) {
        self.labels[label.0] = Some(self.bytes.len());
    }

    pub(super) fn jump(&mut self, when: Jump, to: Label) {
        let code = match when {
            Jump::Below => 0x82,
            Jump::AtLeast => 0x83,
            Jump::Zero => 0x84,
            Jump::NotZero => 0x85,
        };
        self.bytes.extend([0x0f, code]);
        self.jumps.push((self.bytes.len(), to));
        self.dword(0);
    }

    /// Returns the finished code: fills in displacements and appends the constants.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc);
        let numbers = self.bytes.len();
        let bytes = if self.isa.is_wide { 4 } else { self.isa.bytes() as usize };
        for &(at, end, n) in &self.const_refs {
            let distance = (numbers + bytes * n - end) as u32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        for &(at, label) in &self.jumps {
            let to = self.labels[label.0].expect("every label is set");
            let distance = (to as i64 - at as i64 - 4) as i32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        for number in &self.numbers {
            let lanes = (0..bytes as u32 / 4).map(|lane| match number {
                Rm::Const(bits) => *bits,
                _ => lane,
            });
            self.bytes.extend(lanes.flat_map(u32::to_le_bytes));
        }
        self.bytes
    }
}
