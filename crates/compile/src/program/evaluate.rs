//! Reference evaluation of kernels with error bounds. Checked mode compares a device's results with
//! it.
use crate::schedule::kernel::{Body, Code, Domain, Granularity, Kernel, Operand, Step, StepOp};
use brasa_ir::bounds::{Bounded, apply};
use brasa_ir::ops::{Cast, Map, Op, Reduce, threefry};
use brasa_ir::{Array, Number, Type};

/// The values that a kernel writes, in the order of its stores, given the values that it reads.
/// Fails for custom ops.
pub fn evaluate(
    kernel: &Kernel,
    reads: &[Bounded],
    slots: &[Number],
) -> Result<Vec<Bounded>, String> {
    let mut evaluator = Evaluator { reads, slots, of_prologues: Vec::new() };
    let anchor = evaluator.body(&kernel.body)?;
    let mut writes = evaluator.code(&kernel.domain, &kernel.code, anchor)?;
    writes.append(&mut evaluator.of_prologues);
    Ok(writes)
}

struct Evaluator<'a> {
    reads: &'a [Bounded],
    slots: &'a [Number],
    /// Values that prologues write.
    of_prologues: Vec<Bounded>,
}

impl Evaluator<'_> {
    /// The result of the library op, if there is one.
    fn body(&mut self, body: &Body) -> Result<Option<Bounded>, String> {
        let Body::Library { op, operands, out } = body else { return Ok(None) };
        let operands: Vec<Bounded> =
            operands.iter().map(|operand| self.operand(operand)).collect::<Result<_, _>>()?;
        apply(op, &operands.iter().collect::<Vec<_>>(), out).map(Some)
    }

    fn operand(&mut self, operand: &Operand) -> Result<Bounded, String> {
        let Some(prologue) = &operand.prologue else {
            let from = (0..operand.ty.elements()).map(|i| operand.view.index_flat(i));
            return Ok(self.reads[operand.read].pick(&operand.ty, from, 0.0));
        };
        let anchor = self.body(&prologue.body)?;
        let mut stores = self.code(&prologue.domain, &prologue.code, anchor)?;
        let value = stores.pop().ok_or("a prologue stores nothing")?;
        self.of_prologues.append(&mut stores);
        Ok(Bounded { ty: operand.ty.clone(), ..value })
    }

    /// The values of the code's stores.
    fn code(
        &self,
        domain: &Domain,
        code: &Code,
        anchor: Option<Bounded>,
    ) -> Result<Vec<Bounded>, String> {
        let mut values: Vec<Bounded> = Vec::with_capacity(code.steps.len());
        for step in &code.steps {
            let ty = Type::new(step.dtype, domain.shape(step.granularity));
            let value = self.step(domain, step, &ty, &values, code, anchor.as_ref())?;
            values.push(value);
        }
        Ok(code.stores.iter().map(|store| values[store.index()].clone()).collect())
    }

    fn step(
        &self,
        domain: &Domain,
        step: &Step,
        ty: &Type,
        values: &[Bounded],
        code: &Code,
        anchor: Option<&Bounded>,
    ) -> Result<Bounded, String> {
        let elements = 0..ty.elements();
        let exact = |values: Vec<i64>| Bounded::exact(&Array::from_i64(ty, values));
        // A value at the given granularity: row values are broadcast to elements.
        let seen =
            |n: usize, granularity: Granularity| match (code.steps[n].granularity, granularity) {
                (Granularity::PerRow, Granularity::PerElement) => {
                    let (rows, shape) = (domain.broadcast(), domain.shape(Granularity::PerElement));
                    let ty = Type::new(code.steps[n].dtype, shape);
                    values[n].pick(&ty, (0..ty.elements()).map(|i| rows.index_flat(i)), 0.0)
                }
                _ => values[n].clone(),
            };
        Ok(match &step.op {
            StepOp::Load { read, view, fill } => {
                let fill = fill.to(step.dtype).as_f64();
                self.reads[*read].pick(ty, elements.map(|i| view.index_flat(i)), fill)
            }
            StepOp::Const(number) => Bounded::exact(&Array::full(ty, *number)),
            StepOp::Slot(slot) => Bounded::exact(&Array::full(ty, self.slots[*slot])),
            StepOp::Iota { view } => {
                exact(elements.map(|i| view.index_flat(i).unwrap_or(0) as i64).collect())
            }
            StepOp::Valid { view } => {
                exact(elements.map(|i| view.index_flat(i).is_some() as i64).collect())
            }
            StepOp::Bits { draw, seed, view } => {
                let key = [values[seed.index()].value[0] as u32, *draw];
                let bits =
                    |n: usize| threefry(key, [(n / 2) as u32, (n as u64 >> 33) as u32])[n % 2];
                exact(elements.map(|i| view.index_flat(i).map_or(0, bits) as i64).collect())
            }
            StepOp::Map { function, args } => {
                let args: Vec<Bounded> =
                    args.iter().map(|arg| seen(arg.index(), step.granularity)).collect();
                apply(&Op::Map(Map(*function)), &args.iter().collect::<Vec<_>>(), ty)?
            }
            StepOp::Cast(of) => apply(
                &Op::Cast(Cast { dtype: step.dtype }),
                &[&seen(of.index(), step.granularity)],
                ty,
            )?,
            StepOp::Reduce { by, of } => {
                let reduced = domain.axes.iter().enumerate().filter(|(_, axis)| axis.is_reduced);
                let axes = reduced.map(|(n, _)| n).collect();
                apply(
                    &Op::Reduce(Reduce { by: *by, axes }),
                    &[&seen(of.index(), Granularity::PerElement)],
                    ty,
                )?
            }
            StepOp::Anchor => {
                let anchor = anchor.ok_or("there is no library op")?;
                Bounded { ty: ty.clone(), ..anchor.clone() }
            }
        })
    }
}
