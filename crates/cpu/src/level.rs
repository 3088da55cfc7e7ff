//! SIMD levels: which vector instructions kernels may use. Detected once at run time on x86;
//! elsewhere the build decides, and the baseline is NEON, simd128 or plain arrays.
//! `BRASA_LEVEL=avx2` (or `baseline`) selects a lower level than the machine has, for tests and
//! measurements. A higher level is for tests: with the feature `emulate`, loops generated at run
//! time are compiled for it and emulated.
use std::sync::atomic::{AtomicU8, Ordering};

/// Compiles a generic function once per level and calls the version for this machine.
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
                // SAFETY: `Level::best` has detected the instructions of this level.
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

/// As [`vectorized`], but returns the function pointer for this machine.
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

/// A set of vector instructions. Ordered from slowest to fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The instructions that the build assumes.
    Baseline,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// AVX-512 F, VL, BW and DQ.
    Avx512,
}

const UNKNOWN: u8 = u8::MAX;
static BEST: AtomicU8 = AtomicU8::new(UNKNOWN);
static JIT: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Whether generated loops can be emulated on machines that lack their instructions.
const CAN_EMULATE: bool = cfg!(all(feature = "emulate", target_arch = "x86_64"));

impl Level {
    const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// The fastest level of this machine.
    #[inline]
    pub fn best() -> Level {
        match BEST.load(Ordering::Relaxed) {
            UNKNOWN => Level::find().0,
            best => Level::ALL[best as usize],
        }
    }

    /// The level of loops generated at run time: the machine's fastest, or the requested higher
    /// one where loops are emulated.
    pub fn jit() -> Level {
        match JIT.load(Ordering::Relaxed) {
            UNKNOWN => Level::find().1,
            loops => Level::ALL[loops as usize],
        }
    }

    /// All levels that this machine supports, so that tests can try each.
    pub fn available() -> &'static [Level] {
        &Level::ALL[..=Level::best() as usize]
    }

    /// Detects or chooses the levels for compiled code and for generated loops, and stores both.
    #[cold]
    fn find() -> (Level, Level) {
        let own = Level::detect();
        let asked = std::env::var_os("BRASA_LEVEL");
        let asked = asked.as_ref().map(|name| name.to_string_lossy());
        let chosen = Level::choose(asked.as_deref(), own, CAN_EMULATE);
        let loops = *chosen.as_ref().unwrap_or(&own);
        let best = loops.min(own);
        let before = JIT.swap(loops as u8, Ordering::Relaxed);
        if let (Err(problem), UNKNOWN) = (&chosen, before) {
            eprintln!("{problem}; using the machine's level, {}", own.name());
        }
        BEST.store(best as u8, Ordering::Relaxed);
        (best, loops)
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The requested level on a machine with level `own`, or why it is not available.
    fn choose(asked: Option<&str>, own: Level, can_emulate: bool) -> Result<Level, String> {
        let Some(asked) = asked else { return Ok(own) };
        match Level::ALL.into_iter().find(|level| level.name() == asked) {
            Some(level) if level <= own || can_emulate => Ok(level),
            Some(_) => Err(format!("BRASA_LEVEL={asked}: this machine does not support it")),
            None => {
                let names = Level::ALL.map(Level::name).join(", ");
                Err(format!("BRASA_LEVEL={asked}: unknown level, expected one of {names}"))
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_chosen_by_name() {
        let choose = |asked, can_emulate| Level::choose(asked, Level::Avx2, can_emulate);
        assert_eq!(choose(None, true), Ok(Level::Avx2));
        assert_eq!(choose(Some("baseline"), false), Ok(Level::Baseline));
        assert_eq!(choose(Some("avx512"), true), Ok(Level::Avx512));
        let error = choose(Some("avx512"), false).expect_err("the machine has less");
        assert_eq!(error, "BRASA_LEVEL=avx512: this machine does not support it");
        let error = choose(Some("avx-512"), true).expect_err("the name is unknown");
        let names = "unknown level, expected one of baseline, avx2, avx512";
        assert_eq!(error, format!("BRASA_LEVEL=avx-512: {names}"));
    }
}
