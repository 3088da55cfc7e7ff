//! Models: structs of layers. A parameter is named by the path of fields that leads to it.
//!
//! ```
//! use brasa::nn::{Linear, Module};
//! use brasa::Tensor;
//!
//! #[derive(Module)]
//! struct Mlp {
//!     hidden: Vec<Linear>,
//!     head: Linear,
//! }
//!
//! impl Mlp {
//!     fn forward(&self, x: &Tensor) -> Tensor {
//!         let h = self.hidden.iter().fold(x.clone(), |h, layer| layer.forward(&h).relu());
//!         self.head.forward(&h)
//!     }
//! }
//!
//! let model = Mlp { hidden: vec![Linear::new(2, 8), Linear::new(8, 8)], head: Linear::new(8, 1) };
//! assert_eq!(model.forward(&Tensor::ones([5, 2])).shape(), [5, 1]);
//! assert_eq!(model.num_parameters(), 2 * 8 + 8 + 8 * 8 + 8 + 8 + 1);
//! let names: Vec<String> = model.named_parameters().into_iter().map(|(name, _)| name).collect();
//! assert_eq!(names[2], "hidden.1.weight");
//! ```
mod activation;
mod attention;
mod conv;
pub mod init;
mod linear;
mod module;
mod norm;
mod param;
mod pool;
mod recurrent;
mod sequential;
mod shape;

pub use activation::*;
pub use attention::{
    AttentionOptions, MultiheadAttention, TransformerDecoderLayer, TransformerEncoderLayer,
};
pub use brasa_ir::compose::{Interpolation, PadMode};
pub use brasa_macros::Module;
pub use conv::{Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d};
pub use init::Init;
pub use linear::{Bilinear, Embedding, Linear};
pub(crate) use module::check_state;
pub use module::{Module, Part, StateDict, Unmatched, Visit};
pub use norm::{
    BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, InstanceNorm, LayerNorm, RmsNorm,
};
pub use param::{Buffer, Mode, Param};
pub use pool::*;
pub use recurrent::{Gru, GruCell, Lstm, LstmCell, Rnn, RnnCell};
pub use sequential::{Layer, Sequential};
pub use shape::*;
