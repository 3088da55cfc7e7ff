//! Splits TypeScript and JavaScript into words, signs and text: strings, numbers, regular
//! expressions, and the parts of templates and JSX that are not code.

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word,
    /// One character, `=>`, `++`, `--`, or `${` for the braces of templates and JSX.
    Sign,
    Text,
}

pub(super) struct Token<'s> {
    pub(super) kind: Kind,
    pub(super) text: &'s str,
    pub(super) line: usize,
}

/// Words before an expression: a `/` after one begins a regular expression, a `<` begins JSX.
const BEFORE_EXPRESSIONS: [&str; 14] = [
    "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do",
    "await", "yield", "default",
];

pub(super) fn tokens(source: &str, has_jsx: bool) -> Result<Vec<Token<'_>>, String> {
    let mut lexer = Lexer { source, has_jsx, at: 0, line: 1, tokens: Vec::new() };
    lexer.code(Until::End)?;
    Ok(lexer.tokens)
}

#[derive(Clone, Copy, PartialEq)]
enum Until {
    End,
    /// The brace that closes the code in a template or in JSX.
    Brace,
}

struct Lexer<'s> {
    source: &'s str,
    has_jsx: bool,
    at: usize,
    line: usize,
    tokens: Vec<Token<'s>>,
}

impl<'s> Lexer<'s> {
    fn code(&mut self, until: Until) -> Result<(), String> {
        let mut depth = 0;
        loop {
            self.skip_blanks_and_comments()?;
            let Some(c) = self.peek() else {
                return if until == Until::End {
                    Ok(())
                } else {
                    Err(self.problem("code has no end"))
                };
            };
            match c {
                '}' if depth == 0 && until == Until::Brace => return Ok(()),
                '"' | '\'' => self.string(c)?,
                '`' => self.template()?,
                '/' if self.expects_expression() => self.regex()?,
                '<' if self.has_jsx && self.begins_element() => self.element()?,
                c if is_word(c) => {
                    let kind = if c.is_ascii_digit() { Kind::Text } else { Kind::Word };
                    let len = self.rest().find(|c| !is_word(c)).unwrap_or(self.rest().len());
                    self.push(kind, len)?;
                }
                c => {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    let is_long =
                        ["=>", "++", "--"].iter().any(|sign| self.rest().starts_with(sign));
                    self.push(Kind::Sign, if is_long { 2 } else { c.len_utf8() })?;
                }
            }
        }
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), String> {
        loop {
            let rest = self.rest();
            let len = if rest.starts_with("//") || (self.at == 0 && rest.starts_with("#!")) {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").ok_or_else(|| self.problem("a comment has no end"))? + 2
            } else {
                rest.len() - rest.trim_start().len()
            };
            if len == 0 {
                return Ok(());
            }
            self.skip(len)?;
        }
    }

    fn string(&mut self, quote: char) -> Result<(), String> {
        let mut is_escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '\n' => break,
                c if c == quote => return self.push(Kind::Text, at + 1),
                _ => {}
            }
        }
        Err(self.problem("a string has no end"))
    }

    fn template(&mut self) -> Result<(), String> {
        self.push(Kind::Text, 1)?;
        loop {
            match self.peek() {
                Some('`') => return self.push(Kind::Text, 1),
                Some('\\') => self.skip(2)?,
                Some('$') if self.rest().starts_with("${") => self.braces(2)?,
                Some(c) => self.skip(c.len_utf8())?,
                None => return Err(self.problem("a template has no end")),
            }
        }
    }

    /// Code in braces, of which the opening one has `len` characters.
    fn braces(&mut self, len: usize) -> Result<(), String> {
        self.tokens.push(Token { kind: Kind::Sign, text: "${", line: self.line });
        self.skip(len)?;
        self.code(Until::Brace)?;
        self.push(Kind::Sign, 1)
    }

    fn regex(&mut self) -> Result<(), String> {
        let (mut is_escaped, mut is_class) = (false, false);
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => return self.push(Kind::Text, at + 1),
                _ => {}
            }
        }
        Err(self.problem("a regular expression has no end"))
    }

    /// Whether an expression, and no operator, comes next.
    fn expects_expression(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.kind {
            Kind::Text => false,
            Kind::Word => BEFORE_EXPRESSIONS.contains(&last.text),
            Kind::Sign => ![")", "]", "}", "++", "--"].contains(&last.text),
        }
    }

    /// Whether the `<` in front begins JSX, and not the generic parameters of an arrow function.
    fn begins_element(&self) -> bool {
        let inner = &self.rest()[1..];
        let after = inner.trim_start_matches(is_word);
        let is_generic = after.starts_with(',') || after.starts_with(" extends ");
        self.expects_expression()
            && !is_generic
            && inner.starts_with(|c: char| c == '>' || c.is_alphabetic())
    }

    fn element(&mut self) -> Result<(), String> {
        self.push(Kind::Text, 1)?;
        loop {
            self.skip_blanks_and_comments()?;
            match self.peek() {
                Some('{') => self.braces(1)?,
                Some('"') => self.skip_to("\"")?,
                Some('\'') => self.skip_to("'")?,
                Some('<') => self.element()?,
                Some('/') => return self.skip_to(">"),
                Some('>') => {
                    self.skip(1)?;
                    return self.children();
                }
                Some(c) => self.skip(c.len_utf8())?,
                None => return Err(self.problem("an element has no end")),
            }
        }
    }

    fn children(&mut self) -> Result<(), String> {
        loop {
            match self.peek() {
                Some('{') => self.braces(1)?,
                Some('<') if self.rest().starts_with("</") => {
                    self.skip_to(">")?;
                    self.tokens.push(Token { kind: Kind::Text, text: "", line: self.line });
                    return Ok(());
                }
                Some('<') => self.element()?,
                Some(c) => self.skip(c.len_utf8())?,
                None => return Err(self.problem("an element has no end")),
            }
        }
    }

    /// Skips the character in front and all up to the end of the next `end`.
    fn skip_to(&mut self, end: &str) -> Result<(), String> {
        let len =
            self.rest()[1..].find(end).ok_or_else(|| self.problem("an element has no end"))?;
        self.skip(1 + len + end.len())
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: Kind, len: usize) -> Result<(), String> {
        let (text, line) = (self.rest().get(..len).unwrap_or_default(), self.line);
        self.tokens.push(Token { kind, text, line });
        self.skip(len)
    }

    fn skip(&mut self, len: usize) -> Result<(), String> {
        let skipped =
            self.rest().get(..len).ok_or_else(|| self.problem("the file ends too early"))?;
        self.line += skipped.matches('\n').count();
        self.at += len;
        Ok(())
    }

    fn problem(&self, text: &str) -> String {
        format!("line {}: {text}", self.line)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_$#".contains(c)
}
