//! `#[derive(Module)]`: visits the fields of a struct by name, in order of declaration.
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Error, Field, Index};

pub(crate) fn expand(input: DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "only a struct can be a module"));
    };
    let mut visits = Vec::new();
    for (n, field) in data.fields.iter().enumerate() {
        if is_skipped(field)? {
            continue;
        }
        let member = match &field.ident {
            Some(name) => name.to_token_stream(),
            None => Index::from(n).to_token_stream(),
        };
        let name = member.to_string().trim_start_matches("r#").to_string();
        visits.push(quote!(at.field(#name, &self.#member);));
    }
    let (name, kind) = (&input.ident, input.ident.to_string());
    let (own, of, given) = input.generics.split_for_impl();
    Ok(quote! {
        impl #own ::brasa::nn::Module for #name #of #given {
            fn visit(&self, at: &mut ::brasa::nn::Visit) {
                #(#visits)*
            }

            fn kind(&self) -> &'static str {
                #kind
            }
        }
    })
}

/// Whether a field is marked `#[module(skip)]`.
fn is_skipped(field: &Field) -> syn::Result<bool> {
    let mut skip = false;
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("module")) {
        attribute.parse_nested_meta(|meta| match meta.path.is_ident("skip") {
            true => {
                skip = true;
                Ok(())
            }
            false => Err(meta.error("expected `skip`")),
        })?;
    }
    Ok(skip)
}
