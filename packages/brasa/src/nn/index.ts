/** Layers and models. */
export * from './activations.ts';
export { ModuleList, Sequential } from './containers.ts';
export { init, type Init } from './init.ts';
export {
  AdaptiveAvgPool2d, AvgPool1d, AvgPool2d, BatchNorm1d, BatchNorm2d, Bilinear, Conv1d, Conv2d, Conv3d, type ConvOptions,
  ConvTranspose1d, ConvTranspose2d, type ConvTransposeOptions, Dropout, Embedding, Flatten, GroupNorm, InstanceNorm, Layer,
  LayerNorm, Linear, MaxPool1d, MaxPool2d, type PoolOptions, RMSNorm,
} from './layers.ts';
export * from './losses.ts';
export { Buffer, Module, param, Parameter, type ParamOptions, type StateDict, type StateSource } from './module.ts';
export * from './sequences.ts';
