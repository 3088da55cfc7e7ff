//! Printing in PyTorch's format: four digits, aligned columns, long axes shortened. Literals and
//! dtypes are spelled as in Rust: `true`, `f64`.
use crate::{DType, Error, Result, Tensor};
use brasa_ir::Array;
use std::fmt;

/// Tensors with more elements are shortened.
const WHOLE: usize = 1000;
/// Number of positions shown at either end of a shortened axis.
const EDGE: usize = 3;
/// Maximum line width.
const WIDTH: usize = 80;
/// The prefix, by whose length later rows are indented.
const PREFIX: &str = "tensor(";

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_being_recorded() {
            return write!(
                f,
                "tensor({}, recorded for a compiled function: no value yet)",
                self.ty()
            );
        }
        match self.to_array() {
            Ok(array) => f.write_str(&self.text(&array)),
            Err(error) => write!(f, "tensor(no value: {error})"),
        }
    }
}

impl Tensor {
    /// Formats the tensor as `Display` does, with these bytes as its value.
    pub fn format_bytes(&self, bytes: &[u8]) -> Result<String> {
        let array = Array::from_bytes(self.ty(), bytes);
        Ok(self.text(&array.map_err(|what| Error::data("print", what))?))
    }

    /// The old name of [`format_bytes`](Tensor::format_bytes).
    #[deprecated(since = "0.2.0", note = "renamed to `format_bytes`")]
    pub fn shown(&self, bytes: &[u8]) -> Result<String> {
        self.format_bytes(bytes)
    }

    fn text(&self, array: &Array) -> String {
        let (text, is_empty) = (PREFIX.to_string(), array.is_empty());
        let text = text + &if is_empty { "[]".to_string() } else { Printed::new(array).text() };
        let mut remarks = Vec::new();
        if is_empty && self.rank() != 1 {
            remarks.push(format!("size={:?}", self.shape()));
        }
        let is_plain = match self.dtype() {
            DType::F32 => true,
            DType::I64 | DType::Bool => !is_empty,
            _ => false,
        };
        if !is_plain {
            remarks.push(format!("dtype={}", self.dtype()));
        }
        let cell = self.cell();
        match (cell.is_leaf, cell.is_tracked) {
            (true, _) => remarks.push("requires_grad=true".to_string()),
            (false, true) => remarks.push("tracked".to_string()),
            _ => {}
        }
        with_remarks(text, &remarks)
    }
}

/// Appends remarks, each on a new line if it does not fit.
fn with_remarks(mut text: String, remarks: &[String]) -> String {
    // PyTorch counts two characters more.
    let mut width = text.len() + 2 - text.rfind('\n').map_or(0, |at| at + 1);
    for remark in remarks {
        if width + remark.len() + 2 > WIDTH {
            text += &format!(",\n{}{remark}", " ".repeat(PREFIX.len()));
            width = PREFIX.len() + remark.len();
        } else {
            text += &format!(", {remark}");
            width += remark.len() + 2;
        }
    }
    text + ")"
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => write!(f, "{self}"),
            false => write!(f, "Tensor({})", self.ty()),
        }
    }
}

/// An array formatted with a common style and width.
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
        let mut printed = Printed { array, strides, style: Style::Int, width: 1, is_short };
        let mut shown = Vec::new();
        printed.visit(0, 0, &mut |i| shown.push(i));
        if array.dtype().is_float() {
            // Zeros, infinities and NaN do not affect the style.
            shown.retain(|&i| array.f64(i) != 0.0 && array.f64(i).is_finite());
        }
        printed.style = style(array, &shown);
        printed.width = shown.iter().map(|&i| printed.element(i).len()).fold(1, usize::max);
        printed
    }

    fn text(&self) -> String {
        let mut text = String::new();
        self.part(&mut text, 0, 0, PREFIX.len());
        text
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

    /// The shown positions of an axis; `None` marks the gap.
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
        let is_row = axis + 1 == rank;
        let per_line = (WIDTH.saturating_sub(indent) / (self.width + 2)).max(1);
        text.push('[');
        for (n, at) in self.shown(self.array.shape()[axis]).into_iter().enumerate() {
            let lines = if is_row { n.is_multiple_of(per_line) as usize } else { rank - axis - 1 };
            match (n, lines) {
                (0, _) => {}
                (_, 0) => *text += ", ",
                _ => *text += &format!(",{}{}", "\n".repeat(lines), " ".repeat(indent + 1)),
            }
            match at {
                Some(at) => self.part(text, axis + 1, start + at * self.strides[axis], indent + 1),
                None => *text += if is_row { " ..." } else { "..." },
            }
        }
        text.push(']');
    }
}

/// The style for the elements at these offsets.
fn style(array: &Array, places: &[usize]) -> Style {
    if array.dtype() == DType::Bool {
        return Style::Bool;
    }
    if !array.dtype().is_float() {
        return Style::Int;
    }
    let sizes = || places.iter().map(|&i| array.f64(i).abs());
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let is_whole = sizes().all(|x| x.fract() == 0.0);
    let is_wide = most > 1e8 || most / least > 1000.0 || !is_whole && least < 1e-4;
    match (is_wide, is_whole) {
        (true, _) => Style::Scientific,
        (false, true) => Style::Whole,
        (false, false) => Style::Fixed,
    }
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
