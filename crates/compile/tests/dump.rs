//! `BRASA_DUMP` prints the results of passes to standard error.
use brasa_compile::compile;
use brasa_ir::text;
use std::process::Command;

/// Compiles twice. The other test runs it in a process of its own, with the variable set.
#[test]
fn two_compilations() {
    let parsed = text::parse("%x = input f32[4]\n%y = exp %x\nreturn %y").expect("parses");
    for _ in 0..2 {
        compile(&parsed.graph, &parsed.outputs);
    }
}

/// What `two_compilations` prints to standard error.
fn errors_with(variable: Option<&str>) -> String {
    let file = std::env::current_exe().expect("the path of the test binary");
    let mut run = Command::new(file);
    run.args(["--exact", "two_compilations", "--nocapture"]).env_remove("BRASA_DUMP");
    let output = run.envs(variable.map(|value| ("BRASA_DUMP", value))).output().expect("it starts");
    let (text, errors) = (output.stdout, output.stderr);
    assert!(output.status.success() && String::from_utf8_lossy(&text).contains("1 passed"));
    String::from_utf8_lossy(&errors).into_owned()
}

#[test]
fn the_variable_selects_what_is_printed() {
    assert_eq!(errors_with(None), "");
    let graph = "// after simplify\n%0 = input \"x\" f32[4]\n%1 = exp %0 : f32[4]\nreturn %1\n";
    let plan = "// after plan\n\
                b0 %0 f32[4] 16 bytes input 0 #0..#0\n\
                b1 %1 f32[4] 16 bytes arena +0 #0..#1\n\
                #0 b0 -> b1\n\
                outputs b1\n\
                arena 64 bytes, 64 in use at once\n";
    assert_eq!(errors_with(Some("simplify,plan")), format!("{graph}{plan}").repeat(2));
}

#[test]
fn an_unknown_pass_is_reported_once() {
    let errors = errors_with(Some("fuse"));
    assert!(errors.starts_with("BRASA_DUMP=fuse: there is no pass 'fuse'"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}
