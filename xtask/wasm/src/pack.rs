//! Packs a module so that it is smaller after gzip: what the operands of its instructions are goes in
//! columns, a column for each kind, since numbers of locals are more like each other than like
//! constants. It stays a valid module, of a custom section alone. `packages/brasa/src/packed.ts` puts
//! it together again.

use std::fs;

use anyhow::{Context, Result, bail};

/// The name of the section.
const SECTION: &str = "packed";
const HEADER: [u8; 8] = *b"\0asm\x01\0\0\0";
const CODE: u8 = 10;

/// What stands before the code, after it, and in it, column by column.
#[derive(Default)]
struct Packed {
    columns: [Vec<u8>; COLUMNS],
}

const BEFORE: usize = 0;
const AFTER: usize = 1;
const OPCODES: usize = 2;
/// Kinds of numbers, in the order of their columns: numbers of locals, constants, wide constants, offsets,
/// alignments, functions, labels, types of blocks and globals, constants of 64 bits, declarations of
/// locals, all others.
const KINDS: &str = "lkwfacbtido";
const FIRST_KIND: usize = 3;
const COLUMNS: usize = FIRST_KIND + KINDS.len();

const CONSTANT: u8 = 0x41;
/// Stands for a constant that takes three bytes or more, most often an address. No instruction has it.
const WIDE_CONSTANT: u8 = 0x06;

pub(crate) fn pack(input: &str, output: &str) -> Result<()> {
    let wasm = fs::read(input).with_context(|| input.to_string())?;
    let columns = columns(&wasm).with_context(|| input.to_string())?;
    let mut payload = vec![SECTION.len() as u8];
    payload.extend(SECTION.as_bytes());
    for column in &columns {
        payload.extend((column.len() as u32).to_le_bytes());
    }
    columns.iter().for_each(|column| payload.extend(column));
    let mut packed = HEADER.to_vec();
    packed.push(0);
    put(&mut packed, payload.len());
    packed.extend(payload);
    fs::write(output, packed).with_context(|| output.to_string())
}

fn columns(wasm: &[u8]) -> Result<[Vec<u8>; COLUMNS]> {
    let mut from = Reader(wasm);
    let mut packed = Packed::default();
    packed.columns[BEFORE].extend(from.take(HEADER.len())?);
    let mut side = BEFORE;
    while !from.0.is_empty() {
        let start = from.0;
        let id = from.byte()?;
        let len = from.number()?;
        let body = from.take(len)?;
        if id == CODE {
            packed.functions(body)?;
            side = AFTER;
        } else {
            let taken = start.len() - from.0.len();
            packed.columns[side].extend(&start[..taken]);
        }
    }
    Ok(packed.columns)
}

impl Packed {
    fn functions(&mut self, section: &[u8]) -> Result<()> {
        let mut from = Reader(section);
        let count = from.number()?;
        put(&mut self.columns[column('o')], count);
        for _ in 0..count {
            let len = from.number()?;
            let mut body = Reader(from.take(len)?);
            self.function(&mut body)?;
            if !body.0.is_empty() {
                bail!("a function goes on after its end");
            }
        }
        Ok(())
    }

    fn function(&mut self, from: &mut Reader) -> Result<()> {
        let groups = from.number()?;
        put(&mut self.columns[column('d')], groups);
        for _ in 0..groups {
            // How many they are, and their type, which is a number of one byte.
            self.copy(from, "dd")?;
        }
        let mut depth = 1;
        while depth > 0 {
            let opcode = match from.byte()? {
                CONSTANT if from.clone().leb()?.len() > 2 => WIDE_CONSTANT,
                opcode => opcode,
            };
            self.columns[OPCODES].push(opcode);
            match opcode {
                0x02..=0x04 => depth += 1,
                0x0b => depth -= 1,
                _ => {}
            }
            let kinds = match opcode {
                0xfc => {
                    let second = from.byte()?;
                    self.columns[OPCODES].push(second);
                    operands_of_second(second)
                }
                _ => operands(opcode),
            };
            let kinds =
                kinds.with_context(|| format!("there is no rule for opcode {opcode:#x}"))?;
            self.copy(from, kinds)?;
        }
        Ok(())
    }

    /// Moves operands of these kinds to their columns.
    fn copy(&mut self, from: &mut Reader, kinds: &str) -> Result<()> {
        for kind in kinds.chars() {
            let taken = match kind {
                '4' | '8' => from.take(kind as usize - '0' as usize)?,
                // Labels, and the one that is meant else.
                'T' => {
                    let count = from.number()?;
                    put(&mut self.columns[column('o')], count);
                    self.copy(from, &"o".repeat(count + 1))?;
                    continue;
                }
                _ => from.leb()?,
            };
            self.columns[column(kind)].extend(taken);
        }
        Ok(())
    }
}

/// The column of a kind. Bytes go to that of all others.
fn column(kind: char) -> usize {
    FIRST_KIND + KINDS.find(kind).unwrap_or(KINDS.len() - 1)
}

/// The kinds of an instruction's operands.
fn operands(opcode: u8) -> Option<&'static str> {
    Some(match opcode {
        0x02..=0x04 | 0x23 | 0x24 => "t",
        0x0c | 0x0d => "b",
        0x0e => "T",
        0x10 => "c",
        0x11 => "oo",
        0x20..=0x22 => "l",
        0x3f | 0x40 => "o",
        0x42 => "i",
        0x28..=0x3e => "af",
        CONSTANT => "k",
        WIDE_CONSTANT => "w",
        0x43 => "4",
        0x44 => "8",
        0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 => "",
        _ => return None,
    })
}

fn operands_of_second(second: u8) -> Option<&'static str> {
    Some(match second {
        0..=7 => "",
        10 => "oo",
        11 => "o",
        _ => return None,
    })
}

#[derive(Clone)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len).context("the module ends too soon")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number of seven bits a byte, as it stands.
    fn leb(&mut self) -> Result<&'a [u8]> {
        let last = self.0.iter().position(|byte| byte & 0x80 == 0);
        self.take(last.context("the module ends too soon")? + 1)
    }

    fn number(&mut self) -> Result<usize> {
        let bytes = self.leb()?;
        Ok(bytes.iter().rev().fold(0, |all, byte| all << 7 | usize::from(byte & 0x7f)))
    }
}

fn put(to: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header, and a code section with this one function, which has no locals of its own.
    fn module(instructions: &[u8]) -> Vec<u8> {
        let mut body = vec![0];
        body.extend(instructions);
        let mut section = vec![1];
        put(&mut section, body.len());
        section.extend(body);
        let mut wasm = HEADER.to_vec();
        wasm.push(CODE);
        put(&mut wasm, section.len());
        wasm.extend(section);
        // A section behind it: no data.
        wasm.extend([11, 1, 0]);
        wasm
    }

    #[test]
    fn operands_go_to_columns_of_their_kinds() -> Result<()> {
        let code = [
            [0x02, 0x40, 0x20, 0x05].as_slice(),
            &[0x41, 0x81, 0x01, 0x41, 0x80, 0x80, 0x04, 0x28, 0x02, 0x10],
            &[0x0e, 0x01, 0x00, 0x00, 0x10, 0x07, 0x43, 1, 2, 3, 4],
            &[0xfc, 10, 0, 0, 0x0b, 0x0b],
        ];
        let columns = columns(&module(&code.concat()))?;
        assert_eq!(columns[BEFORE], HEADER);
        assert_eq!(columns[AFTER], [11, 1, 0]);
        let opcodes = [0x02, 0x20, 0x41, 0x06, 0x28, 0x0e, 0x10, 0x43, 0xfc, 10, 0x0b, 0x0b];
        assert_eq!(columns[OPCODES], opcodes);
        let of = |kind| columns[column(kind)].as_slice();
        assert_eq!(
            (of('l'), of('k'), of('w')),
            ([5].as_slice(), &[0x81, 1][..], &[0x80, 0x80, 4][..])
        );
        assert_eq!((of('f'), of('a'), of('c')), ([0x10].as_slice(), &[2][..], &[7][..]));
        assert_eq!((of('t'), of('d'), of('b')), ([0x40].as_slice(), &[0][..], &[][..]));
        assert_eq!(of('o'), [1, 1, 0, 0, 1, 2, 3, 4, 0, 0]);
        Ok(())
    }

    #[test]
    fn what_has_no_rule_is_refused() {
        for code in [[0x1c, 0x0b].as_slice(), &[0xfc, 8, 0x0b], &[0x41], &[0x0b, 0x0b]] {
            assert!(columns(&module(code)).is_err(), "{code:?}");
        }
    }
}
