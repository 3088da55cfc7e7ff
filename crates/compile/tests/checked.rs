//! The checked mode notices a wrong element and a write to foreign memory, and tells where.
use brasa_compile::{CheckedLaunch, Program, Region, compile};
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Recorder, Result, Type};

/// One kernel: `x + 1`.
fn program() -> Program {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [2, 3]));
    let y = (x + 1.0).id();
    compile(&g.into_graph(), &[y])
}

/// What is found where the kernel gives `y` for 1 to 6, with eight bytes around a result of four changed.
fn verdict(y: [f32; 6], changed: Option<usize>) -> Result<()> {
    let program = program();
    let [x, y] = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], y].map(|values| Array::f32([2, 3], &values));
    let before = [0; 12];
    let mut now = before;
    if let Some(at) = changed {
        now[at] = 1;
    }
    let arena = Region {
        name: "the arena".to_string(),
        before: &before,
        now: &now,
        owned: vec![4..6, 6..8],
    };
    let (number, launch, slots) = (0, &program.launches[0], &[]);
    CheckedLaunch { number, launch, slots, reads: &[x], writes: &[y], memory: &[arena] }.verdict()
}

const RIGHT: [f32; 6] = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

#[test]
fn right_results_pass() {
    assert!(verdict(RIGHT, None).is_ok());
    assert!(verdict(RIGHT, Some(4)).is_ok());
}

#[test]
fn a_wrong_element_is_told_with_its_place() {
    let mut wrong = RIGHT;
    wrong[4] = 6.5;
    let told = verdict(wrong, None).expect_err("differs").to_string();
    assert!(
        told.contains("element [1, 1] of f32[2, 3] is 6.5, but plain evaluation gives 6 ± "),
        "{told}"
    );
    assert!(
        told.contains("kernel 0 (") && told.contains("crates/compile/tests/checked.rs:"),
        "{told}"
    );
    wrong[4] = f32::NAN;
    assert!(verdict(wrong, None).is_err());
}

#[test]
fn a_write_to_foreign_memory_is_told() {
    for at in [3, 8] {
        let told = verdict(RIGHT, Some(at)).expect_err("is foreign").to_string();
        assert!(
            told.contains(&format!("byte {at} of the arena was written by a kernel")),
            "{told}"
        );
    }
}
