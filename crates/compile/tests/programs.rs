//! Small complete programs on the reference device: layers forward and backward, and training to a
//! known loss.
use brasa_compile::{Options, Target, compile, compile_with, grad};
use brasa_ir::compose::*;
use brasa_ir::ops::{Op, Role, Write};
use brasa_ir::{Array, DType, Expr, Id, Number, Recorder, Type, eval};
use std::collections::HashMap;

/// A graph with values for its inputs.
struct Session<'g> {
    g: &'g Recorder,
    values: HashMap<Id, Array>,
}

impl<'g> Session<'g> {
    fn new(g: &'g Recorder) -> Session<'g> {
        Session { g, values: HashMap::new() }
    }

    fn tensor(&mut self, role: Role, shape: &[usize], elements: &[f64]) -> Expr<'g> {
        let ty = Type::new(DType::F32, shape);
        let x = self.g.input("x", role, ty.clone());
        self.values.insert(x.id(), Array::from_f64(&ty, elements.iter().copied()));
        x
    }

    fn data(&mut self, shape: &[usize], elements: &[f64]) -> Expr<'g> {
        self.tensor(Role::Data, shape, elements)
    }

    fn param(&mut self, shape: &[usize], elements: &[f64]) -> Expr<'g> {
        self.tensor(Role::Param, shape, elements)
    }

    fn integers(&mut self, elements: &[i64]) -> Expr<'g> {
        let ty = Type::new(DType::I64, [elements.len()]);
        let x = self.g.input("i", Role::Data, ty.clone());
        self.values.insert(x.id(), Array::from_i64(&ty, elements.iter().copied()));
        x
    }

    fn gradients(&self, loss: Expr<'g>, of: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let found = grad(self.g, &[loss], &[], of).expect("differentiates");
        found.into_iter().map(|d| d.expect("the loss depends on it")).collect()
    }

    fn read(&self, x: Expr) -> Vec<f64> {
        let read = self.g.read(|graph| eval(graph, &self.values, &[x.id()]));
        read.expect("evaluates")[0].to_f64()
    }

    /// Computes `loss`, then performs all writes, as devices do at the end of a run.
    fn step(&mut self, loss: Expr) -> f64 {
        let writes: Vec<(Id, Id)> = self.g.read(|graph| {
            let is_write = |op: &Op| matches!(op, Op::Write(_));
            let writes = graph.nodes().filter(|(_, node)| is_write(&node.op));
            writes.map(|(_, node)| (node.inputs[0], node.inputs[1])).collect()
        });
        let wanted: Vec<Id> = [loss.id()].into_iter().chain(writes.iter().map(|w| w.1)).collect();
        let mut results = self.g.read(|graph| eval(graph, &self.values, &wanted)).expect("runs");
        let new = results.split_off(1);
        self.values.extend(writes.iter().map(|w| w.0).zip(new));
        results[0].f64(0)
    }

    /// A step of Adam, whose first two slots are its rates.
    fn step_adam(&mut self, loss: Expr, t: i32) -> f64 {
        let (part1, part2) = (1.0 - 0.9f64.powi(t), 1.0 - 0.999f64.powi(t));
        self.g.set_slot(0, Number::Float(0.05 / part1));
        self.g.set_slot(1, Number::Float(1.0 / part2.sqrt()));
        self.step(loss)
    }
}

#[track_caller]
fn assert_near(got: &[f64], want: &[f64], limit: f64) {
    let is_near =
        got.len() == want.len() && got.iter().zip(want).all(|(a, b)| (a - b).abs() < limit);
    assert!(is_near, "{got:?}, expected {want:?}");
}

/// `x @ w + b`, summed: the bias is broadcast, and its gradient is summed.
#[test]
fn a_bias_is_broadcast_and_a_sum_differentiated() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let x = s.data(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let w = s.param(&[2, 2], &[0.5, -1.0, 2.0, 1.5]);
    let b = s.param(&[2], &[10.0, 20.0]);
    let product = matmul(&g, x, w).expect("records");
    let y = add(&g, product.into(), b.into(), 1.0).expect("records");
    let loss = sum(&g, y, None, false, None).expect("records");
    let d = s.gradients(loss, &[w, b, x]);
    assert_eq!(s.read(y), [14.5, 22.0, 19.5, 23.0]);
    assert_eq!(s.read(loss), [79.0]);
    assert_eq!(s.read(d[0]), [4.0, 4.0, 6.0, 6.0]);
    assert_eq!(s.read(d[1]), [2.0, 2.0]);
    assert_eq!(s.read(d[2]), [-0.5, 3.5, -0.5, 3.5]);
}

/// A tensor output without cotangent is differentiated with ones.
#[test]
fn a_non_scalar_tensor_can_be_differentiated() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let a = s.param(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = s.param(&[2, 3], &[7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    let c = add(&g, a.into(), b.into(), 1.0).expect("records");
    assert_eq!(s.read(c), [8.0, 10.0, 12.0, 14.0, 16.0, 18.0]);
    for d in s.gradients(c, &[a, b, c]) {
        assert_eq!(s.read(d), [1.0; 6]);
    }
}

#[test]
fn a_product_of_matrices_has_both_gradients() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let a = s.param(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = s.param(&[3, 2], &[7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    let y = matmul(&g, a, b).expect("records");
    let d = s.gradients(y, &[a, b]);
    assert_eq!(s.read(y), [58.0, 64.0, 139.0, 154.0]);
    assert_eq!(s.read(d[0]), [15.0, 19.0, 23.0, 15.0, 19.0, 23.0]);
    assert_eq!(s.read(d[1]), [5.0, 5.0, 7.0, 7.0, 9.0, 9.0]);
}

/// Mean squared error by hand, of a line through tensors of shape `[1]`, which count as scalars.
fn squared_error<'g>(g: &'g Recorder, x: Expr<'g>, y: Expr<'g>, p: [Expr<'g>; 2]) -> Expr<'g> {
    let scaled = x * p[0];
    let error = sub(g, (scaled + p[1]).into(), y.into(), 1.0).expect("records");
    mean(g, error * error, None, false, None).expect("records")
}

/// Writes `p − lr · dp` back to each parameter.
fn descend<'g>(s: &Session<'g>, loss: Expr<'g>, params: &[Expr<'g>], lr: Expr<'g>) {
    for (&p, d) in params.iter().zip(s.gradients(loss, params)) {
        s.g.push(Write {}, &[p, p - d * lr]).expect("records");
    }
}

/// The learning rate is a slot: the same graph runs with a decaying rate.
#[test]
fn linear_regression_converges_with_a_decaying_rate() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let x = s.data(&[4, 1], &[0.0, 1.0, 2.0, 3.0]);
    let y = s.data(&[4, 1], &[1.0, 3.0, 5.0, 7.0]);
    let (w, b) = (s.param(&[1], &[0.0]), s.param(&[1], &[0.0]));
    let loss = squared_error(&g, x, y, [w, b]);
    let lr = g.number(Number::Float(0.1), DType::F32);
    descend(&s, loss, &[w, b], lr);
    let mut losses = Vec::new();
    for step in 0..200 {
        g.set_slot(0, Number::Float(0.1 / (1.0 + step as f64 / 200.0)));
        losses.push(s.step(loss));
    }
    assert_eq!(losses[0], 21.0);
    assert!(losses[199] < 1e-4, "the loss is still {}", losses[199]);
    assert_near(&[s.read(w), s.read(b)].concat(), &[2.0, 1.0], 0.02);
}

#[test]
fn linear_regression_with_several_factors_converges() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let rows =
        [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0], [0.5, 0.0, 2.0]];
    let want = [1.5, -2.0, 0.5, 3.0];
    let target = rows.map(|r| r[0] * want[0] + r[1] * want[1] + r[2] * want[2] + want[3]);
    let x = s.data(&[5, 3], rows.as_flattened());
    let y = s.data(&[5, 1], &target);
    let (w, b) = (s.param(&[1, 3], &[0.0; 3]), s.param(&[1], &[0.0]));
    let guess = linear(&g, x, w, Some(b)).expect("records");
    let loss = mse_loss(&g, guess, y, Reduction::Mean, None).expect("records");
    descend(&s, loss, &[w, b], g.number(Number::Float(0.1), DType::F32));
    for _ in 0..100 {
        s.step(loss);
    }
    assert_near(&[s.read(w), s.read(b)].concat(), &want, 0.02);
}

/// One layer with an activation, compared with numbers computed by hand.
#[test]
fn a_layer_of_a_network_forward_and_backward() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let x = s.data(&[1, 2], &[1.0, -2.0]);
    let (w, b) = (s.param(&[2, 2], &[1.0, 0.5, 2.0, 1.5]), s.param(&[2], &[0.5, 0.5]));
    let hidden = linear(&g, x, w, Some(b)).expect("records");
    // 1 · 1 − 2 · 0.5 + 0.5 and 1 · 2 − 2 · 1.5 + 0.5
    assert_eq!(s.read(hidden), [0.5, -0.5]);
    let loss = (hidden.relu() * hidden.relu()).sum(&[0, 1]);
    let d = s.gradients(loss, &[w, b, x]);
    assert_eq!(s.read(loss), [0.25]);
    assert_eq!(s.read(d[0]), [1.0, -2.0, 0.0, 0.0]);
    assert_eq!(s.read(d[1]), [1.0, 0.0]);
    assert_eq!(s.read(d[2]), [1.0, 0.5]);
}

#[test]
fn a_softmax_layer() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let x = s.param(&[2, 3], &[1.0, 2.0, 3.0, 1000.0, 1000.0, 1000.0]);
    let y = softmax(&g, x, 1, None).expect("records");
    let first = [0.090_030_57, 0.244_728_47, 0.665_240_96];
    assert_near(&s.read(y), &[&first[..], &[1.0 / 3.0; 3]].concat(), 1e-6);
    // Rows sum to one, whatever x: their gradient is zero. That of one element is y · (1[i=j] −
    // yⱼ).
    assert_near(&s.read(s.gradients(y, &[x])[0]), &[0.0; 6], 1e-6);
    let element = y.select(0, 0).select(0, 2);
    let d = s.read(s.gradients(element, &[x])[0]);
    let row = [-first[2] * first[0], -first[2] * first[1], first[2] * (1.0 - first[2])];
    assert_near(&d, &[&row[..], &[0.0; 3]].concat(), 1e-6);
}

#[test]
fn a_cross_entropy_layer() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let logits = [1.0, 2.0, 3.0, 0.5, -1.0, 0.0];
    let (x, target) = (s.param(&[2, 3], &logits), s.integers(&[2, 0]));
    let loss = cross_entropy(&g, x, target, None, -100, Reduction::Mean, 0.0).expect("records");
    let soft = |row: &[f64]| {
        let total: f64 = row.iter().map(|x| x.exp()).sum();
        row.iter().map(|x| x.exp() / total).collect::<Vec<f64>>()
    };
    let (p, q) = (soft(&logits[..3]), soft(&logits[3..]));
    assert_near(&s.read(loss), &[-(p[2].ln() + q[0].ln()) / 2.0], 1e-6);
    // (softmax − one hot) / rows
    let want = [p[0], p[1], p[2] - 1.0, q[0] - 1.0, q[1], q[2]].map(|x| x / 2.0);
    assert_near(&s.read(s.gradients(loss, &[x])[0]), &want, 1e-6);
}

#[test]
fn views_keep_the_elements_and_pass_gradients_back() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let x = s.param(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let tall = reshape(&g, x, vec![3, 2]).expect("records");
    let wide = transpose(&g, tall, -2, -1).expect("records");
    assert_eq!((tall.shape()[..].to_vec(), wide.shape()[..].to_vec()), (vec![3, 2], vec![2, 3]));
    assert_eq!(s.read(tall), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(s.read(wide), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    let weights = s.data(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let d = s.gradients(wide * weights, &[x]);
    assert_eq!(s.read(d[0]), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

/// Movement ops become index arithmetic of the kernel that reads: no copy and no buffer.
#[test]
fn views_need_no_kernel() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [4, 6]));
    let moved = x.reshape(&[6, 4]).transposed().flip(&[0]).narrow(1, 1, 4);
    let y = moved.unsqueeze(0).expand(&[2, 4, 4]).exp();
    let program = g.read(|graph| compile(graph, &[y.id()]));
    assert_eq!(program.launches.len(), 1, "{program}");
    assert_eq!(program.buffers.len(), 2, "{program}");
}

/// Adam inside the graph: moments are states that a step reads and writes; bias corrections are
/// slots that the caller sets.
#[test]
fn adam_trains_inside_the_graph() {
    let g = Recorder::default();
    let mut s = Session::new(&g);
    let x = s.data(&[4, 2], &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    let y = s.data(&[4, 1], &[0.0, 1.0, 1.0, 0.0]);
    let wave = |n: usize| (0..n).map(|i| (i as f64 * 2.3 + 0.4).sin()).collect::<Vec<f64>>();
    let (w1, b1) = (s.param(&[8, 2], &wave(16)), s.param(&[8], &[0.0; 8]));
    let (w2, b2) = (s.param(&[1, 8], &wave(8)), s.param(&[1], &[0.0]));
    let hidden = linear(&g, x, w1, Some(b1)).expect("records").tanh();
    let logits = linear(&g, hidden, w2, Some(b2)).expect("records");
    let loss = binary_cross_entropy_with_logits(&g, logits, y, None, Reduction::Mean, None);
    let loss = loss.expect("records");

    let params = [w1, b1, w2, b2];
    let rates = [0.1, 0.5].map(|x| g.number(Number::Float(x), DType::F32));
    for (&p, d) in params.iter().zip(s.gradients(loss, &params)) {
        let zeros = vec![0.0; p.elements()];
        let [m, v] = [(); 2].map(|()| s.tensor(Role::State, &p.shape(), &zeros));
        let [size, correction] = rates.map(Into::into);
        let new = adam_step(&g, p, d, m, v, size, correction, 1.into(), 0.9, 0.999, 1e-8);
        let new = new.expect("records");
        for (old, new) in [(p, new.0), (m, new.1), (v, new.2)] {
            g.push(Write {}, &[old, new]).expect("records");
        }
    }
    let fingerprint = g.read(|graph| graph.fingerprint());
    let first = s.step_adam(loss, 1);
    let last = (2..=150).map(|t| s.step_adam(loss, t)).last().expect("steps were made");
    assert!(first > 0.5 && last < 0.02, "the loss went from {first} to {last}");
    assert_eq!(g.read(|graph| graph.fingerprint()), fingerprint, "every step is one program");
}

/// Indices from the user are range-checked if the device does that; results of argmax need no
/// check.
#[test]
fn only_indices_that_can_be_out_of_range_are_checked() {
    let bounds = |is_argmax: bool, checks_bounds: bool| {
        let g = Recorder::default();
        let x = g.input("x", Role::Data, Type::new(DType::F32, [4, 6]));
        let of_user = g.input("i", Role::Data, Type::new(DType::I64, [4, 1]));
        let argmax_index = argmax(&g, x.sin(), Some(1), true).expect("records");
        let y = x.exp().gather(1, if is_argmax { argmax_index } else { of_user });
        let options = Options::new(Target { checks_bounds, ..Target::default() });
        let program = g.read(|graph| compile_with(graph, &[y.id()], &options)).expect("compiles");
        (program.bounds.len(), program.launches.len())
    };
    assert_eq!(bounds(false, true), (1, 2), "a loop and a range check");
    for (is_argmax, checks_bounds) in [(false, false), (true, false), (true, true)] {
        assert_eq!(bounds(is_argmax, checks_bounds), (0, 1), "{is_argmax} {checks_bounds}");
    }
}

/// Indices that several ops use along axes of the same length are checked once.
#[test]
fn shared_indices_are_checked_once() {
    for (len, checks) in [(6, 1), (5, 2)] {
        let g = Recorder::default();
        let x = g.input("x", Role::Data, Type::new(DType::F32, [4, 6]));
        let y = g.input("y", Role::Data, Type::new(DType::F32, [4, len]));
        let index = g.input("i", Role::Data, Type::new(DType::I64, [4, 1]));
        let wanted = (x.exp().gather(1, index) + y.exp().gather(1, index)).id();
        let program = g.read(|graph| compile(graph, &[wanted]));
        assert_eq!(program.bounds.len(), checks, "{program}");
    }
}
