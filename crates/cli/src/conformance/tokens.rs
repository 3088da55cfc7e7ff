//! Tokenizer for Python expressions.
use super::CaseError;

/// Maximum number of tokens of an expression.
const MAX_TOKENS: usize = 1000;

/// Operators of more than one character, longest first.
const OPERATORS: [&str; 9] = ["...", "**", "//", "==", "!=", "<=", ">=", "<<", ">>"];

/// Names, numbers, strings (with quotes) and operators; the last token is empty.
pub(super) fn tokens(text: &str) -> Result<Vec<String>, CaseError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let begins_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let len = match first {
            _ if begins_number(rest) || (first == '.' && begins_number(&rest[1..])) => number(rest),
            '\'' | '"' => match rest[1..].find(first) {
                Some(end) => end + 2,
                None => return Err(CaseError::failed(format!("unterminated string {rest}"))),
            },
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => OPERATORS
                .iter()
                .find(|sign| rest.starts_with(**sign))
                .map_or(c.len_utf8(), |s| s.len()),
        };
        tokens.push(rest[..len].to_string());
        rest = rest[len..].trim_start();
        if tokens.len() > MAX_TOKENS {
            return Err(CaseError::failed(format!("more than {MAX_TOKENS} tokens")));
        }
    }
    tokens.push(String::new());
    Ok(tokens)
}

/// The length of the number at the start of a text: digits, a point, more digits, an exponent.
fn number(text: &str) -> usize {
    let digits = |from: usize| {
        let is_digit = |c: char| c.is_ascii_digit() || c == '_';
        text[from..].find(|c| !is_digit(c)).map_or(text.len(), |len| from + len)
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if let Some(exponent) = text[end..].strip_prefix(['e', 'E']) {
        let sign = exponent.starts_with(['+', '-']) as usize;
        let last = digits(end + 1 + sign);
        end = if last > end + 1 + sign { last } else { end };
    }
    end
}
