//! The plain meaning of a kernel, evaluated with error bounds: what a device's kernel is compared
//! with in the checked mode.
use crate::kernel::{Body, Code, Domain, Kernel, Level, Operand, Step, What};
use brasa_ir::bounds::{Bounded, apply};
use brasa_ir::ops::{Cast, Map, Op, Reduce, threefry};
use brasa_ir::{Array, Number, Type};

/// What a kernel writes, in the order of its stores, given what it reads. Fails for ops of users.
pub fn evaluate(
    kernel: &Kernel,
    reads: &[Bounded],
    slots: &[Number],
) -> Result<Vec<Bounded>, String> {
    let mut evaluator = Evaluator { reads, slots, of_works: Vec::new() };
    let anchor = evaluator.body(&kernel.body)?;
    let mut writes = evaluator.code(&kernel.domain, &kernel.code, anchor)?;
    writes.append(&mut evaluator.of_works);
    Ok(writes)
}

struct Evaluator<'a> {
    reads: &'a [Bounded],
    slots: &'a [Number],
    /// What the code that makes operands writes on its way.
    of_works: Vec<Bounded>,
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
        let Some(work) = &operand.work else {
            let from = (0..operand.ty.elements()).map(|i| operand.view.index_flat(i));
            return Ok(self.reads[operand.read].pick(&operand.ty, from, 0.0));
        };
        let anchor = self.body(&work.body)?;
        let mut stores = self.code(&work.domain, &work.code, anchor)?;
        let made = stores.pop().ok_or("code that makes an operand stores nothing")?;
        self.of_works.append(&mut stores);
        Ok(Bounded { ty: operand.ty.clone(), ..made })
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
            let ty = Type::new(step.dtype, domain.shape(step.level));
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
        // A value as the elements of a level see it.
        let seen = |n: usize, level: Level| match (code.steps[n].level, level) {
            (Level::Row, Level::Full) => {
                let (rows, shape) = (domain.broadcast(), domain.shape(Level::Full));
                let ty = Type::new(code.steps[n].dtype, shape);
                values[n].pick(&ty, (0..ty.elements()).map(|i| rows.index_flat(i)), 0.0)
            }
            _ => values[n].clone(),
        };
        Ok(match &step.what {
            What::Load { read, view, fill } => {
                let fill = fill.to(step.dtype).as_f64();
                self.reads[*read].pick(ty, elements.map(|i| view.index_flat(i)), fill)
            }
            What::Const(number) => Bounded::exact(&Array::full(ty, *number)),
            What::Slot(slot) => Bounded::exact(&Array::full(ty, self.slots[*slot])),
            What::Iota { view } => {
                exact(elements.map(|i| view.index_flat(i).unwrap_or(0) as i64).collect())
            }
            What::Valid { view } => {
                exact(elements.map(|i| view.index_flat(i).is_some() as i64).collect())
            }
            What::Bits { draw, seed, view } => {
                let key = [values[seed.index()].value[0] as u32, *draw];
                let bits =
                    |n: usize| threefry(key, [(n / 2) as u32, (n as u64 >> 33) as u32])[n % 2];
                exact(elements.map(|i| view.index_flat(i).map_or(0, bits) as i64).collect())
            }
            What::Map { row, args } => {
                let args: Vec<Bounded> =
                    args.iter().map(|arg| seen(arg.index(), step.level)).collect();
                apply(&Op::Map(Map(*row)), &args.iter().collect::<Vec<_>>(), ty)?
            }
            What::Cast(of) => {
                apply(&Op::Cast(Cast { dtype: step.dtype }), &[&seen(of.index(), step.level)], ty)?
            }
            What::Reduce { by, of } => {
                let reduced = domain.axes.iter().enumerate().filter(|(_, axis)| axis.is_reduced);
                let axes = reduced.map(|(n, _)| n).collect();
                apply(&Op::Reduce(Reduce { by: *by, axes }), &[&seen(of.index(), Level::Full)], ty)?
            }
            What::Anchor => {
                let anchor = anchor.ok_or("there is no library op")?;
                Bounded { ty: ty.clone(), ..anchor.clone() }
            }
        })
    }
}
