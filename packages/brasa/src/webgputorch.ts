/** `initWebGPUAsync`, the entry point of webgpu-torch programs. */
import { setRetainGrads } from './call.ts';
import { init, type InitOptions } from './client.ts';

/**
 * Starts the engine on WebGPU; resolves with `false` if there is none and the CPU computes. webgpu-torch programs expect a
 * gradient for every tensor: see `setRetainGrads`.
 */
export async function initWebGPUAsync(options: Omit<InitOptions, 'device'> = {}): Promise<boolean> {
  const { device } = await init({ ...options, device: 'auto' });
  setRetainGrads(true);
  return device === 'webgpu';
}
