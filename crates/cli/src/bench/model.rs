//! A model of the benchmark: what it is fed, what is trained, and how one step is taken.
use super::data::{self, Start};
use brasa_compile::program::ProgramInput;
use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::{adam_step, sgd_step};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Expr, Id, Number, Recorder, Result, Type};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A graph under construction with the values of its inputs.
pub struct Model<'g> {
    pub g: &'g Recorder,
    values: HashMap<Id, Buffer>,
    /// Time spent on values, which are there before a first step begins.
    making: Duration,
    params: Vec<Expr<'g>>,
    wanted: Vec<Id>,
    rates: Rates,
}

/// Numbers that change from step to step, by slot.
#[derive(Clone, Copy, Default)]
struct Rates {
    step_size: Option<usize>,
    correction: Option<usize>,
}

const LR: f64 = 1e-3;
const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;

impl<'g> Model<'g> {
    pub fn new(g: &'g Recorder) -> Model<'g> {
        let (values, params, wanted) = (HashMap::new(), Vec::new(), Vec::new());
        let (making, rates) = (Duration::ZERO, Rates::default());
        Model { g, values, making, params, wanted, rates }
    }

    fn input(
        &mut self,
        name: &str,
        role: Role,
        ty: Type,
        fill: impl FnOnce(&mut [u8]),
    ) -> Expr<'g> {
        let start = Instant::now();
        let mut buffer = Buffer::new(ty.bytes());
        fill(buffer.bytes_mut());
        self.making += start.elapsed();
        let x = self.g.input(name, role, ty);
        self.values.insert(x.id(), buffer);
        x
    }

    pub fn floats(&mut self, shape: &[usize], values: impl FnOnce() -> Vec<f32>) -> Expr<'g> {
        let ty = Type::new(DType::F32, shape);
        self.input("x", Role::Data, ty, |bytes| {
            put(bytes, values().into_iter().map(f32::to_le_bytes))
        })
    }

    pub fn integers(&mut self, shape: &[usize], values: impl FnOnce() -> Vec<i64>) -> Expr<'g> {
        let ty = Type::new(DType::I64, shape);
        self.input("i", Role::Data, ty, |bytes| {
            put(bytes, values().into_iter().map(i64::to_le_bytes))
        })
    }

    pub fn param(&mut self, shape: &[usize], start: Start) -> Expr<'g> {
        let (n, ty) = (self.params.len(), Type::new(DType::F32, shape));
        let values = || data::initial(n, shape.iter().product(), start);
        let name = format!("param{n}");
        let x = self.input(&name, Role::Param, ty, |bytes| {
            put(bytes, values().into_iter().map(f32::to_le_bytes));
        });
        self.params.push(x);
        x
    }

    fn state(&mut self, param: Expr<'g>) -> Expr<'g> {
        self.input("state", Role::State, param.ty(), |bytes| bytes.fill(0))
    }

    fn write(&self, target: Expr<'g>, value: Expr<'g>) -> Result<()> {
        self.g.push(Write {}, &[target, value]).map(|_| ())
    }

    pub fn infer(&mut self, output: Expr<'g>) -> Result<()> {
        self.infer_all(vec![output])
    }

    pub fn infer_all(&mut self, outputs: Vec<Expr<'g>>) -> Result<()> {
        self.wanted = outputs.iter().map(Expr::id).collect();
        Ok(())
    }

    pub fn train_with_sgd(&mut self, loss: Expr<'g>, lr: f64) -> Result<()> {
        let gradients = grad(self.g, &[loss], &[], &self.params)?;
        for (param, gradient) in self.params.clone().into_iter().zip(gradients) {
            let Some(gradient) = gradient else { continue };
            let none = param.zeros_like();
            let lr = Number::Float(lr).into();
            let (new, _) = sgd_step(self.g, param, gradient, none, lr, 0.0, 0.0, 0.0, false)?;
            self.write(param, new)?;
        }
        self.infer(loss)
    }

    pub fn train_with_adam(&mut self, loss: Expr<'g>, weight_decay: f64) -> Result<()> {
        let g = self.g;
        let slot = |value: f64| {
            let x = g.number(Number::Float(value), DType::F32);
            (x, g.read(|graph| graph.slots().len() - 1))
        };
        let ((step_size, first), (correction, second)) = (slot(LR / 0.5), slot(2.0));
        self.rates = Rates { step_size: Some(first), correction: Some(second) };
        let shrink = g.number(Number::Float(1.0 - LR * weight_decay), DType::F32);
        let gradients = grad(g, &[loss], &[], &self.params)?;
        for (param, gradient) in self.params.clone().into_iter().zip(gradients) {
            let Some(gradient) = gradient else { continue };
            let (m, v) = (self.state(param), self.state(param));
            let (step, root) = (step_size.into(), correction.into());
            let (new, new_m, new_v) =
                adam_step(g, param, gradient, m, v, step, root, shrink.into(), BETA1, BETA2, 1e-8)?;
            self.write(param, new)?;
            self.write(m, new_m)?;
            self.write(v, new_v)?;
        }
        self.infer(loss)
    }

    /// The compiled step.
    pub fn compile(mut self) -> Step {
        let (program, slots) =
            self.g.read(|graph| (compile(graph, &self.wanted), graph.slots().to_vec()));
        let buffer = |input: &ProgramInput| {
            self.values.remove(&input.node).expect("every input has a value")
        };
        let buffers = program.inputs.iter().map(buffer).collect();
        let (making, rates) = (self.making, self.rates);
        Step { executable: Executable::new(program), buffers, slots, making, rates, taken: 0 }
    }
}

fn put<const N: usize>(to: &mut [u8], elements: impl Iterator<Item = [u8; N]>) {
    to.as_chunks_mut().0.iter_mut().zip(elements).for_each(|(to, element)| *to = element);
}

/// A step that can be taken again and again.
pub struct Step {
    pub executable: Executable,
    buffers: Vec<Buffer>,
    slots: Vec<Number>,
    /// Time spent on the values of inputs.
    pub making: Duration,
    rates: Rates,
    taken: i32,
}

impl Step {
    pub fn take(&mut self, pool: &Pool) -> Result<()> {
        self.advance();
        self.executable.run(pool, &mut self.buffers, &self.slots)
    }

    /// A step, with the time of each launch.
    pub fn profile(&mut self, pool: &Pool) -> Result<Vec<Duration>> {
        self.advance();
        self.executable.profile(pool, &mut self.buffers, &self.slots)
    }

    fn advance(&mut self) {
        self.taken += 1;
        if let Some(slot) = self.rates.step_size {
            self.slots[slot] = Number::Float(LR / (1.0 - BETA1.powi(self.taken)));
        }
        if let Some(slot) = self.rates.correction {
            let bias = 1.0 - BETA2.powi(self.taken);
            self.slots[slot] = Number::Float(1.0 / bias.sqrt());
        }
    }

    /// The mean magnitude of the first output: of a scalar loss, the loss.
    pub fn check(&self) -> f64 {
        let output = self.executable.output(&self.buffers, 0);
        let sum: f64 = output.to_f64().iter().map(|x| x.abs()).sum();
        sum / output.len() as f64
    }
}
