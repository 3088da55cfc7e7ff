//! Recurrent layers over sequences.
use super::{Init, Module, Param, Visit};
use crate::{Tensor, ops};

/// Visits parameters by the names that PyTorch gives them: `weight_ih_l0`, `bias_hh_l1_reverse`.
fn visit(params: &[Param], bidirectional: bool, at: &mut Visit) {
    let directions: &[&str] = if bidirectional { &["", "_reverse"] } else { &[""] };
    for (n, layer) in params.chunks(4).enumerate() {
        let (layer_number, direction) = (n / directions.len(), directions[n % directions.len()]);
        for (name, param) in ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].iter().zip(layer) {
            at.field(&format!("{name}_l{layer_number}{direction}"), param);
        }
    }
}

macro_rules! recurrent {
    ($(#[$doc:meta])* $name:ident, $gates:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            /// For each layer (and direction): `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`.
            pub params: Vec<Param>,
            bidirectional: bool,
        }

        impl Module for $name {
            fn visit(&self, at: &mut Visit) {
                visit(&self.params, self.bidirectional, at);
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

            /// [`new`](Self::new), reading sequences from both ends.
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
                $name { params, bidirectional: both }
            }
        }
    };
}
recurrent!(
    /// A plain recurrent layer with tanh.
    Rnn, 1);
recurrent!(
    /// Gated recurrent units.
    Gru, 3);
recurrent!(
    /// Long short-term memory.
    Lstm, 4);

impl Rnn {
    /// Outputs and last states of `x [batch, time, in]`, from `hx` or zeros.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: Option<&Tensor>) -> (Tensor, Tensor) {
        let both = self.bidirectional;
        ops::rnn_with(x, &self.params, |o| o.hx(hx).batch_first(true).bidirectional(both))
    }
}

impl Gru {
    /// Outputs and last states of `x [batch, time, in]`, from `hx` or zeros.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hx: Option<&Tensor>) -> (Tensor, Tensor) {
        let both = self.bidirectional;
        ops::gru_with(x, &self.params, |o| o.hx(hx).batch_first(true).bidirectional(both))
    }
}

impl Lstm {
    /// Outputs, last states and last cells of `x [batch, time, in]`, from `state` or zeros.
    #[track_caller]
    pub fn forward(
        &self,
        x: &Tensor,
        state: Option<(&Tensor, &Tensor)>,
    ) -> (Tensor, Tensor, Tensor) {
        let (both, (hx, cx)) = (self.bidirectional, state.unzip());
        ops::lstm_with(x, &self.params, |o| o.hx(hx).cx(cx).batch_first(true).bidirectional(both))
    }
}
