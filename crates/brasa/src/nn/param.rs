//! What a module holds besides other modules: parameters, buffers and its mode.
use super::Init;
use super::module::{Module, Part, Visit};
use crate::{IntoList, Tensor};
use std::borrow::Borrow;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A tensor that is trained.
#[derive(Clone, Debug)]
pub struct Param {
    tensor: Tensor,
    decays: bool,
}

impl Param {
    /// A parameter that begins with this value.
    #[track_caller]
    pub fn new(value: Tensor) -> Param {
        let tensor = value.detach();
        tensor.cell().view = None;
        Param { tensor: tensor.requires_grad(true), decays: true }
    }

    /// This very tensor as a parameter.
    pub fn of(tensor: Tensor) -> Param {
        Param { tensor, decays: true }
    }

    /// A parameter of this shape. Weight decay spares it where it begins as zeros or ones.
    #[track_caller]
    pub fn init(shape: impl IntoList<usize>, init: Init) -> Param {
        let decays = !matches!(init, Init::Zeros | Init::Ones);
        Param { decays, ..Param::new(init.tensor(&shape.into_list())) }
    }

    /// Says whether weight decay applies.
    pub fn with_decay(self, decays: bool) -> Param {
        Param { decays, ..self }
    }

    /// Whether weight decay applies.
    pub fn decays(&self) -> bool {
        self.decays
    }
}

impl Deref for Param {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        &self.tensor
    }
}

impl AsRef<Param> for Param {
    fn as_ref(&self) -> &Param {
        self
    }
}

impl Borrow<Tensor> for Param {
    fn borrow(&self) -> &Tensor {
        &self.tensor
    }
}

impl Borrow<Tensor> for &Param {
    fn borrow(&self) -> &Tensor {
        &self.tensor
    }
}

impl Module for Param {
    fn visit(&self, at: &mut Visit) {
        at.found(Part::Param(self));
    }
}

/// A tensor that belongs to a module's state and is not trained, such as a running mean.
#[derive(Clone, Debug)]
pub struct Buffer(Tensor);

impl Buffer {
    /// A buffer that begins with this value.
    #[track_caller]
    pub fn new(value: Tensor) -> Buffer {
        let tensor = value.detach();
        let mut cell = tensor.cell();
        (cell.view, cell.is_kept) = (None, true);
        drop(cell);
        Buffer(tensor)
    }
}

impl Deref for Buffer {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        &self.0
    }
}

impl Module for Buffer {
    fn visit(&self, at: &mut Visit) {
        at.found(Part::Buffer(self));
    }
}

/// Whether a layer is being trained; set for all layers of a model by [`Module::train`] and
/// [`Module::eval`].
#[derive(Clone, Debug)]
pub struct Mode(Arc<AtomicBool>);

impl Default for Mode {
    fn default() -> Mode {
        Mode(Arc::new(AtomicBool::new(true)))
    }
}

impl Mode {
    /// Whether the layer is being trained.
    pub fn is_training(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets it for this layer alone.
    pub fn set(&self, training: bool) {
        self.0.store(training, Ordering::Relaxed);
    }
}

impl Module for Mode {
    fn visit(&self, at: &mut Visit) {
        at.found(Part::Mode(self));
    }
}
