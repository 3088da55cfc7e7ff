//! Finds the functions of a TypeScript or JavaScript file: declarations, methods, and arrow
//! functions whose body is a block or an expression in parentheses. Other arrow functions are part
//! of the function around them.

mod tokens;

use super::Function;
use tokens::{Kind, Token};

/// Statements of the form `word (…) {`.
const STATEMENTS: [&str; 7] = ["if", "for", "while", "switch", "catch", "with", "await"];

/// Words that can stand in a type; all other words of the language end one.
const NOT_IN_TYPES: [&str; 16] = [
    "class",
    "case",
    "const",
    "default",
    "do",
    "else",
    "enum",
    "export",
    "finally",
    "interface",
    "namespace",
    "new",
    "return",
    "static",
    "try",
    "yield",
];

pub(super) fn functions(source: &str, has_jsx: bool) -> Result<Vec<Function>, String> {
    let tokens = tokens::tokens(source, has_jsx)?;
    let scan = Scan { partners: partners(&tokens)?, tokens };
    Ok((0..scan.tokens.len()).filter_map(|at| scan.function(at)).collect())
}

/// For each bracket the index of the one that closes or opens it.
fn partners(tokens: &[Token]) -> Result<Vec<usize>, String> {
    let mut partners = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Sign) {
        let closes: &[&str] = match token.text {
            "(" | "[" | "{" | "${" => {
                open.push(at);
                continue;
            }
            ")" => &["("],
            "]" => &["["],
            "}" => &["{", "${"],
            _ => continue,
        };
        let problem = || format!("line {}: `{}` closes nothing", token.line, token.text);
        let opener = open.pop().ok_or_else(problem)?;
        if !closes.contains(&tokens[opener].text) {
            return Err(problem());
        }
        (partners[opener], partners[at]) = (at, opener);
    }
    match open.last() {
        Some(&at) => Err(format!("line {}: `{}` is not closed", tokens[at].line, tokens[at].text)),
        None => Ok(partners),
    }
}

struct Scan<'s> {
    tokens: Vec<Token<'s>>,
    partners: Vec<usize>,
}

impl Scan<'_> {
    /// The function whose body the bracket `body` opens, if it opens one.
    fn function(&self, body: usize) -> Option<Function> {
        if body == 0 || !(self.is(body, "{") || self.is(body, "(")) {
            return None;
        }
        let (name, first) = if self.is(body - 1, "=>") {
            self.arrow(body - 1)
        } else if self.is(body, "{") {
            self.declaration(self.parameters(body)?)?
        } else {
            return None;
        };
        let line = self.tokens[first].line;
        let lines = self.tokens[self.partners[body]].line - line + 1;
        Some(Function { name, line, lines })
    }

    /// Name and first token of the arrow function with the arrow at `arrow`.
    fn arrow(&self, arrow: usize) -> (String, usize) {
        let mut first = match self.parameters(arrow) {
            Some(close) => self.before_generics(self.partners[close]),
            None => arrow - 1,
        };
        if first > 0 && self.is(first - 1, "async") {
            first -= 1;
        }
        if first > 1
            && (self.is(first - 1, "=") || self.is(first - 1, ":"))
            && self.is_word(first - 2)
        {
            return (self.tokens[first - 2].text.to_string(), first - 2);
        }
        ("an arrow function".to_string(), first)
    }

    /// Name and first token of the function or method whose parameters end at `close`. Nothing for
    /// statements.
    fn declaration(&self, close: usize) -> Option<(String, usize)> {
        let name = self.before_generics(self.partners[close]).checked_sub(1)?;
        let text = self.tokens[name].text;
        let is_base = name > 0 && self.is(name - 1, "extends");
        let is_name =
            self.is_word(name) || self.is(name, "]") || self.tokens[name].kind == Kind::Text;
        if STATEMENTS.contains(&text) || is_base || !(is_name || self.is(name, "*")) {
            return None;
        }
        if self.is(name, "]") {
            return Some((self.tokens[name - 1].text.to_string(), self.partners[name]));
        }
        Some((text.to_string(), name))
    }

    /// The `)` of the parameters in front of `end`, where a return type may stand between the two.
    fn parameters(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        if self.is(at, ")") {
            return Some(at);
        }
        let mut angles = 0;
        while at > 0 {
            if self.is(at, ":") && angles == 0 {
                return (at + 1 < end && self.is(at - 1, ")")).then(|| at - 1);
            }
            match self.tokens[at].text {
                ">" => angles += 1,
                "<" => angles -= 1,
                "," if angles > 0 => {}
                "}" | "]" | ")" if !self.is_word(at + 1) => at = self.partners[at],
                "|" | "&" | "." | "=>" => {}
                text if self.is_word(at) && !NOT_IN_TYPES.contains(&text) => {}
                _ if self.tokens[at].kind == Kind::Text => {}
                _ => return None,
            }
            at = at.checked_sub(1)?;
        }
        None
    }

    /// The first token of `<T, …>(` with the bracket at `open`, or that bracket.
    fn before_generics(&self, open: usize) -> usize {
        let mut angles = 0;
        let mut at = open;
        while at > 0 {
            at -= 1;
            match self.tokens[at].text {
                ">" => angles += 1,
                "<" if angles == 1 => return at,
                "<" => angles -= 1,
                "}" | ")" | "]" if angles > 0 => at = self.partners[at],
                ";" | "{" | "(" | "[" => return open,
                _ if angles == 0 => return open,
                _ => {}
            }
        }
        open
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens[at].kind != Kind::Text && self.tokens[at].text == text
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word)
    }
}

#[cfg(test)]
fn found(source: &str, has_jsx: bool) -> Vec<(String, usize, usize)> {
    let functions = functions(source, has_jsx).unwrap().into_iter();
    functions.map(|f| (f.name, f.line, f.lines)).collect()
}

#[test]
fn functions_of_typescript_are_measured() {
    let source = r#"
export async function first<T extends { a: number }>(x: T): Promise<T> {
  if (x) { return `a ${((y) => { return '}'; })(x)} }`; }
}
class Tensor extends mixin(Base) {
  static { start(); }
  get #size(): { a: number } { return 1 / 2 / 3; }
  *[Symbol.iterator]() {
  }
  matches = (text: string): text is 'a' | "b" => {
    return /[/"'{]\/{/.test(text); // {
  };
  abstract area(): number;
}
const run = async (
  a: number,
) => {
  for (const b of [a]) { while (b) {} }
  try { work(a); } catch { a = i++ / 2; } finally { /* } */ }
};
const pick = c ? f(x) : { a: 1 };
switch (x) { case f(x): { break; } }
each(x => {
}, (a, b) => (
  a
));
"#;
    let expected = [
        ("first", 2, 3),
        ("an arrow function", 3, 1),
        ("#size", 7, 1),
        ("iterator", 8, 2),
        ("matches", 10, 3),
        ("run", 15, 6),
        ("an arrow function", 23, 2),
        ("an arrow function", 24, 3),
    ];
    assert_eq!(
        found(source, false),
        expected.map(|(name, line, lines)| (name.to_string(), line, lines))
    );
}

#[test]
fn text_of_jsx_is_no_code() {
    let source = r#"
export function Side({ run }: { run: Run }): ReactNode {
  const ratio = a < b ? 1 : b / a;
  return (
    <>
      <p title="it's {">It's {run.name} isn't {/* a comment's */}</p>
      {run.steps.map((step) => (
        <Row key={step} {...run} onClick={() => {
          run.go(step);
        }} label=<b>don't</b> />
      ))}
      <Plot.Line<number> of={x} / >
    </>
  );
}
const id = <T,>(x: T) => { return x; };
"#;
    let source = source.replace("<Plot.Line<number> of={x} / >", "<Plot.Line of={x} />");
    let expected =
        [("Side", 2, 14), ("an arrow function", 7, 5), ("an arrow function", 8, 3), ("id", 16, 1)];
    assert_eq!(
        found(&source, true),
        expected.map(|(name, line, lines)| (name.to_string(), line, lines))
    );
}

#[test]
fn files_that_cannot_be_scanned_are_reported() {
    for source in ["f(", "f(]", "}", "`${a", "`a", "x = /a", "'a\n'", "x = <p>a</p"] {
        assert!(functions(source, true).is_err(), "{source}");
    }
}
