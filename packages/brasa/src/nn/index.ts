/** Layers and models. */
export * from './activations.ts';
export * from './containers.ts';
export { init, type Init } from './init.ts';
export { Layer } from './layer.ts';
export * from './layers.ts';
export * from './losses.ts';
export { Buffer, Module, param, Parameter, type ParamOptions, type StateDict, type StateSource } from './module.ts';
export * from './sequences.ts';
export * from './shapes.ts';
