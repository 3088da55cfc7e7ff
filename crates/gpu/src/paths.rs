//! Counters of the shader variants that are emitted, for fuzzers.

brasa_ir::paths! {
    Map = "map" if true,
    MapVec4 = "map, vectors of four" if true,
    MapWords = "map, narrow elements of a word" if true,
    RowsThread = "rows, one thread each" if true,
    RowsLanes = "rows, shared lanes" if true,
    RowsColumns = "rows, neighbours of different rows" if true,
    RowsVec4 = "rows, vectors of four" if true,
    RowsParts = "rows, several passes" if true,
    Pack = "narrow results packed by a pass" if true,
    ProductDots = "product, one thread a dot" if true,
    ProductDotsShared = "product, shared dots" if true,
    ProductTiles = "product, tiles" if true,
    ProductTilesVec4 = "product, tiles by vectors of four" if true,
    ProductBlocksColumns = "product, blocks by columns" if true,
    ProductBlocksRows = "product, blocks by rows" if true,
    ProductBlocksLanes = "product, blocks with loads of subgroups" if has_subgroups(),
    ProductBlocksVec4 = "product, blocks by vectors of four" if has_subgroups(),
    ProductParts = "product, long sums in parts" if true,
    Convolution = "convolution" if true,
    ArgReduce = "arg reduction" if true,
    ArgReduceParts = "arg reduction, two passes" if true,
    Gather = "gather" if true,
    Fold = "fold" if true,
    Scan = "scan" if true,
    ScanParts = "scan, two passes" if true,
    Scatter = "scatter, one pass" if true,
    ScatterOrdered = "scatter, sources put in order" if true,
    Sort = "sort, one pass" if true,
    SortRuns = "sort, merged runs" if true,
}

/// Whether the adapter has subgroups of lanes that are worth sharing loads.
#[cfg(all(feature = "count", target_family = "wasm"))]
fn has_subgroups() -> bool {
    false
}

/// Whether the adapter has subgroups of lanes that are worth sharing loads.
#[cfg(all(feature = "count", not(target_family = "wasm")))]
fn has_subgroups() -> bool {
    crate::Gpu::global().is_ok_and(|gpu| gpu.limits().subgroup >= crate::emit::MIN_SUBGROUP)
}
