//! Inserts mutants into a source file so that each can be activated by its number at run time:
//! `(if crate::mutant::is(17) { a - b } else { a + b })`.
use crate::sites::Site;
use std::ops::Range;

/// The module that is added to mutated crates. If `BRASA_MUTANTS_REACHED` names a file, no mutant
/// is active, and the number of each reached mutant is appended to the file once.
pub const MODULE: &str = r#"
#[allow(missing_docs)]
mod mutant {
    use std::fs::{File, OpenOptions};
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    const UNKNOWN: u32 = u32::MAX;
    const WATCHING: u32 = u32::MAX - 1;
    static CHOSEN: AtomicU32 = AtomicU32::new(UNKNOWN);
    static REACHED: OnceLock<Option<File>> = OnceLock::new();
    static SEEN: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];

    #[inline]
    pub(crate) fn is(id: u32) -> bool {
        let chosen = CHOSEN.load(Ordering::Relaxed);
        if chosen < WATCHING { chosen == id } else { look(id) }
    }

    #[cold]
    #[inline(never)]
    fn look(id: u32) -> bool {
        let file = REACHED.get_or_init(|| {
            let path = std::env::var_os("BRASA_MUTANTS_REACHED")?;
            OpenOptions::new().append(true).create(true).open(path).ok()
        });
        let Some(mut file) = file.as_ref() else {
            let number = std::env::var("BRASA_MUTANT").ok().and_then(|text| text.parse().ok());
            CHOSEN.store(number.unwrap_or(0), Ordering::Relaxed);
            return number == Some(id);
        };
        CHOSEN.store(WATCHING, Ordering::Relaxed);
        if !SEEN[id as usize].swap(true, Ordering::Relaxed) {
            // No allocation: some tests count allocations.
            let mut line = [0; 12];
            let mut rest = &mut line[..];
            _ = writeln!(rest, "{id}");
            let length = 12 - rest.len();
            _ = file.write_all(&line[..length]);
        }
        false
    }
}
"#;

/// A source file with mutants inserted.
pub struct Instrumented {
    pub text: String,
    /// The number of each mutant and the range of its code in the text.
    mutants: Vec<(u32, Range<usize>)>,
    /// The numbers of all mutants of one site, and the range of the whole choice in the text.
    chains: Vec<(Vec<u32>, Range<usize>)>,
}

impl Instrumented {
    /// Inserts numbered mutants into a source file.
    pub fn new(source: &str, sites: &[(u32, &Site)]) -> Instrumented {
        let mut chains: Vec<Chain> = Vec::new();
        for (id, site) in sites {
            match chains.iter_mut().find(|chain| chain.range == site.range) {
                Some(chain) => chain.sites.push((*id, site)),
                None => chains.push(Chain { range: site.range.clone(), sites: vec![(*id, site)] }),
            }
        }
        chains.sort_by_key(|chain| (chain.range.start, usize::MAX - chain.range.end));
        let text = String::with_capacity(2 * source.len());
        let mut all = Instrumented { text, mutants: Vec::new(), chains: Vec::new() };
        all.write(source, 0..source.len(), &chains);
        all
    }

    /// The mutants that an error at these bytes refers to: the innermost mutant around it, or else
    /// all mutants of the innermost site around it.
    pub fn blamed(&self, error: &Range<usize>) -> Vec<u32> {
        let around = |range: &Range<usize>| range.start <= error.start && error.end <= range.end;
        let inner = self.mutants.iter().filter(|(_, range)| around(range));
        if let Some((id, _)) = inner.min_by_key(|(_, range)| range.len()) {
            return vec![*id];
        }
        let chains = self.chains.iter().filter(|(_, range)| around(range));
        let chain = chains.min_by_key(|(_, range)| range.len());
        chain.map(|(ids, _)| ids.clone()).unwrap_or_default()
    }

    fn write(&mut self, source: &str, range: Range<usize>, mut chains: &[Chain]) {
        let mut at = range.start;
        while let Some((chain, rest)) = chains.split_first() {
            self.text.push_str(&source[at..chain.range.start]);
            let inner = rest.iter().take_while(|other| other.range.end <= chain.range.end).count();
            let start = self.text.len();
            if chain.range.is_empty() {
                chain.sites.iter().for_each(|(id, site)| self.write_statement(*id, site));
                chains = rest;
            } else {
                self.write_choice(source, chain, &rest[..inner]);
                chains = &rest[inner..];
            }
            let ids = chain.sites.iter().map(|(id, _)| *id).collect();
            self.chains.push((ids, start..self.text.len()));
            at = chain.range.end;
        }
        self.text.push_str(&source[at..range.end]);
    }

    fn write_statement(&mut self, id: u32, site: &Site) {
        self.text.push_str(&format!(" if crate::mutant::is({id}) {{ "));
        self.write_code(id, site);
        self.text.push_str(" } ");
    }

    fn write_choice(&mut self, source: &str, chain: &Chain, inner: &[Chain]) {
        self.text.push('(');
        for (id, site) in &chain.sites {
            self.text.push_str(&format!("if crate::mutant::is({id}) {{ "));
            self.write_code(*id, site);
            self.text.push_str(" } else ");
        }
        self.text.push_str("{ ");
        self.write(source, chain.range.clone(), inner);
        self.text.push_str(" })");
    }

    fn write_code(&mut self, id: u32, site: &Site) {
        let start = self.text.len();
        self.text.push_str(&site.code);
        self.mutants.push((id, start..self.text.len()));
    }
}

/// The mutants of one site.
struct Chain<'a> {
    range: Range<usize>,
    sites: Vec<(u32, &'a Site)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::{Scope, find};

    fn instrument(source: &str) -> (Vec<Site>, Instrumented) {
        let sites = find(source, Scope::default()).expect("a source");
        let numbered: Vec<(u32, &Site)> = (1..).zip(&sites).collect();
        let all = Instrumented::new(source, &numbered);
        (sites, all)
    }

    #[test]
    fn mutants_of_a_site_form_an_if_chain_around_the_original() {
        let (_, all) = instrument("fn f(a: u8, b: u8) -> u8 { a + b }");
        let choice = "(if crate::mutant::is(1) { (a) - (b) } \
                      else if crate::mutant::is(2) { (a) * (b) } else { a + b })";
        assert_eq!(all.text, format!("fn f(a: u8, b: u8) -> u8 {{ {choice} }}"));
    }

    #[test]
    fn nested_mutants_are_inside_the_original() {
        let (sites, all) =
            instrument("fn f(a: bool, b: bool) -> u8 { if !a || b { 7 } else { g() } }");
        assert!(syn::parse_file(&all.text).is_ok(), "{}", all.text);
        for id in 1..=sites.len() {
            assert_eq!(all.text.matches(&format!("is({id})")).count(), 1, "{}", all.text);
        }
    }

    #[test]
    fn an_error_is_blamed_on_the_innermost_mutant() {
        let (_, all) = instrument("fn f(a: u8, b: u8) -> u8 { a + b }");
        let at = |text: &str| {
            let start = all.text.find(text).expect("it is there");
            all.blamed(&(start..start + text.len()))
        };
        assert_eq!(at("(a) - (b)"), [1]);
        assert_eq!(at("(b) } else {"), [1, 2]);
        assert_eq!(at("a + b"), [1, 2]);
        assert!(at("fn f").is_empty());
    }
}
