//! The error type of the library: what is wrong, the operands, a likely fix, and the call site.
use crate::graph::Site;
use crate::shape::Type;
use std::borrow::Cow;
use std::fmt;

/// Who can act on an error, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Shapes that are incompatible with each other or with the op.
    Shape,
    /// An element type that the op does not support.
    DType,
    /// Any other argument: out of range, unknown, missing.
    Argument,
    /// Invalid values or files, found only when data is read.
    Data,
    /// A device that is missing, lost, out of memory, or lacks a required limit.
    Device,
    /// A value that no longer exists: released to save memory, or part of a recording that has
    /// ended.
    Stale,
}

/// A rejected call.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    kind: ErrorKind,
    op: String,
    what: String,
    operands: Vec<(String, String)>,
    help: Option<String>,
    site: Option<Site>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(kind: ErrorKind, op: &str, what: String) -> Error {
        let (op, operands) = (op.to_string(), Vec::new());
        Error(Box::new(Details { kind, op, what, operands, help: None, site: None }))
    }

    pub fn shape(op: &str, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Shape, op, what.into())
    }

    pub fn dtype(op: &str, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::DType, op, what.into())
    }

    pub fn argument(op: &str, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Argument, op, what.into())
    }

    pub fn data(op: &str, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Data, op, what.into())
    }

    pub fn device(op: &str, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Device, op, what.into())
    }

    pub fn stale(op: &str, what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Stale, op, what.into())
    }

    /// Adds an operand's name and type to the message.
    pub fn operand(mut self, name: &str, ty: &Type) -> Error {
        self.0.operands.push((name.to_string(), ty.to_string()));
        self
    }

    /// Adds the operands `a`, `b`, `c` ... of a call.
    pub fn operands(self, types: &[&Type]) -> Error {
        let names = ["a", "b", "c", "d"];
        types.iter().zip(names).fold(self, |e, (ty, name)| e.operand(name, ty))
    }

    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.0.help = Some(help.into());
        self
    }

    /// Sets the call site unless it is already set.
    pub fn at(mut self, site: Site) -> Error {
        self.0.site.get_or_insert(site);
        self
    }

    /// Replaces the op's name by that of the op that called it.
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Error {
        if self.0.op == from {
            self.0.op = to.to_string();
        }
        self
    }

    /// Names the op that the user called if the failing one is a part of it. Errors about data
    /// name only the user's op.
    pub fn within(mut self, outer: &str) -> Error {
        if self.0.kind == ErrorKind::Data {
            self.0.op = outer.to_string();
        }
        if self.0.op != outer {
            self.0.what = format!("{}: {}", self.0.op, self.0.what);
            self.0.op = outer.to_string();
        }
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    pub fn op(&self) -> &str {
        &self.0.op
    }

    pub fn site(&self) -> Option<&Site> {
        self.0.site.as_ref()
    }

    /// The message without the call site.
    pub fn message(&self) -> String {
        let mut text = format!("{}: {}", self.0.op, self.0.what);
        for (name, ty) in &self.0.operands {
            text += &format!("\n  {name}: {ty}");
        }
        if let Some(help) = &self.0.help {
            text += &format!("\n  help: {help}");
        }
        text
    }
}

/// Escapes text for a terminal, since names from files may contain control characters that move the
/// cursor or set the title, and characters that change the text direction. They become `\\u001b`,
/// which JSON decodes to the original. Line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || c.is_control() && c != '\n' && c != '\t'
    };
    if !text.contains(is_odd) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match is_odd(c) {
            true => plain += &format!("\\u{:04x}", c as u32),
            false => plain.push(c),
        }
    }
    plain.into()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A page hands its errors to JavaScript, not to a terminal.
        match cfg!(brasa_page) {
            true => f.write_str(&self.message())?,
            false => f.write_str(&printable(&self.message()))?,
        }
        match &self.0.site {
            Some(site) => write!(f, "\n  at {site}"),
            None => Ok(()),
        }
    }
}

/// The same as `Display`, since `unwrap` and a failing `main` print `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let rows = [
            ("a\n  b\tc ü", "a\n  b\tc ü"),
            ("\x1b]0;owned\x07\x1b[2J", "\\u001b]0;owned\\u0007\\u001b[2J"),
            ("\r\x08\x7f\u{9b}31m", "\\u000d\\u0008\\u007f\\u009b31m"),
            ("abc\u{202e}fed", "abc\\u202efed"),
        ];
        for (text, want) in rows {
            assert_eq!(printable(text), want);
            assert_eq!(Error::data("x", text).to_string(), format!("x: {want}"));
        }
    }
}
