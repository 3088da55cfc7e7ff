//! Passes tested by text: `passes/<pass>/<name>.ir` is a graph, and `<name>.expected` what
//! the pass makes of it. `UPDATE_EXPECT=1` rewrites the expected texts; read them before you commit.
//!
//! A graph may begin with lines such as `// option budget = 4096`, which set fields of [`Options`] and
//! [`Target`].
use brasa_compile::{Options, Pass, Target, dump};
use brasa_ir::text;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

#[test]
fn passes_give_the_expected_texts() {
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let folders = entries(&root);
    assert!(!folders.is_empty(), "{} is empty", root.display());
    let check = |folder: &PathBuf| check_folder(folder, is_update);
    let failures: Vec<String> = folders.iter().flat_map(check).collect();
    let help = "UPDATE_EXPECT=1 rewrites the expected texts";
    assert!(failures.is_empty(), "{}\n{} failures; {help}", failures.join("\n"), failures.len());
}

/// The failures of the fixtures of one pass.
fn check_folder(folder: &Path, is_update: bool) -> Vec<String> {
    let name = file_name(folder);
    let Some(pass) = Pass::from_name(&name) else {
        return vec![format!("{name}: there is no pass of this name")];
    };
    let mut fixtures: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let mut failures = Vec::new();
    for path in entries(folder) {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(ending @ ("ir" | "expected")) => {
                fixtures.entry(path.with_extension("")).or_default().push(ending.to_string());
            }
            _ => failures.push(format!("{}: neither .ir nor .expected", path.display())),
        }
    }
    if fixtures.is_empty() {
        failures.push(format!("{name}: the folder has no fixtures"));
    }
    for (path, endings) in fixtures {
        let title = format!("{name}/{}", file_name(&path));
        let checked = match endings.iter().any(|ending| ending == "ir") {
            true => check_fixture(&path, pass, is_update),
            false => Err("there is no .ir file of this name".to_string()),
        };
        failures.extend(checked.err().map(|what| format!("{title}: {what}")));
    }
    failures
}

/// Compares what the pass makes of a graph with the expected text, or rewrites that.
fn check_fixture(path: &Path, pass: Pass, is_update: bool) -> Result<(), String> {
    let source = read(&path.with_extension("ir"))?;
    let parsed = text::parse(&source).map_err(|error| error.to_string())?;
    let options = options(&source)?;
    // So that the failure names the fixture.
    let run = || dump(&parsed.graph, &parsed.outputs, &options, &[pass]);
    let result = catch_unwind(AssertUnwindSafe(run));
    let result = result.map_err(|_| "the compiler panicked, see above")?;
    let found = result.map_err(|error| error.to_string())?;
    let header = format!("// after {}\n", pass.name());
    let found = found.strip_prefix(&header).ok_or("the pass did not run")?;
    let expected_path = path.with_extension("expected");
    if is_update {
        return fs::write(expected_path, found).map_err(|error| error.to_string());
    }
    let expected = read(&expected_path)?;
    match found == expected {
        true => Ok(()),
        false => Err(format!("expected -, found +\n{}", diff(&expected, found))),
    }
}

/// The options that the first lines of a fixture set.
fn options(source: &str) -> Result<Options, String> {
    let mut options = Options::new(Target { checks_bounds: false, ..Target::default() });
    let target = &mut options.target;
    let comments = source.lines().map_while(|line| line.strip_prefix("//"));
    for line in comments.filter_map(|line| line.trim().strip_prefix("option ")) {
        let wrong = || format!("'option {line}' is not an option with a value");
        let (name, value) = line.split_once('=').ok_or_else(wrong)?;
        let number = || value.trim().parse::<usize>().map_err(|_| wrong());
        let flag = || value.trim().parse::<bool>().map_err(|_| wrong());
        match name.trim() {
            "budget" => options.budget = Some(number()?),
            "reduces_products" => target.reduces_products = flag()?,
            "joint_inputs" => target.joint_inputs = number()?,
            "overwrites_rows" => target.overwrites_rows = flag()?,
            "checks_bounds" => target.checks_bounds = flag()?,
            "packs_prologues" => target.packs_prologues = flag()?,
            "chains_products" => target.chains_products = flag()?,
            "min_concurrent" => target.min_concurrent = number()?,
            _ => return Err(wrong()),
        }
    }
    Ok(options)
}

/// The lines of both texts in order, with `-` before lines of `old` only and `+` before lines of
/// `new` only.
fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // common[i][j]: the most lines that old[i..] and new[j..] have in common, in order.
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(format!("  {}", old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(format!("- {}", old[i]));
            i += 1;
        } else {
            lines.push(format!("+ {}", new[j]));
            j += 1;
        }
    }
    lines.join("\n")
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files and folders in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[test]
fn a_diff_shows_lines_that_differ() {
    assert_eq!(diff("a\nb\nc\n", "a\nd\nc\ne\n"), "  a\n- b\n+ d\n  c\n+ e");
}

#[test]
fn options_are_read_from_the_first_lines() {
    let read = options("// A title.\n// option budget = 64\n%x = input f32[2]\n// option a = 1\n");
    assert_eq!(read.expect("an option").budget, Some(64));
    assert!(options("// option budget = much\n").is_err());
    assert!(options("// option buget = 64\n").is_err());
}

#[test]
fn incomplete_folders_are_failures() {
    let root = std::env::temp_dir().join(format!("brasa-passes-{}", std::process::id()));
    let folder = root.join("simplify");
    fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writes");
    let failures = || check_folder(&folder, false).join("\n");
    assert_eq!(failures(), "simplify: the folder has no fixtures");
    write("a.expected", "");
    assert_eq!(failures(), "simplify/a: there is no .ir file of this name");
    fs::remove_file(folder.join("a.expected")).expect("removes");
    write("b.ir", "%x = input f32[2]\nreturn %x");
    assert!(failures().starts_with("simplify/b: ") && failures().contains("b.expected"));
    write("b.expected", "%0 = input \"x\" f32[3]\nreturn %0\n");
    let differences = "- %0 = input \"x\" f32[3]\n+ %0 = input \"x\" f32[2]\n  return %0";
    assert_eq!(failures(), format!("simplify/b: expected -, found +\n{differences}"));
    assert_eq!(check_folder(&folder, true).join("\n") + &failures(), "");
    fs::remove_dir_all(root).expect("removes");
}
