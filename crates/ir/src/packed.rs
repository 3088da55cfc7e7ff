//! The op table as a page keeps it: one text of all names, and the functions to call. Its rows are made
//! when it is first used, with as much of each parameter as a call has to know. Pointers compress badly:
//! of the recorder's 272 kB after gzip, 267 are left (2026-11-17).
use crate::ops::compose::ROOMS;
use crate::table::{Call, OpEntry, Param, Returns};
use crate::value::Spec;

/// A line for each op: its name and its parameters, with a mark before those that are tensors or lists.
static TEXT: [u8; written::<0>().len] = written().bytes;
static CALLS: [Call; count()] = calls();

const TENSOR: u8 = b'@';
const LIST: u8 = b'*';

/// The ops of all rooms.
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
        room: "",
        doc: "",
        aliases: &[],
        params: params.leak(),
        returns: Returns::Varied,
        cases: &[],
        call,
    }
}

fn param(word: &'static str) -> Param {
    // What is neither a tensor nor a list may be anything.
    let (name, spec) = match word.as_bytes()[0] {
        TENSOR => (&word[1..], Spec::Tensor),
        LIST => (&word[1..], Spec::List(&Spec::Index)),
        _ => (word, Spec::Index),
    };
    Param { name, ty: "", spec, default: None }
}

/// A text under construction, at compile time. One without room for it counts its bytes.
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

const fn written<const N: usize>() -> Text<N> {
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
    let (mut rooms, mut count) = (ROOMS, 0);
    while let [room, after @ ..] = rooms {
        count += room.len();
        rooms = after;
    }
    count
}

/// Op `n`, of all rooms.
const fn nth(mut n: usize) -> &'static OpEntry {
    let mut rooms = ROOMS;
    while let [room, after @ ..] = rooms {
        if n < room.len() {
            return &room[n];
        }
        n -= room.len();
        rooms = after;
    }
    panic!("there are fewer ops")
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
    fn rows_say_of_parameters_what_ops_say() {
        let ops = ROOMS.concat();
        assert_eq!(composites().len(), ops.len());
        for (row, op) in composites().iter().zip(&ops) {
            assert_eq!(row.name, op.name);
            assert_eq!(row.params.len(), op.params.len(), "{}", op.name);
            for (kept, param) in row.params.iter().zip(op.params) {
                assert_eq!(kept.name, param.name, "{}", op.name);
                let is = |p: &Param| (p.spec.takes_tensor(), is_list(p));
                assert_eq!(is(kept), is(param), "{} of {}", param.name, op.name);
            }
        }
    }

    #[test]
    fn rows_record_what_ops_record() {
        let recorded = |entry, text| {
            let g = Recorder::default();
            let outputs = Case { entry, text }.record(&g, DType::F32).map(|case| case.outputs);
            let text = outputs.map(|outputs| text::print(&g.into_graph(), &outputs));
            text.map_err(|error| error.to_string())
        };
        for (row, op) in composites().leak().iter().zip(ROOMS.concat().leak()) {
            for case in op.cases {
                assert_eq!(recorded(row, case), recorded(op, case), "{}({case})", op.name);
            }
        }
    }
}
