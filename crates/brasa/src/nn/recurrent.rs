//! Recurrent layers over sequences.
use super::{Dropout, Init, Module, Param, Visit};
use crate::{Tensor, ops};
use brasa_ir::compose::RnnNonlinearity;

/// Visits parameters by their PyTorch names: `weight_ih_l0`, `bias_hh_l1_reverse`.
fn visit(params: &[Param], bidirectional: bool, has_bias: bool, at: &mut Visit) {
    let directions: &[&str] = if bidirectional { &["", "_reverse"] } else { &[""] };
    for (n, layer) in params.chunks(if has_bias { 4 } else { 2 }).enumerate() {
        let (layer_number, direction) = (n / directions.len(), directions[n % directions.len()]);
        for (name, param) in ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].iter().zip(layer) {
            at.field(&format!("{name}_l{layer_number}{direction}"), param);
        }
    }
}

macro_rules! recurrent {
    ($(#[$doc:meta])* $name:ident, $gates:literal { $($field:ident: $ty:ty = $value:expr),* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            /// For each layer (and direction): `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`;
            /// without biases only the first two.
            pub params: Vec<Param>,
            bidirectional: bool,
            has_bias: bool,
            dropout: Dropout,
            $($field: $ty),*
        }

        impl Module for $name {
            fn visit(&self, at: &mut Visit) {
                visit(&self.params, self.bidirectional, self.has_bias, at);
                at.field("dropout", &self.dropout);
            }

            fn kind(&self) -> &'static str {
                stringify!($name)
            }
        }

        impl $name {
            /// From `inputs` to `hidden` features, in this many layers.
            #[track_caller]
            pub fn new(inputs: usize, hidden: usize, layers: usize) -> $name {
                $name::with_directions(inputs, hidden, layers, false)
            }

            /// [`new`](Self::new) in both directions of time.
            #[track_caller]
            pub fn bidirectional(inputs: usize, hidden: usize, layers: usize) -> $name {
                $name::with_directions(inputs, hidden, layers, true)
            }

            #[track_caller]
            fn with_directions(inputs: usize, hidden: usize, layers: usize, both: bool) -> $name {
                let (init, rows) = (Init::layer(hidden), $gates * hidden);
                let directions = if both { 2 } else { 1 };
                let mut params = Vec::new();
                for layer in 0..layers {
                    for _ in 0..directions {
                        let width = if layer == 0 { inputs } else { hidden * directions };
                        params.push(Param::init([rows, width], init.clone()));
                        params.push(Param::init([rows, hidden], init.clone()));
                        let bias = || Param::init(rows, init.clone()).with_decay(false);
                        params.extend([bias(), bias()]);
                    }
                }
                let dropout = Dropout::new(0.0);
                $name { params, bidirectional: both, has_bias: true, dropout, $($field: $value),* }
            }

            /// The same layer without biases.
            pub fn without_bias(mut self) -> $name {
                if self.has_bias {
                    self.params = self.params.chunks(4).flat_map(|all| all[..2].to_vec()).collect();
                }
                self.has_bias = false;
                self
            }

            /// Sets the dropout probability between layers; 0 by default.
            pub fn dropout(mut self, p: f64) -> $name {
                self.dropout = Dropout::new(p);
                self
            }

            /// The parameters of segments of layers; a new segment starts after each dropout.
            fn segments(&self) -> std::slice::Chunks<'_, Param> {
                let directions = if self.bidirectional { 2 } else { 1 };
                let layer = directions * if self.has_bias { 4 } else { 2 };
                let len = if self.dropout.rate() > 0.0 { layer } else { self.params.len() };
                self.params.chunks(len.max(1))
            }
        }
    };
}
recurrent!(
    /// A plain recurrent layer with tanh.
    Rnn, 1 { nonlinearity: RnnNonlinearity = RnnNonlinearity::Tanh });
recurrent!(
    /// Gated recurrent units.
    Gru, 3 {});
recurrent!(
    /// Long short-term memory.
    Lstm, 4 {});

/// Runs segments of layers one after the other, with dropout between them. `body` gets a segment's
/// part of the states, and returns its output and last states.
#[track_caller]
fn run<const N: usize>(
    mut segments: std::slice::Chunks<Param>,
    dropout: &Dropout,
    x: &Tensor,
    states: [Option<&Tensor>; N],
    body: impl Fn(&Tensor, &[Param], [Option<&Tensor>; N]) -> (Tensor, [Tensor; N]),
) -> (Tensor, [Tensor; N]) {
    let count = segments.len();
    if count <= 1 {
        return body(x, segments.next().unwrap_or_default(), states);
    }
    let mut x = x.clone();
    let mut last: [Vec<Tensor>; N] = std::array::from_fn(|_| Vec::new());
    for (n, params) in segments.enumerate() {
        let own = states.map(|all| all.map(|all| all.chunk(count, 0)[n].clone()));
        let input = if n > 0 { dropout.forward(&x) } else { x };
        let ends;
        (x, ends) = body(&input, params, std::array::from_fn(|k| own[k].as_ref()));
        last.iter_mut().zip(ends).for_each(|(all, end)| all.push(end));
    }
    (x, last.map(|all| ops::cat(&all, 0)))
}

impl Rnn {
    /// The same layer with `relu` instead of `tanh`.
    pub fn relu(mut self) -> Rnn {
        self.nonlinearity = RnnNonlinearity::Relu;
        self
    }

    /// Outputs and last states for `x [batch, time, in]`, starting from `hx` or zeros.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: Option<&Tensor>) -> (Tensor, Tensor) {
        let (both, kind) = (self.bidirectional, self.nonlinearity);
        let (y, [h]) = run(self.segments(), &self.dropout, x, [hx], |x, params, [hx]| {
            let (y, h) = ops::rnn_with(x, params, |o| {
                o.hx(hx).batch_first(true).bidirectional(both).nonlinearity(kind)
            });
            (y, [h])
        });
        (y, h)
    }
}

impl Gru {
    /// Outputs and last states for `x [batch, time, in]`, starting from `hx` or zeros.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: Option<&Tensor>) -> (Tensor, Tensor) {
        let both = self.bidirectional;
        let (y, [h]) = run(self.segments(), &self.dropout, x, [hx], |x, params, [hx]| {
            let (y, h) =
                ops::gru_with(x, params, |o| o.hx(hx).batch_first(true).bidirectional(both));
            (y, [h])
        });
        (y, h)
    }
}

impl Lstm {
    /// Outputs, last states and last cells for `x [batch, time, in]`, starting from `state` or
    /// zeros.
    #[track_caller]
    pub fn forward(
        &self,
        x: &Tensor,
        state: Option<(&Tensor, &Tensor)>,
    ) -> (Tensor, Tensor, Tensor) {
        let (both, (hx, cx)) = (self.bidirectional, state.unzip());
        let (y, [h, c]) =
            run(self.segments(), &self.dropout, x, [hx, cx], |x, params, [hx, cx]| {
                let (y, h, c) = ops::lstm_with(x, params, |o| {
                    o.hx(hx).cx(cx).batch_first(true).bidirectional(both)
                });
                (y, [h, c])
            });
        (y, h, c)
    }
}

macro_rules! cells {
    ($($(#[$doc:meta])* $name:ident, $gates:literal { $($field:ident: $ty:ty = $value:expr),* };)*) => {$(
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            /// `[gates · hidden, in]`
            pub weight_ih: Param,
            /// `[gates · hidden, hidden]`
            pub weight_hh: Param,
            /// `[gates · hidden]`
            pub bias_ih: Option<Param>,
            /// `[gates · hidden]`
            pub bias_hh: Option<Param>,
            $(#[module(skip)] $field: $ty),*
        }

        impl $name {
            /// From `inputs` to `hidden` features.
            #[track_caller]
            pub fn new(inputs: usize, hidden: usize) -> $name {
                let (init, rows) = (Init::layer(hidden), $gates * hidden);
                let bias = || Some(Param::init(rows, init.clone()).with_decay(false));
                $name {
                    weight_ih: Param::init([rows, inputs], init.clone()),
                    weight_hh: Param::init([rows, hidden], init.clone()),
                    bias_ih: bias(),
                    bias_hh: bias(),
                    $($field: $value),*
                }
            }

            /// The same cell without biases.
            pub fn without_bias(self) -> $name {
                $name { bias_ih: None, bias_hh: None, ..self }
            }
        }
    )*};
}
cells! {
    /// One step of a plain recurrent layer with tanh.
    RnnCell, 1 { nonlinearity: RnnNonlinearity = RnnNonlinearity::Tanh };
    /// One step of gated recurrent units.
    GruCell, 3 {};
    /// One step of long short-term memory.
    LstmCell, 4 {};
}

impl RnnCell {
    /// The same cell with `relu` instead of `tanh`.
    pub fn relu(mut self) -> RnnCell {
        self.nonlinearity = RnnNonlinearity::Relu;
        self
    }

    /// The next state for `x [batch, in]`, given the previous state `hx [batch, hidden]`.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: &Tensor) -> Tensor {
        let (b_ih, b_hh) = (self.bias_ih.as_deref(), self.bias_hh.as_deref());
        ops::rnn_cell_with(x, hx, &self.weight_ih, &self.weight_hh, |o| {
            o.b_ih(b_ih).b_hh(b_hh).nonlinearity(self.nonlinearity)
        })
    }
}

impl GruCell {
    /// The next state for `x [batch, in]`, given the previous state `hx [batch, hidden]`.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: &Tensor) -> Tensor {
        let (b_ih, b_hh) = (self.bias_ih.as_deref(), self.bias_hh.as_deref());
        ops::gru_cell_with(x, hx, &self.weight_ih, &self.weight_hh, |o| o.b_ih(b_ih).b_hh(b_hh))
    }
}

impl LstmCell {
    /// The next state and cell for `x [batch, in]`, given the previous ones.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: &Tensor, cx: &Tensor) -> (Tensor, Tensor) {
        let (b_ih, b_hh) = (self.bias_ih.as_deref(), self.bias_hh.as_deref());
        let (weight_ih, weight_hh): (&Tensor, &Tensor) = (&self.weight_ih, &self.weight_hh);
        ops::lstm_cell_with(x, hx, cx, weight_ih, weight_hh, |o| o.b_ih(b_ih).b_hh(b_hh))
    }
}
