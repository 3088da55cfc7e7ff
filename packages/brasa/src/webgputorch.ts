/** The one call that webgpu-torch begins with. */
import { setRetainGrads } from './call.ts';
import { init, type InitOptions } from './client.ts';

/**
 * Starts the engine on WebGPU; `false` where there is none, and the processor computes. Programs that begin so expect a
 * gradient of every tensor: see `setRetainGrads`.
 */
export async function initWebGPUAsync(options: Omit<InitOptions, 'device'> = {}): Promise<boolean> {
  const { device } = await init({ ...options, device: 'auto' });
  setRetainGrads(true);
  return device === 'webgpu';
}
