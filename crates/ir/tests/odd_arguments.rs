//! Calls of every op of the table with unusual arguments: they may return an error but must not
//! panic. `BRASA_FUZZ=n` tries `n` calls of each op.
use brasa_ir::ops::{Role, threefry};
use brasa_ir::table::{OpEntry, all};
use brasa_ir::value::Spec;
use brasa_ir::{DType, Id, Recorder, Type, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

const TENSORS: [(DType, &[usize]); 9] = [
    (DType::F32, &[2, 3]),
    (DType::F32, &[]),
    (DType::F32, &[0, 2]),
    (DType::F64, &[2, 1, 3, 4]),
    (DType::I64, &[3]),
    (DType::Bool, &[2, 3]),
    (DType::U8, &[1]),
    (DType::BF16, &[1, 2, 3]),
    (DType::F32, &[1, 2, 2, 3, 1]),
];

const INTS: [i64; 10] = [0, 1, 2, 3, -1, -2, 7, 1 << 40, i64::MAX, i64::MIN];

const FLOATS: [f64; 7] = [0.0, 1.0, 0.5, -1.5, f64::INFINITY, f64::NAN, 1e300];

/// Pseudo-random choices: a pure function of op, trial and number of previous choices.
struct Choices {
    key: [u32; 2],
    count: u32,
}

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.count += 1;
        threefry(self.key, [self.count, 0])[0] as usize % n
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A value that the parameter accepts, in nine of ten cases.
    fn value(&mut self, spec: &Spec, tensors: &[Id]) -> Value {
        const OTHERS: [Spec; 6] =
            [Spec::Tensor, Spec::Int, Spec::Float, Spec::Bool, Spec::Str, Spec::DType];
        let other = self.one_of(&OTHERS);
        match if self.below(10) == 0 { &other } else { spec } {
            Spec::Tensor => Value::Tensor(self.one_of(tensors)),
            Spec::Operand | Spec::Number => match self.below(3) {
                0 => Value::Tensor(self.one_of(tensors)),
                1 => Value::Int(self.one_of(&INTS)),
                _ => Value::Float(self.one_of(&FLOATS)),
            },
            Spec::Int => Value::Int(self.one_of(&INTS)),
            Spec::Float => Value::Float(self.one_of(&FLOATS)),
            Spec::Bool => Value::Bool(self.below(2) == 0),
            Spec::Str => Value::Str(self.one_of(&["", "ij,jk->ik", "mean", "…"]).to_string()),
            Spec::DType => Value::DType(self.one_of(&DType::ALL)),
            Spec::Index => match self.below(4) {
                0 => Value::Ellipsis,
                1 => Value::None,
                2 => Value::Tensor(self.one_of(tensors)),
                _ => {
                    let [start, stop, step] = [0; 3].map(|_| self.one_of(&INTS));
                    Value::Slice(Some(start), Some(stop), (self.below(2) == 0).then_some(step))
                }
            },
            Spec::Choice(words) => Value::Str(self.one_of(words).to_string()),
            Spec::List(item) => {
                let n = self.below(4);
                Value::List((0..n).map(|_| self.value(item, tensors)).collect())
            }
            Spec::Optional(item) if self.below(3) > 0 => self.value(item, tensors),
            _ => Value::None,
        }
    }
}

/// Makes one call; the error is the call with its arguments, if it panics.
fn call(entry: &OpEntry, trial: u32) -> Result<(), String> {
    let name = entry.name.bytes().fold(7u32, |h, b| h.wrapping_mul(31) ^ b as u32);
    let mut choices = Choices { key: [name, trial], count: 0 };
    let g = Recorder::default();
    let input = |(dtype, shape)| g.input("x", Role::Data, Type::new(dtype, shape)).id();
    let tensors = TENSORS.map(input);
    let given = entry.params.len() - choices.below(entry.params.len().min(3) + 1);
    let params = &entry.params[..given];
    let args: Vec<Value> = params.iter().map(|p| choices.value(&p.spec, &tensors)).collect();
    let called = catch_unwind(AssertUnwindSafe(|| drop(entry.call(&g, &args, &[]))));
    called.map_err(|_| format!("{}{}", entry.name, Value::List(args)))
}

#[test]
fn no_call_panics() {
    let trials = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let failed = all().iter().flat_map(|entry| (0..trials).filter_map(|n| call(entry, n).err()));
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{} calls panic\n{}", failed.len(), failed.join("\n"));
}
