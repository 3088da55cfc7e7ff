/** Recurrent layers, attention and transformer layers. */
import { bind, bound, type Given } from '../bind.ts';
import { zeros } from '../create.ts';
import * as F from '../generated/functions.ts';
import type { Tensor } from '../tensor.ts';
import { init } from './init.ts';
import { LayerNorm, Linear } from './layers.ts';
import { Module, param, type Parameter } from './module.ts';
import { Dropout } from './shapes.ts';

/** Settings of recurrent layers. */
export interface RecurrentOptions {
  numLayers?: number;
  /** Alias of `numLayers`. */
  layers?: number;
  bias?: boolean;
  /** Whether `x` is `[batch, time, in]` (the default) or `[time, batch, in]`. */
  batchFirst?: boolean;
  /** The dropout probability between layers. */
  dropout?: number;
  /** Whether sequences are processed in both directions. */
  bidirectional?: boolean;
}

/** Settings of plain recurrent layers. */
export interface RNNOptions extends RecurrentOptions {
  nonlinearity?: 'tanh' | 'relu';
}

/** Constructor arguments of recurrent layers. */
export type RecurrentArguments = [inputSize: number, hiddenSize: number, ...Given<RecurrentOptions, ['numLayers', 'bias', 'batchFirst', 'dropout', 'bidirectional']>];

const SIZES = 'inputSize:c hiddenSize:c';
const LAYERS = 'numLayers/layers?c';
const RECURRENT = 'bias?b batchFirst?b dropout?n bidirectional?b';

/** Names of the parameters of a layer: weights and biases of input and state. */
const PARAMS = ['weight_ih', 'weight_hh', 'bias_ih', 'bias_hh'];

/** Base of recurrent layers. Parameters have PyTorch's names: `weight_ih_l0`, `bias_hh_l1_reverse`. */
abstract class Recurrent<In extends unknown[], Out> extends Module<In, Out> {
  /** The parameters of each layer, for all directions. */
  readonly #layers: readonly (readonly Parameter[])[];
  readonly #dropout: number;
  /** The last two arguments of the ops. */
  protected readonly order: [batchFirst: boolean, bidirectional: boolean];
  protected readonly nonlinearity: 'tanh' | 'relu';

  protected constructor(gates: number, signature: string, given: readonly unknown[]) {
    super();
    const settings = Object.fromEntries(bind(this, signature, given)) as unknown as RNNOptions & { inputSize: number; hiddenSize: number };
    const { inputSize: inputs, hiddenSize: hidden, numLayers: layers = 1, bidirectional = false, bias = true, batchFirst = true, dropout = 0 } = settings;
    const first = init.layer(hidden);
    const [directions, rows] = [bidirectional ? ['', '_reverse'] : [''], gates * hidden];
    const create = (kind: string, width: number): Parameter => (kind.startsWith('bias') ? param([rows], { init: first, decay: false }) : param([rows, width], { init: first }));
    this.#layers = Array.from({ length: layers }, (_, n) =>
      directions.flatMap((direction) =>
        PARAMS.slice(0, bias ? 4 : 2).map((kind) => {
          const width = kind === 'weight_hh' ? hidden : n === 0 ? inputs : hidden * directions.length;
          const value = create(kind, width);
          Object.defineProperty(this, `${kind}_l${n}${direction}`, { value, enumerable: true });
          return value;
        }),
      ),
    );
    this.#dropout = dropout;
    this.order = [batchFirst, bidirectional];
    this.nonlinearity = settings.nonlinearity ?? 'tanh';
  }

  /** Runs all layers in one call, or one by one if there is dropout between them; returns outputs and last states. */
  protected run<States extends Tensor[]>(
    x: Tensor,
    states: readonly (Tensor | null)[],
    body: (x: Tensor, states: readonly (Tensor | null)[], params: readonly Parameter[]) => [Tensor, ...States],
  ): [Tensor, ...States] {
    const all = this.#layers;
    if (!this.training || this.#dropout === 0 || all.length === 1) return body(x, states, all.flat());
    let y = x;
    const ends = all.map((params, n) => {
      const own = states.map((state) => (state === null ? null : (F.chunk(state, all.length, 0)[n] as Tensor)));
      const [next, ...last] = body(n > 0 ? F.dropout(y, this.#dropout) : y, own, params);
      y = next;
      return last;
    });
    return [y, ...((ends[0] as Tensor[]).map((_, n) => F.cat(ends.map((last) => last[n] as Tensor), 0)) as States)];
  }
}

/** A plain recurrent layer with tanh or relu, over `x [batch, time, in]`: outputs and last states. */
export class RNN extends Recurrent<[Tensor, Tensor?], [Tensor, Tensor]> {
  constructor(...given: [inputSize: number, hiddenSize: number, ...Given<RNNOptions, ['numLayers', 'nonlinearity', 'bias', 'batchFirst', 'dropout', 'bidirectional']>]) {
    super(1, `${SIZES} ${LAYERS} nonlinearity?tanh|relu ${RECURRENT}`, given);
  }

  override forward(x: Tensor, hx?: Tensor): [Tensor, Tensor] {
    return this.run(x, [hx ?? null], (x, [hx], params) => F.rnn(x, hx, params, this.nonlinearity, ...this.order));
  }
}

/** Gated recurrent units, over `x [batch, time, in]`: outputs and last states. */
export class GRU extends Recurrent<[Tensor, Tensor?], [Tensor, Tensor]> {
  constructor(...given: RecurrentArguments) {
    super(3, `${SIZES} ${LAYERS} ${RECURRENT}`, given);
  }

  override forward(x: Tensor, hx?: Tensor): [Tensor, Tensor] {
    return this.run(x, [hx ?? null], (x, [hx], params) => F.gru(x, hx, params, ...this.order));
  }
}

/** Long short-term memory, over `x [batch, time, in]`: outputs, last states and last cells. */
export class LSTM extends Recurrent<[Tensor, [Tensor, Tensor]?], [Tensor, Tensor, Tensor]> {
  constructor(...given: RecurrentArguments) {
    super(4, `${SIZES} ${LAYERS} ${RECURRENT}`, given);
  }

  override forward(x: Tensor, state?: [Tensor, Tensor]): [Tensor, Tensor, Tensor] {
    return this.run(x, state ?? [null, null], (x, [hx, cx], params) => F.lstm(x, hx, cx, params, ...this.order));
  }
}

/** Constructor arguments of cells. */
export type CellArguments = [inputSize: number, hiddenSize: number, ...Given<{ bias?: boolean }, ['bias']>];

type Nonlinearity = 'tanh' | 'relu';

/** Base of cells: one step of a recurrent layer. */
abstract class Cell<In extends unknown[], Out> extends Module<In, Out> {
  readonly weight_ih: Parameter;
  readonly weight_hh: Parameter;
  readonly bias_ih: Parameter | null;
  readonly bias_hh: Parameter | null;
  readonly #hidden: number;
  protected readonly nonlinearity: Nonlinearity | undefined;

  protected constructor(gates: number, more: string, given: readonly unknown[]) {
    super();
    const [inputs, hidden, bias = true, nonlinearity] = bound<[number, number, boolean?, Nonlinearity?]>(this, `${SIZES} bias?b${more}`, given);
    const [first, rows] = [init.layer(hidden), gates * hidden];
    this.weight_ih = param([rows, inputs], { init: first });
    this.weight_hh = param([rows, hidden], { init: first });
    this.bias_ih = bias ? param([rows], { init: first, decay: false }) : null;
    this.bias_hh = bias ? param([rows], { init: first, decay: false }) : null;
    this.#hidden = hidden;
    this.nonlinearity = nonlinearity;
  }

  /** The parameters, in the order of the ops. */
  protected get params(): [Parameter, Parameter, Parameter | null, Parameter | null] {
    return [this.weight_ih, this.weight_hh, this.bias_ih, this.bias_hh];
  }

  /** The zero state for `x [batch, in]`. */
  protected zeroState(x: Tensor): Tensor {
    return zeros([x.shape[0] ?? 1, this.#hidden]);
  }
}

/** One step of a plain recurrent layer, from `x [batch, in]` and a state: the next state. */
export class RNNCell extends Cell<[Tensor, Tensor?], Tensor> {
  constructor(...given: [inputSize: number, hiddenSize: number, ...Given<{ bias?: boolean; nonlinearity?: Nonlinearity }, ['bias', 'nonlinearity']>]) {
    super(1, ' nonlinearity?tanh|relu', given);
  }

  override forward(x: Tensor, hx: Tensor = this.zeroState(x)): Tensor {
    return F.rnnCell(x, hx, ...this.params, this.nonlinearity);
  }
}

/** One step of gated recurrent units: the next state. */
export class GRUCell extends Cell<[Tensor, Tensor?], Tensor> {
  constructor(...given: CellArguments) {
    super(3, '', given);
  }

  override forward(x: Tensor, hx: Tensor = this.zeroState(x)): Tensor {
    return F.gruCell(x, hx, ...this.params);
  }
}

/** One step of long short-term memory: the next state and the next cell. */
export class LSTMCell extends Cell<[Tensor, [Tensor, Tensor]?], [Tensor, Tensor]> {
  constructor(...given: CellArguments) {
    super(4, '', given);
  }

  override forward(x: Tensor, [hx, cx]: [Tensor, Tensor] = [this.zeroState(x), this.zeroState(x)]): [Tensor, Tensor] {
    return F.lstmCell(x, hx, cx, ...this.params);
  }
}

/** Multi-head attention. */
export class MultiheadAttention extends Module<[Tensor, Tensor?, AttentionOptions?], Tensor> {
  readonly in_proj_weight: Parameter;
  readonly in_proj_bias: Parameter;
  readonly out_proj: Linear;
  readonly #heads: number;
  readonly #dropout: number;

  constructor(...given: [embedDim: number, numHeads: number, ...Given<MultiheadAttentionOptions, ['dropout', 'bias', 'addBiasKv', 'addZeroAttn', 'kdim', 'vdim', 'batchFirst']>]) {
    super();
    const [features, heads, dropout = 0] = bound<[number, number, number?]>(this, 'embedDim:c numHeads:c dropout?n bias!true addBiasKv!false addZeroAttn!false kdim!null vdim!null batchFirst!true', given);
    this.#heads = heads;
    this.#dropout = dropout;
    this.in_proj_weight = param([3 * features, features], { init: init.xavierUniform() });
    this.in_proj_bias = param([3 * features], { init: 'zeros' });
    this.out_proj = new Linear(features, features);
  }

  /** Attention of `x [batch, time, features]` to `memory`, by default self-attention. */
  override forward(x: Tensor, memory: Tensor = x, options: AttentionOptions = {}): Tensor {
    return this.attend(x, memory, memory, options)[0];
  }

  /** Attention output, and weights averaged over heads. */
  attend(query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions = {}): [Tensor, Tensor] {
    const masks = bound<[(Tensor | null)?, boolean?, (Tensor | null)?]>('attend', '* attnMask?t|null causal?b keyPaddingMask?t|null', [options]);
    const { weight, bias } = this.out_proj;
    const dropped = this.#dropout > 0 && this.training ? this.#dropout : 0;
    return F.multiHeadAttention(query, key, value, this.#heads, this.in_proj_weight, this.in_proj_bias, weight, bias, ...masks, dropped);
  }
}

/** Settings of attention. Except for `dropout`, only PyTorch's defaults are supported, with batches first. */
export interface MultiheadAttentionOptions {
  /** The dropout probability of attention weights in training. */
  dropout?: number;
  bias?: true;
  addBiasKv?: false;
  addZeroAttn?: false;
  kdim?: null;
  vdim?: null;
  batchFirst?: true;
}

/** Masks of attention. */
export interface AttentionOptions {
  /** Whether future positions are masked. */
  causal?: boolean | undefined;
  /** True where a key is masked, or numbers to add to the scores. */
  attnMask?: Tensor | null | undefined;
  /** True where a key `[batch, time]` is padding. */
  keyPaddingMask?: Tensor | null | undefined;
}

/** Settings of transformer layers. */
export interface TransformerOptions {
  dimFeedforward?: number;
  dropout?: number;
  activation?: 'relu' | 'gelu';
  layerNormEps?: number;
  batchFirst?: true;
  /** Whether norms come before attention and MLP; after them by default. */
  normFirst?: boolean;
  /** Whether future positions are masked by default; `false`, as in PyTorch. */
  causal?: boolean;
}

/** Masks of an encoder layer. */
export interface EncoderMasks {
  srcMask?: Tensor | null;
  srcKeyPaddingMask?: Tensor | null;
  /** Whether future positions are masked. */
  isCausal?: boolean;
}

/** Masks of a decoder layer, for its own sequence and for the memory. */
export interface DecoderMasks {
  tgtMask?: Tensor | null;
  memoryMask?: Tensor | null;
  tgtKeyPaddingMask?: Tensor | null;
  memoryKeyPaddingMask?: Tensor | null;
  /** Whether future positions of its own sequence are masked. */
  tgtIsCausal?: boolean;
  memoryIsCausal?: boolean;
}

type Mask = Tensor | null | undefined;
type EncoderArguments = Given<EncoderMasks, ['srcMask', 'srcKeyPaddingMask', 'isCausal']>;
type DecoderArguments = Given<DecoderMasks, ['tgtMask', 'memoryMask', 'tgtKeyPaddingMask', 'memoryKeyPaddingMask', 'tgtIsCausal', 'memoryIsCausal']>;

type Order = ['dimFeedforward', 'dropout', 'activation', 'layerNormEps', 'batchFirst', 'normFirst'];
type TransformerSettings = [features: number, heads: number, hidden?: number, dropout?: number, activation?: 'relu' | 'gelu', eps?: number, normFirst?: boolean, causal?: boolean];

const TRANSFORMER = 'dModel:c nhead:c dimFeedforward?c dropout?n activation?relu|gelu layerNormEps?n batchFirst!true normFirst?b * causal?b';

/** `x + body(norm(x))`, or `norm(x + body(x))`. */
function residual(x: Tensor, norm: LayerNorm, isFirst: boolean, body: (x: Tensor) => Tensor): Tensor {
  return isFirst ? x.add(body(norm.forward(x))) : norm.forward(x.add(body(x)));
}

/** Self-attention, then an MLP of two linear layers, each with a norm and a residual connection. */
export class TransformerEncoderLayer extends Module<[src: Tensor, ...EncoderArguments], Tensor> {
  readonly self_attn: MultiheadAttention;
  readonly linear1: Linear;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout: Dropout;
  readonly #settings: readonly [normFirst: boolean, activation: 'relu' | 'gelu', causal: boolean];

  /** With `causal`, future positions are masked. */
  constructor(...given: [dModel: number, nhead: number, ...Given<TransformerOptions, Order>]) {
    super();
    const [features, heads, hidden = 2048, dropout = 0.1, activation = 'relu', eps, normFirst = false, causal = false] =
      bound<TransformerSettings>(this, TRANSFORMER, given);
    this.#settings = [normFirst, activation, causal];
    this.self_attn = new MultiheadAttention(features, heads, dropout);
    this.linear1 = new Linear(features, hidden);
    this.linear2 = new Linear(hidden, features);
    this.norm1 = new LayerNorm(features, eps);
    this.norm2 = new LayerNorm(features, eps);
    this.dropout = new Dropout(dropout);
  }

  override forward(x: Tensor, ...masks: EncoderArguments): Tensor {
    const [normFirst, activation, isCausal] = this.#settings;
    const [attnMask, keyPaddingMask, causal = isCausal] = bound<[Mask, Mask, boolean?]>(this, 'srcMask?t|null srcKeyPaddingMask?t|null isCausal?b', masks);
    const drop = (y: Tensor): Tensor => this.dropout.forward(y);
    const attend = (y: Tensor): Tensor => drop(this.self_attn.forward(y, y, { attnMask, keyPaddingMask, causal }));
    const mlp = (y: Tensor): Tensor => drop(this.linear2.forward(drop(this.linear1.forward(y)[activation]())));
    return residual(residual(x, this.norm1, normFirst, attend), this.norm2, normFirst, mlp);
  }
}

/** Self-attention, cross-attention to a memory, then an MLP, each with a norm and a residual connection. */
export class TransformerDecoderLayer extends Module<[tgt: Tensor, memory: Tensor, ...DecoderArguments], Tensor> {
  readonly self_attn: MultiheadAttention;
  readonly multihead_attn: MultiheadAttention;
  readonly linear1: Linear;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly norm3: LayerNorm;
  readonly dropout: Dropout;
  readonly #settings: readonly [normFirst: boolean, activation: 'relu' | 'gelu', causal: boolean];

  constructor(...given: [dModel: number, nhead: number, ...Given<TransformerOptions, Order>]) {
    super();
    const [features, heads, hidden = 2048, dropout = 0.1, activation = 'relu', eps, normFirst = false, causal = false] = bound<TransformerSettings>(this, TRANSFORMER, given);
    this.#settings = [normFirst, activation, causal];
    this.self_attn = new MultiheadAttention(features, heads, dropout);
    this.multihead_attn = new MultiheadAttention(features, heads, dropout);
    this.linear1 = new Linear(features, hidden);
    this.linear2 = new Linear(hidden, features);
    this.norm1 = new LayerNorm(features, eps);
    this.norm2 = new LayerNorm(features, eps);
    this.norm3 = new LayerNorm(features, eps);
    this.dropout = new Dropout(dropout);
  }

  override forward(x: Tensor, memory: Tensor, ...masks: DecoderArguments): Tensor {
    const [normFirst, activation, isCausal] = this.#settings;
    const [tgtMask, memoryMask, tgtPadding, memoryPadding, causal = isCausal, memoryCausal] = bound<[Mask, Mask, Mask, Mask, boolean?, boolean?]>(
      this, 'tgtMask?t|null memoryMask?t|null tgtKeyPaddingMask?t|null memoryKeyPaddingMask?t|null tgtIsCausal?b memoryIsCausal?b', masks,
    );
    const drop = (y: Tensor): Tensor => this.dropout.forward(y);
    const own = (y: Tensor): Tensor => drop(this.self_attn.forward(y, y, { attnMask: tgtMask, keyPaddingMask: tgtPadding, causal }));
    const other = (y: Tensor): Tensor => drop(this.multihead_attn.forward(y, memory, { attnMask: memoryMask, keyPaddingMask: memoryPadding, causal: memoryCausal }));
    const mlp = (y: Tensor): Tensor => drop(this.linear2.forward(drop(this.linear1.forward(y)[activation]())));
    const first = residual(x, this.norm1, normFirst, own);
    return residual(residual(first, this.norm2, normFirst, other), this.norm3, normFirst, mlp);
  }
}
