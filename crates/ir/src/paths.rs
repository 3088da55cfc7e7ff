//! Counters of the code paths by which devices run kernels, for coverage-guided fuzzing.

/// Declares the code paths of a crate: the enum `Path`, `hit`, which counts a run of a path, and
/// `counts`. Without the crate's feature `count` nothing is counted.
#[macro_export]
macro_rules! paths {
    ($($path:ident = $name:literal if $needs:expr),* $(,)?) => {
        /// A way to run a kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Path { $($path),* }

        #[cfg(feature = "count")]
        impl Path {
            const ALL: &[(Path, &str)] = &[$((Path::$path, $name)),*];

            /// Whether this machine supports the path.
            fn is_available(self) -> bool {
                match self { $(Path::$path => $needs),* }
            }
        }

        #[cfg(feature = "count")]
        static COUNTS: [std::sync::atomic::AtomicU64; Path::ALL.len()] =
            [const { std::sync::atomic::AtomicU64::new(0) }; Path::ALL.len()];

        /// A bit for each path that the function passed to `takes_new` on this thread has taken.
        #[cfg(feature = "count")]
        thread_local! {
            static TRIED: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
        }

        /// Counts one run of a path.
        #[inline(always)]
        pub(crate) fn hit(_path: Path) {
            #[cfg(feature = "count")]
            match TRIED.get() {
                Some(tried) => TRIED.set(Some(tried | 1 << _path as u32)),
                None => _ = COUNTS[_path as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed),
            }
        }

        /// Whether `f` takes a path that was never counted. Its own paths are not counted.
        #[cfg(feature = "count")]
        pub fn takes_new(f: impl FnOnce()) -> bool {
            TRIED.set(Some(0));
            f();
            let tried = TRIED.take().unwrap_or(0);
            let is_new = |path: Path| {
                let count = COUNTS[path as usize].load(std::sync::atomic::Ordering::Relaxed);
                tried >> path as u32 & 1 == 1 && count == 0
            };
            Path::ALL.iter().any(|&(path, _)| is_new(path))
        }

        /// The paths that this machine supports, with the number of runs so far.
        #[cfg(feature = "count")]
        pub fn counts() -> Vec<(&'static str, u64)> {
            let count = |path| COUNTS[path as usize].load(std::sync::atomic::Ordering::Relaxed);
            let paths = Path::ALL.iter().filter(|(path, _)| path.is_available());
            paths.map(|&(path, name)| (name, count(path))).collect()
        }
    };
}
