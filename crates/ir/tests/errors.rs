//! Error messages of invalid calls. `errors.txt` has each call, in the form of the cases of the op
//! table, and its message; `UPDATE_EXPECT=1` rewrites the messages.
use brasa_ir::case::Case;
use brasa_ir::compose::{addmm, matmul, softmax};
use brasa_ir::ops::Role;
use brasa_ir::{DType, Error, ErrorKind, Recorder, Result, Type, eval, table};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors.txt");
const EXPECTED: &str = include_str!("errors.txt");

/// The error of a call such as `add(f32[2], 1)`, from recording it or else from evaluating it.
fn error(call: &'static str) -> Option<Error> {
    let (op, args) = call.strip_suffix(')').and_then(|c| c.split_once('(')).expect("op(args)");
    let entry = table::find(op).unwrap_or_else(|| panic!("no op is called {op}"));
    let g = Recorder::default();
    let recorded = match (Case { entry, text: args }).record(&g, DType::F32) {
        Ok(recorded) => recorded,
        Err(error) => return Some(error),
    };
    let inputs = recorded.inputs.into_iter().collect();
    g.read(|graph| eval(graph, &inputs, &recorded.outputs)).err()
}

#[test]
fn invalid_calls_have_the_expected_messages() {
    let (mut actual, mut wrong) = (Vec::new(), Vec::new());
    for row in EXPECTED.trim_end().split("\n\n") {
        if row.starts_with('#') {
            actual.push(row.to_string());
            continue;
        }
        let call = row.lines().next().expect("a call");
        let message = error(call).map_or("no error".to_string(), |e| e.message());
        let got = format!("{call}\n{message}");
        if got != row {
            wrong.push(format!("expected\n{row}\ngot\n{message}"));
        }
        actual.push(got);
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, actual.join("\n\n") + "\n").expect("writes the messages");
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn errors_have_the_callers_site_and_leave_the_graph_unchanged() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [2, 3]));
    let y = g.input("y", Role::Data, Type::new(DType::F32, [4, 2]));
    let before = g.read(|graph| (graph.len(), graph.fingerprint()));
    type Row<'a> = (&'a dyn Fn() -> Result<()>, ErrorKind, u32, &'a str);
    let calls: [Row; 3] = [
        (&|| matmul(&g, x, x).map(drop), ErrorKind::Shape, line!(), "matmul"),
        (&|| softmax(&g, x, 5, None).map(drop), ErrorKind::Argument, line!(), "softmax"),
        // Fails after it has recorded a product.
        (&|| addmm(&g, x, y, x, 1.0, 1.0).map(drop), ErrorKind::Shape, line!(), "addmm"),
    ];
    for (call, kind, line, name) in calls {
        let error = call().expect_err(name);
        assert_eq!((error.kind(), error.op()), (kind, name));
        let site = error.site().expect("a site").to_string();
        assert_eq!(site, format!("{}:{line}:14", file!()));
        assert!(error.to_string().ends_with(&format!("\n  at {site}")), "{error}");
        assert_eq!(g.read(|graph| (graph.len(), graph.fingerprint())), before, "{name}");
    }
}
