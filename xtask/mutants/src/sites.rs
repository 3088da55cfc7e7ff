//! Finds mutation sites in a source file: operators, conditions, integer literals, function bodies,
//! and operators in the text of shaders. Skips constant expressions, as they are not evaluated at
//! run time.
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use std::ops::Range;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Lit, Token};

/// A possible change of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The bytes it replaces; for a function, the empty range at the start of its body.
    pub range: Range<usize>,
    pub line: usize,
    /// The new code: an expression, or a return statement.
    pub code: String,
    /// The change in readable form.
    pub original: String,
    pub mutated: String,
}

/// Which parts of a file to mutate.
#[derive(Clone, Copy, Default)]
pub struct Scope {
    /// Only functions of this name, and lists of closures after this name in macros.
    pub only: Option<&'static str>,
    /// Also operators in string literals.
    pub has_shaders: bool,
}

/// All mutation sites of a file.
pub fn find(source: &str, scope: Scope) -> Result<Vec<Site>, syn::Error> {
    let file = syn::parse_file(source)?;
    let is_inside = scope.only.is_none();
    let mut finder = Finder { source, scope, is_inside, sites: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.sites)
}

struct Finder<'a> {
    source: &'a str,
    scope: Scope,
    /// Whether the current code is in scope.
    is_inside: bool,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn text(&self, of: &impl Spanned) -> &str {
        &self.source[of.span().byte_range()]
    }

    fn add(&mut self, span: Span, code: String, original: &str, mutated: &str) {
        if !self.is_inside {
            return;
        }
        self.sites.push(Site {
            range: span.byte_range(),
            line: span.start().line,
            code,
            original: shorten(original),
            mutated: shorten(mutated),
        });
    }

    fn replace(&mut self, span: Span, code: &str) {
        let original = self.source[span.byte_range()].to_string();
        self.add(span, code.to_string(), &original, code);
    }

    /// Replaces a condition by true and false, unless it binds names.
    fn replace_condition(&mut self, condition: &Expr) {
        if !has_let(condition) {
            self.replace(condition.span(), "true");
            self.replace(condition.span(), "false");
        }
    }

    /// Makes a function return a default value immediately.
    fn return_early(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if block.stmts.is_empty() || !self.is_inside {
            return;
        }
        let (open, name) = (block.brace_token.span.open().byte_range().end, &signature.ident);
        for value in defaults(&signature.output) {
            self.sites.push(Site {
                range: open..open,
                line: signature.ident.span().start().line,
                code: format!("return {value};"),
                original: format!("fn {name}"),
                mutated: format!("fn {name} {{ {value} }}"),
            });
        }
    }

    /// Visits a function, which may be the one that the scope names.
    fn function(
        &mut self,
        attributes: &[syn::Attribute],
        signature: &syn::Signature,
        block: &syn::Block,
    ) {
        if signature.constness.is_some() || is_excluded(attributes) {
            return;
        }
        let was_inside = self.is_inside;
        self.is_inside |= self.scope.only.is_some_and(|only| signature.ident == only);
        self.return_early(signature, block);
        self.visit_block(block);
        self.is_inside = was_inside;
    }

    /// Mutates operators in a string literal. `whole` is the code to replace: the literal or the
    /// macro call around it.
    fn shader(&mut self, literal: Span, whole: Span) {
        let (literal, around) = (literal.byte_range(), whole.byte_range());
        let text = &self.source[literal.clone()];
        let mut found = Vec::new();
        for (operator, others) in SHADER_OPERATORS {
            for (at, _) in text.match_indices(operator) {
                let at = literal.start + at;
                let before = &self.source[around.start..at];
                let after = &self.source[at + operator.len()..around.end];
                for other in *others {
                    let code = format!("{before}{other}{after}");
                    found.push((code, line_around(self.source, at), operator.trim(), other.trim()));
                }
            }
        }
        for (code, line, operator, other) in found {
            let mutated = format!("{operator} becomes {other}");
            self.add(whole, code, &line, &mutated);
        }
    }

    /// Visits arguments of known macros as expressions, and lists of closures in other macros.
    fn arguments(&mut self, macro_: &syn::Macro) {
        let name = macro_.path.segments.last().map(|last| last.ident.to_string());
        let plain: usize = match name.as_deref() {
            Some("vec") => 0,
            Some("format") => 1,
            Some("write" | "writeln") => 2,
            _ => return self.closures(macro_.tokens.clone()),
        };
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(all) = macro_.parse_body_with(parser) else { return };
        let literal = plain.checked_sub(1).and_then(|n| all.get(n));
        if let (true, Some(Expr::Lit(literal))) = (self.scope.has_shaders, literal) {
            self.shader(literal.span(), macro_.span());
        }
        all.iter().skip(plain).for_each(|argument| self.visit_expr(argument));
    }

    /// Finds closures in brackets after the name in scope: `grad: &[|v| …]`.
    fn closures(&mut self, tokens: TokenStream) {
        let Some(only) = self.scope.only else { return };
        let mut is_named = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) => is_named = ident == only,
                TokenTree::Group(group) => {
                    if is_named && group.delimiter() == Delimiter::Bracket {
                        self.rules(group.stream());
                    } else {
                        self.closures(group.stream());
                    }
                    is_named = false;
                }
                _ => {}
            }
        }
    }

    fn rules(&mut self, tokens: TokenStream) {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(all) = syn::parse::Parser::parse2(parser, tokens) else { return };
        let was_inside = std::mem::replace(&mut self.is_inside, true);
        for rule in &all {
            if let Expr::Closure(closure) = rule {
                self.visit_expr(&closure.body);
            }
        }
        self.is_inside = was_inside;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Macro(item) if item.ident.is_some() => return,
            syn::Item::Fn(_) | syn::Item::Macro(_) => return visit::visit_item(self, item),
            _ => return,
        };
        if !is_excluded(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_macro(&mut self, macro_: &'ast syn::Macro) {
        self.arguments(macro_);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.replace_condition(&branch.cond);
        visit::visit_expr_if(self, branch);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.replace_condition(guard);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if matches!(unary.op, syn::UnOp::Not(_) | syn::UnOp::Neg(_)) {
            let operand = self.text(&unary.expr).to_string();
            self.replace(unary.span(), &operand);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let [left, right] =
                [&binary.left, &binary.right].map(|side| self.text(side).to_string());
            let operator = self.text(&binary.op).to_string();
            for other in other_operators(&operator) {
                let code = format!("({left}) {other} ({right})");
                let original = format!("{left} {operator} {right}");
                self.add(binary.span(), code, &original, &format!("{left} {other} {right}"));
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_lit(&mut self, literal: &'ast syn::ExprLit) {
        match &literal.lit {
            Lit::Int(int) => {
                if let Ok(value) = int.base10_parse::<u64>() {
                    let more = format!("{}{}", value.saturating_add(1), int.suffix());
                    self.replace(literal.span(), &more);
                }
            }
            Lit::Str(_) if self.scope.has_shaders => self.shader(literal.span(), literal.span()),
            _ => {}
        }
    }
}

/// The replacements of an operator.
fn other_operators(operator: &str) -> &'static [&'static str] {
    match operator {
        "+" => &["-", "*"],
        "-" => &["+", "/"],
        "*" => &["+", "/"],
        "/" => &["*", "%"],
        "%" => &["/", "+"],
        "<" => &["<=", ">="],
        "<=" => &["<", ">"],
        ">" => &[">=", "<="],
        ">=" => &[">", "<"],
        "==" => &["!="],
        "!=" => &["=="],
        "&&" => &["||"],
        "||" => &["&&"],
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["|", "&"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        "+=" => &["-=", "*="],
        "-=" => &["+=", "/="],
        "*=" => &["+=", "/="],
        "/=" => &["*="],
        "%=" => &["/="],
        "&=" => &["|="],
        "|=" => &["&=", "^="],
        "^=" => &["|="],
        "<<=" => &[">>="],
        ">>=" => &["<<="],
        _ => &[],
    }
}

/// The same for operators in the text of a shader, which have spaces around them.
const SHADER_OPERATORS: &[(&str, &[&str])] = &[
    (" + ", &[" - "]),
    (" - ", &[" + "]),
    (" * ", &[" + "]),
    (" / ", &[" * "]),
    (" % ", &[" / "]),
    (" < ", &[" <= "]),
    (" <= ", &[" < "]),
    (" > ", &[" >= "]),
    (" >= ", &[" > "]),
    (" == ", &[" != "]),
    (" != ", &[" == "]),
    (" && ", &[" || "]),
    (" || ", &[" && "]),
    (" & ", &[" | "]),
    (" | ", &[" & "]),
    (" << ", &[" >> "]),
    (" >> ", &[" << "]),
    (" += ", &[" -= "]),
];

/// Default values that a function can return.
fn defaults(output: &syn::ReturnType) -> &'static [&'static str] {
    let syn::ReturnType::Type(_, ty) = output else { return &["()"] };
    let syn::Type::Path(path) = &**ty else { return &[] };
    let Some(last) = path.path.segments.last() else { return &[] };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "Option" => &["None"],
        "Vec" => &["Vec::new()"],
        "String" => &["String::new()"],
        "Result" if gives_nothing(&last.arguments) => &["Ok(())"],
        _ => &[],
    }
}

/// Whether the first argument of a type is `()`.
fn gives_nothing(arguments: &syn::PathArguments) -> bool {
    let syn::PathArguments::AngleBracketed(arguments) = arguments else { return false };
    let first = arguments.args.first();
    matches!(first, Some(syn::GenericArgument::Type(syn::Type::Tuple(of))) if of.elems.is_empty())
}

/// Whether a condition binds names that later code uses.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Whether an item is test code or for another target.
fn is_excluded(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return attribute.path().is_ident("test");
        };
        let text = list.tokens.to_string();
        let is_for = ["wasm32", "aarch64", "brasa_"].iter().any(|name| text.contains(name));
        list.path.is_ident("cfg") && (text == "test" || is_for && !text.contains("not"))
    })
}

/// The line that contains a byte, trimmed.
fn line_around(source: &str, at: usize) -> String {
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = source[at..].find('\n').map_or(source.len(), |end| at + end);
    source[start..end].trim().to_string()
}

/// A text in one line, truncated if long.
fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 90;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The changes of a source text in readable form.
    fn changes(source: &str, scope: Scope) -> Vec<String> {
        let sites = find(source, scope).expect("a source");
        sites.into_iter().map(|site| site.mutated).collect()
    }

    #[test]
    fn operators_conditions_numbers_and_bodies_are_mutated() {
        let cases: [(&str, &[&str]); 9] = [
            ("fn f() -> u8 { a + b }", &["a - b", "a * b"]),
            ("fn f() -> u8 { a <= b }", &["a < b", "a > b"]),
            ("fn f() -> u8 { -a }", &["a"]),
            ("fn f() -> u8 { if a { b } else { c } }", &["true", "false"]),
            ("fn f() -> u8 { match a { _ if b => c, _ => d } }", &["true", "false"]),
            ("fn f() -> u8 { 0x10_u8 }", &["17u8"]),
            ("fn f() -> bool { g() }", &["fn f { true }", "fn f { false }"]),
            ("fn f() { a += b; }", &["fn f { () }", "a -= b", "a *= b"]),
            ("fn f() -> u8 { vec![a == b] }", &["a != b"]),
        ];
        for (source, want) in cases {
            assert_eq!(changes(source, Scope::default()), want, "{source}");
        }
    }

    #[test]
    fn compile_time_code_is_not_mutated() {
        let sources = [
            "const A: u8 = 1 + 2;",
            "static A: u8 = 1 + 2;",
            "const fn f() -> u8 { 1 + 2 }",
            "fn f(x: [u8; 1 + 2]) -> u8 { g::<{ 1 + 2 }>() }",
            "fn f() -> u8 { match x { 1 => y, 2..3 => z, _ => w } }",
            "fn f() -> u8 { if let Some(x) = y { x } else { z } }",
            "#[cfg(test)] mod tests { fn f() -> u8 { 1 + 2 } }",
            "#[cfg(target_arch = \"wasm32\")] fn f() -> u8 { 1 + 2 }",
            "macro_rules! f { () => { 1 + 2 } }",
        ];
        for source in sources {
            assert!(changes(source, Scope::default()).is_empty(), "{source}");
        }
    }

    #[test]
    fn a_scope_can_select_functions_by_name() {
        let scope = Scope { only: Some("grad"), ..Scope::default() };
        let source = "fn f() -> u8 { a + b } fn grad() -> u8 { a * b }
                      rows! { Row { eval: &[|v| v + w], grad: &[|v| v / w] } }";
        assert_eq!(changes(source, scope), ["a + b", "a / b", "v * w", "v % w"]);
    }

    #[test]
    fn operators_in_shaders_are_mutated() {
        let scope = Scope { has_shaders: true, ..Scope::default() };
        let source = "fn f() -> u8 { format!(\"{x} < {y}; {z}\", z = a == b) }";
        assert_eq!(changes(source, scope), ["< becomes <=", "a != b"]);
        assert_eq!(changes(source, Scope::default()), ["a != b"]);
        let sites = find(source, scope).expect("a source");
        assert_eq!(sites[0].code, "format!(\"{x} <= {y}; {z}\", z = a == b)");
    }
}
