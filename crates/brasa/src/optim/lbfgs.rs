//! L-BFGS: steps by the curvature that the last gradients tell of. For few parameters and losses that
//! are the same whenever they are computed. Its vectors are kept on the host; each look at the loss
//! reads the gradients once.
use super::clip::with_grads;
use crate::nn::{Param, check_state};
use crate::{Error, Result, Tensor, no_grad};
use std::collections::{BTreeMap, VecDeque};

/// How far a step of L-BFGS goes along its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineSearch {
    /// As far as the learning rate says.
    #[default]
    None,
    /// To where the loss has fallen enough and its slope is flat enough.
    StrongWolfe,
}

/// L-BFGS with PyTorch's settings. The loss is handed to [`Lbfgs::step`] as a function, since one step
/// looks at it several times.
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
    memory: Memory,
    evaluations: usize,
}

/// What later steps need of earlier ones.
#[derive(Default)]
struct Memory {
    pairs: VecDeque<Pair>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    loss: f64,
    length: f64,
    /// The curvature of the last pair, by which the first guess is scaled.
    scale: f64,
    iterations: usize,
}

/// A move, the change of the gradient along it, and one over their product.
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
    /// With this learning rate; PyTorch's default is 1. Call [`Lbfgs::build`] next.
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
            memory: Memory { scale: 1.0, ..Memory::default() },
            evaluations: 0,
        }
    }

    /// Sets the most iterations of a step; 20 at first.
    pub fn max_iter(mut self, iterations: usize) -> Lbfgs {
        self.max_iter = iterations;
        self
    }

    /// Sets the most looks at the loss in a step; 5/4 of the iterations at first.
    pub fn max_eval(mut self, evaluations: usize) -> Lbfgs {
        self.max_eval = Some(evaluations);
        self
    }

    /// A step ends where no element of the gradient is larger; 1e-7 at first.
    pub fn tolerance_grad(mut self, tolerance: f64) -> Lbfgs {
        self.tolerance_grad = tolerance;
        self
    }

    /// A step ends where the loss or all parameters move less; 1e-9 at first.
    pub fn tolerance_change(mut self, tolerance: f64) -> Lbfgs {
        self.tolerance_change = tolerance;
        self
    }

    /// Sets how many moves are remembered; 100 at first.
    pub fn history_size(mut self, moves: usize) -> Lbfgs {
        self.history_size = moves;
        self
    }

    /// Sets how the length of a move is found.
    pub fn line_search(mut self, search: LineSearch) -> Lbfgs {
        self.search = search;
        self
    }

    /// For these parameters.
    pub fn build<P: AsRef<Param>>(mut self, params: impl IntoIterator<Item = P>) -> Lbfgs {
        self.params = super::distinct(params).iter().map(|param| (**param).clone()).collect();
        self
    }

    /// How often the loss was computed so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Sets the learning rate of the next steps.
    pub fn set_lr(&mut self, lr: f64) {
        self.lr = lr;
    }

    /// Forgets all earlier moves.
    pub fn reset(&mut self) {
        self.memory = Memory { scale: 1.0, ..Memory::default() };
    }

    /// What later steps need of earlier ones, by name; all in f64.
    pub fn state_dict(&self) -> BTreeMap<String, Tensor> {
        let memory = &self.memory;
        let size = memory.direction.len();
        let rows = |of: fn(&Pair) -> &Vec<f64>| {
            let all: Vec<f64> = memory.pairs.iter().flat_map(of).copied().collect();
            Tensor::from_vec(all, [memory.pairs.len(), size])
        };
        let line = |x: &[f64]| Tensor::from_slice(x, [x.len()]);
        let counts = [memory.iterations, self.evaluations].map(|n| n as f64);
        let numbers = [memory.loss, memory.length, memory.scale, counts[0], counts[1]];
        let dict = [
            ("moves", rows(|pair| &pair.moved)),
            ("changes", rows(|pair| &pair.change)),
            ("direction", line(&memory.direction)),
            ("gradient", line(&memory.gradient)),
            ("numbers", line(&numbers)),
        ];
        dict.into_iter().map(|(name, x)| (name.to_string(), x)).collect()
    }

    /// Continues from a state. Nothing is changed where a name is missing or unknown or a shape is not
    /// that of these parameters.
    pub fn load_state_dict(&mut self, dict: &BTreeMap<String, Tensor>) -> Result<()> {
        // Before the first step there is no direction; moves are as many as were remembered.
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
        self.memory = Memory { pairs, direction, gradient, loss, length, scale, iterations };
        self.evaluations = numbers[4] as usize;
        Ok(())
    }

    /// Moves the parameters until the loss is as low as it gets, or the most iterations are taken, and
    /// gives the loss before the first of them. Gradients are cleared and computed here: the function
    /// only has to give the loss.
    #[track_caller]
    pub fn step(&mut self, mut loss: impl FnMut() -> Tensor) -> Result<f64> {
        let max_eval = self.max_eval.unwrap_or(self.max_iter * 5 / 4);
        let start = self.evaluations;
        let mut x = self.values()?;
        let (mut value, mut gradient) = self.look(&mut loss)?;
        let first = value;
        if largest(&gradient) <= self.tolerance_grad {
            return Ok(first);
        }
        for iteration in 1..=self.max_iter {
            self.choose_direction(&gradient);
            let steep = 1.0 / gradient.iter().map(|g| g.abs()).sum::<f64>();
            let is_first = self.memory.iterations == 1;
            let mut length = if is_first { steep.min(1.0) * self.lr } else { self.lr };
            let slope = dot(&gradient, &self.memory.direction);
            (self.memory.gradient, self.memory.loss) = (gradient.clone(), value);
            if slope > -self.tolerance_change {
                break;
            }
            let direction = self.memory.direction.clone();
            match self.search {
                LineSearch::StrongWolfe => {
                    let from = Point { at: 0.0, loss: value, gradient: gradient.clone(), slope };
                    let found = self.search(&mut loss, &x, &direction, length, from)?;
                    (length, value, gradient) = (found.at, found.loss, found.gradient);
                    move_by(&mut x, &direction, length);
                    self.set_values(&x)?;
                }
                LineSearch::None => {
                    move_by(&mut x, &direction, length);
                    self.set_values(&x)?;
                    // The gradient behind the last move is of no use.
                    if iteration != self.max_iter {
                        (value, gradient) = self.look(&mut loss)?;
                    }
                }
            }
            self.memory.length = length;
            let moved = length.abs() * largest(&direction);
            let is_done = self.evaluations - start >= max_eval
                || largest(&gradient) <= self.tolerance_grad
                || moved <= self.tolerance_change
                || (value - self.memory.loss).abs() < self.tolerance_change;
            if is_done || !value.is_finite() {
                break;
            }
        }
        Ok(first)
    }

    /// Learns from the last move, and sets out anew.
    fn choose_direction(&mut self, gradient: &[f64]) {
        let memory = &mut self.memory;
        memory.iterations += 1;
        if memory.iterations == 1 {
            memory.direction = gradient.iter().map(|g| -g).collect();
            return;
        }
        let change: Vec<f64> = gradient.iter().zip(&memory.gradient).map(|(a, b)| a - b).collect();
        let moved: Vec<f64> = memory.direction.iter().map(|d| d * memory.length).collect();
        let curvature = dot(&change, &moved);
        // PyTorch's bound: flatter pairs would make the next direction huge.
        if curvature > 1e-10 {
            if memory.pairs.len() >= self.history_size.max(1) {
                memory.pairs.pop_front();
            }
            memory.scale = curvature / dot(&change, &change);
            memory.pairs.push_back(Pair::new(moved, change));
        }
        let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(memory.pairs.len());
        for Pair { moved, change, inverse } in memory.pairs.iter().rev() {
            let share = dot(moved, &d) * inverse;
            move_by(&mut d, change, -share);
            shares.push(share);
        }
        d.iter_mut().for_each(|d| *d *= memory.scale);
        for (pair, share) in memory.pairs.iter().zip(shares.iter().rev()) {
            let Pair { moved, change, inverse } = pair;
            let back = dot(change, &d) * inverse;
            move_by(&mut d, moved, share - back);
        }
        memory.direction = d;
    }

    /// The loss and its gradient where the parameters are.
    #[track_caller]
    fn look(&mut self, loss: &mut dyn FnMut() -> Tensor) -> Result<(f64, Vec<f64>)> {
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

    /// The loss as far along a direction.
    fn look_at(
        &mut self,
        loss: &mut dyn FnMut() -> Tensor,
        from: &[f64],
        direction: &[f64],
        at: f64,
    ) -> Result<Point> {
        let mut x = from.to_vec();
        move_by(&mut x, direction, at);
        self.set_values(&x)?;
        let (loss, gradient) = self.look(loss)?;
        let slope = dot(&gradient, direction);
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
                return Err(Error::shape("lbfgs", "a parameter has changed its size"));
            };
            rest = others;
            let new = Tensor::from_slice(own, param.shape().to_vec()).to(param.dtype());
            no_grad(|| _ = param.copy_(&new));
        }
        crate::flush::flush_own()
    }

    /// A length that makes the loss fall enough and its slope flat enough: first a bracket around one is
    /// found, then it is narrowed.
    fn search(
        &mut self,
        loss: &mut dyn FnMut() -> Tensor,
        x: &[f64],
        direction: &[f64],
        first: f64,
        start: Point,
    ) -> Result<Point> {
        let reach = largest(direction);
        let falls = |p: &Point| p.loss <= start.loss + FALL * p.at * start.slope;
        let is_flat = |p: &Point| p.slope.abs() <= FLAT * start.slope.abs();
        let mut before = start.clone();
        let mut here = self.look_at(loss, x, direction, first)?;
        let mut looks = 1;
        let (mut low, mut high) = loop {
            if !falls(&here) || (looks > 2 && here.loss >= before.loss) {
                break ordered(before, here);
            }
            if is_flat(&here) {
                return Ok(here);
            }
            if here.slope >= 0.0 {
                break ordered(before, here);
            }
            if looks >= MOST_LOOKS {
                break ordered(start.clone(), here);
            }
            let (least, most) = (here.at + 0.01 * (here.at - before.at), here.at * 10.0);
            let next = here.between(&before, least, most);
            before = here;
            here = self.look_at(loss, x, direction, next)?;
            looks += 1;
        };
        let mut was_near_edge = false;
        while looks < MOST_LOOKS {
            let (least, most) = (low.at.min(high.at), low.at.max(high.at));
            let width = most - least;
            if width * reach < self.tolerance_change {
                break;
            }
            let mut at = low.between(&high, least, most);
            // Two points near the same end in turn would narrow the bracket too little.
            let edge = 0.1 * width;
            let is_near_edge = (most - at).min(at - least) < edge;
            if is_near_edge && (was_near_edge || at >= most || at <= least) {
                let is_high = (at - most).abs() < (at - least).abs();
                at = if is_high { most - edge } else { least + edge };
                was_near_edge = false;
            } else {
                was_near_edge = is_near_edge;
            }
            let new = self.look_at(loss, x, direction, at)?;
            looks += 1;
            if !falls(&new) || new.loss >= low.loss {
                (low, high) = ordered(low, new);
                continue;
            }
            if is_flat(&new) {
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

/// The part of the promised fall that is asked for.
const FALL: f64 = 1e-4;
/// The part of the slope that may be left.
const FLAT: f64 = 0.9;
/// Looks at the loss that a line search may take.
const MOST_LOOKS: usize = 25;

/// A place along a direction.
#[derive(Clone)]
struct Point {
    at: f64,
    loss: f64,
    gradient: Vec<f64>,
    slope: f64,
}

impl Point {
    /// Where the cubic through two points with their slopes is lowest, within bounds; the middle where
    /// it has no such place.
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

/// The lower of two points first.
fn ordered(a: Point, b: Point) -> (Point, Point) {
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
