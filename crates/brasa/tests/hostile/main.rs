//! Hostile files: each reader gets a thousand mutations of valid files per format, the same in
//! every run. A file may be read or rejected, but no reader panics or allocates more memory than
//! the size of the file justifies.
mod mutate;
#[path = "../../../cpu/tests/common/peak_alloc.rs"]
mod peak_alloc;

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
use peak_alloc::peak;
use std::fs;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};

const COUNT: u64 = 1000;
/// Memory that a reader may use in addition, for tables, messages and decoders.
const BASE: usize = 1 << 20;
/// Memory per byte of a file: lines of a table become strings, a header becomes a tree.
const PER_BYTE: usize = 100;
/// Deflate expands up to 1032 times; the content is held decompressed, as elements and as a tensor.
const PER_PACKED_BYTE: usize = 4 * 1032;

/// Passes a thousand mutated files to a reader, and returns how many of them were accepted.
fn check_reader<T>(
    kind: &str,
    files: &[Vec<u8>],
    per_byte: usize,
    read: impl Fn(&[u8]) -> brasa::Result<T>,
) -> usize {
    let mut accepted = 0;
    for file in files {
        read(file).unwrap_or_else(|error| panic!("{kind}: the valid file is rejected: {error}"));
    }
    for seed in 0..COUNT {
        let bytes = mutated(&files[seed as usize % files.len()], seed);
        let (result, most) = peak(|| read(&bytes).map(drop));
        accepted += usize::from(result.is_ok());
        let limit = BASE + per_byte * bytes.len();
        assert!(most <= limit, "{kind} {seed}: {most} bytes for a file of {}", bytes.len());
    }
    assert!(accepted < COUNT as usize, "{kind}: no mutation was rejected");
    accepted
}

fn samples() -> StateDict {
    let x = Tensor::new([[1.5, -2.0, 0.0], [3.0, 100.0, -0.25]]);
    let of = |dtype: DType| (dtype.to_string(), x.to(dtype));
    [DType::F32, DType::F64, DType::I64, DType::U8, DType::Bool].map(of).into()
}

/// An array of `len` zeros in NumPy's format.
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

/// Compressed content, with its original length and checksum.
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

/// An archive in which all names refer to one compressed array.
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
fn archives_with_overlapping_entries_are_rejected() {
    // 24 kB that would become 400 MB: one compressed megabyte with four hundred names.
    let plain = zeros(1 << 20);
    let names: Vec<String> = (0..400).map(|n| format!("{n:03}.npy")).collect();
    let bomb = archive(&names, &Packed::new(&plain));
    let (result, most) = peak(|| from_npz(&bomb).map(drop));
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains("overlap"), "{error}");
    assert!(most < BASE + 10 * bomb.len(), "{most} bytes for an archive of {}", bomb.len());
    // A high compression ratio alone is legitimate.
    assert_eq!(from_npz(&one(&plain)).expect("it is read")["x"].shape(), [1 << 20]);
}

fn idx(shape: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    shape.iter().for_each(|len| bytes.extend(len.to_be_bytes()));
    bytes.extend(data);
    bytes
}

#[test]
fn decompression_is_limited_by_the_header() {
    // The header says six pixels, and 64 MiB follow.
    let bomb = gzipped(&idx(&[2, 3], &vec![0; 64 << 20]));
    let (result, most) = peak(|| from_idx(&bomb).map(drop));
    let error = result.expect_err("it is refused").to_string();
    assert!(error.contains("needs 6 bytes, got more") && most < BASE, "{most} bytes: {error}");
    // A header that announces more bytes than the compressed data can contain.
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
fn hostile_npy_files_are_handled() {
    let all = samples();
    let files = ["f32", "f64", "u8"].map(|name| to_npy(&all[name]).expect("it is written"));
    check_reader("npy", &files, PER_BYTE, from_npy);
}

#[test]
fn hostile_npz_archives_are_handled() {
    let stored = to_npz(&samples()).expect("it is written");
    check_reader("npz", &[stored], PER_BYTE, from_npz);
    let packed = one(&zeros(5000));
    check_reader("packed npz", &[packed], PER_PACKED_BYTE, from_npz);
    // A hostile array inside a valid archive with a correct checksum.
    let array = to_npy(&samples()["f32"]).expect("it is written");
    check_reader("npy in npz", &[array], PER_PACKED_BYTE, |bytes| from_npz(&one(bytes)));
}

#[test]
fn hostile_idx_files_are_handled() {
    let plain = idx(&[2, 3, 4], &[7; 24]);
    check_reader("idx", std::slice::from_ref(&plain), PER_BYTE, from_idx);
    check_reader("gz", &[gzipped(&plain)], PER_PACKED_BYTE, from_idx);
    check_reader("idx in gz", &[plain], PER_PACKED_BYTE, |bytes| from_idx(&gzipped(bytes)));
}

#[test]
fn hostile_csv_text_and_cifar_files_are_handled() {
    let table = b"a,\"b,c\",d\n1,2,3\n\n4,,\"6\"\n-1e300,7,8\n".to_vec();
    check_reader("csv", &[table], PER_BYTE, |bytes| from_csv(&String::from_utf8_lossy(bytes), ','));
    let text = "the quick brown fox\njumps över the lazy dog\n".repeat(3).into_bytes();
    check_reader("text", &[text], PER_BYTE, |bytes| {
        let text = String::from_utf8(bytes.to_vec());
        let text = text.map_err(|error| brasa::Error::data("text", error.to_string()))?;
        let ids = Vocabulary::of(&text).encode(&text)?;
        TextWindows::new(ids, 100)
    });
    let records = [[&[3][..], &[9; 3072]].concat(), [&[9][..], &[1; 3072]].concat()].concat();
    check_reader("cifar", &[records], PER_BYTE, |bytes| from_cifar(bytes, Cifar::Ten));
}

#[test]
fn hostile_safetensors_files_are_handled() {
    let file = Safetensors::new(samples()).with("brasa.shape", r#"{"hidden":64,"layers":2}"#);
    check_reader("safetensors", &[file.to_bytes().expect("it is written")], PER_BYTE, |bytes| {
        Safetensors::from_bytes(bytes)
    });
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Replaces a file of a checkpoint, and updates its checksum.
fn write_signed(place: &Path, name: &str, bytes: &[u8]) {
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
fn hostile_checkpoints_are_handled() {
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
            _ => write_signed(&place, name, bytes),
        };
        check_reader(name, std::slice::from_ref(&good), PER_BYTE, |bytes| {
            put(bytes);
            Checkpoint::read(&place)
        });
        // An intact checkpoint is resumed, or does not fit the model.
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
fn hostile_event_logs_are_handled() {
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
        // Events appended after a damaged line are not lost.
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
    check_reader("events", &[good], PER_BYTE, read);
}

/// Serialized graphs and programs, with updated checksums.
#[test]
fn hostile_graphs_and_programs_are_handled() {
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
    check_reader("graph", &[bytes], PER_BYTE, |bytes| graph_from_bytes(&sign(bytes)));
    check_reader("program", &[program], PER_BYTE, |bytes| Program::from_bytes(&sign(bytes)));
}
