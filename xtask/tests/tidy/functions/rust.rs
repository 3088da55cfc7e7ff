//! Finds the functions of a Rust file in its tokens, so that those inside of macros count as well.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::Function;

/// Every `fn` with a body. Closures are part of the function around them.
pub(super) fn functions(source: &str) -> Result<Vec<Function>, String> {
    let tokens: TokenStream = source.parse().map_err(|error| format!("{error}"))?;
    let mut found = Vec::new();
    walk(tokens, &mut found);
    Ok(found)
}

fn walk(tokens: TokenStream, found: &mut Vec<Function>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => walk(group.stream(), found),
            TokenTree::Ident(word) if word == "fn" => found.extend(function(&tokens[at..])),
            _ => {}
        }
    }
}

/// The function that begins with the `fn` in front; nothing for a pointer type or a signature
/// without a body.
fn function(tokens: &[TokenTree]) -> Option<Function> {
    let name = match &tokens[1..] {
        [TokenTree::Ident(name), ..] => name.to_string(),
        // A function of a macro.
        [TokenTree::Punct(dollar), TokenTree::Ident(name), ..] if dollar.as_char() == '$' => {
            format!("${name}")
        }
        _ => return None,
    };
    for token in tokens {
        match token {
            TokenTree::Punct(end) if end.as_char() == ';' => return None,
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                let line = tokens[0].span().start().line;
                let lines = body.span_close().end().line - line + 1;
                return Some(Function { name, line, lines });
            }
            _ => {}
        }
    }
    None
}

#[test]
fn functions_of_rust_are_measured() {
    let source = r##"
fn one() {}
trait Shape {
    fn area(&self) -> f32;
    fn twice(&self) -> f32 {
        // A brace of a comment: }
        2.0 * self.area()
    }
}
const fn with_text<'a>(apply: fn(f32) -> f32) -> [char; 2] {
    let text = r#"fn no() { " }"#;
    fn inner() -> &'static str {
        "}"
    }
    ['}', '\'']
}
macro_rules! make {
    ($name:ident) => {
        pub fn $name() {
            one()
        }
    };
}
"##;
    let expected =
        [("one", 2, 1), ("twice", 5, 4), ("with_text", 10, 7), ("inner", 12, 3), ("$name", 19, 3)];
    let expected =
        expected.map(|(name, line, lines)| Function { name: name.to_string(), line, lines });
    assert_eq!(functions(source).unwrap(), expected);
    assert!(functions("fn open() {").is_err());
}
