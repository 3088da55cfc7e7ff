//! Parts of models: attention, recurrence, and optimizer steps.
use super::{BOUND, GraphBuilder};
use brasa_compile::grad;
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Number, compose};

impl<'g> GraphBuilder<'g> {
    pub(super) fn attention(&mut self) {
        let (t, s) = (self.random.length(130), self.random.length(130));
        let d = self.random.pick(&[1, 4, 7, 8, 16, 17, 32, 33, 64]);
        let heads = self.random.within(1, 3);
        let [q, k, v] =
            [[heads, t, d], [heads, s, d], [heads, s, d]].map(|shape| self.input(&shape));
        let mut scores = q.contract(k.transposed()) * (1.0 / d as f64);
        if self.random.one_in(2) {
            let [i, j] = [(t, [t, 1]), (s, [1, s])].map(|(len, shape)| {
                self.g.iota(len, DType::I64).reshape(&shape).expand(&[heads, t, s])
            });
            scores = j.le(i).choose(scores, scores.like(f64::NEG_INFINITY));
        }
        if self.random.one_in(3) {
            let mask = self.input(&[t, s]);
            scores = scores + mask.expand(&[heads, t, s]);
        }
        let weights = compose::softmax(self.g, scores, -1, None).expect("scores have an axis");
        let mut y = weights.contract(v);
        if self.random.one_in(2) {
            y = y.permute(&[1, 0, 2]).reshape(&[t, heads * d]);
            let w = self.input(&[heads * d, d]);
            y = y.contract(w) * (1.0 / (heads * d) as f64);
        }
        self.keep(y, BOUND);
        if self.random.one_in(2) {
            let (y, bound) = self.pointwise(y, BOUND);
            self.keep(y, bound);
        }
    }

    pub(super) fn recurrence(&mut self) {
        let (batch, size) = (self.random.length(33), self.random.length(65));
        let inputs = self.random.length(33);
        let steps = self.random.within(2, 6);
        let x = self.input(&[steps, batch, inputs]);
        let [w, u] = [[inputs, 2 * size], [size, 2 * size]].map(|shape| self.input(&shape));
        let bias = self.input(&[2 * size]);
        let mut h = self.input(&[batch, size]);
        let mut states = Vec::new();
        for t in 0..steps {
            let now = x.select(0, t);
            let both =
                now.contract(w) * (1.0 / inputs as f64) + h.contract(u) * (1.0 / size as f64);
            let both = both + bias.expand(&[batch, 2 * size]);
            let gate = both.narrow(1, 0, size).sigmoid();
            let new = both.narrow(1, size, size).tanh();
            h = gate * h + (h.like(1.0) - gate) * new;
            states.push(h);
        }
        let y = match self.random.one_in(2) {
            true => compose::stack(self.g, states, 0).expect("states are alike"),
            false => h,
        };
        self.keep(y, BOUND);
    }

    /// A model with an optimizer step.
    pub(super) fn optimizer(&mut self) {
        let (batch, inputs) = (self.random.length(65), self.random.length(130));
        let outputs = self.random.length(130);
        let x = self.input(&[batch, inputs]);
        let w = self.input_of(&[inputs, outputs], Role::Param);
        let b = self.input_of(&[outputs], Role::Param);
        let y = x.contract(w) * (1.0 / inputs as f64) + b.expand(&[batch, outputs]);
        let y = if self.random.one_in(2) { y.tanh() } else { y.relu() };
        let target = self.input(&[batch, outputs]);
        let error = y - target;
        let loss = (error * error).sum(&[0, 1]) * (1.0 / (batch * outputs) as f64);
        self.keep(loss, BOUND);
        let gradients = grad(self.g, &[loss], &[], &[w, b]).expect("differentiates");
        for (n, (p, dp)) in [w, b].into_iter().zip(gradients).enumerate() {
            let Some(dp) = dp else { continue };
            let state = |name: &str| {
                let name = format!("zero{name}{n}");
                self.g.input(&name, Role::State, p.ty())
            };
            if self.random.one_in(2) {
                let (m, v) = (state("m"), state("v"));
                let [size, correction] =
                    [0.01, 1.5].map(|x| self.g.number(Number::Float(x), self.float).into());
                let new = compose::adam_step(
                    self.g,
                    p,
                    dp,
                    m,
                    v,
                    size,
                    correction,
                    1.0.into(),
                    0.9,
                    0.999,
                    1e-3,
                );
                let new = new.expect("types agree");
                for (old, new) in [(p, new.0), (m, new.1), (v, new.2)] {
                    self.g.emit(Write {}, &[old, new]);
                }
            } else {
                let m = state("m");
                let lr = self.g.number(Number::Float(0.1), self.float).into();
                let new = compose::sgd_step(self.g, p, dp, m, lr, 0.9, 0.0, 0.01, false);
                let (new, momentum) = new.expect("types agree");
                for (old, new) in [(p, new), (m, momentum)] {
                    self.g.emit(Write {}, &[old, new]);
                }
            }
        }
    }
}
