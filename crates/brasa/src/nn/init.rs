//! Parameter initialization as plain data, so that it can be stored and sent.
use crate::{Tensor, no_grad, ops};

/// The initial value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// A constant.
    Constant(f64),
    /// Uniform draws from a range.
    Uniform(f64, f64),
    /// Normal draws with this mean and standard deviation.
    Normal(f64, f64),
    /// Normal draws with this mean and standard deviation, truncated to two standard deviations.
    TruncNormal(f64, f64),
    /// Uniform draws that preserve variance forward and backward, times a gain.
    XavierUniform(f64),
    /// Normal draws that preserve variance forward and backward, times a gain.
    XavierNormal(f64),
    /// Uniform draws that preserve variance in one direction, times a gain.
    KaimingUniform(f64, Fan),
    /// Normal draws that preserve variance in one direction, times a gain.
    KaimingNormal(f64, Fan),
    /// A random orthogonal matrix, times a gain; all axes but the first are flattened. Computed on
    /// the host, and left out of the page build, which does not use it.
    #[cfg(not(brasa_page))]
    Orthogonal(f64),
    /// These numbers, in row-major order.
    Literal(Vec<f32>),
}

/// The direction in which variance is preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fan {
    /// Forward.
    In,
    /// Backward.
    Out,
}

/// The recommended gain for an activation: `relu`, `leaky_relu`, `tanh`, `selu`; 1 for any other.
pub fn gain(activation: &str) -> f64 {
    match activation {
        "relu" => 2f64.sqrt(),
        "leaky_relu" => (2.0 / (1.0 + 0.01f64.powi(2))).sqrt(),
        "tanh" => 5.0 / 3.0,
        "selu" => 0.75,
        _ => 1.0,
    }
}

/// Fan-in and fan-out of a weight `[out, in, …]`.
pub fn fans(shape: &[usize]) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [n] => (*n, *n),
        [out, inner, rest @ ..] => {
            let field: usize = rest.iter().product();
            (inner * field, out * field)
        }
    }
}

impl Init {
    /// PyTorch's default initialization of weights and biases of a layer with this fan-in.
    pub fn layer(fan_in: usize) -> Init {
        let bound = 1.0 / (fan_in.max(1) as f64).sqrt();
        Init::Uniform(-bound, bound)
    }

    /// A tensor initialized this way.
    #[track_caller]
    pub fn tensor(&self, shape: &[usize]) -> Tensor {
        let (fan_in, fan_out) = fans(shape);
        let fan = |fan: Fan| if fan == Fan::In { fan_in } else { fan_out }.max(1) as f64;
        let both = (fan_in + fan_out).max(1) as f64;
        let uniform = |bound: f64| ops::uniform_with(shape, |o| o.low(-bound).high(bound));
        let normal = |std: f64| ops::randn(shape) * std;
        no_grad(|| match self {
            Init::Zeros => ops::zeros(shape),
            Init::Ones => ops::ones(shape),
            Init::Constant(x) => ops::full(shape, *x),
            Init::Uniform(low, high) => ops::uniform_with(shape, |o| o.low(*low).high(*high)),
            Init::Normal(mean, std) => ops::randn(shape) * *std + *mean,
            Init::TruncNormal(mean, std) => {
                let (a, b) = (mean - 2.0 * std, mean + 2.0 * std);
                ops::truncated_normal_with(shape, |o| o.mean(*mean).std(*std).a(a).b(b))
            }
            Init::XavierUniform(gain) => uniform(gain * (6.0 / both).sqrt()),
            Init::XavierNormal(gain) => normal(gain * (2.0 / both).sqrt()),
            Init::KaimingUniform(gain, mode) => uniform(gain * (3.0 / fan(*mode)).sqrt()),
            Init::KaimingNormal(gain, mode) => normal(gain / fan(*mode).sqrt()),
            #[cfg(not(brasa_page))]
            Init::Orthogonal(gain) => orthogonal(shape) * *gain,
            Init::Literal(data) => Tensor::from_slice(data, shape),
        })
    }
}

/// Orthonormal rows (or columns, whichever are fewer), from random ones by the Gram-Schmidt
/// process.
#[cfg(not(brasa_page))]
fn orthogonal(shape: &[usize]) -> Tensor {
    let rows = shape.first().copied().unwrap_or(1);
    let columns = shape.iter().skip(1).product::<usize>().max(1);
    let (few, many) = (rows.min(columns), rows.max(columns));
    let drawn = crate::random::normals(few * many);
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(few);
    for row in drawn.chunks(many.max(1)) {
        let mut row = row.to_vec();
        // Two passes make the rows orthogonal in f32.
        for other in basis.iter().chain(&basis) {
            let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let len = row.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-30);
        row.iter_mut().for_each(|x| *x /= len);
        basis.push(row);
    }
    let flat: Vec<f32> = basis.into_iter().flatten().map(|x| x as f32).collect();
    let matrix = Tensor::from_vec(flat, [few, many]);
    let matrix = if rows > columns { matrix.t() } else { matrix };
    matrix.reshape(shape.iter().map(|&n| n as isize).collect::<Vec<_>>())
}
