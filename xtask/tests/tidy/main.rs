//! Tidy: the rules of the tree that no compiler checks, as tests. They read files and ask
//! `cargo metadata`; they need no network.

mod crates;
mod docs;
mod requirements;
mod text;
mod tree;

/// Fails with all problems at once, one a line.
#[track_caller]
fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "the tree is not tidy\n  {}", problems.join("\n  "));
}
