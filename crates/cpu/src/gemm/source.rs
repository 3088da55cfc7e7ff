//! Operands of a product: anything that can copy a block of itself into panels. Rows of A and
//! columns of B are treated alike: both are index `i`, and `k` is the contracted index.
use super::kernel::Element;
use super::pack;
use crate::level::Level;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// A matrix operand with elements `(i, k)`, where `i` counts rows of A or columns of B.
pub trait Source<T: Element>: Sync {
    /// Copies elements `(first + i, k0 + p)` for `i < count`, `p < kc` into panels of `width`:
    /// `dst[(i / width) * width * kc + p * width + i % width]`. Elements of the last panel with
    /// `i >= count` become zero. `dst` has exactly the length of the panels.
    fn pack(&self, first: usize, count: usize, k0: usize, kc: usize, width: usize, dst: &mut [T]);

    /// A view of the operand if it is stored as `T`, for reading it without packing.
    fn in_place(&self) -> Option<Strided<'_, T>> {
        None
    }
}

/// A strided view of memory: element `(i, k)` is at `offset + i · stride_i + k · stride_k`. Stored
/// elements of another type than `T` are converted while packing.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, S> {
    pub data: &'a [S],
    pub offset: usize,
    pub stride_i: isize,
    pub stride_k: isize,
}

impl<'a, S> Strided<'a, S> {
    /// Contiguous rows of A (or columns of B): `data[i · stride + k]`.
    pub fn rows(data: &'a [S], stride: usize) -> Self {
        Strided { data, offset: 0, stride_i: stride as isize, stride_k: 1 }
    }

    /// Contiguous columns of A (or rows of B): `data[k · stride + i]`.
    pub fn columns(data: &'a [S], stride: usize) -> Self {
        Strided { data, offset: 0, stride_i: 1, stride_k: stride as isize }
    }

    /// The address of element `(i, k)`.
    ///
    /// # Panics
    /// If the block of `count` by `kc` elements that begins there is not inside `data`.
    pub(crate) fn block(&self, i: usize, k: usize, count: usize, kc: usize) -> *const S {
        if count == 0 || kc == 0 {
            return self.data.as_ptr();
        }
        let start = self.offset as isize + i as isize * self.stride_i + k as isize * self.stride_k;
        let reach = [(count - 1) as isize * self.stride_i, (kc - 1) as isize * self.stride_k];
        let low = start + reach.iter().map(|&r| r.min(0)).sum::<isize>();
        let high = start + reach.iter().map(|&r| r.max(0)).sum::<isize>();
        assert!(
            low >= 0 && high < self.data.len() as isize,
            "internal error, please report: gemm: {low}..={high} is not inside an operand of {}",
            self.data.len()
        );
        self.data[start as usize..].as_ptr()
    }
}

impl<T: Copy> Strided<'_, T> {
    /// Copies `count` rows of `k` elements to contiguous rows.
    pub(crate) fn copy_rows(&self, count: usize, k: usize, to: &mut [T]) {
        assert_eq!(to.len(), count * k, "copy_rows: wrong length of `to`");
        let from = self.block(0, 0, count, k);
        for i in 0..count {
            for p in 0..k {
                let at = i as isize * self.stride_i + p as isize * self.stride_k;
                // SAFETY: `block` checked the source, the assertion the destination.
                unsafe { *to.get_unchecked_mut(i * k + p) = *from.offset(at) };
            }
        }
    }
}

/// Storage types that are converted to `T` for multiplication.
pub trait Storage<T>: Copy + Send + Sync + 'static {
    /// Whether `Self` is `T`.
    const IS_NATIVE: bool = false;

    /// Converts as many elements as both slices have.
    fn widen(from: &[Self], to: &mut [T]);
}

impl<T: Element, S: Storage<T>> Source<T> for Strided<'_, S> {
    fn pack(&self, first: usize, count: usize, k0: usize, kc: usize, width: usize, dst: &mut [T]) {
        assert_eq!(dst.len(), count.div_ceil(width) * width * kc, "pack: wrong length of `dst`");
        let from = self.block(first, k0, count, kc);
        if S::IS_NATIVE {
            let (stride_i, stride_k) = (self.stride_i, self.stride_k);
            let from = from.cast();
            let to = dst.as_mut_ptr();
            let call = pack::PackArgs { from, stride_i, stride_k, count, k: kc, width, to };
            // SAFETY: `block` checked the source, the assertion the panels, which `dst` borrows
            // exclusively; `IS_NATIVE` means that `S` is `T`; the CPU has its best level.
            return unsafe { (T::kernels(Level::best()).pack)(&call) };
        }
        for first_of_panel in (0..count).step_by(width) {
            let rows = width.min(count - first_of_panel);
            let panel = &mut dst[first_of_panel * kc..][..width * kc];
            self.pack_widened(first + first_of_panel, rows, k0, kc, width, panel);
        }
    }

    fn in_place(&self) -> Option<Strided<'_, T>> {
        if !S::IS_NATIVE {
            return None;
        }
        // SAFETY: `IS_NATIVE` means that `S` is `T`.
        let data =
            unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast(), self.data.len()) };
        Some(Strided {
            data,
            offset: self.offset,
            stride_i: self.stride_i,
            stride_k: self.stride_k,
        })
    }
}

impl<S> Strided<'_, S> {
    /// Packs one panel of another storage type: converts contiguous runs, then arranges them.
    fn pack_widened<T: Element>(
        &self,
        first: usize,
        rows: usize,
        k0: usize,
        kc: usize,
        width: usize,
        panel: &mut [T],
    ) where
        S: Storage<T>,
    {
        const RUN: usize = 64;
        let at = |i: usize, p: usize| {
            let (i, p) = ((first + i) as isize, (k0 + p) as isize);
            (self.offset as isize + i * self.stride_i + p * self.stride_k) as usize
        };
        if self.stride_i == 1 {
            for (p, run) in panel.chunks_exact_mut(width).enumerate() {
                S::widen(&self.data[at(0, p)..][..rows], &mut run[..rows]);
                run[rows..].fill(T::default());
            }
            return;
        }
        let mut run = [T::default(); RUN];
        for i in 0..width {
            for p0 in (0..kc).step_by(RUN) {
                let len = RUN.min(kc - p0);
                if i >= rows {
                    run.fill(T::default());
                } else if self.stride_k == 1 {
                    S::widen(&self.data[at(i, p0)..][..len], &mut run[..len]);
                } else {
                    for (p, value) in run[..len].iter_mut().enumerate() {
                        S::widen(&self.data[at(i, p0 + p)..][..1], std::slice::from_mut(value));
                    }
                }
                for (p, &value) in run[..len].iter().enumerate() {
                    panel[(p0 + p) * width + i] = value;
                }
            }
        }
    }
}

macro_rules! storage {
    ($($from:ty => $to:ty $(, $native:literal)?: $widen:expr;)*) => {
        $(impl Storage<$to> for $from {
            $(const IS_NATIVE: bool = $native;)?

            #[inline]
            fn widen(from: &[Self], to: &mut [$to]) {
                let widen: fn(&[$from], &mut [$to]) = $widen;
                widen(from, to)
            }
        })*
    };
}

storage! {
    f32 => f32, true: |from, to| to.copy_from_slice(from);
    f64 => f64, true: |from, to| to.copy_from_slice(from);
    f16 => f32: |from, to| from.convert_to_f32_slice(to);
    bf16 => f32: |from, to| from.convert_to_f32_slice(to);
    u8 => f32: |from, to| to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from));
    i8 => f32: |from, to| to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from));
    f32 => f64: |from, to| to.iter_mut().zip(from).for_each(|(to, &from)| *to = f64::from(from));
}
