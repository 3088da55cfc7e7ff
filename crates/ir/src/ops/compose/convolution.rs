//! Convolutions and transposed convolutions over one, two or three spatial axes: checks and
//! geometry around the one `Conv` primitive.
use super::linalg::expect_one_dtype;
use super::prelude::*;
use crate::value::{Arg, Spec, Value};

/// Zero padding: the number of zeros on both sides of each spatial axis, or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Padding {
    Sides(Vec<usize>),
    /// The output is as long as the input.
    Same,
    Valid,
}

impl<'g> Arg<'g> for Padding {
    const SPEC: Spec = Spec::Either(&Spec::List(&Spec::Int), &Spec::Choice(&["same", "valid"]));
    fn from_value(g: &'g Recorder, value: &Value) -> std::result::Result<Padding, String> {
        match value {
            Value::Str(word) if word == "same" => Ok(Padding::Same),
            Value::Str(word) if word == "valid" => Ok(Padding::Valid),
            Value::Str(word) => Err(format!("expected {}, got '{word}'", Self::SPEC)),
            sides => Vec::from_value(g, sides).map(Padding::Sides),
        }
    }

    fn stand_in(_: &'g Recorder) -> Padding {
        Padding::Sides(Vec::new())
    }
}

/// The arguments of a convolution, one entry per spatial axis.
struct Geometry {
    stride: Vec<usize>,
    dilation: Vec<usize>,
    groups: usize,
}

macro_rules! convolutions {
    ($($(#[$meta:meta])* $name:ident $dims:literal;)*) => {$(
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            weight: Expr,
            bias: Option<Expr>,
            #[default(vec![1])] stride: Vec<usize>,
            padding: Option<Padding>,
            #[default(vec![1])] dilation: Vec<usize>,
            #[default(1)] groups: usize,
        ) -> Result<Expr> {
            let call = Call { name: stringify!($name), dims: $dims, input, weight, bias };
            call.convolve(padding, Geometry { stride, dilation, groups })
        }
    )*};
}

macro_rules! transposed_convolutions {
    ($($(#[$meta:meta])* $name:ident $dims:literal;)*) => {$(
        $(#[$meta])*
        pub fn $name(
            g: &Recorder,
            input: Expr,
            weight: Expr,
            bias: Option<Expr>,
            #[default(vec![1])] stride: Vec<usize>,
            #[default(vec![0])] padding: Vec<usize>,
            #[default(vec![0])] output_padding: Vec<usize>,
            #[default(1)] groups: usize,
            #[default(vec![1])] dilation: Vec<usize>,
        ) -> Result<Expr> {
            let call = Call { name: stringify!($name), dims: $dims, input, weight, bias };
            call.transpose(padding, output_padding, Geometry { stride, dilation, groups })
        }
    )*};
}

convolutions! {
    /// Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
    /// a sliding kernel. The batch axis is optional.
    #[op(
        case = "f32[2, 3, 7], f32[4, 3, 3], f32[4]",
        case = "f32[1, 4, 8], f32[2, 2, 3], stride=2, padding=1, groups=2",
        case = "f32[2, 5], f32[3, 2, 2], padding='same', dilation=2"
    )]
    conv1d 1;
    /// Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    #[op(
        case = "f32[2, 3, 5, 5], f32[4, 3, 3, 3], f32[4]",
        case = "f32[1, 2, 6, 5], f32[2, 1, 3, 2], stride=[2, 1], padding=[1, 0], groups=2",
        case = "f32[2, 4, 4], f32[3, 2, 3, 2], padding='same'"
    )]
    conv2d 2;
    /// Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    #[op(case = "f32[1, 2, 3, 4, 3], f32[2, 2, 2, 2, 2], f32[2]")]
    conv3d 3;
}

transposed_convolutions! {
    /// Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
    /// adds the kernel to the output, `stride` apart.
    #[op(
        case = "f32[2, 3, 4], f32[3, 2, 3], f32[2]",
        case = "f32[1, 4, 3], f32[4, 1, 3], stride=2, padding=1, output_padding=1, groups=2"
    )]
    conv_transpose1d 1;
    /// Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
    /// element adds the kernel to the output, `stride` apart.
    #[op(
        case = "f32[1, 3, 3, 3], f32[3, 2, 2, 2], f32[2], stride=2",
        case = "f32[2, 2, 3], f32[2, 1, 3, 2], padding=1, dilation=2"
    )]
    conv_transpose2d 2;
    /// Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
    /// every element adds the kernel to the output, `stride` apart.
    #[op(case = "f32[1, 2, 2, 2, 3], f32[2, 2, 2, 2, 2], f32[2], stride=2")]
    conv_transpose3d 3;
}

/// One call of a convolution.
struct Call<'g> {
    name: &'static str,
    dims: usize,
    input: Expr<'g>,
    weight: Expr<'g>,
    bias: Option<Expr<'g>>,
}

impl<'g> Call<'g> {
    fn convolve(&self, padding: Option<Padding>, how: Geometry) -> Result<Expr<'g>> {
        let (x, how) = self.check(how)?;
        let w = self.weight.shape();
        self.check_channels(x.len(1), w[1], how.groups)?;
        if !w[0].is_multiple_of(how.groups) {
            let what = format!("{} outputs do not divide into {} groups", w[0], how.groups);
            return Err(self.fail(what));
        }
        let reach = |d: usize| span(how.dilation[d], w[d + 2] - 1);
        let sides = match padding {
            Some(Padding::Same) if how.stride.iter().any(|&step| step != 1) => {
                return Err(self.wrong("padding 'same' needs stride 1".to_string()));
            }
            Some(Padding::Same) => {
                let halves = |d| (reach(d) / 2, reach(d) - reach(d) / 2);
                (0..self.dims).map(halves).collect()
            }
            Some(Padding::Sides(sides)) => {
                let sides = per_axis(self.name, "padding", &sides, self.dims)?;
                sides.iter().map(|&n| (signed(n), signed(n))).collect()
            }
            Some(Padding::Valid) | None => vec![(0, 0); self.dims],
        };
        for (d, &(before, after)) in sides.iter().enumerate() {
            let padded = signed(x.len(d + 2)).saturating_add(before).saturating_add(after);
            self.check_lens(d, reach(d) + 1, padded)?;
        }
        let conv = Conv {
            before: sides.iter().map(|&(before, _)| before as isize).collect(),
            after: sides.iter().map(|&(_, after)| after as isize).collect(),
            stride: how.stride,
            dilation: how.dilation,
            spread: vec![1; self.dims],
            groups: how.groups,
        };
        self.finish(conv, x, self.weight)
    }

    /// A convolution of the dilated input with the flipped kernel, whose inputs and outputs are
    /// swapped.
    fn transpose(
        &self,
        padding: Vec<usize>,
        output_padding: Vec<usize>,
        how: Geometry,
    ) -> Result<Expr<'g>> {
        let (x, how) = self.check(how)?;
        let (w, groups) = (self.weight.shape(), how.groups);
        self.check_channels(x.len(1), w[0], 1)?;
        if !w[0].is_multiple_of(groups) {
            return Err(self.fail(format!("{} channels do not divide into {groups} groups", w[0])));
        }
        let padding = per_axis(self.name, "padding", &padding, self.dims)?;
        let extra = per_axis(self.name, "output_padding", &output_padding, self.dims)?;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for d in 0..self.dims {
            if extra[d] >= how.stride[d].max(how.dilation[d]) {
                let what = "output_padding must be smaller than stride or dilation";
                return Err(self.wrong(format!("{what}, got {}", extra[d])));
            }
            let reach = span(how.dilation[d], w[d + 2] - 1);
            let spread = span(how.stride[d], x.len(d + 2).saturating_sub(1)) + 1;
            self.check_lens(d, 0, reach.saturating_add(spread))?;
            let (first, last) =
                (reach - signed(padding[d]), reach - signed(padding[d]) + signed(extra[d]));
            if x.len(d + 2) == 0 || spread + first + last <= reach {
                return Err(self.fail(format!("spatial axis {d} of the output would be empty")));
            }
            before.push(first as isize);
            after.push(last as isize);
        }
        let (inputs, outputs) = (w[0] / groups, w[1]);
        let weight = self.weight.reshape(&[&[groups, inputs, outputs], &w[2..]].concat());
        let weight = weight.swap(1, 2).reshape(&[&[groups * outputs, inputs], &w[2..]].concat());
        let weight = weight.flip(&(2..self.dims + 2).collect::<Vec<_>>());
        let (stride, spread) = (vec![1; self.dims], how.stride);
        let conv = Conv { stride, before, after, dilation: how.dilation, spread, groups };
        self.finish(conv, x, weight)
    }

    /// Checks ranks, dtypes and the arguments; returns the input with a batch axis.
    fn check(&self, how: Geometry) -> Result<(Expr<'g>, Geometry)> {
        let (rank, name) = (self.dims + 2, self.name);
        let (xr, wr) = (self.input.rank(), self.weight.rank());
        if wr != rank {
            return Err(self.fail(format!("weight has {wr} axes, expected {rank}")));
        }
        if xr != rank && xr != rank - 1 {
            return Err(self.fail(format!("input has {xr} axes, expected {rank} or {}", rank - 1)));
        }
        let (x, w) = (self.input.ty(), self.weight.ty());
        if x.dtype != w.dtype || !x.dtype.is_float() {
            let what =
                format!("input is {} and weight is {}, expected one float type", x.dtype, w.dtype);
            let error = Error::dtype(name, what).operand("input", &x).operand("weight", &w);
            let to = if x.dtype.is_float() { x.dtype } else { w.dtype.to_float() };
            return Err(error.help(format!("convert them: .to('{to}')")));
        }
        if w.shape[2..].contains(&0) {
            return Err(self.fail("the kernel is empty".to_string()));
        }
        let stride = per_axis(name, "stride", &how.stride, self.dims)?;
        let dilation = per_axis(name, "dilation", &how.dilation, self.dims)?;
        let numbers = [("stride", &stride), ("dilation", &dilation), ("groups", &vec![how.groups])];
        if let Some((name, _)) = numbers.iter().find(|(_, list)| list.contains(&0)) {
            return Err(self.wrong(format!("{name} is 0, expected 1 or more")));
        }
        let x = if xr == rank { self.input } else { self.input.unsqueeze(0) };
        Ok((x, Geometry { stride, dilation, groups: how.groups }))
    }

    fn check_channels(&self, channels: usize, taken: usize, groups: usize) -> Result<()> {
        if taken.checked_mul(groups) == Some(channels) {
            return Ok(());
        }
        let each = if groups == 1 { String::new() } else { format!(" in each of {groups} groups") };
        let what = format!("input has {channels} channels but weight takes {taken}{each}");
        let error = self.fail(what);
        let last = self.input.shape().last().copied();
        Err(if groups > 1 && taken == channels {
            error.help(format!("with groups={groups}, the weight is [out, in / {groups}, …]"))
        } else if last == taken.checked_mul(groups) && self.input.rank() == self.dims + 2 {
            error.help("channels come before the spatial axes: input.movedim(-1, 1)")
        } else if groups == 1 && taken > 1 && channels.is_multiple_of(taken) {
            error.help(format!("for a grouped convolution give groups={}", channels / taken))
        } else {
            error
        })
    }

    fn check_lens(&self, d: usize, reach: i64, padded: i64) -> Result<()> {
        if padded < reach {
            let what = format!("the kernel covers {reach} elements of spatial axis {d}");
            return Err(self.fail(format!("{what}, which has {padded} with its padding")));
        }
        if padded > i64::from(i32::MAX) {
            return Err(self.wrong(format!("spatial axis {d} would be {padded} long")));
        }
        Ok(())
    }

    fn finish(&self, conv: Conv, x: Expr<'g>, weight: Expr<'g>) -> Result<Expr<'g>> {
        let mut y = x.recorder().push(conv, &[x, weight])?;
        if let Some(bias) = self.bias {
            let outputs = y.len(1);
            if bias.shape()[..] != [outputs] {
                let what = format!("bias has shape {}, expected [{outputs}]", bias.shape());
                return Err(self.fail(what).operand("bias", &bias.ty()));
            }
            expect_one_dtype(self.name, ("input", self.input), ("bias", bias))?;
            y = y + bias.reshape(&[&[outputs][..], &vec![1; self.dims]].concat());
        }
        Ok(if self.input.rank() == x.rank() { y } else { y.squeeze(0) })
    }

    fn fail(&self, what: String) -> Error {
        let error = Error::shape(self.name, what).operand("input", &self.input.ty());
        error.operand("weight", &self.weight.ty())
    }

    fn wrong(&self, what: String) -> Error {
        let error = Error::argument(self.name, what).operand("input", &self.input.ty());
        error.operand("weight", &self.weight.ty())
    }
}

/// An argument with one entry for each spatial axis, or one for all of them.
pub(super) fn per_axis<T: Copy>(call: &str, name: &str, list: &[T], dims: usize) -> Result<Vec<T>> {
    match list {
        [one] => Ok(vec![*one; dims]),
        list if list.len() == dims => Ok(list.to_vec()),
        list => {
            let most = if dims == 1 { String::new() } else { format!(" or {dims}") };
            let what = format!("{name} has {} entries, expected 1{most}", list.len());
            Err(Error::argument(call, what))
        }
    }
}

/// A length given by the user, in a type in which arithmetic does not overflow.
pub(super) fn signed(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
}

/// `step · n`; saturates at a length that is always rejected.
pub(super) fn span(step: usize, n: usize) -> i64 {
    signed(step).saturating_mul(signed(n)).min(i64::MAX / 4)
}

entries![conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d];
