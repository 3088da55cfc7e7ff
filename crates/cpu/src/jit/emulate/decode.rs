//! Instruction decoder, written from the manuals of x86-64, AVX2 and AVX-512. Shares nothing with
//! the assembler, so that it detects mistakes there. Panics on unknown bytes.
use super::lanes;

/// An instruction; registers are numbers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Instruction {
    Load {
        to: u8,
        base: u8,
        at: i32,
    },
    AddToMemory {
        base: u8,
        at: i32,
        from: u8,
    },
    Copy {
        to: u8,
        from: u8,
    },
    Compare {
        a: u8,
        b: u8,
    },
    Xor {
        to: u8,
        from: u8,
    },
    Add {
        to: u8,
        number: i32,
    },
    And {
        to: u8,
        number: i32,
    },
    Push(u8),
    Pop(u8),
    /// Jumps to instruction `to` if the condition of this opcode holds.
    Jump {
        when: u8,
        to: usize,
    },
    /// The bits of a register below a bit index.
    LowBits {
        to: u8,
        from: u8,
        count: u8,
    },
    /// A general register to the first lane; clears the others.
    MoveWord {
        to: u8,
        from: u8,
    },
    MaskFromRegister {
        to: u8,
        from: u8,
    },
    LoadMask {
        to: u8,
        from: Address,
    },
    StoreMask {
        to: Address,
        from: u8,
    },
    Vector(Vector),
    ZeroUpper,
    Return,
}

/// An instruction on the lanes of vectors.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Vector {
    pub(in super::super) op: LaneOp,
    pub(super) to: u8,
    pub(super) first: u8,
    pub(in super::super) last: Last,
    pub(super) immediate: u8,
    /// The mask of lanes that are written, `None` for all; the others are cleared or kept.
    pub(super) mask: Option<u8>,
    pub(super) is_zeroing: bool,
    pub(super) lanes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Last {
    Register(u8),
    Lanes(Address),
    /// One number, broadcast to all lanes.
    Broadcast(Address),
}

/// `base + index · scale + at`; without a base relative to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Address {
    pub(in super::super) base: Option<u8>,
    pub(super) index: Option<(u8, u8)>,
    pub(super) at: i64,
}

/// The operation of a vector instruction.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum LaneOp {
    Load,
    Store,
    Stream,
    /// Only the lanes that the sign bits of the first operand select.
    LoadSome,
    StoreSome,
    Spread,
    Unary(fn(u32) -> u32),
    /// Also takes the immediate.
    UnaryImmediate(fn(u32, u8) -> u32),
    Binary(fn(u32, u32) -> u32),
    /// Takes the destination, the first and the last operand.
    Ternary(fn(u32, u32, u32) -> u32),
    Compare(fn(u32, u32, u8) -> bool),
    /// The immediate names the mask register.
    Blend,
    BlendMasked,
}

/// Decodes the function at `entry` up to its first return.
pub(in super::super) fn decode(code: &[u8], entry: usize) -> Vec<Instruction> {
    let mut reader = Reader { code, at: entry };
    let (mut steps, mut starts) = (Vec::new(), Vec::new());
    while !matches!(steps.last(), Some(Instruction::Return)) {
        starts.push(reader.at);
        steps.push(reader.step());
    }
    for step in &mut steps {
        if let Instruction::Jump { to, .. } = step {
            *to = starts.binary_search(to).expect("jump targets are instructions");
        }
    }
    steps
}

struct Reader<'a> {
    code: &'a [u8],
    at: usize,
}

/// The decoded prefix of an instruction on vectors or masks, with upper bits of registers in
/// place.
#[derive(Debug)]
struct Prefix {
    is_evex: bool,
    map: u8,
    prefix: u8,
    is_long: bool,
    reg: u8,
    base: u8,
    index: u8,
    first: u8,
    mask: u8,
    is_zeroing: bool,
    is_broadcast: bool,
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let byte = self.code[self.at];
        self.at += 1;
        byte
    }

    fn dword(&mut self) -> i32 {
        i32::from_le_bytes([(); 4].map(|()| self.byte()))
    }

    #[track_caller]
    fn check(&self, holds: bool, what: &str) {
        assert!(holds, "{what}, before byte {} of {:02x?}", self.at, self.code);
    }

    fn step(&mut self) -> Instruction {
        match self.byte() {
            rex @ 0x40..=0x4f => self.plain(rex),
            0x0f => {
                let when = self.byte();
                self.check((0x82..=0x85).contains(&when), "unknown jump");
                let distance = self.dword();
                Instruction::Jump { when, to: self.at.wrapping_add_signed(distance as isize) }
            }
            0xc5 => {
                let is_it = [self.byte(), self.byte()] == [0xf8, 0x77];
                self.check(is_it, "unknown two-byte VEX prefix");
                Instruction::ZeroUpper
            }
            0xc3 => Instruction::Return,
            0xc4 => {
                let prefix = self.vex();
                self.vector(prefix)
            }
            0x62 => {
                let prefix = self.evex();
                self.vector(prefix)
            }
            other => panic!("unknown byte {other:#04x} at {} of {:02x?}", self.at - 1, self.code),
        }
    }

    /// Decodes an instruction on general registers.
    fn plain(&mut self, rex: u8) -> Instruction {
        let (r, b) = ((rex >> 2 & 1) << 3, (rex & 1) << 3);
        self.check(rex & 2 == 0, "unexpected index register");
        let code = self.byte();
        if let 0x50..=0x5f = code {
            self.check(rex & 0b1100 == 0, "push and pop take one register");
            let x = code & 7 | b;
            return if code < 0x58 { Instruction::Push(x) } else { Instruction::Pop(x) };
        }
        self.check(rex & 8 != 0, "unexpected 32-bit instruction");
        let modrm = self.byte();
        let (reg, rm) = (modrm >> 3 & 7 | r, modrm & 7 | b);
        if let 0x8b | 0x01 = code {
            let is_near = modrm >> 6 == 0b10 && modrm & 7 != 0b100;
            self.check(is_near, "unknown address form");
            let at = self.dword();
            return match code {
                0x8b => Instruction::Load { to: reg, base: rm, at },
                _ => Instruction::AddToMemory { base: rm, at, from: reg },
            };
        }
        self.check(modrm >> 6 == 0b11, "unexpected memory operand");
        match (code, reg) {
            (0x89, _) => Instruction::Copy { to: rm, from: reg },
            (0x39, _) => Instruction::Compare { a: rm, b: reg },
            (0x31, _) => Instruction::Xor { to: rm, from: reg },
            (0x81, 0) => Instruction::Add { to: rm, number: self.dword() },
            (0x81, 4) => Instruction::And { to: rm, number: self.dword() },
            _ => panic!("unknown byte {code:#04x} at {} of {:02x?}", self.at, self.code),
        }
    }

    fn vex(&mut self) -> Prefix {
        let [a, b] = [self.byte(), self.byte()];
        self.check(b >> 7 == 0, "unexpected 64-bit element size");
        Prefix {
            is_evex: false,
            map: a & 31,
            prefix: b & 3,
            is_long: b >> 2 & 1 == 1,
            reg: (!a >> 7 & 1) << 3,
            index: (!a >> 6 & 1) << 3,
            base: (!a >> 5 & 1) << 3,
            first: !b >> 3 & 15,
            mask: 0,
            is_zeroing: false,
            is_broadcast: false,
        }
    }

    fn evex(&mut self) -> Prefix {
        let [a, b, c] = [self.byte(), self.byte(), self.byte()];
        self.check(a & 8 == 0 && b & 4 != 0, "not an EVEX prefix");
        self.check(b >> 7 == 0, "unexpected 64-bit element size");
        self.check(c >> 5 & 3 == 0b10, "unexpected vector length");
        Prefix {
            is_evex: true,
            map: a & 7,
            prefix: b & 3,
            is_long: true,
            reg: (!a >> 7 & 1) << 3 | (!a >> 4 & 1) << 4,
            index: (!a >> 6 & 1) << 3,
            base: (!a >> 5 & 1) << 3,
            first: !b >> 3 & 15 | (!c >> 3 & 1) << 4,
            mask: c & 7,
            is_zeroing: c >> 7 == 1,
            is_broadcast: c >> 4 & 1 == 1,
        }
    }

    /// Decodes an instruction after its VEX or EVEX prefix.
    fn vector(&mut self, prefix: Prefix) -> Instruction {
        let Prefix { is_evex, map, first, .. } = prefix;
        let code = self.byte();
        let modrm = self.byte();
        let reg = modrm >> 3 & 7 | prefix.reg;
        let mut last = self.last(&prefix, modrm);
        let has_immediate = map == 3 || (map == 1 && matches!(code, 0xc2 | 0x72));
        let immediate = if has_immediate { self.byte() } else { 0 };
        // Code-relative addresses count from the end of the instruction.
        if let Last::Lanes(Address { base: None, at, .. })
        | Last::Broadcast(Address { base: None, at, .. }) = &mut last
        {
            *at += self.at as i64;
        }
        if !is_evex && !prefix.is_long {
            return self.short(&prefix, code, reg, last);
        }
        let name = (is_evex, map, prefix.prefix, code);
        let is_shift = (map, prefix.prefix, code) == (1, 1, 0x72);
        let op = match is_shift {
            true => LaneOp::UnaryImmediate(lanes::shift(reg)),
            false => lanes::named(name, immediate),
        };
        let has_first = matches!(
            op,
            LaneOp::Binary(_)
                | LaneOp::Ternary(_)
                | LaneOp::Compare(_)
                | LaneOp::Blend
                | LaneOp::BlendMasked
                | LaneOp::LoadSome
                | LaneOp::StoreSome
        );
        self.check(
            has_first || is_shift || first == 0,
            "an operand field that is not used must be zero",
        );
        let is_move = matches!(op, LaneOp::Load | LaneOp::Store | LaneOp::Stream | LaneOp::Spread)
            || is_shift;
        self.check(!(prefix.is_broadcast && is_move), "moves must not set the broadcast bit");
        self.check(!prefix.is_zeroing || prefix.mask > 0, "zeroing needs a mask");
        let is_compare = is_evex && matches!(op, LaneOp::Compare(_));
        self.check(
            !is_compare || (prefix.reg == 0 && !prefix.is_zeroing),
            "a comparison must write a mask register",
        );
        let mask = (prefix.mask > 0).then_some(prefix.mask);
        let (is_zeroing, lanes) = (prefix.is_zeroing, if is_evex { 16 } else { 8 });
        let (to, first) = if is_shift { (first, 0) } else { (reg, first) };
        Instruction::Vector(Vector { op, to, first, last, immediate, mask, is_zeroing, lanes })
    }

    /// Decodes instructions on masks and on single numbers.
    fn short(&self, prefix: &Prefix, code: u8, reg: u8, last: Last) -> Instruction {
        let Prefix { map, prefix, first, .. } = *prefix;
        self.check(first == 0 || code == 0xf5, "an operand field that is not used must be zero");
        match (map, prefix, code, last) {
            (1, 0, 0x90, Last::Lanes(from)) => Instruction::LoadMask { to: reg, from },
            (1, 0, 0x91, Last::Lanes(to)) => Instruction::StoreMask { to, from: reg },
            (1, 0, 0x92, Last::Register(from)) => Instruction::MaskFromRegister { to: reg, from },
            (1, 1, 0x6e, Last::Register(from)) => Instruction::MoveWord { to: reg, from },
            (2, 0, 0xf5, Last::Register(from)) => {
                Instruction::LowBits { to: reg, from, count: first }
            }
            _ => panic!("unknown byte {code:#04x} at {} of {:02x?}", self.at, self.code),
        }
    }

    /// Decodes the last operand: a register or memory.
    fn last(&mut self, prefix: &Prefix, modrm: u8) -> Last {
        let (mode, rm) = (modrm >> 6, modrm & 7);
        if mode == 0b11 {
            self.check(!prefix.is_broadcast, "unexpected rounding mode");
            let high = if prefix.is_evex { prefix.index << 1 } else { 0 };
            return Last::Register(rm | prefix.base | high);
        }
        let (mut base, mut index) = (Some(rm | prefix.base), None);
        if rm == 0b100 {
            let sib = self.byte();
            base = Some(sib & 7 | prefix.base);
            self.check(mode > 0 || sib & 7 != 0b101, "unexpected address without a base");
            let number = sib >> 3 & 7 | prefix.index;
            index = (number != 0b100).then_some((number, sib >> 6));
        } else if (mode, rm) == (0, 0b101) {
            base = None;
        }
        let at = match mode {
            0 if base.is_none() => self.dword(),
            0 => 0,
            1 => {
                // AVX-512 scales a short displacement, so only zero is supported.
                let at = self.byte();
                self.check(at == 0, "unexpected short displacement");
                0
            }
            _ => self.dword(),
        };
        let address = Address { base, index, at: i64::from(at) };
        if prefix.is_broadcast { Last::Broadcast(address) } else { Last::Lanes(address) }
    }
}
