//! Chains: the rows that one product makes are at once the left operand of another, as the weights of
//! an attention are. Both become one kernel, and rows that nobody else reads are never in memory.
use super::Groups;
use crate::kernel::Level;
use crate::schedule::{apply, is_library, packs};
use brasa_ir::ops::Op;
use brasa_ir::{Id, Type};

/// Rows have to be this much longer than those of the result: else the memory they take is little
/// beside the rest, and one product after the other shares threads better.
const SAVED: usize = 2;

impl Groups<'_> {
    /// Links products to those that take their rows.
    pub(super) fn chain_products(&mut self) {
        if !self.options.chains_products {
            return;
        }
        for n in 0..self.groups.len() {
            if let Some(rows) = self.rows_for(n) {
                self.link(rows, n);
            }
        }
    }

    /// The group that makes, row by row, the left operand of the product of group `n`.
    fn rows_for(&self, n: usize) -> Option<usize> {
        let group = &self.groups[n];
        if group.merged_into.is_some() || group.has_reduce {
            return None;
        }
        let product = self.product(n)?;
        let [left, right] = self.g[product].inputs[..] else { return None };
        let (base, moves) = self.traits.base(self.g, left);
        let rows = self.of(base).filter(|&rows| rows != n)?;
        let maker = &self.groups[rows];
        let made = &self.g[self.product(rows)?].ty;
        let ty = &self.g[left].ty;
        let is_whole = apply(self.g, base, &moves).is_contiguous();
        let saves = ty.shape[ty.rank() - 1] >= SAVED * self.g[product].ty.shape[ty.rank() - 1];
        let fits = saves && maker.has_reduce && maker.rows.is_none() && packs(ty.dtype);
        let is_made = self.level(base) == Level::Full && made.dtype == ty.dtype;
        if !fits || !is_whole || !is_made || !has_rows_of(made, ty) {
            return None;
        }
        // Nothing else of the kernel may look at what is only in the making.
        let is_from =
            |id: Id| self.traits.bases(self.g, id).iter().any(|(b, _)| self.of(*b) == Some(rows));
        let others = group.nodes.iter().filter(|&&id| id != product);
        let mut inputs = others.flat_map(|&id| &self.g[id].inputs).chain([&right]);
        if inputs.any(|&id| is_from(id)) {
            return None;
        }
        let mut others = group.after.iter().map(|&m| self.root(m)).filter(|&m| m != rows);
        (!others.any(|m| self.depends(m, rows))).then_some(rows)
    }

    /// The product that a group is built around.
    fn product(&self, n: usize) -> Option<Id> {
        let anchor = self.groups[n].nodes.iter().find(|&&id| is_library(&self.g[id].op))?;
        matches!(self.g[*anchor].op, Op::Contract(_)).then_some(*anchor)
    }

    /// Makes group `rows` a part of the kernel of group `n`.
    fn link(&mut self, rows: usize, n: usize) {
        let maker = &mut self.groups[rows];
        maker.merged_into = Some(n);
        let (after, readers) =
            (std::mem::take(&mut maker.after), std::mem::take(&mut maker.readers));
        let group = &mut self.groups[n];
        group.rows = Some(rows);
        group.why = format!("{}; it takes rows while they are hot", group.why);
        self.forget_own_reads(n);
        self.connect(n, &after);
        for reader in readers {
            self.connect(self.root(reader), &[n]);
        }
    }
}

/// Whether the rows of a product are those of an operand, matrix by matrix.
pub(crate) fn has_rows_of(product: &Type, operand: &Type) -> bool {
    let matrix = |ty: &Type| ty.shape[ty.rank().saturating_sub(2)..].to_vec();
    product.rank() >= 2
        && matrix(product) == matrix(operand)
        && product.elements() == operand.elements()
}
