//! Recurrent networks: single steps of cells, and multi-layer networks over sequences. The input
//! of a sequence is projected in one product; the recurrence is unrolled over time.
use super::joins::joined;
use super::linalg::dense;
use super::prelude::*;

choice! {
    /// The activation of a plain recurrent cell.
    pub enum RnnNonlinearity {
        Tanh = "tanh",
        Relu = "relu",
    }
}

/// One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
/// batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
#[op(
    case = "f32[2, 3], f32[2, 4], f32[4, 3], f32[4, 4], f32[4], f32[4]",
    case = "f32[3] in 0..1, f32[2] in 0..1, f32[2, 3] in 0..1, f32[2, 2], nonlinearity='relu'"
)]
pub fn rnn_cell(
    g: &Recorder,
    input: Expr,
    hx: Expr,
    w_ih: Expr,
    w_hh: Expr,
    b_ih: Option<Expr>,
    b_hh: Option<Expr>,
    #[default(RnnNonlinearity::Tanh)] nonlinearity: RnnNonlinearity,
) -> Result<Expr> {
    let weights = Weights { w_ih, w_hh, b_ih, b_hh };
    Ok(single_step("rnn_cell", Cell::Rnn(nonlinearity), input, State { h: hx, c: hx }, weights)?.h)
}

/// One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
/// an optional batch axis. The weights hold the gates r, z, n in this order.
///
/// `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
/// `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
#[op(
    case = "f32[2, 3], f32[2, 4], f32[12, 3], f32[12, 4], f32[12], f32[12]",
    case = "f32[3], f32[4], f32[12, 3], f32[12, 4]"
)]
pub fn gru_cell(
    g: &Recorder,
    input: Expr,
    hx: Expr,
    w_ih: Expr,
    w_hh: Expr,
    b_ih: Option<Expr>,
    b_hh: Option<Expr>,
) -> Result<Expr> {
    let weights = Weights { w_ih, w_hh, b_ih, b_hh };
    Ok(single_step("gru_cell", Cell::Gru, input, State { h: hx, c: hx }, weights)?.h)
}

/// One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
/// `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
/// Returns the new states.
///
/// `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
/// projections of input and state with biases.
#[op(
    case = "f32[2, 3], f32[2, 4], f32[2, 4], f32[16, 3], f32[16, 4], f32[16], f32[16]",
    case = "f32[3], f32[4], f32[4], f32[16, 3], f32[16, 4]"
)]
pub fn lstm_cell(
    g: &Recorder,
    input: Expr,
    hx: Expr,
    cx: Expr,
    w_ih: Expr,
    w_hh: Expr,
    b_ih: Option<Expr>,
    b_hh: Option<Expr>,
) -> Result<(Expr, Expr)> {
    let weights = Weights { w_ih, w_hh, b_ih, b_hh };
    let state = State { h: hx, c: cx };
    let State { h, c } = single_step("lstm_cell", Cell::Lstm, input, state, weights)?;
    Ok((h, c))
}

/// Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
/// Returns the states of the last layer at all times, and the final states of all layers.
///
/// `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
/// b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
/// direction, and its output concatenates both directions. The batch axis is optional.
#[op(
    case = "f32[3, 2, 3], f32[1, 2, 4], [f32[4, 3], f32[4, 4], f32[4], f32[4]]",
    case = "f32[2, 3, 3], none, [f32[4, 3], f32[4, 4]], batch_first=true",
    case = "f32[2, 1, 2], none, [f32[3, 2], f32[3, 3], f32[3, 2], f32[3, 3]], bidirectional=true"
)]
pub fn rnn(
    g: &Recorder,
    input: Expr,
    hx: Option<Expr>,
    params: Vec<Expr>,
    #[default(RnnNonlinearity::Tanh)] nonlinearity: RnnNonlinearity,
    #[default(false)] batch_first: bool,
    #[default(false)] bidirectional: bool,
) -> Result<(Expr, Expr)> {
    let layout = Layout { batch_first, bidirectional };
    let cell = Cell::Rnn(nonlinearity);
    let (output, last) = sequence("rnn", cell, input, (hx, None), &params, layout)?;
    Ok((output, last.h))
}

/// Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
/// in `gru_cell`.
#[op(
    case = "f32[3, 2, 3], f32[1, 2, 2], [f32[6, 3], f32[6, 2], f32[6], f32[6]]",
    case = "f32[1, 2, 3], none, [f32[6, 3], f32[6, 2], f32[6, 2], f32[6, 2]], batch_first=true"
)]
pub fn gru(
    g: &Recorder,
    input: Expr,
    hx: Option<Expr>,
    params: Vec<Expr>,
    #[default(false)] batch_first: bool,
    #[default(false)] bidirectional: bool,
) -> Result<(Expr, Expr)> {
    let layout = Layout { batch_first, bidirectional };
    let (output, last) = sequence("gru", Cell::Gru, input, (hx, None), &params, layout)?;
    Ok((output, last.h))
}

/// Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
/// cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
#[op(
    case = "f32[3, 2, 3], f32[1, 2, 2], f32[1, 2, 2], [f32[8, 3], f32[8, 2], f32[8], f32[8]]",
    case = "f32[2, 2], none, none, [f32[8, 2], f32[8, 2], f32[8, 2], f32[8, 2]]",
    case = "f32[2, 1, 2], none, none, [f32[4, 2], f32[4, 1], f32[4, 2], f32[4, 1]], false, true"
)]
pub fn lstm(
    g: &Recorder,
    input: Expr,
    hx: Option<Expr>,
    cx: Option<Expr>,
    params: Vec<Expr>,
    #[default(false)] batch_first: bool,
    #[default(false)] bidirectional: bool,
) -> Result<(Expr, Expr, Expr)> {
    let layout = Layout { batch_first, bidirectional };
    let (output, last) = sequence("lstm", Cell::Lstm, input, (hx, cx), &params, layout)?;
    Ok((output, last.h, last.c))
}

#[derive(Clone, Copy)]
enum Cell {
    Rnn(RnnNonlinearity),
    Gru,
    Lstm,
}

/// Hidden and cell state; only an LSTM uses the cell state.
#[derive(Clone, Copy)]
struct State<'g> {
    h: Expr<'g>,
    c: Expr<'g>,
}

#[derive(Clone, Copy)]
struct Weights<'g> {
    w_ih: Expr<'g>,
    w_hh: Expr<'g>,
    b_ih: Option<Expr<'g>>,
    b_hh: Option<Expr<'g>>,
}

#[derive(Clone, Copy)]
struct Layout {
    batch_first: bool,
    bidirectional: bool,
}

impl Cell {
    fn gates(self) -> usize {
        match self {
            Cell::Rnn(_) => 1,
            Cell::Gru => 3,
            Cell::Lstm => 4,
        }
    }

    /// The next state, from the projections `x` of the input and `p` of the hidden state.
    fn step<'g>(self, x: Expr<'g>, p: Expr<'g>, State { h, c }: State<'g>) -> State<'g> {
        let (axis, width) = (h.rank() - 1, h.len(h.rank() - 1));
        let gate = |y: Expr<'g>, n: usize| y.narrow(axis, n * width, width);
        match self {
            Cell::Rnn(RnnNonlinearity::Tanh) => State { h: (x + p).tanh(), c },
            Cell::Rnn(RnnNonlinearity::Relu) => State { h: (x + p).relu(), c },
            Cell::Gru => {
                let sum = |n| gate(x, n) + gate(p, n);
                let (r, z) = (sum(0).sigmoid(), sum(1).sigmoid());
                let n = (gate(x, 2) + r * gate(p, 2)).tanh();
                State { h: (1.0 - z) * n + z * h, c }
            }
            Cell::Lstm => {
                let sum = x + p;
                let [i, f, o] = [0, 1, 3].map(|n| gate(sum, n).sigmoid());
                let c = f * c + i * gate(sum, 2).tanh();
                State { h: o * c.tanh(), c }
            }
        }
    }
}

impl<'g> Weights<'g> {
    /// Checks that the weights match each other, and returns the width of the state.
    fn width(&self, op: &str, cell: Cell) -> Result<usize> {
        let fail = |what: String| {
            let error = Error::shape(op, what).operand("w_ih", &self.w_ih.ty());
            error.operand("w_hh", &self.w_hh.ty())
        };
        let &[rows, width] = &*self.w_hh.shape() else {
            return Err(fail("w_hh must be [gates · H, H]".into()));
        };
        if Some(rows) != width.checked_mul(cell.gates()) {
            let what = format!("w_hh must be [{} · H, H], it has {rows} rows", cell.gates());
            return Err(fail(what));
        }
        if self.w_ih.rank() != 2 || self.w_ih.len(0) != rows {
            return Err(fail(format!("w_ih must be [{rows}, I], to go with w_hh")));
        }
        if [self.b_ih, self.b_hh].iter().flatten().any(|b| *b.shape() != [rows]) {
            return Err(fail(format!("biases must have the shape [{rows}]")));
        }
        Ok(width)
    }
}

/// A cell's step for states `[B, H]` or `[H]`.
fn single_step<'g>(
    op: &str,
    cell: Cell,
    input: Expr<'g>,
    state: State<'g>,
    weights: Weights<'g>,
) -> Result<State<'g>> {
    let width = weights.width(op, cell)?;
    let shape = input.shape();
    let expected = match *shape {
        [_] => Shape::from([width]),
        [batch, _] => Shape::from([batch, width]),
        _ => return Err(input.shape_error("expected [B, I] or [I]")),
    };
    for (name, x) in [("hx", state.h), ("cx", state.c)] {
        if x.shape() != expected {
            let error = input.shape_error(format!("{name} must have the shape {expected}"));
            return Err(error.operand(name, &x.ty()));
        }
    }
    let x = dense(op, input, ("w_ih", weights.w_ih), weights.b_ih)?;
    let p = dense(op, state.h, ("w_hh", weights.w_hh), weights.b_hh)?;
    Ok(cell.step(x, p, state))
}

/// All layers over a whole sequence: the output of the last layer, and the final states of all.
fn sequence<'g>(
    op: &str,
    cell: Cell,
    input: Expr<'g>,
    states: (Option<Expr<'g>>, Option<Expr<'g>>),
    params: &[Expr<'g>],
    layout: Layout,
) -> Result<(Expr<'g>, State<'g>)> {
    let is_single = input.rank() == 2;
    let mut x = match input.rank() {
        2 => input.unsqueeze(1),
        3 if layout.batch_first => input.swap(0, 1),
        3 => input,
        _ => return Err(input.shape_error("expected [T, B, I], or [T, I] without a batch")),
    };
    if x.len(0) == 0 {
        return Err(input.shape_error("the sequence is empty"));
    }
    let directions = if layout.bidirectional { 2 } else { 1 };
    let groups = grouped(op, params, directions)?;
    let width = groups[0].width(op, cell)?;
    let first = |name: &str, given: Option<Expr<'g>>| {
        initial(name, given, input, [groups.len(), x.len(1), width], is_single)
    };
    let (h0, c0) = (first("hx", states.0)?, first("cx", states.1)?);

    let mut last = Vec::new();
    for (layer, weights) in groups.chunks(directions).enumerate() {
        let mut outputs = Vec::new();
        for (direction, weights) in weights.iter().enumerate() {
            let n = layer * directions + direction;
            let start = State { h: h0.select(0, n), c: c0.select(0, n) };
            let (output, end) = unrolled(op, cell, x, start, weights, direction == 1)?;
            outputs.push(output);
            last.push(end);
        }
        x = joined(&outputs, 2);
    }

    let all = |of: fn(&State<'g>) -> Expr<'g>| {
        let states: Vec<Expr<'g>> = last.iter().map(|s| of(s).unsqueeze(0)).collect();
        let states = joined(&states, 0);
        if is_single { states.squeeze(1) } else { states }
    };
    let last = State { h: all(|s| s.h), c: all(|s| s.c) };
    let output = match is_single {
        true => x.squeeze(1),
        false if layout.batch_first => x.swap(0, 1),
        false => x,
    };
    Ok((output, last))
}

/// The weights of each layer and direction.
fn grouped<'g>(op: &str, params: &[Expr<'g>], directions: usize) -> Result<Vec<Weights<'g>>> {
    let has_biases = params.get(2).is_some_and(|b| b.rank() == 1);
    let each = if has_biases { 4 } else { 2 };
    if params.is_empty() || !params.len().is_multiple_of(each * directions) {
        let (per_layer, given) = (each * directions, params.len());
        let what = format!("expected {per_layer} params for each layer, got {given} in all");
        let help = "list w_ih, w_hh, b_ih, b_hh, or w_ih, w_hh, of all layers";
        return Err(Error::argument(op, what).help(help));
    }
    let group = |p: &[Expr<'g>]| {
        let (b_ih, b_hh) = (p.get(2).copied(), p.get(3).copied());
        Weights { w_ih: p[0], w_hh: p[1], b_ih, b_hh }
    };
    Ok(params.chunks(each).map(group).collect())
}

/// The initial states, `[layers, B, H]`.
fn initial<'g>(
    name: &str,
    given: Option<Expr<'g>>,
    input: Expr<'g>,
    shape: [usize; 3],
    is_single: bool,
) -> Result<Expr<'g>> {
    let [layers, _, width] = shape;
    let Some(x) = given else {
        return Ok(input.recorder().constant(0.0, input.dtype(), &shape));
    };
    let expected = if is_single { vec![layers, width] } else { shape.to_vec() };
    if *x.shape() != *expected {
        let error = input.shape_error(format!("{name} must have the shape {expected:?}"));
        return Err(error.operand(name, &x.ty()));
    }
    Ok(x.reshape(&shape))
}

/// One direction of one layer over `x` `[T, B, I]`: the hidden states `[T, B, H]`, and the last.
fn unrolled<'g>(
    op: &str,
    cell: Cell,
    x: Expr<'g>,
    mut state: State<'g>,
    weights: &Weights<'g>,
    reverse: bool,
) -> Result<(Expr<'g>, State<'g>)> {
    let width = weights.width(op, cell)?;
    if width != state.h.len(1) {
        let what = format!("layers differ in width: {width} and {}", state.h.len(1));
        return Err(Error::shape(op, what).operand("w_hh", &weights.w_hh.ty()));
    }
    let projected = dense(op, x, ("w_ih", weights.w_ih), weights.b_ih)?;
    let (len, recurrent) = (x.len(0), weights.w_hh.transposed());
    let mut outputs = Vec::with_capacity(len);
    for n in 0..len {
        let t = if reverse { len - 1 - n } else { n };
        let p = state.h.contract(recurrent);
        let p = weights.b_hh.map_or(p, |b| p + b);
        state = cell.step(projected.select(0, t), p, state);
        outputs.push(state.h.unsqueeze(0));
    }
    if reverse {
        outputs.reverse();
    }
    Ok((joined(&outputs, 0), state))
}

entries![rnn_cell, gru_cell, lstm_cell, rnn, gru, lstm];
