//! Splits axes so that kernels need no division in index arithmetic: with its domain split at these
//! points, a kernel reads each operand with one constant stride per axis.
use brasa_ir::ops::{Op, Window};
use brasa_ir::{Graph, Id};

/// The lengths of the parts that an axis is split into, outermost first.
type Parts = Vec<usize>;

/// The shape of `base` seen through `moves`, split so that each axis has one stride in the storage
/// of `base`. Parts of an axis follow the axis through each movement op.
pub(crate) fn split_axes(g: &Graph, base: Id, moves: &[Id]) -> Vec<usize> {
    let mut shape = &g[base].ty.shape;
    let mut axes = whole(shape);
    for &id in moves {
        // An inlined op between may have another shape than its input, such as random bits and a
        // seed.
        if g[g[id].inputs[0]].ty.shape != *shape {
            return Vec::new();
        }
        shape = &g[id].ty.shape;
        axes = moved(axes, &g[id].op, shape);
    }
    axes.concat()
}

/// One part per axis.
fn whole(shape: &[usize]) -> Vec<Parts> {
    shape.iter().map(|&len| vec![len]).collect()
}

/// The parts after a movement op whose result has `shape`.
fn moved(axes: Vec<Parts>, op: &Op, shape: &[usize]) -> Vec<Parts> {
    match op {
        Op::Reshape(_) => split(axes.concat(), shape).unwrap_or_else(|| whole(shape)),
        Op::Permute(op) => op.axes.iter().map(|&axis| axes[axis].clone()).collect(),
        Op::Expand(_) => expanded(&axes, shape),
        Op::Pad(op) => {
            let all = axes.iter().zip(&op.before).zip(shape);
            all.map(|((parts, &before), &len)| shifted(parts, before, len)).collect()
        }
        Op::Slice(op) if op.step.iter().all(|&step| step == 1) => {
            let all = axes.iter().zip(&op.start).zip(shape);
            all.map(|((parts, &start), &len)| shifted(parts, start, len)).collect()
        }
        Op::Slice(_) => whole(shape),
        Op::Window(op) => windows(axes, op, shape[op.axis]),
        _ => axes,
    }
}

/// An expanded axis is one part; others keep their parts.
fn expanded(axes: &[Parts], shape: &[usize]) -> Vec<Parts> {
    let new = shape.len() - axes.len();
    let old = |n: usize| n.checked_sub(new).map(|n| &axes[n]);
    let own = |n: usize| old(n).filter(|parts| parts.iter().product::<usize>() == shape[n]);
    (0..shape.len()).map(|n| own(n).cloned().unwrap_or(vec![shape[n]])).collect()
}

/// Adjacent windows without overlap split their axis; other windows are one part.
fn windows(mut axes: Vec<Parts>, op: &Window, count: usize) -> Vec<Parts> {
    let is_apart = op.step == op.size && op.dilation == 1;
    let both = is_apart.then(|| split(axes[op.axis].clone(), &[count, op.size])).flatten();
    let mut both = both.unwrap_or_else(|| whole(&[count, op.size]));
    axes.extend(both.pop());
    axes[op.axis] = both.concat();
    axes
}

/// The parts of an axis after padding or slicing by `start` elements to `len`: the inner parts that
/// the shift leaves aligned, and the rest as one part.
fn shifted(parts: &[usize], start: usize, len: usize) -> Parts {
    let (mut inner, mut own) = (1, Vec::new());
    for part in parts.iter().rev() {
        let wider = inner * part;
        if wider == 0 || !start.is_multiple_of(wider) || !len.is_multiple_of(wider) {
            break;
        }
        inner = wider;
        own.push(*part);
    }
    own.push(len / inner);
    own.reverse();
    own
}

/// Distributes `parts` over the axes of `shape`. `None` if a part would be divided unevenly.
fn split(mut parts: Vec<usize>, shape: &[usize]) -> Option<Vec<Vec<usize>>> {
    let mut axes = Vec::new();
    if shape.contains(&0) {
        return None;
    }
    for &len in shape.iter().rev() {
        let (mut own, mut left) = (Vec::new(), len);
        while left > 1 {
            let part = parts.pop()?;
            let taken = if left % part.max(1) == 0 { part } else { left };
            if taken == 0 || part % taken != 0 {
                return None;
            }
            if taken < part {
                parts.push(part / taken);
            }
            own.push(taken);
            left /= taken;
        }
        own.reverse();
        axes.push(own);
    }
    axes.reverse();
    Some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_split_where_all_parts_end() {
        assert_eq!(split(vec![28, 2, 28], &[4, 14, 28]), Some(vec![vec![4], vec![7, 2], vec![28]]));
        assert_eq!(split(vec![4, 16], &[64]), Some(vec![vec![4, 16]]));
        assert_eq!(split(vec![3, 1], &[3]), Some(vec![vec![3, 1]]));
        assert_eq!(split(vec![2, 3], &[3, 2]), None);
        assert_eq!(split(vec![0, 3], &[3, 0]), None);
    }

    #[test]
    fn shifts_by_whole_parts_keep_the_parts() {
        assert_eq!(shifted(&[4, 16], 128, 192), [3, 4, 16]);
        assert_eq!(shifted(&[4, 16], 16, 80), [5, 16]);
        assert_eq!(shifted(&[4, 16], 1, 66), [66]);
        assert_eq!(shifted(&[4, 16], 0, 64), [1, 4, 16]);
    }
}
