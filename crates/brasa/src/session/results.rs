//! The results of an op: expressions while it is recorded, then nodes, then tensors.
use crate::{Error, Tensor};
use brasa_ir::table::Outputs;
use brasa_ir::{Expr, Id};

/// Recorded nodes that become tensors.
pub(crate) trait Ids {
    type Tensors;
    fn tensors(self, make: &dyn Fn(Id) -> Tensor) -> Self::Tensors;
    fn faulty(error: Error) -> Self::Tensors;
}

impl Ids for Id {
    type Tensors = Tensor;
    fn tensors(self, make: &dyn Fn(Id) -> Tensor) -> Tensor {
        make(self)
    }
    fn faulty(error: Error) -> Tensor {
        Tensor::faulty(error)
    }
}

impl Ids for (Id, Id) {
    type Tensors = (Tensor, Tensor);
    fn tensors(self, make: &dyn Fn(Id) -> Tensor) -> (Tensor, Tensor) {
        (make(self.0), make(self.1))
    }
    fn faulty(error: Error) -> (Tensor, Tensor) {
        (Tensor::faulty(error.clone()), Tensor::faulty(error))
    }
}

impl Ids for (Id, Id, Id) {
    type Tensors = (Tensor, Tensor, Tensor);
    fn tensors(self, make: &dyn Fn(Id) -> Tensor) -> (Tensor, Tensor, Tensor) {
        (make(self.0), make(self.1), make(self.2))
    }
    fn faulty(error: Error) -> (Tensor, Tensor, Tensor) {
        let faulty = || Tensor::faulty(error.clone());
        (faulty(), faulty(), faulty())
    }
}

impl Ids for Vec<Id> {
    type Tensors = Vec<Tensor>;
    fn tensors(self, make: &dyn Fn(Id) -> Tensor) -> Vec<Tensor> {
        self.into_iter().map(make).collect()
    }
    fn faulty(error: Error) -> Vec<Tensor> {
        vec![Tensor::faulty(error)]
    }
}

/// The results of an op as expressions, which become nodes.
pub(crate) trait Leave {
    type Ids: Ids;
    fn leave(self) -> Self::Ids;
}

impl Leave for Expr<'_> {
    type Ids = Id;
    fn leave(self) -> Id {
        self.id()
    }
}

impl Leave for (Expr<'_>, Expr<'_>) {
    type Ids = (Id, Id);
    fn leave(self) -> (Id, Id) {
        (self.0.id(), self.1.id())
    }
}

impl Leave for (Expr<'_>, Expr<'_>, Expr<'_>) {
    type Ids = (Id, Id, Id);
    fn leave(self) -> (Id, Id, Id) {
        (self.0.id(), self.1.id(), self.2.id())
    }
}

impl Leave for Vec<Expr<'_>> {
    type Ids = Vec<Id>;
    fn leave(self) -> Vec<Id> {
        self.iter().map(Expr::id).collect()
    }
}

impl Leave for Outputs<'_> {
    type Ids = Vec<Id>;
    fn leave(self) -> Vec<Id> {
        match self {
            Outputs::One(x) => vec![x.id()],
            Outputs::Many(list) => list.leave(),
        }
    }
}
