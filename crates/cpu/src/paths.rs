//! Counters of the fast paths, for fuzzers: with the feature `count` each run of a path is counted,
//! without it nothing is.
#[cfg(feature = "count")]
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! paths {
    ($($(#[$meta:meta])* $path:ident = $name:literal if $needs:expr),* $(,)?) => {
        /// A way in which kernels are run that others do not cover.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "some paths are of x86"))]
        pub(crate) enum Path { $($(#[$meta])* $path),* }

        impl Path {
            #[cfg(feature = "count")]
            const ALL: &[(Path, &str)] = &[$((Path::$path, $name)),*];

            /// Whether this machine has the path.
            #[cfg(feature = "count")]
            fn is_available(self) -> bool {
                match self { $(Path::$path => $needs),* }
            }
        }
    };
}

paths! {
    LoopMap = "loop, nothing reduced" if true,
    LoopRows = "loop, lanes reduced" if true,
    LoopColumns = "loop, rows reduced" if true,
    LoopShort = "loop, short rows" if true,
    LoopPieces = "loop, long rows in pieces" if true,
    LoopBehind = "loop behind a library op" if true,
    Concurrent = "concurrent kernels" if true,
    Chain = "chain" if has_chains(),
    ChainWhole = "chain, rows as one" if has_chains(),
    ChainInPlace = "chain, results in place" if has_chains(),
    ChainFoldColumns = "chain, rows reduced" if has_chains(),
    ChainFoldLanes = "chain, lanes reduced" if has_wide_chains(),
    ChainReciprocal = "chain, quotients by reciprocals" if has_wide_chains(),
    GemmBlocked = "product, blocked" if true,
    GemmSkinny = "product, skinny" if true,
    GemmRows = "product, whole rows" if true,
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

/// Whether loops are made at run time.
#[cfg(feature = "count")]
fn has_chains() -> bool {
    cfg!(target_arch = "x86_64") && crate::Level::loops() >= crate::Level::Avx2
}

/// Whether they are made of AVX-512.
#[cfg(feature = "count")]
fn has_wide_chains() -> bool {
    crate::Level::loops() == crate::Level::Avx512
}

#[cfg(feature = "count")]
static COUNTS: [AtomicU64; Path::ALL.len()] = [const { AtomicU64::new(0) }; Path::ALL.len()];

/// Counts one run of a path.
#[inline(always)]
pub(crate) fn hit(_path: Path) {
    #[cfg(feature = "count")]
    COUNTS[_path as usize].fetch_add(1, Ordering::Relaxed);
}

/// The paths of this machine with the number of their runs so far.
#[cfg(feature = "count")]
pub fn counts() -> Vec<(&'static str, u64)> {
    let paths = Path::ALL.iter().filter(|(path, _)| path.is_available());
    paths.map(|&(path, name)| (name, COUNTS[path as usize].load(Ordering::Relaxed))).collect()
}
