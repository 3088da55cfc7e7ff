//! Generated from the `recurrent` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`rnn_cell`](crate::ops::rnn_cell).
    #[derive(Clone, Debug)]
    pub struct RnnCellOptions {
        pub(crate) b_ih: Option<Tensor>,
        pub(crate) b_hh: Option<Tensor>,
        pub(crate) nonlinearity: brasa_ir::compose::RnnNonlinearity,
    }

    impl Default for RnnCellOptions {
        fn default() -> RnnCellOptions {
            RnnCellOptions {
                b_ih: None,
                b_hh: None,
                nonlinearity: brasa_ir::compose::RnnNonlinearity::Tanh,
            }
        }
    }

    impl RnnCellOptions {
        /// Sets `b_ih`; by default not given.
        pub fn b_ih<'a>(mut self, b_ih: impl Into<Option<&'a Tensor>>) -> Self {
            self.b_ih = b_ih.into().cloned();
            self
        }

        /// Sets `b_hh`; by default not given.
        pub fn b_hh<'a>(mut self, b_hh: impl Into<Option<&'a Tensor>>) -> Self {
            self.b_hh = b_hh.into().cloned();
            self
        }

        /// Sets `nonlinearity`; by default `RnnNonlinearity::Tanh`.
        pub fn nonlinearity(mut self, nonlinearity: brasa_ir::compose::RnnNonlinearity) -> Self {
            self.nonlinearity = nonlinearity;
            self
        }
    }

    /// Options of [`gru_cell`](crate::ops::gru_cell).
    #[derive(Clone, Debug)]
    pub struct GruCellOptions {
        pub(crate) b_ih: Option<Tensor>,
        pub(crate) b_hh: Option<Tensor>,
    }

    impl Default for GruCellOptions {
        fn default() -> GruCellOptions {
            GruCellOptions {
                b_ih: None,
                b_hh: None,
            }
        }
    }

    impl GruCellOptions {
        /// Sets `b_ih`; by default not given.
        pub fn b_ih<'a>(mut self, b_ih: impl Into<Option<&'a Tensor>>) -> Self {
            self.b_ih = b_ih.into().cloned();
            self
        }

        /// Sets `b_hh`; by default not given.
        pub fn b_hh<'a>(mut self, b_hh: impl Into<Option<&'a Tensor>>) -> Self {
            self.b_hh = b_hh.into().cloned();
            self
        }
    }

    /// Options of [`lstm_cell`](crate::ops::lstm_cell).
    #[derive(Clone, Debug)]
    pub struct LstmCellOptions {
        pub(crate) b_ih: Option<Tensor>,
        pub(crate) b_hh: Option<Tensor>,
    }

    impl Default for LstmCellOptions {
        fn default() -> LstmCellOptions {
            LstmCellOptions {
                b_ih: None,
                b_hh: None,
            }
        }
    }

    impl LstmCellOptions {
        /// Sets `b_ih`; by default not given.
        pub fn b_ih<'a>(mut self, b_ih: impl Into<Option<&'a Tensor>>) -> Self {
            self.b_ih = b_ih.into().cloned();
            self
        }

        /// Sets `b_hh`; by default not given.
        pub fn b_hh<'a>(mut self, b_hh: impl Into<Option<&'a Tensor>>) -> Self {
            self.b_hh = b_hh.into().cloned();
            self
        }
    }

    /// Options of [`rnn`](crate::ops::rnn).
    #[derive(Clone, Debug)]
    pub struct RnnOptions {
        pub(crate) hx: Option<Tensor>,
        pub(crate) nonlinearity: brasa_ir::compose::RnnNonlinearity,
        pub(crate) batch_first: bool,
        pub(crate) bidirectional: bool,
    }

    impl Default for RnnOptions {
        fn default() -> RnnOptions {
            RnnOptions {
                hx: None,
                nonlinearity: brasa_ir::compose::RnnNonlinearity::Tanh,
                batch_first: false,
                bidirectional: false,
            }
        }
    }

    impl RnnOptions {
        /// Sets `hx`; by default not given.
        pub fn hx<'a>(mut self, hx: impl Into<Option<&'a Tensor>>) -> Self {
            self.hx = hx.into().cloned();
            self
        }

        /// Sets `nonlinearity`; by default `RnnNonlinearity::Tanh`.
        pub fn nonlinearity(mut self, nonlinearity: brasa_ir::compose::RnnNonlinearity) -> Self {
            self.nonlinearity = nonlinearity;
            self
        }

        /// Sets `batch_first`; by default `false`.
        pub fn batch_first(mut self, batch_first: bool) -> Self {
            self.batch_first = batch_first;
            self
        }

        /// Sets `bidirectional`; by default `false`.
        pub fn bidirectional(mut self, bidirectional: bool) -> Self {
            self.bidirectional = bidirectional;
            self
        }
    }

    /// Options of [`gru`](crate::ops::gru).
    #[derive(Clone, Debug)]
    pub struct GruOptions {
        pub(crate) hx: Option<Tensor>,
        pub(crate) batch_first: bool,
        pub(crate) bidirectional: bool,
    }

    impl Default for GruOptions {
        fn default() -> GruOptions {
            GruOptions {
                hx: None,
                batch_first: false,
                bidirectional: false,
            }
        }
    }

    impl GruOptions {
        /// Sets `hx`; by default not given.
        pub fn hx<'a>(mut self, hx: impl Into<Option<&'a Tensor>>) -> Self {
            self.hx = hx.into().cloned();
            self
        }

        /// Sets `batch_first`; by default `false`.
        pub fn batch_first(mut self, batch_first: bool) -> Self {
            self.batch_first = batch_first;
            self
        }

        /// Sets `bidirectional`; by default `false`.
        pub fn bidirectional(mut self, bidirectional: bool) -> Self {
            self.bidirectional = bidirectional;
            self
        }
    }

    /// Options of [`lstm`](crate::ops::lstm).
    #[derive(Clone, Debug)]
    pub struct LstmOptions {
        pub(crate) hx: Option<Tensor>,
        pub(crate) cx: Option<Tensor>,
        pub(crate) batch_first: bool,
        pub(crate) bidirectional: bool,
    }

    impl Default for LstmOptions {
        fn default() -> LstmOptions {
            LstmOptions {
                hx: None,
                cx: None,
                batch_first: false,
                bidirectional: false,
            }
        }
    }

    impl LstmOptions {
        /// Sets `hx`; by default not given.
        pub fn hx<'a>(mut self, hx: impl Into<Option<&'a Tensor>>) -> Self {
            self.hx = hx.into().cloned();
            self
        }

        /// Sets `cx`; by default not given.
        pub fn cx<'a>(mut self, cx: impl Into<Option<&'a Tensor>>) -> Self {
            self.cx = cx.into().cloned();
            self
        }

        /// Sets `batch_first`; by default `false`.
        pub fn batch_first(mut self, batch_first: bool) -> Self {
            self.batch_first = batch_first;
            self
        }

        /// Sets `bidirectional`; by default `false`.
        pub fn bidirectional(mut self, bidirectional: bool) -> Self {
            self.bidirectional = bidirectional;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
    /// batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
    #[track_caller]
    pub fn rnn_cell(input: &Tensor, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor) -> Tensor {
        rnn_cell_with(input, hx, w_ih, w_hh, |o| o)
    }

    /// One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
    /// batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
    ///
    /// Options: `b_ih`, `b_hh`, `nonlinearity`.
    #[track_caller]
    pub fn rnn_cell_with(input: &Tensor, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor, o: impl FnOnce(options::RnnCellOptions) -> options::RnnCellOptions) -> Tensor {
        let o = o(options::RnnCellOptions::default());
        input.settle();
        hx.settle();
        w_ih.settle();
        w_hh.settle();
        o.b_ih.settle();
        o.b_hh.settle();
        record("rnn_cell", |scope| scope.leave(compose::rnn_cell(scope.g, input.enter(scope), hx.enter(scope), w_ih.enter(scope), w_hh.enter(scope), o.b_ih.enter(scope), o.b_hh.enter(scope), o.nonlinearity)))
    }

    /// One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
    /// an optional batch axis. The weights hold the gates r, z, n in this order.
    ///
    /// `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
    /// `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
    #[track_caller]
    pub fn gru_cell(input: &Tensor, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor) -> Tensor {
        gru_cell_with(input, hx, w_ih, w_hh, |o| o)
    }

    /// One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
    /// an optional batch axis. The weights hold the gates r, z, n in this order.
    ///
    /// `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
    /// `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
    ///
    /// Options: `b_ih`, `b_hh`.
    #[track_caller]
    pub fn gru_cell_with(input: &Tensor, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor, o: impl FnOnce(options::GruCellOptions) -> options::GruCellOptions) -> Tensor {
        let o = o(options::GruCellOptions::default());
        input.settle();
        hx.settle();
        w_ih.settle();
        w_hh.settle();
        o.b_ih.settle();
        o.b_hh.settle();
        record("gru_cell", |scope| scope.leave(compose::gru_cell(scope.g, input.enter(scope), hx.enter(scope), w_ih.enter(scope), w_hh.enter(scope), o.b_ih.enter(scope), o.b_hh.enter(scope))))
    }

    /// One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
    /// `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
    /// Returns the new states.
    ///
    /// `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
    /// projections of input and state with biases.
    #[track_caller]
    pub fn lstm_cell(input: &Tensor, hx: &Tensor, cx: &Tensor, w_ih: &Tensor, w_hh: &Tensor) -> (Tensor, Tensor) {
        lstm_cell_with(input, hx, cx, w_ih, w_hh, |o| o)
    }

    /// One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
    /// `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
    /// Returns the new states.
    ///
    /// `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
    /// projections of input and state with biases.
    ///
    /// Options: `b_ih`, `b_hh`.
    #[track_caller]
    pub fn lstm_cell_with(input: &Tensor, hx: &Tensor, cx: &Tensor, w_ih: &Tensor, w_hh: &Tensor, o: impl FnOnce(options::LstmCellOptions) -> options::LstmCellOptions) -> (Tensor, Tensor) {
        let o = o(options::LstmCellOptions::default());
        input.settle();
        hx.settle();
        cx.settle();
        w_ih.settle();
        w_hh.settle();
        o.b_ih.settle();
        o.b_hh.settle();
        record("lstm_cell", |scope| scope.leave(compose::lstm_cell(scope.g, input.enter(scope), hx.enter(scope), cx.enter(scope), w_ih.enter(scope), w_hh.enter(scope), o.b_ih.enter(scope), o.b_hh.enter(scope))))
    }

    /// Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
    /// Returns the states of the last layer at all times, and the final states of all layers.
    ///
    /// `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
    /// b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
    /// direction, and its output concatenates both directions. The batch axis is optional.
    #[track_caller]
    pub fn rnn(input: &Tensor, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> (Tensor, Tensor) {
        rnn_with(input, params, |o| o)
    }

    /// Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
    /// Returns the states of the last layer at all times, and the final states of all layers.
    ///
    /// `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
    /// b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
    /// direction, and its output concatenates both directions. The batch axis is optional.
    ///
    /// Options: `hx`, `nonlinearity`, `batch_first`, `bidirectional`.
    #[track_caller]
    pub fn rnn_with(input: &Tensor, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::RnnOptions) -> options::RnnOptions) -> (Tensor, Tensor) {
        let o = o(options::RnnOptions::default());
        let params: Vec<Tensor> = collected(params);
        input.settle();
        params.settle();
        o.hx.settle();
        record("rnn", |scope| scope.leave(compose::rnn(scope.g, input.enter(scope), o.hx.enter(scope), params.enter(scope), o.nonlinearity, o.batch_first, o.bidirectional)))
    }

    /// Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
    /// in `gru_cell`.
    #[track_caller]
    pub fn gru(input: &Tensor, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> (Tensor, Tensor) {
        gru_with(input, params, |o| o)
    }

    /// Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
    /// in `gru_cell`.
    ///
    /// Options: `hx`, `batch_first`, `bidirectional`.
    #[track_caller]
    pub fn gru_with(input: &Tensor, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::GruOptions) -> options::GruOptions) -> (Tensor, Tensor) {
        let o = o(options::GruOptions::default());
        let params: Vec<Tensor> = collected(params);
        input.settle();
        params.settle();
        o.hx.settle();
        record("gru", |scope| scope.leave(compose::gru(scope.g, input.enter(scope), o.hx.enter(scope), params.enter(scope), o.batch_first, o.bidirectional)))
    }

    /// Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
    /// cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
    #[track_caller]
    pub fn lstm(input: &Tensor, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> (Tensor, Tensor, Tensor) {
        lstm_with(input, params, |o| o)
    }

    /// Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
    /// cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
    ///
    /// Options: `hx`, `cx`, `batch_first`, `bidirectional`.
    #[track_caller]
    pub fn lstm_with(input: &Tensor, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::LstmOptions) -> options::LstmOptions) -> (Tensor, Tensor, Tensor) {
        let o = o(options::LstmOptions::default());
        let params: Vec<Tensor> = collected(params);
        input.settle();
        params.settle();
        o.hx.settle();
        o.cx.settle();
        record("lstm", |scope| scope.leave(compose::lstm(scope.g, input.enter(scope), o.hx.enter(scope), o.cx.enter(scope), params.enter(scope), o.batch_first, o.bidirectional)))
    }
}

impl Tensor {
    /// One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
    /// batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
    #[track_caller]
    pub fn rnn_cell(&self, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor) -> Tensor {
        functions::rnn_cell(self, hx, w_ih, w_hh)
    }

    /// One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
    /// batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
    ///
    /// Options: `b_ih`, `b_hh`, `nonlinearity`.
    #[track_caller]
    pub fn rnn_cell_with(&self, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor, o: impl FnOnce(options::RnnCellOptions) -> options::RnnCellOptions) -> Tensor {
        functions::rnn_cell_with(self, hx, w_ih, w_hh, o)
    }

    /// One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
    /// an optional batch axis. The weights hold the gates r, z, n in this order.
    ///
    /// `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
    /// `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
    #[track_caller]
    pub fn gru_cell(&self, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor) -> Tensor {
        functions::gru_cell(self, hx, w_ih, w_hh)
    }

    /// One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
    /// an optional batch axis. The weights hold the gates r, z, n in this order.
    ///
    /// `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
    /// `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
    ///
    /// Options: `b_ih`, `b_hh`.
    #[track_caller]
    pub fn gru_cell_with(&self, hx: &Tensor, w_ih: &Tensor, w_hh: &Tensor, o: impl FnOnce(options::GruCellOptions) -> options::GruCellOptions) -> Tensor {
        functions::gru_cell_with(self, hx, w_ih, w_hh, o)
    }

    /// One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
    /// `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
    /// Returns the new states.
    ///
    /// `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
    /// projections of input and state with biases.
    #[track_caller]
    pub fn lstm_cell(&self, hx: &Tensor, cx: &Tensor, w_ih: &Tensor, w_hh: &Tensor) -> (Tensor, Tensor) {
        functions::lstm_cell(self, hx, cx, w_ih, w_hh)
    }

    /// One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
    /// `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
    /// Returns the new states.
    ///
    /// `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
    /// projections of input and state with biases.
    ///
    /// Options: `b_ih`, `b_hh`.
    #[track_caller]
    pub fn lstm_cell_with(&self, hx: &Tensor, cx: &Tensor, w_ih: &Tensor, w_hh: &Tensor, o: impl FnOnce(options::LstmCellOptions) -> options::LstmCellOptions) -> (Tensor, Tensor) {
        functions::lstm_cell_with(self, hx, cx, w_ih, w_hh, o)
    }

    /// Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
    /// Returns the states of the last layer at all times, and the final states of all layers.
    ///
    /// `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
    /// b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
    /// direction, and its output concatenates both directions. The batch axis is optional.
    #[track_caller]
    pub fn rnn(&self, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> (Tensor, Tensor) {
        functions::rnn(self, params)
    }

    /// Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
    /// Returns the states of the last layer at all times, and the final states of all layers.
    ///
    /// `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
    /// b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
    /// direction, and its output concatenates both directions. The batch axis is optional.
    ///
    /// Options: `hx`, `nonlinearity`, `batch_first`, `bidirectional`.
    #[track_caller]
    pub fn rnn_with(&self, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::RnnOptions) -> options::RnnOptions) -> (Tensor, Tensor) {
        functions::rnn_with(self, params, o)
    }

    /// Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
    /// in `gru_cell`.
    #[track_caller]
    pub fn gru(&self, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> (Tensor, Tensor) {
        functions::gru(self, params)
    }

    /// Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
    /// in `gru_cell`.
    ///
    /// Options: `hx`, `batch_first`, `bidirectional`.
    #[track_caller]
    pub fn gru_with(&self, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::GruOptions) -> options::GruOptions) -> (Tensor, Tensor) {
        functions::gru_with(self, params, o)
    }

    /// Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
    /// cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
    #[track_caller]
    pub fn lstm(&self, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> (Tensor, Tensor, Tensor) {
        functions::lstm(self, params)
    }

    /// Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
    /// cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
    ///
    /// Options: `hx`, `cx`, `batch_first`, `bidirectional`.
    #[track_caller]
    pub fn lstm_with(&self, params: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::LstmOptions) -> options::LstmOptions) -> (Tensor, Tensor, Tensor) {
        functions::lstm_with(self, params, o)
    }

}
