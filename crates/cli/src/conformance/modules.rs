//! PyTorch's layers in terms of ops.
use super::Trouble;
use super::check::Expected;
use super::compare::Want;
use super::format::{Mode, ModuleCase};
use super::session::{Session, Source};
use brasa_ir::{DType, Id, Recorder, Value};

type Result<T> = std::result::Result<T, Trouble>;

/// The largest error of a case, as a fraction of its tolerance.
pub(super) fn run(case: &ModuleCase, source: Source) -> Result<f64> {
    let g = Recorder::default();
    let mut session = Session::new(&g, source);
    session.arguments(&case.args)?;
    for (name, reference) in &case.state {
        let array = session.tensor(reference)?.clone();
        session.input(&format!("param:{name}"), array);
    }
    let mut module = Module { case, session, after: Vec::new() };
    let outputs = module.call()?;
    let Module { mut session, after, .. } = module;

    let mut expected = Expected::new(&session, case.tolerance, &case.outputs, &case.grads)?;
    expected.add_cotangents(&session, &case.cotangents)?;
    for (name, reference) in &case.state_after {
        let Some((_, id)) = after.iter().find(|(changed, _)| changed == name) else {
            return Err(Trouble::failed(format!("{name} is not changed by the call")));
        };
        let want = Want::Whole(session.tensor(reference)?);
        expected.others.push((format!("{name} after the call"), *id, want));
    }
    expected.check(&mut session, &outputs)
}

/// A layer with its parameters recorded as inputs.
struct Module<'a, 'g> {
    case: &'a ModuleCase,
    session: Session<'a, 'g>,
    /// Buffers that the call changes.
    after: Vec<(&'static str, Id)>,
}

impl Module<'_, '_> {
    fn call(&mut self) -> Result<Vec<Id>> {
        let name = self.case.module.trim_start_matches("torch.nn.");
        let (x, weight, bias) = (self.arg("input"), self.state("weight"), self.state("bias"));
        match name {
            "Linear" => self.op("linear", &[x, weight, bias], &[]),
            "Embedding" => self.op("embedding", &[x, weight], &["padding_idx"]),
            "Conv1d" | "Conv2d" | "Conv3d" => {
                let options = ["stride", "padding", "dilation", "groups"];
                self.op(&name.to_lowercase(), &[x, weight, bias], &options)
            }
            "BatchNorm1d" | "BatchNorm2d" | "BatchNorm3d" => self.batch_norm(),
            "LayerNorm" => {
                let shape = self.init("normalized_shape");
                self.op("layer_norm", &[x, shape, weight, bias], &["eps"])
            }
            "GroupNorm" => {
                let groups = self.init("num_groups");
                self.op("group_norm", &[x, groups, weight, bias], &["eps"])
            }
            "RNN" | "GRU" | "LSTM" => self.recurrent(&name.to_lowercase()),
            "RNNCell" => self.cell("rnn_cell", &["nonlinearity"]),
            "GRUCell" => self.cell("gru_cell", &[]),
            "LSTMCell" => self.cell("lstm_cell", &[]),
            "MultiheadAttention" => {
                let [q, k, v] = ["query", "key", "value"].map(|name| self.arg(name));
                self.attention("", [q, k, v], self.init("num_heads"))
            }
            "TransformerEncoderLayer" => self.encoder_layer(),
            _ => Err(Trouble::Unsupported(format!("there is no module '{name}'"))),
        }
    }

    fn batch_norm(&mut self) -> Result<Vec<Id>> {
        let (x, weight, bias) = (self.arg("input"), self.state("weight"), self.state("bias"));
        let [mean, var] = ["running_mean", "running_var"].map(|name| self.state(name));
        let training = self.case.mode == Mode::Train;
        if training {
            let args = [x.clone(), mean.clone(), var.clone()];
            let statistics = self.op("batch_norm_stats", &args, &["momentum"])?;
            self.after.extend(["running_mean", "running_var"].into_iter().zip(statistics));
            let count = [self.state("num_batches_tracked"), Value::Int(1)];
            let count = self.op("add", &count, &[])?;
            self.after.push(("num_batches_tracked", count[0]));
        }
        let training = Value::Bool(training);
        self.op("batch_norm", &[x, mean, var, weight, bias, training], &["momentum", "eps"])
    }

    /// `rnn`, `gru` or `lstm` over a sequence, layer upon layer.
    fn recurrent(&mut self, op: &str) -> Result<Vec<Id>> {
        if self.init("bidirectional") == Value::Bool(true) {
            return Err(Trouble::Unsupported("layers in two directions".to_string()));
        }
        let mut params = Vec::new();
        let layers = (0..).take_while(|n| self.has_state(&format!("weight_ih_l{n}"))).count();
        for n in 0..layers {
            for name in ["weight_ih", "weight_hh", "bias_ih", "bias_hh"] {
                params.push(self.state(&format!("{name}_l{n}")));
            }
        }
        let batch_axis = if self.init("batch_first") == Value::Bool(true) { 0 } else { 1 };
        let batch = self.session.leaf("input")?.shape()[batch_axis];
        let hidden = self.session.leaf("param:weight_hh_l0")?.shape()[1];
        let mut args = vec![self.arg("input")];
        args.extend(self.hidden_state(op, &[layers, batch, hidden]));
        args.push(Value::List(params));
        self.op(op, &args, &["nonlinearity", "batch_first"])
    }

    /// One step of `op`.
    fn cell(&mut self, op: &str, options: &[&str]) -> Result<Vec<Id>> {
        let batch = self.session.leaf("input")?.shape()[0];
        let hidden = self.session.leaf("param:weight_hh")?.shape()[1];
        let mut args = vec![self.arg("input")];
        args.extend(self.hidden_state(op, &[batch, hidden]));
        args.extend(["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map(|name| self.state(name)));
        self.op(op, &args, options)
    }

    /// The states a recurrent op begins with: as given, or zeros.
    fn hidden_state(&self, op: &str, shape: &[usize]) -> Vec<Value> {
        let names: &[&str] = if op.starts_with("lstm") { &["hx.0", "hx.1"] } else { &["hx"] };
        let zeros = || Value::Tensor(self.session.g.constant(0.0, DType::F32, shape).id());
        let state = |name: &&str| Some(self.arg(name)).filter(|v| *v != Value::None);
        names.iter().map(|name| state(name).unwrap_or_else(zeros)).collect()
    }

    fn attention(&mut self, prefix: &str, qkv: [Value; 3], heads: Value) -> Result<Vec<Id>> {
        let names = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"];
        let params = names.map(|name| self.state(&format!("{prefix}{name}")));
        let args = [&qkv[..], &[heads], &params].concat();
        self.op("multi_head_attention", &args, &[])
    }

    /// Attention, then two linear layers, each added to its input and normalised after that (or
    /// before it, where `norm_first`).
    fn encoder_layer(&mut self) -> Result<Vec<Id>> {
        let src = self.arg("src");
        let norm_first = self.init("norm_first") == Value::Bool(true);
        let attended = if norm_first { self.norm("norm1", src.clone())? } else { src.clone() };
        let qkv = [attended.clone(), attended.clone(), attended];
        let attended = self.attention("self_attn.", qkv, self.init("nhead"))?;
        let mut x = self.session.one("add", &[src, Value::Tensor(attended[0])])?;
        if !norm_first {
            x = self.norm("norm1", x)?;
        }
        let h = if norm_first { self.norm("norm2", x.clone())? } else { x.clone() };
        let h = self.linear("linear1", h)?;
        let activation = match self.init("activation") {
            Value::Str(name) => name,
            _ => "relu".to_string(),
        };
        let h = self.session.one(&activation, &[h])?;
        let h = self.linear("linear2", h)?;
        let mut y = self.session.one("add", &[x, h])?;
        if !norm_first {
            y = self.norm("norm2", y)?;
        }
        match y {
            Value::Tensor(id) => Ok(vec![id]),
            _ => unreachable!("an op gives a tensor"),
        }
    }

    fn linear(&mut self, name: &str, x: Value) -> Result<Value> {
        let [weight, bias] = ["weight", "bias"].map(|p| self.state(&format!("{name}.{p}")));
        self.session.one("linear", &[x, weight, bias])
    }

    fn norm(&mut self, name: &str, x: Value) -> Result<Value> {
        let [weight, bias] = ["weight", "bias"].map(|p| self.state(&format!("{name}.{p}")));
        let shape = Value::List(vec![self.init("d_model")]);
        self.session.one("layer_norm", &[x, shape, weight, bias])
    }

    /// An op with those of the constructor's arguments `options` that were given.
    fn op(&mut self, name: &str, args: &[Value], options: &[&str]) -> Result<Vec<Id>> {
        let args = args.iter().map(|value| (None, value.clone()));
        let given = |option: &&str| self.case.init.contains_key(*option);
        let options = options.iter().filter(|option| given(option));
        let options = options.map(|option| (Some(option.to_string()), self.init(option)));
        let args = args.chain(options).collect();
        self.session.call(name, args)
    }

    /// An argument of the constructor, or none.
    fn init(&self, name: &str) -> Value {
        self.case.init.get(name).map_or(Value::None, |plain| plain.0.clone())
    }

    /// An argument of the call, or none.
    fn arg(&self, name: &str) -> Value {
        self.session.leaf(name).map_or(Value::None, |leaf| Value::Tensor(leaf.id()))
    }

    /// A parameter or buffer, or none.
    fn state(&self, name: &str) -> Value {
        self.arg(&format!("param:{name}"))
    }

    fn has_state(&self, name: &str) -> bool {
        self.case.state.contains_key(name)
    }
}
