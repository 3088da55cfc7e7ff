//! Finds the origin of a NaN: evaluates every node of the recording and names the first node that
//! produces a NaN from finite operands, with its op and source line.
use crate::nn::{Module, StateDict};
use crate::session::{session, with_new_session};
use crate::storage::lock;
use crate::{DType, Result, RngState, Tensor, catch, rng_state, set_rng_state};
use brasa_ir::ops::Op;
use brasa_ir::{Array, Graph, Id};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// The call that produced the first NaN, or infinity if there is no NaN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NanOrigin {
    /// The op that the user called, or `the gradient of` that op.
    pub call: String,
    /// The primitive op that produced the number.
    pub op: String,
    /// The call site.
    pub site: String,
    /// Dtype and shape of the result.
    #[serde(rename = "type")]
    pub ty: String,
    /// "a NaN" or "an infinity".
    pub what: Cow<'static, str>,
}

/// Snapshots of the last two steps, from which the origin of a NaN can be found.
#[derive(Default)]
pub(super) struct NanWatch(Vec<Snapshot>);

struct Snapshot {
    rng: RngState,
    state: Vec<(String, DType, Vec<usize>, Vec<u8>)>,
    batch: Vec<Tensor>,
}

impl fmt::Display for NanOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NanOrigin { call, op, site, ty, what } = self;
        match op.as_str() {
            "input" => write!(f, "{what} was already in a parameter or in the data ({ty})"),
            _ if op == call => write!(f, "{what} was first produced by {call} ({ty}) at {site}"),
            _ => write!(f, "{what} was first produced by {op} in {call} ({ty}) at {site}"),
        }
    }
}

/// Runs `body`, differentiates its result, and returns the op that first produced a NaN or, if
/// there is none, an infinity.
///
/// ```
/// use brasa::{Tensor, train::find_nan};
/// # fn main() -> brasa::Result<()> {
/// let x = Tensor::new([1.0, -1.0]);
/// let origin = find_nan(|| x.log().sum(..))?.expect("the logarithm of -1 is none");
/// assert_eq!(origin.call, "log");
/// assert!(origin.site.contains(".rs:"));
/// assert_eq!(find_nan(|| x.exp().sum(..))?, None);
/// # Ok(())
/// # }
/// ```
pub fn find_nan(body: impl FnOnce() -> Tensor) -> Result<Option<NanOrigin>> {
    let (recorded, own) = with_new_session(|| {
        catch(|| {
            let result = body();
            if result.is_tracked() {
                result.backward();
            }
            // The values stay pending as long as the recording is alive.
            session(|own| lock(own).state.borrow().bindings.clone())
        })
    });
    let mut inputs: HashMap<Id, Array> = HashMap::new();
    for (id, data) in recorded? {
        inputs.insert(id, data.array()?);
    }
    let own = lock(&own);
    own.g.read(|graph| {
        let floats = graph.nodes().filter(|(_, node)| node.ty.dtype.is_float());
        let floats: Vec<Id> = floats.map(|(id, _)| id).collect();
        let values = brasa_cpu::run(graph, &inputs, &floats)?;
        let found = |is_bad: fn(f64) -> bool, what| {
            let bad = |value: &Array| (0..value.len()).any(|i| is_bad(value.f64(i)));
            let bad = floats.iter().zip(&values).filter(|(_, value)| bad(value));
            let bad: Vec<Id> = bad.map(|(id, _)| *id).collect();
            let is_first = |id: &&Id| !graph[**id].inputs.iter().any(|input| bad.contains(input));
            bad.iter().find(is_first).map(|&id| origin(graph, id, what))
        };
        Ok(found(f64::is_nan, "a NaN").or_else(|| found(f64::is_infinite, "an infinity")))
    })
}

impl NanWatch {
    /// Takes a snapshot before a step.
    pub(super) fn take_snapshot(&mut self, model: &dyn Module, batch: &[Tensor]) -> Result<()> {
        if self.0.len() == 2 {
            self.0.remove(0);
        }
        let state = model.state_dict().into_iter().map(|(name, x)| {
            let bytes = x.to_bytes()?;
            Ok((name, x.dtype(), x.shape().to_vec(), bytes))
        });
        let state = state.collect::<Result<_>>()?;
        self.0.push(Snapshot { rng: rng_state(), state, batch: batch.to_vec() });
        Ok(())
    }

    /// The op that produced a NaN in the loss of the last step; `None` if it came from an update.
    pub(super) fn origin(
        &self,
        model: &dyn Module,
        loss: impl Fn(&[Tensor]) -> Tensor,
    ) -> Option<NanOrigin> {
        for snapshot in &self.0 {
            let origin = snapshot.restore(model).and_then(|()| find_nan(|| loss(&snapshot.batch)));
            model.zero_grad();
            // A parameter that is NaN before a step was computed by the update of the step before.
            if let Ok(Some(origin)) = origin
                && origin.op != "input"
            {
                return Some(origin);
            }
        }
        None
    }
}

impl Snapshot {
    fn restore(&self, model: &dyn Module) -> Result<()> {
        let tensors = self.state.iter().map(|(name, dtype, shape, bytes)| {
            Ok((name.clone(), Tensor::from_bytes(*dtype, shape, bytes)?))
        });
        model.load_state_dict(&tensors.collect::<Result<StateDict>>()?)?;
        set_rng_state(self.rng);
        Ok(())
    }
}

fn origin(graph: &Graph, id: Id, what: &'static str) -> NanOrigin {
    let node = &graph[id];
    let is_gradient = node.origin.call == BACKWARD;
    let own = differentiated(graph, id).filter(|_| is_gradient).map_or(node, |id| &graph[id]);
    let call = own.origin.call;
    NanOrigin {
        call: if is_gradient { format!("the gradient of {call}") } else { call.to_string() },
        op: node.op.name().to_string(),
        site: graph.site(own.origin.site).to_string(),
        ty: node.ty.to_string(),
        what: what.into(),
    }
}

/// The call name of recorded gradients.
const BACKWARD: &str = "backward";

/// The nearest ancestor of a gradient node that is not one itself: part of the differentiated
/// expression.
fn differentiated(graph: &Graph, id: Id) -> Option<Id> {
    let mut seen = vec![id];
    let mut next = 0;
    while let Some(&id) = seen.get(next) {
        next += 1;
        let node = &graph[id];
        if node.origin.call != BACKWARD && !matches!(node.op, Op::Input(_)) {
            return Some(id);
        }
        for &input in &node.inputs {
            if !seen.contains(&input) {
                seen.push(input);
            }
        }
    }
    None
}
