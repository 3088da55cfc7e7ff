/** The worker script in checked mode: one module computes on the CPU and on WebGPU. */
import * as checked from '../dist/wasm/engine-checked.js';
import { serve } from './serve.ts';

serve({ cpu: { checked }, webgpu: checked });
