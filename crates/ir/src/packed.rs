//! The op table in the form a page downloads: one text of all names, and an array of functions to
//! call. The entries are built on first use, with only the fields that a call needs. Pointers
//! compress badly: this saves 5 of the recorder's 272 kB after gzip (2026-11-17).
use crate::ops::compose::CATEGORIES;
use crate::table::{Call, OpEntry, Param, Returns};
use crate::value::Spec;

/// One line per op: its name and its parameters, with a prefix for those that are tensors or lists.
static TEXT: [u8; table_text::<0>().len] = table_text().bytes;
static CALLS: [Call; count()] = calls();

const TENSOR: u8 = b'@';
const LIST: u8 = b'*';

/// The composite ops of all categories.
pub(crate) fn composites() -> Vec<OpEntry> {
    let text = std::str::from_utf8(&TEXT).expect("names are texts");
    text.lines().zip(&CALLS).map(|(line, &call)| entry(line, call)).collect()
}

fn entry(line: &'static str, call: Call) -> OpEntry {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default();
    let params: Vec<Param> = words.map(param).collect();
    OpEntry {
        name,
        category: "",
        doc: "",
        aliases: &[],
        params: params.leak(),
        returns: Returns::Varied,
        cases: &[],
        call,
    }
}

fn param(word: &'static str) -> Param {
    // `Spec::Index` stands for every type that is neither a tensor nor a list.
    let (name, spec) = match word.as_bytes()[0] {
        TENSOR => (&word[1..], Spec::Tensor),
        LIST => (&word[1..], Spec::List(&Spec::Index)),
        _ => (word, Spec::Index),
    };
    Param { name, ty: "", spec, default: None }
}

/// A text built at compile time. Bytes beyond `N` are counted but not stored, so `N = 0` measures.
struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    const fn push(&mut self, byte: u8) {
        if self.len < N {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
    }

    const fn name(&mut self, name: &str) {
        let mut rest = name.as_bytes();
        while let [byte, after @ ..] = rest {
            self.push(*byte);
            rest = after;
        }
    }

    const fn op(&mut self, op: &OpEntry) {
        self.name(op.name);
        let mut params = op.params;
        while let [param, after @ ..] = params {
            self.push(b' ');
            match param.spec {
                Spec::List(_) => self.push(LIST),
                spec if spec.takes_tensor() => self.push(TENSOR),
                _ => {}
            }
            self.name(param.name);
            params = after;
        }
        self.push(b'\n');
    }
}

const fn table_text<const N: usize>() -> Text<N> {
    let mut text = Text { bytes: [0; N], len: 0 };
    let mut n = 0;
    while n < count() {
        text.op(nth(n));
        n += 1;
    }
    text
}

const fn calls() -> [Call; count()] {
    let mut calls = [nth(0).call; count()];
    let mut n = 0;
    while n < count() {
        calls[n] = nth(n).call;
        n += 1;
    }
    calls
}

const fn count() -> usize {
    let (mut categories, mut count) = (CATEGORIES, 0);
    while let [category, after @ ..] = categories {
        count += category.len();
        categories = after;
    }
    count
}

/// Op `n` in the order of the categories.
const fn nth(mut n: usize) -> &'static OpEntry {
    let mut categories = CATEGORIES;
    while let [category, after @ ..] = categories {
        if n < category.len() {
            return &category[n];
        }
        n -= category.len();
        categories = after;
    }
    panic!("op number out of range")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::dtype::DType;
    use crate::recorder::Recorder;
    use crate::text;

    fn is_list(param: &Param) -> bool {
        matches!(param.spec, Spec::List(_))
    }

    #[test]
    fn packed_entries_describe_the_same_parameters() {
        let ops = CATEGORIES.concat();
        assert_eq!(composites().len(), ops.len());
        for (packed, op) in composites().iter().zip(&ops) {
            assert_eq!(packed.name, op.name);
            assert_eq!(packed.params.len(), op.params.len(), "{}", op.name);
            for (kept, param) in packed.params.iter().zip(op.params) {
                assert_eq!(kept.name, param.name, "{}", op.name);
                let is = |p: &Param| (p.spec.takes_tensor(), is_list(p));
                assert_eq!(is(kept), is(param), "{} of {}", param.name, op.name);
            }
        }
    }

    #[test]
    fn packed_entries_record_the_same_graphs() {
        let recorded = |entry, text| {
            let g = Recorder::default();
            let outputs = Case { entry, text }.record(&g, DType::F32).map(|case| case.outputs);
            let text = outputs.map(|outputs| text::print(&g.into_graph(), &outputs));
            text.map_err(|error| error.to_string())
        };
        for (packed, op) in composites().leak().iter().zip(CATEGORIES.concat().leak()) {
            for case in op.cases {
                assert_eq!(recorded(packed, case), recorded(op, case), "{}({case})", op.name);
            }
        }
    }
}
