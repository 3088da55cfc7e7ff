//! Where values of 16 bits are rounded inside of a kernel. Devices may compute pointwise work in f32, which
//! is quicker and closer; but what is compared, counted or sorted has to be what its dtype can hold, or a
//! value that is computed again differs from its copy that was stored.
use crate::schedule::{is_library, is_movement};
use brasa_ir::ops::{Map, Op, Reduce, ReduceOp, Scalar};
use brasa_ir::{DType, Graph, Node};

/// The nodes whose values are rounded to their dtype wherever they are computed: all that a decision
/// depends on. One kernel may compute a value from stored operands and another from operands that it
/// computes again: the two agree only if these were rounded too.
pub(crate) fn rounded(g: &Graph) -> Vec<bool> {
    let mut decides = vec![false; g.len()];
    let zeros = zeros(g);
    for (id, node) in g.nodes().rev() {
        if is_decision(node, &zeros) || decides[id.index()] {
            node.inputs.iter().for_each(|input| decides[input.index()] = true);
        }
    }
    let is_rounded = |node: &Node| is_narrow(node.ty.dtype) && is_computed(&node.op);
    g.nodes().map(|(id, node)| decides[id.index()] && is_rounded(node)).collect()
}

/// Whether the result is made of operands by arithmetic, which a device may do in f32.
fn is_computed(op: &Op) -> bool {
    match op {
        Op::Map(_) | Op::Reduce(_) => !is_exact(op),
        op => is_library(op),
    }
}

fn is_narrow(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Whether a result may jump where an operand changes by little. Rounding does not change signs: what is
/// compared with zero alone, as gradients of relu are, keeps its speed.
fn is_decision(node: &Node, zeros: &[bool]) -> bool {
    use Scalar::*;
    match &node.op {
        Op::Map(Map(Floor | Ceil | Round | Trunc | FloorDivide | Remainder | Fmod)) => true,
        Op::Map(_) => !node.ty.dtype.is_float() && !node.inputs.iter().any(|x| zeros[x.index()]),
        Op::Cast(_) => !node.ty.dtype.is_float(),
        Op::ArgReduce(_) | Op::Sort(_) | Op::Scan(_) | Op::Custom(_) => true,
        _ => false,
    }
}

/// The nodes that are zero everywhere, as far as constants and movement of these show it.
fn zeros(g: &Graph) -> Vec<bool> {
    let mut zeros = vec![false; g.len()];
    for (id, node) in g.nodes() {
        zeros[id.index()] = match &node.op {
            Op::Const(c) => c.value.as_f64() == 0.0,
            op => is_movement(op) && zeros[node.inputs[0].index()],
        };
    }
    zeros
}

/// Whether the result is one of the operands' elements, or as narrow as these.
fn is_exact(op: &Op) -> bool {
    use Scalar::*;
    match op {
        Op::Map(Map(row)) => {
            matches!(row, Neg | Abs | Relu | Maximum | Minimum | Select | Copysign)
        }
        Op::Reduce(Reduce { by, .. }) => *by != ReduceOp::Sum,
        op => is_movement(op) || matches!(op, Op::Cast(_) | Op::Detach(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::text;

    /// Whether each node of a text is rounded.
    fn of(source: &str) -> Vec<bool> {
        rounded(&text::parse(source).expect("parses").graph)
    }

    #[test]
    fn only_what_decides_is_rounded() {
        let sum = "%x = input bf16[2]\n%y = add (exp %x) %x\nreturn %y";
        assert_eq!(of(sum), [false; 3]);
        let compared = "%x = input bf16[2]\n%y = gt (exp %x) %x\nreturn %y";
        assert_eq!(of(compared), [false, true, false]);
        let wide = "%x = input f32[2]\n%y = gt (exp %x) %x\nreturn %y";
        assert_eq!(of(wide), [false; 3]);
    }
}
