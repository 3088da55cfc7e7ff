//! Every case of the op table, evaluated on the reference device and printed and parsed as text.
use brasa_ir::case::{Case, cases};
use brasa_ir::{Array, DType, Graph, Id, Recorder, eval, table, text, verify};
use std::collections::HashMap;

/// Runs `check` on every case and shows all that failed, not only the first.
fn check_all(check: impl Fn(Case) -> Result<(), String>) {
    let failures = cases().filter_map(|case| check(case).err().map(|why| format!("{case}: {why}")));
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{} cases fail\n{}", failures.len(), failures.join("\n"));
}

fn run(g: &Graph, inputs: &[(Id, Array)], outputs: &[Id]) -> Result<Vec<Array>, String> {
    let values: HashMap<Id, Array> = inputs.iter().cloned().collect();
    eval(g, &values, outputs).map_err(|e| e.to_string())
}

#[test]
fn every_op_has_a_case() {
    let without = table::all().iter().filter(|entry| entry.cases.is_empty());
    let names: Vec<&str> = without.map(|entry| entry.name).collect();
    assert!(names.is_empty(), "no case for {}", names.join(", "));
}

#[test]
fn names_and_aliases_are_unique() {
    let mut seen = HashMap::new();
    for entry in table::all() {
        for name in entry.aliases.iter().chain([&entry.name]) {
            if let Some(first) = seen.insert(name, entry.name) {
                panic!("'{name}' is both {first} and {}", entry.name);
            }
        }
    }
}

#[test]
fn cases_evaluate_to_the_recorded_types() {
    check_all(|case| {
        for float in [DType::F32, DType::F64] {
            let g = Recorder::default();
            let recorded = case.record(&g, float).map_err(|e| e.to_string())?;
            let graph = g.into_graph();
            verify(&graph).map_err(|problems| problems.join("\n"))?;
            let values = run(&graph, &recorded.inputs, &recorded.outputs)?;
            for (value, &id) in values.iter().zip(&recorded.outputs) {
                if value.ty != graph[id].ty {
                    return Err(format!("{} was recorded, {} is computed", graph[id].ty, value.ty));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn cases_survive_print_and_parse() {
    check_all(|case| {
        let g = Recorder::default();
        let recorded = case.record(&g, DType::F32).map_err(|e| e.to_string())?;
        let graph = g.into_graph();
        let printed = text::print(&graph, &recorded.outputs);
        if printed.contains("= custom ") {
            return Ok(());
        }
        let parsed = text::parse(&printed).map_err(|e| format!("{e}\n{printed}"))?;
        if parsed.graph.fingerprint() != graph.fingerprint() || parsed.outputs != recorded.outputs {
            let again = text::print(&parsed.graph, &parsed.outputs);
            return Err(format!("the text changes\n{printed}becomes\n{again}"));
        }
        let before = run(&graph, &recorded.inputs, &recorded.outputs)?;
        let after = run(&parsed.graph, &recorded.inputs, &parsed.outputs)?;
        // Compared as text, in which NaN equals NaN.
        if format!("{before:?}") != format!("{after:?}") {
            return Err(format!("{before:?} becomes {after:?}"));
        }
        Ok(())
    });
}
