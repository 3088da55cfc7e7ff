//! The TypeScript surface of the op table: `packages/brasa/src/generated` with the rows' numbers, the
//! free functions, the methods of `Tensor` and the options of ops that have any.

use std::fmt::Write;

use brasa_ir::table::{self, Call, OpEntry, Param, Returns};
use brasa_ir::value::Spec;

const FOLDER: &str = "packages/brasa/src/generated";

/// Ops whose TypeScript form is written by hand: they take `requiresGrad` or a plain list of lengths,
/// or work on the memory of a tensor.
const BY_HAND: [&str; 15] = [
    "arange",
    "detach",
    "empty",
    "eye",
    "full",
    "index",
    "index_put",
    "linspace",
    "ones",
    "rand",
    "randint",
    "randn",
    "randperm",
    "scalar_tensor",
    "zeros",
];

/// Ops that begin with a tensor and yet are no methods, or that PyTorch gives another order as such.
const NO_METHODS: [&str; 6] = ["adam_step", "logspace", "meshgrid", "normal", "sgd_step", "where"];

/// Aliases that are getters, belong to a namespace or mean an update in place.
const SKIPPED_ALIASES: [&str; 8] = ["H", "T", "getitem", "mH", "mT", "set", "setitem", "type"];

/// Words that cannot name a function.
const KEYWORDS: [&str; 1] = ["var"];

/// The files with their texts.
pub(crate) fn files() -> Vec<(String, String)> {
    let ops = table::all();
    let written: Vec<&OpEntry> = ops.iter().filter(|op| !BY_HAND.contains(&op.name)).collect();
    let file = |name: &str, text| (format!("{FOLDER}/{name}.ts"), text);
    vec![
        file("rows", rows(ops)),
        file("options", options(&written)),
        file("functions", functions(&written)),
        file("methods", methods(&written)),
    ]
}

fn header(what: &str) -> String {
    format!(
        "// {what} Generated from the op table by `cargo x gen`; change the op, not this file.\n"
    )
}

/// The number of each op.
fn rows(ops: &[OpEntry]) -> String {
    let mut text = header("The number of each op in the table.");
    for (n, op) in ops.iter().enumerate() {
        let _ = writeln!(text, "export const {} = {n};", ident(op.name));
    }
    text
}

/// The optional arguments by name.
fn options(ops: &[&OpEntry]) -> String {
    let mut text = header("Optional arguments of ops by name.");
    text += "import type { DTypeName, Operand, Tensor } from '../tensor.ts';\n";
    for op in ops.iter().filter(|op| has_options(op)) {
        let _ = write!(
            text,
            "\n/** Optional arguments of `{}`. */\nexport interface {} {{\n",
            camel(op.name),
            options_name(op)
        );
        for p in optional(op) {
            let default = default(p);
            let _ = writeln!(
                text,
                "  /** {} */",
                default
                    .map_or("Not given by default.".into(), |d| { format!("By default `{d}`.") })
            );
            let _ = writeln!(text, "  {}?: {} | undefined;", camel(p.name), ty(&p.spec));
            for other in respelt(p) {
                let _ = writeln!(text, "  /** The same as `{}`. */", camel(p.name));
                let _ = writeln!(text, "  {other}?: {} | undefined;", ty(&p.spec));
            }
        }
        text += "}\n";
    }
    text
}

/// PyTorch writes `keepdim`, others `keepDim` or `keepDims`.
fn respelt(p: &Param) -> &'static [&'static str] {
    if p.name == "keepdim" { &["keepDim", "keepDims"] } else { &[] }
}

/// Every op as a free function.
fn functions(ops: &[&OpEntry]) -> String {
    let mut text = header("Every op as a function.");
    text += IMPORTS;
    let mut aliases = Vec::new();
    for op in ops {
        let params: Vec<&Param> = shown(op).collect();
        for (name, form, results) in forms(op) {
            let name = ident(&name);
            let head = |out: &str, params: &str| format!("export function {name}({params}): {out}");
            text += &overloads(op, form, &results, &params, &head, None);
            aliases
                .extend(spellings(op, &name).into_iter().map(|alias| format!("{name} as {alias}")));
        }
    }
    let _ = write!(text, "\nexport {{\n  {},\n}};\n", aliases.join(",\n  "));
    text
}

/// The methods of `Tensor`.
fn methods(ops: &[&OpEntry]) -> String {
    let mut text = header("The ops that are methods of `Tensor`.");
    text += IMPORTS;
    text += "import { alias } from '../alias.ts';\n\n/** The ops of the table as methods. */\n\
             export abstract class Methods {\n";
    let mut aliases = Vec::new();
    for op in ops.iter().filter(|op| is_method(op)) {
        let params: Vec<&Param> = shown(op).skip(1).collect();
        for (name, form, results) in forms(op) {
            let head = |out: &str, params: &str| format!("{name}({params}): {out}");
            let body = overloads(op, form, &results, &params, &head, Some("this"));
            text += &indented(&body);
            let mut names = spellings(op, &name);
            if has_in_place(op) {
                let other = signature(op, &params);
                let args: Vec<String> = params.iter().map(|p| ident(&camel(p.name))).collect();
                let _ = write!(
                    text,
                    "\n  /** `{name}` in place. */\n  {name}_({other}): this {{\n    \
                     return this.copy_(this.{name}({}));\n  }}\n",
                    args.join(", ")
                );
                names.extend(names.clone().iter().map(|alias| format!("{alias}_")));
            }
            for alias in names {
                let own = match alias.strip_suffix('_') {
                    Some(_) => format!("{name}_"),
                    None => name.clone(),
                };
                aliases.push((alias, own));
            }
        }
    }
    text += "\n  /** Takes over the value of another tensor, in place. */\n  \
             abstract copy_(value: Operand): this;\n\n";
    for (alias, own) in &aliases {
        let _ =
            writeln!(text, "  /** Another name for `{own}`. */\n  declare {alias}: this['{own}'];");
    }
    text += "}\n\nalias(Methods.prototype, {\n";
    for (alias, own) in &aliases {
        let _ = writeln!(text, "  {alias}: '{own}',");
    }
    text + "});\n"
}

fn indented(text: &str) -> String {
    text.lines().map(|l| if l.is_empty() { "\n".into() } else { format!("  {l}\n") }).collect()
}

const IMPORTS: &str = "\
import { list, one, pair, reading, triple, unwrap, varied } from '../call.ts';
import type * as Options from './options.ts';
import * as Row from './rows.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';
";

/// The names an op is given, with the function that records it and what it gives.
fn forms(op: &OpEntry) -> Vec<(String, &'static str, Vec<Signature>)> {
    let name = camel(op.name);
    if op.params.iter().any(|p| p.name == "return_indices") {
        return vec![
            (name.clone(), "one", vec![Signature::plain("Tensor")]),
            (format!("{name}WithIndices"), "pair", vec![Signature::plain("[Tensor, Tensor]")]),
        ];
    }
    let reads = matches!(op.call, Call::Reading(_));
    let (form, results) = match (op.returns, op.name) {
        (_, "max" | "min") => (
            "varied",
            vec![
                Signature::plain("Tensor").with(""),
                Signature::plain("[Tensor, Tensor]").with("dim: number, keepdim?: boolean"),
                Signature::plain("Tensor").with("other: Tensor"),
            ],
        ),
        (_, "median" | "nanmedian") => (
            "varied",
            vec![
                Signature::plain("Tensor").with(""),
                Signature::plain("[Tensor, Tensor]").with("dim: number, keepdim?: boolean"),
            ],
        ),
        (Returns::Varied, _) => ("reading", vec![Signature::plain("Promise<Tensor | Tensor[]>")]),
        (Returns::Tensor, _) if reads => ("reading", vec![Signature::plain("Promise<Tensor>")]),
        (Returns::Tensor, _) => ("one", vec![Signature::plain("Tensor")]),
        (Returns::Pair, _) => ("pair", vec![Signature::plain("[Tensor, Tensor]")]),
        (Returns::Triple, _) => ("triple", vec![Signature::plain("[Tensor, Tensor, Tensor]")]),
        (Returns::List, _) => ("list", vec![Signature::plain("Tensor[]")]),
    };
    vec![(name, form, results)]
}

/// What a call gives, and its parameters where they differ from those of the row.
struct Signature {
    result: &'static str,
    params: Option<&'static str>,
}

impl Signature {
    fn plain(result: &'static str) -> Signature {
        Signature { result, params: None }
    }

    fn with(self, params: &'static str) -> Signature {
        Signature { params: Some(params), ..self }
    }
}

/// A function or method with its documentation and its overloads.
fn overloads(
    op: &OpEntry,
    form: &str,
    results: &[Signature],
    params: &[&Param],
    head: &dyn Fn(&str, &str) -> String,
    this: Option<&str>,
) -> String {
    let mut text = format!("\n{}", documentation(op));
    let own = signature(op, params);
    let receiver = |own: &str| match (this, own) {
        (Some(_), own) => own.to_string(),
        (None, "") => "input: Tensor".to_string(),
        (None, own) => format!("input: Tensor, {own}"),
    };
    if let [Signature { params: Some(_), .. }, ..] = results {
        for Signature { result, params } in results {
            let _ = writeln!(text, "{};", head(result, &receiver(params.unwrap_or_default())));
        }
    }
    let result = match results {
        [only] => only.result,
        _ => "Tensor | [Tensor, Tensor]",
    };
    let names = params.iter().map(|p| match is_rest(op, p) {
        true => format!("unwrap({})", ident(&camel(p.name))),
        false => ident(&camel(p.name)),
    });
    let args: Vec<String> = this.map(String::from).into_iter().chain(names).collect();
    let asked = if form == "pair" && op.returns == Returns::List {
        ", { returnIndices: true }"
    } else {
        ""
    };
    let call = match (form, result) {
        ("varied" | "reading", _) => {
            format!("{form}(Row.{}, [{}]) as {result}", ident(op.name), args.join(", "))
        }
        _ => format!("{form}(Row.{}, [{}]{asked})", ident(op.name), args.join(", ")),
    };
    let _ = writeln!(text, "{} {{\n  return {call};\n}}", head(result, &own));
    text
}

/// The parameters with their types; a plain object may stand for the optional ones.
fn signature(op: &OpEntry, params: &[&Param]) -> String {
    let needed_after = |n: usize| params[n + 1..].iter().any(|p| p.default.is_none());
    let param = |(n, p): (usize, &&Param)| {
        let (name, ty) = (ident(&camel(p.name)), ty(&p.spec));
        let options = options_name(op);
        match p.default {
            None if is_rest(op, p) => format!("...{name}: number[] | [readonly number[]]"),
            None => format!("{name}: {ty}"),
            Some(_) if needed_after(n) => format!("{name}: {ty} | undefined"),
            Some(_) => format!("{name}?: {ty} | Options.{options}"),
        }
    };
    params.iter().enumerate().map(param).collect::<Vec<_>>().join(", ")
}

/// The parameters but for what the name says already.
fn shown(op: &OpEntry) -> impl Iterator<Item = &Param> {
    op.params.iter().filter(|p| p.name != "return_indices")
}

fn optional(op: &OpEntry) -> impl Iterator<Item = &Param> {
    shown(op).filter(|p| p.default.is_some())
}

/// A list at the end, whose items may be written out.
fn is_rest(op: &OpEntry, p: &Param) -> bool {
    let is_last = op.params.last().is_some_and(|last| last.name == p.name);
    is_last && p.default.is_none() && matches!(p.spec, Spec::List(Spec::Int))
}

fn has_options(op: &OpEntry) -> bool {
    optional(op).next().is_some()
}

fn is_method(op: &OpEntry) -> bool {
    let takes_first =
        op.params.first().is_some_and(|p| matches!(p.spec, Spec::Tensor | Spec::Operand));
    takes_first && !NO_METHODS.contains(&op.name)
}

/// Functions of elements can replace them.
fn has_in_place(op: &OpEntry) -> bool {
    let rooms = ["scalar", "arithmetic", "activations", "logic"];
    let rest = [
        "fill",
        "tril",
        "triu",
        "dropout",
        "masked_fill",
        "index_add",
        "index_copy",
        "index_fill",
        "scatter",
        "scatter_add",
        "bernoulli",
        "exponential",
    ];
    let is_unlike = op.name.starts_with("is") || ["glu", "swiglu", "geglu"].contains(&op.name);
    op.returns == Returns::Tensor
        && !is_unlike
        && (rooms.contains(&op.room) || rest.contains(&op.name))
}

/// Other names of an op: PyTorch's with underscores, and aliases in both spellings.
fn spellings(op: &OpEntry, name: &str) -> Vec<String> {
    if name.ends_with("WithIndices") {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut add = |alias: &str| {
        for spelling in [camel(alias), alias.to_string()] {
            if spelling != camel(op.name) && !names.contains(&spelling) {
                names.push(spelling);
            }
        }
    };
    add(op.name);
    let is_word = |alias: &&&str| !alias.contains('.') && !alias.starts_with("__");
    let is_free = |alias: &&&str| !SKIPPED_ALIASES.contains(alias);
    op.aliases.iter().filter(is_word).filter(is_free).for_each(|alias| add(alias));
    names
}

fn documentation(op: &OpEntry) -> String {
    let defaults =
        op.params.iter().filter_map(|p| Some(format!("`{} = {}`", camel(p.name), default(p)?)));
    let defaults: Vec<String> = defaults.collect();
    let mut lines: Vec<String> = op.doc.lines().map(String::from).collect();
    if !defaults.is_empty() {
        lines.extend([String::new(), format!("Defaults: {}.", defaults.join(", "))]);
    }
    let body: String =
        lines.iter().map(|line| format!(" * {line}").trim_end().to_string() + "\n").collect();
    format!("/**\n{body} */\n")
}

/// The default as TypeScript writes it; `None` where nothing stands for it.
fn default(p: &Param) -> Option<String> {
    let text = p.default?.trim_end_matches(".into()");
    let choice = text.split_once("::").map(|(_, word)| word.to_lowercase());
    match (text, choice) {
        ("none", _) => None,
        (_, Some(word)) => Some(format!("'{word}'")),
        (text, None) => Some(text.trim_end_matches(".0").to_string()),
    }
}

/// The type of what a parameter accepts.
fn ty(spec: &Spec) -> String {
    match spec {
        Spec::Tensor => "Tensor".to_string(),
        Spec::Operand => "Operand".to_string(),
        Spec::Number | Spec::Int | Spec::Float => "number".to_string(),
        Spec::Bool => "boolean".to_string(),
        Spec::Str => "string".to_string(),
        Spec::DType => "DTypeName".to_string(),
        Spec::Index => "Index".to_string(),
        Spec::Choice(words) => {
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | ")
        }
        Spec::List(Spec::Tensor) => "readonly Tensor[]".to_string(),
        Spec::List(item) => {
            let item = ty(item);
            let listed = if item.contains(' ') { format!("({item})") } else { item.clone() };
            format!("{item} | readonly {listed}[]")
        }
        Spec::Optional(item) => format!("{} | null", ty(item)),
        Spec::Either(one, other) => format!("{} | {}", ty(one), ty(other)),
    }
}

/// `log_softmax` → `logSoftmax`.
fn camel(name: &str) -> String {
    let mut words = name.split('_').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_string();
    let rest = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    first + &rest.collect::<String>()
}

fn ident(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_string() }
}

/// `conv2d` → `Conv2dOptions`.
fn options_name(op: &OpEntry) -> String {
    let name = camel(op.name);
    name[..1].to_uppercase() + &name[1..] + "Options"
}
