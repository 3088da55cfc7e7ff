//! Runs programs on threads, native and wasm: the only crate with `unsafe` code.
