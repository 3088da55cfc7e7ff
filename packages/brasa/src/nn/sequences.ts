/** Recurrent layers, attention and the layers of transformers. */
import * as F from '../generated/functions.ts';
import type { Tensor } from '../tensor.ts';
import { init } from './init.ts';
import { Dropout, LayerNorm, Linear } from './layers.ts';
import { Module, param, type Parameter } from './module.ts';

/** Settings of recurrent layers. */
export interface RecurrentOptions {
  layers?: number;
  /** Whether sequences are read from both ends. */
  bidirectional?: boolean;
}

function gates(rows: number, inputs: number, hidden: number, { layers = 1, bidirectional = false }: RecurrentOptions): Parameter[] {
  const first = init.layer(hidden);
  const directions = bidirectional ? 2 : 1;
  return Array.from({ length: layers * directions }, (_, n) => {
    const width = n < directions ? inputs : hidden * directions;
    const bias = { init: first, decay: false };
    return [param([rows, width], { init: first }), param([rows, hidden], { init: first }), param([rows], bias), param([rows], bias)];
  }).flat();
}

/** A plain recurrent layer with tanh, over `x [batch, time, in]`: outputs and last states. */
export class RNN extends Module<[Tensor, Tensor?], [Tensor, Tensor]> {
  readonly params: readonly Parameter[];

  constructor(inputs: number, hidden: number, private readonly options: RecurrentOptions = {}) {
    super();
    this.params = gates(hidden, inputs, hidden, options);
  }

  override forward(x: Tensor, hx?: Tensor): [Tensor, Tensor] {
    return F.rnn(x, hx ?? null, this.params, { batchFirst: true, bidirectional: this.options.bidirectional });
  }
}

/** Gated recurrent units, over `x [batch, time, in]`: outputs and last states. */
export class GRU extends Module<[Tensor, Tensor?], [Tensor, Tensor]> {
  readonly params: readonly Parameter[];

  constructor(inputs: number, hidden: number, private readonly options: RecurrentOptions = {}) {
    super();
    this.params = gates(3 * hidden, inputs, hidden, options);
  }

  override forward(x: Tensor, hx?: Tensor): [Tensor, Tensor] {
    return F.gru(x, hx ?? null, this.params, { batchFirst: true, bidirectional: this.options.bidirectional });
  }
}

/** Long short-term memory, over `x [batch, time, in]`: outputs, last states and last cells. */
export class LSTM extends Module<[Tensor, [Tensor, Tensor]?], [Tensor, Tensor, Tensor]> {
  readonly params: readonly Parameter[];

  constructor(inputs: number, hidden: number, private readonly options: RecurrentOptions = {}) {
    super();
    this.params = gates(4 * hidden, inputs, hidden, options);
  }

  override forward(x: Tensor, state?: [Tensor, Tensor]): [Tensor, Tensor, Tensor] {
    const [hx = null, cx = null] = state ?? [];
    return F.lstm(x, hx, cx, this.params, { batchFirst: true, bidirectional: this.options.bidirectional });
  }
}

/** Attention of several heads, each over a part of the features. */
export class MultiheadAttention extends Module<[Tensor, Tensor?, AttentionOptions?], Tensor> {
  readonly in_proj_weight: Parameter;
  readonly in_proj_bias: Parameter;
  readonly out_proj: Linear;

  constructor(features: number, private readonly heads: number) {
    super();
    this.in_proj_weight = param([3 * features, features], { init: init.xavierUniform() });
    this.in_proj_bias = param([3 * features], { init: 'zeros' });
    this.out_proj = new Linear(features, features);
  }

  /** Of `x [batch, time, features]`, what it attends to in `memory`, by default in itself. */
  override forward(x: Tensor, memory: Tensor = x, { causal = false }: AttentionOptions = {}): Tensor {
    const { weight, bias } = this.out_proj;
    const [mixed] = F.multiHeadAttention(x, memory, memory, this.heads, this.in_proj_weight, this.in_proj_bias, weight, bias, { isCausal: causal });
    return mixed;
  }
}

export interface AttentionOptions {
  /** Whether the future is hidden. */
  causal?: boolean;
}

/** Settings of the layers of transformers. */
export interface TransformerOptions extends AttentionOptions {
  dropout?: number;
  /** Whether norms come before what they belong to; after it by default. */
  normFirst?: boolean;
}

/** `x + body(norm(x))`, or `norm(x + body(x))`. */
function beside(x: Tensor, norm: LayerNorm, isFirst: boolean, body: (x: Tensor) => Tensor): Tensor {
  return isFirst ? x.add(body(norm.forward(x))) : norm.forward(x.add(body(x)));
}

/** Attention, then two linear layers, each with a norm and beside a shortcut. */
export class TransformerEncoderLayer extends Module<[Tensor], Tensor> {
  readonly self_attn: MultiheadAttention;
  readonly linear1: Linear;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout: Dropout;

  constructor(features: number, heads: number, hidden: number, private readonly options: TransformerOptions = {}) {
    super();
    this.self_attn = new MultiheadAttention(features, heads);
    this.linear1 = new Linear(features, hidden);
    this.linear2 = new Linear(hidden, features);
    this.norm1 = new LayerNorm(features);
    this.norm2 = new LayerNorm(features);
    this.dropout = new Dropout(options.dropout ?? 0.1);
  }

  override forward(x: Tensor): Tensor {
    const { causal = false, normFirst = false } = this.options;
    const drop = (y: Tensor): Tensor => this.dropout.forward(y);
    const attend = (y: Tensor): Tensor => drop(this.self_attn.forward(y, y, { causal }));
    const mlp = (y: Tensor): Tensor => drop(this.linear2.forward(drop(this.linear1.forward(y).relu())));
    return beside(beside(x, this.norm1, normFirst, attend), this.norm2, normFirst, mlp);
  }
}

/** Attention to itself and to a memory, then two linear layers. */
export class TransformerDecoderLayer extends Module<[Tensor, Tensor], Tensor> {
  readonly self_attn: MultiheadAttention;
  readonly multihead_attn: MultiheadAttention;
  readonly linear1: Linear;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly norm3: LayerNorm;
  readonly dropout: Dropout;

  constructor(features: number, heads: number, hidden: number, private readonly options: Omit<TransformerOptions, 'causal'> = {}) {
    super();
    this.self_attn = new MultiheadAttention(features, heads);
    this.multihead_attn = new MultiheadAttention(features, heads);
    this.linear1 = new Linear(features, hidden);
    this.linear2 = new Linear(hidden, features);
    this.norm1 = new LayerNorm(features);
    this.norm2 = new LayerNorm(features);
    this.norm3 = new LayerNorm(features);
    this.dropout = new Dropout(options.dropout ?? 0.1);
  }

  override forward(x: Tensor, memory: Tensor): Tensor {
    const { normFirst = false } = this.options;
    const drop = (y: Tensor): Tensor => this.dropout.forward(y);
    const own = (y: Tensor): Tensor => drop(this.self_attn.forward(y, y, { causal: true }));
    const other = (y: Tensor): Tensor => drop(this.multihead_attn.forward(y, memory));
    const mlp = (y: Tensor): Tensor => drop(this.linear2.forward(drop(this.linear1.forward(y).relu())));
    const first = beside(x, this.norm1, normFirst, own);
    return beside(beside(first, this.norm2, normFirst, other), this.norm3, normFirst, mlp);
  }
}
