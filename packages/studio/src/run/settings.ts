/** The settings of a run, chosen before or during training. */

export type DeviceName = 'cpu' | 'cpu-single' | 'webgpu';
export type OptimizerName = 'adam' | 'adamw' | 'sgd';

export interface Settings {
  readonly task: string;
  readonly device: DeviceName;
  readonly optimizer: OptimizerName;
  readonly lr: number;
  readonly momentum: number;
  /** Adam's decay rates of the first and second moment. */
  readonly beta1: number;
  readonly beta2: number;
  readonly weightDecay: number;
  readonly batch: number;
  readonly seed: number;
}

export const DEVICES: readonly { readonly id: DeviceName; readonly label: string }[] = [
  { id: 'cpu', label: 'CPU' },
  { id: 'cpu-single', label: 'CPU, one thread' },
  { id: 'webgpu', label: 'WebGPU' },
];

export const OPTIMIZERS: readonly { readonly id: OptimizerName; readonly label: string }[] = [
  { id: 'adam', label: 'Adam' },
  { id: 'adamw', label: 'AdamW' },
  { id: 'sgd', label: 'SGD' },
];
