//! `Tensor`: a handle to a value that is recorded, computed or both. Cloning one is cheap and gives
//! another handle to the same tensor.
//!
//! A handle may be sent to and shared between threads: each thread records into a graph of its own,
//! computed values are shared, and a pending value of another thread is computed when it is used.
use crate::session::{Session, record, session};
use crate::storage::{Data, lock};
use crate::view::View;
use crate::{Device, Error, Result, default_device, flush};
use brasa_ir::{DType, Id, Shape, Type};
use std::sync::{Arc, Mutex, MutexGuard};

/// A multi-dimensional array that can be differentiated.
///
/// Methods record what is to be done; the work happens when a value is read (see the
/// [crate's documentation](crate) for when, and for how mistakes are reported).
#[derive(Clone)]
pub struct Tensor(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) ty: Type,
    cell: Mutex<Cell>,
    /// Held by the thread that updates it in place, from the old value to the new.
    turn: Mutex<()>,
}

/// What changes during a tensor's life.
#[derive(Default)]
pub(crate) struct Cell {
    /// Where the value stands in a recording.
    pub(crate) place: Option<Place>,
    /// The value, if it is computed and current.
    pub(crate) data: Option<Arc<Data>>,
    /// The memory it lived in before an update that is still pending, and its input in the recording.
    pub(crate) home: Option<(Arc<Data>, Id)>,
    /// Why it has no value.
    pub(crate) fault: Option<Error>,
    /// Whether a gradient is wanted for it as it is: a parameter.
    pub(crate) is_leaf: bool,
    /// Whether a recorded path leads to it from a leaf.
    pub(crate) is_tracked: bool,
    /// Whether `backward` has used up that path.
    pub(crate) is_released: bool,
    /// Whether such a path led here that is gone from the recording: no gradient can go on from here.
    pub(crate) is_spent: bool,
    /// Whether it is computed whatever the memory budget says.
    pub(crate) is_kept: bool,
    pub(crate) grad: Option<Tensor>,
    /// Counts updates in place.
    pub(crate) version: u64,
    pub(crate) view: Option<View>,
}

/// A node of a recording.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) session: Arc<Mutex<Session>>,
    pub(crate) epoch: u64,
    pub(crate) node: Id,
    /// Whether gradients end at this very node.
    pub(crate) is_leaf: bool,
}

impl Place {
    pub(crate) fn is_in(&self, session: &Session) -> bool {
        self.epoch == session.epoch()
    }
}

impl Tensor {
    pub(crate) fn make(ty: Type, cell: Cell) -> Tensor {
        Tensor(Arc::new(Inner { ty, cell: Mutex::new(cell), turn: Mutex::default() }))
    }

    pub(crate) fn from_data(data: Arc<Data>) -> Tensor {
        Tensor::make(data.ty.clone(), Cell { data: Some(data), ..Cell::default() })
    }

    /// A tensor without a value, because of a mistake.
    pub(crate) fn faulty(error: Error) -> Tensor {
        let ty = Type::new(DType::F32, []);
        Tensor::make(ty, Cell { fault: Some(error), ..Cell::default() })
    }

    pub(crate) fn cell(&self) -> MutexGuard<'_, Cell> {
        lock(&self.0.cell)
    }

    /// Waits until no other thread updates this tensor in place or makes a view of it, and keeps others
    /// waiting. Not for views, whose base is updated.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        lock(&self.0.turn)
    }

    pub(crate) fn ty(&self) -> &Type {
        &self.0.ty
    }

    /// The lengths of its axes.
    pub fn shape(&self) -> &[usize] {
        &self.0.ty.shape
    }

    /// The lengths of its axes, as an owned value.
    pub fn size(&self) -> Shape {
        self.0.ty.shape.clone()
    }

    /// The length of axis `dim`, which may count from the end; 0 where there is no such axis.
    pub fn len_of(&self, dim: isize) -> usize {
        let rank = self.rank() as isize;
        let axis = if dim < 0 { dim + rank } else { dim };
        usize::try_from(axis).ok().and_then(|axis| self.shape().get(axis)).copied().unwrap_or(0)
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.ty.rank()
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.0.ty.elements()
    }

    /// The bytes of its elements.
    pub fn bytes(&self) -> usize {
        self.0.ty.bytes()
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.0.ty.dtype
    }

    /// Where it lives, or will be computed.
    pub fn device(&self) -> Device {
        let (data, place) = {
            let cell = self.cell();
            (cell.data.as_ref().map(|data| data.device()), cell.place.clone())
        };
        let pending = || place.map_or_else(default_device, |place| lock(&place.session).device());
        data.unwrap_or_else(pending)
    }

    /// Whether both are handles to one tensor.
    pub fn is_same(&self, other: &Tensor) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What tells tensors apart, whatever their values, as long as they are held.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The mistake that left it without a value, if there was one.
    pub fn fault(&self) -> Option<Error> {
        self.cell().fault.clone()
    }

    /// The computed value, computing it first if it is pending.
    pub(crate) fn data(&self) -> Result<Arc<Data>> {
        if self.is_outside_view() {
            return record("view", |s| Ok(s.expr(self).id())).data();
        }
        self.refresh();
        let ready = self.ready()?;
        if let Some(data) = self.read_by_compiled()?.or(ready) {
            return Ok(data);
        }
        let was_kept = std::mem::replace(&mut self.cell().is_kept, true);
        let value = self.flushed();
        self.cell().is_kept = was_kept;
        value
    }

    /// The value after a flush of its recording; of the next one where another thread updates it meanwhile.
    fn flushed(&self) -> Result<Arc<Data>> {
        let mut before = None;
        loop {
            let Some(place) = self.cell().place.clone() else {
                return Err(Error::data("tensor", "it has no value"));
            };
            if before.replace((place.epoch, place.node)) == Some((place.epoch, place.node)) {
                return Err(Error::stale("tensor", "its recording is gone"));
            }
            flush::flush_session(&mut lock(&place.session))?;
            if let Some(data) = self.ready()? {
                return Ok(data);
            }
        }
    }

    fn ready(&self) -> Result<Option<Arc<Data>>> {
        let cell = self.cell();
        match (&cell.fault, &cell.data) {
            (Some(fault), _) => Err(fault.clone()),
            (None, data) => Ok(data.clone()),
        }
    }

    /// Computes it now if it is pending in the recording of another thread.
    pub(crate) fn settle_tensor(&self) {
        let (is_foreign, is_view) = {
            let cell = self.cell();
            let is_foreign = match (&cell.data, &cell.place) {
                (None, Some(place)) => !session(|own| Arc::ptr_eq(own, &place.session)),
                _ => false,
            };
            (is_foreign, cell.view.is_some())
        };
        if is_view {
            self.refresh();
        }
        if is_foreign {
            // A fault stays with the tensor and is reported by the op that uses it.
            let _ = self.data();
        }
    }
}
