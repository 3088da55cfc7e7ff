//! Brasa's intermediate representation: dtypes, shapes, views, the tensor graph and its text form,
//! the op table, and the reference device that defines what every op computes. No I/O, no other
//! device, no threads, no unsafe.
pub mod array;
pub mod bounds;
pub mod case;
pub mod dtype;
pub mod error;
pub mod eval;
mod expr;
pub mod graph;
mod handle;
pub mod ops;
#[cfg(any(brasa_page, test))]
mod packed;
pub mod paths;
pub mod recorder;
pub mod shape;
mod syntax;
pub mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod value;
pub mod verify;
pub mod view;

pub use array::Array;
pub use dtype::{DType, Number};
pub use error::{Error, ErrorKind, Result, printable};
pub use eval::eval;
pub use graph::{Graph, Id, Node, Site};
pub use ops::compose;
pub use recorder::{Expr, Operand, Recorder};
pub use shape::{Shape, Type};
pub use value::{Index, Value};
pub use verify::verify;
