//! Evaluates Python expressions with PyTorch calls while parsing them: operations on tensors become
//! op calls, all others use Python arithmetic.
use super::CaseError;
use super::call::Arguments;
use super::check::Expected;
use super::format::ExprCase;
use super::numbers;
use super::session::{Session, Source};
use super::tokens::tokens;
use brasa_ir::{Array, Id, Number, Recorder, Value};

type Result<T> = std::result::Result<T, CaseError>;

/// Maximum nesting depth, to limit stack use.
const MAX_DEPTH: usize = 64;

/// Binary operators and their ops by precedence, lowest first.
const OPERATORS: [&[(&str, &str)]; 7] = [
    &[("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge"), ("==", "eq"), ("!=", "ne")],
    &[("|", "bitwise_or")],
    &[("^", "bitwise_xor")],
    &[("&", "bitwise_and")],
    &[("<<", "bitwise_left_shift"), (">>", "bitwise_right_shift")],
    &[("+", "add"), ("-", "sub")],
    &[("*", "mul"), ("/", "div"), ("//", "floor_divide"), ("%", "remainder"), ("@", "matmul")],
];

/// The largest error of a case, as a fraction of its tolerance.
pub(super) fn run(case: &ExprCase, source: Source) -> Result<f64> {
    let g = Recorder::default();
    let mut session = Session::new(&g, source);
    session.arguments(&case.args)?;
    let outputs = evaluate(&case.expr, &mut session)?;
    let mut expected = Expected::new(&session, case.tolerance, &case.outputs, &case.grads)?;
    let ones = |want: &super::compare::Want| Array::full(&want.ty(), Number::Float(1.0));
    expected.cotangents = expected.outputs.iter().map(|want| Some(ones(want))).collect();
    expected.check(&mut session, &outputs)
}

/// The tensors that an expression over the session's inputs evaluates to.
fn evaluate(text: &str, session: &mut Session) -> Result<Vec<Id>> {
    let items = match value(text, session)? {
        Value::List(items) => items,
        one => vec![one],
    };
    let tensor = |item: &Value| match item {
        Value::Tensor(id) => Ok(*id),
        other => Err(CaseError::failed(format!(
            "the expression evaluates to {other}, expected a tensor"
        ))),
    };
    items.iter().map(tensor).collect()
}

fn value(text: &str, session: &mut Session) -> Result<Value> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0, session };
    let first = reader.expression()?;
    let value = match reader.accept(",") {
        true => Value::List([vec![first], reader.list("", Reader::expression)?].concat()),
        false => first,
    };
    reader.expect("")?;
    Ok(value)
}

struct Reader<'r, 'a, 'g> {
    tokens: Vec<String>,
    at: usize,
    depth: usize,
    session: &'r mut Session<'a, 'g>,
}

impl Reader<'_, '_, '_> {
    fn peek(&self) -> &str {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> String {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the next token if it is `token`.
    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.peek() == token {
            self.next();
            return Ok(());
        }
        let (got, token) = (self.peek(), if token.is_empty() { "the end" } else { token });
        Err(CaseError::failed(format!("expected {token} at token {}, got '{got}'", self.at)))
    }

    fn expression(&mut self) -> Result<Value> {
        self.operators(0)
    }

    /// Operands joined by operators of at least precedence `rank`, left-associative.
    fn operators(&mut self, rank: usize) -> Result<Value> {
        let Some(signs) = OPERATORS.get(rank) else { return self.unary() };
        let mut value = self.operators(rank + 1)?;
        let mut count = 0;
        while let Some((_, op)) = signs.iter().find(|(sign, _)| *sign == self.peek()) {
            count += 1;
            if rank == 0 && count > 1 {
                return Err(CaseError::failed("chained comparisons are not supported"));
            }
            self.next();
            let right = self.operators(rank + 1)?;
            value = self.binary(op, value, right)?;
        }
        Ok(value)
    }

    fn binary(&mut self, op: &str, left: Value, right: Value) -> Result<Value> {
        match numbers::binary(op, &left, &right) {
            Some(result) => result.map_err(CaseError::failed),
            None => self.session.one(op, &[left, right]),
        }
    }

    fn unary(&mut self) -> Result<Value> {
        if self.depth == MAX_DEPTH {
            return Err(CaseError::failed(format!("nesting is deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let value = self.signed();
        self.depth -= 1;
        value
    }

    fn signed(&mut self) -> Result<Value> {
        if self.accept("+") {
            return self.unary();
        }
        let op = match self.peek() {
            "-" => "neg",
            "~" => "bitwise_not",
            _ => return self.power(),
        };
        self.next();
        let value = self.unary()?;
        match numbers::unary(op, &value) {
            Some(result) => Ok(result),
            None => self.session.one(op, &[value]),
        }
    }

    fn power(&mut self) -> Result<Value> {
        let base = self.chain()?;
        if !self.accept("**") {
            return Ok(base);
        }
        let exponent = self.unary()?;
        self.binary("pow", base, exponent)
    }

    /// An atom followed by methods, attributes and subscripts.
    fn chain(&mut self) -> Result<Value> {
        let mut value = self.atom()?;
        loop {
            if self.accept(".") {
                let name = self.next();
                value = self.member(&name, value)?;
            } else if self.accept("[") {
                let index = self.list("]", Self::index)?;
                value = match value {
                    Value::List(items) => {
                        numbers::item(&items, &index).map_err(CaseError::failed)?
                    }
                    tensor => self.session.one("index", &[tensor, Value::List(index)])?,
                };
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<Value> {
        let token = self.next();
        Ok(match token.as_str() {
            "(" if self.accept(")") => Value::List(Vec::new()),
            "(" => {
                let first = self.expression()?;
                if self.accept(")") {
                    return Ok(first);
                }
                self.expect(",")?;
                let rest = self.list(")", Self::expression)?;
                Value::List([vec![first], rest].concat())
            }
            "[" => Value::List(self.list("]", Self::expression)?),
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::None,
            "..." => Value::Ellipsis,
            "torch" | "F" | "math" => self.path(token)?,
            "float" => {
                self.expect("(")?;
                let value = self.expression()?;
                self.expect(")")?;
                numbers::float(&value).map_err(CaseError::failed)?
            }
            word if word.starts_with(['\'', '"']) => {
                Value::Str(word[1..word.len() - 1].to_string())
            }
            number if number.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                numbers::parse(number).map_err(CaseError::failed)?
            }
            name if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                return Err(CaseError::failed(match name {
                    "" => "unexpected end of the expression".to_string(),
                    sign => format!("unexpected '{sign}' at token {}", self.at - 1),
                }));
            }
            name => match self.session.leaf(name) {
                Ok(leaf) => Value::Tensor(leaf.id()),
                Err(_) => return Err(CaseError::failed(format!("unknown name '{name}'"))),
            },
        })
    }

    /// The function, dtype or constant after `torch.`, `F.` or `math.`.
    fn path(&mut self, first: String) -> Result<Value> {
        let mut path = if first == "F" { "nn.functional".to_string() } else { String::new() };
        while self.accept(".") {
            let name = self.next();
            path = if path.is_empty() { name } else { format!("{path}.{name}") };
        }
        if self.peek() == "(" {
            return if path == "tensor" { self.literal() } else { self.call(&path, Vec::new()) };
        }
        if let Ok(dtype) = path.parse() {
            return Ok(Value::DType(dtype));
        }
        let constant = numbers::constant(&path);
        constant.ok_or_else(|| CaseError::failed(format!("unknown name '{first}.{path}'")))
    }

    /// The parenthesized numbers of `torch.tensor`.
    fn literal(&mut self) -> Result<Value> {
        self.expect("(")?;
        match &self.list(")", Self::argument)?[..] {
            [(None, items)] => {
                let array = numbers::array(items).map_err(CaseError::failed)?;
                Ok(Value::Tensor(self.session.input("torch.tensor", array).id()))
            }
            _ => Err(CaseError::failed("torch.tensor expects only numbers")),
        }
    }

    /// Items up to `end`.
    fn list<T>(&mut self, end: &str, item: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(end) {
            items.push(item(self)?);
            if !self.accept(",") {
                self.expect(end)?;
                break;
            }
            if end.is_empty() && self.peek().is_empty() {
                break;
            }
        }
        Ok(items)
    }

    /// A part of an index: a value or a slice.
    fn index(&mut self) -> Result<Value> {
        let start = if self.peek() == ":" { Value::None } else { self.expression()? };
        if !self.accept(":") {
            return Ok(start);
        }
        let start = bound(start)?;
        let stop = self.end_of_slice()?;
        let step = if self.accept(":") { self.end_of_slice()? } else { None };
        Ok(Value::Slice(start, stop, step))
    }

    fn end_of_slice(&mut self) -> Result<Option<i64>> {
        if [":", ",", "]"].contains(&self.peek()) { Ok(None) } else { bound(self.expression()?) }
    }

    /// A method or an attribute of a value.
    fn member(&mut self, name: &str, value: Value) -> Result<Value> {
        let id = match &value {
            Value::Tensor(id) => *id,
            // Names of the results of ops such as `max` and `sort`.
            Value::List(items) if items.len() == 2 && ["values", "indices"].contains(&name) => {
                return Ok(items[(name == "indices") as usize].clone());
            }
            other => return Err(CaseError::failed(format!("{other} has no '{name}'"))),
        };
        let ty = self.session.g.expr(id).ty();
        let sizes = ty.shape.iter().map(|&n| Value::Int(n as i64)).collect();
        let is_call = self.peek() == "(";
        match (name, is_call) {
            ("shape", false) => Ok(Value::List(sizes)),
            ("ndim", false) => Ok(Value::Int(ty.rank() as i64)),
            ("dtype", false) => Ok(Value::DType(ty.dtype)),
            ("size" | "dim" | "numel", true) => {
                self.expect("(")?;
                let args = self.list(")", Self::expression)?;
                match (name, &args[..]) {
                    ("size", []) => Ok(Value::List(sizes)),
                    ("size", [_]) => numbers::item(&sizes, &args).map_err(CaseError::failed),
                    ("dim", []) => Ok(Value::Int(ty.rank() as i64)),
                    ("numel", []) => Ok(Value::Int(ty.elements() as i64)),
                    _ => Err(CaseError::failed(format!("{name} got too many arguments"))),
                }
            }
            _ => self.call(name, vec![(None, value)]),
        }
    }

    /// Calls an op with `args` and the parenthesized arguments that follow. Without parentheses it
    /// is an attribute, such as `x.T`.
    fn call(&mut self, op: &str, mut args: Arguments) -> Result<Value> {
        if self.accept("(") {
            args.extend(self.list(")", Self::argument)?);
        }
        Ok(match self.session.call(op, args)?[..] {
            [id] => Value::Tensor(id),
            ref ids => Value::List(ids.iter().copied().map(Value::Tensor).collect()),
        })
    }

    /// `value` or `name=value`.
    fn argument(&mut self) -> Result<(Option<String>, Value)> {
        if self.tokens.get(self.at + 1).is_none_or(|token| token != "=") {
            return Ok((None, self.expression()?));
        }
        let name = self.next();
        self.next();
        Ok((Some(name), self.expression()?))
    }
}

fn bound(value: Value) -> Result<Option<i64>> {
    match value {
        Value::None => Ok(None),
        Value::Int(i) => Ok(Some(i)),
        other => Err(CaseError::failed(format!("slice bounds must be integers, got {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Tensors;
    use crate::device::Device;
    use brasa_ir::{DType, Type};
    use std::path::Path;

    /// Evaluates an expression over `x = [[1, 2, 3], [4, 5, 6]]` and `i = [2, 0]`: its shape and
    /// elements as text, or the error message.
    fn result(text: &str) -> String {
        let (g, tensors) = (Recorder::default(), Tensors::default());
        let source =
            Source { index: Path::new("index"), tensors: &tensors, device: Device::Reference };
        let mut session = Session::new(&g, source);
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        session.input("x", Array::from_f64(&Type::new(DType::F32, [2, 3]), six));
        session.input("i", Array::from_i64(&Type::new(DType::I64, [2]), [2, 0]));
        let ids = match value(text, &mut session) {
            Ok(Value::Tensor(id)) => vec![id],
            Ok(other) => return other.to_string(),
            Err(CaseError::Failed { why, .. } | CaseError::Unsupported(why)) => return why,
            Err(CaseError::Data(error)) => return error.to_string(),
        };
        let array = session.run(&ids).expect("a value").remove(0);
        let number =
            |n: usize| if array.dtype().is_float() { array.f64(n) } else { array.i64(n) as f64 };
        let numbers: Vec<f64> = (0..array.len()).map(number).collect();
        format!("{} {numbers:?}", array.ty)
    }

    /// Compares results and reports all differences.
    fn check(cases: &[(&str, &str)]) {
        let differs = |(text, want): &(&str, &str)| match result(text) {
            got if got == *want => None,
            got => Some(format!("{text} is {got}, expected {want}")),
        };
        let wrong: Vec<String> = cases.iter().filter_map(differs).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn numbers_evaluate_as_in_python() {
        check(&[
            ("1e-5", "1e-5"),
            ("1E3 + .5", "1000.5"),
            ("1_000", "1000"),
            ("7 // 2 + 7 % 4", "6"),
            ("-7 // 2", "-4"),
            ("-7 % 3", "2"),
            ("2 ** -1", "0.5"),
            ("-2 ** 2", "-4"),
            ("1 / 2", "0.5"),
            ("3 < 4", "true"),
            ("float('-inf')", "-inf"),
            ("math.pi > 3.14", "true"),
            ("(2, 3)[-1]", "3"),
            ("(2, 3) + (4,)", "[2, 3, 4]"),
            ("()", "[]"),
        ]);
    }

    #[test]
    fn tensors_evaluate_as_in_python() {
        check(&[
            ("(x * 5e-1).sum()", "f32[] [10.5]"),
            ("x.sum(dim=1, keepdim=True)", "f32[2, 1] [6.0, 15.0]"),
            ("x > 3", "bool[2, 3] [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]"),
            ("3 >= x", "bool[2, 3] [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]"),
            ("(x != 2).sum()", "i64[] [5.0]"),
            ("((x > 1) & ~(x > 4) | (x == 6)).sum()", "i64[] [4.0]"),
            ("torch.where(x < 4, x, -x).sum()", "f32[] [-9.0]"),
            ("1 - x[0]", "f32[3] [0.0, -1.0, -2.0]"),
            ("2 ** x[0]", "f32[3] [2.0, 4.0, 8.0]"),
            ("12 / x[0]", "f32[3] [12.0, 6.0, 4.0]"),
            ("x[1] // 2 + x[1] % 2", "f32[3] [2.0, 3.0, 3.0]"),
            ("+x[0] - -x[0]", "f32[3] [2.0, 4.0, 6.0]"),
            ("x[:, 1:]", "f32[2, 2] [2.0, 3.0, 5.0, 6.0]"),
            ("x[..., None].shape", "[2, 3, 1]"),
            ("x[0, i]", "f32[2] [3.0, 1.0]"),
            ("x.reshape(-1, x.shape[0])[::2]", "f32[2, 2] [1.0, 2.0, 5.0, 6.0]"),
            ("x.view(x.size(0) * x.size(-1)).ndim", "1"),
            ("x.max(dim=1).values", "f32[2] [3.0, 6.0]"),
            (
                "torch.sort(x, dim=-1, descending=True)[1]",
                "i64[2, 3] [2.0, 1.0, 0.0, 2.0, 1.0, 0.0]",
            ),
            ("x.T @ x", "f32[3, 3] [17.0, 22.0, 27.0, 22.0, 29.0, 36.0, 27.0, 36.0, 45.0]"),
            ("x.to(torch.float64).dtype", "f64"),
            ("F.softplus(x[0], beta=2.0, threshold=1.0)", "f32[3] [1.0, 2.0, 3.0]"),
            ("torch.nn.functional.pad(x[0], (1, 0), value=torch.pi)[0] > 3", "bool[] [1.0]"),
            ("torch.linalg.norm(x[0] * 0)", "f32[] [0.0]"),
            ("torch.tensor([[1, 2], [3, -4]])", "i64[2, 2] [1.0, 2.0, 3.0, -4.0]"),
            ("torch.tensor(0.5) * torch.tensor([True])", "f32[1] [0.5]"),
        ]);
    }

    #[test]
    fn invalid_expressions_are_reported() {
        check(&[
            ("x +", "unexpected end of the expression"),
            ("x y", "expected the end at token 1, got 'y'"),
            ("(x", "expected , at token 2, got ''"),
            ("z * 2", "unknown name 'z'"),
            ("x.no_such_op()", "there is no op 'no_such_op'"),
            ("x if x else x", "expected the end at token 1, got 'if'"),
            ("1 < x < 2", "chained comparisons are not supported"),
            ("torch.nonsense", "unknown name 'torch.nonsense'"),
            ("'abc", "unterminated string 'abc"),
            ("1 / 0", "division by zero"),
            ("torch.tensor([[1], [2, 3]])", "torch.tensor: rows of different lengths"),
            ("torch.tensor([x])", "torch.tensor: a tensor is not a number"),
            ("(1, 2)[5]", "index 5 is out of range for 2 items"),
            ("x * 2j", "expected the end at token 3, got 'j'"),
            ("$", "unexpected '$' at token 0"),
            ("(".repeat(500).as_str(), "nesting is deeper than 64"),
            ("-".repeat(500).as_str(), "nesting is deeper than 64"),
            ("x+".repeat(5000).as_str(), "more than 1000 tokens"),
        ]);
        let calls = ["x.sum(axes=1)", "x[7]", "torch.cat([x, i], 5)", "x.reshape(0x10)"];
        for text in calls {
            let why = result(text);
            assert!(!why.starts_with("f32"), "{text}: {why}");
        }
    }
}
