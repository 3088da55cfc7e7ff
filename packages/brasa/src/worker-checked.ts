/** The program of a worker in the checked mode: one module computes on the processor and on WebGPU. */
import * as checked from '../dist/wasm/engine-checked.js';
import { serve } from './serve.ts';

serve({ processor: { checked }, webgpu: checked });
