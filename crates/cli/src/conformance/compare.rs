//! Compares tensors within a tolerance.
use super::CaseError;
use super::format::{Sample, Tolerance};
use super::inputs;
use brasa::Tensor;
use brasa_ir::{Array, DType, Type};

/// An expected tensor.
pub(super) enum Want<'a> {
    Whole(&'a Array),
    Sample(&'a Sample),
}

/// The largest error among some elements, as a fraction of the tolerance, and its location.
#[derive(Clone, Debug, Default)]
struct Deviation {
    worst: f64,
    place: String,
}

impl Want<'_> {
    pub(super) fn ty(&self) -> Type {
        match self {
            Want::Whole(array) => array.ty.clone(),
            Want::Sample(sample) => Type::new(DType::F32, &sample.shape[..]),
        }
    }

    /// The deviation of `got`, which has the same type. Integers must be equal.
    fn deviation(&self, got: &Array, tolerance: Tolerance) -> Deviation {
        let mut seen = Deviation::default();
        match self {
            Want::Whole(want) if want.dtype().is_float() => {
                for i in 0..want.len() {
                    seen.add(got.f64(i), want.f64(i), tolerance, || index(want, i));
                }
            }
            Want::Whole(want) => {
                let differs = |&i: &usize| got.i64(i) != want.i64(i);
                if let Some(i) = (0..want.len()).find(differs) {
                    let (got, want_i) = (got.i64(i), want.i64(i));
                    let place = format!("{} got {got}, expected {want_i}", index(want, i));
                    seen = Deviation { worst: f64::INFINITY, place };
                }
            }
            Want::Sample(sample) => {
                for (&i, &want) in sample.flat_indices.iter().zip(&sample.values) {
                    seen.add(got.f64(i), want, tolerance, || index(got, i));
                }
                let sum = (0..got.len()).map(|i| got.f64(i).abs()).sum();
                seen.add(sum, sample.sum_abs, tolerance, || "sum of magnitudes:".to_string());
            }
        }
        seen
    }
}

impl Deviation {
    /// Compares one number. NaN equals NaN, and infinities equal themselves.
    fn add(&mut self, got: f64, want: f64, tolerance: Tolerance, place: impl FnOnce() -> String) {
        if got == want || (got.is_nan() && want.is_nan()) {
            return;
        }
        let fraction = (got - want).abs() / (tolerance.atol + tolerance.rtol * want.abs());
        let error = if fraction.is_nan() { f64::INFINITY } else { fraction };
        if error > self.worst {
            let place = format!("{} got {got}, expected {want}", place());
            *self = Deviation { worst: error, place };
        }
    }
}

/// Collects the deviations of a case.
#[derive(Default)]
pub(super) struct Tally {
    worst: f64,
    complaints: Vec<String>,
}

impl Tally {
    /// Compares a tensor with the expected one of the same type.
    pub(super) fn add(&mut self, what: &str, want: &Want, got: &Array, tolerance: Tolerance) {
        self.take(what, want.deviation(got, tolerance));
    }

    /// Reads a tensor and compares it with the expected value.
    pub(super) fn tensor(
        &mut self,
        what: &str,
        got: &Tensor,
        want: &Array,
        tolerance: Tolerance,
    ) -> Result<(), CaseError> {
        let got = inputs::array(got)?;
        if got.ty != want.ty {
            return Err(CaseError::failed(format!("{what} is {}, expected {}", got.ty, want.ty)));
        }
        self.add(what, &Want::Whole(want), &got, tolerance);
        Ok(())
    }

    /// Compares one number.
    pub(super) fn number(&mut self, what: &str, got: f64, want: f64, tolerance: Tolerance) {
        let mut seen = Deviation::default();
        seen.add(got, want, tolerance, String::new);
        self.take(what, seen);
    }

    fn take(&mut self, what: &str, Deviation { worst, place }: Deviation) {
        self.worst = self.worst.max(worst);
        if worst > 1.0 {
            self.complaints.push(format!("{what} {place} ({worst:.3} × tolerance)"));
        }
    }

    /// The largest error, or the list of errors beyond the tolerance.
    pub(super) fn verdict(self) -> Result<f64, CaseError> {
        if self.complaints.is_empty() {
            return Ok(self.worst);
        }
        Err(CaseError::Failed { worst: self.worst, why: self.complaints.join("\n") })
    }
}

/// The multi-index of flat element `i`, as text.
fn index(array: &Array, i: usize) -> String {
    let (shape, strides) = (array.shape(), array.shape().strides());
    let at: Vec<usize> = shape.iter().zip(&strides).map(|(len, stride)| i / stride % len).collect();
    format!("{at:?}:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_fractions_of_the_tolerance() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (got, want, error) in [
            (1.0, 1.0, 0.0),
            (11.0, 10.0, 0.5),
            (1.5, 0.0, 1.5),
            (nan, nan, 0.0),
            (-inf, -inf, 0.0),
            (nan, 1.0, inf),
            (1.0, nan, inf),
            (1e30, inf, inf),
            (-inf, inf, inf),
        ] {
            let mut seen = Deviation::default();
            seen.add(got, want, Tolerance { rtol: 0.1, atol: 1.0 }, String::new);
            assert_eq!(seen.worst, error, "got {got}, expected {want}");
        }
    }

    #[test]
    fn integers_beyond_the_precision_of_floats_must_be_equal() {
        let ty = Type::new(DType::I64, [1]);
        let [got, want] = [1i64 << 60, (1 << 60) + 1].map(|i| Array::from_i64(&ty, [i]));
        let tolerance = Tolerance { rtol: 1.0, atol: 1.0 };
        assert_eq!(Want::Whole(&want).deviation(&got, tolerance).worst, f64::INFINITY);
        assert_eq!(Want::Whole(&want).deviation(&want, tolerance).worst, 0.0);
    }
}
