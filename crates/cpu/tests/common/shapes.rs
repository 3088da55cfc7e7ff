//! Shapes of large graphs: chains, trees, ladders, fans and unrolled loops of any number of nodes.
//! Recording, compiling and preparing them must take linear time.
use brasa_compile::grad;
use brasa_ir::compose::{
    Padding, Reduction, argmax, cat, conv1d, cross_entropy, cumsum, dropout, embedding, lstm_cell,
    softmax, stack,
};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Expr, Id, Recorder, Result, Type};

/// Records a graph of about `Shape::nodes` nodes; returns the wanted ones.
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
    ("cat, gradient", |s| {
        let x = s.input(&[8, 8]);
        let parts = s.part(2).values(6, |_, _| Ok(scaled(x).tanh()));
        s.gradients(vec![cat(s.g, parts?, 1)?], &[x])
    }),
    ("convolutions, gradient", |s| {
        let w = s.input(&[2, 2, 3]);
        let y = s.part(6).chain(|s, y| {
            let y = conv1d(
                s.g,
                y.reshape(&[4, 2, 8]),
                w,
                None,
                vec![1],
                Some(Padding::Same),
                vec![1],
                1,
            )?;
            Ok(y.reshape(&[8, 8]))
        })?;
        s.gradients(y, &[w])
    }),
    ("embeddings, gradient", |s| {
        let table = s.input(&[8, 8]);
        let rows =
            s.part(3).values(6, |s, _| Ok(embedding(s.g, s.places(&[8]), table, None)?.tanh()));
        s.gradients(vec![tree(&rows?)], &[table])
    }),
    ("gathers, gradient", |s| {
        let (x, index) = (s.input(&[8, 8]), s.places(&[8, 8]));
        let y = s.part(4).chain(|_, y| Ok(y.gather(0, index) * x))?;
        s.gradients(y, &[x])
    }),
    ("losses", |s| {
        let losses = s.values(40, |s, x| {
            cross_entropy(s.g, scaled(x), s.places(&[8]), None, -100, Reduction::Mean, 0.0)
        });
        Ok(vec![tree(&losses?)])
    }),
    ("positions of maxima", |s| {
        s.chain(|s, y| {
            let best = argmax(s.g, y.tanh(), Some(1), true)?;
            Ok(y - best.cast(DType::F32).expand(&[8, 8]))
        })
    }),
    ("comparisons in views", |s| {
        let mut sum = s.input(&[8, 8]);
        s.chain(|_, y| {
            let y = y.flip(&[0]).permute(&[1, 0]);
            sum = sum * 0.5 + y.gt(y.like(0.5)).cast(DType::F32);
            Ok(y)
        })?;
        Ok(vec![sum])
    }),
    ("skips", |s| {
        let w = s.input(&[8, 8]);
        let mut down = Vec::new();
        let y = s.part(2).chain(|_, y| {
            down.push(y);
            Ok(y.contract(w).tanh())
        })?;
        let up = down.into_iter().rev().fold(y[0], |z, y| (z.contract(w) + y).tanh());
        Ok(vec![up])
    }),
    ("grid", |s| s.grid(|_, left, above| left * 0.5 + above.tanh())),
    ("grid of products", |s| s.grid(|w, left, above| left.contract(w) + above)),
    ("strands", |s| {
        let mut strands: Vec<Expr> = (0..64).map(|_| s.input(&[8, 8])).collect();
        let mut n = 0;
        s.chain(|_, y| {
            n = (n + 1) % strands.len();
            strands[n] = (strands[n] * 0.5).tanh();
            Ok(y)
        })?;
        Ok(vec![tree(&strands)])
    }),
    ("far readers", |s| {
        let mut values = vec![s.input(&[8, 8])];
        s.chain(|_, y| {
            // A pseudo-random earlier value.
            let far = values[values.len() * 7919 % 104_729 % values.len()];
            values.push(values[values.len() - 1] * 0.5 + far.tanh());
            Ok(y)
        })?;
        Ok(vec![values[values.len() - 1]])
    }),
    ("training", |s| {
        let x = s.input(&[8, 8]);
        s.chain(|s, p| {
            let loss = (p.contract(x) - x).tanh().sum(&[0, 1]);
            let gradient = s.gradients(vec![loss], &[p])?[0];
            Ok((p - gradient * 0.5).detach())
        })
    }),
    ("clipped updates", |s| {
        let params = s.values(20, |s, x| Ok((s.state(), scaled(x).tanh())))?;
        let squares: Vec<Expr> = params.iter().map(|(_, d)| (*d * *d).sum(&[0, 1])).collect();
        let norm = tree(&squares).sqrt().expand(&[8, 8]);
        for (p, gradient) in params {
            s.g.push(Write {}, &[p, p - gradient / norm])?;
        }
        Ok(Vec::new())
    }),
    ("adam", |s| {
        s.values(25, |s, x| {
            let [p, m, v] = [s.state(), s.state(), s.state()];
            let gradient = scaled(x) * p;
            let m_new = m * 0.5 + gradient * 0.5;
            let v_new = v * 0.5 + gradient * gradient * 0.5;
            s.g.push(Write {}, &[m, m_new])?;
            s.g.push(Write {}, &[v, v_new])?;
            s.g.push(Write {}, &[p, p - m_new / (v_new.sqrt() + 1.0)])
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

/// A value times a user-supplied scalar.
fn scaled(x: Expr<'_>) -> Expr<'_> {
    x * x.recorder().number(1.000_000_1.into(), DType::F32).expand(&x.shape())
}

/// The pairwise sum of values.
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
    /// Records a shape; returns the wanted nodes.
    pub fn record(g: &'g Recorder, nodes: usize, build: Build) -> Result<Vec<Id>> {
        let outputs = build(&Shape { g, nodes })?;
        Ok(outputs.iter().map(Expr::id).collect())
    }

    /// The same recorder with a fraction of the nodes: gradients add the rest.
    fn part(&self, of: usize) -> Shape<'g> {
        Shape { g: self.g, nodes: self.nodes / of }
    }

    fn input(&self, shape: &[usize]) -> Expr<'g> {
        self.g.input("x", Role::Data, Type::new(DType::F32, shape))
    }

    /// Indices of rows, as an input.
    fn places(&self, shape: &[usize]) -> Expr<'g> {
        self.g.input("index", Role::Data, Type::new(DType::I64, shape))
    }

    fn state(&self) -> Expr<'g> {
        let name = format!("p{}", self.g.read(|graph| graph.len()));
        self.g.input(&name, Role::State, Type::new(DType::F32, [8, 8]))
    }

    /// Applies a function repeatedly until the graph has enough nodes.
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

    /// Applies a function of one input repeatedly; each result takes about `nodes` nodes,
    /// including those that combine results.
    fn values<T>(
        &self,
        nodes: usize,
        mut make: impl FnMut(&Shape<'g>, Expr<'g>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let x = self.input(&[8, 8]);
        (0..self.nodes / nodes).map(|_| make(self, x)).collect()
    }

    fn gradients(&self, outputs: Vec<Expr<'g>>, wanted: &[Expr<'g>]) -> Result<Vec<Expr<'g>>> {
        let gradients = grad(self.g, &outputs, &[], wanted)?;
        Ok(gradients.into_iter().flatten().collect())
    }

    /// Rows of values, each computed from the one to its left and the one above.
    fn grid(
        &self,
        next: impl Fn(Expr<'g>, Expr<'g>, Expr<'g>) -> Expr<'g>,
    ) -> Result<Vec<Expr<'g>>> {
        let w = self.input(&[8, 8]);
        let mut row = vec![w.tanh(); (self.nodes as f64).sqrt() as usize / 2];
        self.chain(|_, mut left| {
            for above in &mut row {
                left = next(w, left, *above);
                *above = left;
            }
            Ok(left)
        })
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
