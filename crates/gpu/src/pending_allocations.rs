//! Tracks allocations whose outcome is not known yet. The device reports an out-of-memory error
//! later, in the browser long after the request; the error then names the tensor that was being
//! allocated.
use brasa_ir::{Error, Result};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

#[cfg(not(target_arch = "wasm32"))]
type ErrorFuture = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;
#[cfg(target_arch = "wasm32")]
type ErrorFuture = Pin<Box<dyn Future<Output = Option<wgpu::Error>>>>;

/// Allocations that may still fail.
#[derive(Clone, Default)]
pub(crate) struct PendingAllocations(Arc<Mutex<Vec<PendingAllocation>>>);

struct PendingAllocation {
    name: String,
    bytes: usize,
    error: ErrorFuture,
}

impl PendingAllocations {
    pub(crate) fn push(&self, name: &str, bytes: usize, error: ErrorFuture) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push(PendingAllocation { name: name.to_string(), bytes, error });
    }

    /// Polls all allocations, drops the completed ones, and returns the first error.
    pub(crate) fn check(&self) -> Result<()> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // No waker is needed: the next check polls again.
        let mut context = Context::from_waker(Waker::noop());
        let mut first = Ok(());
        pending.retain_mut(|allocation| match allocation.error.as_mut().poll(&mut context) {
            Poll::Pending => true,
            Poll::Ready(None) => false,
            Poll::Ready(Some(_)) => {
                if first.is_ok() {
                    first = Err(allocation.error_message());
                }
                false
            }
        });
        first
    }
}

impl PendingAllocation {
    fn error_message(&self) -> Error {
        let what = format!(
            "out of memory: the device cannot allocate {} bytes for {}",
            self.bytes, self.name
        );
        Error::device("gpu", what).help("use smaller batches, or the CPU")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::ErrorKind;

    #[test]
    fn out_of_memory_errors_name_the_tensor() {
        let pending = PendingAllocations::default();
        let failed = || Some(wgpu::Error::OutOfMemory { source: "none is left".into() });
        let mut polls = 0;
        let later = std::future::poll_fn(move |_| {
            polls += 1;
            if polls < 3 { Poll::Pending } else { Poll::Ready(failed()) }
        });
        pending.push("f32[3]", 12, Box::pin(std::future::ready(None)));
        pending.push("f32[5]", 20, Box::pin(later));
        pending.check().expect("is not known yet");
        pending.check().expect("is not known yet");
        let error = pending.check().expect_err("failed");
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(
            error.message().contains("cannot allocate 20 bytes for f32[5]"),
            "{}",
            error.message()
        );
        pending.check().expect("each error is reported once");
    }
}
