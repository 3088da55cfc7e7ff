//! `to`: converts tensors to another device, another dtype, or both.
use crate::args::Enter;
use crate::session::{accept, record};
use crate::storage::Data;
use crate::tensor::Cell;
use crate::{DType, Device, Error, Result, Tensor, default_device, is_grad_enabled};
use brasa_ir::{Site, compose};
use std::panic::Location;

/// The argument of [`Tensor::to`] and [`Module::to`](crate::nn::Module::to): a device, a dtype,
/// both as a pair, or another tensor with the desired device and dtype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    device: Option<Device>,
    dtype: Option<DType>,
}

impl From<Device> for Target {
    fn from(device: Device) -> Target {
        Target { device: Some(device), dtype: None }
    }
}

impl From<DType> for Target {
    fn from(dtype: DType) -> Target {
        Target { device: None, dtype: Some(dtype) }
    }
}

impl From<(Device, DType)> for Target {
    fn from((device, dtype): (Device, DType)) -> Target {
        Target { device: Some(device), dtype: Some(dtype) }
    }
}

impl From<&Tensor> for Target {
    fn from(like: &Tensor) -> Target {
        (like.device(), like.dtype()).into()
    }
}

impl Target {
    /// The target for one tensor of a model: integer counters keep their dtype.
    pub(crate) fn of_part(self, part: &Tensor) -> Target {
        let dtype = self.dtype.filter(|_| part.dtype().is_float());
        Target { dtype, ..self }
    }

    /// Rejects dtypes that cannot be trained.
    #[track_caller]
    pub(crate) fn check_of_model(self) {
        if let Some(dtype) = self.dtype.filter(|dtype| !dtype.is_float()) {
            let error = Error::dtype("to", format!("a model of dtype {dtype} cannot be trained"));
            let error = error.help("use a float dtype; x.to(dtype) converts tensors to any dtype");
            accept::<()>(Err(error.at(Site::Rust(Location::caller()))));
        }
    }
}

impl Tensor {
    /// The tensor on another device, as another dtype, or both; the same tensor if nothing changes.
    /// Floats are truncated to integers, and every nonzero number becomes `true`.
    ///
    /// Gradients flow through a change of dtype but not between devices: a moved parameter is a
    /// parameter on the new device, and a tensor computed from parameters has to be separated from
    /// its history by [`detach`](Tensor::detach) first. Ops run on the device of
    /// [`set_default_device`](crate::set_default_device) and require tensors on it.
    ///
    /// ```
    /// use brasa::{DType, Device, Tensor};
    /// let x = Tensor::new([1.5, -2.5]);
    /// assert_eq!(x.to(DType::I32).to_vec::<i32>()?, [1, -2]);
    /// assert!(x.to(Device::cpu()).is_same(&x));
    /// assert_eq!(Tensor::ones([2]).to((Device::cpu(), DType::F16)).dtype(), DType::F16);
    /// # Ok::<(), brasa::Error>(())
    /// ```
    #[track_caller]
    pub fn to(&self, target: impl Into<Target>) -> Tensor {
        let Target { device, dtype } = target.into();
        // Casts run on the default device: before a tensor leaves it, or after it has arrived.
        let leaves = self.device() == default_device();
        let here = if leaves { self.clone() } else { self.move_to(device) };
        let cast = match dtype {
            Some(dtype) if dtype != here.dtype() => here.cast(dtype),
            _ => here,
        };
        if leaves { cast.move_to(device) } else { cast }
    }

    /// [`to`](Tensor::to) for dtypes only.
    #[track_caller]
    pub fn cast(&self, dtype: DType) -> Tensor {
        self.settle();
        record("to", |s| s.leave(compose::to(s.g, self.enter(s), dtype)))
    }

    /// Alias of [`cast`](Tensor::cast).
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Tensor {
        self.cast(dtype)
    }

    /// The value on another device. If it cannot be computed, the error is reported when the tensor
    /// is used.
    #[track_caller]
    fn move_to(&self, device: Option<Device>) -> Tensor {
        let Some(device) = device.filter(|device| *device != self.device()) else {
            return self.clone();
        };
        let (is_leaf, is_in_use) = {
            let cell = self.cell();
            (cell.is_leaf, !cell.is_leaf && cell.is_tracked && !cell.is_released)
        };
        if is_in_use && is_grad_enabled() {
            let what = format!("gradients do not flow from {device} back to {}", self.device());
            let error = Error::argument("to", what).operand("tensor", self.ty());
            let help = "x.detach().to(…) moves the value without its history";
            return crate::rejected(error.help(help).at(Site::Rust(Location::caller())));
        }
        let moved = match self.copied_to(device) {
            Ok(data) => Tensor::from_data(data),
            Err(fault) => {
                let cell = Cell { fault: Some(fault), ..Cell::default() };
                Tensor::make(self.ty().clone(), cell)
            }
        };
        moved.set_requires_grad(is_leaf);
        moved
    }

    fn copied_to(&self, device: Device) -> Result<std::sync::Arc<Data>> {
        let data = self.data()?;
        data.read(|bytes| Data::from_bytes(device, data.ty.clone(), bytes))
    }
}
