//! Vectors as arrays, for targets without an implementation of their own. LLVM compiles them to the
//! vector instructions of the build's baseline. `fma` is not fused: a fused one would be a library
//! call.
use super::Simd;

macro_rules! array {
    ($name:ident, $elem:ty, $lanes:literal) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name([$elem; $lanes]);

        // SAFETY: portable code on arrays; valid pointers are part of the contract of each method.
        unsafe impl Simd for $name {
            type Elem = $elem;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                Self([x; $lanes])
            }

            #[inline(always)]
            unsafe fn load(from: *const $elem) -> Self {
                // SAFETY: the caller guarantees `LANES` readable elements.
                Self(unsafe { from.cast::<[$elem; $lanes]>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $elem) {
                // SAFETY: the caller guarantees `LANES` writable elements.
                unsafe { to.cast::<[$elem; $lanes]>().write_unaligned(self.0) }
            }

            #[inline(always)]
            unsafe fn load_first(from: *const $elem, count: usize) -> Self {
                debug_assert!(count <= $lanes);
                let mut lanes = [0.0; $lanes];
                for (lane, value) in lanes.iter_mut().enumerate().take(count) {
                    // SAFETY: the caller guarantees `count` readable elements.
                    *value = unsafe { *from.add(lane) };
                }
                Self(lanes)
            }

            #[inline(always)]
            unsafe fn store_first(self, to: *mut $elem, count: usize) {
                debug_assert!(count <= $lanes);
                for (lane, &value) in self.0.iter().enumerate().take(count) {
                    // SAFETY: the caller guarantees `count` writable elements.
                    unsafe { *to.add(lane) = value };
                }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
            }

            #[inline(always)]
            unsafe fn fma(self, by: Self, to: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] * by.0[i] + to.0[i]))
            }

            #[inline(always)]
            unsafe fn sum(self) -> $elem {
                self.0.iter().sum()
            }
        }
    };
}

array!(F32, f32, 4);
array!(F64, f64, 2);
