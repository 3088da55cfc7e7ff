//! `cargo x gen`: the files that are written from the op table, `docs/ops.md` for people and
//! `docs/ops.json` for other languages, and the methods of the Rust and TypeScript facades. Rendering
//! is pure; only `table` reads the op table.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use brasa_ir::table::{self, OpEntry};
use serde::Serialize;

/// One entry of the op table, as text.
#[derive(Serialize)]
struct Op {
    name: &'static str,
    category: &'static str,
    doc: &'static str,
    aliases: &'static [&'static str],
    params: Vec<Param>,
    returns: String,
    /// Whether it has to look at data before its result has a shape.
    reads: bool,
    /// Arguments of example calls, such as `f32[2, 3], dim=1`.
    cases: &'static [&'static str],
}

#[derive(Serialize)]
struct Param {
    name: &'static str,
    #[serde(rename = "type")]
    spec: String,
    default: Option<&'static str>,
}

/// A file that `cargo x gen` owns: where it lies below the root, and its text.
struct Generated {
    path: String,
    text: String,
}

/// The entries of the op table, by category.
fn table() -> Vec<Op> {
    brasa_ir::table::all().iter().map(op).collect()
}

fn op(entry: &'static OpEntry) -> Op {
    let param =
        |p: &table::Param| Param { name: p.name, spec: p.spec.to_string(), default: p.default };
    Op {
        name: entry.name,
        category: entry.category,
        doc: entry.doc,
        aliases: entry.aliases,
        params: entry.params.iter().map(param).collect(),
        returns: entry.returns.to_string(),
        reads: matches!(entry.call, table::Call::Reading(_)),
        cases: entry.cases,
    }
}

/// Writes the generated files, or with `check` compares them with those on disk.
pub(crate) fn run(root: &Path, check: bool) -> ExitCode {
    let stale = stale(root, files(&table()));
    if check {
        for file in &stale {
            eprintln!("{} is stale; renew it with: cargo x gen", file.path);
        }
        return if stale.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    for file in stale {
        if let Err(error) = fs::write(root.join(&file.path), file.text) {
            eprintln!("{} cannot be written: {error}", file.path);
            return ExitCode::FAILURE;
        }
        println!("wrote {}", file.path);
    }
    ExitCode::SUCCESS
}

fn files(ops: &[Op]) -> Vec<Generated> {
    let mut files = vec![
        Generated { path: "docs/ops.md".to_string(), text: manual(ops) },
        Generated { path: "docs/ops.json".to_string(), text: data(ops) },
    ];
    let methods = crate::methods::files().into_iter().chain(crate::typescript::files());
    files.extend(methods.map(|(path, text)| Generated { path, text }));
    files
}

/// The files whose text on disk is another, or that are not there.
fn stale(root: &Path, files: Vec<Generated>) -> Vec<Generated> {
    let is_stale = |file: &Generated| {
        fs::read_to_string(root.join(&file.path)).map_or(true, |on_disk| on_disk != file.text)
    };
    files.into_iter().filter(is_stale).collect()
}

/// The table for programs: one object per op.
fn data(ops: &[Op]) -> String {
    #[derive(Serialize)]
    struct File<'a> {
        note: &'static str,
        ops: &'a [Op],
    }
    let file = File { note: "Generated from the op table by `cargo x gen`.", ops };
    let text = serde_json::to_string_pretty(&file).expect("entries are plain text");
    text + "\n"
}

/// The table for people, in Markdown.
fn manual(ops: &[Op]) -> String {
    let categories: Vec<&[Op]> = ops.chunk_by(|a, b| a.category == b.category).collect();
    let contents: String = categories.iter().map(|ops| contents(ops)).collect();
    let sections: String = categories.iter().map(|ops| sections(ops)).collect();
    format!(
        "# Ops\n\n\
         Every op of Brasa, by category. This file is generated from the op table by\n\
         `cargo x gen`; change the op, not this page.\n\n{contents}{sections}"
    )
}

/// One category in the table of contents.
fn contents(ops: &[Op]) -> String {
    let category = ops[0].category;
    let links: Vec<String> = ops.iter().map(|op| format!("  [{0}](#{0})", op.name)).collect();
    format!("- [{category} ops](#{category}-ops):\n{}\n", links.join(",\n"))
}

/// The sections of one category. Its heading has two words, so that no op has the same anchor.
fn sections(ops: &[Op]) -> String {
    let sections: String = ops.iter().map(|op| format!("\n{op}")).collect();
    format!("\n## {} ops\n{sections}", ops[0].category)
}

/// A section of the manual.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "### {}\n", self.name)?;
        writeln!(f, "`{}`\n", signature(self))?;
        writeln!(f, "{}", self.doc.trim())?;
        if !self.aliases.is_empty() {
            let aliases: Vec<String> = self.aliases.iter().map(|a| format!("`{a}`")).collect();
            writeln!(f, "\nAlso called {}.", aliases.join(", "))?;
        }
        if self.reads {
            writeln!(f, "\nReads data first: the shape of the result depends on it.")?;
        }
        if let Some(case) = self.cases.first() {
            writeln!(f, "\nExample: `{}({case})`", self.name)?;
        }
        Ok(())
    }
}

/// The op as one calls it: `softmax(input: Tensor, dim: int = -1) -> Tensor`.
fn signature(op: &Op) -> String {
    let param = |p: &Param| match p.default {
        Some(default) => format!("{}: {} = {default}", p.name, p.spec),
        None => format!("{}: {}", p.name, p.spec),
    };
    let params: Vec<String> = op.params.iter().map(param).collect();
    format!("{}({}) -> {}", op.name, params.join(", "), op.returns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(name: &'static str, spec: &str, default: Option<&'static str>) -> Param {
        Param { name, spec: spec.to_string(), default }
    }

    fn sample() -> Vec<Op> {
        let exp = Op {
            name: "exp",
            category: "math",
            doc: "e to the power of each element.",
            aliases: &[],
            params: vec![param("input", "Tensor", None)],
            returns: "Tensor".to_string(),
            reads: false,
            cases: &[],
        };
        let softmax = Op {
            name: "softmax",
            category: "nn",
            doc: "Positive numbers that sum to one along `dim`.",
            aliases: &["soft_max"],
            params: vec![param("input", "Tensor", None), param("dim", "int", Some("-1"))],
            returns: "Tensor".to_string(),
            reads: false,
            cases: &["f32[2, 3], dim=1", "f32[4]"],
        };
        vec![exp, softmax]
    }

    #[test]
    fn the_manual_has_contents_and_a_section_per_op() {
        let expected = "\
# Ops

Every op of Brasa, by category. This file is generated from the op table by
`cargo x gen`; change the op, not this page.

- [math ops](#math-ops):
  [exp](#exp)
- [nn ops](#nn-ops):
  [softmax](#softmax)

## math ops

### exp

`exp(input: Tensor) -> Tensor`

e to the power of each element.

## nn ops

### softmax

`softmax(input: Tensor, dim: int = -1) -> Tensor`

Positive numbers that sum to one along `dim`.

Also called `soft_max`.

Example: `softmax(f32[2, 3], dim=1)`
";
        assert_eq!(manual(&sample()), expected);
    }

    #[test]
    fn the_data_hold_every_field() {
        let data: serde_json::Value = serde_json::from_str(&data(&sample())).unwrap();
        let softmax = serde_json::json!({
            "name": "softmax",
            "category": "nn",
            "doc": "Positive numbers that sum to one along `dim`.",
            "aliases": ["soft_max"],
            "params": [
                { "name": "input", "type": "Tensor", "default": null },
                { "name": "dim", "type": "int", "default": "-1" },
            ],
            "returns": "Tensor",
            "reads": false,
            "cases": ["f32[2, 3], dim=1", "f32[4]"],
        });
        assert_eq!(data["ops"][1], softmax);
        assert_eq!(data["ops"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_changed_or_absent_file_is_stale() {
        let root = std::env::temp_dir().join(format!("brasa-gen-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("same"), "text").unwrap();
        fs::write(root.join("changed"), "old text").unwrap();
        let files = ["same", "changed", "absent"]
            .map(|path| Generated { path: path.to_string(), text: "text".to_string() });
        let stale = stale(&root, files.into());
        fs::remove_dir_all(&root).unwrap();
        let paths: Vec<_> = stale.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["changed", "absent"]);
    }
}
