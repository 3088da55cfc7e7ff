//! Folders of images as a data set. Tested here because this crate enables the library's feature
//! `images`.
#[path = "../../brasa/tests/hostile/mutate.rs"]
mod mutate;
#[path = "../../cpu/tests/common/peak_alloc.rs"]
mod peak_alloc;

use brasa::data::{Dataset, ImageFolder, read_image};
use mutate::mutated;
use peak_alloc::peak;
use std::fs;
use std::path::Path;

/// A png of one white pixel.
const DOT: &[u8] = include_bytes!("dot.png");

#[test]
fn folders_are_classes_and_files_are_examples() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image-folder");
    let _ = fs::remove_dir_all(&folder);
    for (name, bytes) in [
        ("cats/1.png", DOT),
        ("cats/2.PNG", DOT),
        ("dogs/1.png", DOT),
        ("dogs/notes.txt", b"no image"),
        ("dogs/torn.png", b"no image"),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let images = ImageFolder::new(&folder, [2, 3], 3).unwrap();
    assert_eq!((images.classes(), images.len()), (&["cats", "dogs"].map(String::from)[..], 4));
    let batch = images.batch(&[2, 0]).unwrap();
    assert_eq!(batch[0].shape(), [2, 3, 2, 3]);
    assert_eq!(batch[0].to_vec::<u8>().unwrap(), [255; 36]);
    assert_eq!(batch[1].to_vec::<i64>().unwrap(), [1, 0]);

    let rows = [
        (images.batch(&[3]).err(), "torn.png"),
        (images.batch(&[9]).err(), "image 9 is out of range"),
        (ImageFolder::new(folder.join("cats"), [2, 2], 1).err(), "no subfolder contains images"),
        (ImageFolder::new(&folder, [2, 2], 2).err(), "expected 1 or 3 channels, got 2"),
        (ImageFolder::new(folder.join("nowhere"), [2, 2], 1).err(), "nowhere"),
    ];
    for (error, words) in rows {
        let error = error.expect(words).to_string();
        assert!(error.contains(words), "{words} in {error}");
    }
}

/// A png of 40 · 30 pixels.
const TILES: &[u8] = include_bytes!("tiles.png");
/// A grey jpg of 40 · 24 pixels.
const GREY: &[u8] = include_bytes!("tiles.jpg");

/// Recomputes the CRC of each png chunk, as an attacker would.
fn fix_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(len) = bytes.get(at..at + 4) {
        let len = u32::from_be_bytes([len[0], len[1], len[2], len[3]]) as usize;
        let Some(part) = (at + 8).checked_add(len).and_then(|end| bytes.get(at + 4..end)) else {
            return;
        };
        let sum = part.iter().fold(u32::MAX, |sum, &byte| {
            let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
            (0..8).fold(sum ^ u32::from(byte), step)
        });
        let end = at + 8 + len;
        let Some(place) = bytes.get_mut(end..end + 4) else { return };
        place.copy_from_slice(&(!sum).to_be_bytes());
        at = end + 4;
    }
}

/// Reads a thousand mutated files within a memory limit; returns how many were readable.
fn count_readable(path: &Path, files: &[&[u8]]) -> usize {
    for file in files {
        fs::write(path, file).unwrap();
        read_image(path, [28, 28], 3).unwrap();
    }
    let mut read = 0;
    for seed in 0..1000 {
        let mut bytes = mutated(files[seed as usize % files.len()], seed);
        if seed % 2 == 0 && path.extension().is_some_and(|ending| ending == "png") {
            fix_checksums(&mut bytes);
        }
        fs::write(path, &bytes).unwrap();
        let (result, most) = peak(|| read_image(path, [28, 28], 3));
        let limit = (4 << 20) + 4 * 1032 * bytes.len();
        assert!(most <= limit, "{seed}: {most} bytes for a file of {}", bytes.len());
        read += usize::from(result.is_ok());
    }
    read
}

#[test]
fn a_thousand_hostile_images_of_each_kind_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (path, jpg) = (folder.join("hostile.png"), folder.join("hostile.jpg"));
    for read in [count_readable(&path, &[DOT, TILES, TILES]), count_readable(&jpg, &[GREY])] {
        assert!((1..1000).contains(&read), "{read} of 1000 were read");
    }
    // A decompression bomb: nine billion pixels in two hundred bytes.
    let mut bomb = TILES.to_vec();
    bomb[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x5f, 0x90]);
    fix_checksums(&mut bomb);
    fs::write(&path, &bomb).unwrap();
    let error = read_image(&path, [28, 28], 3).unwrap_err().to_string();
    assert!(error.contains("do not fit into") || error.contains("limit"), "{error}");
    let error = read_image(&path, [1 << 40, 1 << 40], 3).unwrap_err().to_string();
    assert!(error.contains("elements are allowed"), "{error}");
}
