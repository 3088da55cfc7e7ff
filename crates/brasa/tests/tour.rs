//! Runs the Rust expressions in the table of `docs/rust.md` that compares with PyTorch.
use brasa::nn::{Linear, Module};
use brasa::{DType, Tensor, no_grad, set_num_threads};

const PAGE: &str = include_str!("../../../docs/rust.md");

/// An expression as in the docs, without spaces.
fn without_spaces(text: &str) -> String {
    text.replace("\\|", "|").split_whitespace().collect()
}

/// Runs expressions and returns those that the docs do not contain.
macro_rules! missing {
    ($($code:expr;)*) => {
        [$({
            _ = $code;
            stringify!($code)
        }),*]
        .into_iter()
        .filter(|code| !without_spaces(PAGE).contains(&format!("`{}`", without_spaces(code))))
        .collect::<Vec<_>>()
    };
}

#[test]
fn the_comparison_with_pytorch_runs() -> brasa::Result<()> {
    let mut x = Tensor::new([[1.0, -2.0], [3.0, -4.0]]);
    let (y, other, n) = (Tensor::new([2.0, 3.0]), Tensor::new([true, false]), 2.0);
    let mask = x.lt(0.0);
    let missing = missing![
        x.i((1, ..2));
        x.set(&mask, 0.0);
        x.sum_keepdim(1);
        x += &y;
        &x % &y;
        !&mask & &other;
        x.to(DType::F16);
        x.to(&other);
        x.to_vec::<f32>()?;
        set_num_threads(2);
    ];
    assert!(missing.is_empty(), "the docs do not contain {missing:?}");
    // x = [[1, 0], [3, 0]] + [2, 3]
    assert_eq!(x.to_vec::<f32>()?, [3.0, 3.0, 5.0, 3.0]);
    let (x, w, b) = (Tensor::ones([1, 1, 3, 3]), Tensor::ones([1, 1, 3, 3]), Tensor::ones([1]));
    let model = Linear::new(2, 1);
    let d = model.state_dict();
    let missing = missing![
        x.conv2d_with(&w, |o| o.bias(&b).padding(1));
        model.deep_clone();
        x * n;
    ];
    assert!(missing.is_empty(), "the docs do not contain {missing:?}");
    model.load_matching(&d)?;
    no_grad(|| model.forward(&y));
    Ok(())
}
