//! Cases: the example calls of the op table in executable form. The same list serves as forward
//! tests on every device, gradient checks, benchmarks and documentation.
//!
//! A case is the text of a call's arguments: `f32[2, 3] in 0.1..2, dim=1`. Besides plain values
//! (numbers, strings, `none`, lists, slices) an argument may be a tensor, written as its type and
//! the range of its elements. By default floats lie in −2..2 and integers in 0..5; the upper end of
//! integers is exclusive.
use crate::array::Array;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::eval::eval;
use crate::graph::{Graph, Id};
use crate::ops::{Role, threefry};
use crate::recorder::{Expr, Recorder};
use crate::shape::Type;
use crate::syntax::{Parser, Tensors, Token};
use crate::table::{self, OpEntry, Reader};
use crate::value::Value;
use std::collections::HashMap;
use std::fmt;

/// The maximum number of elements of a tensor; they are computed while a case is recorded.
const MAX_ELEMENTS: usize = 1 << 20;

/// One example call.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub entry: &'static OpEntry,
    pub text: &'static str,
}

/// A case in a graph.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The tensors among the arguments, in order, with their elements. Names of inputs end with
    /// the range of the elements.
    pub inputs: Vec<(Id, Array)>,
    pub outputs: Vec<Id>,
}

/// The cases of all ops, in order of the table.
pub fn cases() -> impl Iterator<Item = Case> {
    let of = |entry: &'static OpEntry| entry.cases.iter().map(move |text| Case { entry, text });
    table::all().iter().flat_map(of)
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.entry.name, self.text)
    }
}

impl Case {
    /// Records the call. `float` replaces every `f32` of the case, so that gradients can be
    /// checked in `f64`. Elements are a pure function of the op's name, the number of the tensor
    /// and the index.
    pub fn record(&self, g: &Recorder, float: DType) -> Result<Recorded> {
        self.record_resized(g, float, &|len| len)
    }

    /// Records the call with other axis lengths: `resize` maps each length in the case to the new
    /// one. Other arguments are unchanged, so the op may reject the call.
    pub fn record_resized(
        &self,
        g: &Recorder,
        float: DType,
        resize: &dyn Fn(usize) -> usize,
    ) -> Result<Recorded> {
        let mut feed = Feed { g, case: *self, float, resize, inputs: Vec::new() };
        let mut p = Parser::new(self.entry.name, self.text)?;
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        while *p.peek() != Token::End {
            match (p.peek().clone(), p.peek_second()) {
                (Token::Word(name), Token::Sign("=")) => {
                    p.next();
                    p.next();
                    named.push((name, p.value(&mut feed)?));
                }
                _ => positional.push(p.value(&mut feed)?),
            }
            if *p.peek() != Token::End {
                p.expect(",")?;
            }
        }
        positional.iter_mut().chain(named.iter_mut().map(|(_, v)| v)).for_each(|v| feed.adapt(v));
        let named: Vec<(&str, Value)> = named.iter().map(|(n, v)| (&**n, v.clone())).collect();
        let outputs = self.entry.call_reading(g, &mut feed, &positional, &named)?;
        let mut inputs = feed.inputs;
        let seed = |id| (id, Array::full(&Type::new(DType::U32, []), 1.into()));
        inputs.extend(g.read(Graph::seed).map(seed));
        Ok(Recorded { inputs, outputs })
    }
}

/// Creates the tensors of a case, and computes on the reference device the tensors that an op
/// reads.
struct Feed<'g> {
    g: &'g Recorder,
    case: Case,
    float: DType,
    resize: &'g dyn Fn(usize) -> usize,
    inputs: Vec<(Id, Array)>,
}

impl Feed<'_> {
    fn dtype(&self, dtype: DType) -> DType {
        if dtype == DType::F32 { self.float } else { dtype }
    }

    /// Replaces `f32` by `float` in dtype arguments.
    fn adapt(&self, value: &mut Value) {
        match value {
            Value::DType(dtype) => *dtype = self.dtype(*dtype),
            Value::List(items) => items.iter_mut().for_each(|item| self.adapt(item)),
            _ => {}
        }
    }

    fn add(&mut self, g: &Recorder, value: Array, range: &str) -> Id {
        let name = format!("{}{}{range}", self.case.entry.name, self.inputs.len());
        let id = g.input(&name, Role::Data, value.ty.clone()).id();
        self.inputs.push((id, value));
        id
    }
}

impl Tensors for Feed<'_> {
    /// `f32[2, 3] in 0.1..2`
    fn tensor(&mut self, p: &mut Parser) -> Result<Option<Value>> {
        if p.peek_dtype().is_none() || *p.peek_second() != Token::Sign("[") {
            return Ok(None);
        }
        let Type { dtype, shape } = p.ty()?;
        let shape: Vec<usize> = shape.iter().map(|&len| (self.resize)(len)).collect();
        let ty = Type::new(self.dtype(dtype), shape);
        if ty.elements() > MAX_ELEMENTS {
            let what = format!("a case has tensors of at most {MAX_ELEMENTS} elements, not {ty}");
            return Err(Error::shape(self.case.entry.name, what));
        }
        let mut range = match dtype {
            DType::Bool => (0.0, 2.0),
            _ if dtype.is_float() => (-2.0, 2.0),
            _ => (0.0, 5.0),
        };
        if p.accept_word("in") {
            range.0 = bound(p)?;
            p.expect("..")?;
            range.1 = bound(p)?;
        }
        let seed = (self.case.entry.name, self.inputs.len());
        let elements = elements(seed, &ty, range);
        let (g, (low, high)) = (self.g, range);
        Ok(Some(Value::Tensor(self.add(g, elements, &format!(" in {low}..{high}")))))
    }
}

fn bound(p: &mut Parser) -> Result<f64> {
    let bound = match *p.peek() {
        Token::Int(i) => i as f64,
        Token::Float(x) => x,
        _ => return p.unexpected("a bound of the range"),
    };
    p.next();
    Ok(bound)
}

impl Reader for Feed<'_> {
    fn read(&mut self, x: Expr) -> Result<Array> {
        let values: HashMap<Id, Array> = self.inputs.iter().cloned().collect();
        let mut read = x.recorder().read(|graph| eval(graph, &values, &[x.id()]))?;
        read.pop().ok_or_else(|| Error::data(self.case.entry.name, "nothing was read"))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        g.expr(self.add(g, value, ""))
    }
}

/// Stratified samples of `low..high` in shuffled order: the range is divided into as many equal
/// parts as there are elements, and each element is drawn from the middle half of one part. So no
/// two are near each other, and integers repeat only if there are more elements than numbers. The
/// bits are those of Threefry for the key (hash of the op's name, number of the tensor) and the
/// counter (element, 0): the first word orders the parts, the second selects the position within
/// the part.
pub fn elements((op, number): (&str, usize), ty: &Type, (low, high): (f64, f64)) -> Array {
    // FNV-1a.
    let name = op.bytes().fold(0x811C_9DC5u32, |h, b| (h ^ b as u32).wrapping_mul(0x0100_0193));
    let n = ty.elements();
    let bits: Vec<[u32; 2]> =
        (0..n).map(|i| threefry([name, number as u32], [i as u32, 0])).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by_key(|&i| (bits[i][0], i));
    let mut x = vec![0.0; n];
    for (part, &i) in order.iter().enumerate() {
        let within = 0.25 + 0.5 * (bits[i][1] as f64 / 2f64.powi(32));
        let at = low + (high - low) * ((part as f64 + within) / n as f64);
        x[i] = if ty.dtype.is_float() { at } else { at.floor() };
    }
    Array::from_f64(ty, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(ty: &Type, range: (f64, f64)) -> Vec<f64> {
        elements(("softmax", 0), ty, range).to_f64()
    }

    #[test]
    fn elements_are_apart_and_in_range() {
        let x = sample(&Type::new(DType::F64, [4, 5]), (-2.0, 2.0));
        for (i, a) in x.iter().enumerate() {
            assert!((-2.0..2.0).contains(a), "{a}");
            assert!(x[..i].iter().all(|b| (a - b).abs() > 0.09), "{a} is near another");
        }
        let mut whole = sample(&Type::new(DType::I64, [5]), (0.0, 5.0));
        whole.sort_by(f64::total_cmp);
        assert_eq!(whole, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(sample(&Type::new(DType::F32, [2]), (1.0, 1.0)), [1.0, 1.0]);
        let flags = sample(&Type::new(DType::Bool, [6]), (0.0, 2.0));
        assert_eq!(flags.iter().sum::<f64>(), 3.0);
    }

    #[test]
    fn a_case_is_recorded_in_the_given_float_type() {
        let case = cases().find(|case| case.entry.name == "softmax").expect("softmax has cases");
        let g = Recorder::default();
        let recorded = case.record(&g, DType::F64).expect("records");
        assert_eq!(recorded.inputs[0].1.ty, Type::new(DType::F64, [2, 3]));
        assert_eq!(g.expr(recorded.outputs[0]).ty(), Type::new(DType::F64, [2, 3]));
    }

    #[test]
    fn errors_of_cases_contain_the_position() {
        let entry = table::find("softmax").expect("in the table");
        let rows = [
            ("f32[2, 3] in 0:1", "softmax: expected '..', found ':'\n  at 1:15"),
            ("f32[2, -3]", "softmax: expected the length of an axis, found -3\n  at 1:8"),
            ("f32[2] dim=1", "softmax: expected ',', found 'dim'\n  at 1:8"),
            ("f32[2], %x", "softmax: expected a value, found %x\n  at 1:9"),
        ];
        for (text, want) in rows {
            let error = Case { entry, text }.record(&Recorder::default(), DType::F32);
            assert_eq!(error.expect_err(text).to_string(), want, "{text}");
        }
    }
}
