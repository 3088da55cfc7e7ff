//! Mutations of a file: flipped bits, truncation, extreme sizes, and sections that are duplicated
//! or overwritten. The same seed makes the same mutation.
use brasa::data::Rng;

const EXTREMES: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    1 << 40,
    1 << 62,
    1 << 63,
    u64::MAX,
];

/// A mutated copy of a file.
pub fn mutated(file: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = Rng::fork(seed, file.len() as u64);
    let mut bytes = file.to_vec();
    for _ in 0..1 + rng.below(3) {
        match rng.below(6) {
            0 => flip(&mut bytes, &mut rng),
            1 => bytes.truncate(rng.below(bytes.len() + 1)),
            2 => set_size(&mut bytes, &mut rng),
            3 => set_digits(&mut bytes, &mut rng),
            4 => double(&mut bytes, &mut rng),
            _ => overlay(&mut bytes, &mut rng),
        }
    }
    if bytes == file {
        flip(&mut bytes, &mut rng);
    }
    bytes
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..1 + rng.below(8) {
        if let Some(byte) = bytes.get_mut(rng.below(bytes.len())) {
            *byte ^= 1 << rng.below(8);
        }
    }
}

/// Writes an extreme number at a random position, as 2, 4 or 8 bytes in either byte order.
fn set_size(bytes: &mut [u8], rng: &mut Rng) {
    let number = *rng.choose(&EXTREMES);
    let width = *rng.choose(&[2, 4, 8]);
    let mut field = number.to_le_bytes()[..width].to_vec();
    if rng.below(2) == 0 {
        field.reverse();
    }
    let at = rng.below(bytes.len());
    bytes[at..].iter_mut().zip(field).for_each(|(byte, new)| *byte = new);
}

/// Replaces a decimal number, if there is one.
fn set_digits(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let is_start =
        |n: &usize| bytes[*n].is_ascii_digit() && (*n == 0 || !bytes[*n - 1].is_ascii_digit());
    let starts: Vec<usize> = (0..bytes.len()).filter(is_start).collect();
    let Some(&start) = starts.get(rng.below(starts.len())) else { return };
    let len = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = rng.choose(&EXTREMES).to_string();
    bytes.splice(start..start + len, number.bytes());
}

fn section(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let start = rng.below(bytes.len());
    bytes[start..start + rng.below(bytes.len() - start + 1)].to_vec()
}

/// Duplicates a section.
fn double(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let (copy, at) = (section(bytes, rng), rng.below(bytes.len() + 1));
    bytes.splice(at..at, copy);
}

/// Overwrites one section with another.
fn overlay(bytes: &mut [u8], rng: &mut Rng) {
    let (copy, at) = (section(bytes, rng), rng.below(bytes.len() + 1));
    bytes[at..].iter_mut().zip(copy).for_each(|(byte, new)| *byte = new);
}
