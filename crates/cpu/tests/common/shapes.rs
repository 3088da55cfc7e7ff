//! Shapes of large graphs: chains, trees, ladders, fans and unrolled loops of any number of nodes. What
//! records, compiles and prepares them has to take time in proportion to their size.
use brasa_compile::grad;
use brasa_ir::compose::{cat, cumsum, dropout, lstm_cell, softmax, stack};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Expr, Id, Recorder, Result, Type};

/// Records about so many nodes; the ones that are wanted of them.
pub type Build = for<'g> fn(&Shape<'g>) -> Result<Vec<Expr<'g>>>;

/// A graph under construction.
pub struct Shape<'g> {
    g: &'g Recorder,
    nodes: usize,
}

/// All shapes by name.
pub const ALL: &[(&str, Build)] = &[
    ("multiply by numbers", |s| s.chain(|_, y| Ok(scaled(y)))),
    ("add one", |s| s.chain(|_, y| Ok(y + 1.0))),
    ("alternate", |s| {
        let x = s.input(&[8, 8]);
        s.chain(|_, y| Ok((y * x).tanh() - y))
    }),
    ("alternate, gradient", |s| {
        let x = s.input(&[8, 8]);
        let y = s.part(3).chain(|_, y| Ok((y * x).tanh() - y))?;
        s.gradients(y, &[x])
    }),
    ("products", |s| {
        let w = s.input(&[8, 8]);
        s.chain(|_, y| Ok(y.contract(w)))
    }),
    ("products, gradient", |s| {
        let w = s.input(&[8, 8]);
        let y = s.part(5).chain(|_, y| Ok(y.contract(w)))?;
        s.gradients(y, &[w])
    }),
    ("layers, gradient", |s| {
        let w = s.input(&[8, 8]);
        let y = s.part(5).chain(|_, y| Ok(y.contract(w).tanh()))?;
        s.gradients(y, &[w])
    }),
    ("reductions", |s| s.chain(|_, y| Ok(y - y.sum_keep(&[1]).expand(&[8, 8])))),
    ("rows and columns", |s| {
        s.chain(|_, y| {
            let y = y - y.max_keep(&[1]).expand(&[8, 8]);
            Ok(y * y.sum_keep(&[0]).expand(&[8, 8]))
        })
    }),
    ("softmaxes, gradient", |s| {
        let x = s.input(&[8, 8]);
        let y = s.part(4).chain(|s, y| softmax(s.g, y * x, -1, None))?;
        s.gradients(y, &[x])
    }),
    ("moves", |s| s.chain(|_, y| Ok(y.reshape(&[4, 16]).permute(&[1, 0]).reshape(&[8, 8])))),
    ("moves and work", |s| s.chain(|_, y| Ok((y * 2.0).reshape(&[4, 16]).permute(&[1, 0])))),
    ("slices and pads", |s| s.chain(|_, y| Ok(y.narrow(0, 1, 7).pad(0, 0, 1, 0.5)))),
    ("pads and work", |s| s.chain(|_, y| Ok((y.narrow(0, 1, 7).pad(0, 0, 1, 0.5)).tanh()))),
    ("moves with readers", |s| {
        let mut sum = s.input(&[8, 8]);
        s.chain(|_, y| {
            let y = y.flip(&[0]).permute(&[1, 0]);
            sum = sum * 0.5 + y;
            Ok(y)
        })?;
        Ok(vec![sum])
    }),
    ("factors in views", |s| s.chain(|_, y| Ok((y * 0.5).permute(&[1, 0])))),
    ("factors, then a sum", |s| {
        let y = s.chain(|_, y| Ok(-(y * 0.5)))?;
        Ok(vec![y[0].permute(&[1, 0]).sum(&[0])])
    }),
    ("tree", |s| {
        let leaves: Result<Vec<Expr>> = s.values(4, |_, x| Ok(scaled(x)));
        Ok(vec![tree(&leaves?)])
    }),
    ("tree of inputs", |s| {
        let leaves: Result<Vec<Expr>> = s.values(2, |s, _| Ok(s.input(&[8, 8])));
        Ok(vec![tree(&leaves?)])
    }),
    ("ladder", |s| {
        let mut before = s.input(&[8, 8]);
        s.chain(|_, y| Ok(std::mem::replace(&mut before, y) * 0.5 + y.tanh()))
    }),
    ("ladder of products", |s| {
        let (w, mut before) = (s.input(&[8, 8]), s.input(&[8, 8]));
        s.chain(|_, y| Ok(std::mem::replace(&mut before, y) + y.contract(w)))
    }),
    ("products and the first value", |s| {
        let (w, first) = (s.input(&[8, 8]), s.input(&[8, 8]).tanh());
        s.chain(|_, y| Ok(y.contract(w) + first))
    }),
    ("sums and the first value", |s| {
        let first = s.input(&[8, 8]).tanh();
        s.chain(|_, y| Ok((y * first).sum_keep(&[0]).expand(&[8, 8]) + first))
    }),
    ("fan", |s| {
        let first = s.input(&[8, 8]).tanh();
        s.values(4, |_, _| Ok(scaled(first.sin())))
    }),
    ("fan of sums", |s| {
        let first = s.input(&[8, 8]).tanh();
        let sums = s.values(6, |_, _| Ok(scaled(first).tanh().sum(&[1])));
        Ok(vec![tree(&sums?)])
    }),
    ("fan of products", |s| {
        let first = s.input(&[8, 8]).tanh();
        let products = s.values(3, |s, _| Ok(first.contract(s.input(&[8, 8]))));
        Ok(vec![tree(&products?)])
    }),
    ("fan, gradient", |s| {
        let first = s.input(&[8, 8]);
        let values = s.part(4).values(4, |_, _| Ok(scaled(first.tanh())));
        s.gradients(vec![tree(&values?)], &[first])
    }),
    ("cat", |s| {
        let parts = s.values(6, |_, x| Ok(scaled(x).tanh()));
        Ok(vec![cat(s.g, parts?, 1)?])
    }),
    ("stack", |s| {
        let parts = s.values(7, |_, x| Ok(scaled(x).sum(&[1])));
        Ok(vec![stack(s.g, parts?, 0)?])
    }),
    ("recurrent", |s| s.recurrent()),
    ("recurrent, gradient", |s| {
        let w = s.input(&[32, 8]);
        let y = s.part(4).recurrence(w)?;
        s.gradients(y, &[w])
    }),
    ("draws", |s| s.chain(|s, y| dropout(s.g, y, 0.5, true))),
    ("library ops", |s| s.chain(|s, y| cumsum(s.g, y, 1, None))),
    ("updates", |s| {
        s.values(5, |s, x| {
            let p = s.state();
            s.g.push(Write {}, &[p, scaled(x) + p])
        })?;
        Ok(Vec::new())
    }),
    ("exchanges", |s| {
        let states = s.values(2, |s, _| Ok(s.state()))?;
        for (n, &to) in states.iter().enumerate() {
            s.g.push(Write {}, &[to, states[(n + 1) % states.len()]])?;
        }
        Ok(Vec::new())
    }),
];

/// A value times a number of the user's.
fn scaled(x: Expr<'_>) -> Expr<'_> {
    x * x.recorder().number(1.000_000_1.into(), DType::F32).expand(&x.shape())
}

/// The sum of values two by two.
fn tree<'g>(values: &[Expr<'g>]) -> Expr<'g> {
    match values {
        [value] => *value,
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            tree(left) + tree(right)
        }
    }
}

impl<'g> Shape<'g> {
    /// Records a shape; the nodes that are wanted.
    pub fn record(g: &'g Recorder, nodes: usize, build: Build) -> Result<Vec<Id>> {
        let outputs = build(&Shape { g, nodes })?;
        Ok(outputs.iter().map(Expr::id).collect())
    }

    /// A part of the nodes: gradients add the others.
    fn part(&self, of: usize) -> Shape<'g> {
        Shape { g: self.g, nodes: self.nodes / of }
    }

    fn input(&self, shape: &[usize]) -> Expr<'g> {
        self.g.input("x", Role::Data, Type::new(DType::F32, shape))
    }

    fn state(&self) -> Expr<'g> {
        let name = format!("p{}", self.g.read(|graph| graph.len()));
        self.g.input(&name, Role::State, Type::new(DType::F32, [8, 8]))
    }

    /// Applies a function again and again.
    fn chain(
        &self,
        mut next: impl FnMut(&Shape<'g>, Expr<'g>) -> Result<Expr<'g>>,
    ) -> Result<Vec<Expr<'g>>> {
        let mut y = self.input(&[8, 8]);
        while self.g.read(|graph| graph.len()) < self.nodes {
            y = next(self, y)?;
        }
        Ok(vec![y])
    }

    /// Functions of one value, of which each and what joins them are so many nodes.
    fn values(
        &self,
        nodes: usize,
        mut make: impl FnMut(&Shape<'g>, Expr<'g>) -> Result<Expr<'g>>,
    ) -> Result<Vec<Expr<'g>>> {
        let x = self.input(&[8, 8]);
        (0..self.nodes / nodes).map(|_| make(self, x)).collect()
    }

    fn gradients(&self, outputs: Vec<Expr<'g>>, wanted: &[Expr<'g>]) -> Result<Vec<Expr<'g>>> {
        let gradients = grad(self.g, &outputs, &[], wanted)?;
        Ok(gradients.into_iter().flatten().collect())
    }

    fn recurrent(&self) -> Result<Vec<Expr<'g>>> {
        self.recurrence(self.input(&[32, 8]))
    }

    /// An unrolled recurrent network.
    fn recurrence(&self, w: Expr<'g>) -> Result<Vec<Expr<'g>>> {
        let (x, mut c) = (self.input(&[8, 8]), self.input(&[8, 8]));
        self.chain(|s, h| {
            let (h, new) = lstm_cell(s.g, x, h, c, w, w, None, None)?;
            c = new;
            Ok(h)
        })
    }
}
