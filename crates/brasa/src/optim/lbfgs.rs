//! L-BFGS: a quasi-Newton method that estimates curvature from the last gradients. For few
//! parameters and deterministic losses. Its vectors are kept on the host; each evaluation of the
//! loss reads the gradients once.
use super::clip::with_grads;
use crate::nn::{Param, check_state};
use crate::{Error, Result, Tensor, no_grad};
use std::collections::{BTreeMap, VecDeque};

/// How the step length along a direction is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineSearch {
    /// The learning rate.
    #[default]
    None,
    /// A line search for a length that satisfies the strong Wolfe conditions.
    StrongWolfe,
}

/// L-BFGS with PyTorch's settings. [`Lbfgs::step`] takes the loss as a function, since one step
/// evaluates it several times.
///
/// ```
/// use brasa::nn::{Linear, Module};
/// use brasa::optim::{Lbfgs, LineSearch};
/// use brasa::{Tensor, ops};
/// # fn main() -> brasa::Result<()> {
/// let model = Linear::new(1, 1);
/// let (x, y) = (Tensor::new([[0.0], [1.0], [2.0]]), Tensor::new([[1.0], [3.0], [5.0]]));
/// let mut optimizer = Lbfgs::new(1.0).line_search(LineSearch::StrongWolfe).build(model.parameters());
/// optimizer.step(|| ops::mse_loss(&model.forward(&x), &y))?;
/// assert!((model.weight.item::<f32>()? - 2.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
pub struct Lbfgs {
    params: Vec<Tensor>,
    lr: f64,
    max_iter: usize,
    max_eval: Option<usize>,
    tolerance_grad: f64,
    tolerance_change: f64,
    history_size: usize,
    search: LineSearch,
    history: History,
    evaluations: usize,
}

/// The state carried from step to step.
#[derive(Default)]
struct History {
    pairs: VecDeque<Pair>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    loss: f64,
    length: f64,
    /// The curvature of the last pair, by which the initial Hessian estimate is scaled.
    scale: f64,
    iterations: usize,
}

/// A move, the change of the gradient along it, and the inverse of their dot product.
struct Pair {
    moved: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

impl Pair {
    fn new(moved: Vec<f64>, change: Vec<f64>) -> Pair {
        let inverse = 1.0 / dot(&change, &moved);
        Pair { moved, change, inverse }
    }
}

impl Lbfgs {
    /// L-BFGS with this learning rate; PyTorch's default is 1. Call [`Lbfgs::build`] next.
    pub fn new(lr: f64) -> Lbfgs {
        Lbfgs {
            params: Vec::new(),
            lr,
            max_iter: 20,
            max_eval: None,
            tolerance_grad: 1e-7,
            tolerance_change: 1e-9,
            history_size: 100,
            search: LineSearch::None,
            history: History { scale: 1.0, ..History::default() },
            evaluations: 0,
        }
    }

    /// Sets the maximum number of iterations per step; 20 by default.
    pub fn max_iter(mut self, iterations: usize) -> Lbfgs {
        self.max_iter = iterations;
        self
    }

    /// Sets the maximum number of loss evaluations per step; 5/4 of the iterations by default.
    pub fn max_eval(mut self, evaluations: usize) -> Lbfgs {
        self.max_eval = Some(evaluations);
        self
    }

    /// Ends a step when no element of the gradient is larger than this; 1e-7 by default.
    pub fn tolerance_grad(mut self, tolerance: f64) -> Lbfgs {
        self.tolerance_grad = tolerance;
        self
    }

    /// Ends a step when the loss or all parameters change by less than this; 1e-9 by default.
    pub fn tolerance_change(mut self, tolerance: f64) -> Lbfgs {
        self.tolerance_change = tolerance;
        self
    }

    /// Sets the number of past moves to keep; 100 by default.
    pub fn history_size(mut self, moves: usize) -> Lbfgs {
        self.history_size = moves;
        self
    }

    /// Sets how the step length is chosen.
    pub fn line_search(mut self, search: LineSearch) -> Lbfgs {
        self.search = search;
        self
    }

    /// The optimizer of these parameters.
    pub fn build<P: AsRef<Param>>(mut self, params: impl IntoIterator<Item = P>) -> Lbfgs {
        self.params = super::distinct(params).iter().map(|param| (**param).clone()).collect();
        self
    }

    /// Number of loss evaluations so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Sets the learning rate of the following steps.
    pub fn set_lr(&mut self, lr: f64) {
        self.lr = lr;
    }

    /// Discards the history.
    pub fn reset(&mut self) {
        self.history = History { scale: 1.0, ..History::default() };
    }

    /// The state by name, all in f64.
    pub fn state_dict(&self) -> BTreeMap<String, Tensor> {
        let history = &self.history;
        let size = history.direction.len();
        let rows = |of: fn(&Pair) -> &Vec<f64>| {
            let all: Vec<f64> = history.pairs.iter().flat_map(of).copied().collect();
            Tensor::from_vec(all, [history.pairs.len(), size])
        };
        let line = |x: &[f64]| Tensor::from_slice(x, [x.len()]);
        let counts = [history.iterations, self.evaluations].map(|n| n as f64);
        let numbers = [history.loss, history.length, history.scale, counts[0], counts[1]];
        let dict = [
            ("moves", rows(|pair| &pair.moved)),
            ("changes", rows(|pair| &pair.change)),
            ("direction", line(&history.direction)),
            ("gradient", line(&history.gradient)),
            ("numbers", line(&numbers)),
        ];
        dict.into_iter().map(|(name, x)| (name.to_string(), x)).collect()
    }

    /// Loads a state. If a name is missing or unknown, or a shape does not fit these parameters,
    /// nothing changes.
    pub fn load_state_dict(&mut self, dict: &BTreeMap<String, Tensor>) -> Result<()> {
        // Before the first step there is no direction; the number of moves varies.
        let is_new = dict.get("direction").is_some_and(|direction| direction.numel() == 0);
        let all: usize = self.params.iter().map(|param| param.numel()).sum();
        let size = if is_new { 0 } else { all };
        let count = dict.get("moves").and_then(|x| x.shape().first().copied()).unwrap_or(0);
        let line = |n: usize| Tensor::zeros([n]);
        let rows = || Tensor::zeros([count, size]);
        let own = [
            ("moves", rows()),
            ("changes", rows()),
            ("direction", line(size)),
            ("gradient", line(size)),
            ("numbers", line(5)),
        ];
        let own = own.into_iter().map(|(name, x)| (name.to_string(), x)).collect();
        check_state("lbfgs", &own, dict)?;
        let part = |name: &str| dict[name].to_vec::<f64>();
        let (moves, changes) = (part("moves")?, part("changes")?);
        let (direction, gradient, numbers) =
            (part("direction")?, part("gradient")?, part("numbers")?);
        let pairs = moves.chunks_exact(size.max(1)).zip(changes.chunks_exact(size.max(1)));
        let pairs = pairs.map(|(moved, change)| Pair::new(moved.to_vec(), change.to_vec()));
        let [loss, length, scale] = [numbers[0], numbers[1], numbers[2]];
        let pairs = pairs.collect();
        let iterations = numbers[3] as usize;
        self.history = History { pairs, direction, gradient, loss, length, scale, iterations };
        self.evaluations = numbers[4] as usize;
        Ok(())
    }

    /// Iterates until the loss converges or the maximum number of iterations is reached, and
    /// returns the loss before the first iteration. Clears and computes the gradients itself: the
    /// function only has to return the loss.
    #[track_caller]
    pub fn step(&mut self, mut loss: impl FnMut() -> Tensor) -> Result<f64> {
        let max_eval = self.max_eval.unwrap_or(self.max_iter * 5 / 4);
        let start = self.evaluations;
        let mut x = self.values()?;
        let (mut value, mut gradient) = self.evaluate(&mut loss)?;
        let first = value;
        if largest(&gradient) <= self.tolerance_grad {
            return Ok(first);
        }
        for iteration in 1..=self.max_iter {
            self.choose_direction(&gradient);
            let steep = 1.0 / gradient.iter().map(|g| g.abs()).sum::<f64>();
            let is_first = self.history.iterations == 1;
            let mut length = if is_first { steep.min(1.0) * self.lr } else { self.lr };
            let slope = dot(&gradient, &self.history.direction);
            (self.history.gradient, self.history.loss) = (gradient.clone(), value);
            if slope > -self.tolerance_change {
                break;
            }
            let direction = self.history.direction.clone();
            match self.search {
                LineSearch::StrongWolfe => {
                    let start = Point { at: 0.0, loss: value, gradient, slope };
                    let line = Line { from: &x, direction: &direction, start };
                    let found = self.search(&mut loss, &line, length)?;
                    (length, value, gradient) = (found.at, found.loss, found.gradient);
                    move_by(&mut x, &direction, length);
                    self.set_values(&x)?;
                }
                LineSearch::None => {
                    move_by(&mut x, &direction, length);
                    self.set_values(&x)?;
                    // The gradient after the last iteration is not needed.
                    if iteration != self.max_iter {
                        (value, gradient) = self.evaluate(&mut loss)?;
                    }
                }
            }
            self.history.length = length;
            let moved = length.abs() * largest(&direction);
            let is_done = self.evaluations - start >= max_eval
                || largest(&gradient) <= self.tolerance_grad
                || moved <= self.tolerance_change
                || (value - self.history.loss).abs() < self.tolerance_change;
            if is_done || !value.is_finite() {
                break;
            }
        }
        Ok(first)
    }

    /// Adds the last move to the history, and computes the next direction (the two-loop recursion).
    fn choose_direction(&mut self, gradient: &[f64]) {
        let history = &mut self.history;
        history.iterations += 1;
        if history.iterations == 1 {
            history.direction = gradient.iter().map(|g| -g).collect();
            return;
        }
        let change: Vec<f64> = gradient.iter().zip(&history.gradient).map(|(a, b)| a - b).collect();
        let moved: Vec<f64> = history.direction.iter().map(|d| d * history.length).collect();
        let curvature = dot(&change, &moved);
        // PyTorch's bound: flatter pairs would make the next direction huge.
        if curvature > 1e-10 {
            if history.pairs.len() >= self.history_size.max(1) {
                history.pairs.pop_front();
            }
            history.scale = curvature / dot(&change, &change);
            history.pairs.push_back(Pair::new(moved, change));
        }
        let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(history.pairs.len());
        for Pair { moved, change, inverse } in history.pairs.iter().rev() {
            let share = dot(moved, &d) * inverse;
            move_by(&mut d, change, -share);
            shares.push(share);
        }
        d.iter_mut().for_each(|d| *d *= history.scale);
        for (pair, share) in history.pairs.iter().zip(shares.iter().rev()) {
            let Pair { moved, change, inverse } = pair;
            let back = dot(change, &d) * inverse;
            move_by(&mut d, moved, share - back);
        }
        history.direction = d;
    }

    /// The loss and its gradient at the current parameters.
    #[track_caller]
    fn evaluate(&mut self, loss: &mut dyn FnMut() -> Tensor) -> Result<(f64, Vec<f64>)> {
        self.evaluations += 1;
        self.params.iter().for_each(|param| param.set_grad(None));
        let value = loss();
        value.backward();
        let grads = with_grads(&self.params);
        let mut gradient = Vec::new();
        for param in &self.params {
            match grads.iter().find(|(other, _)| other.is_same(param)) {
                Some((_, grad)) => gradient.extend(grad.to_vec::<f64>()?),
                None => gradient.extend(std::iter::repeat_n(0.0, param.numel())),
            }
        }
        Ok((value.item::<f64>()?, gradient))
    }

    /// The loss and its gradient at distance `at` along a direction.
    fn evaluate_at(
        &mut self,
        loss: &mut dyn FnMut() -> Tensor,
        line: &Line,
        at: f64,
    ) -> Result<Point> {
        let mut x = line.from.to_vec();
        move_by(&mut x, line.direction, at);
        self.set_values(&x)?;
        let (loss, gradient) = self.evaluate(loss)?;
        let slope = dot(&gradient, line.direction);
        Ok(Point { at, loss, gradient, slope })
    }

    fn values(&self) -> Result<Vec<f64>> {
        let mut all = Vec::new();
        for param in &self.params {
            all.extend(param.to_vec::<f64>()?);
        }
        Ok(all)
    }

    fn set_values(&self, x: &[f64]) -> Result<()> {
        let mut rest = x;
        for param in &self.params {
            let Some((own, others)) = rest.split_at_checked(param.numel()) else {
                return Err(Error::shape("lbfgs", "the size of a parameter has changed"));
            };
            rest = others;
            let new = Tensor::from_slice(own, param.shape().to_vec()).to(param.dtype());
            no_grad(|| _ = param.copy_(&new));
        }
        crate::flush::flush_own()
    }

    /// A length that satisfies the strong Wolfe conditions: brackets one first, then narrows the
    /// bracket.
    fn search(
        &mut self,
        loss: &mut dyn FnMut() -> Tensor,
        line: &Line,
        first: f64,
    ) -> Result<Point> {
        let mut evaluations = 1;
        match self.bracket(loss, line, first, &mut evaluations)? {
            Bracket::Found(point) => Ok(point),
            Bracket::Between(low, high) => self.narrow(loss, line, (low, high), evaluations),
        }
    }

    /// Lengthens the step until a suitable point lies between two evaluated ones, or is found.
    fn bracket(
        &mut self,
        loss: &mut dyn FnMut() -> Tensor,
        line: &Line,
        first: f64,
        evaluations: &mut usize,
    ) -> Result<Bracket> {
        let between = |a, b| {
            let (low, high) = lower_first(a, b);
            Ok(Bracket::Between(low, high))
        };
        let mut before = line.start.clone();
        let mut here = self.evaluate_at(loss, line, first)?;
        loop {
            if !line.decreases(&here) || (*evaluations > 2 && here.loss >= before.loss) {
                return between(before, here);
            }
            if line.is_flat(&here) {
                return Ok(Bracket::Found(here));
            }
            if here.slope >= 0.0 {
                return between(before, here);
            }
            if *evaluations >= MAX_EVALUATIONS {
                return between(line.start.clone(), here);
            }
            let (least, most) = (here.at + 0.01 * (here.at - before.at), here.at * 10.0);
            let next = here.between(&before, least, most);
            before = here;
            here = self.evaluate_at(loss, line, next)?;
            *evaluations += 1;
        }
    }

    /// Narrows a bracket, its point with the lower loss first.
    fn narrow(
        &mut self,
        loss: &mut dyn FnMut() -> Tensor,
        line: &Line,
        (mut low, mut high): (Point, Point),
        mut evaluations: usize,
    ) -> Result<Point> {
        let reach = largest(line.direction);
        let mut was_near_edge = false;
        while evaluations < MAX_EVALUATIONS {
            let (least, most) = (low.at.min(high.at), low.at.max(high.at));
            let width = most - least;
            if width * reach < self.tolerance_change {
                break;
            }
            let mut at = low.between(&high, least, most);
            // Two points in a row near the same end would narrow the bracket too little.
            let edge = 0.1 * width;
            let is_near_edge = (most - at).min(at - least) < edge;
            if is_near_edge && (was_near_edge || at >= most || at <= least) {
                let is_high = (at - most).abs() < (at - least).abs();
                at = if is_high { most - edge } else { least + edge };
                was_near_edge = false;
            } else {
                was_near_edge = is_near_edge;
            }
            let new = self.evaluate_at(loss, line, at)?;
            evaluations += 1;
            if !line.decreases(&new) || new.loss >= low.loss {
                (low, high) = lower_first(low, new);
                continue;
            }
            if line.is_flat(&new) {
                return Ok(new);
            }
            if new.slope * (high.at - low.at) >= 0.0 {
                high = low;
            }
            low = new;
        }
        Ok(low)
    }
}

/// The values and the direction of a line search, and its point of length zero.
struct Line<'a> {
    from: &'a [f64],
    direction: &'a [f64],
    start: Point,
}

impl Line<'_> {
    /// The sufficient decrease condition.
    fn decreases(&self, p: &Point) -> bool {
        p.loss <= self.start.loss + SUFFICIENT_DECREASE * p.at * self.start.slope
    }

    /// The curvature condition.
    fn is_flat(&self, p: &Point) -> bool {
        p.slope.abs() <= CURVATURE * self.start.slope.abs()
    }
}

/// Where a suitable point lies.
enum Bracket {
    Found(Point),
    Between(Point, Point),
}

/// The constant of the sufficient decrease condition.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// The constant of the curvature condition.
const CURVATURE: f64 = 0.9;
/// Maximum number of loss evaluations of a line search.
const MAX_EVALUATIONS: usize = 25;

/// A point along a direction.
#[derive(Clone)]
struct Point {
    at: f64,
    loss: f64,
    gradient: Vec<f64>,
    slope: f64,
}

impl Point {
    /// The minimum of the cubic through two points and their slopes, clamped to bounds; the
    /// midpoint if the cubic has none.
    fn between(&self, other: &Point, least: f64, most: f64) -> f64 {
        let (a, b) = if self.at <= other.at { (self, other) } else { (other, self) };
        let d1 = a.slope + b.slope - 3.0 * (a.loss - b.loss) / (a.at - b.at);
        let square = d1 * d1 - a.slope * b.slope;
        if square < 0.0 || square.is_nan() {
            return (least + most) / 2.0;
        }
        let d2 = square.sqrt();
        let lowest = b.at - (b.at - a.at) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2));
        if lowest.is_finite() { lowest.clamp(least, most) } else { (least + most) / 2.0 }
    }
}

/// The two points, the one with the lower loss first.
fn lower_first(a: Point, b: Point) -> (Point, Point) {
    if a.loss <= b.loss { (a, b) } else { (b, a) }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn move_by(x: &mut [f64], direction: &[f64], length: f64) {
    x.iter_mut().zip(direction).for_each(|(x, d)| *x += length * d);
}
