//! Counters of the ways in which devices run kernels, for fuzzers.

/// Declares the paths of a crate that others do not cover: an enum `Path`, `hit`, which counts a run of
/// one, and `counts`. Without the crate's feature `count` nothing is counted.
#[macro_export]
macro_rules! paths {
    ($($path:ident = $name:literal if $needs:expr),* $(,)?) => {
        /// A way to run a kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Path { $($path),* }

        #[cfg(feature = "count")]
        impl Path {
            const ALL: &[(Path, &str)] = &[$((Path::$path, $name)),*];

            /// Whether this machine has the path.
            fn is_available(self) -> bool {
                match self { $(Path::$path => $needs),* }
            }
        }

        #[cfg(feature = "count")]
        static COUNTS: [std::sync::atomic::AtomicU64; Path::ALL.len()] =
            [const { std::sync::atomic::AtomicU64::new(0) }; Path::ALL.len()];

        /// Counts one run of a path.
        #[inline(always)]
        pub(crate) fn hit(_path: Path) {
            #[cfg(feature = "count")]
            COUNTS[_path as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }

        /// The paths of this machine with the number of their runs so far.
        #[cfg(feature = "count")]
        pub fn counts() -> Vec<(&'static str, u64)> {
            let count = |path| COUNTS[path as usize].load(std::sync::atomic::Ordering::Relaxed);
            let paths = Path::ALL.iter().filter(|(path, _)| path.is_available());
            paths.map(|&(path, name)| (name, count(path))).collect()
        }
    };
}
