//! `Tensor`: a handle to a value that is recorded, computed or both. Cloning one is cheap and
//! returns another handle to the same tensor.
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
/// Methods record ops; the work happens when a value is read. The [crate's documentation](crate)
/// says when, and how mistakes are reported.
#[derive(Clone)]
pub struct Tensor(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) ty: Type,
    cell: Mutex<Cell>,
    /// Locked by a thread for the whole of an in-place update, from reading the old value to
    /// writing the new.
    turn: Mutex<()>,
}

/// The mutable part of a tensor.
#[derive(Default)]
pub(crate) struct Cell {
    /// The node that computes the value, if the tensor is part of a recording.
    pub(crate) recorded: Option<RecordedNode>,
    /// The value, if it is computed and current.
    pub(crate) data: Option<Arc<Data>>,
    /// The memory that a pending in-place update may overwrite, and its input node in the
    /// recording.
    pub(crate) home: Option<(Arc<Data>, Id)>,
    /// Why the tensor has no value.
    pub(crate) fault: Option<Error>,
    /// Whether the tensor itself requires a gradient, as parameters do.
    pub(crate) is_leaf: bool,
    /// Whether a recorded path leads from a leaf to the tensor.
    pub(crate) is_tracked: bool,
    /// Whether `backward` has released that path.
    pub(crate) is_released: bool,
    /// Whether a path from a leaf existed but is no longer recorded, so that no gradient can flow
    /// back.
    pub(crate) is_spent: bool,
    /// Whether the tensor is computed regardless of the memory budget.
    pub(crate) is_kept: bool,
    pub(crate) grad: Option<Tensor>,
    /// Number of in-place updates.
    pub(crate) version: u64,
    pub(crate) view: Option<View>,
}

/// A node of a recording.
#[derive(Clone)]
pub(crate) struct RecordedNode {
    pub(crate) session: Arc<Mutex<Session>>,
    pub(crate) epoch: u64,
    pub(crate) node: Id,
    /// Whether gradients end at this node.
    pub(crate) is_leaf: bool,
}

impl RecordedNode {
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

    /// A tensor without a value, made by a rejected call.
    pub(crate) fn faulty(error: Error) -> Tensor {
        let ty = Type::new(DType::F32, []);
        Tensor::make(ty, Cell { fault: Some(error), ..Cell::default() })
    }

    pub(crate) fn cell(&self) -> MutexGuard<'_, Cell> {
        lock(&self.0.cell)
    }

    /// Locks the tensor against in-place updates, and against new views of it, by other threads.
    /// Call it on the base of a view, not on the view: updates go to the base.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        lock(&self.0.turn)
    }

    pub(crate) fn ty(&self) -> &Type {
        &self.0.ty
    }

    /// The shape: the length of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.0.ty.shape
    }

    /// The shape, as an owned value.
    pub fn size(&self) -> Shape {
        self.0.ty.shape.clone()
    }

    /// The length of axis `dim`, counted from the end if negative; 0 if there is no such axis.
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

    /// Number of bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.0.ty.bytes()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.0.ty.dtype
    }

    /// The device where the value is stored, or will be computed.
    pub fn device(&self) -> Device {
        let (data, recorded) = {
            let cell = self.cell();
            (cell.data.as_ref().map(|data| data.device()), cell.recorded.clone())
        };
        let pending =
            || recorded.map_or_else(default_device, |recorded| lock(&recorded.session).device());
        data.unwrap_or_else(pending)
    }

    /// Whether both are handles to the same tensor.
    pub fn is_same(&self, other: &Tensor) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A key that is unique among live tensors.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The error that left the tensor without a value, if any.
    pub fn fault(&self) -> Option<Error> {
        self.cell().fault.clone()
    }

    /// The computed value. Computes it first if it is pending.
    pub(crate) fn data(&self) -> Result<Arc<Data>> {
        if self.is_outside_view() {
            return record("view", |s| Ok(s.expr(self).id())).data();
        }
        self.refresh();
        let ready = self.computed_data()?;
        if let Some(data) = self.read_by_compiled()?.or(ready) {
            return Ok(data);
        }
        let was_kept = std::mem::replace(&mut self.cell().is_kept, true);
        let value = self.flush_and_read();
        self.cell().is_kept = was_kept;
        value
    }

    /// Flushes the recording and returns the value. Retries once if another thread updates the
    /// tensor meanwhile.
    fn flush_and_read(&self) -> Result<Arc<Data>> {
        let mut before = None;
        loop {
            let Some(recorded) = self.cell().recorded.clone() else {
                return Err(Error::data("tensor", "it has no value"));
            };
            if before.replace((recorded.epoch, recorded.node))
                == Some((recorded.epoch, recorded.node))
            {
                return Err(Error::stale("tensor", "its recording no longer exists"));
            }
            flush::flush_session(&mut lock(&recorded.session))?;
            if let Some(data) = self.computed_data()? {
                return Ok(data);
            }
        }
    }

    fn computed_data(&self) -> Result<Option<Arc<Data>>> {
        let cell = self.cell();
        match (&cell.fault, &cell.data) {
            (Some(fault), _) => Err(fault.clone()),
            (None, data) => Ok(data.clone()),
        }
    }

    /// Computes the tensor now if it is pending in the recording of another thread.
    pub(crate) fn settle_tensor(&self) {
        let (is_foreign, is_view) = {
            let cell = self.cell();
            let is_foreign = match (&cell.data, &cell.recorded) {
                (None, Some(recorded)) => !session(|own| Arc::ptr_eq(own, &recorded.session)),
                _ => false,
            };
            (is_foreign, cell.view.is_some())
        };
        if is_view {
            self.refresh();
        }
        if is_foreign {
            // An error is stored in the tensor and reported by the op that uses it.
            let _ = self.data();
        }
    }
}
