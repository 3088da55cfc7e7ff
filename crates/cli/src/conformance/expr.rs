//! Expressions as one writes them in Python with PyTorch: evaluated while they are read, by calls
//! of ops.
use super::Trouble;
use super::call::Arguments;
use super::check::Expected;
use super::format::ExprCase;
use super::session::{Session, Source};
use brasa_ir::{Array, Id, Number, Recorder, Value};

type Result<T> = std::result::Result<T, Trouble>;

/// Keeps nesting within the stack.
const MOST_TOKENS: usize = 1000;

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

/// The tensors that an expression over the inputs of `session` gives.
fn evaluate(text: &str, session: &mut Session) -> Result<Vec<Id>> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, session };
    let value = reader.sum()?;
    reader.expect("")?;
    let items = if let Value::List(items) = value { items } else { vec![value] };
    let tensor = |item: &Value| match item {
        Value::Tensor(id) => Ok(*id),
        other => Err(Trouble::failed(format!("the expression gives {other}, not a tensor"))),
    };
    items.iter().map(tensor).collect()
}

/// Names, numbers, strings (with their first quote) and signs; an empty one at the end.
fn tokens(text: &str) -> Result<Vec<String>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            '0'..='9' => rest.find(|c| !is_word(c) && c != '.').unwrap_or(rest.len()),
            '\'' | '"' => match rest[1..].find(first) {
                Some(end) => end + 2,
                None => return Err(Trouble::failed(format!("no end of the string {rest}"))),
            },
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("...") => 3,
            _ if rest.starts_with("**") => 2,
            c => c.len_utf8(),
        };
        tokens.push(rest[..len].to_string());
        rest = rest[len..].trim_start();
    }
    if tokens.len() > MOST_TOKENS {
        return Err(Trouble::failed(format!("more than {MOST_TOKENS} tokens")));
    }
    tokens.push(String::new());
    Ok(tokens)
}

struct Reader<'r, 'a, 'g> {
    tokens: Vec<String>,
    at: usize,
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
        Err(Trouble::failed(format!("expected {token} at token {}, got '{got}'", self.at)))
    }

    fn sum(&mut self) -> Result<Value> {
        self.operators(&[("+", "add"), ("-", "sub")], Self::product)
    }

    fn product(&mut self) -> Result<Value> {
        self.operators(&[("*", "mul"), ("/", "div"), ("@", "matmul")], Self::negation)
    }

    /// Operands joined by operators of one rank, from left to right.
    fn operators(
        &mut self,
        ops: &[(&str, &str)],
        operand: fn(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let mut value = operand(self)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| *sign == self.peek()) {
            self.next();
            let right = operand(self)?;
            value = self.session.one(op, &[value, right])?;
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Value> {
        if !self.accept("-") {
            return self.power();
        }
        match self.negation()? {
            Value::Int(i) => Ok(Value::Int(-i)),
            Value::Float(x) => Ok(Value::Float(-x)),
            tensor => self.session.one("neg", &[tensor]),
        }
    }

    fn power(&mut self) -> Result<Value> {
        let base = self.chain()?;
        if !self.accept("**") {
            return Ok(base);
        }
        let exponent = self.negation()?;
        self.session.one("pow", &[base, exponent])
    }

    /// An atom followed by methods, attributes and indices.
    fn chain(&mut self) -> Result<Value> {
        let mut value = self.atom()?;
        loop {
            if self.accept(".") {
                let name = self.next();
                value = self.call(&name, vec![(None, value)])?;
            } else if self.accept("[") {
                let index = self.list("]", Self::index)?;
                value = self.session.one("index", &[value, Value::List(index)])?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<Value> {
        let token = self.next();
        Ok(match token.as_str() {
            "(" => {
                let first = self.sum()?;
                if self.accept(")") {
                    return Ok(first);
                }
                self.expect(",")?;
                let rest = self.list(")", Self::sum)?;
                Value::List([vec![first], rest].concat())
            }
            "[" => Value::List(self.list("]", Self::sum)?),
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::None,
            "..." => Value::Ellipsis,
            "torch" | "F" => {
                let mut name = token;
                while self.accept(".") {
                    name = self.next();
                }
                self.call(&name, Vec::new())?
            }
            word if word.starts_with(['\'', '"']) => {
                Value::Str(word[1..word.len() - 1].to_string())
            }
            number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                let int = number.parse().map(Value::Int);
                let float = || number.parse().map(Value::Float);
                let wrong = |_| Trouble::failed(format!("'{number}' is no number"));
                int.or_else(|_| float()).map_err(wrong)?
            }
            name => Value::Tensor(self.session.leaf(name)?.id()),
        })
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
        }
        Ok(items)
    }

    /// A part of an index: a value or a slice.
    fn index(&mut self) -> Result<Value> {
        let start = if self.peek() == ":" { Value::None } else { self.sum()? };
        if !self.accept(":") {
            return Ok(start);
        }
        let start = bound(start)?;
        let stop = self.end_of_slice()?;
        let step = if self.accept(":") { self.end_of_slice()? } else { None };
        Ok(Value::Slice(start, stop, step))
    }

    fn end_of_slice(&mut self) -> Result<Option<i64>> {
        if [":", ",", "]"].contains(&self.peek()) { Ok(None) } else { bound(self.sum()?) }
    }

    /// Calls an op with `args` and those that follow in parentheses. Without parentheses it is an
    /// attribute: a dtype, or an op of its tensor alone such as `x.T`.
    fn call(&mut self, op: &str, mut args: Arguments) -> Result<Value> {
        if self.accept("(") {
            args.extend(self.list(")", Self::argument)?);
        } else if let Ok(dtype) = op.parse() {
            return Ok(Value::DType(dtype));
        }
        Ok(match self.session.call(op, args)?[..] {
            [id] => Value::Tensor(id),
            ref ids => Value::List(ids.iter().copied().map(Value::Tensor).collect()),
        })
    }

    /// `value` or `name=value`.
    fn argument(&mut self) -> Result<(Option<String>, Value)> {
        if self.tokens.get(self.at + 1).is_none_or(|token| token != "=") {
            return Ok((None, self.sum()?));
        }
        let name = self.next();
        self.next();
        Ok((Some(name), self.sum()?))
    }
}

fn bound(value: Value) -> Result<Option<i64>> {
    match value {
        Value::None => Ok(None),
        Value::Int(i) => Ok(Some(i)),
        other => Err(Trouble::failed(format!("a slice takes integers, not {other}"))),
    }
}
