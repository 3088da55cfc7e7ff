//! Tests for the rules of the source tree that no compiler checks. They read files and call
//! `cargo metadata`; they need no network.

mod crates;
mod docs;
mod functions;
mod requirements;
mod text;
mod tree;
mod words;

/// Fails with all problems at once, one per line.
#[track_caller]
fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "the tree is not tidy\n  {}", problems.join("\n  "));
}
