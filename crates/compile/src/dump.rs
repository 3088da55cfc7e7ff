//! Prints the results of passes in their text forms: `BRASA_DUMP=simplify,plan` prints those of the
//! named passes to standard error, `BRASA_DUMP=all` those of all passes. Not in wasm builds.
use crate::options::Options;
use crate::pass::Pass;
use crate::pipeline::Pipeline;
use brasa_ir::{Graph, Id, Result};
use std::cell::RefCell;
use std::sync::OnceLock;

/// What [`compile_with`](crate::compile_with) prints if `BRASA_DUMP` names `passes`.
pub fn dump(g: &Graph, wanted: &[Id], options: &Options, passes: &[Pass]) -> Result<String> {
    let text = RefCell::default();
    Pipeline { options, dump: Dump { passes, text: Some(&text) } }.run(g, wanted)?;
    Ok(text.into_inner())
}

/// Which results to print, and where.
pub(crate) struct Dump<'a> {
    passes: &'a [Pass],
    /// Standard error if `None`.
    text: Option<&'a RefCell<String>>,
}

impl Dump<'_> {
    /// Prints what the environment variable requests.
    pub(crate) fn from_environment() -> Dump<'static> {
        Dump { passes: requested(), text: None }
    }

    /// Prints the result of a pass if it is requested. Each result is written at once, so that
    /// compilations on several threads do not mix their lines.
    pub(crate) fn print(&self, pass: Pass, stage: impl FnOnce() -> String) {
        if !self.passes.contains(&pass) {
            return;
        }
        let text = format!("// after {}\n{}", pass.name(), stage());
        match self.text {
            Some(all) => all.borrow_mut().push_str(&text),
            None => eprint!("{text}"),
        }
    }
}

/// The passes that the environment variable names. It is read once.
fn requested() -> &'static [Pass] {
    static REQUESTED: OnceLock<Vec<Pass>> = OnceLock::new();
    REQUESTED.get_or_init(|| {
        let value = std::env::var_os("BRASA_DUMP").unwrap_or_default();
        let (passes, problem) = parse(&value.to_string_lossy());
        if let Some(problem) = problem {
            eprintln!("{problem}");
        }
        passes
    })
}

/// The passes that a list names, and what is wrong with the other names.
fn parse(list: &str) -> (Vec<Pass>, Option<String>) {
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names == ["all"] {
        return (Pass::ALL.to_vec(), None);
    }
    let passes = names.iter().filter_map(|name| Pass::from_name(name)).collect();
    let unknown = names.iter().find(|name| Pass::from_name(name).is_none());
    let problem = unknown.map(|name| {
        let known = Pass::ALL.map(Pass::name).join(", ");
        format!("BRASA_DUMP={list}: there is no pass '{name}', expected all or some of {known}")
    });
    (passes, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::text;

    #[test]
    fn lists_of_passes_are_parsed() {
        assert_eq!(parse(""), (vec![], None));
        assert_eq!(parse("all"), (Pass::ALL.to_vec(), None));
        assert_eq!(parse("plan, simplify,"), (vec![Pass::Plan, Pass::Simplify], None));
    }

    #[test]
    fn an_unknown_pass_is_reported_and_the_others_are_kept() {
        let (passes, problem) = parse("plan,fuse");
        assert_eq!(passes, [Pass::Plan]);
        let expected = "BRASA_DUMP=plan,fuse: there is no pass 'fuse', expected all or some of \
                        recording, simplify, schedule, order, budget, plan, program";
        assert_eq!(problem.as_deref(), Some(expected));
    }

    #[test]
    fn each_requested_result_is_printed_in_order() {
        let source = "%x = input f32[4]\n%y = exp (exp %x)\nreturn %y";
        let parsed = text::parse(source).expect("parses");
        let headers = |options: &Options, passes: &[Pass]| -> Vec<String> {
            let text = dump(&parsed.graph, &parsed.outputs, options, passes).expect("it fits");
            let headers = text.lines().filter(|line| line.starts_with("// after "));
            headers.map(str::to_string).collect()
        };
        let options = Options::default();
        let expected = ["// after simplify", "// after plan"];
        assert_eq!(headers(&options, &[Pass::Plan, Pass::Simplify]), expected);
        assert_eq!(headers(&options, &[]), [""; 0]);
        let with_budget = Options { budget: Some(80), ..options };
        assert_eq!(headers(&with_budget, &Pass::ALL), Pass::ALL.map(after));
    }

    fn after(pass: Pass) -> String {
        format!("// after {}", pass.name())
    }
}
