//! When a computed tensor counts as the expected one.
use brasa_ir::Array;

/// `|got − want| ≤ atol + rtol · |want|`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    pub(super) rtol: f64,
    pub(super) atol: f64,
}

impl Tolerance {
    /// The error as a fraction of what is allowed. NaN equals NaN and infinities themselves.
    pub(super) fn error(self, got: f64, want: f64) -> f64 {
        if got == want || (got.is_nan() && want.is_nan()) {
            return 0.0;
        }
        let fraction = (got - want).abs() / (self.atol + self.rtol * want.abs());
        if fraction.is_nan() { f64::INFINITY } else { fraction }
    }
}

/// The worst error among some elements, and where it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Deviation {
    pub(super) worst: f64,
    pub(super) place: String,
}

impl Deviation {
    /// Takes note of one element.
    pub(super) fn see(&mut self, error: f64, place: impl FnOnce() -> String) {
        if error > self.worst {
            *self = Deviation { worst: error, place: place() };
        }
    }
}

/// How far `got` is from `want`, which is of the same type. Integers must be equal.
pub(super) fn deviation(got: &Array, want: &Array, tolerance: Tolerance) -> Deviation {
    let mut seen = Deviation::default();
    for i in 0..want.len() {
        if want.dtype().is_float() {
            let (got, want_i) = (got.f64(i), want.f64(i));
            let error = tolerance.error(got, want_i);
            seen.see(error, || format!("{}: got {got}, expected {want_i}", index(want, i)));
        } else if got.i64(i) != want.i64(i) {
            let place =
                || format!("{}: got {}, expected {}", index(want, i), got.i64(i), want.i64(i));
            seen.see(f64::INFINITY, place);
        }
    }
    seen
}

/// The multi-index of flat element `i`, as text.
fn index(array: &Array, i: usize) -> String {
    let (shape, strides) = (array.shape(), array.shape().strides());
    let at: Vec<usize> = shape.iter().zip(&strides).map(|(len, stride)| i / stride % len).collect();
    format!("{at:?}")
}
