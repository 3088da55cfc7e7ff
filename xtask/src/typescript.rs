//! The TypeScript surface of the op table: `packages/brasa/src/generated` with the op ids, the
//! free functions, the methods of `Tensor` and the options of ops that have any.

use std::fmt::Write;
use std::iter::once;

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
        file("op-ids", op_ids(ops)),
        file("options", options(&written)),
        file("functions", functions(&written)),
        file("methods", methods(ops)),
    ]
}

fn header(what: &str) -> String {
    format!(
        "// {what} Generated from the op table by `cargo x gen`; change the op, not this file.\n"
    )
}

/// The id of each op: its index in the table.
fn op_ids(ops: &[OpEntry]) -> String {
    let mut text = header("The id of each op: its index in the op table.");
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

/// Every op as a free function. Those that look alike are neighbours: that compresses best.
fn functions(ops: &[&OpEntry]) -> String {
    let mut text = header("Every op as a function, those with few parameters first.");
    text += FUNCTION_IMPORTS;
    let all = ops.iter().flat_map(|op| forms(op).into_iter().map(move |form| (op, form)));
    let mut all: Vec<(&&OpEntry, Form)> = all.collect();
    all.sort_by_key(|(op, (_, form, _))| (shown(op).count(), *form));
    let mut aliases = Vec::new();
    for (op, (name, form, results)) in all {
        let name = ident(&name);
        text += &function(op, &name, form, &results);
        aliases.extend(spellings(op, &name).into_iter().map(|alias| format!("{name} as {alias}")));
    }
    let _ = write!(text, "\nexport {{\n  {},\n}};\n", aliases.join(",\n  "));
    text
}

/// A function with its documentation. An arrow is the shortest, but has no overloads.
fn function(op: &OpEntry, name: &str, form: &str, results: &[Signature]) -> String {
    let params: Vec<&Param> = shown(op).collect();
    let args: Vec<String> = params.iter().map(|p| argument(op, p)).collect();
    let asked = match (form, op.returns) {
        ("pair", Returns::List) => ", { returnIndices: true }",
        _ => "",
    };
    let call = format!("{form}(opId.{}, [{}]{asked})", ident(op.name), args.join(", "));
    let (own, doc) = (signature(op, &params), documentation(op));
    let [Signature { result, .. }] = results else {
        return format!("\n{doc}{}", overloaded(name, &own, &call, results));
    };
    let cast = if form == "reading" { format!(" as {result}") } else { String::new() };
    format!("\n{doc}export const {name} = ({own}): {result} => {call}{cast};\n")
}

fn overloaded(name: &str, own: &str, call: &str, results: &[Signature]) -> String {
    let mut text = String::new();
    for Signature { result, params } in results {
        let receiver = match params.unwrap_or_default() {
            "" => "input: Tensor".to_string(),
            params => format!("input: Tensor, {params}"),
        };
        let _ = writeln!(text, "export function {name}({receiver}): {result};");
    }
    let result = "Tensor | [Tensor, Tensor]";
    let _ = writeln!(
        text,
        "export function {name}({own}): {result} {{\n  return {call} as {result};\n}}"
    );
    text
}

/// A parameter as it is handed on.
fn argument(op: &OpEntry, p: &Param) -> String {
    let name = ident(&camel(p.name));
    if is_rest(op, p) { format!("unwrap({name})") } else { name }
}

/// The methods of `Tensor`: their types, and the table that they are installed from.
fn methods(ops: &[OpEntry]) -> String {
    let mut text = header("The ops that are methods of `Tensor`: their types, and a table.");
    text += METHOD_IMPORTS;
    text += "\n/** The ops of the table as methods. */\nexport interface Methods {\n";
    let mut aliases = String::new();
    for op in ops.iter().filter(|op| is_method(op)) {
        let params: Vec<&Param> = shown(op).skip(1).collect();
        for (name, _, results) in forms(op) {
            text += &indented(&declared(op, &name, &results, &params));
            for alias in spellings(op, &name) {
                aliases += &another(&alias, &name);
                if has_in_place(op) {
                    aliases += &another(&format!("{alias}_"), &format!("{name}_"));
                }
            }
        }
    }
    let _ = write!(text, "\n{aliases}}}\n\n{TABLE_DOC}export const METHODS = `");
    let rows: Vec<String> = ops.iter().map(method_line).collect();
    text + rows.join("\n").trim_end() + "`;\n"
}

/// The types of a method and of its form in place, with their documentation.
fn declared(op: &OpEntry, name: &str, results: &[Signature], params: &[&Param]) -> String {
    let own = signature(op, params);
    let mut text = format!("\n{}", documentation(op));
    for Signature { result, params } in results {
        let _ = writeln!(text, "{name}({}): {result};", params.unwrap_or(&own));
    }
    if has_in_place(op) {
        let _ = writeln!(text, "\n/** `{name}` in place. */\n{name}_({own}): this;");
    }
    text
}

fn another(alias: &str, own: &str) -> String {
    format!("  /** Another name for `{own}`. */\n  {alias}: this['{own}'];\n")
}

const TABLE_DOC: &str = "\
/**
 * A line for each op, in the order of their numbers, empty where there is no method: its names with underscores, then
 * how many parameters it has, what it gives if that is not one tensor (`p`air, `t`riple, `l`ist, `v`aried, `r`eading),
 * `*` if the last parameter is a list that may be written out, `_` if there is a form in place, `+` if there is one
 * `WithIndices`.
 */
";

/// The line of an op in the table of methods.
fn method_line(op: &OpEntry) -> String {
    if !is_method(op) {
        return String::new();
    }
    let names: Vec<&str> = once(op.name).chain(words(op)).collect();
    let params: Vec<&Param> = shown(op).skip(1).collect();
    let forms = forms(op);
    let gives = if forms[0].1 == "one" { "" } else { &forms[0].1[..1] };
    let marks = [
        (params.iter().any(|p| is_rest(op, p)), "*"),
        (has_in_place(op), "_"),
        (forms.len() > 1, "+"),
    ];
    let marks: String = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
    format!("{},{}{gives}{marks}", names.join(","), params.len())
}

fn indented(text: &str) -> String {
    text.lines().map(|l| if l.is_empty() { "\n".into() } else { format!("  {l}\n") }).collect()
}

const FUNCTION_IMPORTS: &str = "\
import { list, one, pair, reading, triple, unwrap, varied } from '../call.ts';
import type * as Options from './options.ts';
import * as opId from './op-ids.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';
";

const METHOD_IMPORTS: &str = "\
import type * as Options from './options.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';
";

/// A name of an op, with the function that records it and what it gives.
type Form = (String, &'static str, Vec<Signature>);

/// The names an op is given.
fn forms(op: &OpEntry) -> Vec<Form> {
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

/// What a call gives, and its parameters where they differ from those of the op table.
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
    takes_first && ![&BY_HAND[..], &NO_METHODS].concat().contains(&op.name)
}

/// Functions of elements can replace them.
fn has_in_place(op: &OpEntry) -> bool {
    let categories = ["scalar", "arithmetic", "activations", "logic"];
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
        && (categories.contains(&op.category) || rest.contains(&op.name))
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
    words(op).for_each(add);
    names
}

/// The aliases that can be names.
fn words(op: &OpEntry) -> impl Iterator<Item = &'static str> {
    let is_word = |alias: &&str| !alias.contains('.') && !alias.starts_with("__");
    let is_free = |alias: &&str| !SKIPPED_ALIASES.contains(alias);
    op.aliases.iter().copied().filter(is_word).filter(is_free)
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
