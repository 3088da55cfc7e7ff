//! The text form of a graph, which can be printed and parsed: one node per line, each with its
//! type.
//!
//! ```text
//! // a linear layer
//! %x = input "x" f32[32, 784]
//! %w = input param "w" f32[784, 128]
//! %h = contract %x %w : f32[32, 128]
//! %y = relu (add %h 0.5) : f32[32, 128]
//! %v, %i = topk %y k=2
//! return %v, %i
//! ```
//!
//! Printed texts contain only primitives. A parsed text may call any op of the table by name, with
//! positional and named arguments, and may nest calls in parentheses as operands. Types, the names
//! of inputs and the last line are optional. Slots are written with their value (`slot 0.001 f32`)
//! and are renumbered when parsed. Custom ops are printed but cannot be parsed.
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::{Graph, Id, Node};
use crate::ops::{Op, Role};
use crate::recorder::{Expr, Recorder};
use crate::shape::Type;
use crate::syntax::{Parser, Position, Tensors, Token};
use crate::table;
use crate::value::{Arg, Value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

/// All nodes of `g`, and a last line with `outputs` unless that is empty.
pub fn print(g: &Graph, outputs: &[Id]) -> String {
    let mut text = String::new();
    for (id, node) in g.nodes() {
        let _ = writeln!(text, "{id} = {}", right_side(g, node));
    }
    if !outputs.is_empty() {
        let ids: Vec<String> = outputs.iter().map(Id::to_string).collect();
        let _ = writeln!(text, "return {}", ids.join(", "));
    }
    text
}

fn right_side(g: &Graph, node: &Node) -> String {
    let mut text = match &node.op {
        Op::Input(input) => {
            let role = match input.role {
                Role::Data => String::new(),
                role => format!("{} ", role.word()),
            };
            return format!("input {role}{:?} {}", input.name, node.ty);
        }
        Op::Const(constant) => {
            return format!("const {} {}", shortest(constant.value, node.ty.dtype), node.ty);
        }
        Op::Slot(slot) => {
            let value = g.slots().get(slot.slot).map(|&value| shortest(value, node.ty.dtype));
            return format!("slot {} {}", value.as_deref().unwrap_or("?"), node.ty.dtype);
        }
        Op::Custom(_) => format!("custom {:?}", node.op.name()),
        op => op.name().to_string(),
    };
    for operand in &node.inputs {
        let _ = write!(text, " {operand}");
    }
    for (name, value) in node.op.attributes() {
        let _ = write!(text, " {name}={value}");
    }
    format!("{text} : {}", node.ty)
}

/// The number in the fewest digits that round to the same value in `dtype`.
fn shortest(value: Number, dtype: DType) -> String {
    let Number::Float(x) = value else { return value.to_string() };
    let candidates = (0..17).filter_map(|digits| format!("{x:.digits$e}").parse().ok());
    let same = candidates.map(Number::Float).find(|short| short.to(dtype) == value);
    same.unwrap_or(value).to_string()
}

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub graph: Graph,
    /// The nodes of the `return` line.
    pub outputs: Vec<Id>,
    /// The nodes by the names they have in the text, without `%`.
    pub names: HashMap<String, Id>,
}

/// Parses a text. Errors contain the line and column where parsing failed.
pub fn parse(text: &str) -> Result<Parsed> {
    let mut p = Parser::new("text", text)?;
    let mut reader = Reader { g: Recorder::default(), names: HashMap::new() };
    let mut outputs = Vec::new();
    loop {
        if p.accept_word("return") {
            outputs = reader.outputs(&mut p)?;
            break;
        }
        match p.peek() {
            Token::Line => drop(p.next()),
            Token::Name(_) => reader.statement(&mut p)?,
            Token::End => break,
            _ => return p.unexpected("%name or return"),
        }
    }
    while *p.peek() == Token::Line {
        p.next();
    }
    if *p.peek() != Token::End {
        return p.unexpected("the end of the text");
    }
    Ok(Parsed { graph: reader.g.into_graph(), outputs, names: reader.names })
}

struct Reader {
    g: Recorder,
    names: HashMap<String, Id>,
}

/// A call as written: op, position and arguments.
struct Call {
    op: String,
    position: Position,
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
}

impl Tensors for Reader {
    fn tensor(&mut self, p: &mut Parser) -> Result<Option<Value>> {
        if let Token::Name(_) = p.peek() {
            return self.name(p).map(Value::Tensor).map(Some);
        }
        let position = p.position();
        if !p.accept("(") {
            return Ok(None);
        }
        let ids = p.nested(|p| self.call(p, None))?;
        p.expect(")")?;
        match ids[..] {
            [id] => Ok(Some(Value::Tensor(id))),
            _ => p.fault(position, format!("expected one result, this call gives {}", ids.len())),
        }
    }
}

impl Reader {
    /// `%a, %b = call : type, type`
    fn statement(&mut self, p: &mut Parser) -> Result<()> {
        let mut names = Vec::new();
        loop {
            let position = p.position();
            let Token::Name(name) = p.peek().clone() else { return p.unexpected("%name") };
            p.next();
            names.push((name, position));
            if !p.accept(",") {
                break;
            }
        }
        p.expect("=")?;
        let position = p.position();
        let ids = self.call(p, Some(&names[0].0))?;
        if ids.len() != names.len() {
            let what = format!("{} names for {} results", names.len(), ids.len());
            return p.fault(position, what);
        }
        if p.accept(":") {
            self.types(p, &ids)?;
        }
        for ((name, position), id) in names.into_iter().zip(ids) {
            match self.names.entry(name) {
                Entry::Vacant(free) => drop(free.insert(id)),
                Entry::Occupied(taken) => {
                    return p.fault(position, format!("%{} is already defined", taken.key()));
                }
            }
        }
        match p.peek() {
            Token::Line | Token::End => Ok(()),
            _ if starts_statement(p) => Ok(()),
            _ => p.unexpected("the end of the line"),
        }
    }

    /// Checks that the types in the text are those that the ops infer.
    fn types(&self, p: &mut Parser, ids: &[Id]) -> Result<()> {
        for (n, &id) in ids.iter().enumerate() {
            if n > 0 {
                p.expect(",")?;
            }
            let position = p.position();
            let (claimed, ty) = (p.ty()?, self.g.expr(id).ty());
            if claimed != ty {
                return p.fault(position, format!("expected the type {ty}, found {claimed}"));
            }
        }
        Ok(())
    }

    fn outputs(&self, p: &mut Parser) -> Result<Vec<Id>> {
        let mut ids = vec![self.name(p)?];
        while p.accept(",") {
            ids.push(self.name(p)?);
        }
        Ok(ids)
    }

    fn name(&self, p: &mut Parser) -> Result<Id> {
        let position = p.position();
        let Token::Name(name) = p.peek().clone() else { return p.unexpected("%name") };
        p.next();
        match self.names.get(&name) {
            Some(&id) => Ok(id),
            None => p.fault(position, format!("%{name} is not defined above")),
        }
    }

    /// An op with its arguments. `result` is the name of its first result.
    fn call(&mut self, p: &mut Parser, result: Option<&str>) -> Result<Vec<Id>> {
        let position = p.position();
        let Token::Word(op) = p.peek().clone() else { return p.unexpected("an op") };
        p.next();
        let id = match &*op {
            "input" => self.input(p, position, result)?,
            "const" => {
                let (value, ty) = self.number(p)?;
                self.leaf("const", position, |g| g.constant(value, ty.dtype, &ty.shape))?
            }
            "slot" => {
                let type_position = p.position();
                let (value, ty) = self.number(p)?;
                if ty.rank() > 0 {
                    return p.fault(type_position, format!("expected a scalar, found {ty}"));
                }
                self.leaf("slot", position, |g| g.slot(value, ty.dtype))?
            }
            "custom" => return p.fault(position, "custom ops cannot be read from a text"),
            _ => {
                let (positional, named) = self.arguments(p)?;
                return self.record(Call { op, position, positional, named });
            }
        };
        Ok(vec![id])
    }

    /// `input`, role, name and type; role and name are optional.
    fn input(&mut self, p: &mut Parser, position: Position, result: Option<&str>) -> Result<Id> {
        let role = match p.peek() {
            Token::Word(word) => Role::from_value(&self.g, &Value::Str(word.clone())).ok(),
            _ => None,
        };
        if role.is_some() {
            p.next();
        }
        let name = match (p.peek().clone(), result) {
            (Token::Str(name), _) => {
                p.next();
                name
            }
            (_, Some(result)) => result.to_string(),
            _ => return p.unexpected("the input's name as a string"),
        };
        let ty = p.ty()?;
        self.leaf("input", position, |g| g.input(&name, role.unwrap_or(Role::Data), ty))
    }

    /// A number and the type it fills.
    fn number(&mut self, p: &mut Parser) -> Result<(Number, Type)> {
        let position = p.position();
        let value = p.value(self)?;
        match Number::from_value(&self.g, &value) {
            Ok(number) => Ok((number, p.ty()?)),
            Err(why) => p.fault(position, why),
        }
    }

    fn leaf<'g>(
        &'g self,
        call: &'static str,
        position: Position,
        record: impl FnOnce(&'g Recorder) -> Expr<'g>,
    ) -> Result<Id> {
        self.g.scope_at(call, position.site(), || Ok(record(&self.g).id()))
    }

    #[allow(clippy::type_complexity)]
    fn arguments(&mut self, p: &mut Parser) -> Result<(Vec<Value>, Vec<(String, Value)>)> {
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        loop {
            match (p.peek().clone(), p.peek_second()) {
                (Token::Line | Token::End | Token::Sign(":" | ")"), _) => break,
                (Token::Word(name), Token::Sign("=")) => {
                    p.next();
                    p.next();
                    named.push((name, p.value(self)?));
                }
                _ if starts_statement(p) => break,
                _ if !named.is_empty() => return p.unexpected("name=value"),
                _ => positional.push(p.value(self)?),
            }
        }
        Ok((positional, named))
    }

    /// Records the primitive of this name if the arguments fit it, else the op of the table.
    fn record(&self, call: Call) -> Result<Vec<Id>> {
        let site = call.position.site();
        let rejected = match self.primitive(&call) {
            Some((Ok(id), _)) => return Ok(vec![id]),
            Some((Err(error), true)) => return Err(error),
            Some((Err(error), false)) => Some(error),
            None => None,
        };
        if let Some(entry) = table::find(&call.op) {
            let named: Vec<(&str, Value)> =
                call.named.iter().map(|(name, value)| (&**name, value.clone())).collect();
            let record = || entry.call(&self.g, &call.positional, &named);
            return self.g.scope_at(entry.name, site, record);
        }
        let unknown = || Error::argument(&call.op, "there is no op of this name");
        Err(rejected.unwrap_or_else(unknown).at(site))
    }

    /// Records the primitive, or returns an error; the flag says that all of its attributes were
    /// given, so that no other op can be meant.
    fn primitive(&self, call: &Call) -> Option<(Result<Id>, bool)> {
        let operand = |value: &Value| match value {
            Value::Tensor(id) => Some(self.g.expr(*id)),
            _ => None,
        };
        let operands: Vec<Expr> = call.positional.iter().map(operand).collect::<Option<_>>()?;
        let op = match Op::parse(&self.g, &call.op, &call.named)? {
            Ok(op) => op,
            Err(why) => return Some((Err(Error::argument(&call.op, why)), false)),
        };
        let known = op.attributes();
        let is_known = |(name, _): &(String, Value)| known.iter().any(|(k, _)| k == name);
        if known.len() != call.named.len() || !call.named.iter().all(is_known) {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let what = format!("expected the attributes [{}]", names.join(", "));
            return Some((Err(Error::argument(&call.op, what)), false));
        }
        let record = || Ok(self.g.push(op.clone(), &operands)?.id());
        let result = self.g.scope_at(op.name(), call.position.site(), record);
        Some((result, !known.is_empty()))
    }
}

/// Whether `%a =` or `%a, ` follows: several statements may share a line.
fn starts_statement(p: &Parser) -> bool {
    matches!((p.peek(), p.peek_second()), (Token::Name(_), Token::Sign("=" | ",")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;
    use crate::ops::{Custom, CustomOp, Vjp};
    use std::sync::Arc;

    struct Own;

    impl CustomOp for Own {
        fn name(&self) -> &'static str {
            "own"
        }
        fn infer(&self, inputs: &[&Type]) -> Result<Type> {
            Ok(inputs[0].clone())
        }
        fn eval(&self, inputs: &[&Array], _: &Type) -> Result<Array> {
            Ok(inputs[0].clone())
        }
        fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
            vec![Some(v.dy)]
        }
    }

    #[test]
    fn custom_ops_print_but_cannot_be_read() {
        let g = Recorder::default();
        let x = g.constant(1.0, DType::F32, &[2]);
        g.push(Custom(Arc::new(Own)), &[x]).expect("records");
        let text = g.read(|graph| print(graph, &[]));
        assert_eq!(text, "%0 = const 1.0 f32[2]\n%1 = custom \"own\" %0 : f32[2]\n");
        let error = parse(&text).expect_err("has no meaning here");
        assert_eq!(error.to_string(), "text: custom ops cannot be read from a text\n  at 2:6");
    }
}
