//! CSV: tables of numbers.
use crate::{Error, Result, Tensor};

/// A table of numbers.
pub struct Table {
    /// The column names; empty if the text has no header.
    pub names: Vec<String>,
    /// `[rows, columns]`
    pub values: Tensor,
}

/// Parses a table whose fields are separated by `separator`. A first line that is not all numbers
/// is the header; empty fields are NaN.
pub fn from_csv(text: &str, separator: char) -> Result<Table> {
    let wrong = |line: usize, what: String| Error::data("csv", format!("line {line}: {what}"));
    let (mut names, mut values, mut columns) = (Vec::new(), Vec::new(), None);
    for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let fields = fields(line, separator).map_err(|what| wrong(n + 1, what))?;
        let count = *columns.get_or_insert(fields.len());
        if fields.len() != count {
            return Err(wrong(n + 1, format!("{} fields, expected {count}", fields.len())));
        }
        let is_header = |field: &String| number(field).is_none();
        if values.is_empty() && names.is_empty() && fields.iter().any(is_header) {
            names = fields;
            continue;
        }
        for field in fields {
            let what = || wrong(n + 1, format!("'{field}' is not a number"));
            values.push(number(&field).ok_or_else(what)?);
        }
    }
    let columns = columns.unwrap_or(0);
    let rows = values.len().checked_div(columns).unwrap_or(0);
    Ok(Table { names, values: Tensor::from_vec(values, [rows, columns]) })
}

fn number(field: &str) -> Option<f32> {
    let field = field.trim();
    if field.is_empty() { Some(f32::NAN) } else { field.parse().ok() }
}

/// The fields of a line. Quoted fields may contain separators, and a doubled quote stands for a
/// quote.
fn fields(line: &str, separator: char) -> Result<Vec<String>, String> {
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    if is_quoted {
        return Err("unclosed quote".to_string());
    }
    fields.push(field);
    Ok(fields)
}
