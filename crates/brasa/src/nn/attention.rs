//! Attention and transformer layers.
use super::{Dropout, Init, LayerNorm, Linear, Module, Param};
use crate::{Tensor, ops};

/// The masks of attention. As in PyTorch's layers, a bool mask is true where a key is *hidden*, and
/// a float mask is added to the scores.
#[derive(Clone, Debug, Default)]
pub struct AttentionOptions {
    mask: Option<Tensor>,
    key_padding_mask: Option<Tensor>,
    causal: bool,
}

impl AttentionOptions {
    /// Sets the mask of queries and keys: `[L, S]`, or `[batch · heads, L, S]`.
    pub fn mask<'a>(mut self, mask: impl Into<Option<&'a Tensor>>) -> Self {
        self.mask = mask.into().cloned();
        self
    }

    /// Sets the mask of padding keys: `[batch, S]`.
    pub fn key_padding_mask<'a>(mut self, mask: impl Into<Option<&'a Tensor>>) -> Self {
        self.key_padding_mask = mask.into().cloned();
        self
    }

    /// Sets whether future keys are hidden.
    pub fn causal(mut self, causal: bool) -> Self {
        self.causal = causal;
        self
    }
}

/// Multi-head attention: each head attends over a part of the features.
#[derive(Module, Clone, Debug)]
pub struct MultiheadAttention {
    /// Queries, keys and values: `[3 · features, features]`
    pub in_proj_weight: Param,
    /// `[3 · features]`
    pub in_proj_bias: Option<Param>,
    /// The output projection.
    pub out_proj: Linear,
    heads: usize,
    dropout: Dropout,
}

impl MultiheadAttention {
    /// With this many features, which must be divisible by `heads`.
    #[track_caller]
    pub fn new(features: usize, heads: usize) -> MultiheadAttention {
        let mut out_proj = Linear::new(features, features);
        out_proj.bias = Some(Param::init(features, Init::Zeros));
        MultiheadAttention {
            in_proj_weight: Param::init([3 * features, features], Init::XavierUniform(1.0)),
            in_proj_bias: Some(Param::init(3 * features, Init::Zeros)),
            out_proj,
            heads,
            dropout: Dropout::new(0.0),
        }
    }

    /// Sets the dropout probability of the attention weights in training; 0 by default.
    pub fn dropout(mut self, p: f64) -> Self {
        self.dropout = Dropout::new(p);
        self
    }

    /// The same layer without biases.
    pub fn without_bias(mut self) -> Self {
        (self.in_proj_bias, self.out_proj.bias) = (None, None);
        self
    }

    /// Self-attention over `x [batch, time, features]`; `causal` hides the future.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, causal: bool) -> Tensor {
        self.attend(x, x, causal)
    }

    /// Attention of queries from `x` to keys and values from `memory`.
    #[track_caller]
    pub fn attend(&self, x: &Tensor, memory: &Tensor, causal: bool) -> Tensor {
        self.attend_with(x, memory, memory, |o| o.causal(causal)).0
    }

    /// Attention of queries `[batch, L, features]` to keys and values `[batch, S, features]`.
    /// Returns the output and the attention weights `[batch, L, S]`, averaged over the heads before
    /// dropout. Options: `mask`, `key_padding_mask`, `causal`.
    #[track_caller]
    pub fn attend_with(
        &self,
        query: &Tensor,
        key: &Tensor,
        value: &Tensor,
        o: impl FnOnce(AttentionOptions) -> AttentionOptions,
    ) -> (Tensor, Tensor) {
        let given = o(AttentionOptions::default());
        let (weight, out): (&Tensor, &Tensor) = (&self.in_proj_weight, &self.out_proj.weight);
        ops::multi_head_attention_with(query, key, value, self.heads, weight, out, |o| {
            o.in_proj_bias(self.in_proj_bias.as_deref())
                .out_proj_bias(self.out_proj.bias.as_deref())
                .attn_mask(given.mask.as_ref())
                .key_padding_mask(given.key_padding_mask.as_ref())
                .is_causal(given.causal)
                .dropout_p(self.dropout.rate())
        })
    }
}

/// The activation between the two linear layers.
type Activation = fn(&Tensor) -> Tensor;

/// Self-attention, then two linear layers, each with normalization and a residual connection.
#[derive(Module, Clone, Debug)]
pub struct TransformerEncoderLayer {
    /// Self-attention.
    pub self_attn: MultiheadAttention,
    /// The first linear layer.
    pub linear1: Linear,
    /// The second linear layer.
    pub linear2: Linear,
    /// The normalization of the self-attention block.
    pub norm1: LayerNorm,
    /// The normalization of the linear block.
    pub norm2: LayerNorm,
    dropout: Dropout,
    #[module(skip)]
    activation: Activation,
    norm_first: bool,
    causal: bool,
}

impl TransformerEncoderLayer {
    /// With this many features and heads, and `hidden` features between the linear layers.
    #[track_caller]
    pub fn new(features: usize, heads: usize, hidden: usize) -> TransformerEncoderLayer {
        TransformerEncoderLayer {
            self_attn: MultiheadAttention::new(features, heads).dropout(0.1),
            linear1: Linear::new(features, hidden),
            linear2: Linear::new(hidden, features),
            norm1: LayerNorm::new(features),
            norm2: LayerNorm::new(features),
            dropout: Dropout::new(0.1),
            activation: ops::relu,
            norm_first: false,
            causal: false,
        }
    }

    /// Sets the dropout probability, including that of the attention weights; 0.1 by default.
    pub fn dropout(mut self, p: f64) -> Self {
        self.self_attn = self.self_attn.dropout(p);
        self.dropout = Dropout::new(p);
        self
    }

    /// Sets the activation between the linear layers, such as `ops::gelu`; `ops::relu` by default.
    pub fn activation(mut self, activation: fn(&Tensor) -> Tensor) -> Self {
        self.activation = activation;
        self
    }

    /// Sets whether each block is normalized before it (pre-norm) or after it (post-norm, the
    /// default).
    pub fn norm_first(mut self, first: bool) -> Self {
        self.norm_first = first;
        self
    }

    /// Sets whether future keys are hidden.
    pub fn causal(mut self, causal: bool) -> Self {
        self.causal = causal;
        self
    }

    /// Maps `x [batch, time, features]` to the same shape.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        self.forward_with(x, |o| o)
    }

    /// [`forward`](Self::forward) with masks.
    #[track_caller]
    pub fn forward_with(
        &self,
        x: &Tensor,
        o: impl FnOnce(AttentionOptions) -> AttentionOptions,
    ) -> Tensor {
        let given = o(AttentionOptions::default().causal(self.causal));
        let attend = |x: &Tensor| {
            let (mixed, _) = self.self_attn.attend_with(x, x, x, |_| given.clone());
            self.dropout.forward(&mixed)
        };
        let mlp = |x: &Tensor| {
            let h = self.dropout.forward(&(self.activation)(&self.linear1.forward(x)));
            self.dropout.forward(&self.linear2.forward(&h))
        };
        let x = residual(x, &self.norm1, self.norm_first, attend);
        residual(&x, &self.norm2, self.norm_first, mlp)
    }
}

/// Self-attention, attention to a memory, then two linear layers.
#[derive(Module, Clone, Debug)]
pub struct TransformerDecoderLayer {
    /// Self-attention.
    pub self_attn: MultiheadAttention,
    /// Attention to the memory.
    pub multihead_attn: MultiheadAttention,
    /// The first linear layer.
    pub linear1: Linear,
    /// The second linear layer.
    pub linear2: Linear,
    /// The normalization of the self-attention block.
    pub norm1: LayerNorm,
    /// The normalization of the memory attention block.
    pub norm2: LayerNorm,
    /// The normalization of the linear block.
    pub norm3: LayerNorm,
    dropout: Dropout,
    #[module(skip)]
    activation: Activation,
    norm_first: bool,
    causal: bool,
}

impl TransformerDecoderLayer {
    /// With this many features and heads, and `hidden` features between the linear layers.
    #[track_caller]
    pub fn new(features: usize, heads: usize, hidden: usize) -> TransformerDecoderLayer {
        TransformerDecoderLayer {
            self_attn: MultiheadAttention::new(features, heads).dropout(0.1),
            multihead_attn: MultiheadAttention::new(features, heads).dropout(0.1),
            linear1: Linear::new(features, hidden),
            linear2: Linear::new(hidden, features),
            norm1: LayerNorm::new(features),
            norm2: LayerNorm::new(features),
            norm3: LayerNorm::new(features),
            dropout: Dropout::new(0.1),
            activation: ops::relu,
            norm_first: false,
            causal: false,
        }
    }

    /// Sets the dropout probability, including that of the attention weights; 0.1 by default.
    pub fn dropout(mut self, p: f64) -> Self {
        self.self_attn = self.self_attn.dropout(p);
        self.multihead_attn = self.multihead_attn.dropout(p);
        self.dropout = Dropout::new(p);
        self
    }

    /// Sets the activation between the linear layers, such as `ops::gelu`; `ops::relu` by default.
    pub fn activation(mut self, activation: fn(&Tensor) -> Tensor) -> Self {
        self.activation = activation;
        self
    }

    /// Sets whether each block is normalized before it (pre-norm) or after it (post-norm, the
    /// default).
    pub fn norm_first(mut self, first: bool) -> Self {
        self.norm_first = first;
        self
    }

    /// Sets whether the future of `x` is hidden; false by default, as in PyTorch.
    pub fn causal(mut self, causal: bool) -> Self {
        self.causal = causal;
        self
    }

    /// Maps `x [batch, time, features]` and a memory to the shape of `x`.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, memory: &Tensor) -> Tensor {
        self.forward_with(x, memory, |o| o, |o| o)
    }

    /// [`forward`](Self::forward) with masks for `x` and for the memory.
    #[track_caller]
    pub fn forward_with(
        &self,
        x: &Tensor,
        memory: &Tensor,
        own: impl FnOnce(AttentionOptions) -> AttentionOptions,
        other: impl FnOnce(AttentionOptions) -> AttentionOptions,
    ) -> Tensor {
        let own_masks = own(AttentionOptions::default().causal(self.causal));
        let other_masks = other(AttentionOptions::default());
        let own = |x: &Tensor| {
            let (mixed, _) = self.self_attn.attend_with(x, x, x, |_| own_masks.clone());
            self.dropout.forward(&mixed)
        };
        let other = |x: &Tensor| {
            let attention = &self.multihead_attn;
            let (mixed, _) = attention.attend_with(x, memory, memory, |_| other_masks.clone());
            self.dropout.forward(&mixed)
        };
        let mlp = |x: &Tensor| {
            let h = self.dropout.forward(&(self.activation)(&self.linear1.forward(x)));
            self.dropout.forward(&self.linear2.forward(&h))
        };
        let x = residual(x, &self.norm1, self.norm_first, own);
        let x = residual(&x, &self.norm2, self.norm_first, other);
        residual(&x, &self.norm3, self.norm_first, mlp)
    }
}

/// A residual block: `x + body(norm(x))`, or `norm(x + body(x))`.
#[track_caller]
fn residual(x: &Tensor, norm: &LayerNorm, first: bool, body: impl Fn(&Tensor) -> Tensor) -> Tensor {
    match first {
        true => x + body(&norm.forward(x)),
        false => norm.forward(&(x + body(x))),
    }
}
