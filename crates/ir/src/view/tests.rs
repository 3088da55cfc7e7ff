//! Views compared with tables of all their elements, and their text form.
use proptest::prelude::*;

use super::{Axis, Bound, BoundedLayer, Layer, View};

/// The naive model: the storage element of every element, written out.
struct Table {
    shape: Vec<usize>,
    cells: Vec<Option<usize>>,
}

impl Table {
    fn new(shape: &[usize]) -> Table {
        let len = shape.iter().product();
        Table { shape: shape.to_vec(), cells: (0..len).map(Some).collect() }
    }

    /// A table whose cell `i` copies the cell at index `from(i, a)` of each axis `a`, if any.
    fn gather(&self, shape: &[usize], from: impl Fn(&[usize], usize) -> usize) -> Table {
        let cell = |i: Vec<usize>| {
            let flat = self.shape.iter().enumerate().try_fold(0, |flat, (a, n)| {
                let source = from(&i, a);
                (source < *n).then(|| flat * n + source)
            });
            flat.and_then(|flat| self.cells[flat])
        };
        let cells = indices(shape).into_iter().map(cell).collect();
        Table { shape: shape.to_vec(), cells }
    }
}

/// Every index of `shape` in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |heads, &n| {
        heads.iter().flat_map(|head| (0..n).map(|i| [&head[..], &[i]].concat())).collect()
    })
}

/// Small random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// A length that is rarely 0.
    fn len(&mut self, most: usize) -> usize {
        self.below(16).min(1) * (1 + self.below(most))
    }

    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }

    /// A shape of `len` elements: its prime factors and some ones, on random axes.
    fn shape(&mut self, len: usize) -> Vec<usize> {
        let mut shape = vec![1; self.below(5)];
        let mut rest = len;
        while rest != 1 {
            let factor = (2..=rest).find(|p| rest.is_multiple_of(*p)).unwrap_or(0);
            match self.below(shape.len() + 1) {
                axis if axis < shape.len() => shape[axis] *= factor,
                axis => shape.insert(axis, factor),
            }
            rest = rest.checked_div(factor).unwrap_or(1);
        }
        shape
    }
}

/// A random movement op as text, applied to the view and to the table.
type Made = (String, View, Table);

const MOVES: [fn(&mut Dice, &View, &Table) -> Made; 8] =
    [reshape, permute, expand, slice, pad, flip, window, diagonal];

fn reshape(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let out = dice.shape(table.cells.len());
    let expected = Table { shape: out.clone(), cells: table.cells.clone() };
    (format!("reshape {out:?}"), x.reshape(&out), expected)
}

fn permute(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let order = dice.shuffled(x.rank());
    let out: Vec<usize> = order.iter().map(|&a| table.shape[a]).collect();
    let place = |a| order.iter().position(|&o| o == a).unwrap();
    let expected = table.gather(&out, |i, a| i[place(a)]);
    (format!("permute {order:?}"), x.permute(&order), expected)
}

fn expand(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let mut out: Vec<usize> = (0..dice.below(2)).map(|_| dice.len(4)).collect();
    let lead = out.len();
    out.extend(table.shape.iter().map(|&n| if n == 1 { dice.len(4) } else { n }));
    let from = |i: &[usize], a: usize| if table.shape[a] == 1 { 0 } else { i[lead + a] };
    (format!("expand {out:?}"), x.expand(&out), table.gather(&out, from))
}

fn slice(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let start: Vec<usize> = table.shape.iter().map(|&n| dice.below(n.max(1))).collect();
    let step: Vec<usize> = table.shape.iter().map(|_| 1 + dice.below(3)).collect();
    let most = |a: usize| (table.shape[a] - start[a]).div_ceil(step[a]);
    let len: Vec<usize> = (0..x.rank()).map(|a| most(a).min(dice.len(8))).collect();
    let expected = table.gather(&len, |i, a| start[a] + i[a] * step[a]);
    (format!("slice {start:?} {len:?} {step:?}"), x.slice(&start, &len, &step), expected)
}

fn pad(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let before: Vec<usize> = table.shape.iter().map(|_| dice.below(3)).collect();
    let after: Vec<usize> = table.shape.iter().map(|_| dice.below(3)).collect();
    let out: Vec<usize> = (0..x.rank()).map(|a| before[a] + table.shape[a] + after[a]).collect();
    // Before the axis the index wraps around and is out of range.
    let expected = table.gather(&out, |i, a| i[a].wrapping_sub(before[a]));
    (format!("pad {before:?} {after:?}"), x.pad(&before, &after), expected)
}

fn flip(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let axes: Vec<usize> = (0..x.rank()).filter(|_| dice.below(2) == 0).collect();
    let mirror = |i: usize, a: usize| table.shape[a] - 1 - i;
    let from = |i: &[usize], a| if axes.contains(&a) { mirror(i[a], a) } else { i[a] };
    (format!("flip {axes:?}"), x.flip(&axes), table.gather(&table.shape, from))
}

fn window(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let (shape, rank) = (&table.shape, x.rank());
    let Some(axis) = dice.shuffled(rank).into_iter().find(|&a| shape[a] > 0) else {
        return reshape(dice, x, table);
    };
    let (step, dilation) = (1 + dice.below(3), 1 + dice.below(2));
    let size = 1 + dice.below((shape[axis] - 1) / dilation + 1);
    let mut out = [&shape[..], &[size]].concat();
    out[axis] = (shape[axis] - dilation * (size - 1) - 1) / step + 1;
    let within = |i: &[usize]| i[axis] * step + i[rank] * dilation;
    let expected = table.gather(&out, |i, a| if a == axis { within(i) } else { i[a] });
    let text = format!("window {axis} {size} {step} {dilation}");
    (text, x.window(axis, size, step, dilation), expected)
}

fn diagonal(dice: &mut Dice, x: &View, table: &Table) -> Made {
    let (shape, axes) = (&table.shape, dice.shuffled(x.rank()));
    let &[row, column, ..] = &axes[..] else { return reshape(dice, x, table) };
    let offset = dice.below(5) as isize - 2;
    let (down, right) = ((-offset).max(0) as usize, offset.max(0) as usize);
    let others: Vec<usize> = (0..x.rank()).filter(|a| ![row, column].contains(a)).collect();
    let mut out: Vec<usize> = others.iter().map(|&a| shape[a]).collect();
    let is_on = |&i: &usize| i + down < shape[row] && i + right < shape[column];
    out.push((0..).take_while(is_on).count());
    let from = |i: &[usize], a| match others.iter().position(|&o| o == a) {
        Some(place) => i[place],
        None => i[others.len()] + if a == row { down } else { right },
    };
    let text = format!("diagonal {row} {column} {offset}");
    (text, x.diagonal(row, column, offset), table.gather(&out, from))
}

#[test]
fn layers_with_indices_out_of_range_are_rejected() {
    let layer = |len: usize, stride: isize, lo: usize, hi: usize, offset: isize| Layer {
        axes: [Axis { len, stride, lo, hi }].into_iter().collect(),
        offset,
    };
    let is_view = |layers: &[Layer]| View::from_layers(layers.to_vec()).is_some();
    assert!(!is_view(&[]));
    assert!(is_view(&[layer(4, -1, 0, 4, 3)]));
    assert!(is_view(&[layer(4, 1, 1, 3, -1)]), "padding may precede the first element");
    assert!(!is_view(&[layer(4, -1, 0, 4, 2)]), "before the first element");
    assert!(!is_view(&[layer(4, 1, 0, 5, 0)]), "beyond its own axis");
    assert!(is_view(&[layer(4, 2, 0, 4, 0), layer(7, 1, 0, 7, 0)]));
    assert!(
        !is_view(&[layer(4, 2, 0, 4, 0), layer(6, 1, 0, 6, 0)]),
        "out of range of the layer below"
    );
    assert!(!is_view(&[layer(usize::MAX, 1, 0, 1, 0)]));
    assert!(!is_view(&[layer(4, isize::MIN, 0, 1, 0)]));
    assert!(!is_view(&[layer(4, 1, 0, 4, isize::MAX)]));
    assert_eq!(View::from_layers(vec![layer(4, 3, 0, 4, 5)]).map(|view| view.reach()), Some(15));
}

/// The storage element of an index by a bounded layer.
fn element(of: &BoundedLayer, index: &[usize]) -> Option<usize> {
    let sum = |start: isize, steps: &[isize]| {
        start + steps.iter().zip(index).map(|(step, &i)| step * i as isize).sum::<isize>()
    };
    let holds = |b: &Bound| (b.lo..b.hi).contains(&sum(b.start, &b.steps));
    let is_valid = |(axis, i): (&Axis, &usize)| (axis.lo..axis.hi).contains(i);
    let is_inside = of.layer.axes.iter().zip(index).all(is_valid) && of.bounds.iter().all(holds);
    is_inside.then(|| sum(of.layer.offset, &of.layer.strides()) as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn chains_of_movement_ops_agree_with_the_table(
        start in prop::collection::vec(0..=5usize, 0..=4),
        seeds in prop::collection::vec(any::<u64>(), 0..=8),
    ) {
        let (mut view, mut table) = (View::new(&start), Table::new(&start));
        let mut trail = view.to_string();
        for seed in seeds {
            let mut dice = Dice(seed);
            let make = MOVES[dice.below(MOVES.len())];
            let (text, next, expected) = make(&mut dice, &view, &table);
            if expected.cells.len() > 3000 {
                continue;
            }
            (view, table) = (next, expected);
            trail += &format!("\n{text} -> {view}");
            prop_assert_eq!(&view.shape()[..], &table.shape[..], "{}", trail);
            for (flat, i) in indices(&table.shape).iter().enumerate() {
                let both = (view.index(i), view.index_flat(flat));
                prop_assert_eq!(both, (table.cells[flat], table.cells[flat]), "{}", trail);
                if let Some(bounded) = view.bounded() {
                    prop_assert_eq!(element(&bounded, i), table.cells[flat], "{}", trail);
                }
            }
            let step = 1 + seed as usize % 3;
            let mut flat = 0;
            while flat < table.cells.len() {
                let most = (table.cells.len() - flat).div_ceil(step);
                let stretch = view.stretch(flat, step, most);
                prop_assert!((1..=most).contains(&stretch.len), "{stretch:?} {}", trail);
                for n in 0..stretch.len {
                    let at = stretch.first.map(|first| first as isize + stretch.stride * n as isize);
                    let wanted = table.cells[flat + n * step].map(|cell| cell as isize);
                    prop_assert_eq!(at, wanted, "{:?} {}", stretch, trail);
                }
                flat += stretch.len * step;
            }
            let again = View::from_layers(view.layers().cloned().collect());
            prop_assert_eq!(again.as_ref(), Some(&view), "{}", trail);
            let last = table.cells.iter().flatten().max();
            prop_assert!(last.is_none_or(|&last| last < view.reach()), "{}", trail);
            prop_assert!(view.reach() <= start.iter().product(), "{}", trail);
            let is_identity = table.cells == Table::new(&table.shape).cells;
            prop_assert!(is_identity || !view.is_contiguous(), "{}", trail);
        }
    }
}

/// Compares views with their text, and checks what follows from it.
#[track_caller]
fn check_forms(cases: &[(View, &str)]) {
    for (view, text) in cases {
        assert_eq!(view.to_string(), *text);
        let is_affine = !text.contains("valid") && !text.contains(" of ");
        assert_eq!(view.affine().is_some(), is_affine, "{text}");
        assert_eq!(view.is_contiguous(), *view == View::new(&view.shape()), "{text}");
    }
}

#[test]
fn views_have_the_simplest_form() {
    let x = View::new;
    let turned = |m, n| x(&[m, n]).permute(&[1, 0]);
    let flat = turned(2, 3).reshape(&[6]);
    check_forms(&[
        (x(&[32, 784]), "[32, 784]:(784, 1)+0"),
        (x(&[]), "[]:()+0"),
        (x(&[1, 3]), "[1, 3]:(0, 1)+0"),
        (x(&[3, 0]).permute(&[1, 0]), "[0, 3]:(3, 1)+0"),
        // Permuted axes can be split; merging them needs a second layer.
        (turned(2, 3), "[3, 2]:(1, 3)+0"),
        (turned(2, 3).permute(&[1, 0]), "[2, 3]:(3, 1)+0"),
        (turned(6, 4).reshape(&[4, 2, 3]), "[4, 2, 3]:(1, 12, 4)+0"),
        (turned(6, 4).reshape(&[4, 2, 3]).reshape(&[4, 6]), "[4, 6]:(1, 4)+0"),
        (x(&[2, 1, 3]).reshape(&[6]), "[6]:(1)+0"),
        (flat.clone(), "[6]:(1)+0 of [3, 2]:(1, 3)+0"),
        (flat.reshape(&[3, 1, 2]), "[3, 1, 2]:(1, 0, 3)+0"),
        (flat.slice(&[2], &[2], &[1]), "[2]:(3)+1"),
        (x(&[6]).slice(&[1], &[3], &[2]), "[3]:(2)+1"),
        (x(&[2, 3]).flip(&[1]), "[2, 3]:(3, -1)+2"),
        (x(&[2, 3]).flip(&[0, 1]).reshape(&[6]), "[6]:(-1)+5"),
        (x(&[]).expand(&[4]).reshape(&[2, 2]), "[2, 2]:(0, 0)+0"),
        (x(&[6]).expand(&[4, 6]).reshape(&[2, 2, 6]), "[2, 2, 6]:(0, 0, 1)+0"),
        (x(&[2, 1]).expand(&[2, 3]).reshape(&[6]), "[6]:(1)+0 of [2, 3]:(1, 0)+0"),
        (x(&[2, 8]).window(1, 3, 2, 1), "[2, 3, 3]:(8, 2, 1)+0"),
        (x(&[3, 4]).diagonal(0, 1, 1), "[3]:(5)+1"),
    ]);
}

#[test]
fn padded_views_have_the_simplest_form() {
    let x = View::new;
    let flat = x(&[2, 3]).permute(&[1, 0]).reshape(&[6]);
    let padded = x(&[4]).pad(&[1], &[1]);
    let rows = padded.reshape(&[2, 3]);
    let wide_rows = rows.pad(&[0, 0], &[0, 1]);
    let gaps = x(&[2, 2]).pad(&[0, 1], &[0, 0]).reshape(&[6]);
    let nothing = padded.slice(&[5], &[1], &[1]);
    check_forms(&[
        // Padding follows a reshape when it remains a range on each axis.
        (padded.clone(), "[6]:(1)-1 valid (1..5)"),
        (padded.slice(&[1], &[4], &[1]), "[4]:(1)+0"),
        (x(&[4]).pad(&[2], &[0]).reshape(&[3, 2]), "[3, 2]:(2, 1)-2 valid (1..3, ..)"),
        (x(&[2, 3]).pad(&[1, 0], &[0, 0]).reshape(&[9]), "[9]:(1)-3 valid (3..9)"),
        (x(&[1, 4]).pad(&[1, 0], &[1, 0]).reshape(&[12]), "[12]:(1)-4 valid (4..8)"),
        (rows.clone(), "[2, 3]:(3, 1)+0 of [6]:(1)-1 valid (1..5)"),
        (rows.reshape(&[6]), "[6]:(1)-1 valid (1..5)"),
        (wide_rows.slice(&[0, 0], &[1, 4], &[1, 1]), "[1, 4]:(0, 1)-1 valid (.., 1..3)"),
        (flat.pad(&[1], &[0]).slice(&[0], &[3], &[1]), "[3]:(3)-3 valid (1..3)"),
        (gaps.slice(&[0], &[2], &[3]), "[2]:(0)+0 valid (0..0)"),
        (padded.window(0, 3, 1, 1), "[4, 3]:(1, 1)+0 of [6]:(1)-1 valid (1..5)"),
        (padded.window(0, 1, 2, 1), "[3, 1]:(2, 0)-1 valid (1..3, ..)"),
        (nothing.clone(), "[1]:(0)+0 valid (0..0)"),
        (nothing.reshape(&[]), "[]:()+0 of [1]:(0)+0 valid (0..0)"),
        (x(&[0]).pad(&[1], &[0]), "[1]:(0)+0 valid (0..0)"),
    ]);
}

#[test]
fn windows_over_padding_have_a_bounded_layer() {
    let padded = View::new(&[5, 8, 8]).pad(&[0, 1, 1], &[0, 1, 1]);
    let windows = padded.window(1, 3, 2, 1).window(2, 3, 2, 1);
    assert!(windows.to_string().contains(" of "), "{windows}");
    let bounded = windows.bounded().expect("nothing carries");
    assert_eq!(bounded.bounds.len(), 2, "one for each axis with padding");
    assert!(View::new(&[2, 3]).permute(&[1, 0]).reshape(&[6]).bounded().is_none());
}
