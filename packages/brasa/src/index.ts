/**
 * Tensors, automatic differentiation and training in the browser, with PyTorch's API.
 *
 * ```ts
 * import { init, nn, optim, crossEntropy } from 'brasa';
 *
 * await init();
 * const model = new nn.Sequential(new nn.Linear(784, 128), new nn.ReLU(), new nn.Linear(128, 10));
 * const optimizer = new optim.Adam(model.parameters(), { lr: 1e-3 });
 * const loss = crossEntropy(model.forward(images), labels);
 * optimizer.zeroGrad();
 * loss.backward();
 * optimizer.step();
 * console.log(await loss.item());
 * ```
 *
 * Calls return at once: they are checked, recorded and sent to a worker that computes. Only reads are awaited.
 */
// `Tensor` is `Disposable`, a type that a program's `lib` setting may not include.
/// <reference lib="esnext.disposable" preserve="true" />
import { restoreClassNames } from './alias.ts';
import { init as start } from './client.ts';
import * as layers from './nn/index.ts';
import { init as initializers } from './nn/init.ts';
import { Tensor } from './tensor.ts';

restoreClassNames({ ...layers, Tensor });
installMethods();

/** Starts the engine. Its fields, such as `init.kaiming()`, are the weight initializers of `nn.init`. */
export const init: typeof start & typeof initializers = Object.assign(start, initializers);

export { enableGrad, grad, type GradOptions, isGradEnabled, jvp, noGrad, setGradEnabled } from './autograd.ts';
export { setRetainGrads } from './call.ts';
export { checkpoint, download, indexedDb, opfs, restore, type Store, type Trained } from './checkpoint.ts';
export {
  type DeviceLoss, flush, type InitOptions, type Loss, manualSeed, memory, type Status, synchronize, terminate,
  workerUrl,
} from './client.ts';
export { capture, CapturedArrays, Captures } from './captures.ts';
export { compile, singleFlight } from './compile.ts';
export {
  arange, type CreateOptions, type Creation, empty, eye, fromData, full, linspace, type NestedNumbers, type New, ones, rand,
  randint, randn, randperm, scalar, type Size, tensor, type TensorOptions, type TensorSource, zeros,
} from './create.ts';
export * as data from './data.ts';
export {
  ArgumentError, BrasaError, DataError, DeviceError, DTypeError, EngineError, ShapeError, StaleTensorError,
} from './errors.ts';
export type { TypedArray } from './dtype.ts';
export { Forward, NamedForward, type RunOptions, type RunResult } from './forward.ts';
export { AutoFunction, type FunctionClass, FunctionContext } from './function.ts';
export * as functions from './function.ts';
export * from './generated/functions.ts';
export type * from './generated/options.ts';
export type { InputSpec, InputValue } from './inputs.ts';
export { keep, scope, setMemoryBudget, trackTensors } from './memory.ts';
export * as nn from './nn/index.ts';
export { Conv2d, Embedding, LayerNorm, Linear, Module, RMSNorm } from './nn/index.ts';
export * as optim from './optim.ts';
export type { Outcome } from './outcome.ts';
export { load, type Loaded, save } from './safetensors.ts';
export { type ForwardSpec, type StepInfo, type StepOptions, type StepResult, type StepSpec, TrainStep } from './step.ts';
export {
  type BackwardOptions, type DType, type DTypeName, type Elements, type Index, type Nested, type Operand, Range, REST,
  type Storage, Tensor,
} from './tensor.ts';
export {
  lr, meanLast, nearestUpsample2d, type OptimizerConfig, sliceLastRange, stopGradient, sumLast, Training, type TrainingResult,
  type TrainingSpec,
} from './tensorgrad.ts';
export * as tracing from './trace.ts';
export type { Trace } from './trace.ts';
export { initWebGPUAsync } from './webgputorch.ts';
// Last, so that method names and export names are adjacent in the bundle: together they compress well.
import { installMethods } from './methods.ts';
