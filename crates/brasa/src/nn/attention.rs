//! Attention and the layers of transformers.
use super::{Dropout, Init, LayerNorm, Linear, Module, Param};
use crate::{Tensor, ops};

/// Attention of several heads, each over a part of the features.
#[derive(Module, Clone, Debug)]
pub struct MultiheadAttention {
    /// Queries, keys and values: `[3 · features, features]`
    pub in_proj_weight: Param,
    /// `[3 · features]`
    pub in_proj_bias: Param,
    /// What follows the heads.
    pub out_proj: Linear,
    heads: usize,
}

impl MultiheadAttention {
    /// Of so many features, which `heads` divides.
    #[track_caller]
    pub fn new(features: usize, heads: usize) -> MultiheadAttention {
        let out_proj = Linear::new(features, features);
        MultiheadAttention {
            in_proj_weight: Param::init([3 * features, features], Init::XavierUniform(1.0)),
            in_proj_bias: Param::init(3 * features, Init::Zeros),
            out_proj,
            heads,
        }
    }

    /// Of `x [batch, time, features]`, what it attends to in itself; `causal` hides the future.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, causal: bool) -> Tensor {
        self.attend(x, x, causal)
    }

    /// What `x` attends to in `memory`.
    #[track_caller]
    pub fn attend(&self, x: &Tensor, memory: &Tensor, causal: bool) -> Tensor {
        let (weight, out): (&Tensor, &Tensor) = (&self.in_proj_weight, &self.out_proj.weight);
        let (mixed, _) =
            ops::multi_head_attention_with(x, memory, memory, self.heads, weight, out, |o| {
                o.in_proj_bias(&*self.in_proj_bias)
                    .out_proj_bias(self.out_proj.bias.as_deref())
                    .is_causal(causal)
            });
        mixed
    }
}

/// Attention, then two linear layers, each with a norm and beside a shortcut.
#[derive(Module, Clone, Debug)]
pub struct TransformerEncoderLayer {
    /// Attention to itself.
    pub self_attn: MultiheadAttention,
    /// The first linear layer.
    pub linear1: Linear,
    /// The second linear layer.
    pub linear2: Linear,
    /// The norm of the attention.
    pub norm1: LayerNorm,
    /// The norm of the linear layers.
    pub norm2: LayerNorm,
    dropout: Dropout,
    norm_first: bool,
    causal: bool,
}

impl TransformerEncoderLayer {
    /// Of so many features and heads, with `hidden` features between the linear layers.
    #[track_caller]
    pub fn new(features: usize, heads: usize, hidden: usize) -> TransformerEncoderLayer {
        TransformerEncoderLayer {
            self_attn: MultiheadAttention::new(features, heads),
            linear1: Linear::new(features, hidden),
            linear2: Linear::new(hidden, features),
            norm1: LayerNorm::new(features),
            norm2: LayerNorm::new(features),
            dropout: Dropout::new(0.1),
            norm_first: false,
            causal: false,
        }
    }

    /// Sets the rate of dropout; 0.1 at first.
    pub fn dropout(mut self, p: f64) -> Self {
        self.dropout = Dropout::new(p);
        self
    }

    /// Sets whether norms come before what they belong to; after it at first.
    pub fn norm_first(mut self, first: bool) -> Self {
        self.norm_first = first;
        self
    }

    /// Sets whether the future is hidden.
    pub fn causal(mut self, causal: bool) -> Self {
        self.causal = causal;
        self
    }

    /// Of `x [batch, time, features]`, the same shape.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let attend = |x: &Tensor| self.dropout.forward(&self.self_attn.forward(x, self.causal));
        let mlp = |x: &Tensor| {
            let h = self.dropout.forward(&self.linear1.forward(x).relu());
            self.dropout.forward(&self.linear2.forward(&h))
        };
        let x = beside(x, &self.norm1, self.norm_first, attend);
        beside(&x, &self.norm2, self.norm_first, mlp)
    }
}

/// Attention to itself and to a memory, then two linear layers.
#[derive(Module, Clone, Debug)]
pub struct TransformerDecoderLayer {
    /// Attention to itself, which does not see the future.
    pub self_attn: MultiheadAttention,
    /// Attention to the memory.
    pub multihead_attn: MultiheadAttention,
    /// The first linear layer.
    pub linear1: Linear,
    /// The second linear layer.
    pub linear2: Linear,
    /// The norm of the attention to itself.
    pub norm1: LayerNorm,
    /// The norm of the attention to the memory.
    pub norm2: LayerNorm,
    /// The norm of the linear layers.
    pub norm3: LayerNorm,
    dropout: Dropout,
    norm_first: bool,
}

impl TransformerDecoderLayer {
    /// Of so many features and heads, with `hidden` features between the linear layers.
    #[track_caller]
    pub fn new(features: usize, heads: usize, hidden: usize) -> TransformerDecoderLayer {
        TransformerDecoderLayer {
            self_attn: MultiheadAttention::new(features, heads),
            multihead_attn: MultiheadAttention::new(features, heads),
            linear1: Linear::new(features, hidden),
            linear2: Linear::new(hidden, features),
            norm1: LayerNorm::new(features),
            norm2: LayerNorm::new(features),
            norm3: LayerNorm::new(features),
            dropout: Dropout::new(0.1),
            norm_first: false,
        }
    }

    /// Sets the rate of dropout; 0.1 at first.
    pub fn dropout(mut self, p: f64) -> Self {
        self.dropout = Dropout::new(p);
        self
    }

    /// Sets whether norms come before what they belong to; after it at first.
    pub fn norm_first(mut self, first: bool) -> Self {
        self.norm_first = first;
        self
    }

    /// Of `x [batch, time, features]` and a memory, the shape of `x`.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, memory: &Tensor) -> Tensor {
        let own = |x: &Tensor| self.dropout.forward(&self.self_attn.forward(x, true));
        let other =
            |x: &Tensor| self.dropout.forward(&self.multihead_attn.attend(x, memory, false));
        let mlp = |x: &Tensor| {
            let h = self.dropout.forward(&self.linear1.forward(x).relu());
            self.dropout.forward(&self.linear2.forward(&h))
        };
        let x = beside(x, &self.norm1, self.norm_first, own);
        let x = beside(&x, &self.norm2, self.norm_first, other);
        beside(&x, &self.norm3, self.norm_first, mlp)
    }
}

/// `x + body(norm(x))`, or `norm(x + body(x))`.
#[track_caller]
fn beside(x: &Tensor, norm: &LayerNorm, first: bool, body: impl Fn(&Tensor) -> Tensor) -> Tensor {
    match first {
        true => x + body(&norm.forward(x)),
        false => norm.forward(&(x + body(x))),
    }
}
