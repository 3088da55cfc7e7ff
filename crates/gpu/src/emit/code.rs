//! Emits a kernel's code as WGSL statements, one for each step.
use super::index::{Access, ElementIndex, Space};
use super::scalar::{Class, cast, narrow_to, template};
use super::shader::{BoundsCheck, Shader, Word};
use brasa_compile::kernel::{Granularity, Kernel, Ref, Step, StepOp};
use brasa_ir::ops::{Map, OpDef, ReduceOp, Scalar};
use brasa_ir::view::View;
use brasa_ir::{Array, DType, Number, Type};

/// A kernel's code over its iteration space with merged axes.
pub(crate) struct Code<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) space: Space,
    /// The access of each step that has a view.
    accesses: Vec<Option<Access>>,
    writes: Vec<Access>,
    /// The values of steps that are constant.
    numbers: Vec<Option<Number>>,
}

impl<'a> Code<'a> {
    pub(crate) fn new(kernel: &'a Kernel) -> Code<'a> {
        let domain = &kernel.domain;
        let access = |step: &Step| match &step.op {
            StepOp::Load { view, .. }
            | StepOp::Iota { view }
            | StepOp::Bits { view, .. }
            | StepOp::Valid { view } => Some(Access::new(view, domain, step.granularity)),
            _ => None,
        };
        let steps = &kernel.code.steps;
        let mut accesses: Vec<Option<Access>> = steps.iter().map(access).collect();
        let write = |value: &Ref| {
            let level = steps[value.index()].granularity;
            Access::new(&View::new(&domain.shape(level)), domain, level)
        };
        let mut writes: Vec<Access> = kernel.code.stores.iter().map(write).collect();
        let all = accesses.iter_mut().flatten().chain(&mut writes).collect();
        let space = Space::new(domain, all);
        Code { kernel, space, accesses, writes, numbers: numbers(steps) }
    }

    pub(crate) fn steps(&self) -> &'a [Step] {
        &self.kernel.code.steps
    }

    /// The arguments of a step.
    pub(crate) fn args(&self, n: usize) -> &'a [Ref] {
        match &self.steps()[n].op {
            StepOp::Map { args, .. } => args,
            StepOp::Cast(of) | StepOp::Reduce { of, .. } => std::slice::from_ref(of),
            StepOp::Bits { seed, .. } => std::slice::from_ref(seed),
            _ => &[],
        }
    }

    pub(crate) fn class(&self, n: usize) -> Class {
        class(self.steps()[n].dtype)
    }

    /// The expression for a step's value: its variable or a literal.
    pub(crate) fn value(&self, n: usize) -> String {
        match self.numbers[n] {
            Some(number) => literal(number, self.steps()[n].dtype),
            None => format!("v{n}"),
        }
    }

    /// Emits the statements that compute step `n`. `flat` is the flat index of the element in the
    /// whole space, if it is available.
    pub(crate) fn step(&self, shader: &mut Shader, n: usize, flat: Option<&str>) {
        if self.numbers[n].is_some() {
            return;
        }
        let Step { op, dtype, .. } = &self.steps()[n];
        let arg = |r: &Ref| self.value(r.index());
        let element_index = |shader: &mut Shader| -> ElementIndex {
            let access = self.accesses[n].as_ref().expect("the step has a view");
            let index = self.space.element_index(access, &format!("v{n}"), flat);
            index.lines.iter().for_each(|line| shader.line(line));
            index
        };
        let text = match op {
            StepOp::Load { read, fill, .. } => {
                let ElementIndex { index, is_valid, .. } = element_index(shader);
                let load = format!("read{read}({index})");
                let Some(is_valid) = is_valid else {
                    return shader.line(&format!("let v{n} = {load};"));
                };
                shader.line(&format!("var v{n} = {};", literal(*fill, *dtype)));
                return shader.line(&format!("if ({is_valid}) {{ v{n} = {load}; }}"));
            }
            StepOp::Const(_) => unreachable!("constants are numbers"),
            StepOp::Slot(slot) => shader.slot(*slot, *dtype),
            StepOp::Iota { .. } => {
                let index = element_index(shader).index;
                cast(DType::I32, *dtype, &index).expect("a known dtype")
            }
            StepOp::Bits { draw, seed, .. } => {
                let index = element_index(shader).index;
                format!("random_bits({draw}u, {}, u32({index}))", arg(seed))
            }
            StepOp::Valid { .. } => element_index(shader).is_valid.unwrap_or("true".to_string()),
            StepOp::Map { function, args } => {
                // Of `Select`, the operands after the condition.
                let of = args[args.len() - 1].index();
                let template =
                    template(*function, self.class(of)).expect("checked by `unsupported`");
                let mut text = template.to_string();
                for (name, arg_ref) in ["{a}", "{b}", "{c}"].into_iter().zip(args) {
                    text = text.replace(name, &arg(arg_ref));
                }
                let is_exact = function.def().is_exact && dtype.is_float();
                if is_exact { text } else { narrow_to(*dtype, &text) }
            }
            StepOp::Cast(of) => {
                let from = self.steps()[of.index()].dtype;
                cast(from, *dtype, &arg(of)).expect("a known dtype")
            }
            StepOp::Anchor => "anchor".to_string(),
            StepOp::Reduce { .. } => unreachable!("reductions are emitted by `loops`"),
        };
        shader.line(&format!("let v{n} = {text};"));
    }

    /// Emits the stores of step `n`.
    pub(crate) fn stores(&self, shader: &mut Shader, n: usize, flat: Option<&str>) {
        for (write, value) in self.kernel.code.stores.iter().enumerate() {
            if value.index() == n {
                let name = format!("w{write}");
                let element = self.space.element_index(&self.writes[write], &name, flat);
                shader.store(write, &element.index, &self.value(n));
                for BoundsCheck { len, bound, .. } in shader.bounds_checks(write) {
                    shader.flag_out_of_range(&self.value(n), len, Word::Bound(bound));
                }
            }
        }
    }

    pub(crate) fn is_stored(&self, n: usize) -> bool {
        self.kernel.code.stores.iter().any(|value| value.index() == n)
    }

    /// Whether step `n` reads element `flat` for element `flat`.
    pub(crate) fn loads_in_order(&self, n: usize) -> bool {
        self.accesses[n].as_ref().is_some_and(|access| access.is_in_order(&self.space.axes))
    }

    /// Whether step `n` can read four neighbours along the last axis as a vec4.
    pub(crate) fn loads_vec4(&self, n: usize) -> bool {
        self.accesses[n].as_ref().is_some_and(|access| access.is_vec4_aligned(&self.space.axes))
    }

    /// Whether step `n` is a load that is broadcast along the last axis.
    pub(crate) fn is_broadcast_load(&self, n: usize) -> bool {
        let is_load = matches!(self.steps()[n].op, StepOp::Load { .. });
        let access = self.accesses[n].as_ref().filter(|_| is_load);
        access.is_some_and(|access| access.is_broadcast_on_last(&self.space.axes))
    }

    /// Whether step `n` depends on the index of its element.
    pub(crate) fn depends_on_index(&self, n: usize) -> bool {
        self.accesses[n].is_some()
    }

    /// Whether the `write`-th result can be stored as vec4 along the last axis.
    pub(crate) fn stores_vec4(&self, write: usize) -> bool {
        self.writes[write].is_vec4_aligned(&self.space.axes)
    }

    /// The index of the vec4 that holds the four neighbours that step `n` reads.
    pub(crate) fn vec4_index(&self, n: usize) -> String {
        let access = self.accesses[n].as_ref().expect("the step has a view");
        self.vector(access)
    }

    /// The index of the vec4 that holds four neighbours of the `write`-th result.
    pub(crate) fn stored_vec4_index(&self, write: usize) -> String {
        self.vector(&self.writes[write])
    }

    fn vector(&self, access: &Access) -> String {
        format!("u32({}) / 4u", self.space.element_index(access, "x", None).index)
    }

    /// Whether all results are stored in the order of elements.
    pub(crate) fn stores_in_order(&self) -> bool {
        self.writes.iter().all(|access| access.is_in_order(&self.space.axes))
    }

    /// Emits all steps and stores for one element: the body of a kernel without reductions.
    pub(crate) fn element(&self, shader: &mut Shader, flat: &str) {
        self.indices(shader, flat);
        for n in 0..self.steps().len() {
            self.step(shader, n, Some(flat));
        }
        // Stores come last: another step may read the same element of a buffer first.
        for n in 0..self.steps().len() {
            self.stores(shader, n, Some(flat));
        }
    }

    /// Emits the indices of element `flat`, if an access needs them.
    pub(crate) fn indices(&self, shader: &mut Shader, flat: &str) {
        let needs_indices = (0..self.steps().len()).any(|n| {
            let access = self.accesses[n].as_ref();
            access.is_some_and(|access| {
                let place = self.space.element_index(access, "x", Some(flat));
                place.index != format!("i32({flat})")
            })
        });
        if needs_indices {
            shader.lines(&self.space.unravel(flat, |_, _| true));
        }
    }

    /// The names of the kernel's ops.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        let word = |step: &Step| match &step.op {
            StepOp::Map { function, .. } => Some(function.def().name),
            StepOp::Reduce { by, .. } => Some(by.word()),
            StepOp::Bits { .. } => Some("random"),
            _ => None,
        };
        self.steps().iter().filter_map(word).collect()
    }
}

/// What shaders cannot compute.
pub(crate) enum Unsupported {
    DType(DType),
    /// A function without WGSL for operands of a dtype.
    Function(Scalar, DType),
}

/// The first step of a kernel that shaders cannot compute.
pub(crate) fn unsupported(kernel: &Kernel) -> Option<Unsupported> {
    let steps = &kernel.code.steps;
    steps.iter().find_map(|step| {
        if Class::of(step.dtype).is_none() {
            return Some(Unsupported::DType(step.dtype));
        }
        let StepOp::Map { function, args } = &step.op else { return None };
        let operand = steps[args.last()?.index()].dtype;
        let is_missing = |&class: &Class| template(*function, class).is_none();
        let found = Class::of(operand).filter(is_missing);
        found.map(|_| Unsupported::Function(*function, operand))
    })
}

/// The first i64 constant that does not fit into the 32 bits of a shader's integer.
pub(crate) fn too_wide(kernel: &Kernel) -> Option<i64> {
    let code = Code::new(kernel);
    let is_computed = |n: usize| code.numbers[n].is_none();
    let reads = |n: usize, of: usize| code.args(n).iter().any(|arg| arg.index() == of);
    // Constants that were folded into others are not part of the shader.
    let is_used = |n: usize| {
        let mut readers = (0..code.steps().len()).filter(|&reader| is_computed(reader));
        code.is_stored(n) || readers.any(|reader| reads(reader, n))
    };
    let wide = |number: Number| {
        let number = number.to(DType::I64).as_i64();
        i32::try_from(number).is_err().then_some(number)
    };
    let in_step = |(n, step): (usize, &Step)| match step.op {
        _ if step.dtype != DType::I64 => None,
        StepOp::Load { fill, .. } => wide(fill),
        _ => code.numbers[n].and_then(wide).filter(|_| is_used(n)),
    };
    code.steps().iter().enumerate().find_map(in_step)
}

pub(crate) fn class(dtype: DType) -> Class {
    Class::of(dtype).expect("programs with f64 are refused")
}

/// The values of steps that are constants or functions of constants. Folding is required: WGSL
/// rejects some constant expressions, such as 1 / 0.
fn numbers(steps: &[Step]) -> Vec<Option<Number>> {
    let mut numbers: Vec<Option<Number>> = Vec::with_capacity(steps.len());
    for step in steps {
        let number = match &step.op {
            StepOp::Const(value) => Some(value.to(step.dtype)),
            StepOp::Map { function, args } => {
                let args: Option<Vec<(Number, DType)>> = args
                    .iter()
                    .map(|arg| Some((numbers[arg.index()]?, steps[arg.index()].dtype)))
                    .collect();
                args.and_then(|args| fold_constant(*function, &args, step.dtype))
            }
            StepOp::Cast(of) => numbers[of.index()].map(|number| number.to(step.dtype)),
            _ => None,
        };
        numbers.push(number);
    }
    numbers
}

fn fold_constant(row: Scalar, args: &[(Number, DType)], dtype: DType) -> Option<Number> {
    let array = |&(number, dtype): &(Number, DType)| Array::full(&Type::new(dtype, []), number);
    let args: Vec<Array> = args.iter().map(array).collect();
    let args: Vec<&Array> = args.iter().collect();
    let value = Map(row).eval(&args, &Type::new(dtype, [])).ok()?;
    Some(match dtype.is_float() {
        true => Number::Float(value.f64(0)),
        false => Number::Int(value.i64(0)).to(dtype),
    })
}

/// Encodes a number as a word of memory.
pub(crate) fn literal_word(number: Number, dtype: DType) -> u32 {
    let number = number.to(dtype);
    match class(dtype) {
        Class::Float => (number.as_f64() as f32).to_bits(),
        Class::Bool => (number.as_i64() != 0) as u32,
        Class::Uint => number.as_i64() as u32,
        Class::Int => number.as_i64() as i32 as u32,
    }
}

/// A WGSL literal for a number in a dtype's class.
pub(crate) fn literal(number: Number, dtype: DType) -> String {
    let number = number.to(dtype);
    match class(dtype) {
        Class::Bool => format!("{}", number.as_i64() != 0),
        Class::Uint => format!("{}u", number.as_i64() as u32),
        Class::Int => match number.as_i64() {
            n if n == i32::MIN as i64 => "i32(-2147483648)".to_string(),
            n if n < 0 => format!("({n})"),
            n => n.to_string(),
        },
        Class::Float => match number.as_f64() as f32 {
            x if x.is_nan() => "nan()".to_string(),
            x if x == f32::INFINITY => "infinity()".to_string(),
            x if x == f32::NEG_INFINITY => "(-infinity())".to_string(),
            x if x.is_sign_negative() => format!("({x:?}f)"),
            x => format!("{x:?}f"),
        },
    }
}

/// The identity of a reduction, and the expression that combines two values.
pub(crate) fn reduction(by: ReduceOp, class: Class) -> (&'static str, &'static str) {
    match (by, class) {
        (ReduceOp::Sum, Class::Float) => ("0f", "{a} + {b}"),
        (ReduceOp::Sum, Class::Int) => ("0", "{a} + {b}"),
        (ReduceOp::Sum, Class::Uint) => ("0u", "{a} + {b}"),
        (ReduceOp::Max, Class::Float) => ("-infinity()", "maximum({a}, {b})"),
        (ReduceOp::Min, Class::Float) => ("infinity()", "minimum({a}, {b})"),
        (ReduceOp::Max, Class::Int) => ("i32(-2147483648)", "max({a}, {b})"),
        (ReduceOp::Min, Class::Int) => ("2147483647", "min({a}, {b})"),
        (ReduceOp::Max, Class::Uint) => ("0u", "max({a}, {b})"),
        (ReduceOp::Min, Class::Uint) => ("4294967295u", "min({a}, {b})"),
        (ReduceOp::Max | ReduceOp::Sum, Class::Bool) => ("false", "{a} | {b}"),
        (ReduceOp::Min, Class::Bool) => ("true", "{a} & {b}"),
    }
}

/// The per-element steps that `wanted` depends on, `wanted` included, in order.
pub(crate) fn needed(code: &Code, wanted: &[usize]) -> Vec<usize> {
    let mut is_needed = vec![false; code.steps().len()];
    for &n in wanted {
        is_needed[n] = true;
    }
    for n in (0..code.steps().len())
        .rev()
        .filter(|&n| code.steps()[n].granularity == Granularity::PerElement)
    {
        if is_needed[n] {
            for arg in code.args(n) {
                is_needed[arg.index()] = true;
            }
        }
    }
    let is_full =
        |n: &usize| is_needed[*n] && code.steps()[*n].granularity == Granularity::PerElement;
    (0..code.steps().len()).filter(is_full).collect()
}
