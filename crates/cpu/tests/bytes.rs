//! Serialized programs: they round-trip, and invalid bytes are rejected without harm.
use brasa_compile::{Program, compile};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::graph::Fingerprint;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{DType, Number, Recorder};
use common::Model;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use std::hash::Hasher;

mod common;

fn config(default: u32) -> Config {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(cases.into()),
        ..Config::default()
    }
}

/// Training steps of three kinds of model.
fn programs() -> Vec<Program> {
    let program = |n: usize| {
        let g = Recorder::default();
        let mut model = Model::new(&g);
        let loss = match n {
            0 => common::mlp(&mut model, 8, 6, 2),
            1 => common::cnn(&mut model),
            _ => common::gpt(&mut model, 2, 4, 4),
        };
        model.train(loss.expect("records")).expect("records");
        g.read(|graph| compile(graph, &model.wanted))
    };
    (0..3).map(program).collect()
}

#[test]
fn programs_round_trip_through_bytes() {
    for program in programs() {
        let bytes = program.to_bytes().expect("serializes");
        let again = Program::from_bytes(&bytes).expect("deserializes");
        assert_eq!(again, program);
        assert_eq!(again.to_bytes().expect("serializes"), bytes);
    }
}

#[test]
fn random_programs_round_trip_and_run_alike() {
    let result = TestRunner::new(config(64)).run(&Recipe::any(), |recipe| {
        let g = Recorder::default();
        let built = build(&recipe, &g, DType::F32);
        let mut model = Model::new(&g);
        (model.values, model.wanted) = (built.inputs.into_iter().collect(), built.outputs);
        let program = g.read(|graph| compile(graph, &model.wanted));
        let bytes = program.to_bytes().map_err(|e| TestCaseError::fail(e.to_string()))?;
        let again = Program::from_bytes(&bytes)
            .map_err(|e| TestCaseError::fail(format!("{e}\n{program}")))?;
        prop_assert_eq!(&again, &program);
        prop_assert!(model.run(&again, 1) == model.run(&program, 1));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn damaged_bytes_give_specific_errors() {
    let bytes = programs()[0].to_bytes().expect("serializes");
    let message = |bytes: &[u8]| Program::from_bytes(bytes).expect_err("is rejected").to_string();
    assert_eq!(message(&[]), "program: these bytes are not a program");
    assert_eq!(message(b"something else, longer than a head"), message(&[]));
    let mut other = bytes.clone();
    other[9] ^= 1;
    let want = "program: this program was written by another build of Brasa; compile it again";
    assert_eq!(message(&other), want);
    let mut other = bytes.clone();
    other[40] ^= 1;
    assert_eq!(message(&other), "program: the program is corrupted: its checksum does not match");
    assert_eq!(message(&bytes[..bytes.len() - 1]), message(&other));
    let mut longer = bytes;
    longer.push(0);
    sign(&mut longer);
    assert_eq!(
        message(&longer),
        "program: the program is not valid: unexpected bytes after the end"
    );
}

/// Makes the checksum valid, as an attacker would.
fn sign(bytes: &mut [u8]) {
    let mut hash = Fingerprint::default();
    hash.write(&bytes[24..]);
    hash.write_usize(bytes.len() - 24);
    bytes[16..24].copy_from_slice(&hash.finish().to_le_bytes());
}

/// Whether a program runs quickly: a changed length may be huge.
fn is_short(program: &Program) -> bool {
    let inputs: usize = program.inputs.iter().map(|input| input.ty.bytes()).sum();
    let work = |launch: &brasa_compile::program::Launch| {
        launch.kernel.domain.axes.iter().map(|axis| axis.len.max(1)).product::<usize>()
    };
    inputs + program.arena_bytes < 1 << 20
        && program.slots() < 1000
        && program.launches.iter().all(|launch| work(launch) < 1 << 20)
}

/// Changes of a few bytes: the reader rejects the program, or the program can be run safely.
#[test]
fn changed_programs_are_refused_or_run() {
    let originals: Vec<Vec<u8>> =
        programs().iter().map(|program| program.to_bytes().expect("serializes")).collect();
    let change =
        (0..3usize, prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4));
    let pool = Pool::new(2);
    let mut run = 0;
    let outcome = std::cell::RefCell::new(&mut run);
    let result = TestRunner::new(config(2000)).run(&change, |(n, changes)| {
        let mut bytes = originals[n].clone();
        for (at, byte) in changes {
            let at = 24 + at.index(bytes.len() - 24);
            bytes[at] = byte;
        }
        sign(&mut bytes);
        let Ok(program) = Program::from_bytes(&bytes) else { return Ok(()) };
        if !is_short(&program) {
            return Ok(());
        }
        let mut buffers: Vec<Buffer> =
            program.inputs.iter().map(|input| Buffer::new(input.ty.bytes())).collect();
        let slots = vec![Number::Float(0.5); program.slots()];
        // Indices may be out of range; that is an error of the run.
        let _ = Executable::new(program).run(&pool, &mut buffers, &slots);
        **outcome.borrow_mut() += 1;
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    assert!(run > 0, "every changed program was rejected");
}

#[test]
fn shortened_programs_are_rejected() {
    let bytes = programs()[0].to_bytes().expect("serializes");
    for len in (24..bytes.len()).step_by(7) {
        let mut short = bytes[..len].to_vec();
        sign(&mut short);
        assert!(Program::from_bytes(&short).is_err(), "{len} bytes of {}", bytes.len());
    }
}
