//! The text form of a graph, which prints and parses: one node a line, each with its type.
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
//! Printed texts hold primitives only. Texts to be parsed may call every op of the table by name,
//! with positional and named arguments, and calls in parentheses as operands. Types, the names of
//! inputs and the last line may be left out. Slots stand with their value (`slot 0.001 f32`) and
//! are numbered anew. Custom ops print but cannot be read back.
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::{Graph, Id, Node};
use crate::ops::{Op, Role};
use crate::recorder::{Expr, Recorder};
use crate::shape::Type;
use crate::syntax::{Parser, Place, Tensors, Token};
use crate::table;
use crate::value::{Arg, Value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

/// All nodes of `g`, and a last line with `outputs` if there are any.
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

/// The number in the fewest digits that mean the same in `dtype`.
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
    /// What the text returns.
    pub outputs: Vec<Id>,
    /// The nodes by the names they have in the text, without `%`.
    pub names: HashMap<String, Id>,
}

/// Reads a text. Errors name the line and the column where they were noticed.
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

/// A call as written: op, place and arguments.
struct Call {
    op: String,
    place: Place,
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
}

impl Tensors for Reader {
    fn tensor(&mut self, p: &mut Parser) -> Result<Option<Value>> {
        if let Token::Name(_) = p.peek() {
            return self.name(p).map(Value::Tensor).map(Some);
        }
        let place = p.place();
        if !p.accept("(") {
            return Ok(None);
        }
        let ids = p.nested(|p| self.call(p, None))?;
        p.expect(")")?;
        match ids[..] {
            [id] => Ok(Some(Value::Tensor(id))),
            _ => p.fault(place, format!("expected one result, this call gives {}", ids.len())),
        }
    }
}

impl Reader {
    /// `%a, %b = call : type, type`
    fn statement(&mut self, p: &mut Parser) -> Result<()> {
        let mut names = Vec::new();
        loop {
            let place = p.place();
            let Token::Name(name) = p.peek().clone() else { return p.unexpected("%name") };
            p.next();
            names.push((name, place));
            if !p.accept(",") {
                break;
            }
        }
        p.expect("=")?;
        let place = p.place();
        let ids = self.call(p, Some(&names[0].0))?;
        if ids.len() != names.len() {
            let what = format!("{} names for {} results", names.len(), ids.len());
            return p.fault(place, what);
        }
        if p.accept(":") {
            self.types(p, &ids)?;
        }
        for ((name, place), id) in names.into_iter().zip(ids) {
            match self.names.entry(name) {
                Entry::Vacant(free) => drop(free.insert(id)),
                Entry::Occupied(taken) => {
                    return p.fault(place, format!("%{} stands for a node already", taken.key()));
                }
            }
        }
        match p.peek() {
            Token::Line | Token::End => Ok(()),
            _ if starts_statement(p) => Ok(()),
            _ => p.unexpected("the end of the line"),
        }
    }

    /// The types a text claims must be those the ops have.
    fn types(&self, p: &mut Parser, ids: &[Id]) -> Result<()> {
        for (n, &id) in ids.iter().enumerate() {
            if n > 0 {
                p.expect(",")?;
            }
            let place = p.place();
            let (claimed, ty) = (p.ty()?, self.g.expr(id).ty());
            if claimed != ty {
                return p.fault(place, format!("expected the type {ty}, found {claimed}"));
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
        let place = p.place();
        let Token::Name(name) = p.peek().clone() else { return p.unexpected("%name") };
        p.next();
        match self.names.get(&name) {
            Some(&id) => Ok(id),
            None => p.fault(place, format!("there is no %{name} above")),
        }
    }

    /// An op with its arguments. `result` is the name it will have.
    fn call(&mut self, p: &mut Parser, result: Option<&str>) -> Result<Vec<Id>> {
        let place = p.place();
        let Token::Word(op) = p.peek().clone() else { return p.unexpected("an op") };
        p.next();
        let id = match &*op {
            "input" => self.input(p, place, result)?,
            "const" => {
                let (value, ty) = self.number(p)?;
                self.leaf("const", place, |g| g.constant(value, ty.dtype, &ty.shape))?
            }
            "slot" => {
                let type_place = p.place();
                let (value, ty) = self.number(p)?;
                if ty.rank() > 0 {
                    return p.fault(type_place, format!("expected a scalar, found {ty}"));
                }
                self.leaf("slot", place, |g| g.slot(value, ty.dtype))?
            }
            "custom" => return p.fault(place, "custom ops cannot be read from a text"),
            _ => {
                let (positional, named) = self.arguments(p)?;
                return self.record(Call { op, place, positional, named });
            }
        };
        Ok(vec![id])
    }

    /// `input`, role, name and type, of which only the type must be there.
    fn input(&mut self, p: &mut Parser, place: Place, result: Option<&str>) -> Result<Id> {
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
        self.leaf("input", place, |g| g.input(&name, role.unwrap_or(Role::Data), ty))
    }

    /// A number and the type it fills.
    fn number(&mut self, p: &mut Parser) -> Result<(Number, Type)> {
        let place = p.place();
        let value = p.value(self)?;
        match Number::from_value(&self.g, &value) {
            Ok(number) => Ok((number, p.ty()?)),
            Err(why) => p.fault(place, why),
        }
    }

    fn leaf<'g>(
        &'g self,
        call: &'static str,
        place: Place,
        record: impl FnOnce(&'g Recorder) -> Expr<'g>,
    ) -> Result<Id> {
        self.g.scope_at(call, place.site(), || Ok(record(&self.g).id()))
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

    /// The primitive of this name if the arguments are its, else the op of the table.
    fn record(&self, call: Call) -> Result<Vec<Id>> {
        let site = call.place.site();
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

    /// The primitive, or why not; with whether its own attributes were all there, so that nothing
    /// else can be meant.
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
        let result = self.g.scope_at(op.name(), call.place.site(), record);
        Some((result, !known.is_empty()))
    }
}

/// Whether `%a =` or `%a, ` stands here: several statements may share a line.
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
