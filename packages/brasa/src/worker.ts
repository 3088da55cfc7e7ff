/** The worker script: the engine, or one of its helper threads. */
import * as single from '../dist/wasm/engine.js';
import * as fused from '../dist/wasm/engine-fused.js';
import * as threads from '../dist/wasm/engine-threads.js';
import * as webgpu from '../dist/wasm/engine-webgpu.js';
import { serve } from './serve.ts';

serve({ cpu: { single, threads, fused }, webgpu });
