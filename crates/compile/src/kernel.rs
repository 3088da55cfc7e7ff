//! Kernels: what one launch computes, as plain data that devices interpret or translate. A kernel
//! is straight-line code over the elements of a domain, alone (`Loop`) or behind an op that devices
//! tune by hand (`Library`).
use brasa_ir::ops::{Op, ReduceOp, Scalar};
use brasa_ir::view::View;
use brasa_ir::{DType, Id, Number, Type};
use std::fmt;

/// The index space of a kernel: axes that are kept, and axes that reductions run over. Neighbours of
/// one kind are merged, so that equal spaces are equal domains.
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
    /// The domain of reductions of `axes` of a tensor.
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

    /// The same space with axes cut where the axes of `shapes`, which have all its elements, meet:
    /// views of these then need no division.
    pub fn refined(&self, shapes: &[Vec<usize>]) -> Domain {
        // Rows of nothing are rows still.
        if self.elements(Level::Full) == 0 {
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

    /// The shape of everything, or of what is left after reductions.
    pub fn shape(&self, level: Level) -> Vec<usize> {
        let is_seen = |axis: &&DomainAxis| level == Level::Full || !axis.is_reduced;
        self.axes.iter().filter(is_seen).map(|axis| axis.len).collect()
    }

    pub fn elements(&self, level: Level) -> usize {
        self.shape(level).iter().product()
    }

    /// The length of rows, where these lie along the last axes.
    pub fn row(&self) -> Option<usize> {
        let first = self.axes.iter().position(|axis| axis.is_reduced)?;
        let is_row = self.axes[first..].iter().all(|axis| axis.is_reduced);
        is_row.then(|| self.axes[first..].iter().map(|axis| axis.len).product())
    }

    /// How a value of each row is seen by the elements of that row.
    pub fn broadcast(&self) -> View {
        let kept = self.axes.iter().map(|axis| if axis.is_reduced { 1 } else { axis.len });
        let kept: Vec<usize> = kept.collect();
        View::new(&self.shape(Level::Row)).reshape(&kept).expand(&self.shape(Level::Full))
    }
}

/// Whether there is a value for each element, or one for each row: what reductions leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Row,
    Full,
}

/// A step of the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref(pub u32);

impl Ref {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One value of the code, made from earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub what: What,
    pub dtype: DType,
    pub level: Level,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Reads the kernel's `read`-th operand; `fill` where the view has padding.
    Load {
        read: usize,
        view: View,
        fill: Number,
    },
    Const(Number),
    /// A number that is filled in for each run.
    Slot(usize),
    /// The number of the element that the view leads to.
    Iota {
        view: View,
    },
    /// Random bits of that element, from a seed.
    Bits {
        draw: u32,
        seed: Ref,
        view: View,
    },
    /// Whether the view leads to an element and not to padding.
    Valid {
        view: View,
    },
    Map {
        row: Scalar,
        args: Vec<Ref>,
    },
    Cast(Ref),
    /// Many elements of a row to one value.
    Reduce {
        by: ReduceOp,
        of: Ref,
    },
    /// What the library op has just computed.
    Anchor,
}

impl What {
    /// The steps that it reads.
    pub fn args(&self) -> &[Ref] {
        match self {
            What::Map { args, .. } => args,
            What::Cast(of) | What::Reduce { of, .. } => std::slice::from_ref(of),
            What::Bits { seed, .. } => std::slice::from_ref(seed),
            _ => &[],
        }
    }
}

/// Straight-line code: each step reads only steps before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    pub steps: Vec<Step>,
    /// The steps whose values are written, one for each of the kernel's `writes`.
    pub stores: Vec<Ref>,
}

/// An operand of a library op: one of the kernel's reads, through a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub read: usize,
    pub ty: Type,
    pub view: View,
    /// What makes the operand while the op packs it; nothing is read through `view` then.
    pub work: Option<Work>,
}

/// What makes an operand: code alone, or a product and the code behind it, whose rows the op takes as
/// they come. The last store is the operand; those before it are among the kernel's writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub body: Body,
    pub domain: Domain,
    pub code: Code,
}

impl Operand {
    /// Whether it comes from the kernel's `read`-th operand.
    pub fn reads(&self, read: usize) -> bool {
        match &self.work {
            Some(work) => work.code.loads(read) || work.body.reads(read),
            None => self.read == read,
        }
    }
}

impl Code {
    fn loads(&self, read: usize) -> bool {
        let is_load = |s: &Step| matches!(s.what, What::Load { read: other, .. } if other == read);
        self.steps.iter().any(is_load)
    }
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a program has few kernels")]
pub enum Body {
    /// The code alone.
    Loop,
    /// A tuned op; the code sees its result as `Anchor`.
    Library { op: Op, operands: Vec<Operand>, out: Type },
}

impl Body {
    pub fn operands(&self) -> &[Operand] {
        match self {
            Body::Library { operands, .. } => operands,
            Body::Loop => &[],
        }
    }

    /// Whether an operand comes from the kernel's `read`-th.
    pub fn reads(&self, read: usize) -> bool {
        self.operands().iter().any(|operand| operand.reads(read))
    }

    /// What makes operands, and operands of what makes these.
    fn works(&self) -> Vec<&Work> {
        let own = self.operands().iter().filter_map(|operand| operand.work.as_ref());
        own.flat_map(|work| work.body.works().into_iter().chain([work])).collect()
    }
}

/// One launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub body: Body,
    pub domain: Domain,
    pub code: Code,
    /// The nodes whose buffers are read and written.
    pub reads: Vec<Id>,
    pub writes: Vec<Id>,
    /// What it computes, and why it begins where it does.
    pub nodes: Vec<Id>,
    pub why: String,
    /// Whether it may run at the same time as the kernel before it, and as those that this one may
    /// run beside.
    pub is_beside: bool,
}

impl Kernel {
    /// What makes operands of its library op, and operands of these.
    pub fn works(&self) -> Vec<&Work> {
        self.body.works()
    }

    /// Whether its op is a user's own.
    pub(crate) fn is_of_user(&self) -> bool {
        matches!(&self.body, Body::Library { op: Op::Custom(_), .. })
    }

    /// The spaces and steps of what is written, in order.
    pub fn stores(&self) -> Vec<(&Domain, Option<&Step>)> {
        fn some<'k>(
            domain: &'k Domain,
            code: &'k Code,
            n: usize,
        ) -> Vec<(&'k Domain, Option<&'k Step>)> {
            let steps = code.stores[..n].iter().map(|store| code.steps.get(store.index()));
            steps.map(|step| (domain, step)).collect()
        }
        let mut stores = some(&self.domain, &self.code, self.code.stores.len());
        for work in self.works() {
            stores.extend(some(&work.domain, &work.code, work.code.stores.len().saturating_sub(1)));
        }
        stores
    }

    /// A short name: the op it is built around, or the ops it fuses.
    pub fn name(&self) -> String {
        if let Body::Library { op, .. } = &self.body {
            let epilogue = if self.code.steps.len() > 1 { "+" } else { "" };
            return format!("{}{epilogue}", op.name());
        }
        let reduces = self.code.steps.iter().filter(|s| matches!(s.what, What::Reduce { .. }));
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
                match &operand.work {
                    Some(work) => write!(f, " work {}", work.domain)?,
                    None => write!(f, " {} as {}", self.operand(operand.read), operand.view)?,
                }
            }
            write!(f, " -> {out}")?;
        }
        let beside = if self.is_beside { "; beside the one before it" } else { "" };
        writeln!(f, "  // {}{beside}", self.why)?;
        for work in self.works() {
            let op = match &work.body {
                Body::Library { op, .. } => format!(" of {}", op.name()),
                Body::Loop => String::new(),
            };
            writeln!(f, "  work {}{op}:", work.domain)?;
            self.list(f, &work.code)?;
        }
        self.list(f, &self.code)?;
        for (value, node) in self.code.stores.iter().zip(&self.writes) {
            writeln!(f, "  {node} <- v{}", value.0)?;
        }
        Ok(())
    }
}

impl Kernel {
    fn list(&self, f: &mut fmt::Formatter<'_>, code: &Code) -> fmt::Result {
        for (n, step) in code.steps.iter().enumerate() {
            let level = if step.level == Level::Row { "row " } else { "" };
            writeln!(f, "  {level}v{n}: {} = {}", step.dtype, self.describe(&step.what))?;
        }
        Ok(())
    }

    /// The name of an operand, also where a broken kernel has none.
    fn operand(&self, read: usize) -> String {
        self.reads.get(read).map_or_else(|| "?".to_string(), Id::to_string)
    }

    fn describe(&self, what: &What) -> String {
        match what {
            What::Load { read, view, .. } => format!("{} {view}", self.operand(*read)),
            What::Const(value) => format!("{value}"),
            What::Slot(slot) => format!("slot {slot}"),
            What::Iota { view } => format!("iota {view}"),
            What::Bits { draw, seed, view } => format!("bits {draw} v{} {view}", seed.0),
            What::Valid { view } => format!("valid {view}"),
            What::Map { row, args } => {
                let args: Vec<String> = args.iter().map(|a| format!("v{}", a.0)).collect();
                format!("{} {}", row.def().name, args.join(" "))
            }
            What::Cast(of) => format!("cast v{}", of.0),
            What::Reduce { by, of } => format!("{} v{}", by.word(), of.0),
            What::Anchor => "the result".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refining_keeps_rows_of_nothing() {
        let domain = Domain::new(&[6, 15, 0], &[2]);
        let refined = domain.refined(&[vec![6, 15, 0]]);
        assert_eq!((refined.elements(Level::Row), refined.elements(Level::Full)), (90, 0));
        let cut = Domain::new(&[6, 15, 4], &[2]).refined(&[vec![6, 15, 4]]);
        assert_eq!(cut.shape(Level::Full), [6, 15, 4]);
    }
}
