//! The leaves of modules: parameters, buffers and modes.
use super::Init;
use super::module::{Module, Part, Visit};
use crate::session::session;
use crate::storage::lock;
use crate::{IntoList, Target, Tensor};
use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The copies made so far while a model is copied.
    static COPIES: RefCell<Option<Copies>> = const { RefCell::new(None) };
}

struct Copies {
    /// Copies one tensor.
    copy: Rc<dyn Fn(&Tensor) -> Tensor>,
    tensors: HashMap<usize, Tensor>,
    modes: HashMap<usize, Mode>,
}

/// Runs `body` such that clones of parameters and buffers are made by `copy`, once for each tensor,
/// and modes are cloned into independent ones.
pub(super) fn with_copies<T>(
    copy: impl Fn(&Tensor) -> Tensor + 'static,
    body: impl FnOnce() -> T,
) -> T {
    struct Restore(Option<Copies>);
    impl Drop for Restore {
        fn drop(&mut self) {
            COPIES.set(self.0.take());
        }
    }
    let (tensors, modes) = (HashMap::new(), HashMap::new());
    let _restore = Restore(COPIES.replace(Some(Copies { copy: Rc::new(copy), tensors, modes })));
    body()
}

/// Another handle to a tensor or, while a model is copied, its copy.
fn clone_or_copy(x: &Tensor) -> Tensor {
    // Pages do not copy models.
    if cfg!(brasa_page) {
        return x.clone();
    }
    let known = |all: &Copies| (all.copy.clone(), all.tensors.get(&x.identity()).cloned());
    match COPIES.with_borrow(|all| all.as_ref().map(known)) {
        None => x.clone(),
        Some((_, Some(copied))) => copied,
        Some((copy, None)) => {
            let new = copy(x);
            let note =
                |all: &mut Option<Copies>| all.as_mut()?.tensors.insert(x.identity(), new.clone());
            COPIES.with_borrow_mut(note);
            new
        }
    }
}

/// A trainable tensor. A clone is another handle to it; [`Module::deep_clone`] makes copies.
#[derive(Debug)]
pub struct Param {
    tensor: Tensor,
    decays: bool,
}

impl Param {
    /// A parameter with this initial value.
    #[track_caller]
    pub fn new(value: Tensor) -> Param {
        let tensor = value.detach();
        tensor.cell().view = None;
        Param { tensor: tensor.requires_grad(true), decays: true }
    }

    /// The given tensor itself as a parameter.
    pub fn of(tensor: Tensor) -> Param {
        Param { tensor, decays: true }
    }

    /// A parameter of this shape. It is exempt from weight decay if it starts as zeros or ones.
    #[track_caller]
    pub fn init(shape: impl IntoList<usize>, init: Init) -> Param {
        let decays = !matches!(init, Init::Zeros | Init::Ones);
        Param { decays, ..Param::new(init.tensor(&shape.into_list())) }
    }

    /// Sets whether weight decay applies.
    pub fn with_decay(self, decays: bool) -> Param {
        Param { decays, ..self }
    }

    /// Whether weight decay applies.
    pub fn decays(&self) -> bool {
        self.decays
    }

    /// [`Tensor::to`]: returns a value that gradients flow through, not another parameter.
    #[track_caller]
    pub fn to(&self, target: impl Into<Target>) -> Tensor {
        self.tensor.to(target)
    }
}

impl Clone for Param {
    fn clone(&self) -> Param {
        let tensor = clone_or_copy(&self.tensor);
        tensor.set_requires_grad(self.is_tracked());
        Param { tensor, decays: self.decays }
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

/// A tensor that is part of a module's state but not trained, such as a running mean.
#[derive(Debug)]
pub struct Buffer(Tensor);

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let tensor = clone_or_copy(&self.0);
        tensor.cell().is_kept = true;
        Buffer(tensor)
    }
}

impl Buffer {
    /// A buffer with this initial value.
    #[track_caller]
    pub fn new(value: Tensor) -> Buffer {
        let tensor = value.detach();
        let mut cell = tensor.cell();
        (cell.view, cell.is_kept) = (None, true);
        drop(cell);
        Buffer(tensor)
    }

    /// [`Tensor::to`].
    #[track_caller]
    pub fn to(&self, target: impl Into<Target>) -> Tensor {
        self.0.to(target)
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

/// Whether a layer is in training mode; [`Module::train`] and [`Module::eval`] set it for all
/// layers of a model.
#[derive(Debug)]
pub struct Mode(Arc<AtomicBool>);

impl Clone for Mode {
    fn clone(&self) -> Mode {
        let another = |all: &mut Option<Copies>| {
            let copy = || Mode(Arc::new(AtomicBool::new(self.get())));
            let copies =
                all.as_mut()?.modes.entry(Arc::as_ptr(&self.0) as usize).or_insert_with(copy);
            Some(copies.0.clone())
        };
        Mode(COPIES.with_borrow_mut(another).unwrap_or_else(|| self.0.clone()))
    }
}

impl Default for Mode {
    fn default() -> Mode {
        Mode(Arc::new(AtomicBool::new(true)))
    }
}

impl Mode {
    /// Whether the layer is in training mode. A compiled function that has called this is recorded
    /// again when the mode changes.
    pub fn is_training(&self) -> bool {
        let training = self.get();
        session(|own| {
            let mut own = lock(own);
            if let Some(compiling) = &mut own.state.get_mut().compiling {
                compiling.modes.push((Mode(self.0.clone()), training));
            }
        });
        training
    }

    /// [`Mode::is_training`] without registering the read.
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the mode of this layer only.
    pub fn set(&self, training: bool) {
        self.0.store(training, Ordering::Relaxed);
    }
}

impl Module for Mode {
    fn visit(&self, at: &mut Visit) {
        at.found(Part::Mode(self));
    }
}
