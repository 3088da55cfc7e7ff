//! The library of WGSL functions. A shader includes only those that it calls.

const FUNCTIONS: &str = include_str!("functions.wgsl");

/// The library functions that a text calls, directly or through others.
pub(crate) fn functions_of(text: &str) -> String {
    let parts: Vec<&str> = FUNCTIONS.split("\n\n").filter(|part| part.contains("fn ")).collect();
    let name = |part: &str| {
        let head = part.lines().find_map(|line| line.strip_prefix("fn ")).expect("a function");
        head[..=head.find('(').expect("has parameters")].to_string()
    };
    let names: Vec<String> = parts.iter().map(|part| name(part)).collect();
    let mut is_used: Vec<bool> = names.iter().map(|name| calls(text, name)).collect();
    loop {
        let before = is_used.clone();
        for (n, part) in parts.iter().enumerate().filter(|(n, _)| before[*n]) {
            for (m, name) in names.iter().enumerate().filter(|(m, _)| *m != n) {
                is_used[m] |= calls(part, name);
            }
        }
        if before == is_used {
            break;
        }
    }
    let used = parts.iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|(part, _)| format!("{}\n\n", part.trim_end())).collect()
}

/// Whether a text calls `name(`, as opposed to a longer name that ends the same.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}
