//! Kernels: what one launch computes, as plain data that devices interpret or compile. A kernel is
//! straight-line code over the elements of a domain, either alone (`Loop`) or as the epilogue of an
//! op that devices implement by hand (`Library`).
use brasa_ir::ops::{Op, ReduceOp, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Id, Number, Type};
use std::fmt;

/// The index space of a kernel: kept axes and reduced axes. Adjacent axes of one kind are merged,
/// so that equal index spaces are equal domains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    pub axes: Vec<DomainAxis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DomainAxis {
    pub len: usize,
    pub is_reduced: bool,
}

impl Domain {
    /// The domain of a reduction over the axes `reduced` of a tensor.
    pub fn new(shape: &[usize], reduced: &[usize]) -> Domain {
        let mut axes: Vec<DomainAxis> = Vec::new();
        for (n, &len) in shape.iter().enumerate().filter(|(_, len)| **len != 1) {
            let is_reduced = reduced.contains(&n);
            match axes.last_mut() {
                Some(last) if last.is_reduced == is_reduced => last.len *= len,
                _ => axes.push(DomainAxis { len, is_reduced }),
            }
        }
        Domain { axes }
    }

    /// The same index space with axes split at the axis boundaries of `shapes`, so that views of
    /// these shapes need no division. Each shape has as many elements as the domain.
    pub fn refined(&self, shapes: &[Vec<usize>]) -> Domain {
        // Rows without elements still count as rows.
        if self.elements(Granularity::PerElement) == 0 {
            return self.clone();
        }
        let mut cuts: Vec<usize> = Vec::new();
        for shape in shapes {
            let mut below = 1;
            cuts.extend(shape.iter().rev().map(|len| {
                below *= len;
                below
            }));
        }
        cuts.sort_unstable();
        cuts.dedup();
        let (mut axes, mut below) = (Vec::new(), 1);
        for axis in self.axes.iter().rev() {
            let (mut last, end) = (below, below * axis.len);
            for &cut in cuts.iter().filter(|&&cut| cut > below && cut < end) {
                if cut % last == 0 && end % cut == 0 {
                    axes.push(DomainAxis { len: cut / last, ..*axis });
                    last = cut;
                }
            }
            axes.push(DomainAxis { len: end / last, ..*axis });
            below = end;
        }
        axes.reverse();
        Domain { axes }
    }

    /// The shape of all elements, or of the kept axes only.
    pub fn shape(&self, granularity: Granularity) -> Vec<usize> {
        let is_seen =
            |axis: &&DomainAxis| granularity == Granularity::PerElement || !axis.is_reduced;
        self.axes.iter().filter(is_seen).map(|axis| axis.len).collect()
    }

    pub fn elements(&self, granularity: Granularity) -> usize {
        self.shape(granularity).iter().product()
    }

    /// The length of rows, if the reduced axes are the last ones.
    pub fn row(&self) -> Option<usize> {
        let first = self.axes.iter().position(|axis| axis.is_reduced)?;
        let is_row = self.axes[first..].iter().all(|axis| axis.is_reduced);
        is_row.then(|| self.axes[first..].iter().map(|axis| axis.len).product())
    }

    /// The view that broadcasts a value per row to the elements of the row.
    pub fn broadcast(&self) -> View {
        let kept = self.axes.iter().map(|axis| if axis.is_reduced { 1 } else { axis.len });
        let kept: Vec<usize> = kept.collect();
        View::new(&self.shape(Granularity::PerRow))
            .reshape(&kept)
            .expand(&self.shape(Granularity::PerElement))
    }
}

/// Whether a step has one value per element or one per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Granularity {
    /// One value per row: the result of a reduction.
    PerRow,
    /// One value per element of the domain.
    PerElement,
}

/// An earlier step of the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref(pub u32);

impl Ref {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One step of the code: computes a value from values of earlier steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub op: StepOp,
    pub dtype: DType,
    pub granularity: Granularity,
}

/// What a step computes.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOp {
    /// Loads from the kernel's `read`-th operand; gives `fill` where the view has padding.
    Load {
        read: usize,
        view: View,
        fill: Number,
    },
    Const(Number),
    /// A number that the caller provides for each run.
    Slot(usize),
    /// The index of the element that the view maps to.
    Iota {
        view: View,
    },
    /// Random bits of the element that the view maps to, from a seed.
    Bits {
        draw: u32,
        seed: Ref,
        view: View,
    },
    /// Whether the view maps to an element and not to padding.
    Valid {
        view: View,
    },
    Map {
        function: Scalar,
        args: Vec<Ref>,
    },
    Cast(Ref),
    /// Reduces the elements of each row to one value.
    Reduce {
        by: ReduceOp,
        of: Ref,
    },
    /// The result of the kernel's library op.
    Anchor,
}

impl StepOp {
    /// The steps whose values it reads.
    pub fn args(&self) -> &[Ref] {
        match self {
            StepOp::Map { args, .. } => args,
            StepOp::Cast(of) | StepOp::Reduce { of, .. } => std::slice::from_ref(of),
            StepOp::Bits { seed, .. } => std::slice::from_ref(seed),
            _ => &[],
        }
    }
}

/// Straight-line code: each step reads only earlier steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    pub steps: Vec<Step>,
    /// The steps whose values are stored, one for each of the kernel's `writes`.
    pub stores: Vec<Ref>,
}

/// An operand of a library op: one of the kernel's reads through a view, or the result of a
/// prologue.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub read: usize,
    pub ty: Type,
    pub view: View,
    /// Computes the operand while the op packs it. `read` and `view` are unused then.
    pub prologue: Option<Prologue>,
}

/// Computes an operand of a library op: code alone, or a matrix product with its epilogue, whose
/// rows the op consumes as they are computed. The last store is the operand; earlier stores are
/// among the kernel's writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Prologue {
    pub body: Body,
    pub domain: Domain,
    pub code: Code,
}

impl Operand {
    /// Whether it depends on the kernel's `read`-th operand.
    pub fn reads(&self, read: usize) -> bool {
        match &self.prologue {
            Some(prologue) => prologue.code.loads(read) || prologue.body.reads(read),
            None => self.read == read,
        }
    }
}

impl Code {
    fn loads(&self, read: usize) -> bool {
        let is_load = |s: &Step| matches!(s.op, StepOp::Load { read: other, .. } if other == read);
        self.steps.iter().any(is_load)
    }
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a program has few kernels")]
pub enum Body {
    /// Code without a library op.
    Loop,
    /// An op that devices implement by hand. The code reads its result as `Anchor`.
    Library { op: Op, operands: Vec<Operand>, out: Type },
}

impl Body {
    pub fn operands(&self) -> &[Operand] {
        match self {
            Body::Library { operands, .. } => operands,
            Body::Loop => &[],
        }
    }

    /// Whether an operand depends on the kernel's `read`-th.
    pub fn reads(&self, read: usize) -> bool {
        self.operands().iter().any(|operand| operand.reads(read))
    }

    /// Prologues of operands, including nested ones.
    fn prologues(&self) -> Vec<&Prologue> {
        let own = self.operands().iter().filter_map(|operand| operand.prologue.as_ref());
        own.flat_map(|prologue| prologue.body.prologues().into_iter().chain([prologue])).collect()
    }
}

/// What one launch computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub body: Body,
    pub domain: Domain,
    pub code: Code,
    /// The nodes whose buffers it reads and writes.
    pub reads: Vec<Id>,
    pub writes: Vec<Id>,
    /// The nodes it computes, and why it was not fused with the kernels before it.
    pub nodes: Vec<Id>,
    pub why: String,
    /// Whether it may run concurrently with the previous kernel, and with all kernels that the
    /// previous one is concurrent with.
    pub is_concurrent: bool,
}

impl Kernel {
    /// Prologues of its library op's operands, including nested ones.
    pub fn prologues(&self) -> Vec<&Prologue> {
        self.body.prologues()
    }

    /// Whether its op is a custom op of the user.
    pub(crate) fn is_custom(&self) -> bool {
        matches!(&self.body, Body::Library { op: Op::Custom(_), .. })
    }

    /// The domain and step of each write, in order.
    pub fn stores(&self) -> Vec<(&Domain, Option<&Step>)> {
        fn first_stores<'k>(
            domain: &'k Domain,
            code: &'k Code,
            n: usize,
        ) -> Vec<(&'k Domain, Option<&'k Step>)> {
            let steps = code.stores[..n].iter().map(|store| code.steps.get(store.index()));
            steps.map(|step| (domain, step)).collect()
        }
        let mut stores = first_stores(&self.domain, &self.code, self.code.stores.len());
        for prologue in self.prologues() {
            stores.extend(first_stores(
                &prologue.domain,
                &prologue.code,
                prologue.code.stores.len().saturating_sub(1),
            ));
        }
        stores
    }

    /// A short name: the library op, `map`, or `row` with the number of reductions.
    pub fn name(&self) -> String {
        if let Body::Library { op, .. } = &self.body {
            let epilogue = if self.code.steps.len() > 1 { "+" } else { "" };
            return format!("{}{epilogue}", op.name());
        }
        let reduces = self.code.steps.iter().filter(|s| matches!(s.op, StepOp::Reduce { .. }));
        match reduces.count() {
            0 => "map".to_string(),
            n => format!("row{n}"),
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |a: &DomainAxis| format!("{}{}", a.len, if a.is_reduced { "↓" } else { "" });
        write!(f, "[{}]", self.axes.iter().map(axis).collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name(), self.domain)?;
        if let Body::Library { operands, out, .. } = &self.body {
            for operand in operands {
                match &operand.prologue {
                    Some(prologue) => write!(f, " prologue {}", prologue.domain)?,
                    None => write!(f, " {} as {}", self.operand(operand.read), operand.view)?,
                }
            }
            write!(f, " -> {out}")?;
        }
        let concurrent =
            if self.is_concurrent { "; concurrent with the previous kernel" } else { "" };
        writeln!(f, "  // {}{concurrent}", self.why)?;
        for prologue in self.prologues() {
            let op = match &prologue.body {
                Body::Library { op, .. } => format!(" of {}", op.name()),
                Body::Loop => String::new(),
            };
            writeln!(f, "  prologue {}{op}:", prologue.domain)?;
            self.list(f, &prologue.code)?;
        }
        self.list(f, &self.code)?;
        for (value, node) in self.code.stores.iter().zip(&self.writes) {
            writeln!(f, "  {node} <- v{}", value.0)?;
        }
        Ok(())
    }
}

/// The text of kernels in order, each with its number.
pub(crate) fn list_kernels(kernels: &[Kernel]) -> String {
    kernels.iter().enumerate().map(|(n, kernel)| format!("#{n} {kernel}")).collect()
}

impl Kernel {
    fn list(&self, f: &mut fmt::Formatter<'_>, code: &Code) -> fmt::Result {
        for (n, step) in code.steps.iter().enumerate() {
            let prefix = if step.granularity == Granularity::PerRow { "row " } else { "" };
            writeln!(f, "  {prefix}v{n}: {} = {}", step.dtype, self.describe(&step.op))?;
        }
        Ok(())
    }

    /// The name of an operand; `?` if an invalid kernel has none.
    fn operand(&self, read: usize) -> String {
        self.reads.get(read).map_or_else(|| "?".to_string(), Id::to_string)
    }

    fn describe(&self, op: &StepOp) -> String {
        match op {
            StepOp::Load { read, view, .. } => format!("{} {view}", self.operand(*read)),
            StepOp::Const(value) => format!("{value}"),
            StepOp::Slot(slot) => format!("slot {slot}"),
            StepOp::Iota { view } => format!("iota {view}"),
            StepOp::Bits { draw, seed, view } => format!("bits {draw} v{} {view}", seed.0),
            StepOp::Valid { view } => format!("valid {view}"),
            StepOp::Map { function, args } => {
                let args: Vec<String> = args.iter().map(|a| format!("v{}", a.0)).collect();
                format!("{} {}", function.def().name, args.join(" "))
            }
            StepOp::Cast(of) => format!("cast v{}", of.0),
            StepOp::Reduce { by, of } => format!("{} v{}", by.word(), of.0),
            StepOp::Anchor => "the result".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refining_keeps_rows_without_elements() {
        let domain = Domain::new(&[6, 15, 0], &[2]);
        let refined = domain.refined(&[vec![6, 15, 0]]);
        assert_eq!(
            (refined.elements(Granularity::PerRow), refined.elements(Granularity::PerElement)),
            (90, 0)
        );
        let cut = Domain::new(&[6, 15, 4], &[2]).refined(&[vec![6, 15, 4]]);
        assert_eq!(cut.shape(Granularity::PerElement), [6, 15, 4]);
    }
}
