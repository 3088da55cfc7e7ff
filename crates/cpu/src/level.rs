//! Which vector instructions kernels may use. Found once at run time on x86; elsewhere the build
//! decides, and the baseline is NEON, simd128 or plain arrays. `BRASA_LEVEL=avx2` (or `baseline`) takes a
//! lower level than the machine has, so that tests and measurements can try each.
use std::sync::atomic::{AtomicU8, Ordering};

/// Compiles a generic function for every level and runs that of this machine.
macro_rules! vectorized {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$($p:ident: $bound:ident),*>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        $vis fn $name<$($p: $bound),*>($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body<$($p: $bound),*>($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c,bmi2")]
            fn avx512<$($p: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                body::<$($p),*>($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            fn avx2<$($p: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                body::<$($p),*>($($arg),*)
            }

            match $crate::Level::best() {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the machine has this level.
                $crate::Level::Avx512 => unsafe { avx512::<$($p),*>($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                $crate::Level::Avx2 => unsafe { avx2::<$($p),*>($($arg),*) },
                _ => body::<$($p),*>($($arg),*),
            }
        }
    };
}
pub(crate) use vectorized;

/// As [`vectorized`], for a function that is called by pointer: gives that of this machine.
macro_rules! pointer {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$p:ident: $bound:ident>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        $vis fn $name<$p: $bound>() -> unsafe fn($($ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body<$p: $bound>($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c,bmi2")]
            fn avx512<$p: $bound>($($arg: $ty),*) $(-> $ret)? {
                body::<$p>($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            fn avx2<$p: $bound>($($arg: $ty),*) $(-> $ret)? {
                body::<$p>($($arg),*)
            }

            match $crate::Level::best() {
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx512 => avx512::<$p>,
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx2 => avx2::<$p>,
                _ => body::<$p>,
            }
        }
    };
}
pub(crate) use pointer;

/// A set of vector instructions, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every machine the build runs on has.
    Baseline,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// AVX-512 F, VL, BW and DQ.
    Avx512,
}

const UNKNOWN: u8 = u8::MAX;
static BEST: AtomicU8 = AtomicU8::new(UNKNOWN);

impl Level {
    const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// The fastest level of this machine.
    #[inline]
    pub fn best() -> Level {
        match BEST.load(Ordering::Relaxed) {
            UNKNOWN => Level::find(),
            best => Level::ALL[best as usize],
        }
    }

    /// Every level of this machine, so that tests can try each.
    pub fn available() -> &'static [Level] {
        &Level::ALL[..=Level::best() as usize]
    }

    /// That of the machine, or a lower one that is asked for.
    #[cold]
    fn find() -> Level {
        let asked = std::env::var("BRASA_LEVEL").ok();
        let name = |level: &&Level| asked == Some(format!("{level:?}").to_lowercase());
        let most = Level::ALL.iter().find(name).copied();
        let best = Level::detect().min(most.unwrap_or(Level::Avx512));
        BEST.store(best as u8, Ordering::Relaxed);
        best
    }

    #[cfg(target_arch = "x86_64")]
    fn detect() -> Level {
        macro_rules! has {
            ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
        }
        if !has!("avx2" "fma" "f16c" "bmi2") {
            return Level::Baseline;
        }
        if !has!("avx512f" "avx512vl" "avx512bw" "avx512dq") {
            return Level::Avx2;
        }
        Level::Avx512
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Level {
        Level::Baseline
    }
}
