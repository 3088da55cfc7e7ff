//! Central differences, for comparison with gradients.
use brasa_compile::grad;
use brasa_ir::case::elements;
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Expr, Id, Recorder, Type, eval};
use std::collections::HashMap;

/// How far an element is moved to either side.
const STEP: f64 = 1e-5;
const TOLERANCE: f64 = 2e-5;

/// A graph with values for its inputs. Those of type `f64` are the variables.
pub(crate) struct Checker<'g> {
    g: &'g Recorder,
    values: HashMap<Id, Array>,
    variables: Vec<Expr<'g>>,
}

/// A sum of tensors' elements with its gradient for each variable.
pub(crate) struct Slope<'g> {
    terms: Vec<Id>,
    gradients: Vec<Option<Expr<'g>>>,
}

impl<'g> Checker<'g> {
    pub(crate) fn new(g: &'g Recorder, inputs: Vec<(Id, Array)>) -> Checker<'g> {
        let variables = inputs.iter().filter(|(_, value)| value.dtype() == DType::F64);
        let variables = variables.map(|(id, _)| g.expr(*id)).collect();
        Checker { g, values: inputs.into_iter().collect(), variables }
    }

    /// The gradient of a weighted sum of all elements of all `f64` outputs.
    pub(crate) fn slope(&mut self, outputs: &[Expr<'g>]) -> Result<Slope<'g>, String> {
        let outputs = outputs.iter().filter(|y| y.dtype() == DType::F64);
        let terms: Vec<Expr<'g>> = outputs.map(|&y| y * self.weights(&y.ty())).collect();
        let gradients = grad(self.g, &terms, &[], &self.variables).map_err(|e| e.to_string())?;
        Ok(Slope { terms: terms.iter().map(Expr::id).collect(), gradients })
    }

    /// The gradient of a weighted sum of all elements of all gradients, if there are any.
    pub(crate) fn slope_of(&mut self, slope: &Slope<'g>) -> Result<Slope<'g>, String> {
        let gradients: Vec<Expr<'g>> = slope.gradients.iter().flatten().copied().collect();
        self.slope(&gradients)
    }

    /// Weights as an input, so that they are not differentiated.
    fn weights(&mut self, ty: &Type) -> Expr<'g> {
        let weights = self.g.input("weights", Role::Data, ty.clone());
        let number = weights.id().index();
        self.values.insert(weights.id(), elements(("weights", number), ty, (0.5, 1.5)));
        weights
    }

    fn run(&self, values: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>, String> {
        self.g.read(|graph| eval(graph, values, wanted)).map_err(|e| e.to_string())
    }

    /// The gradient of each variable; zeros if there is none.
    fn analytic(&self, slope: &Slope<'g>) -> Result<Vec<Vec<f64>>, String> {
        let ids: Vec<Id> = slope.gradients.iter().flatten().map(Expr::id).collect();
        let mut found = self.run(&self.values, &ids)?.into_iter();
        let of = |(x, gradient): (&Expr<'g>, &Option<Expr<'g>>)| match gradient {
            Some(_) => found.next().map_or(Vec::new(), |gradient| gradient.to_f64()),
            None => vec![0.0; x.elements()],
        };
        Ok(self.variables.iter().zip(&slope.gradients).map(of).collect())
    }

    /// All terms at `at` steps from the variables' values along `direction`.
    fn terms(
        &self,
        slope: &Slope<'g>,
        direction: &[Vec<f64>],
        at: f64,
    ) -> Result<Vec<f64>, String> {
        let mut values = self.values.clone();
        for (x, along) in self.variables.iter().zip(direction) {
            let moved = self.values[&x.id()].to_f64();
            let moved = moved.iter().zip(along).map(|(x, d)| x + at * STEP * d);
            values.insert(x.id(), Array::from_f64(&x.ty(), moved));
        }
        Ok(self.run(&values, &slope.terms)?.iter().flat_map(Array::to_f64).collect())
    }

    /// The derivative along `direction`; `None` at a kink or a jump.
    fn numeric(&self, slope: &Slope<'g>, direction: &[Vec<f64>]) -> Result<Option<f64>, String> {
        let [before, here, after] = [-1.0, 0.0, 1.0].map(|at| self.terms(slope, direction, at));
        let (before, here, after) = (before?, here?, after?);
        let (left, right) = (change(&before, &here) / STEP, change(&here, &after) / STEP);
        let is_smooth = (right - left).abs() <= 1e-2 * (1.0 + left.abs().min(right.abs()));
        Ok(is_smooth.then_some(change(&before, &after) / (2.0 * STEP)))
    }

    /// Each element of each variable. `skipped` variables have no meaningful derivative.
    pub(crate) fn check_elements(&self, slope: &Slope<'g>, skipped: &[usize]) -> Vec<String> {
        let checked = self.analytic(slope).map(|analytic| {
            let mut problems = Vec::new();
            for (n, rule) in analytic.iter().enumerate().filter(|(n, _)| !skipped.contains(n)) {
                for i in 0..rule.len() {
                    let mut direction = self.zero_direction();
                    direction[n][i] = 1.0;
                    let problem = self.compare(slope, &direction, rule[i]).err();
                    problems.extend(problem.map(|p| format!("operand {n}[{i}]: {p}")));
                }
            }
            problems
        });
        checked.unwrap_or_else(|error| vec![error])
    }

    /// One random direction of all variables together; skips kinks.
    pub(crate) fn check_direction(&self, slope: &Slope<'g>, seed: usize) -> Result<(), String> {
        let of = |(n, x): (usize, &Expr<'g>)| {
            elements(("direction", seed * 100 + n), &x.ty(), (-1.0, 1.0)).to_f64()
        };
        let direction: Vec<Vec<f64>> = self.variables.iter().enumerate().map(of).collect();
        let analytic = self.analytic(slope)?;
        let pairs = analytic.iter().flatten().zip(direction.iter().flatten());
        let rule: f64 = pairs.map(|(dx, d)| dx * d).sum();
        match self.compare(slope, &direction, rule) {
            Err(problem) if problem != KINK => Err(format!("direction {seed}: {problem}")),
            _ => Ok(()),
        }
    }

    fn zero_direction(&self) -> Vec<Vec<f64>> {
        self.variables.iter().map(|x| vec![0.0; x.elements()]).collect()
    }

    fn compare(&self, slope: &Slope<'g>, direction: &[Vec<f64>], rule: f64) -> Result<(), String> {
        let numeric = self.numeric(slope, direction)?.ok_or(KINK)?;
        // NaN fails this comparison.
        let is_near = (numeric - rule).abs() <= TOLERANCE * (1.0 + numeric.abs());
        let numbers = || format!("rule {rule:?} vs difference {numeric:?}");
        if is_near { Ok(()) } else { Err(numbers()) }
    }
}

/// The change of a sum, term by term, so that large or infinite constant terms do not hide the
/// others.
fn change(from: &[f64], to: &[f64]) -> f64 {
    let stays = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    from.iter().zip(to).map(|(&a, &b)| if stays(a, b) { 0.0 } else { b - a }).sum()
}

const KINK: &str = "a kink, where differences are meaningless";
