//! Small models for tests of whole programs: training steps with values for all inputs.
#![allow(dead_code, reason = "each test uses a part of this module")]
use brasa_compile::program::ProgramInput;
use brasa_compile::{Program, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::*;
use brasa_ir::ops::{Role, Write};
use brasa_ir::{Array, DType, Expr, Id, Number, Recorder, Result, Type};
use std::collections::HashMap;

/// A recorded step with the initial values of its inputs.
pub struct Model<'g> {
    pub g: &'g Recorder,
    pub values: HashMap<Id, Array>,
    pub wanted: Vec<Id>,
    params: Vec<Expr<'g>>,
}

impl<'g> Model<'g> {
    pub fn new(g: &'g Recorder) -> Model<'g> {
        Model { g, values: HashMap::new(), wanted: Vec::new(), params: Vec::new() }
    }

    fn input(&mut self, role: Role, value: Array) -> Expr<'g> {
        let name = format!("x{}", self.values.len());
        let x = self.g.input(&name, role, value.ty.clone());
        self.values.insert(x.id(), value);
        x
    }

    /// An input of distinct values in −0.5..0.5.
    fn floats(&mut self, role: Role, shape: &[usize]) -> Expr<'g> {
        let seed = self.values.len() as u64;
        let value = |i: usize| {
            let mut h = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (seed << 7);
            h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            ((h >> 40) as f64) / (1u64 << 24) as f64 - 0.5
        };
        let ty = Type::new(DType::F32, shape);
        self.input(role, Array::from_f64(&ty, (0..ty.elements()).map(value)))
    }

    pub fn data(&mut self, shape: &[usize]) -> Expr<'g> {
        self.floats(Role::Data, shape)
    }

    pub fn integers(&mut self, shape: &[usize], below: i64) -> Expr<'g> {
        let ty = Type::new(DType::I64, shape);
        let values = (0..ty.elements() as i64).map(|i| i * 7 % below);
        self.input(Role::Data, Array::from_i64(&ty, values))
    }

    pub fn param(&mut self, shape: &[usize]) -> Expr<'g> {
        let x = self.floats(Role::Param, shape);
        self.params.push(x);
        x
    }

    pub fn dense(&mut self, x: Expr<'g>, outputs: usize) -> Result<Expr<'g>> {
        let weight = self.param(&[outputs, x.len(x.rank() - 1)]);
        let bias = self.param(&[outputs]);
        linear(self.g, x, weight, Some(bias))
    }

    /// Records an Adam step for all parameters; wants the loss.
    pub fn train(&mut self, loss: Expr<'g>) -> Result<()> {
        let rates = [0.01, 1.5, 0.999].map(|x| self.g.number(Number::Float(x), DType::F32));
        let gradients = grad(self.g, &[loss], &[], &self.params)?;
        for (p, d) in self.params.clone().into_iter().zip(gradients) {
            let d = d.expect("the loss depends on all parameters");
            let zeros = Array::full(&p.ty(), Number::Float(0.0));
            let [m, v] = [(); 2].map(|()| self.input(Role::State, zeros.clone()));
            let [size, correction, shrink] = rates.map(Into::into);
            let new = adam_step(self.g, p, d, m, v, size, correction, shrink, 0.9, 0.999, 1e-8)?;
            for (old, new) in [(p, new.0), (m, new.1), (v, new.2)] {
                self.g.push(Write {}, &[old, new])?;
            }
        }
        self.wanted = vec![loss.id()];
        Ok(())
    }

    /// Records gradients; wants the loss and all gradients.
    pub fn differentiate(&mut self, loss: Expr<'g>) -> Result<()> {
        let gradients = grad(self.g, &[loss], &[], &self.params)?;
        self.wanted =
            [loss].into_iter().chain(gradients.into_iter().flatten()).map(|x| x.id()).collect();
        Ok(())
    }

    pub fn buffers(&self, program: &Program) -> Vec<Buffer> {
        let buffer = |input: &ProgramInput| Buffer::from(&self.values[&input.node]);
        program.inputs.iter().map(buffer).collect()
    }

    /// The bytes of all outputs and inputs after some steps.
    pub fn run(&self, program: &Program, steps: usize) -> Vec<Vec<u8>> {
        let mut buffers = self.buffers(program);
        let mut executable = Executable::new(program.clone());
        let (pool, slots) = (Pool::new(2), self.g.read(|graph| graph.slots().to_vec()));
        for _ in 0..steps {
            executable.run(&pool, &mut buffers, &slots).expect("runs");
        }
        let outputs = (0..program.outputs.len()).map(|n| executable.output(&buffers, n).to_bytes());
        let outputs: Vec<Vec<u8>> = outputs.collect();
        outputs.into_iter().chain(buffers.iter().map(|b| b.bytes().to_vec())).collect()
    }
}

pub fn mlp<'g>(
    model: &mut Model<'g>,
    batch: usize,
    width: usize,
    layers: usize,
) -> Result<Expr<'g>> {
    let (x, y) = (model.data(&[batch, width]), model.integers(&[batch], 10));
    let seed = model.g.seed();
    model.values.insert(seed.id(), Array::from_i64(&seed.ty(), [7]));
    let mut h = x;
    for _ in 0..layers {
        h = model.dense(h, width)?.tanh();
        h = dropout(model.g, h, 0.1, true)?;
    }
    let logits = model.dense(h, 10)?;
    cross_entropy(model.g, logits, y, None, -100, Reduction::Mean, 0.0)
}

pub fn cnn<'g>(model: &mut Model<'g>) -> Result<Expr<'g>> {
    let g = model.g;
    let (x, y) = (model.data(&[4, 1, 12, 12]), model.integers(&[4], 10));
    let (w, b) = (model.param(&[8, 1, 3, 3]), model.param(&[8]));
    let x = conv2d(g, x, w, Some(b), vec![1], None, vec![1], 1)?.relu();
    let (w, b) = (model.param(&[8, 8, 3, 3]), model.param(&[8]));
    let x = conv2d(g, x, w, Some(b), vec![1], None, vec![1], 1)?.relu();
    let x = max_pool2d(g, x, vec![2], None, vec![0], vec![1], false, false)?[0];
    let x = x.reshape(&[4, x.elements() / 4]);
    let logits = model.dense(x, 10)?;
    cross_entropy(g, logits, y, None, -100, Reduction::Mean, 0.0)
}

pub fn gpt<'g>(
    model: &mut Model<'g>,
    batch: usize,
    context: usize,
    width: usize,
) -> Result<Expr<'g>> {
    let (g, heads) = (model.g, 2);
    let tokens = model.integers(&[batch, context], 20);
    let targets = model.integers(&[batch * context], 20);
    let (table, positions) = (model.param(&[20, width]), model.param(&[context, width]));
    let mut x = embedding(g, tokens, table, None)? + positions;
    for _ in 0..3 {
        let (gain, shift) = (model.param(&[width]), model.param(&[width]));
        let y = layer_norm(g, x, [width].into(), Some(gain), Some(shift), 1e-5)?;
        let qkv = model.dense(y, 3 * width)?.reshape(&[batch, context, 3, heads, width / heads]);
        let part = |n: usize| qkv.select(2, n).swap(1, 2);
        let mixed = scaled_dot_product_attention(
            g,
            part(0),
            part(1),
            part(2),
            None,
            0.0,
            true,
            None,
            false,
        )?;
        let mixed = mixed.swap(1, 2).reshape(&[batch, context, width]);
        x = x + model.dense(mixed, width)?;
        let hidden = model.dense(x, 4 * width)?.gelu_tanh();
        x = x + model.dense(hidden, width)?;
    }
    let logits = model.dense(x, 20)?.reshape(&[batch * context, 20]);
    cross_entropy(g, logits, targets, None, -100, Reduction::Mean, 0.0)
}
