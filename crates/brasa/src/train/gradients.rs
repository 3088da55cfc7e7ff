//! How long gradients are while a model trains: often for those who look on, seldom for those who come later.
use crate::nn::Module;
use crate::{Result, Tensor, TrainStep, rng_state, set_rng_state};
use std::time::{Duration, Instant};

/// How often one looks.
struct Pace {
    /// Between two looks lies at least this.
    apart: Duration,
    /// How much of the time looking may take.
    share: f64,
}

/// While somebody looks on.
const WATCHED: Pace = Pace { apart: Duration::from_millis(250), share: 0.02 };
/// While nobody does: a curve for later, at a cost that cannot be measured.
const ALONE: Pace = Pace { apart: Duration::from_secs(1), share: 0.002 };

/// Looks at gradients so seldom that training hardly notices.
pub(super) struct Gradients<'m> {
    is_watched: Box<dyn Fn() -> bool + 'm>,
    /// The end of the last look, and how long it took; that of the first, which has to compile, is not
    /// known.
    last: Option<(Instant, Duration)>,
    began: Instant,
}

impl<'m> Gradients<'m> {
    pub(super) fn new(is_watched: impl Fn() -> bool + 'm) -> Gradients<'m> {
        Gradients { is_watched: Box::new(is_watched), last: None, began: Instant::now() }
    }

    fn is_due(&self, now: Instant) -> bool {
        let is_watched = (self.is_watched)();
        let pace = if is_watched { WATCHED } else { ALONE };
        match self.last {
            Some((end, took)) => now >= end + took.div_f64(pace.share).max(pace.apart),
            None => is_watched || now >= self.began + pace.apart,
        }
    }

    /// The norm of the gradient of each parameter, if it is time. Nothing of the
    /// run is changed: a model with running means and the like is not looked at.
    pub(super) fn look(
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
        // A forward pass would move running means and the like.
        if model.state_dict().len() > params.len() {
            return Ok(None);
        }
        let rng = rng_state();
        let grads = step.grads(batch);
        set_rng_state(rng);
        let mut grads = grads?;
        // In the order of the model.
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
