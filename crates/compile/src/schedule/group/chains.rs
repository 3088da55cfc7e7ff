//! Chained products: the rows of one matrix product are the left operand of another, such as
//! attention weights. Both become one kernel, and rows without other readers are never stored.
use super::Groups;
use crate::schedule::kernel::Granularity;
use crate::schedule::{apply, packs};
use brasa_ir::ops::Op;
use brasa_ir::{Id, Type};

/// Rows must be this many times longer than rows of the result. Otherwise storing them costs
/// little, and separate products use threads better.
const MIN_RATIO: usize = 2;

impl Groups<'_> {
    /// Merges matrix products into the products that consume their rows.
    pub(super) fn chain_products(&mut self) {
        if !self.target.chains_products {
            return;
        }
        for n in 0..self.groups.len() {
            if let Some(rows) = self.row_producer(n) {
                self.link(rows, n);
            }
        }
    }

    /// The group that computes the left operand of group `n`'s product row by row, if they can be
    /// chained.
    fn row_producer(&self, n: usize) -> Option<usize> {
        let group = &self.groups[n];
        if group.merged_into.is_some() || group.has_reduce {
            return None;
        }
        let product = self.product(n)?;
        let [left, right] = self.g[product].inputs[..] else { return None };
        let (base, moves) = self.traits.base(self.g, left);
        let rows = self.group_of(base).filter(|&rows| rows != n)?;
        let producer = &self.groups[rows];
        let product_ty = &self.g[self.product(rows)?].ty;
        let ty = &self.g[left].ty;
        let is_whole = apply(self.g, base, &moves).is_contiguous();
        let saves = ty.shape[ty.rank() - 1] >= MIN_RATIO * self.g[product].ty.shape[ty.rank() - 1];
        let fits =
            saves && producer.has_reduce && producer.row_producer.is_none() && packs(ty.dtype);
        let is_full =
            self.granularity(base) == Granularity::PerElement && product_ty.dtype == ty.dtype;
        if !fits || !is_whole || !is_full || !has_rows_of(product_ty, ty) {
            return None;
        }
        // No other node of the kernel may read the rows: they are still being computed.
        let is_from = |id: Id| {
            self.traits.bases(self.g, id).iter().any(|(b, _)| self.group_of(*b) == Some(rows))
        };
        let others = group.nodes.iter().filter(|&&id| id != product);
        let mut inputs = others.flat_map(|&id| &self.g[id].inputs).chain([&right]);
        if inputs.any(|&id| is_from(id)) {
            return None;
        }
        let mut others = group.producers.iter().map(|&m| self.root(m)).filter(|&m| m != rows);
        (!others.any(|m| self.depends(m, rows))).then_some(rows)
    }

    /// The matrix product of a group.
    fn product(&self, n: usize) -> Option<Id> {
        let anchor = self.groups[n].nodes.iter().find(|&&id| self.g[id].op.is_library())?;
        matches!(self.g[*anchor].op, Op::Contract(_)).then_some(*anchor)
    }

    /// Makes group `rows` part of the kernel of group `n`.
    fn link(&mut self, rows: usize, n: usize) {
        let producer = &mut self.groups[rows];
        producer.merged_into = Some(n);
        let (producers, readers) =
            (std::mem::take(&mut producer.producers), std::mem::take(&mut producer.readers));
        let group = &mut self.groups[n];
        group.row_producer = Some(rows);
        group.why =
            format!("{}; it consumes rows of another product while they are in cache", group.why);
        self.remove_self_edges(n);
        self.connect(n, &producers);
        for reader in readers {
            self.connect(self.root(reader), &[n]);
        }
    }
}

/// Whether a product has the same rows as an operand, matrix by matrix.
pub(crate) fn has_rows_of(product: &Type, operand: &Type) -> bool {
    let matrix = |ty: &Type| ty.shape[ty.rank().saturating_sub(2)..].to_vec();
    product.rank() >= 2
        && matrix(product) == matrix(operand)
        && product.elements() == operand.elements()
}
