//! Any op called with any arguments gives a result or an error; it never panics.
use brasa_ir::ops::Role;
use brasa_ir::table::{OpEntry, Reader, all};
use brasa_ir::value::Spec;
use brasa_ir::{Array, DType, Expr, Id, Recorder, Result, Type, Value, eval};
use std::collections::HashMap;

/// Calls per op.
const TRIES: usize = 300;
/// Graphs with larger tensors are recorded but not run.
const MOST_ELEMENTS: usize = 10_000;

#[test]
fn odd_arguments_never_panic() {
    for entry in all() {
        let mut dice = Dice(entry.name.bytes().fold(1, |h: u64, b| h.wrapping_mul(31) ^ b as u64));
        for _ in 0..TRIES {
            attempt(entry, &mut dice);
        }
    }
}

/// One call with random arguments, run if it was recorded.
fn attempt(entry: &OpEntry, dice: &mut Dice) {
    let g = Recorder::default();
    let mut feed = Feed { g: &g, values: HashMap::new() };
    let given = dice.below(entry.params.len() + 1).max(required(entry));
    let params = &entry.params[..given];
    let positional: Vec<Value> = params.iter().map(|p| value(&p.spec, &mut feed, dice)).collect();
    let Ok(outputs) = entry.call_reading(&g, &mut feed, &positional, &[]) else { return };
    g.read(|graph| {
        if graph.nodes().all(|(_, node)| node.ty.elements() <= MOST_ELEMENTS) {
            // Bad data, such as an index out of range, may still be an error.
            let _ = eval(graph, &feed.values, &outputs);
        }
    });
}

fn required(entry: &OpEntry) -> usize {
    entry.params.iter().rposition(|p| p.default.is_none()).map_or(0, |last| last + 1)
}

/// A value of the kind a parameter takes, often a strange one.
fn value(spec: &Spec, feed: &mut Feed, dice: &mut Dice) -> Value {
    let ints = [0, 1, 2, 3, -1, -2, -4, 5, 100, i64::MAX, i64::MIN, 1 << 40];
    let floats = [0.0, 1.0, -1.0, 0.5, 2.0, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    match spec {
        Spec::Tensor => feed.tensor(dice),
        Spec::Operand if dice.below(2) == 0 => feed.tensor(dice),
        Spec::Operand | Spec::Number if dice.below(2) == 0 => Value::Int(*dice.pick(&ints)),
        Spec::Operand | Spec::Number | Spec::Float => Value::Float(*dice.pick(&floats)),
        Spec::Int => {
            let small = dice.below(3) > 0;
            Value::Int(*dice.pick(if small { &ints[..7] } else { &ints }))
        }
        Spec::Bool => Value::Bool(dice.below(2) == 0),
        Spec::Str => Value::Str(dice.pick(&["", "ij,jk->ik", "ii", "mean", "->"]).to_string()),
        Spec::DType => Value::DType(*dice.pick(&DType::ALL)),
        Spec::Choice(words) => Value::Str(dice.pick(words).to_string()),
        Spec::Index => match dice.below(5) {
            0 => Value::None,
            1 => Value::Ellipsis,
            2 => feed.tensor(dice),
            3 => Value::Int(*dice.pick(&ints)),
            _ => {
                let mut part = || (dice.below(2) == 0).then(|| *dice.pick(&ints));
                Value::Slice(part(), part(), part())
            }
        },
        Spec::List(item) => {
            let len = dice.below(4);
            Value::List((0..len).map(|_| value(item, feed, dice)).collect())
        }
        Spec::Optional(_) if dice.below(4) == 0 => Value::None,
        Spec::Optional(item) => value(item, feed, dice),
    }
}

struct Feed<'g> {
    g: &'g Recorder,
    values: HashMap<Id, Array>,
}

impl Feed<'_> {
    /// A small tensor of any type and rank, often with axes of no or one element.
    fn tensor(&mut self, dice: &mut Dice) -> Value {
        let dtypes = [DType::F32, DType::F32, DType::F32, DType::I64, DType::Bool, DType::F16];
        let rank = dice.below(5);
        let shape: Vec<usize> = (0..rank).map(|_| *dice.pick(&[0, 1, 2, 2, 3, 3])).collect();
        let ty = Type::new(*dice.pick(&dtypes), shape);
        let elements = [0.0, 1.0, -1.0, 2.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let values = (0..ty.elements()).map(|_| *dice.pick(&elements));
        let values = Array::from_f64(&ty, values.collect::<Vec<_>>());
        let id = self.g.input("x", Role::Data, ty).id();
        self.values.insert(id, values);
        Value::Tensor(id)
    }
}

impl Reader for Feed<'_> {
    fn read(&mut self, x: Expr) -> Result<Array> {
        let values = x.recorder().read(|graph| eval(graph, &self.values, &[x.id()]))?;
        Ok(values.into_iter().next().expect("one was wanted"))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        let x = g.input("read", Role::Data, value.ty.clone());
        self.values.insert(x.id(), value);
        x
    }
}

/// A small generator: the same arguments on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
