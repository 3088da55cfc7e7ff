//! The grammar that the text form and the cases of the op table share: tokens with their positions,
//! and values.
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::Site;
use crate::shape::{Shape, Type};
use crate::value::Value;
use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// How deep lists and calls may nest.
const MAX_DEPTH: usize = 64;

/// Ordered so that a sign precedes its own prefixes.
const SIGNS: [&str; 9] = ["...", "..", "=", ",", ":", "[", "]", "(", ")"];

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// `%name`.
    Name(String),
    Word(String),
    Int(i64),
    Float(f64),
    Str(String),
    Sign(&'static str),
    Line,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => write!(f, "%{name}"),
            Token::Word(word) => write!(f, "'{word}'"),
            Token::Int(i) => write!(f, "{i}"),
            Token::Float(x) => write!(f, "{x:?}"),
            Token::Str(text) => write!(f, "{text:?}"),
            Token::Sign(sign) => write!(f, "'{sign}'"),
            Token::Line => f.write_str("the end of the line"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// Line and column, both from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    line: usize,
    column: usize,
}

impl Position {
    pub(crate) fn site(self) -> Site {
        Site::Text(format!("{}:{}", self.line, self.column).into())
    }
}

/// Splits a text into tokens and skips blanks and `// comments`.
struct Lexer<'t> {
    rest: Peekable<Chars<'t>>,
    position: Position,
    subject: &'t str,
}

impl Lexer<'_> {
    fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        match c {
            '\n' => self.position = Position { line: self.position.line + 1, column: 1 },
            _ => self.position.column += 1,
        }
        Some(c)
    }

    fn starts_with(&self, sign: &str) -> bool {
        let mut ahead = self.rest.clone();
        sign.chars().all(|c| ahead.next() == Some(c))
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.rest.next_if(|&c| is_part(c)) {
            self.position.column += 1;
            taken.push(c);
        }
        taken
    }

    fn skip_blanks(&mut self) {
        self.take_while(|c| c.is_whitespace() && c != '\n');
        if self.starts_with("//") {
            self.take_while(|c| c != '\n');
        }
    }

    fn fault<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Error::argument(self.subject, what).at(self.position.site()))
    }

    fn token(&mut self) -> Result<Token> {
        let Some(&first) = self.rest.peek() else { return Ok(Token::End) };
        if let Some(sign) = SIGNS.into_iter().find(|sign| self.starts_with(sign)) {
            self.rest.nth(sign.len() - 1);
            self.position.column += sign.len();
            return Ok(Token::Sign(sign));
        }
        match first {
            '\n' => {
                self.bump();
                Ok(Token::Line)
            }
            '%' => {
                self.bump();
                let name = self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.');
                if name.is_empty() {
                    return self.fault("expected a name after '%'");
                }
                Ok(Token::Name(name))
            }
            '"' | '\'' => self.string(),
            c if c == '-' || c.is_ascii_digit() => self.number(),
            c if c.is_alphabetic() || c == '_' => {
                Ok(Token::Word(self.take_while(|c| c.is_alphanumeric() || c == '_')))
            }
            c => self.fault(format!("unexpected character {c:?}")),
        }
    }

    fn number(&mut self) -> Result<Token> {
        let position = self.position;
        let mut text = String::new();
        if let Some('-') = self.rest.peek() {
            text.extend(self.bump());
        }
        if self.rest.peek().is_some_and(|c| c.is_alphabetic()) {
            let word = self.take_while(char::is_alphabetic);
            if let Some(x) = special_float(&word) {
                return Ok(Token::Float(-x));
            }
        }
        text += &self.take_while(|c| c.is_ascii_digit());
        let mut is_whole = true;
        let mut ahead = self.rest.clone();
        // `1.5`, but not the `1..` of a range.
        if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
            text.extend(self.bump());
            text += &self.take_while(|c| c.is_ascii_digit());
            is_whole = false;
        }
        if self.rest.peek().is_some_and(|c| matches!(c, 'e' | 'E')) {
            text.extend(self.bump());
            let mut is_first = true;
            while let Some(&c) = self.rest.peek() {
                if !c.is_ascii_digit() && !(is_first && (c == '-' || c == '+')) {
                    break;
                }
                text.extend(self.bump());
                is_first = false;
            }
            is_whole = false;
        }
        let token = match is_whole {
            true => text.parse().ok().map(Token::Int),
            false => text.parse().ok().map(Token::Float),
        };
        let wrong = Error::argument(self.subject, format!("'{text}' is not a number"));
        token.ok_or_else(|| wrong.at(position.site()))
    }

    /// A string in either quotes, with the escapes that Rust prints.
    fn string(&mut self) -> Result<Token> {
        let position = self.position;
        let quote = self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                None | Some('\n') => {
                    let error = Error::argument(self.subject, "unterminated string");
                    return Err(error.at(position.site()));
                }
                c if c == quote => return Ok(Token::Str(text)),
                Some('\\') => text.push(self.escaped()?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Result<char> {
        let c = match self.bump() {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('0') => Some('\0'),
            Some(c @ ('\\' | '"' | '\'')) => Some(c),
            Some('u') => self.code_point(),
            _ => None,
        };
        c.map_or_else(|| self.fault("unknown escape in a string"), Ok)
    }

    /// The `{1f}` of `\u{1f}`.
    fn code_point(&mut self) -> Option<char> {
        self.rest.next_if_eq(&'{')?;
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        self.rest.next_if_eq(&'}')?;
        self.position.column += 2;
        u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
    }
}

fn special_float(word: &str) -> Option<f64> {
    match word {
        "inf" => Some(f64::INFINITY),
        "nan" | "NaN" => Some(f64::NAN),
        _ => None,
    }
}

struct Located {
    token: Token,
    position: Position,
    /// Whether no blank precedes the token.
    touches: bool,
}

/// A text as a list of tokens with a cursor.
pub(crate) struct Parser {
    tokens: Vec<Located>,
    at: usize,
    depth: usize,
    subject: String,
}

/// Parses tensor values, whose syntax differs between the two grammars.
pub(crate) trait Tensors {
    /// Parses a tensor, if the next token begins one.
    fn tensor(&mut self, p: &mut Parser) -> Result<Option<Value>>;
}

impl Parser {
    /// `subject` is the op name of errors.
    pub(crate) fn new(subject: &str, text: &str) -> Result<Parser> {
        let position = Position { line: 1, column: 1 };
        let mut lexer = Lexer { rest: text.chars().peekable(), position, subject };
        let mut tokens: Vec<Located> = Vec::new();
        while tokens.last().is_none_or(|last| last.token != Token::End) {
            let end = lexer.position;
            lexer.skip_blanks();
            let position = lexer.position;
            tokens.push(Located { token: lexer.token()?, position, touches: position == end });
        }
        Ok(Parser { tokens, at: 0, depth: 0, subject: subject.to_string() })
    }

    fn located(&self, ahead: usize) -> &Located {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(crate) fn peek(&self) -> &Token {
        &self.located(0).token
    }

    /// The token after the next.
    pub(crate) fn peek_second(&self) -> &Token {
        &self.located(1).token
    }

    pub(crate) fn position(&self) -> Position {
        self.located(0).position
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub(crate) fn sees(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    pub(crate) fn accept(&mut self, sign: &str) -> bool {
        let is_there = self.sees(sign);
        self.at += is_there as usize;
        is_there
    }

    pub(crate) fn accept_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.peek(), Token::Word(w) if w == word);
        self.at += is_there as usize;
        is_there
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Result<()> {
        if self.accept(sign) { Ok(()) } else { self.unexpected(&format!("'{sign}'")) }
    }

    pub(crate) fn unexpected<T>(&self, expected: &str) -> Result<T> {
        self.fault(self.position(), format!("expected {expected}, found {}", self.peek()))
    }

    pub(crate) fn fault<T>(&self, position: Position, what: impl Into<String>) -> Result<T> {
        Err(Error::argument(&self.subject, what).at(position.site()))
    }

    /// Runs `body` one nesting level deeper; an error beyond `MAX_DEPTH`.
    pub(crate) fn nested<T>(&mut self, body: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return self.fault(self.position(), format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// Comma-separated items up to the closing sign; the opening one has been consumed.
    pub(crate) fn items<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Parser) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            items.push(self.nested(&mut item)?);
            if !self.sees(close) && !self.accept(",") {
                return self.unexpected(&format!("',' or '{close}'"));
            }
        }
        Ok(items)
    }

    /// The dtype that the next token names, if any.
    pub(crate) fn peek_dtype(&self) -> Option<DType> {
        match self.peek() {
            Token::Word(word) => word.parse().ok(),
            _ => None,
        }
    }

    /// `f32[2, 3]`; a scalar type may be written `f32`.
    pub(crate) fn ty(&mut self) -> Result<Type> {
        let Some(dtype) = self.peek_dtype() else { return self.unexpected("a type") };
        self.next();
        if !self.accept("[") {
            return Ok(Type::new(dtype, []));
        }
        let len = |p: &mut Parser| match *p.peek() {
            Token::Int(len @ 0..) => {
                p.next();
                usize::try_from(len).or_else(|_| p.unexpected("a length"))
            }
            _ => p.unexpected("the length of an axis"),
        };
        Ok(Type::new(dtype, self.items("]", len)?.into_iter().collect::<Shape>()))
    }

    pub(crate) fn value(&mut self, tensors: &mut impl Tensors) -> Result<Value> {
        if let Some(tensor) = tensors.tensor(self)? {
            return Ok(tensor);
        }
        if let Some(dtype) = self.peek_dtype() {
            self.next();
            return Ok(Value::DType(dtype));
        }
        let value = match self.peek().clone() {
            Token::Int(_) | Token::Sign(":") => return self.int_or_slice(),
            Token::Sign("[") => {
                self.next();
                return Ok(Value::List(self.items("]", |p| p.value(tensors))?));
            }
            Token::Float(x) => Value::Float(x),
            Token::Str(text) => Value::Str(text),
            Token::Sign("...") => Value::Ellipsis,
            Token::Word(word) => match &*word {
                "none" => Value::None,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                word => match special_float(word) {
                    Some(x) => Value::Float(x),
                    None => return self.unexpected("a value"),
                },
            },
            _ => return self.unexpected("a value"),
        };
        self.next();
        Ok(value)
    }

    /// `2`, or `1:5:2` with any part left out. The first colon must touch the number before it.
    fn int_or_slice(&mut self) -> Result<Value> {
        let start = self.accept_int();
        let is_slice = self.sees(":") && (start.is_none() || self.located(0).touches);
        match start {
            Some(int) if !is_slice => return Ok(Value::Int(int)),
            _ => self.expect(":")?,
        }
        let stop = self.accept_int();
        let step = if self.accept(":") { self.accept_int() } else { None };
        Ok(Value::Slice(start, stop, step))
    }

    fn accept_int(&mut self) -> Option<i64> {
        let Token::Int(int) = *self.peek() else { return None };
        self.next();
        Some(int)
    }
}
