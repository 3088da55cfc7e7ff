//! The text form: printing, parsing and error messages.
use brasa_ir::ops::Role;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::text::{parse, print};
use brasa_ir::{DType, Number, Recorder, Type, verify};
use proptest::prelude::*;

/// Parses and prints again.
fn printed(text: &str) -> String {
    let parsed = parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(verify(&parsed.graph), Ok(()), "{text}");
    print(&parsed.graph, &parsed.outputs)
}

#[test]
fn printed_texts_round_trip() {
    let text = r#"%0 = input "x" f32[32, 784]
%1 = input param "layer \"1\"\n.w" f32[784, 128]
%2 = contract %0 %1 : f32[32, 128]
%3 = slot 0.001 f32
%4 = expand %3 shape=[32, 128] : f32[32, 128]
%5 = add %2 %4 : f32[32, 128]
%6 = reduce %5 by="sum" axes=[1] : f32[32]
%7 = const -inf f32[32]
%8 = maximum %6 %7 : f32[32]
%9 = pad %8 before=[1] after=[2] value=NaN : f32[35]
%10 = iota len=3 dtype=i64 : i64[3]
%11 = gather %9 %10 axis=0 : f32[3]
%12 = const 1e-300 f64[]
%13 = const true bool[2, 0]
%14 = slot -9223372036854775808 i64
%15 = cast %11 dtype=bf16 : bf16[3]
%16 = scan %11 by="sum" axis=0 reverse=false : f32[3]
%17 = input state "m" f32[784, 128]
%18 = write %17 %1 : f32[784, 128]
%19 = const 7 u32[]
%20 = random_bits %19 draw=5 shape=[2] : u32[2]
return %16, %18
"#;
    assert_eq!(printed(text), text);
}

#[test]
fn types_and_names_are_optional() {
    let rows = [
        (
            "%x = input f32[2]   %y = neg %x // both",
            "%0 = input \"x\" f32[2]\n%1 = neg %0 : f32[2]\n",
        ),
        ("\n  %x = input data \"a b\" f32\n\nreturn %x", "%0 = input \"a b\" f32[]\nreturn %0\n"),
        (
            "%x = input f32[2]\n%h.1 = relu (add %x (neg %x)) : f32[2]",
            "%0 = input \"x\" f32[2]\n%1 = neg %0 : f32[2]\n%2 = add %0 %1 : f32[2]\n\
             %3 = relu %2 : f32[2]\n",
        ),
        (
            "%x = input f32[2]\n%y = add %x 2.5",
            "%0 = input \"x\" f32[2]\n%1 = slot 2.5 f32\n%2 = expand %1 shape=[2] : f32[2]\n\
             %3 = add %0 %2 : f32[2]\n",
        ),
        ("%c = const 1 f32[2]", "%0 = const 1.0 f32[2]\n"),
        ("%c = const nan f64", "%0 = const NaN f64[]\n"),
        ("%c = const -0.0 f64", "%0 = const -0.0 f64[]\n"),
        ("%c = const 0.10000000149011612 f32", "%0 = const 0.1 f32[]\n"),
        ("%c = const 0.10000000149011612 f64", "%0 = const 0.10000000149011612 f64[]\n"),
        ("%c = slot 0.1 bf16", "%0 = slot 0.1 bf16\n"),
        ("", ""),
        ("// nothing at all", ""),
    ];
    for (text, want) in rows {
        assert_eq!(printed(text), want, "{text}");
    }
}

#[test]
fn ops_of_the_table_can_be_called() {
    let parsed = parse("%x = input f32[2, 3]\n%y = softmax %x dim=-1 dtype=f64\nreturn %y");
    let parsed = parsed.expect("softmax is in the table");
    let y = parsed.names["y"];
    assert_eq!(parsed.outputs, [y]);
    assert_eq!(parsed.graph[y].ty, Type::new(DType::F64, [2, 3]));
    assert_eq!(parsed.graph[y].origin.call, "softmax");
    let site = parsed.graph.site(parsed.graph[y].origin.site);
    assert_eq!(site.to_string(), "2:6");
}

/// An invalid text and its error.
const ERRORS: &[(&str, &str)] = &[
    ("%x = ", "text: expected an op, found the end of the text\n  at 1:6"),
    ("x = neg", "text: expected %name or return, found 'x'\n  at 1:1"),
    ("%x neg", "text: expected '=', found 'neg'\n  at 1:4"),
    ("% = neg", "text: expected a name after '%'\n  at 1:2"),
    ("%x = input", "text: expected a type, found the end of the text\n  at 1:11"),
    ("%x = input f32[2, x]", "text: expected the length of an axis, found 'x'\n  at 1:19"),
    ("%x = input f32[2 3]", "text: expected ',' or ']', found 3\n  at 1:18"),
    ("%x = input f32[2]\n%x = neg %x", "text: %x is already defined\n  at 2:1"),
    ("%y = neg %x", "text: %x is not defined above\n  at 1:10"),
    ("%x = input f32[2]\n%y = negate %x", "negate: there is no op of this name\n  at 2:6"),
    (
        "%x = input f32[2]\n%y = neg %x : f32[3]",
        "text: expected the type f32[2], found f32[3]\n  at 2:15",
    ),
    ("%x = input f32[2]\n%a, %b = neg %x", "text: 2 names for 1 results\n  at 2:10"),
    ("%x = input f32[2]\n%y = neg %x ]", "text: expected a value, found ']'\n  at 2:13"),
    (
        "%x = input f32[2]\n%y = reduce %x by=\"mean\" axes=[0]",
        "reduce: by: expected 'sum' | 'max' | 'min', got 'mean'\n  at 2:6",
    ),
    (
        "%x = input f32[2]\n%y = arg_reduce %x by='max' axis=0 dtype=f32",
        "arg_reduce: expected the attributes [by, axis]\n  at 2:6",
    ),
    (
        "%x = input f32[2]\n%y = slice %x start=[1] len=[2] step=[1]",
        "slice: the attributes do not match the axes of x\n  x: f32[2]\n  at 2:6",
    ),
    ("%x = input f32[2]\n%y = add %x (neg", "neg: missing argument 'input'\n  at 2:14"),
    ("%x = input \"a", "text: unterminated string\n  at 1:12"),
    (
        "%x = const 99999999999999999999 i64",
        "text: '99999999999999999999' is not a number\n  at 1:12",
    ),
    ("%x = const \"a\" i64", "text: expected a number, got 'a'\n  at 1:12"),
    ("%x = slot 1.5 f32[2]", "text: expected a scalar, found f32[2]\n  at 1:11"),
    ("%x = input f32 §", "text: unexpected character '§'\n  at 1:16"),
    ("return %x", "text: %x is not defined above\n  at 1:8"),
    (
        "%x = input f32\nreturn %x\n%y = neg %x",
        "text: expected the end of the text, found %y\n  at 3:1",
    ),
    (
        "%x = input f32[4294967296, 4294967296]",
        "input: a tensor of shape [4294967296, 4294967296] is too large\n  at 1:6",
    ),
];

#[test]
fn errors_contain_line_and_column() {
    for &(text, want) in ERRORS {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), want, "{text}");
    }
}

#[test]
fn deep_nesting_is_rejected() {
    for open in ["(neg ", "["] {
        let text = format!("%x = neg {}", open.repeat(100_000));
        let error = parse(&text).expect_err("too deep").to_string();
        assert!(error.starts_with("text: nested deeper than 64 levels"), "{error}");
    }
}

#[test]
fn huge_attributes_are_rejected() {
    let big = i64::MAX;
    let calls = [
        format!("pad %x before=[0, 0, {big}] after=[0, 0, {big}] value=0.0"),
        format!("slice %x start=[0, 0, 1] len=[1, 1, {big}] step=[1, 1, {big}]"),
        format!("window %x axis=2 size={big} step=1 dilation={big}"),
        format!("fold %x axis=1 len={big} step={big} dilation={big}"),
        format!("reshape %x shape=[{big}, {big}]"),
        format!("expand %x shape=[{big}, {big}, 1, 3, 4]"),
        format!("iota len={big} dtype=i64"),
        format!("permute %x axes=[{big}, 1, 0]"),
        format!("reduce %x by=\"sum\" axes=[{big}]"),
    ];
    let conv = |stride: i64, before: i64, after: i64, dilation: i64, spread: i64, groups: i64| {
        format!(
            "conv %x %x stride=[{stride}] before=[{before}] after=[{after}] \
             dilation=[{dilation}] spread=[{spread}] groups={groups}"
        )
    };
    let convs = [
        conv(1, big, big, 1, 1, 1),
        conv(big, i64::MIN, i64::MIN, big, big, 1),
        conv(1, 0, 0, big, big, big),
    ];
    for call in calls.iter().chain(&convs) {
        let text = format!("%x = input f32[1, 3, 4]\n%y = {call}");
        assert!(parse(&text).is_err(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_graphs_survive_print_and_parse(recipe in Recipe::any()) {
        let g = Recorder::default();
        let built = build(&recipe, &g, DType::F32);
        let (outputs, graph) = (built.outputs, g.into_graph());
        let text = print(&graph, &outputs);
        prop_assert_eq!(verify(&graph), Ok(()), "{}", &text);
        let parsed = parse(&text).map_err(|e| TestCaseError::fail(format!("{text}\n{e}")))?;
        prop_assert_eq!(parsed.graph.fingerprint(), graph.fingerprint(), "{}", text);
        prop_assert_eq!(parsed.outputs, outputs);
    }

    #[test]
    fn numbers_and_names_survive(
        bits in any::<u64>(),
        int in any::<i64>(),
        name in any::<String>(),
    ) {
        let g = Recorder::default();
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            g.constant(f64::from_bits(bits), dtype, &[]);
            g.constant(f32::from_bits(bits as u32), dtype, &[]);
        }
        g.constant(Number::Int(int), DType::I64, &[]);
        g.input(&name, Role::State, Type::new(DType::F16, [1]));
        let graph = g.into_graph();
        let text = print(&graph, &[]);
        let parsed = parse(&text).map_err(|e| TestCaseError::fail(format!("{text}\n{e}")))?;
        prop_assert_eq!(parsed.graph.fingerprint(), graph.fingerprint(), "{}", text);
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }

    /// Words of the text form in any order.
    #[test]
    fn no_sequence_of_tokens_panics(words in prop::collection::vec(word(), 0..30)) {
        let _ = parse(&format!("%x = input f32[2, 3]\n%y = {}", words.join(" ")));
    }

    /// Valid texts with a piece replaced by another piece of the same text.
    #[test]
    fn no_mutated_text_panics(
        recipe in Recipe::any(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        let g = Recorder::default();
        let outputs = build(&recipe, &g, DType::F32).outputs;
        let text: Vec<char> = g.read(|graph| print(graph, &outputs)).chars().collect();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at[..2].sort_unstable();
        at[2..].sort_unstable();
        let short = at[2]..at[3].min(at[2] + 12);
        let mutated = [&text[..at[0]], &text[short], &text[at[1].min(at[0] + 12)..]].concat();
        let _ = parse(&mutated.into_iter().collect::<String>());
    }
}

fn word() -> impl Strategy<Value = String> {
    let signs = ["=", ",", ":", "[", "]", "(", ")", "...", "..", "%x", "%y", "\n", "-1", "0", "3"];
    let values = ["1.5", "\"sum\"", "true", "none", "f32", "bool", "1:2", "9223372036854775807"];
    let names = ["axis=", "shape=", "dim=", "value=", "return", "input", "const", "slot", "by="];
    let ops: Vec<&str> = brasa_ir::table::all().iter().map(|entry| entry.name).collect();
    let primitives = ["reshape", "pad", "slice", "gather", "contract", "conv", "scan", "expand"];
    let words: Vec<String> = [&signs[..], &values, &names, &ops, &primitives]
        .concat()
        .into_iter()
        .map(str::to_string)
        .collect();
    prop::sample::select(words)
}
