//! Files of tensors: they round-trip, and no input makes a reader panic.
use brasa::data::{Cifar, Dataset, from_cifar, from_csv, from_idx};
use brasa::io::{Safetensors, from_npy, from_npz, to_npy, to_npz};
use brasa::nn::StateDict;
use brasa::{DType, Tensor};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::prelude::*;
use std::io::Write;

/// A tensor of each dtype, in a few shapes.
fn samples() -> StateDict {
    let x = Tensor::new([[1.5, -2.0, 0.0], [3.0, 100.0, -0.25]]);
    let dtypes = [
        DType::F32,
        DType::F64,
        DType::F16,
        DType::BF16,
        DType::I64,
        DType::I32,
        DType::U8,
        DType::Bool,
        DType::I8,
        DType::U32,
    ];
    let mut all: StateDict =
        dtypes.iter().map(|&dtype| (format!("{dtype}"), x.abs().to(dtype))).collect();
    all.insert("scalar".to_string(), Tensor::new(7.0));
    all.insert("empty".to_string(), Tensor::zeros([0, 3]));
    all.insert("row".to_string(), Tensor::new([1, 2, 3]));
    all
}

fn assert_same(got: &StateDict, want: &StateDict) {
    assert_eq!(got.keys().collect::<Vec<_>>(), want.keys().collect::<Vec<_>>());
    for (name, x) in want {
        assert_eq!((got[name].dtype(), got[name].shape()), (x.dtype(), x.shape()), "{name}");
        assert_eq!(got[name].to_bytes().unwrap(), x.to_bytes().unwrap(), "{name}");
    }
}

#[test]
fn tensor_files_round_trip() {
    let all = samples();
    let file = Safetensors::new(all.clone()).with("key", "value");
    let back = Safetensors::from_bytes(&file.to_bytes().unwrap()).unwrap();
    assert_same(&back.tensors, &all);
    assert_eq!(back.metadata, file.metadata);

    let mut known = all.clone();
    known.remove("bf16");
    assert_same(&from_npz(&to_npz(&known).unwrap()).unwrap(), &known);
    let bf16 = from_npy(&to_npy(&all["bf16"]).unwrap()).unwrap();
    assert_eq!(bf16.dtype(), DType::F32);
}

/// An array as NumPy writes it.
fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn npy_arrays_of_any_byte_and_axis_order_are_read() {
    type Row = (&'static str, &'static str, &'static str, &'static [u8], &'static [f64]);
    let rows: [Row; 6] = [
        (">i2", "False", "(2,)", &[1, 0, 255, 255], &[256.0, -1.0]),
        ("<u2", "False", "(2,)", &[255, 255, 1, 0], &[65535.0, 1.0]),
        (">f4", "False", "(1,)", &[0x3f, 0x80, 0, 0], &[1.0]),
        ("|b1", "False", "(2, 1)", &[0, 7], &[0.0, 1.0]),
        ("|u1", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("<i8", "False", "()", &[5, 0, 0, 0, 0, 0, 0, 0], &[5.0]),
    ];
    for (descr, fortran, shape, data, want) in rows {
        let x = from_npy(&npy(descr, fortran, shape, data)).unwrap();
        assert_eq!(x.to_vec::<f64>().unwrap(), want, "{descr} {shape}");
    }
    for (descr, shape, data, want) in [
        ("<c8", "(1,)", vec![0; 8], "'c8' is not supported"),
        ("<f4", "(3,)", vec![0; 8], "needs 12 bytes, got 8"),
        ("<f4", "(4294967296, 4294967296, 4)", vec![], "needs too many bytes"),
        ("<u8", "(1,)", vec![255; 8], "too large"),
        ("<f4", "(x,)", vec![], "'x' is not an axis length"),
    ] {
        let error = from_npy(&npy(descr, "False", shape, &data)).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
}

#[test]
fn compressed_npz_archives_are_read() {
    let array = npy("<i4", "False", "(50,)", &[3; 200]);
    let mut archive = to_npz(&StateDict::from([("x".to_string(), Tensor::zeros([1]))])).unwrap();
    assert!(from_npz(&archive).is_ok());
    // The same archive, handwritten with compressed content.
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&array).unwrap();
    let packed = packer.finish().unwrap();
    assert!(packed.len() < array.len());
    let mut crc = flate2::Crc::new();
    crc.update(&array);
    let mut fields = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
    for number in [crc.sum(), packed.len() as u32, array.len() as u32] {
        fields.extend(number.to_le_bytes());
    }
    fields.extend([5, 0, 0, 0]);
    let local = [&b"PK\x03\x04"[..], &fields, b"y.npy", &packed].concat();
    let entry = [&b"PK\x01\x02\x14\x00"[..], &fields, &[0; 14], b"y.npy"].concat();
    let mut end = b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00".to_vec();
    end.extend((entry.len() as u32).to_le_bytes());
    end.extend((local.len() as u32).to_le_bytes());
    end.extend([0; 2]);
    archive = [local, entry, end].concat();
    let y = &from_npz(&archive).unwrap()["y"];
    assert_eq!(y.to_vec::<i32>().unwrap(), [0x0303_0303; 50]);
    archive[60] ^= 1;
    assert!(from_npz(&archive).is_err());
}

fn idx(shape: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    shape.iter().for_each(|len| bytes.extend(len.to_be_bytes()));
    bytes.extend(data);
    bytes
}

#[test]
fn idx_files_are_read_gzipped_or_not() {
    let plain = idx(&[2, 2], &[1, 2, 3, 4]);
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&plain).unwrap();
    for bytes in [plain.clone(), packer.finish().unwrap()] {
        let x = from_idx(&bytes).unwrap();
        assert_eq!((x.shape(), x.to_vec::<u8>().unwrap()), (&[2, 2][..], vec![1, 2, 3, 4]));
    }
    let float = [&[0, 0, 0x0d, 1, 0, 0, 0, 1][..], &1.5f32.to_be_bytes()].concat();
    assert_eq!(from_idx(&float).unwrap().item::<f32>().unwrap(), 1.5);
    for cut in [0, 3, 9, plain.len() - 1] {
        assert!(from_idx(&plain[..cut]).is_err(), "cut at {cut}");
    }
    let error = from_idx(&idx(&[u32::MAX; 4], &[])).unwrap_err().to_string();
    assert!(error.contains("too many"), "{error}");
}

#[test]
fn cifar_records_are_read() {
    let record = |coarse: &[u8], label: u8| [coarse, &[label], &[label; 3072]].concat();
    let ten = from_cifar(&[record(&[], 3), record(&[], 9)].concat(), Cifar::Ten).unwrap();
    let batch = ten.batch(&[1]).unwrap();
    assert_eq!((batch[0].shape(), batch[1].item::<i64>().unwrap()), (&[1, 3, 32, 32][..], 9));
    let hundred = from_cifar(&record(&[1], 77), Cifar::Hundred).unwrap();
    assert_eq!(hundred.batch(&[0]).unwrap()[1].item::<i64>().unwrap(), 77);
    assert!(from_cifar(&[0; 100], Cifar::Ten).is_err());
    assert!(from_cifar(&[], Cifar::Ten).is_err());
}

/// Passes bytes to every reader. Readers may return errors, but must not panic.
fn read_all(bytes: &[u8]) {
    let _ = Safetensors::from_bytes(bytes);
    let _ = from_npy(bytes);
    let _ = from_npz(bytes);
    let _ = from_idx(bytes);
    let _ = from_cifar(bytes, Cifar::Ten);
    let _ = from_csv(&String::from_utf8_lossy(bytes), ',');
}

/// Valid files.
fn good_files() -> Vec<Vec<u8>> {
    let names = ["bf16", "f32", "i64", "empty"];
    let few: StateDict =
        samples().into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect();
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&idx(&[2, 3], &[7; 6])).unwrap();
    vec![
        Safetensors::new(few.clone()).with("a", "b").to_bytes().unwrap(),
        to_npz(&few).unwrap(),
        to_npy(&few["f32"]).unwrap(),
        npy(">f8", "True", "(2, 1)", &[1; 16]),
        idx(&[2, 3], &[7; 6]),
        packer.finish().unwrap(),
        b"a,b\n1,2\n3,\"4\"\n".to_vec(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), head in 0..5usize) {
        let heads: [&[u8]; 5] = [b"", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\0\0\x08", b"\x1f\x8b\x08"];
        read_all(&[heads[head], &bytes].concat());
    }

    #[test]
    fn no_damaged_file_panics(
        file in 0..7usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = good_files().swap_remove(file);
        for (place, byte) in changes {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(&bytes);
    }
}
