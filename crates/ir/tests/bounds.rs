//! The evaluator with error bounds: results of the reference device are within the bounds, and
//! results that are off by 1 % are not.
use brasa_ir::bounds::{self, Bounded, difference};
use brasa_ir::case::cases;
use brasa_ir::ops::Op;
use brasa_ir::{Array, DType, Id, Recorder, eval};
use std::collections::HashMap;

#[test]
fn reference_results_of_all_cases_are_within_bounds() {
    let (mut known, mut all, mut noticed, mut changed) = (0, 0, 0, 0);
    let mut failures = Vec::new();
    for (case, float) in cases().flat_map(|case| [(case, DType::F32), (case, DType::F64)]) {
        let g = Recorder::default();
        let recorded = case.record(&g, float).expect("cases record");
        let graph = g.into_graph();
        if graph.nodes().any(|(_, node)| matches!(node.op, Op::Custom(_))) {
            continue;
        }
        let inputs: HashMap<Id, Array> = recorded.inputs.iter().cloned().collect();
        let exact = inputs.iter().map(|(id, x)| (*id, Bounded::exact(x))).collect();
        let got = eval(&graph, &inputs, &recorded.outputs).expect("cases evaluate");
        let want = bounds::eval(&graph, &exact, &recorded.outputs).expect("cases evaluate");
        for (got, want) in got.iter().zip(&want) {
            if let Some(difference) = difference(got, want) {
                failures.push(format!("{case}: {difference:?}"));
            }
            all += want.error.len();
            known += want.error.iter().filter(|error| error.is_finite()).count();
            let is_changed = got.dtype() == float && got.to_f64().iter().any(|x| x.abs() > 0.01);
            let off = Array::from_f64(&got.ty, got.to_f64().into_iter().map(|x| x * 1.01));
            changed += usize::from(is_changed);
            noticed += usize::from(is_changed && difference(&off, want).is_some());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(known * 100 > all * 98, "{known} of {all} elements are known");
    assert!(noticed * 100 > changed * 95, "{noticed} of {changed} changed results are noticed");
}

/// Only elements that depend on a tie are open.
#[test]
fn ties_are_open() {
    let text = "%0 = input \"x\" f32[3]\n%1 = sin %0 : f32[3]\n%2 = sin %0 : f32[3]\n\
                %3 = le %1 %2 : bool[3]\n%4 = le %0 %0 : bool[3]\n\
                %5 = ne %1 %2 : bool[3]\n%6 = bitwise_or %3 %5 : bool[3]\nreturn %3, %4, %6\n";
    let parsed = brasa_ir::text::parse(text).expect("parses");
    let x = Array::f32([3], &[0.1, 0.2, 0.3]);
    let (input, _) = parsed.graph.nodes().next().expect("an input");
    let inputs = HashMap::from([(input, Bounded::exact(&x))]);
    let values = bounds::eval(&parsed.graph, &inputs, &parsed.outputs).expect("evaluates");
    assert_eq!(values[0].error, [1.0; 3], "computed values may differ in the last digit");
    assert_eq!(values[1].error, [0.0; 3], "an input equals itself");
    assert_eq!(values[2].error, [f64::INFINITY; 3], "one or the other may be false");
}

/// A quotient of zeros, one of which is computed, may be infinite; so may a minimum of such
/// quotients.
#[test]
fn computed_zeros_by_zero_are_open() {
    let text = "%0 = input \"x\" f32[1, 2]\n%1 = const 0.1 f32[1, 2]\n%2 = mul %0 %1 : f32[1, 2]\n\
                %3 = sub %2 %2 : f32[1, 2]\n%4 = const 0.0 f32[1, 2]\n%5 = div %3 %4 : f32[1, 2]\n\
                %6 = reduce %5 by=\"min\" axes=[1] : f32[1]\n%7 = div %4 %4 : f32[1, 2]\n\
                %8 = reduce %7 by=\"min\" axes=[1] : f32[1]\nreturn %6, %8\n";
    let parsed = brasa_ir::text::parse(text).expect("parses");
    let (input, _) = parsed.graph.nodes().next().expect("an input");
    let inputs = HashMap::from([(input, Bounded::exact(&Array::f32([1, 2], &[3.0, 7.0])))]);
    let values = bounds::eval(&parsed.graph, &inputs, &parsed.outputs).expect("evaluates");
    assert_eq!(values[0].error, [f64::INFINITY]);
    assert!(values[1].value[0].is_nan() && values[1].error == [0.0], "zeros that are known");
}

/// GPU drivers regroup sums, as WGSL allows; sums of whole numbers are the same in any order.
#[test]
fn bounds_of_sums_allow_regrouping() {
    let text = "%0 = input \"x\" f32[500]\n%1 = input \"y\" f32[500]\n%2 = add %0 %0 : f32[500]\n\
                %3 = add %2 %1 : f32[500]\nreturn %3\n";
    let parsed = brasa_ir::text::parse(text).expect("parses");
    let eval = |x: &[f32], y: &[f32]| {
        let values = [x, y].map(|x| Bounded::exact(&Array::f32([500], x)));
        let inputs = parsed.graph.nodes().map(|(id, _)| id).zip(values).collect();
        bounds::eval(&parsed.graph, &inputs, &parsed.outputs).expect("evaluates").remove(0)
    };
    let x: Vec<f32> = (0..500).map(|i| (i as f32).sin()).collect();
    let y: Vec<f32> = (0..500).map(|i| (i as f32 * 7.0).cos()).collect();
    let regrouped: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + (x + y)).collect();
    let differing = difference(&Array::f32([500], &regrouped), &eval(&x, &y));
    assert!(differing.is_none(), "{differing:?}");
    let whole: Vec<f32> = (0..500).map(|i| i as f32).collect();
    assert_eq!(eval(&whole, &whole).error, [0.0; 500]);
}
