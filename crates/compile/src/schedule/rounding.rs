//! Decides where 16-bit floats are rounded inside a kernel. Devices may compute pointwise ops in
//! f32, which is faster and more accurate. But values that are compared, counted or sorted must be
//! rounded to their dtype; otherwise a recomputed value differs from its stored copy.
use brasa_ir::ops::{Map, Op, Reduce, ReduceOp, Scalar};
use brasa_ir::{DType, Graph, Node};

/// The nodes whose values are rounded to their dtype wherever they are computed: all nodes that a
/// discontinuous op depends on. One kernel may compute a value from stored operands, another from
/// recomputed operands: the results agree only if these were rounded too.
pub(crate) fn rounded(g: &Graph) -> Vec<bool> {
    let mut is_needed = vec![false; g.len()];
    let zeros = zeros(g);
    for (id, node) in g.nodes().rev() {
        if is_discontinuous(node, &zeros) || is_needed[id.index()] {
            node.inputs.iter().for_each(|input| is_needed[input.index()] = true);
        }
    }
    let is_rounded = |node: &Node| is_narrow(node.ty.dtype) && is_computed(&node.op);
    g.nodes().map(|(id, node)| is_needed[id.index()] && is_rounded(node)).collect()
}

/// Whether the op does arithmetic, which a device may do in f32.
fn is_computed(op: &Op) -> bool {
    match op {
        Op::Map(_) | Op::Reduce(_) => !is_exact(op),
        op => op.is_library(),
    }
}

fn is_narrow(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Whether an op is discontinuous. Rounding does not change signs, so comparisons with zero, such
/// as in gradients of relu, need no rounding and stay fast.
fn is_discontinuous(node: &Node, zeros: &[bool]) -> bool {
    use Scalar::*;
    match &node.op {
        Op::Map(Map(Floor | Ceil | Round | Trunc | FloorDivide | Remainder | Fmod)) => true,
        Op::Map(_) => !node.ty.dtype.is_float() && !node.inputs.iter().any(|x| zeros[x.index()]),
        Op::Cast(_) => !node.ty.dtype.is_float(),
        Op::ArgReduce(_) | Op::Sort(_) | Op::Scan(_) | Op::Custom(_) => true,
        _ => false,
    }
}

/// The nodes that are zero constants, or movement ops of these.
fn zeros(g: &Graph) -> Vec<bool> {
    let mut zeros = vec![false; g.len()];
    for (id, node) in g.nodes() {
        zeros[id.index()] = match &node.op {
            Op::Const(c) => c.value.as_f64() == 0.0,
            op => op.is_movement() && zeros[node.inputs[0].index()],
        };
    }
    zeros
}

/// Whether each result is exactly representable in the operands' dtype.
fn is_exact(op: &Op) -> bool {
    use Scalar::*;
    match op {
        Op::Map(Map(function)) => {
            matches!(function, Neg | Abs | Relu | Maximum | Minimum | Select | Copysign)
        }
        Op::Reduce(Reduce { by, .. }) => *by != ReduceOp::Sum,
        op => op.is_movement() || matches!(op, Op::Cast(_) | Op::Detach(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::text;

    /// Whether each node of a graph in text form is rounded.
    fn of(source: &str) -> Vec<bool> {
        rounded(&text::parse(source).expect("parses").graph)
    }

    #[test]
    fn only_inputs_of_discontinuous_ops_are_rounded() {
        let sum = "%x = input bf16[2]\n%y = add (exp %x) %x\nreturn %y";
        assert_eq!(of(sum), [false; 3]);
        let compared = "%x = input bf16[2]\n%y = gt (exp %x) %x\nreturn %y";
        assert_eq!(of(compared), [false, true, false]);
        let wide = "%x = input f32[2]\n%y = gt (exp %x) %x\nreturn %y";
        assert_eq!(of(wide), [false; 3]);
    }
}
