//! Records: a page of `bench/record` with the date, the machine, the versions and the tables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::runs::Results;

/// The path of a record of today, or an error for an invalid name.
pub(super) fn path(root: &Path, name: &str) -> Result<PathBuf, String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(format!(
            "the name of a record consists of lower-case letters, digits and hyphens, not '{name}'"
        ));
    }
    let path = root.join(format!("bench/record/{}-{name}.md", today()));
    match path.exists() {
        true => Err(format!("{} exists already", path.display())),
        false => Ok(path),
    }
}

/// The page: a title made from the path, machine and versions, and the tables.
pub(super) fn page(path: &Path, rounds: usize, results: &Results, tables: &str) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    // The date has ten characters and a dash.
    let title = stem.get(11..).unwrap_or(&stem).replace('-', " ");
    let rounds = if rounds == 1 { "1 round".to_string() } else { format!("{rounds} rounds") };
    format!(
        "# {}, {}\n\n\
         `cargo x bench`, {rounds}, each workload and library in a process of its own; times are \
         the best of all samples.\n\n\
         Machine: {}.\n\n\
         Versions: {}.\n\n{tables}",
        capital(&title),
        today(),
        machine(),
        results.versions().join(", "),
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model_name(&cpus).unwrap_or("an unknown processor");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    let rustc = rustc.unwrap_or_else(|_| "an unknown rustc".to_string());
    format!("{threads} threads of {model}, {}, {rustc}", std::env::consts::OS)
}

fn model_name(cpus: &str) -> Option<&str> {
    let line = cpus.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

fn today() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    date(now.as_secs() / 86_400)
}

/// The date that is `days` after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        let cases = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (364, "1970-12-31"),
            (365, "1971-01-01"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (20_772, "2026-11-15"),
        ];
        for (days, want) in cases {
            assert_eq!(date(days), want, "{days}");
        }
    }

    #[test]
    fn a_record_is_named_plainly_and_never_overwritten() {
        let root = crate::setup::root();
        assert!(path(&root, "All of it").is_err());
        assert!(path(&root, "../x").is_err());
        let path = path(&root, "no-such-record").expect("a good name");
        assert!(path.ends_with(format!("bench/record/{}-no-such-record.md", today())));
    }

    #[test]
    fn a_page_has_title_machine_versions_and_tables() {
        let line = r#"{"workload":"W1","peer":"brasa","version":"0.1.0","ms_min":2,"ms_median":2,
            "first_step_ms":1}"#;
        let results = Results::parse(&line.replace('\n', ""));
        let page = page(Path::new("2026-11-15-all-peers.md"), 3, &results, "| table |\n");
        assert!(page.starts_with("# All peers, "), "{page}");
        assert!(page.contains("3 rounds") && page.contains("\nMachine: "), "{page}");
        assert!(page.contains("Versions: brasa 0.1.0.") && page.ends_with("| table |\n"), "{page}");
    }

    #[test]
    fn the_processor_is_named_where_the_system_tells() {
        assert_eq!(model_name("processor : 0\nmodel name\t: Some CPU\n"), Some("Some CPU"));
        assert_eq!(model_name("processor : 0\n"), None);
    }
}
