//! Contractions over named axes: `einsum`, and its special cases `tensordot` and `inner`.
use super::linalg::expect_one_dtype;
use super::prelude::*;
use std::collections::BTreeMap;
use std::iter::zip;

/// The name of an axis: the code of a letter, or `DOTS + n` for the `n`-th axis from the right of
/// an ellipsis.
type Label = u32;
const DOTS: Label = 1 << 24;

/// A tensor whose axes have names.
#[derive(Clone)]
struct Term<'g> {
    x: Expr<'g>,
    labels: Vec<Label>,
}

/// Sums of products over named axes, such as `'bij,bjk->bik'`. Axes that are not in the output are
/// summed over; a name that occurs twice in one operand takes its diagonal; `...` are axes that
/// broadcast. Without `->` the output is the ellipsis followed by the names that occur once, in
/// alphabetical order: `'ii'` is a trace. Operands are contracted from left to right.
#[op(
    case = "'ij,jk->ik', [f32[2, 3], f32[3, 4]]",
    case = "'bij,bkj->bik', [f32[2, 2, 3], f32[2, 4, 3]]",
    case = "'ii->i', [f32[3, 3]]",
    case = "'ii', [f32[3, 3]]",
    case = "'...i,...i', [f32[2, 3], f32[3]]"
)]
pub fn einsum(g: &Recorder, equation: String, operands: Vec<Expr>) -> Result<Expr> {
    let wrong = |what: String| Error::argument("einsum", format!("'{equation}': {what}"));
    let plain: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match plain.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&plain[..], None),
    };
    let names: Vec<&str> = inputs.split(',').collect();
    if names.len() != operands.len() {
        let (n, given) = (names.len(), operands.len());
        return Err(wrong(format!("has terms for {n} operands, got {given}")));
    }
    let (mut terms, mut written) = (Vec::new(), Vec::new());
    for (names, &x) in zip(names, &operands) {
        expect_one_dtype("einsum", ("a", operands[0]), ("b", x))?;
        let labels = subscripts(names, Some(x.rank())).map_err(wrong)?;
        written.extend(labels.clone());
        terms.push(diagonals(Term { x, labels })?);
    }
    let output = match output {
        Some(names) => explicit(names, &terms).map_err(wrong)?,
        None => implicit(&written, &terms),
    };
    contract(terms, &output)
}

/// Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
/// axes in two lists.
#[op(
    case = "f32[2, 3, 4], f32[3, 4, 2], 2",
    case = "f32[2, 3], f32[3, 2], [[0, 1], [1, 0]]",
    case = "f32[2], f32[3], 0"
)]
pub fn tensordot(
    g: &Recorder,
    a: Expr,
    b: Expr,
    #[default(vec![vec![2]])] dims: Vec<Vec<i64>>,
) -> Result<Expr> {
    let fail = |what: String| Error::argument("tensordot", what).operands(&[&a.ty(), &b.ty()]);
    let (of_a, of_b) = match &dims[..] {
        [n] if n.len() == 1 => {
            let n = n[0];
            if n < 0 || n as usize > a.rank().min(b.rank()) {
                let most = a.rank().min(b.rank());
                return Err(fail(format!("cannot contract {n} axes, expected 0 to {most}")));
            }
            ((a.rank() as i64 - n..a.rank() as i64).collect(), (0..n).collect())
        }
        [of_a, of_b] if of_a.len() == of_b.len() => (of_a.clone(), of_b.clone()),
        _ => return Err(fail("dims must be a number or two lists of one length".to_string())),
    };
    let axes_of = |x: Expr, dims: Vec<i64>| {
        let dims: Vec<isize> = dims.iter().map(|&dim| dim as isize).collect();
        match dims.is_empty() {
            true => Ok(Vec::new()),
            // `axes` sorts, and rejects axes out of range or given twice.
            false => {
                x.axes(&Some(dims.clone())).and_then(|_| dims.iter().map(|&d| x.axis(d)).collect())
            }
        }
    };
    let (of_a, of_b): (Vec<usize>, Vec<usize>) = (axes_of(a, of_a)?, axes_of(b, of_b)?);
    contract_axes("tensordot", a, b, &of_a, &of_b)
}

/// Sums of products over the last axis of both; with a scalar, its product with the other.
#[op(case = "f32[2, 3], f32[4, 3]", case = "f32[3], f32[3]")]
pub fn inner(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    if input.rank() == 0 || other.rank() == 0 {
        return elementwise(g, Scalar::Mul, &[input.into(), other.into()]);
    }
    let (a, b) = (input.rank() - 1, other.rank() - 1);
    if input.len(a) != other.len(b) {
        let what = format!("the last axes differ: {} and {}", input.len(a), other.len(b));
        let error = Error::shape("inner", what);
        return Err(error.operand("input", &input.ty()).operand("other", &other.ty()));
    }
    contract_axes("inner", input, other, &[a], &[b])
}

/// Contracts pairs of axes; the result has the other axes of `a`, then those of `b`.
fn contract_axes<'g>(
    call: &str,
    a: Expr<'g>,
    b: Expr<'g>,
    of_a: &[usize],
    of_b: &[usize],
) -> Result<Expr<'g>> {
    expect_one_dtype(call, ("a", a), ("b", b))?;
    for (&i, &j) in zip(of_a, of_b) {
        let (Some(&left), Some(&right)) = (a.shape().get(i), b.shape().get(j)) else {
            let error = Error::shape(call, "a scalar has no axes to contract");
            return Err(error.operands(&[&a.ty(), &b.ty()]));
        };
        if left != right && left != 1 && right != 1 {
            let what = format!("axis {i} of a is {left} but axis {j} of b is {right}");
            return Err(Error::shape(call, what).operands(&[&a.ty(), &b.ty()]));
        }
    }
    let left: Vec<Label> = (0..a.rank() as Label).collect();
    let mut right: Vec<Label> = (0..b.rank() as Label).map(|axis| DOTS + axis).collect();
    for (&i, &j) in zip(of_a, of_b) {
        right[j] = left[i];
    }
    let is_shared = |label: &Label| left.contains(label) && right.contains(label);
    let output: Vec<Label> =
        left.iter().chain(&right).copied().filter(|label| !is_shared(label)).collect();
    contract(vec![Term { x: a, labels: left }, Term { x: b, labels: right }], &output)
}

/// Reads one term. `rank` is the operand's number of axes; `None` for the output, where an
/// ellipsis is left as the single label `DOTS`.
fn subscripts(names: &str, rank: Option<usize>) -> std::result::Result<Vec<Label>, String> {
    let parts: Vec<&str> = names.split("...").collect();
    if parts.len() > 2 {
        return Err(format!("'{names}' has more than one ellipsis"));
    }
    if let Some(odd) = parts.iter().flat_map(|part| part.chars()).find(|c| !c.is_ascii_alphabetic())
    {
        return Err(format!("'{odd}' is not an axis name, expected letters"));
    }
    let letters = |part: &str| part.chars().map(|c| c as Label).collect::<Vec<_>>();
    let named: usize = parts.iter().map(|part| part.len()).sum();
    let dots = match (parts.len(), rank) {
        (1, Some(rank)) if named != rank => {
            return Err(format!("'{names}' names {named} axes of an operand that has {rank}"));
        }
        (2, Some(rank)) => rank
            .checked_sub(named)
            .ok_or_else(|| format!("'{names}' names {named} axes of an operand that has {rank}"))?,
        (parts, _) => parts - 1,
    };
    let dots: Vec<Label> = (0..dots as Label).rev().map(|n| DOTS + n).collect();
    let tail = parts.get(1).map_or(Vec::new(), |part| letters(part));
    Ok([letters(parts[0]), dots, tail].concat())
}

/// The output's labels as written.
fn explicit(names: &str, terms: &[Term]) -> std::result::Result<Vec<Label>, String> {
    let mut output = Vec::new();
    for label in subscripts(names, None)? {
        let name = char::from_u32(label).unwrap_or('.');
        if label == DOTS {
            output.extend(ellipsis(terms));
        } else if output.contains(&label) {
            return Err(format!("'{name}' appears twice in the output"));
        } else if !terms.iter().any(|term| term.labels.contains(&label)) {
            return Err(format!("'{name}' is in the output but in no operand"));
        } else {
            output.push(label);
        }
    }
    Ok(output)
}

/// The labels of an implicit output: names that occur once in all operands together.
fn implicit(written: &[Label], terms: &[Term]) -> Vec<Label> {
    let mut count: BTreeMap<Label, usize> = BTreeMap::new();
    for label in written.iter().filter(|&&label| label < DOTS) {
        *count.entry(*label).or_default() += 1;
    }
    let once = count.into_iter().filter(|&(_, n)| n == 1).map(|(label, _)| label);
    ellipsis(terms).into_iter().chain(once).collect()
}

/// The labels of the axes of the ellipses of all terms, from left to right.
fn ellipsis(terms: &[Term]) -> Vec<Label> {
    let labels = terms.iter().flat_map(|term| &term.labels);
    let most = labels.filter(|&&label| label >= DOTS).max();
    most.map_or(Vec::new(), |&most| (DOTS..=most).rev().collect())
}

/// Replaces axes of the same name by their diagonal.
fn diagonals(mut term: Term) -> Result<Term> {
    loop {
        let labels = &term.labels;
        let first = |axis: usize| labels[..axis].iter().position(|&l| l == labels[axis]);
        let pair = (0..labels.len()).find_map(|axis| Some((first(axis)?, axis)));
        let Some((i, j)) = pair else { return Ok(term) };
        let (len, other) = (term.x.len(i), term.x.len(j));
        if len != other {
            let name = char::from_u32(labels[i]).unwrap_or('.');
            let what = format!("'{name}' names axes of {len} and {other} in one operand");
            return Err(Error::shape("einsum", what).operand("operand", &term.x.ty()));
        }
        let last = term.x.rank() - 1;
        let rest = term.x.shape().without(&[i, j]);
        let flat = term.x.move_axis(j, last).move_axis(i, last);
        let flat = flat.reshape(&[&rest[..], &[len * len]].concat());
        term.x = flat.stride(last - 1, 0, len, len + 1);
        let label = term.labels.remove(j);
        term.labels.remove(i);
        term.labels.push(label);
    }
}

/// Contracts terms of distinct labels from left to right; axes of length one broadcast.
fn contract<'g>(terms: Vec<Term<'g>>, output: &[Label]) -> Result<Expr<'g>> {
    let mut lens: BTreeMap<Label, usize> = BTreeMap::new();
    for term in &terms {
        for (&label, &len) in zip(&term.labels, &term.x.shape()[..]) {
            let so_far = lens.entry(label).or_insert(len);
            if *so_far != len && *so_far != 1 && len != 1 {
                return Err(clash(label, *so_far, len, &terms));
            }
            *so_far = if *so_far == 1 { len } else { *so_far };
        }
    }
    // An axis of length one that broadcasts is dropped.
    let is_real = |label: &Label, len: usize| len != 1 || lens[label] == 1;
    let mut terms = terms.into_iter().map(|term| term.keeping(is_real)).collect::<Vec<_>>();
    let mut left = terms.remove(0);
    while !terms.is_empty() {
        let right = terms.remove(0);
        let is_wanted = |label: &Label| {
            output.contains(label) || terms.iter().any(|term| term.labels.contains(label))
        };
        left = left.times(right, is_wanted);
    }
    Ok(left.summed(|label| output.contains(label)).arranged(output))
}

fn clash(label: Label, a: usize, b: usize, terms: &[Term]) -> Error {
    let name = char::from_u32(label).filter(char::is_ascii_alphabetic);
    let name = name.map_or("an axis of the ellipsis".to_string(), |name| format!("'{name}'"));
    let error = Error::shape("einsum", format!("{name} is {a} in one operand and {b} in another"));
    let types: Vec<Type> = terms.iter().map(|term| term.x.ty()).collect();
    error.operands(&types.iter().collect::<Vec<_>>())
}

impl<'g> Term<'g> {
    /// Drops the axes of length one that are not kept.
    fn keeping(self, is_kept: impl Fn(&Label, usize) -> bool) -> Term<'g> {
        let shape = self.x.shape();
        let kept = zip(&self.labels, &shape[..]).filter(|&(label, &len)| is_kept(label, len));
        let (labels, lens): (Vec<Label>, Vec<usize>) = kept.unzip();
        Term { x: self.x.reshape(&lens), labels }
    }

    /// Sums over the axes that are not kept.
    fn summed(self, is_kept: impl Fn(&Label) -> bool) -> Term<'g> {
        let axes: Vec<usize> =
            (0..self.labels.len()).filter(|&axis| !is_kept(&self.labels[axis])).collect();
        let labels = self.labels.iter().copied().filter(|label| is_kept(label)).collect();
        Term { x: self.x.sum(&axes), labels }
    }

    /// The tensor with its axes in this order.
    fn arranged(&self, order: &[Label]) -> Expr<'g> {
        let at = |label| self.labels.iter().position(|l| l == label);
        self.x.permute(&order.iter().filter_map(at).collect::<Vec<_>>())
    }

    /// The product with another term, summed over the shared axes that are not wanted.
    fn times(self, other: Term<'g>, is_wanted: impl Fn(&Label) -> bool) -> Term<'g> {
        let a = self.clone().summed(|l| is_wanted(l) || other.labels.contains(l));
        let b = other.summed(|l| is_wanted(l) || self.labels.contains(l));
        let is_shared = |l: &Label| a.labels.contains(l) && b.labels.contains(l);
        let part = |of: &Term, keep: &dyn Fn(&Label) -> bool| {
            of.labels.iter().copied().filter(|label| keep(label)).collect::<Vec<Label>>()
        };
        let batch = part(&a, &|l| is_shared(l) && is_wanted(l));
        let gone = part(&a, &|l| is_shared(l) && !is_wanted(l));
        let (own_a, own_b) = (part(&a, &|l| !is_shared(l)), part(&b, &|l| !is_shared(l)));

        let left = a.arranged(&[&batch[..], &own_a, &gone].concat());
        let right = b.arranged(&[&batch[..], &gone, &own_b].concat());
        let (ls, rs) = (left.shape(), right.shape());
        let (nb, na, ng) = (batch.len(), own_a.len(), gone.len());
        let (batch_lens, a_lens, b_lens) = (&ls[..nb], &ls[nb..nb + na], &rs[nb + ng..]);
        let x = if gone.is_empty() {
            let left = left.reshape(&[&ls[..], &vec![1; own_b.len()]].concat());
            left * right.reshape(&[batch_lens, &vec![1; na], b_lens].concat())
        } else {
            let size = |lens: &[usize]| lens.iter().product::<usize>();
            let (m, k, n) = (size(a_lens), size(&ls[nb + na..]), size(b_lens));
            let left = left.reshape(&[batch_lens, &[m, k]].concat());
            let y = left.contract(right.reshape(&[batch_lens, &[k, n]].concat()));
            y.reshape(&[batch_lens, a_lens, b_lens].concat())
        };
        Term { x, labels: [batch, own_a, own_b].concat() }
    }
}

entries![einsum, tensordot, inner];
