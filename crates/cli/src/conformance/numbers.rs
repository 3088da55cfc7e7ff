//! Python arithmetic on numbers and tuples, for the parts of an expression without tensors.
use brasa_ir::{Array, DType, Type, Value};

type Result<T> = std::result::Result<T, String>;

/// Parses a Python number literal.
pub(super) fn parse(text: &str) -> Result<Value> {
    let plain = text.replace('_', "");
    let float = |_| plain.parse().map(Value::Float);
    plain.parse().map(Value::Int).or_else(float).map_err(|_| format!("'{text}' is not a number"))
}

/// Constants of `torch` and `math`.
pub(super) fn constant(name: &str) -> Option<Value> {
    Some(Value::Float(match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    }))
}

/// `float(value)`.
pub(super) fn float(value: &Value) -> Result<Value> {
    let number = match value {
        Value::Str(word) => word.trim().parse().ok(),
        other => as_float(other),
    };
    number.map(Value::Float).ok_or_else(|| format!("float({value}) is not a number"))
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(x) => Some(*x),
        _ => None,
    }
}

/// Indexes or slices a tuple.
pub(super) fn item(items: &[Value], index: &[Value]) -> Result<Value> {
    let len = items.len() as i64;
    let from_end = |i: i64| if i < 0 { i + len } else { i };
    match index {
        [Value::Int(i)] => {
            let at = usize::try_from(from_end(*i)).ok().and_then(|at| items.get(at));
            at.cloned().ok_or_else(|| format!("index {i} is out of range for {len} items"))
        }
        [Value::Slice(start, stop, None | Some(1))] => {
            let at = |end: &Option<i64>, default| end.map_or(default, from_end).clamp(0, len);
            let (start, stop) = (at(start, 0), at(stop, len));
            Ok(Value::List(items[start as usize..stop.max(start) as usize].to_vec()))
        }
        _ => Err("a tuple index must be an integer or a slice".to_string()),
    }
}

/// The argument of `torch.tensor`: a number or nested lists of numbers.
pub(super) fn array(value: &Value) -> Result<Array> {
    let (mut shape, mut items) = (Vec::new(), Vec::new());
    let mut rows = vec![value];
    while let Some(Value::List(first)) = rows.first() {
        shape.push(first.len());
        let mut inner = Vec::new();
        for row in rows {
            match row {
                Value::List(row) if row.len() == first.len() => inner.extend(row),
                _ => return Err("torch.tensor: rows of different lengths".to_string()),
            }
        }
        rows = inner;
    }
    for item in &rows {
        items.push(match item {
            Value::Bool(b) => *b as i64 as f64,
            Value::List(_) => return Err("torch.tensor: rows of different lengths".to_string()),
            Value::Tensor(_) => return Err("torch.tensor: a tensor is not a number".to_string()),
            other => {
                as_float(other).ok_or_else(|| format!("torch.tensor: {other} is not a number"))?
            }
        });
    }
    let all = |is: fn(&Value) -> bool| !rows.is_empty() && rows.iter().all(|item| is(item));
    let ty = |dtype| Type::new(dtype, &shape[..]);
    let integers = || items.iter().map(|x| *x as i64);
    Ok(if all(|item| matches!(item, Value::Bool(_))) {
        Array::from_i64(&ty(DType::Bool), integers())
    } else if all(|item| matches!(item, Value::Bool(_) | Value::Int(_))) {
        Array::from_i64(&ty(DType::I64), integers())
    } else {
        Array::from_f64(&ty(DType::F32), items)
    })
}

/// The result of an op on a number; `None` if the operand is not a number.
pub(super) fn unary(op: &str, value: &Value) -> Option<Value> {
    match (op, value) {
        ("neg", Value::Int(i)) => Some(Value::Int(i.wrapping_neg())),
        ("neg", Value::Float(x)) => Some(Value::Float(-x)),
        ("bitwise_not", Value::Int(i)) => Some(Value::Int(!i)),
        _ => None,
    }
}

/// The result of an op on two numbers or two tuples; `None` for other operands.
pub(super) fn binary(op: &str, left: &Value, right: &Value) -> Option<Result<Value>> {
    match (left, right) {
        (Value::List(left), Value::List(right)) if op == "add" => {
            Some(Ok(Value::List([&left[..], right].concat())))
        }
        (Value::Int(left), Value::Int(right)) => Some(ints(op, *left, *right)),
        _ => Some(floats(op, as_float(left)?, as_float(right)?)),
    }
}

fn ints(op: &str, left: i64, right: i64) -> Result<Value> {
    let is_divided = ["floor_divide", "remainder"].contains(&op);
    if is_divided && right == 0 {
        return Err("division by zero".to_string());
    }
    let result = match op {
        "add" => left.checked_add(right),
        "sub" => left.checked_sub(right),
        "mul" => left.checked_mul(right),
        "floor_divide" => left.checked_rem(right).map(|rest| {
            // Rounds towards negative infinity, like Python.
            left / right - (rest != 0 && (rest < 0) != (right < 0)) as i64
        }),
        "remainder" => left
            .checked_rem(right)
            .map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }),
        "pow" if right >= 0 => u32::try_from(right).ok().and_then(|n| left.checked_pow(n)),
        "bitwise_and" => Some(left & right),
        "bitwise_or" => Some(left | right),
        "bitwise_xor" => Some(left ^ right),
        "bitwise_left_shift" => u32::try_from(right).ok().and_then(|n| left.checked_shl(n)),
        "bitwise_right_shift" => u32::try_from(right).ok().and_then(|n| left.checked_shr(n)),
        _ => return floats(op, left as f64, right as f64),
    };
    result.map(Value::Int).ok_or_else(|| format!("{op} of {left} and {right} overflows"))
}

fn floats(op: &str, left: f64, right: f64) -> Result<Value> {
    if ["div", "floor_divide", "remainder"].contains(&op) && right == 0.0 {
        return Err("division by zero".to_string());
    }
    Ok(Value::Float(match op {
        "add" => left + right,
        "sub" => left - right,
        "mul" => left * right,
        "div" => left / right,
        "floor_divide" => (left / right).floor(),
        "remainder" => left - right * (left / right).floor(),
        "pow" => left.powf(right),
        "lt" => return Ok(Value::Bool(left < right)),
        "le" => return Ok(Value::Bool(left <= right)),
        "gt" => return Ok(Value::Bool(left > right)),
        "ge" => return Ok(Value::Bool(left >= right)),
        "eq" => return Ok(Value::Bool(left == right)),
        "ne" => return Ok(Value::Bool(left != right)),
        _ => return Err(format!("{op} of {left} and {right} is not supported")),
    }))
}
