//! Names of this crate's fast paths. Fuzzers count hits to prove that each path is tested.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "some paths are x86-only"))]

brasa_ir::paths! {
    LoopMap = "loop, nothing reduced" if true,
    LoopRows = "loop, lanes reduced" if true,
    LoopColumns = "loop, rows reduced" if true,
    LoopShort = "loop, short rows" if true,
    LoopPieces = "loop, long rows in pieces" if true,
    LoopEpilogue = "epilogue loop of a library op" if true,
    LoopEpiloguePieces = "epilogue loop, long rows in pieces" if true,
    Concurrent = "concurrent kernels" if has_threads(),
    Chain = "chain" if has_chains(),
    ChainWhole = "chain, all rows as one run" if has_chains(),
    ChainInPlace = "chain, results in place" if has_chains(),
    ChainFoldColumns = "chain, rows reduced" if has_chains(),
    ChainFoldLanes = "chain, lanes reduced" if has_wide_chains(),
    ChainRowQuotient = "chain, hoisted quotients of per-row numbers" if has_wide_chains(),
    ChainReciprocal = "chain, division by reciprocals" if has_wide_chains(),
    GemmPackedA = "product, A packed" if true,
    GemmDirectA = "product, A in place" if true,
    GemmPackedB = "product, B packed" if true,
    GemmDirectB = "product, B in place" if true,
    GemmParts = "product, long sums in parts" if true,
    GemmRows = "product, whole rows" if true,
    GemmShared = "product, shared by threads" if has_threads(),
    GemmSmall = "product, small" if true,
    GemmDots = "product, few rows by dot products" if true,
    GemmWide = "product, few rows by wide columns" if true,
    GemmTransposed = "product, few columns transposed" if true,
    ContractRows = "product of rows in blocks" if true,
    ContractNarrow = "product of narrow floats" if true,
    ContractIntegers = "product of integers" if true,
    ConvProduct = "convolution as a product" if true,
    ConvDirect = "convolution, direct" if true,
    ConvOuter = "convolution, outer" if true,
    ConvWinograd = "convolution, transformed patches" if crate::Level::best() == crate::Level::Avx512,
    Fold = "fold" if true,
    Gather = "gather" if true,
    Scan = "scan" if true,
    Scatter = "scatter" if true,
    Sort = "sort" if true,
    ArgReduceAlong = "arg reduction along lanes" if true,
    ArgReduceAcross = "arg reduction across rows" if true,
}

/// Whether the build supports several threads.
#[cfg(feature = "count")]
fn has_threads() -> bool {
    cfg!(any(not(target_family = "wasm"), target_feature = "atomics"))
}

/// Whether chains are compiled to machine code at run time.
#[cfg(feature = "count")]
fn has_chains() -> bool {
    cfg!(target_arch = "x86_64") && crate::Level::jit() >= crate::Level::Avx2
}

/// Whether chains use AVX-512.
#[cfg(feature = "count")]
fn has_wide_chains() -> bool {
    crate::Level::jit() == crate::Level::Avx512
}
