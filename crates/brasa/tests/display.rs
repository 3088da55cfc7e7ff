//! Printing: PyTorch's output for the same numbers (`printed.txt`), and Brasa's extensions.
use brasa::{DType, Tensor};

/// A tensor from its description: `f32 [2, 3] from 0.0 by 0.25` or `f32 [2] of 1.5 2.0`.
fn tensor(row: &str) -> Tensor {
    let (dtype, rest) = row.split_once(" [").expect("a dtype");
    let (shape, values) = rest.split_once(']').expect("a shape");
    let dtype: DType = dtype.parse().expect("a dtype");
    let shape = shape.split(", ").filter(|len| !len.is_empty());
    let shape: Vec<usize> = shape.map(|len| len.parse().expect("a length")).collect();
    let float = |word: &str| word.parse::<f64>().unwrap_or_else(|_| panic!("{row}: {word}"));
    let words: Vec<&str> = values.split_whitespace().collect();
    let elements = shape.iter().product();
    let values: Vec<f64> = match words[..] {
        ["from", start, "by", step] => {
            let (start, step) = (float(start), float(step));
            let all = (0..elements).map(|i| start + step * i as f64);
            all.map(|x| if dtype == DType::Bool { x % 2.0 } else { x }).collect()
        }
        ["of", ref values @ ..] => values.iter().map(|word| float(word)).collect(),
        _ => panic!("{row}"),
    };
    Tensor::from_vec(values, shape).to(dtype)
}

#[test]
fn tensors_print_as_in_pytorch() {
    let table = include_str!("printed.txt");
    let rows: Vec<&str> = table.split("\n> ").skip(1).collect();
    assert!(rows.len() > 60, "{} rows", rows.len());
    for row in rows {
        let (made, want) = row.split_once('\n').expect("a text below");
        let got = tensor(made).to_string();
        assert_eq!(got, want.trim_end_matches('\n'), "{made}\n{got}");
    }
}

#[test]
fn tracked_tensors_are_marked() {
    let w = Tensor::new([1.0, 2.0]).requires_grad(true);
    assert_eq!(w.to_string(), "tensor([1., 2.], requires_grad=true)");
    assert_eq!((&w * 2.0).to_string(), "tensor([2., 4.], tracked)");
    assert_eq!(w.detach().to_string(), "tensor([1., 2.])");
}

#[test]
fn debug_prints_the_type_and_alternate_debug_the_value() {
    let x = Tensor::new([[1, 2], [3, 4]]);
    assert_eq!(format!("{x:?}"), "Tensor(i64[2, 2])");
    assert_eq!(format!("{x:#?}"), x.to_string());
    let wrong = brasa::catch(|| {
        let faulty = x.matmul(&Tensor::ones([3]));
        assert!(faulty.to_string().starts_with("tensor(no value: matmul: "), "{faulty}");
    });
    assert!(wrong.is_err());
}
