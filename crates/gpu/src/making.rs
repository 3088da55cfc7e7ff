//! Buffers that are being made. Whether a device has memory for one turns out later, in the browser long
//! after it was asked for: the error is kept with the name of what it was to be.
use brasa_ir::{Error, Result};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

#[cfg(not(target_arch = "wasm32"))]
type Outcome = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;
#[cfg(target_arch = "wasm32")]
type Outcome = Pin<Box<dyn Future<Output = Option<wgpu::Error>>>>;

/// Those that may still fail.
#[derive(Clone, Default)]
pub(crate) struct Making(Arc<Mutex<Vec<Pending>>>);

struct Pending {
    what: String,
    bytes: usize,
    outcome: Outcome,
}

impl Making {
    pub(crate) fn note(&self, what: &str, bytes: usize, outcome: Outcome) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push(Pending { what: what.to_string(), bytes, outcome });
    }

    /// Reports the first that failed, and forgets all that are made.
    pub(crate) fn check(&self) -> Result<()> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody is woken: the next look asks again.
        let mut context = Context::from_waker(Waker::noop());
        let mut first = Ok(());
        pending.retain_mut(|one| match one.outcome.as_mut().poll(&mut context) {
            Poll::Pending => true,
            Poll::Ready(None) => false,
            Poll::Ready(Some(_)) => {
                if first.is_ok() {
                    first = Err(one.error());
                }
                false
            }
        });
        first
    }
}

impl Pending {
    fn error(&self) -> Error {
        let what = format!("the device has no memory for {}: {} bytes", self.what, self.bytes);
        Error::device("gpu", what).help("use smaller batches, or the CPU")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::ErrorKind;

    #[test]
    fn what_there_was_no_memory_for_is_named() {
        let making = Making::default();
        let failed = || Some(wgpu::Error::OutOfMemory { source: "none is left".into() });
        let mut turns = 0;
        let later = std::future::poll_fn(move |_| {
            turns += 1;
            if turns < 3 { Poll::Pending } else { Poll::Ready(failed()) }
        });
        making.note("f32[3]", 12, Box::pin(std::future::ready(None)));
        making.note("f32[5]", 20, Box::pin(later));
        making.check().expect("is not known yet");
        making.check().expect("is not known yet");
        let error = making.check().expect_err("failed");
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.message().contains("no memory for f32[5]: 20 bytes"), "{}", error.message());
        making.check().expect("is told once");
    }
}
