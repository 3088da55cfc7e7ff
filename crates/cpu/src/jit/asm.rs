//! The instructions of AVX2 and the few others that loops are made of, as bytes.

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
    /// A vector behind the code.
    Number([u32; 8]),
    /// A general register.
    Gpr(Gpr),
}

impl Rm {
    /// One number for all lanes.
    pub(super) fn number(bits: u32) -> Rm {
        Rm::Number([bits; 8])
    }
}

/// How an instruction is spelt: the table of opcodes, a prefix, the opcode, and whether it is one of
/// 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Opcode {
    map: u8,
    prefix: u8,
    code: u8,
    is_short: bool,
}

const fn opcode(map: u8, prefix: u8, code: u8) -> Opcode {
    Opcode { map, prefix, code, is_short: false }
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
pub(super) const MOVE_WORD: Opcode = Opcode { is_short: true, ..opcode(X0F, X66, 0x6e) };

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
    NotZero,
}

/// A place that jumps lead to.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

/// Code in the making.
#[derive(Default)]
pub(super) struct Asm {
    pub(super) bytes: Vec<u8>,
    numbers: Vec<[u32; 8]>,
    /// Where a number's distance stands, the end of its instruction, and the number.
    wanted: Vec<(usize, usize, usize)>,
    labels: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
}

impl Asm {
    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn dword(&mut self, dword: u32) {
        self.bytes.extend(dword.to_le_bytes());
    }

    /// An instruction on vectors.
    pub(super) fn vector(&mut self, op: Opcode, to: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        let number = match rm {
            Rm::Vector(n) | Rm::Gpr(Gpr(n)) | Rm::Lanes(Gpr(n)) | Rm::At(Gpr(n), _) => n,
            Rm::Number(_) => 0,
        };
        // The fourth bits of registers are inverted; that of the index is always clear.
        self.byte(0xc4);
        self.byte((!to >> 3 & 1) << 7 | 1 << 6 | (!number >> 3 & 1) << 5 | op.map);
        self.byte((!first & 15) << 3 | u8::from(!op.is_short) << 2 | op.prefix);
        self.byte(op.code);
        let (reg, low) = ((to & 7) << 3, number & 7);
        match rm {
            Rm::Vector(_) | Rm::Gpr(_) => self.byte(0b11 << 6 | reg | low),
            Rm::Lanes(_) => {
                // rbp and r13 need a distance.
                let is_odd = low == 5;
                self.byte(u8::from(is_odd) << 6 | reg | 0b100);
                self.byte(0b10 << 6 | RAX.0 << 3 | low);
                if is_odd {
                    self.byte(0);
                }
            }
            Rm::At(_, distance) => {
                self.byte(0b10 << 6 | reg | low);
                if low == RSP.0 {
                    self.byte(0b100 << 3 | RSP.0);
                }
                self.dword(distance as u32);
            }
            Rm::Number(number) => {
                self.byte(reg | 0b101);
                let n = self.number(number);
                let end = self.bytes.len() + 4 + usize::from(immediate.is_some());
                self.wanted.push((self.bytes.len(), end, n));
                self.dword(0);
            }
        }
        if let Some(immediate) = immediate {
            self.byte(immediate);
        }
    }

    fn number(&mut self, number: [u32; 8]) -> usize {
        self.numbers.iter().position(|&n| n == number).unwrap_or_else(|| {
            self.numbers.push(number);
            self.numbers.len() - 1
        })
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
        for &(at, end, n) in &self.wanted {
            let distance = (numbers + 32 * n - end) as u32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        for &(at, label) in &self.jumps {
            let to = self.labels[label.0].expect("every label is set");
            let distance = (to as i64 - at as i64 - 4) as i32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.bytes.extend(self.numbers.iter().flatten().flat_map(|n| n.to_le_bytes()));
        self.bytes
    }
}
