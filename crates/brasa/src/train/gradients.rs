//! Gradient norms during training: sampled often while a viewer is watching, rarely otherwise.
use crate::nn::Module;
use crate::{Result, Tensor, TrainStep, rng_state, set_rng_state};
use std::time::{Duration, Instant};

/// A sampling rate.
struct SampleRate {
    /// Minimum time between two samples.
    interval: Duration,
    /// Maximum fraction of the time spent on sampling.
    share: f64,
}

/// While a viewer is watching.
const WATCHED: SampleRate = SampleRate { interval: Duration::from_millis(250), share: 0.02 };
/// Without a viewer: a curve for later, at an unmeasurable cost.
const UNWATCHED: SampleRate = SampleRate { interval: Duration::from_secs(1), share: 0.002 };

/// Samples gradient norms so rarely that training hardly slows down.
pub(super) struct GradientMonitor<'m> {
    is_watched: Box<dyn Fn() -> bool + 'm>,
    /// The end of the last sample and its duration; zero for the first one, which includes
    /// compilation.
    last: Option<(Instant, Duration)>,
    began: Instant,
}

impl<'m> GradientMonitor<'m> {
    pub(super) fn new(is_watched: impl Fn() -> bool + 'm) -> GradientMonitor<'m> {
        GradientMonitor { is_watched: Box::new(is_watched), last: None, began: Instant::now() }
    }

    fn is_due(&self, now: Instant) -> bool {
        let is_watched = (self.is_watched)();
        let rate = if is_watched { WATCHED } else { UNWATCHED };
        match self.last {
            Some((end, took)) => now >= end + took.div_f64(rate.share).max(rate.interval),
            None => is_watched || now >= self.began + rate.interval,
        }
    }

    /// The norm of the gradient of each parameter, if a sample is due. Does not affect the run:
    /// models with buffers, such as running means, are not sampled.
    pub(super) fn sample(
        &mut self,
        model: &dyn Module,
        step: &mut TrainStep,
        batch: &[&Tensor],
    ) -> Result<Option<Vec<(String, f64)>>> {
        let start = Instant::now();
        if !self.is_due(start) {
            return Ok(None);
        }
        let params = model.named_parameters();
        // A forward pass would update the buffers.
        if model.state_dict().len() > params.len() {
            return Ok(None);
        }
        let rng = rng_state();
        let grads = step.grads(batch);
        set_rng_state(rng);
        let mut grads = grads?;
        // In the model's order.
        let named = params.into_iter();
        let named = named.filter_map(|(name, _)| Some((grads.remove(&name)?, name)));
        let norm = |(grad, name): (Tensor, String)| {
            Ok((name, f64::from(grad.vector_norm(..).item::<f32>()?)))
        };
        let norms = named.map(norm).collect::<Result<_>>()?;
        let took = if self.last.is_some() { start.elapsed() } else { Duration::ZERO };
        self.last = Some((Instant::now(), took));
        Ok(Some(norms))
    }
}
