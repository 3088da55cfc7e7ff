//! Files of people with bad intentions: each reader gets a thousand of each kind, made of valid files by
//! changes that are the same in every run. They may be read or refused, but nothing panics, and no
//! reader takes more memory than the file can account for.
mod mutate;
#[path = "../../../cpu/tests/common/watch.rs"]
mod watch;

use brasa::data::{
    Cifar, DataLoader, TextWindows, Vocabulary, from_cifar, from_csv, from_idx, spiral,
};
use brasa::io::{
    Checkpoint, Checkpoints, Safetensors, checksum, from_npy, from_npz, to_npy, to_npz,
};
use brasa::nn::{Linear, Module, StateDict};
use brasa::optim::AdamW;
use brasa::train::{Event, EventLog, Trainer, read_events};
use brasa::{DType, Tensor, ops};
use brasa_compile::Program;
use brasa_compile::bytes::graph_from_bytes;
use brasa_ir::graph::Fingerprint;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use mutate::mutated;
use std::fs;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};
use watch::peak;

const COUNT: u64 = 1000;
/// What a reader may take beside that for the file: tables, messages, decoders.
const BASE: usize = 1 << 20;
/// What one byte of a file may cost: a line of a table becomes strings, a header a tree.
const PER_BYTE: usize = 100;
/// Deflate repeats up to 1032 times; the content is held packed out, as elements and as a tensor.
const PER_PACKED_BYTE: usize = 4 * 1032;

/// Lets a reader look at a thousand changed files, and gives how many of them it has taken for good.
fn hold<T>(
    kind: &str,
    files: &[Vec<u8>],
    per_byte: usize,
    read: impl Fn(&[u8]) -> brasa::Result<T>,
) -> usize {
    let mut read_well = 0;
    for file in files {
        read(file).unwrap_or_else(|error| panic!("{kind}: the file itself is refused: {error}"));
    }
    for seed in 0..COUNT {
        let bytes = mutated(&files[seed as usize % files.len()], seed);
        let (result, most) = peak(|| read(&bytes).map(drop));
        read_well += usize::from(result.is_ok());
        let limit = BASE + per_byte * bytes.len();
        assert!(most <= limit, "{kind} {seed}: {most} bytes for a file of {}", bytes.len());
    }
    assert!(read_well < COUNT as usize, "{kind}: nothing was refused");
    read_well
}

fn samples() -> StateDict {
    let x = Tensor::new([[1.5, -2.0, 0.0], [3.0, 100.0, -0.25]]);
    let of = |dtype: DType| (dtype.to_string(), x.to(dtype));
    [DType::F32, DType::F64, DType::I64, DType::U8, DType::Bool].map(of).into()
}

/// An array of `len` zeros as NumPy would write it.
fn zeros(len: usize) -> Vec<u8> {
    to_npy(&Tensor::zeros([len]).to(DType::U8)).expect("it is written")
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).expect("it is packed");
    packer.finish().expect("it is packed")
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).expect("it is packed");
    packer.finish().expect("it is packed")
}

/// Something packed, and what it was.
struct Packed {
    bytes: Vec<u8>,
    len: u32,
    crc: u32,
}

impl Packed {
    fn new(plain: &[u8]) -> Packed {
        let mut crc = flate2::Crc::new();
        crc.update(plain);
        Packed { bytes: deflated(plain), len: plain.len() as u32, crc: crc.sum() }
    }
}

/// An archive in which all these names are those of one packed array.
fn archive(names: &[String], packed: &Packed) -> Vec<u8> {
    let fields = |name: &str| {
        let mut fields = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
        for number in [packed.crc, packed.bytes.len() as u32, packed.len] {
            fields.extend(number.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);
        fields
    };
    let first = names[0].as_str();
    let content = [&b"PK\x03\x04"[..], &fields(first), first.as_bytes(), &packed.bytes].concat();
    let entry = |name: &String| {
        [&b"PK\x01\x02\x14\x00"[..], &fields(name), &[0; 14], name.as_bytes()].concat()
    };
    let directory = names.iter().flat_map(entry).collect::<Vec<u8>>();
    let count = (names.len() as u16).to_le_bytes();
    let [len, start] = [directory.len(), content.len()].map(|len| (len as u32).to_le_bytes());
    let end = [&b"PK\x05\x06\x00\x00\x00\x00"[..], &count, &count, &len, &start, &[0, 0]].concat();
    [content, directory, end].concat()
}

fn one(plain: &[u8]) -> Vec<u8> {
    archive(&["x.npy".to_string()], &Packed::new(plain))
}

#[test]
fn archives_whose_entries_overlap_are_refused() {
    // 24 kB that would become 400 MB: one packed megabyte, named four hundred times.
    let plain = zeros(1 << 20);
    let names: Vec<String> = (0..400).map(|n| format!("{n:03}.npy")).collect();
    let bomb = archive(&names, &Packed::new(&plain));
    let (result, most) = peak(|| from_npz(&bomb).map(drop));
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains("overlap"), "{error}");
    assert!(most < BASE + 10 * bomb.len(), "{most} bytes for an archive of {}", bomb.len());
    // Packed tightly, but honestly.
    assert_eq!(from_npz(&one(&plain)).expect("it is read")["x"].shape(), [1 << 20]);
}

fn idx(shape: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    shape.iter().for_each(|len| bytes.extend(len.to_be_bytes()));
    bytes.extend(data);
    bytes
}

#[test]
fn packed_files_are_unpacked_as_far_as_their_header_says() {
    // The header is of six pixels, and 64 MiB follow.
    let bomb = gzipped(&idx(&[2, 3], &vec![0; 64 << 20]));
    let (result, most) = peak(|| from_idx(&bomb).map(drop));
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains("needs 6 bytes, got more") && most < BASE, "{most} bytes: {error}");
    // Nor is a header believed that announces more than so few bytes can hold.
    let bomb = gzipped(&idx(&[4_000_000_000], &[0; 100]));
    let (result, most) = peak(|| from_idx(&bomb).map(drop));
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains("4000000000 bytes are announced") && most < BASE, "{most}: {error}");
    let path = folder("packed").join("bomb.gz");
    fs::write(&path, gzipped(&vec![0; 8 << 20])).expect("it is written");
    let (result, most) = peak(|| brasa::io::read_unpacked(&path, 1 << 16));
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains("more than 65536 bytes") && most < BASE, "{most}: {error}");
}

#[test]
fn arrays() {
    let all = samples();
    let files = ["f32", "f64", "u8"].map(|name| to_npy(&all[name]).expect("it is written"));
    hold("npy", &files, PER_BYTE, from_npy);
}

#[test]
fn archives() {
    let stored = to_npz(&samples()).expect("it is written");
    hold("npz", &[stored], PER_BYTE, from_npz);
    let packed = one(&zeros(5000));
    hold("packed npz", &[packed], PER_PACKED_BYTE, from_npz);
    // What is inside is hostile, and its sum is right.
    let array = to_npy(&samples()["f32"]).expect("it is written");
    hold("npy in npz", &[array], PER_PACKED_BYTE, |bytes| from_npz(&one(bytes)));
}

#[test]
fn images_of_mnist() {
    let plain = idx(&[2, 3, 4], &[7; 24]);
    hold("idx", std::slice::from_ref(&plain), PER_BYTE, from_idx);
    hold("gz", &[gzipped(&plain)], PER_PACKED_BYTE, from_idx);
    hold("idx in gz", &[plain], PER_PACKED_BYTE, |bytes| from_idx(&gzipped(bytes)));
}

#[test]
fn tables_texts_and_records() {
    let table = b"a,\"b,c\",d\n1,2,3\n\n4,,\"6\"\n-1e300,7,8\n".to_vec();
    hold("csv", &[table], PER_BYTE, |bytes| from_csv(&String::from_utf8_lossy(bytes), ','));
    let text = "the quick brown fox\njumps över the lazy dog\n".repeat(3).into_bytes();
    hold("text", &[text], PER_BYTE, |bytes| {
        let text = String::from_utf8(bytes.to_vec());
        let text = text.map_err(|error| brasa::Error::data("text", error.to_string()))?;
        let ids = Vocabulary::of(&text).encode(&text)?;
        TextWindows::new(ids, 100)
    });
    let records = [[&[3][..], &[9; 3072]].concat(), [&[9][..], &[1; 3072]].concat()].concat();
    hold("cifar", &[records], PER_BYTE, |bytes| from_cifar(bytes, Cifar::Ten));
}

#[test]
fn tensors_with_words_about_them() {
    let file = Safetensors::new(samples()).with("brasa.shape", r#"{"hidden":64,"layers":2}"#);
    hold("safetensors", &[file.to_bytes().expect("it is written")], PER_BYTE, |bytes| {
        Safetensors::from_bytes(bytes)
    });
}

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Puts changed bytes into a file of a checkpoint, with the sum that they have now.
fn signed(place: &Path, name: &str, bytes: &[u8]) {
    fs::write(place.join(name), bytes).expect("it is written");
    let sums = fs::read_to_string(place.join("SHA256SUMS")).expect("sums");
    let line = |line: &str| match line.ends_with(name) {
        true => format!("{}  {name}\n", checksum(bytes)),
        false => format!("{line}\n"),
    };
    let sums: String = sums.lines().map(line).collect();
    fs::write(place.join("SHA256SUMS"), sums).expect("it is written");
}

#[test]
fn checkpoints() {
    let (home, model) = (folder("checkpoints"), Linear::new(2, 3));
    let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
    let trainer = |folder: &Path| {
        let mut trainer = Trainer::new(&model, loss, AdamW::new(0.1).build(model.parameters()));
        trainer.checkpoints(Checkpoints::new(folder), 0);
        trainer
    };
    let loader = || DataLoader::new(spiral(12, 3, 1).expect("points"), 4);
    let mut run = trainer(&home);
    run.steps(2).patience(3).measure(|| Ok([("loss".to_string(), 1.0)].into()));
    run.fit(&mut loader()).expect("it trains");
    drop(run);
    let place = home.join("step-00000002");
    for name in ["progress.json", "model.safetensors", "optimizer.safetensors", "SHA256SUMS"] {
        let path = place.join(name);
        let good = fs::read(&path).expect("it is there");
        let put = |bytes: &[u8]| match name {
            "SHA256SUMS" => fs::write(&path, bytes).expect("it is written"),
            _ => signed(&place, name, bytes),
        };
        hold(name, std::slice::from_ref(&good), PER_BYTE, |bytes| {
            put(bytes);
            Checkpoint::read(&place)
        });
        // What is whole is gone on from, or does not fit the model.
        for seed in 0..COUNT {
            put(&mutated(&good, seed));
            if Checkpoint::read(&place).is_ok() {
                let (mut trainer, mut loader) = (trainer(&home), loader());
                let _ = trainer.steps(0).resume(&mut loader);
                let _ = trainer.fit(&mut loader);
            }
        }
        put(&good);
    }
}

#[test]
fn logs() {
    let path = folder("logs").join("events.jsonl");
    let mut log = EventLog::append(&path).expect("a log");
    for step in 1..20 {
        let (loss, lr, memory) = (0.5, 0.1, Some(1 << 30));
        let (seconds, took) = (step as f64, 0.01);
        let event = Event::Step { step, epoch: 1, loss, lr, examples: 8, seconds, took, memory };
        log.add(&event).expect("it is written");
    }
    log.add(&Event::Gradients { step: 19, norms: vec![("w".into(), 0.5)] }).expect("it is written");
    drop(log);
    let good = fs::read(&path).expect("it is there");
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("it is written");
        // What goes on behind a damaged line is not lost with it.
        let end = Event::End { ended: brasa::train::Ended::Done, step: 19, seconds: 1.0 };
        EventLog::append(&path)?.add(&end)?;
        let (events, left_out) = read_events(&path)?;
        assert_eq!(events.last(), Some(&end));
        let steps: Vec<u64> = events.iter().map(Event::step).collect();
        match left_out {
            0 => Ok(steps),
            _ => Err(brasa::Error::data("log", format!("{left_out} lines are left out"))),
        }
    };
    hold("events", &[good], PER_BYTE, read);
}

/// Graphs and programs as bytes, with the sums that they have now.
#[test]
fn graphs_and_programs() {
    let model = Linear::new(2, 3);
    let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
    let mut step = brasa::compile(&model, loss, AdamW::new(0.1).build(model.parameters()));
    let (x, y) = (Tensor::zeros([4, 2]), Tensor::zeros([4]).to(DType::I64));
    let bytes = step.recording(&[&x, &y]).expect("it is recorded").graph;
    let graph = graph_from_bytes(&bytes).expect("it is read");
    let program = brasa_compile::compile(&graph, &[]).to_bytes().expect("it has a form");
    let sign = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        if bytes.len() >= 24 {
            let mut hash = Fingerprint::default();
            hash.write(&bytes[24..]);
            hash.write_usize(bytes.len() - 24);
            bytes[16..24].copy_from_slice(&hash.finish().to_le_bytes());
        }
        bytes
    };
    hold("graph", &[bytes], PER_BYTE, |bytes| graph_from_bytes(&sign(bytes)));
    hold("program", &[program], PER_BYTE, |bytes| Program::from_bytes(&sign(bytes)));
}
