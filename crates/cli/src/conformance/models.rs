//! The models of the training traces, as ops on inputs with PyTorch's parameter names.
use super::Trouble;
use super::format::Trace;
use super::session::Session;
use brasa_ir::{DType, Expr, Value};

type Result<T> = std::result::Result<T, Trouble>;

/// The output of the trace's model for a batch `x`.
pub(super) fn logits<'g>(
    trace: &Trace,
    session: &mut Session<'_, 'g>,
    x: Expr<'g>,
) -> Result<Expr<'g>> {
    let g = session.g;
    let mut model = Model { session };
    let y = match &trace.name[..] {
        "mlp" => model.mlp(x)?,
        "gpt" => {
            let heads = trace.config.get("n_head").map_or(Value::None, |plain| plain.0.clone());
            model.gpt(x, heads)?
        }
        name => return Err(Trouble::Unsupported(format!("there is no model '{name}'"))),
    };
    tensor(y).map(|id| g.expr(id))
}

/// Mean cross entropy over everything but the last axis.
pub(super) fn loss<'g>(
    session: &mut Session<'_, 'g>,
    logits: Expr<'g>,
    y: Expr<'g>,
) -> Result<Expr<'g>> {
    let classes = logits.shape().last().copied().unwrap_or(1);
    let shape = ints(&[-1, classes as i64]);
    let logits = session.one("reshape", &[Value::Tensor(logits.id()), shape])?;
    let y = session.one("reshape", &[Value::Tensor(y.id()), ints(&[-1])])?;
    let loss = session.one("cross_entropy", &[logits, y])?;
    tensor(loss).map(|id| session.g.expr(id))
}

struct Model<'r, 'a, 'g> {
    session: &'r mut Session<'a, 'g>,
}

impl<'g> Model<'_, '_, 'g> {
    /// `fc1`, `fc2` … with relu between, on bytes.
    fn mlp(&mut self, x: Expr<'g>) -> Result<Value> {
        let x = self.session.one("div", &[Value::Tensor(x.id()), Value::Float(255.0)])?;
        let mut h = self.session.one("flatten", &[x, Value::Int(1)])?;
        let layers = (1..).take_while(|n| self.has(&format!("fc{n}.weight"))).count();
        for n in 1..=layers {
            h = self.linear(&format!("fc{n}"), h)?;
            if n < layers {
                h = self.session.one("relu", &[h])?;
            }
        }
        Ok(h)
    }

    /// A causal transformer over token ids `[B, T]`.
    fn gpt(&mut self, ids: Expr<'g>, heads: Value) -> Result<Value> {
        let (Value::Int(heads), &[_, len]) = (heads, &ids.shape()[..]) else {
            return Err(Trouble::failed("gpt: needs n_head and tokens [batch, length]"));
        };
        let places = Value::Tensor(self.session.g.iota(len, DType::I64).id());
        let token = self.embedding("wte", Value::Tensor(ids.id()))?;
        let place = self.embedding("wpe", places)?;
        let mut h = self.session.one("add", &[token, place])?;
        let blocks = (0..).take_while(|n| self.has(&format!("blocks.{n}.ln1.weight"))).count();
        for n in 0..blocks {
            h = self.block(&format!("blocks.{n}"), h, heads)?;
        }
        let h = self.norm("ln_f", h)?;
        self.linear("head", h)
    }

    fn block(&mut self, name: &str, h: Value, heads: i64) -> Result<Value> {
        let x = self.norm(&format!("{name}.ln1"), h.clone())?;
        let qkv = self.linear(&format!("{name}.qkv"), x)?;
        let x = self.attention(qkv, heads)?;
        let x = self.linear(&format!("{name}.proj"), x)?;
        let h = self.session.one("add", &[h, x])?;

        let x = self.norm(&format!("{name}.ln2"), h.clone())?;
        let x = self.linear(&format!("{name}.fc"), x)?;
        let x = self.session.one("gelu", &[x])?;
        let x = self.linear(&format!("{name}.out"), x)?;
        self.session.one("add", &[h, x])
    }

    /// Causal attention; queries, keys and values lie side by side in the last axis.
    fn attention(&mut self, qkv: Value, heads: i64) -> Result<Value> {
        let third = self.session.g.expr(tensor(qkv.clone())?).shape();
        let [batch, len, width] = third[..] else {
            return Err(Trouble::failed(format!("qkv has shape {third:?}")));
        };
        let [batch, len, width] = [batch, len, width / 3].map(|n| n as i64);
        let mut parts = Vec::new();
        for n in 0..3 {
            let narrow = [-1, n * width, width].map(Value::Int).to_vec();
            let part = self.session.one("narrow", &[vec![qkv.clone()], narrow].concat())?;
            let shape = ints(&[batch, len, heads, width / heads.max(1)]);
            let part = self.session.one("reshape", &[part, shape])?;
            parts.push(self.session.one("transpose", &[part, Value::Int(1), Value::Int(2)])?);
        }
        let mut args: Vec<_> = parts.into_iter().map(|part| (None, part)).collect();
        args.push((Some("is_causal".to_string()), Value::Bool(true)));
        let mixed = Value::Tensor(self.session.call("scaled_dot_product_attention", args)?[0]);
        let mixed = self.session.one("transpose", &[mixed, Value::Int(1), Value::Int(2)])?;
        self.session.one("reshape", &[mixed, ints(&[batch, len, width])])
    }

    fn linear(&mut self, name: &str, x: Value) -> Result<Value> {
        let [weight, bias] = self.pair(name);
        self.session.one("linear", &[x, weight, bias])
    }

    fn norm(&mut self, name: &str, x: Value) -> Result<Value> {
        let [weight, bias] = self.pair(name);
        let shape = ints(&[self.session.leaf(&format!("{name}.weight"))?.elements() as i64]);
        self.session.one("layer_norm", &[x, shape, weight, bias])
    }

    fn embedding(&mut self, name: &str, ids: Value) -> Result<Value> {
        let [weight, _] = self.pair(name);
        self.session.one("embedding", &[ids, weight])
    }

    /// Weight and bias of a layer; none where it has none.
    fn pair(&self, name: &str) -> [Value; 2] {
        ["weight", "bias"].map(|part| match self.session.leaf(&format!("{name}.{part}")) {
            Ok(leaf) => Value::Tensor(leaf.id()),
            Err(_) => Value::None,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.session.leaf(name).is_ok()
    }
}

fn ints(ints: &[i64]) -> Value {
    Value::List(ints.iter().copied().map(Value::Int).collect())
}

fn tensor(value: Value) -> Result<brasa_ir::Id> {
    match value {
        Value::Tensor(id) => Ok(id),
        other => Err(Trouble::failed(format!("expected a tensor, got {other}"))),
    }
}
