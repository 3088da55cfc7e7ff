//! `#[op]` adds a documented function to the op table.
//!
//! ```text
//! /// Softmax along `dim`.
//! #[op(alias = "soft_max", case = "f32[2, 3], dim=1")]
//! pub fn softmax(g: &Recorder, input: Expr, #[default(-1)] dim: isize) -> Result<Expr> { … }
//! ```
//!
//! With `reads`, the second parameter of the function is a `&mut dyn Reader`, for ops whose result
//! shape depends on data.
//!
//! A trailing underscore of the function's name is not part of the op's name; it serves for names
//! that are taken in Rust.
//!
//! The macro adds the lifetime of the recorder to the signature, wraps the body in a scope (which
//! puts the op's name and the user's call site into errors), and generates a module of the same
//! name with the table `ENTRY`.
//!
//! `#[derive(Module)]` finds the parameters of a struct by the names of its fields.
mod module;

use proc_macro::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, GenericArgument, Ident, ItemFn, Lit, Meta, Pat,
    PathArguments, ReturnType, Token, Type, parse_macro_input, parse_quote,
};

type Attributes = Punctuated<Meta, Token![,]>;
type Tokens = proc_macro2::TokenStream;

/// See the crate's documentation.
#[proc_macro_attribute]
pub fn op(attributes: TokenStream, function: TokenStream) -> TokenStream {
    let parser = Attributes::parse_terminated;
    let attributes = parse_macro_input!(attributes with parser);
    let function = parse_macro_input!(function as ItemFn);
    expand(attributes, function).unwrap_or_else(Error::into_compile_error).into()
}

/// Implements `Module` for a struct of layers: each parameter is named by the path of fields to it.
///
/// Every field must be a module; numbers, flags and texts count as modules without parameters, and
/// `#[module(skip)]` leaves a field out.
#[proc_macro_derive(Module, attributes(module))]
pub fn derive_module(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as syn::DeriveInput);
    module::expand(input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(attributes: Attributes, mut function: ItemFn) -> syn::Result<Tokens> {
    let aliases = strings(&attributes, "alias")?;
    let cases = strings(&attributes, "case")?;
    let reads = attributes.iter().any(|m| m.path().is_ident("reads"));
    if let Some(unknown) = attributes.iter().find(|m| !is_known(m)) {
        let what = "expected alias = \"…\", case = \"…\" or reads";
        return Err(Error::new_spanned(unknown, what));
    }
    let doc = documentation(&function.attrs);
    if doc.is_empty() {
        return Err(Error::new_spanned(&function.sig.ident, "an op needs a doc comment"));
    }

    function.sig.generics = parse_quote!(<'g>);
    // An op has the parameters of PyTorch's.
    function.attrs.push(parse_quote!(#[allow(clippy::too_many_arguments)]));
    AddLifetime.visit_signature_mut(&mut function.sig);
    let params = parameters(&mut function, if reads { 2 } else { 1 })?;
    let output = result_of(&function.sig.output)?.clone();

    let ident = function.sig.ident.clone();
    let name = ident.to_string();
    let name = name.trim_start_matches("r#").trim_end_matches('_').to_string();
    let function = scoped(&function, &name);
    let entry = entry(&Entry { ident, name, doc, aliases, cases, reads, params, output });
    Ok(quote! {
        #function
        #entry
    })
}

/// The function with its body in a scope of the op's name.
fn scoped(function: &ItemFn, name: &str) -> Tokens {
    let (body, returns) = (&function.block, &function.sig.output);
    let scoped: syn::Block = parse_quote!({ g.scope(#name, move || #returns #body) });
    let (vis, sig) = (&function.vis, &function.sig);
    let attributes = &function.attrs;
    // A page records only through the op table, whose calls are scopes already: no scope in the op
    // itself.
    quote! {
        #(#attributes)*
        #[cfg(not(brasa_page))]
        #[track_caller]
        #vis #sig #scoped

        #(#attributes)*
        #[cfg(brasa_page)]
        #[allow(unused_variables)]
        #vis #sig #body
    }
}

/// What the op table says about an op.
struct Entry {
    ident: Ident,
    name: String,
    doc: String,
    aliases: Vec<String>,
    cases: Vec<String>,
    /// Whether the op reads data.
    reads: bool,
    params: Vec<Param>,
    output: Type,
}

/// The function that calls an op with bound arguments.
fn caller(entry: &Entry) -> Tokens {
    let Entry { ident, reads, params, .. } = entry;
    let names: Vec<Ident> = (0..params.len()).map(|n| format_ident!("arg{n}")).collect();
    let values = params.iter().enumerate().map(|(n, p)| p.read(n));
    let (reader, pass) = match reads {
        true => (quote!(read: &mut dyn Reader,), quote!(read,)),
        false => (quote!(), quote!()),
    };
    quote! {
        fn call<'g>(
            g: &'g Recorder,
            #reader
            args: &BoundArgs,
        ) -> crate::error::Result<Vec<crate::graph::Id>> {
            let (#(#names,)*) = (#(#values,)*);
            args.check()?;
            result_ids(super::#ident(g, #pass #(#names),*))
        }
    }
}

/// The module of an op, with its entry of the table and the function that calls it.
fn entry(entry: &Entry) -> Tokens {
    let Entry { ident, name, doc, aliases, cases, reads, params, output } = entry;
    let descriptions = params.iter().map(Param::describe);
    let kind = if *reads { quote!(Reading) } else { quote!(Composite) };
    let call = caller(entry);
    quote! {
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub mod #ident {
            use super::*;
            use crate::table::{BoundArgs, Call, OpEntry, Param, Reader, Returned};
            use crate::table::{category, result_ids};
            use crate::value::Arg;

            pub const ENTRY: OpEntry = OpEntry {
                name: #name,
                // Builds for the browser omit texts that only documentation and tests read.
                category: if cfg!(brasa_small) { "" } else { category(module_path!()) },
                doc: if cfg!(brasa_small) { "" } else { #doc },
                aliases: if cfg!(brasa_small) { &[] } else { &[#(#aliases),*] },
                params: &[#(#descriptions),*],
                returns: returns(),
                cases: if cfg!(brasa_small) { &[] } else { &[#(#cases),*] },
                call: Call::#kind(call),
            };

            const fn returns<'g>() -> crate::table::Returns {
                <#output as Returned>::RETURNS
            }

            #call
        }
    }
}

fn is_known(meta: &Meta) -> bool {
    ["alias", "case", "reads"].iter().any(|key| meta.path().is_ident(key))
}

/// The string values of all `key = "…"` attributes.
fn strings(attributes: &Attributes, key: &str) -> syn::Result<Vec<String>> {
    let mine = attributes.iter().filter(|m| m.path().is_ident(key));
    mine.map(|meta| string(&meta.require_name_value()?.value)).collect()
}

fn string(value: &Expr) -> syn::Result<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.value()),
        other => Err(Error::new_spanned(other, "expected a string")),
    }
}

/// The doc comment as plain text, without the space after each `///`.
fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter(|a| a.path().is_ident("doc"));
    let texts = lines.filter_map(|a| string(&a.meta.require_name_value().ok()?.value).ok());
    let plain: Vec<String> = texts.map(|t| t.strip_prefix(' ').unwrap_or(&t).to_string()).collect();
    plain.join("\n").trim().to_string()
}

/// A parameter of an op, after the recorder.
struct Param {
    name: Ident,
    ty: Type,
    default: Option<Expr>,
}

impl Param {
    fn is_optional(&self) -> bool {
        matches!(&self.ty, Type::Path(p) if p.path.segments[0].ident == "Option")
    }

    /// The `Param` of the op table that describes this parameter.
    fn describe(&self) -> Tokens {
        let (name, ty) = (self.name.to_string(), &self.ty);
        let name = name.trim_start_matches("r#");
        let default = match &self.default {
            Some(value) => {
                let text = value.to_token_stream().to_string().replace(' ', "").replace("vec!", "");
                quote!(Some(if cfg!(brasa_small) { "" } else { #text }))
            }
            None if self.is_optional() => quote!(Some("none")),
            None => quote!(None),
        };
        let spec = quote!({
            const fn spec<'g>() -> crate::value::Spec {
                <#ty as Arg>::SPEC
            }
            spec()
        });
        let written = ty.to_token_stream().to_string().replace(' ', "").replace("<'g>", "");
        let ty = quote!(if cfg!(brasa_small) { "" } else { #written });
        quote!(Param { name: #name, ty: #ty, spec: #spec, default: #default })
    }

    /// Code that reads argument `n` of a dynamic call.
    fn read(&self, n: usize) -> Tokens {
        match &self.default {
            Some(value) => {
                quote!(args.or(g, #n, #value))
            }
            None if self.is_optional() => quote!(args.or(g, #n, None)),
            None => quote!(args.get(g, #n)),
        }
    }
}

/// Removes the `#[default(…)]` attributes and returns the parameters after the first `skipped`,
/// which are the recorder and the reader.
fn parameters(function: &mut ItemFn, skipped: usize) -> syn::Result<Vec<Param>> {
    let mut params = Vec::new();
    for arg in function.sig.inputs.iter_mut().skip(skipped) {
        let FnArg::Typed(arg) = arg else {
            return Err(Error::new_spanned(arg, "an op is a free function"));
        };
        let Pat::Ident(pat) = &*arg.pat else {
            return Err(Error::new_spanned(&arg.pat, "a parameter needs a name"));
        };
        let default = arg.attrs.iter().find(|a| a.path().is_ident("default"));
        let default = default.map(|a| a.parse_args()).transpose()?;
        arg.attrs.clear();
        params.push(Param { name: pat.ident.clone(), ty: (*arg.ty).clone(), default });
    }
    Ok(params)
}

/// `T` of `-> Result<T>`.
fn result_of(output: &ReturnType) -> syn::Result<&Type> {
    let wrong = || Error::new_spanned(output, "an op returns Result<…>");
    let ReturnType::Type(_, ty) = output else { return Err(wrong()) };
    let Type::Path(path) = &**ty else { return Err(wrong()) };
    let last = path.path.segments.last().ok_or_else(wrong)?;
    match &last.arguments {
        PathArguments::AngleBracketed(args) if last.ident == "Result" => match args.args.first() {
            Some(GenericArgument::Type(ty)) => Ok(ty),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// Types of parameters and results that borrow from the recorder.
const BORROWING: [&str; 5] = ["Expr", "Operand", "Index", "DimOrTensor", "Outputs"];

/// Inserts the lifetime of the recorder, which authors of ops leave out.
struct AddLifetime;

impl VisitMut for AddLifetime {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        match ty {
            Type::Reference(reference) if is_recorder(&reference.elem) => {
                reference.lifetime = Some(parse_quote!('g));
            }
            Type::Path(path) => {
                let Some(last) = path.path.segments.last_mut() else { return };
                if BORROWING.iter().any(|name| last.ident == name) {
                    last.arguments = PathArguments::AngleBracketed(parse_quote!(<'g>));
                }
            }
            _ => {}
        }
    }
}

fn is_recorder(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Recorder"))
}
