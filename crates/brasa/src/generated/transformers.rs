//! Generated from the `transformers` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`scaled_dot_product_attention`](crate::ops::scaled_dot_product_attention).
    #[derive(Clone, Debug)]
    pub struct ScaledDotProductAttentionOptions {
        pub(crate) attn_mask: Option<Tensor>,
        pub(crate) dropout_p: f64,
        pub(crate) is_causal: bool,
        pub(crate) scale: Option<f64>,
        pub(crate) enable_gqa: bool,
    }

    impl Default for ScaledDotProductAttentionOptions {
        fn default() -> ScaledDotProductAttentionOptions {
            ScaledDotProductAttentionOptions {
                attn_mask: None,
                dropout_p: 0.0,
                is_causal: false,
                scale: None,
                enable_gqa: false,
            }
        }
    }

    impl ScaledDotProductAttentionOptions {
        /// Sets `attn_mask`; by default not given.
        pub fn attn_mask<'a>(mut self, attn_mask: impl Into<Option<&'a Tensor>>) -> Self {
            self.attn_mask = attn_mask.into().cloned();
            self
        }

        /// Sets `dropout_p`; by default `0.0`.
        pub fn dropout_p(mut self, dropout_p: f64) -> Self {
            self.dropout_p = dropout_p;
            self
        }

        /// Sets `is_causal`; by default `false`.
        pub fn is_causal(mut self, is_causal: bool) -> Self {
            self.is_causal = is_causal;
            self
        }

        /// Sets `scale`; by default not given.
        pub fn scale(mut self, scale: impl Into<Option<f64>>) -> Self {
            self.scale = scale.into();
            self
        }

        /// Sets `enable_gqa`; by default `false`.
        pub fn enable_gqa(mut self, enable_gqa: bool) -> Self {
            self.enable_gqa = enable_gqa;
            self
        }
    }

    /// Options of [`multi_head_attention`](crate::ops::multi_head_attention).
    #[derive(Clone, Debug)]
    pub struct MultiHeadAttentionOptions {
        pub(crate) in_proj_bias: Option<Tensor>,
        pub(crate) out_proj_bias: Option<Tensor>,
        pub(crate) attn_mask: Option<Tensor>,
        pub(crate) is_causal: bool,
        pub(crate) key_padding_mask: Option<Tensor>,
        pub(crate) dropout_p: f64,
    }

    impl Default for MultiHeadAttentionOptions {
        fn default() -> MultiHeadAttentionOptions {
            MultiHeadAttentionOptions {
                in_proj_bias: None,
                out_proj_bias: None,
                attn_mask: None,
                is_causal: false,
                key_padding_mask: None,
                dropout_p: 0.0,
            }
        }
    }

    impl MultiHeadAttentionOptions {
        /// Sets `in_proj_bias`; by default not given.
        pub fn in_proj_bias<'a>(mut self, in_proj_bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.in_proj_bias = in_proj_bias.into().cloned();
            self
        }

        /// Sets `out_proj_bias`; by default not given.
        pub fn out_proj_bias<'a>(mut self, out_proj_bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.out_proj_bias = out_proj_bias.into().cloned();
            self
        }

        /// Sets `attn_mask`; by default not given.
        pub fn attn_mask<'a>(mut self, attn_mask: impl Into<Option<&'a Tensor>>) -> Self {
            self.attn_mask = attn_mask.into().cloned();
            self
        }

        /// Sets `is_causal`; by default `false`.
        pub fn is_causal(mut self, is_causal: bool) -> Self {
            self.is_causal = is_causal;
            self
        }

        /// Sets `key_padding_mask`; by default not given.
        pub fn key_padding_mask<'a>(mut self, key_padding_mask: impl Into<Option<&'a Tensor>>) -> Self {
            self.key_padding_mask = key_padding_mask.into().cloned();
            self
        }

        /// Sets `dropout_p`; by default `0.0`.
        pub fn dropout_p(mut self, dropout_p: f64) -> Self {
            self.dropout_p = dropout_p;
            self
        }
    }

    /// Options of [`rope`](crate::ops::rope).
    #[derive(Clone, Debug)]
    pub struct RopeOptions {
        pub(crate) positions: Option<Tensor>,
        pub(crate) base: f64,
        pub(crate) layout: brasa_ir::compose::RotaryLayout,
    }

    impl Default for RopeOptions {
        fn default() -> RopeOptions {
            RopeOptions {
                positions: None,
                base: 10000.0,
                layout: brasa_ir::compose::RotaryLayout::Halves,
            }
        }
    }

    impl RopeOptions {
        /// Sets `positions`; by default not given.
        pub fn positions<'a>(mut self, positions: impl Into<Option<&'a Tensor>>) -> Self {
            self.positions = positions.into().cloned();
            self
        }

        /// Sets `base`; by default `10000.0`.
        pub fn base(mut self, base: f64) -> Self {
            self.base = base;
            self
        }

        /// Sets `layout`; by default `RotaryLayout::Halves`.
        pub fn layout(mut self, layout: brasa_ir::compose::RotaryLayout) -> Self {
            self.layout = layout;
            self
        }
    }

    /// Options of [`sinusoidal_positions`](crate::ops::sinusoidal_positions).
    #[derive(Clone, Debug)]
    pub struct SinusoidalPositionsOptions {
        pub(crate) base: f64,
    }

    impl Default for SinusoidalPositionsOptions {
        fn default() -> SinusoidalPositionsOptions {
            SinusoidalPositionsOptions {
                base: 10000.0,
            }
        }
    }

    impl SinusoidalPositionsOptions {
        /// Sets `base`; by default `10000.0`.
        pub fn base(mut self, base: f64) -> Self {
            self.base = base;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
    /// `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
    ///
    /// `attn_mask` broadcasts to `[…, L, S]`: true where a query attends to a key, or a number to add
    /// to the score. With `is_causal` query `i` attends to keys `0..=i`. A query without keys gets
    /// zeros. `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer
    /// heads (axis −3) than queries; each of them is shared by several queries. `dropout_p` is the
    /// dropout probability of the attention weights, which applies also in evaluation.
    #[track_caller]
    pub fn scaled_dot_product_attention(query: &Tensor, key: &Tensor, value: &Tensor) -> Tensor {
        scaled_dot_product_attention_with(query, key, value, |o| o)
    }

    /// Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
    /// `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
    ///
    /// `attn_mask` broadcasts to `[…, L, S]`: true where a query attends to a key, or a number to add
    /// to the score. With `is_causal` query `i` attends to keys `0..=i`. A query without keys gets
    /// zeros. `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer
    /// heads (axis −3) than queries; each of them is shared by several queries. `dropout_p` is the
    /// dropout probability of the attention weights, which applies also in evaluation.
    ///
    /// Options: `attn_mask`, `dropout_p`, `is_causal`, `scale`, `enable_gqa`.
    #[track_caller]
    pub fn scaled_dot_product_attention_with(query: &Tensor, key: &Tensor, value: &Tensor, o: impl FnOnce(options::ScaledDotProductAttentionOptions) -> options::ScaledDotProductAttentionOptions) -> Tensor {
        let o = o(options::ScaledDotProductAttentionOptions::default());
        query.settle();
        key.settle();
        value.settle();
        o.attn_mask.settle();
        record("scaled_dot_product_attention", |scope| scope.leave(compose::scaled_dot_product_attention(scope.g, query.enter(scope), key.enter(scope), value.enter(scope), o.attn_mask.enter(scope), o.dropout_p, o.is_causal, o.scale, o.enable_gqa)))
    }

    /// Multi-head attention with all its projections, over `query` `[B, L, C]`, `key` and `value`
    /// `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
    ///
    /// `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
    /// values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
    /// `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
    /// `key_padding_mask` `[B, S]` is true where a key is *ignored*. `dropout_p` is the dropout
    /// probability of the attention weights, which applies also in evaluation; the weights are
    /// returned before dropout.
    #[track_caller]
    pub fn multi_head_attention(query: &Tensor, key: &Tensor, value: &Tensor, num_heads: usize, in_proj_weight: &Tensor, out_proj_weight: &Tensor) -> (Tensor, Tensor) {
        multi_head_attention_with(query, key, value, num_heads, in_proj_weight, out_proj_weight, |o| o)
    }

    /// Multi-head attention with all its projections, over `query` `[B, L, C]`, `key` and `value`
    /// `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
    ///
    /// `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
    /// values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
    /// `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
    /// `key_padding_mask` `[B, S]` is true where a key is *ignored*. `dropout_p` is the dropout
    /// probability of the attention weights, which applies also in evaluation; the weights are
    /// returned before dropout.
    ///
    /// Options: `in_proj_bias`, `out_proj_bias`, `attn_mask`, `is_causal`, `key_padding_mask`, `dropout_p`.
    #[track_caller]
    pub fn multi_head_attention_with(query: &Tensor, key: &Tensor, value: &Tensor, num_heads: usize, in_proj_weight: &Tensor, out_proj_weight: &Tensor, o: impl FnOnce(options::MultiHeadAttentionOptions) -> options::MultiHeadAttentionOptions) -> (Tensor, Tensor) {
        let o = o(options::MultiHeadAttentionOptions::default());
        query.settle();
        key.settle();
        value.settle();
        in_proj_weight.settle();
        out_proj_weight.settle();
        o.in_proj_bias.settle();
        o.out_proj_bias.settle();
        o.attn_mask.settle();
        o.key_padding_mask.settle();
        record("multi_head_attention", |scope| scope.leave(compose::multi_head_attention(scope.g, query.enter(scope), key.enter(scope), value.enter(scope), num_heads, in_proj_weight.enter(scope), o.in_proj_bias.enter(scope), out_proj_weight.enter(scope), o.out_proj_bias.enter(scope), o.attn_mask.enter(scope), o.is_causal, o.key_padding_mask.enter(scope), o.dropout_p)))
    }

    /// Rotary embedding: rotates pairs of elements of each vector of `input` `[…, T, D]` by angles
    /// proportional to its position, so that products of two vectors depend only on their distance.
    ///
    /// Pair `i` is rotated by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
    /// `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
    /// 'interleaved' pairs `2i` and `2i + 1`.
    #[track_caller]
    pub fn rope(input: &Tensor) -> Tensor {
        rope_with(input, |o| o)
    }

    /// Rotary embedding: rotates pairs of elements of each vector of `input` `[…, T, D]` by angles
    /// proportional to its position, so that products of two vectors depend only on their distance.
    ///
    /// Pair `i` is rotated by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
    /// `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
    /// 'interleaved' pairs `2i` and `2i + 1`.
    ///
    /// Options: `positions`, `base`, `layout`.
    #[track_caller]
    pub fn rope_with(input: &Tensor, o: impl FnOnce(options::RopeOptions) -> options::RopeOptions) -> Tensor {
        let o = o(options::RopeOptions::default());
        input.settle();
        o.positions.settle();
        record("rope", |scope| scope.leave(compose::rope(scope.g, input.enter(scope), o.positions.enter(scope), o.base, o.layout)))
    }

    /// Sinusoidal positional encoding `[len, dim]`: at position `p`, element `2i` is `sin(p /
    /// base^(2i/dim))` and element `2i + 1` its cosine.
    #[track_caller]
    pub fn sinusoidal_positions(len: usize, dim: usize) -> Tensor {
        sinusoidal_positions_with(len, dim, |o| o)
    }

    /// Sinusoidal positional encoding `[len, dim]`: at position `p`, element `2i` is `sin(p /
    /// base^(2i/dim))` and element `2i + 1` its cosine.
    ///
    /// Options: `base`.
    #[track_caller]
    pub fn sinusoidal_positions_with(len: usize, dim: usize, o: impl FnOnce(options::SinusoidalPositionsOptions) -> options::SinusoidalPositionsOptions) -> Tensor {
        let o = o(options::SinusoidalPositionsOptions::default());
        record("sinusoidal_positions", |scope| scope.leave(compose::sinusoidal_positions(scope.g, len, dim, o.base)))
    }
}

impl Tensor {
    /// Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
    /// `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
    ///
    /// `attn_mask` broadcasts to `[…, L, S]`: true where a query attends to a key, or a number to add
    /// to the score. With `is_causal` query `i` attends to keys `0..=i`. A query without keys gets
    /// zeros. `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer
    /// heads (axis −3) than queries; each of them is shared by several queries. `dropout_p` is the
    /// dropout probability of the attention weights, which applies also in evaluation.
    #[track_caller]
    pub fn scaled_dot_product_attention(&self, key: &Tensor, value: &Tensor) -> Tensor {
        functions::scaled_dot_product_attention(self, key, value)
    }

    /// Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
    /// `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
    ///
    /// `attn_mask` broadcasts to `[…, L, S]`: true where a query attends to a key, or a number to add
    /// to the score. With `is_causal` query `i` attends to keys `0..=i`. A query without keys gets
    /// zeros. `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer
    /// heads (axis −3) than queries; each of them is shared by several queries. `dropout_p` is the
    /// dropout probability of the attention weights, which applies also in evaluation.
    ///
    /// Options: `attn_mask`, `dropout_p`, `is_causal`, `scale`, `enable_gqa`.
    #[track_caller]
    pub fn scaled_dot_product_attention_with(&self, key: &Tensor, value: &Tensor, o: impl FnOnce(options::ScaledDotProductAttentionOptions) -> options::ScaledDotProductAttentionOptions) -> Tensor {
        functions::scaled_dot_product_attention_with(self, key, value, o)
    }

    /// Multi-head attention with all its projections, over `query` `[B, L, C]`, `key` and `value`
    /// `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
    ///
    /// `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
    /// values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
    /// `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
    /// `key_padding_mask` `[B, S]` is true where a key is *ignored*. `dropout_p` is the dropout
    /// probability of the attention weights, which applies also in evaluation; the weights are
    /// returned before dropout.
    #[track_caller]
    pub fn multi_head_attention(&self, key: &Tensor, value: &Tensor, num_heads: usize, in_proj_weight: &Tensor, out_proj_weight: &Tensor) -> (Tensor, Tensor) {
        functions::multi_head_attention(self, key, value, num_heads, in_proj_weight, out_proj_weight)
    }

    /// Multi-head attention with all its projections, over `query` `[B, L, C]`, `key` and `value`
    /// `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
    ///
    /// `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
    /// values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
    /// `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
    /// `key_padding_mask` `[B, S]` is true where a key is *ignored*. `dropout_p` is the dropout
    /// probability of the attention weights, which applies also in evaluation; the weights are
    /// returned before dropout.
    ///
    /// Options: `in_proj_bias`, `out_proj_bias`, `attn_mask`, `is_causal`, `key_padding_mask`, `dropout_p`.
    #[track_caller]
    pub fn multi_head_attention_with(&self, key: &Tensor, value: &Tensor, num_heads: usize, in_proj_weight: &Tensor, out_proj_weight: &Tensor, o: impl FnOnce(options::MultiHeadAttentionOptions) -> options::MultiHeadAttentionOptions) -> (Tensor, Tensor) {
        functions::multi_head_attention_with(self, key, value, num_heads, in_proj_weight, out_proj_weight, o)
    }

    /// Rotary embedding: rotates pairs of elements of each vector of `input` `[…, T, D]` by angles
    /// proportional to its position, so that products of two vectors depend only on their distance.
    ///
    /// Pair `i` is rotated by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
    /// `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
    /// 'interleaved' pairs `2i` and `2i + 1`.
    #[track_caller]
    pub fn rope(&self) -> Tensor {
        functions::rope(self)
    }

    /// Rotary embedding: rotates pairs of elements of each vector of `input` `[…, T, D]` by angles
    /// proportional to its position, so that products of two vectors depend only on their distance.
    ///
    /// Pair `i` is rotated by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
    /// `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
    /// 'interleaved' pairs `2i` and `2i + 1`.
    ///
    /// Options: `positions`, `base`, `layout`.
    #[track_caller]
    pub fn rope_with(&self, o: impl FnOnce(options::RopeOptions) -> options::RopeOptions) -> Tensor {
        functions::rope_with(self, o)
    }

}
