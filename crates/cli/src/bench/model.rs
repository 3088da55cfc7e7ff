//! A benchmark model: graph, inputs, parameters and optimizer, and its compiled step.
use super::data::{Init, Values};
use super::engine::Engine;
use crate::device::Device;
use brasa_compile::{Program, compile_with, grad};
use brasa_cpu::{Buffer, Pool};
use brasa_ir::compose::{adam_step, sgd_step};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Expr, Id, Number, Recorder, Result, Type};
use std::collections::HashMap;
use std::time::Duration;

/// A graph under construction with the values of its inputs.
pub struct Model<'g> {
    pub g: &'g Recorder,
    inputs: Vec<(Id, Values)>,
    params: Vec<Expr<'g>>,
    pub wanted: Vec<Id>,
    rates: Rates,
}

/// Slots of the scalars that change with each step.
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
        let (inputs, params, wanted) = (Vec::new(), Vec::new(), Vec::new());
        Model { g, inputs, params, wanted, rates: Rates::default() }
    }

    fn input(&mut self, name: &str, role: Role, ty: Type, values: Values) -> Expr<'g> {
        let x = self.g.input(name, role, ty);
        self.inputs.push((x.id(), values));
        x
    }

    /// Data in `−bound .. bound`.
    pub fn floats(&mut self, shape: &[usize], seed: u64, bound: f32) -> Expr<'g> {
        let values = Values::Uniform { seed, bound };
        self.input("x", Role::Data, Type::new(DType::F32, shape), values)
    }

    pub fn integers(&mut self, shape: &[usize], values: Vec<i64>) -> Expr<'g> {
        let ty = Type::new(DType::I64, shape);
        self.input("i", Role::Data, ty, Values::Integers(values))
    }

    pub fn param(&mut self, shape: &[usize], init: Init) -> Expr<'g> {
        let n = self.params.len();
        let ty = Type::new(DType::F32, shape);
        let x = self.input(&format!("param{n}"), Role::Param, ty, init.of_param(n));
        self.params.push(x);
        x
    }

    fn state(&mut self, param: Expr<'g>) -> Expr<'g> {
        self.input("state", Role::State, param.ty(), Values::Zeros)
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

    /// The values of all inputs.
    pub fn data(&self) -> HashMap<Id, Buffer> {
        let elements = |id: Id| self.g.read(|graph| graph[id].ty.elements());
        self.inputs.iter().map(|(id, values)| (*id, values.buffer(elements(*id)))).collect()
    }

    /// The program of the step for a device.
    pub fn program(&self, device: Device) -> Result<Program> {
        self.g.read(|graph| compile_with(graph, &self.wanted, &device.options()))
    }

    /// The compiled step, over these values.
    pub fn compile(self, data: HashMap<Id, Buffer>, device: Device) -> Result<Step> {
        let engine = Engine::new(device, self.program(device)?, data)?;
        let slots = self.g.read(|graph| graph.slots().to_vec());
        Ok(Step { engine, slots, rates: self.rates, taken: 0 })
    }
}

/// A compiled step.
pub struct Step {
    pub engine: Engine,
    slots: Vec<Number>,
    rates: Rates,
    taken: i32,
}

impl Step {
    pub fn take(&mut self, pool: &Pool) -> Result<()> {
        self.advance();
        self.engine.run(pool, &self.slots)
    }

    /// A step, with the time of each launch.
    pub fn profile(&mut self, pool: &Pool) -> Result<Vec<Duration>> {
        self.advance();
        self.engine.profile(pool, &self.slots)
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

    /// The mean magnitude of the first output; for a scalar loss, the loss.
    pub fn check(&self) -> Result<f64> {
        let output = self.engine.output(0)?;
        let sum: f64 = output.to_f64().iter().map(|x| x.abs()).sum();
        Ok(sum / output.len() as f64)
    }
}
