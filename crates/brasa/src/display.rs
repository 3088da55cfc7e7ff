//! Printing, as PyTorch prints: four digits, aligned columns, long axes shortened.
use crate::{DType, Error, Result, Tensor};
use brasa_ir::Array;
use std::fmt;

/// Tensors of more elements are shortened.
const WHOLE: usize = 1000;
/// What is left of a shortened axis at either end.
const EDGE: usize = 3;
/// Where lines break.
const WIDTH: usize = 80;

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_array() {
            Ok(array) => f.write_str(&self.text(&array)),
            Err(error) => write!(f, "tensor(no value: {error})"),
        }
    }
}

impl Tensor {
    /// What is printed where these are its bytes, for those who have read them elsewhere.
    pub fn shown(&self, bytes: &[u8]) -> Result<String> {
        let array = Array::from_bytes(self.ty(), bytes);
        Ok(self.text(&array.map_err(|what| Error::data("print", what))?))
    }

    fn text(&self, array: &Array) -> String {
        let mut text = String::from("tensor(");
        if array.is_empty() {
            text += "[]";
            if self.rank() != 1 {
                text += &format!(", size={:?}", self.shape());
            }
        } else {
            let printed = Printed::new(array);
            printed.part(&mut text, 0, 0, 8);
        }
        if !matches!(self.dtype(), DType::F32 | DType::I64 | DType::Bool) || array.is_empty() {
            text += &format!(", dtype={}", self.dtype());
        }
        let cell = self.cell();
        match (cell.is_leaf, cell.is_tracked) {
            (true, _) => text += ", requires_grad=true",
            (false, true) => text += ", tracked",
            _ => {}
        }
        text + ")"
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => write!(f, "{self}"),
            false => write!(f, "Tensor({})", self.ty()),
        }
    }
}

/// The elements as texts of one width.
struct Printed<'a> {
    array: &'a Array,
    strides: Vec<usize>,
    style: Style,
    width: usize,
    is_short: bool,
}

#[derive(Clone, Copy)]
enum Style {
    Bool,
    Int,
    /// Floats that are all whole: `1.`
    Whole,
    Fixed,
    Scientific,
}

impl<'a> Printed<'a> {
    fn new(array: &'a Array) -> Printed<'a> {
        let strides = array.shape().strides().to_vec();
        let is_short = array.len() > WHOLE;
        let mut printed = Printed { array, strides, style: style(array), width: 0, is_short };
        let mut width = 0;
        printed.visit(0, 0, &mut |i| width = width.max(printed.element(i).len()));
        printed.width = width;
        printed
    }

    fn element(&self, i: usize) -> String {
        let x = self.array.f64(i);
        match self.style {
            Style::Bool => (self.array.i64(i) != 0).to_string(),
            Style::Int => self.array.i64(i).to_string(),
            _ if x.is_nan() => "nan".to_string(),
            _ if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_string(),
            Style::Whole => format!("{x:.0}."),
            Style::Fixed => format!("{x:.4}"),
            Style::Scientific => scientific(x),
        }
    }

    /// The positions of an axis that are shown; `None` for what is left out.
    fn shown(&self, len: usize) -> Vec<Option<usize>> {
        if !self.is_short || len <= 2 * EDGE {
            return (0..len).map(Some).collect();
        }
        let (first, last) = (0..EDGE, len - EDGE..len);
        first.map(Some).chain([None]).chain(last.map(Some)).collect()
    }

    fn visit(&self, axis: usize, start: usize, look: &mut impl FnMut(usize)) {
        if axis == self.strides.len() {
            return look(start);
        }
        for at in self.shown(self.array.shape()[axis]).into_iter().flatten() {
            self.visit(axis + 1, start + at * self.strides[axis], look);
        }
    }

    fn part(&self, text: &mut String, axis: usize, start: usize, indent: usize) {
        let rank = self.strides.len();
        if axis == rank {
            let element = self.element(start);
            *text += &format!("{element:>width$}", width = self.width);
            return;
        }
        text.push('[');
        let per_line = ((WIDTH.saturating_sub(indent)) / (self.width + 2)).max(1);
        for (n, at) in self.shown(self.array.shape()[axis]).into_iter().enumerate() {
            if n > 0 {
                text.push(',');
                let is_row = axis + 1 == rank;
                let lines = if is_row { (n % per_line == 0) as usize } else { rank - axis - 1 };
                match lines {
                    0 => text.push(' '),
                    lines => *text += &format!("{}{}", "\n".repeat(lines), " ".repeat(indent - 1)),
                }
                if lines > 0 {
                    text.push(' ');
                }
            }
            match at {
                Some(at) => self.part(text, axis + 1, start + at * self.strides[axis], indent + 1),
                None => *text += "...",
            }
        }
        text.push(']');
    }
}

/// The style that suits all elements.
fn style(array: &Array) -> Style {
    if array.dtype() == DType::Bool {
        return Style::Bool;
    }
    if !array.dtype().is_float() {
        return Style::Int;
    }
    let finite = || (0..array.len()).map(|i| array.f64(i)).filter(|x| x.is_finite());
    let sizes = || finite().map(f64::abs).filter(|&x| x > 0.0);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let is_wide = most > 0.0 && most / least > 1000.0;
    if finite().all(|x| x.fract() == 0.0) {
        return if most > 1e8 || is_wide && most >= 1e8 { Style::Scientific } else { Style::Whole };
    }
    if most > 1e8 || least < 1e-4 || is_wide { Style::Scientific } else { Style::Fixed }
}

/// `1.0000e-05`
fn scientific(x: f64) -> String {
    let text = format!("{x:.4e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}
