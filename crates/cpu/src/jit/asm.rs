//! The instructions of AVX2 and AVX-512 and the few others that loops are made of, as bytes. Both sets
//! share their opcodes; what differs is the prefix, and what it can say.
use crate::level::Level;

/// The registers of a level. Those of masks follow the 32 of vectors; before AVX-512 masks are vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) is_wide: bool,
    /// Lanes of a vector.
    pub(super) lanes: i32,
    /// The registers that values can have, a bit for each.
    pub(super) vectors: u64,
    pub(super) masks: u64,
    /// The register that has the mask of the lanes that do not fill a vector.
    pub(super) rest: u8,
}

const AVX2: Machine =
    Machine { is_wide: false, lanes: 8, vectors: 0x7fff, masks: 0x7fff, rest: 15 };
/// The first mask stands for all lanes.
const AVX512: Machine =
    Machine { is_wide: true, lanes: 16, vectors: 0xffff_ffff, masks: 0x7e << 32, rest: 32 + 7 };

impl Machine {
    pub(super) fn of(level: Level) -> Machine {
        if level == Level::Avx512 { AVX512 } else { AVX2 }
    }

    /// Bytes of a vector.
    pub(super) fn bytes(self) -> i32 {
        4 * self.lanes
    }
}

pub(super) fn is_mask(register: u8) -> bool {
    register >= 32
}

/// A general register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gpr(pub(super) u8);

pub(super) const RAX: Gpr = Gpr(0);
pub(super) const RCX: Gpr = Gpr(1);
pub(super) const RDX: Gpr = Gpr(2);
pub(super) const RSP: Gpr = Gpr(4);
pub(super) const RSI: Gpr = Gpr(6);
pub(super) const RDI: Gpr = Gpr(7);
pub(super) const R11: Gpr = Gpr(11);

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rm {
    Vector(u8),
    /// Elements from `base + 4 · rax` on.
    Lanes(Gpr),
    /// At `base + distance`.
    At(Gpr, i32),
    /// The one number at `base`, which AVX-512 can have for all lanes.
    One(Gpr),
    /// A number behind the code for all lanes: a vector there, or with AVX-512 just itself.
    Number(u32),
    /// The numbers of the lanes, a vector behind the code.
    Count,
    /// A general register.
    Gpr(Gpr),
}

/// How an instruction is spelt: the table of opcodes, a prefix, the opcode, and whether it is one of
/// at most 128 bits, which AVX-512 has no other form of.
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

/// Prefixes.
const NONE: u8 = 0;
const X66: u8 = 1;
/// Tables of opcodes.
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
/// The first operand is the result, and what stands for it tells the direction.
pub(super) const SHIFT: Opcode = opcode(X0F, X66, 0x72);
pub(super) const COMPARE: Opcode = opcode(X0F, NONE, 0xc2);
/// The mask is the upper half of the immediate.
pub(super) const BLEND: Opcode = opcode(X0F3A, X66, 0x4a);
pub(super) const LOAD: Opcode = opcode(X0F, NONE, 0x10);
pub(super) const STORE: Opcode = opcode(X0F, NONE, 0x11);
/// Around the caches.
pub(super) const STREAM: Opcode = opcode(X0F, NONE, 0x2b);
/// Lanes of a mask, the first operand.
pub(super) const LOAD_SOME: Opcode = opcode(X0F38, X66, 0x2c);
pub(super) const STORE_SOME: Opcode = opcode(X0F38, X66, 0x2e);
/// One number in memory, or the first of a vector, for all lanes.
pub(super) const SPREAD: Opcode = opcode(X0F38, X66, 0x18);
/// A general register to the first lane.
pub(super) const MOVE_WORD: Opcode = short(X0F, X66, 0x6e);

// Those that only AVX-512 has.
pub(super) const COMPARE_INT: Opcode = opcode(X0F3A, X66, 0x1f);
/// The last operand where the mask is set that the instruction is under.
pub(super) const BLEND_MASKED: Opcode = opcode(X0F38, X66, 0x65);
/// To 14 bits.
pub(super) const RECIPROCAL: Opcode = opcode(X0F38, X66, 0x4c);
pub(super) const EXPONENT: Opcode = opcode(X0F38, X66, 0x42);
pub(super) const MANTISSA: Opcode = opcode(X0F3A, X66, 0x26);
/// `a · 2ⁿ`.
pub(super) const SCALE: Opcode = opcode(X0F38, X66, 0x2c);
/// Masks from and to memory, and from a general register.
pub(super) const LOAD_MASK: Opcode = short(X0F, NONE, 0x90);
pub(super) const STORE_MASK: Opcode = short(X0F, NONE, 0x91);
pub(super) const MOVE_MASK: Opcode = short(X0F, NONE, 0x92);
/// The bits of a general register below a count, which is the first operand.
pub(super) const LOW_BITS: Opcode = short(X0F38, NONE, 0xf5);

/// Which lanes an instruction of AVX-512 writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Under {
    All,
    /// Those of a mask; the others stay as they are.
    Mask(u8),
    /// Those of a mask; the others become zero.
    MaskOrZero(u8),
}

/// A fused product: the destination is overwritten, and the digits tell which operands are multiplied.
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

/// A place that jumps lead to.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

/// Code in the making.
pub(super) struct Asm {
    pub(super) machine: Machine,
    pub(super) bytes: Vec<u8>,
    /// How many bytes further on elements are read and written.
    pub(super) ahead: i32,
    /// What stands behind the code.
    numbers: Vec<Rm>,
    /// Where a number's distance stands, the end of its instruction, and the number.
    wanted: Vec<(usize, usize, usize)>,
    labels: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
}

impl Asm {
    pub(super) fn new(machine: Machine) -> Asm {
        let (bytes, numbers, wanted) = (Vec::new(), Vec::new(), Vec::new());
        let (labels, jumps) = (Vec::new(), Vec::new());
        Asm { machine, bytes, ahead: 0, numbers, wanted, labels, jumps }
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn dword(&mut self, dword: u32) {
        self.bytes.extend(dword.to_le_bytes());
    }

    /// An instruction on vectors.
    pub(super) fn vector(&mut self, op: Opcode, to: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        self.under(Under::All, op, to, first, rm, immediate);
    }

    /// An instruction on some lanes of vectors.
    pub(super) fn under(
        &mut self,
        under: Under,
        op: Opcode,
        to: u8,
        first: u8,
        rm: Rm,
        immediate: Option<u8>,
    ) {
        let number = match rm {
            Rm::Vector(n)
            | Rm::Gpr(Gpr(n))
            | Rm::Lanes(Gpr(n))
            | Rm::At(Gpr(n), _)
            | Rm::One(Gpr(n)) => n,
            Rm::Number(_) | Rm::Count => 0,
        };
        // The upper bits of registers are inverted; that of the index is always clear.
        let bit = |n: u8, at: u8| !n >> at & 1;
        match self.machine.is_wide && !op.is_short {
            true => {
                let (mask, zero) = match under {
                    Under::All => (0, 0),
                    Under::Mask(mask) => (mask & 7, 0),
                    Under::MaskOrZero(mask) => (mask & 7, 1),
                };
                // One number for all lanes; the instruction that does nothing else has no other form.
                let is_one = matches!(rm, Rm::One(_) | Rm::Number(_)) && op != SPREAD;
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
        self.byte(op.code);
        let (reg, low) = ((to & 7) << 3, number & 7);
        match rm {
            Rm::Vector(_) | Rm::Gpr(_) => self.byte(0b11 << 6 | reg | low),
            Rm::Lanes(_) => {
                // rbp and r13 need a distance.
                let mode = match (self.ahead, low) {
                    (0, 5) => 0b01,
                    (0, _) => 0b00,
                    _ => 0b10,
                };
                self.byte(mode << 6 | reg | 0b100);
                self.byte(0b10 << 6 | RAX.0 << 3 | low);
                match mode {
                    0b01 => self.byte(0),
                    0b10 => self.dword(self.ahead as u32),
                    _ => {}
                }
            }
            Rm::At(..) | Rm::One(_) => {
                self.byte(0b10 << 6 | reg | low);
                if low == RSP.0 {
                    self.byte(0b100 << 3 | RSP.0);
                }
                let distance = if let Rm::At(_, distance) = rm { distance } else { 0 };
                self.dword(distance as u32);
            }
            Rm::Number(_) | Rm::Count => {
                self.byte(reg | 0b101);
                let n = self.number(rm);
                let end = self.bytes.len() + 4 + usize::from(immediate.is_some());
                self.wanted.push((self.bytes.len(), end, n));
                self.dword(0);
            }
        }
        if let Some(immediate) = immediate {
            self.byte(immediate);
        }
    }

    fn number(&mut self, number: Rm) -> usize {
        self.numbers.iter().position(|&n| n == number).unwrap_or_else(|| {
            self.numbers.push(number);
            self.numbers.len() - 1
        })
    }

    /// Brings a value from a register or from memory.
    pub(super) fn bring(&mut self, under: Under, to: u8, from: Rm) {
        let is_one = match from {
            Rm::One(_) => true,
            Rm::Number(_) => self.machine.is_wide,
            _ => false,
        };
        self.under(under, if is_one { SPREAD } else { LOAD }, to, 0, from, None);
    }

    /// An instruction on 64 bits with a register and another or memory at `base + at`.
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

    /// Adds, subtracts, or ands a number.
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

    /// The end of a function.
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

    /// The finished code: distances are filled in, numbers stand at the end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc);
        let numbers = self.bytes.len();
        let bytes = if self.machine.is_wide { 4 } else { self.machine.bytes() as usize };
        for &(at, end, n) in &self.wanted {
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
                Rm::Number(bits) => *bits,
                _ => lane,
            });
            self.bytes.extend(lanes.flat_map(u32::to_le_bytes));
        }
        self.bytes
    }
}
