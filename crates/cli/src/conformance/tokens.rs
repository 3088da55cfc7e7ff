//! The words that an expression in Python is made of.
use super::Trouble;

/// More are a mistake of the file.
const MOST_TOKENS: usize = 1000;

/// Signs of more than one character, the longest first.
const SIGNS: [&str; 9] = ["...", "**", "//", "==", "!=", "<=", ">=", "<<", ">>"];

/// Names, numbers, strings (with their quotes) and signs; an empty one at the end.
pub(super) fn tokens(text: &str) -> Result<Vec<String>, Trouble> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let begins_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let len = match first {
            _ if begins_number(rest) || (first == '.' && begins_number(&rest[1..])) => number(rest),
            '\'' | '"' => match rest[1..].find(first) {
                Some(end) => end + 2,
                None => return Err(Trouble::failed(format!("no end of the string {rest}"))),
            },
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => {
                SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(c.len_utf8(), |s| s.len())
            }
        };
        tokens.push(rest[..len].to_string());
        rest = rest[len..].trim_start();
        if tokens.len() > MOST_TOKENS {
            return Err(Trouble::failed(format!("more than {MOST_TOKENS} tokens")));
        }
    }
    tokens.push(String::new());
    Ok(tokens)
}

/// The length of the number that a text begins with: digits, a point, more digits, an exponent.
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
