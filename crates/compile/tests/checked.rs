//! Checked mode reports wrong elements and writes to memory that a launch does not own.
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

/// The verdict if the kernel gives `y` for 1 to 6, optionally with one byte of memory changed. The
/// launch owns bytes 4 to 8.
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
fn correct_results_pass() {
    assert!(verdict(RIGHT, None).is_ok());
    assert!(verdict(RIGHT, Some(4)).is_ok());
}

#[test]
fn a_wrong_element_is_reported_with_its_index() {
    let mut wrong = RIGHT;
    wrong[4] = 6.5;
    let message = verdict(wrong, None).expect_err("differs").to_string();
    assert!(
        message.contains("element [1, 1] of f32[2, 3] is 6.5, but reference evaluation gives 6 ± "),
        "{message}"
    );
    assert!(
        message.contains("kernel 0 (") && message.contains("crates/compile/tests/checked.rs:"),
        "{message}"
    );
    wrong[4] = f32::NAN;
    assert!(verdict(wrong, None).is_err());
}

#[test]
fn a_write_to_unowned_memory_is_reported() {
    for at in [3, 8] {
        let message = verdict(RIGHT, Some(at)).expect_err("is not owned").to_string();
        assert!(
            message.contains(&format!("byte {at} of the arena was written by a kernel")),
            "{message}"
        );
    }
}
