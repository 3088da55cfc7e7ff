/**
 * Tensors, automatic differentiation and training in the browser, in the manner of PyTorch.
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
 * Calls return at once: they are checked, recorded and sent to a worker that computes. Only reading is awaited.
 */
export { enableGrad, grad, type GradOptions, isGradEnabled, noGrad, setGradEnabled } from './autograd.ts';
export {
  flush, init, type InitOptions, initWebGPUAsync, manualSeed, memory, type Status, synchronize, terminate, workerUrl,
} from './client.ts';
export {
  capture, Captures, compile, Forward, type InputSpec, type InputValue, singleFlight, type StepOptions, type StepResult,
  type StepSpec, TrainStep,
} from './compile.ts';
export {
  arange, type Creation, empty, eye, fromData, full, linspace, type NestedNumbers, type New, ones, rand, randint, randn,
  randperm, scalar, type Size, tensor, type TensorSource, zeros,
} from './create.ts';
export * as data from './data.ts';
export {
  ArgumentError, BrasaError, DataError, DeviceError, DTypeError, EngineError, ShapeError, StaleTensorError,
} from './errors.ts';
export type { TypedArray } from './dtype.ts';
export { AutoFunction, type FunctionClass, FunctionContext } from './function.ts';
export * from './generated/functions.ts';
export type * from './generated/options.ts';
export { keep, scope, trackTensors } from './memory.ts';
export * as nn from './nn/index.ts';
export * as optim from './optim.ts';
export { load, type Loaded, save } from './safetensors.ts';
export {
  type BackwardOptions, type DType, type DTypeName, type Elements, type Index, type Nested, type Operand, Range, REST,
  type Storage, Tensor,
} from './tensor.ts';
export * as trace from './trace.ts';
export type { Trace } from './trace.ts';
