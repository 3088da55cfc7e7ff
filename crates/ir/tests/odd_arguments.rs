//! No op panics, whatever it is called with: each parameter takes odd values in turn.
use brasa_ir::ops::Role;
use brasa_ir::table::{self, OpEntry, Param};
use brasa_ir::value::Spec;
use brasa_ir::{DType, Recorder, Type, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

const HUGE: i64 = 1 << 40;

/// Values of the right kind, usual ones first.
fn values(g: &Recorder, spec: &Spec) -> Vec<Value> {
    let tensor = |dtype: DType, shape: &[usize]| {
        Value::Tensor(g.input("x", Role::Data, Type::new(dtype, shape)).id())
    };
    let numbers = [1.0, 0.0, -1.0, 0.5, 1e300, f64::NAN, f64::INFINITY];
    let ints = [1, 0, -1, 3, -3, 100, HUGE, -HUGE, i64::MAX, i64::MIN];
    match spec {
        Spec::Tensor => vec![
            tensor(DType::F32, &[2, 3]),
            tensor(DType::F32, &[]),
            tensor(DType::F32, &[4]),
            tensor(DType::Bool, &[2, 3]),
            tensor(DType::I64, &[2, 3]),
            tensor(DType::U8, &[1, 2, 1, 4]),
            tensor(DType::F16, &[0, 3]),
            tensor(DType::F32, &[1 << 30]),
        ],
        Spec::Operand => {
            let mut all = values(g, &Spec::Tensor);
            all.extend(values(g, &Spec::Number));
            all
        }
        Spec::Int => ints.map(Value::Int).to_vec(),
        Spec::Float => numbers.map(Value::Float).to_vec(),
        Spec::Number => {
            let floats = numbers.iter().map(|&x| Value::Float(x));
            floats.chain(ints.map(Value::Int)).chain([Value::Bool(true)]).collect()
        }
        Spec::Bool => vec![Value::Bool(true), Value::Bool(false)],
        Spec::Str => vec![Value::Str("ij,jk->ik".into()), Value::Str(String::new())],
        Spec::DType => DType::ALL.map(Value::DType).to_vec(),
        Spec::Index => vec![Value::Int(0), Value::Slice(None, None, Some(0)), Value::Ellipsis],
        Spec::Choice(words) => words.iter().map(|&word| Value::Str(word.into())).collect(),
        Spec::List(item) => {
            let items = values(g, item);
            let mut all: Vec<Value> = items.iter().map(|x| Value::List(vec![x.clone()])).collect();
            all.push(Value::List(Vec::new()));
            all.push(Value::List(items[..2].to_vec()));
            all.push(Value::List(vec![items[items.len() - 1].clone(); 3]));
            all
        }
        Spec::Optional(item) => {
            let mut all = values(g, item);
            all.push(Value::None);
            all
        }
    }
}

/// Calls an op with the `n`-th value of one parameter and the `usual` one of all others.
fn call(entry: &OpEntry, odd: usize, n: usize, usual: usize) -> bool {
    let g = Recorder::default();
    let argument = |(at, param): (usize, &Param)| {
        let values = values(&g, &param.spec);
        values[if at == odd { n } else { usual } % values.len()].clone()
    };
    let arguments: Vec<Value> = entry.params.iter().enumerate().map(argument).collect();
    let result = catch_unwind(AssertUnwindSafe(|| entry.call(&g, &arguments, &[]).is_ok()));
    if result.is_err() {
        eprintln!("{} panics with {arguments:?}", entry.name);
    }
    result.is_ok()
}

#[test]
fn no_op_panics() {
    let mut calls = 0;
    let mut panics = Vec::new();
    for entry in table::all() {
        for odd in 0..entry.params.len() {
            for n in 0..20 {
                for usual in 0..10 {
                    calls += 1;
                    if !call(entry, odd, n, usual) {
                        panics.push(entry.name);
                    }
                }
            }
        }
    }
    panics.dedup();
    assert!(panics.is_empty(), "of {calls} calls, some panicked: {panics:?}");
}
