//! Names that users know from PyTorch and from smaller libraries. Each is an op of the table, or
//! can be expressed as a call of one.
use brasa_ir::ops::Role;
use brasa_ir::table::find;
use brasa_ir::{Array, DType, Recorder, Type, Value, eval};
use std::collections::HashMap;
use std::f64::consts::E;

/// Fails with all names that the table does not know.
#[track_caller]
fn assert_known(names: &str) {
    let missing: Vec<&str> = names.split_whitespace().filter(|n| find(n).is_none()).collect();
    assert!(missing.is_empty(), "not in the table: {}", missing.join(", "));
}

/// Asserts that all spellings of a line name the op of the first one.
#[track_caller]
fn assert_aliases(rows: &[&str]) {
    for row in rows {
        let mut names = row.split_whitespace();
        let first = names.next().expect("a row has names");
        for name in names {
            assert_eq!(find(name).map(|entry| entry.name), Some(first), "{name}");
        }
    }
}

#[test]
fn creation_and_draws_have_pytorchs_names() {
    assert_known("zeros ones full arange linspace eye tril triu one_hot empty");
    assert_known("zeros_like ones_like full_like empty_like rand_like randn_like randint_like");
    assert_known("rand randn randint bernoulli multinomial categorical");
}

#[test]
fn functions_of_elements_have_pytorchs_names() {
    assert_known(
        "abs neg sign positive reciprocal sqrt rsqrt square exp exp2 expm1 log log2 log10",
    );
    assert_known(
        "log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid",
    );
    assert_known(
        "logit relu relu6 gelu silu mish elu selu celu leaky_relu prelu softplus softsign",
    );
    assert_known(
        "hardtanh hardsigmoid hardswish tanhshrink floor ceil round trunc frac isnan isinf",
    );
    assert_known("isfinite deg2rad rad2deg sinc logical_not bitwise_not");
    assert_known(
        "add sub mul div floor_divide remainder fmod pow atan2 hypot copysign ldexp xlogy",
    );
    assert_known("logaddexp logaddexp2 maximum minimum eq ne lt le gt ge logical_and logical_or");
    assert_known("logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift");
    assert_known("bitwise_right_shift where clamp lerp addcmul addcdiv masked_fill");
}

#[test]
fn reductions_have_pytorchs_names() {
    assert_known(
        "sum mean prod amax amin max min argmax argmin all any count_nonzero norm var std",
    );
    assert_known("logsumexp cumsum cumprod sort argsort topk");
}

#[test]
fn movement_and_indexing_have_pytorchs_names() {
    assert_known(
        "reshape view flatten unflatten permute transpose t T swapaxes expand broadcast_to",
    );
    assert_known("squeeze unsqueeze slice narrow select index cat stack split chunk pad flip roll");
    assert_known("repeat repeat_interleave unfold fold diagonal tile");
    assert_known("gather scatter scatter_add index_select index_add take_along_dim embedding");
}

#[test]
fn layers_have_pytorchs_names() {
    assert_known("matmul mm bmm mv dot outer addmm baddbmm einsum linear");
    assert_known("conv1d conv2d conv3d conv_transpose1d conv_transpose2d max_pool1d max_pool2d");
    assert_known("avg_pool1d avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d interpolate");
    assert_known("pixel_shuffle layer_norm rms_norm batch_norm group_norm instance_norm dropout");
    assert_known("softmax log_softmax softmin scaled_dot_product_attention rope");
}

#[test]
fn losses_have_pytorchs_names() {
    assert_known("cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits");
    assert_known("mse_loss l1_loss smooth_l1_loss huber_loss kl_div cosine_similarity hinge_loss");
}

#[test]
fn imaging_is_in_the_table() {
    assert_known("resize crop hflip normalize_channels rgb_to_grayscale affine_grid grid_sample");
}

#[test]
fn every_op_of_webgpu_torch_is_in_the_table() {
    assert_aliases(&[
        "abs absolute",
        "acos arccos",
        "acosh arccosh",
        "asin arcsin",
        "asinh arcsinh",
        "atan arctan",
        "atan2 arctan2",
        "div divide",
        "mul multiply",
        "neg negative",
        "sub subtract",
        "trunc fix",
    ]);
    assert_known("add ceil copysign cos cosh deg2rad exp exp2 expm1 floor frac hypot ldexp log");
    assert_known(
        "log10 log1p log2 logaddexp logaddexp2 positive pow rad2deg reciprocal relu round",
    );
    assert_known("rsqrt sigmoid sign silu sin sinc sinh sqrt square tan tanh xlogy");
    assert_known("all any mean norm prod sum count_nonzero");
    assert_known(
        "cat clone conv2d flatten gather linear matmul mm bmm mv dot squeeze unsqueeze view",
    );
    assert_known("expand uniform");
    for op in ["add", "sub"] {
        let params = find(op).expect("in the table").params;
        assert!(params.iter().any(|p| p.name == "alpha"), "{op} takes alpha");
    }
}

#[test]
fn every_op_of_tensorgrad_is_in_the_table() {
    assert_known(
        "arange const_scalar add sub mul div add_scalar mul_scalar sqrt rsqrt log exp relu",
    );
    assert_known("less greater where reshape transpose broadcast_to sum_to_shape matmul");
    assert_known("matmul_batched one_hot softmax_causal_last log_softmax_last where_causal");
    // Added later.
    assert_known("min max neg abs square sin cos erf tanh sigmoid gelu silu leaky_relu softplus");
    assert_known("clamp permute swap_axes narrow concat stack split argmax argmin take_along_axis");
    assert_known("embedding split_heads merge_heads rope conv2d max_pool2d stop_gradient softmax");
    assert_known("log_softmax dropout randn categorical adam_step sgd_step");
}

#[test]
fn every_op_of_torchic_and_typegrad_is_in_the_table() {
    assert_known("add sub mul div matmul neg slice set relu exp log softmax sum mean reshape");
    assert_known("transpose cross_entropy randn zeros ones empty tanh embedding one_hot");
    assert_known("expand shrink permute flip dot rand normal uniform full zeros_like ones_like");
    assert_known("full_like T sign sqrt sin cos log_softmax sigmoid reciprocal detach");
}

/// The form of an argument.
enum Arg {
    Tensor(&'static [usize], &'static [f64]),
    Plain(Value),
}

/// A call and the elements of its result.
struct Row {
    op: &'static str,
    args: Vec<Arg>,
    named: Vec<(&'static str, Value)>,
    shape: &'static [usize],
    want: Vec<f64>,
}

fn check(row: Row) {
    let g = Recorder::default();
    let mut values = HashMap::new();
    let mut to_value = |arg: &Arg| match arg {
        Arg::Plain(value) => value.clone(),
        Arg::Tensor(shape, elements) => {
            let ty = Type::new(DType::F32, *shape);
            let x = g.input("x", Role::Data, ty.clone()).id();
            values.insert(x, Array::from_f64(&ty, elements.iter().copied()));
            Value::Tensor(x)
        }
    };
    let args: Vec<Value> = row.args.iter().map(&mut to_value).collect();
    let entry = find(row.op).unwrap_or_else(|| panic!("there is no op {}", row.op));
    let ids = entry.call(&g, &args, &row.named).unwrap_or_else(|e| panic!("{e}"));
    assert!(!args.contains(&Value::Tensor(ids[0])), "{}: the result is a new tensor", row.op);
    let result = g.read(|graph| eval(graph, &values, &ids)).expect("evaluates").remove(0);
    assert_eq!(result.shape()[..], *row.shape, "{}", row.op);
    let is_near = result.to_f64().iter().zip(&row.want).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(is_near, "{}: {:?}, expected {:?}", row.op, result.to_f64(), row.want);
}

fn row(op: &'static str, args: Vec<Arg>, shape: &'static [usize], want: &[f64]) -> Row {
    Row { op, args, named: Vec::new(), shape, want: want.to_vec() }
}

fn ints(list: &[i64]) -> Value {
    Value::List(list.iter().map(|&i| Value::Int(i)).collect())
}

const X: Arg = Arg::Tensor(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
const Y: Arg = Arg::Tensor(&[2, 3], &[2.0, 2.0, 2.0, -1.0, -1.0, -1.0]);
const TALL: Arg = Arg::Tensor(&[3, 1], &[1.0, 0.0, -1.0]);

/// A number as an argument.
fn number(x: f64) -> Arg {
    Arg::Plain(Value::Float(x))
}

#[test]
fn arithmetic_of_torchic_is_supported() {
    let six: &[usize] = &[2, 3];
    check(row("add", vec![X, Y], six, &[3.0, 4.0, 5.0, 3.0, 4.0, 5.0]));
    check(row("sub", vec![X, Y], six, &[-1.0, 0.0, 1.0, 5.0, 6.0, 7.0]));
    check(row("mul", vec![X, Y], six, &[2.0, 4.0, 6.0, -4.0, -5.0, -6.0]));
    check(row("div", vec![X, Y], six, &[0.5, 1.0, 1.5, -4.0, -5.0, -6.0]));
    check(row("matmul", vec![X, TALL], &[2, 1], &[-2.0, -2.0]));
    check(row("neg", vec![TALL], &[3, 1], &[-1.0, 0.0, 1.0]));
}

#[test]
fn functions_and_reductions_of_torchic_are_supported() {
    check(row("relu", vec![TALL], &[3, 1], &[1.0, 0.0, 0.0]));
    check(row("exp", vec![TALL], &[3, 1], &[E, 1.0, 1.0 / E]));
    check(row("log", vec![X], &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(f64::ln)));
    let (axis, low) = (Arg::Plain(Value::Int(0)), 1.0 / (1.0 + E.powi(3)));
    let columns = [low, low, low, 1.0 - low, 1.0 - low, 1.0 - low];
    check(row("softmax", vec![X, axis], &[2, 3], &columns));
    check(row("sum", vec![X], &[], &[21.0]));
    check(row("sum", vec![X, Arg::Plain(Value::Int(1))], &[2], &[6.0, 15.0]));
    let named = vec![("dim", Value::Int(0)), ("keepDim", Value::Bool(true))];
    check(Row { named, ..row("sum", vec![X], &[1, 3], &[5.0, 7.0, 9.0]) });
    check(row("mean", vec![X], &[], &[3.5]));
}

#[test]
fn views_and_elements_of_torchic_are_supported() {
    let counted: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    check(row("reshape", vec![X, Arg::Plain(ints(&[3, 2]))], &[3, 2], counted));
    check(row("transpose", vec![X], &[3, 2], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    let ranges = || Arg::Plain(Value::List(vec![ints(&[0, 2]), ints(&[1, 3])]));
    check(row("slice", vec![X, ranges()], &[2, 2], &[2.0, 3.0, 5.0, 6.0]));
    check(row("shrink", vec![X, ranges()], &[2, 2], &[2.0, 3.0, 5.0, 6.0]));
    let set = vec![X, Arg::Plain(ints(&[1, 0])), number(9.0)];
    check(row("set", set, &[2, 3], &[1.0, 2.0, 3.0, 9.0, 5.0, 6.0]));
}

#[test]
fn shapes_broadcast() {
    let one = Arg::Tensor(&[1], &[10.0]);
    check(row("add", vec![Arg::Tensor(&[1, 1], &[2.0]), one], &[1, 1], &[12.0]));
    let bias = Arg::Tensor(&[3], &[1.0, 0.0, -1.0]);
    check(row("add", vec![X, bias], &[2, 3], &[2.0, 2.0, 2.0, 5.0, 5.0, 5.0]));
    let bias = Arg::Tensor(&[3], &[1.0, 2.0, 3.0]);
    let want = &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, -1.0, -2.0, -3.0];
    check(row("mul", vec![TALL, bias], &[3, 3], want));
}

#[test]
fn numbers_may_be_either_operand() {
    check(row("mul", vec![TALL, number(2.0)], &[3, 1], &[2.0, 0.0, -2.0]));
    check(row("sub", vec![number(1.0), TALL], &[3, 1], &[0.0, 1.0, 2.0]));
    check(row("div", vec![number(6.0), X], &[2, 3], &[6.0, 3.0, 2.0, 1.5, 1.2, 1.0]));
    check(row("pow", vec![number(2.0), TALL], &[3, 1], &[2.0, 1.0, 0.5]));
}

#[test]
fn tensors_are_created() {
    let size = || Arg::Plain(ints(&[2, 2]));
    check(row("zeros", vec![size()], &[2, 2], &[0.0; 4]));
    check(row("ones", vec![size()], &[2, 2], &[1.0; 4]));
    check(row("full", vec![size(), number(7.0)], &[2, 2], &[7.0; 4]));
    check(row("arange", vec![Arg::Plain(Value::Int(3))], &[3], &[0.0, 1.0, 2.0]));
    check(row("eye", vec![Arg::Plain(Value::Int(2))], &[2, 2], &[1.0, 0.0, 0.0, 1.0]));
}

/// Ops of tensorgrad that correspond to calls of our ops with a fixed argument.
#[test]
fn other_ops_of_tensorgrad_are_calls_with_a_fixed_argument() {
    let last = || ("dim", Value::Int(-1));
    let kept = || vec![last(), ("keepdim", Value::Bool(true))];
    // mean_last, sum_last
    check(Row { named: kept(), ..row("mean", vec![X], &[2, 1], &[2.0, 5.0]) });
    check(Row { named: vec![last()], ..row("sum", vec![X], &[2], &[6.0, 15.0]) });
    // slice_last_range(x, 1, 3)
    let range = [-1, 1, 3].map(|i| Arg::Plain(Value::Int(i)));
    let args = [X].into_iter().chain(range).collect();
    check(row("slice", args, &[2, 2], &[2.0, 3.0, 5.0, 6.0]));
    // nearestUpsample2d(x, 2)
    let image = Arg::Tensor(&[1, 1, 1, 2], &[1.0, 2.0]);
    let named = vec![("scale_factor", Value::Int(2))];
    let want = &[1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0];
    check(Row { named, ..row("upsample_nearest", vec![image], &[1, 1, 2, 4], want) });
    // where_causal, softmax_causal_last: each row attends to one more key
    let scores = || Arg::Tensor(&[2, 2], &[5.0, 7.0, 1.0, 1.0]);
    let args = vec![scores(), number(-9.0)];
    check(row("where_causal", args, &[2, 2], &[5.0, -9.0, 1.0, 1.0]));
    check(row("softmax_causal_last", vec![scores()], &[2, 2], &[1.0, 0.0, 0.5, 0.5]));
    let args = vec![X, Arg::Plain(ints(&[3]))];
    check(row("sum_to_shape", args, &[3], &[5.0, 7.0, 9.0]));
    let stack = || Arg::Tensor(&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
    let columns = Arg::Tensor(&[2, 2, 1], &[1.0, 1.0, 2.0, 0.5]);
    check(row("matmul_batched", vec![stack(), columns], &[2, 1, 1], &[3.0, 8.0]));
}
