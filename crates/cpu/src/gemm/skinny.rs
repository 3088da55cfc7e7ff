//! Products with few rows.
use super::{Element, Epilogue, Product, Source};

pub(super) fn run<T: Element, A: Source<T>, B: Source<T>, E: Epilogue<T>>(
    _product: &Product<T, A, B, E>,
) -> bool {
    false
}
