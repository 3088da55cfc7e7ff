//! L-BFGS: PyTorch's trajectory with PyTorch's settings, in few evaluations of the loss.
use brasa::nn::Param;
use brasa::optim::{Lbfgs, LineSearch};
use brasa::{DType, Tensor, ops};

/// The largest error of a fit of `y = x·w` by L-BFGS, and the number of loss evaluations.
fn least_squares(search: LineSearch) -> (f64, usize) {
    let x = Tensor::from_vec(
        (0..60).map(|n| f64::from(n * 7919 % 101) / 50.0 - 1.0).collect(),
        [20, 3],
    );
    let want = Tensor::from_vec(vec![1.5f64, -2.0, 0.25], [3, 1]);
    let y = x.matmul(&want);
    let w = Param::new(Tensor::zeros([3, 1]).to(DType::F64));
    let mut optimizer = Lbfgs::new(1.0).line_search(search).build([&w]);
    optimizer.step(|| ops::mse_loss(&x.matmul(&w), &y)).expect("a step can be taken");
    let wrong = (&*w - &want).abs().max().item::<f64>().expect("a number");
    (wrong, optimizer.evaluations())
}

#[test]
fn lbfgs_solves_least_squares_in_one_step() {
    for search in [LineSearch::None, LineSearch::StrongWolfe] {
        let (wrong, evaluations) = least_squares(search);
        assert!(
            wrong < 1e-4 && evaluations <= 25,
            "{search:?}: {wrong} after {evaluations} evaluations"
        );
    }
}

fn valley(x: &Param) -> Tensor {
    let (a, b) = (x.i(0), x.i(1));
    (1.0 - &a).square() + 100.0 * (b - a.square()).square()
}

/// Six steps of at most three iterations on Rosenbrock's function, as PyTorch 2.15 takes them in
/// f64: the loss before each, and the final parameters.
#[test]
fn lbfgs_follows_pytorch() {
    let plain = [
        [24.200000000000, -1.158927797149, 1.016994905679],
        [15.296312055865, -1.148257365102, 1.022279368255],
        [13.389378364221, -1.138578037401, 1.027607265654],
        [11.796316408654, -1.129795044387, 1.032855856457],
        [10.469196598580, -1.121819608044, 1.037927779767],
        [9.366412801036, -1.114568599619, 1.042747950902],
    ];
    let searched = [
        [24.200000000000, -1.024531930346, 1.071619620267],
        [4.146927102567, -1.028879534832, 1.065502951685],
        [4.121126775766, -1.019761476202, 1.034107503142],
        [4.082807343944, -0.888128305848, 0.741017751500],
        [3.793074251272, -0.664936176990, 0.444753869504],
        [2.772695642375, -0.512530907614, 0.218768595747],
    ];
    for (search, lr, want) in
        [(LineSearch::None, 0.05, plain), (LineSearch::StrongWolfe, 1.0, searched)]
    {
        let x = Param::new(Tensor::from_vec(vec![-1.2f64, 1.0], 2));
        let optimizer = || Lbfgs::new(lr).max_iter(3).history_size(2).line_search(search);
        let mut optimizer = [optimizer().build([&x]), optimizer().build([&x])];
        for (n, want) in want.into_iter().enumerate() {
            // The optimizers alternate: each continues from the other's state.
            let state = optimizer[n % 2].state_dict();
            let next = &mut optimizer[(n + 1) % 2];
            next.load_state_dict(&state).expect("a matching state");
            let loss = next.step(|| valley(&x)).expect("a step can be taken");
            let at = x.to_vec::<f64>().expect("a value");
            let off = [loss - want[0], at[0] - want[1], at[1] - want[2]];
            assert!(off.iter().all(|off| off.abs() < 1e-10), "{search:?}, step {n}: {off:?}");
            assert_eq!(next.evaluations(), 3 * (n + 1), "{search:?}");
        }
    }
}

#[test]
fn a_state_of_different_parameters_is_rejected() {
    let [x, y] = [2, 3].map(|n| Param::new(Tensor::ones([n]).to(DType::F64)));
    let mut optimizer = Lbfgs::new(1.0).build([&x]);
    optimizer.step(|| x.square().sum(..)).expect("a step can be taken");
    let state = optimizer.state_dict();
    let refusal = |state| {
        let mut other = Lbfgs::new(1.0).build([&y]);
        let error = other.load_state_dict(&state).expect_err("shapes differ");
        assert_eq!(other.evaluations(), 0, "the optimizer has changed");
        error.to_string()
    };
    let message = refusal(state.clone());
    assert!(message.contains("'moves' has shape [1, 2], expected [1, 3]"), "{message}");
    let mut less = state.clone();
    less.remove("gradient");
    assert!(refusal(less).contains("is missing"));
    let mut more = state;
    more.insert("extra".to_string(), Tensor::ones([1]));
    assert!(refusal(more).contains("'extra' is unknown"));
}

/// Rosenbrock's function, for which plain gradient descent needs thousands of steps.
#[test]
fn lbfgs_minimizes_rosenbrocks_function() {
    let x = Param::new(Tensor::from_vec(vec![-1.2f64, 1.0], 2));
    let loss = || valley(&x);
    let search = LineSearch::StrongWolfe;
    let mut optimizer = Lbfgs::new(1.0)
        .line_search(search)
        .max_iter(100)
        .max_eval(200)
        .tolerance_change(1e-14)
        .build([&x]);
    let first = optimizer.step(loss).expect("a step can be taken");
    assert!((first - 24.2).abs() < 1e-9, "the loss before the step is {first}");
    let last = loss().item::<f64>().expect("a number");
    assert!(last < 1e-12 && optimizer.evaluations() < 80, "{last}, {}", optimizer.evaluations());
}

#[test]
fn lbfgs_stays_at_a_minimum() {
    let x = Param::new(Tensor::from_vec(vec![1.0f64, 1.0], 2));
    let mut optimizer = Lbfgs::new(1.0).build([&x]);
    let loss = optimizer.step(|| (&*x - 1.0).square().sum(..)).expect("a step can be taken");
    assert_eq!((loss, optimizer.evaluations()), (0.0, 1));
    assert_eq!(x.to_vec::<f64>().expect("a value"), [1.0, 1.0]);
}

#[test]
fn the_first_lbfgs_step_has_the_expected_length() {
    let w = Param::new(Tensor::from_vec(vec![3.0f32, -2.0], 2));
    let mut optimizer = Lbfgs::new(0.5).max_iter(1).build([&w]);
    // One move along the gradient (6, -4), with length lr divided by the sum of its absolute
    // values.
    optimizer.step(|| w.square().sum(..)).expect("a step can be taken");
    let want = [3.0 - 6.0 * 0.05, -2.0 + 4.0 * 0.05];
    let got = w.to_vec::<f32>().expect("a value");
    assert!(got.iter().zip(want).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6), "{got:?}");
    assert_eq!(optimizer.evaluations(), 1, "the gradient after the last move is not needed");
}
