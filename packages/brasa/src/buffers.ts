/**
 * A pool of upload buffers that the engine has returned. A training loop uploads a batch per step: fresh buffers would
 * have to be zeroed by the system and garbage-collected, which blocks the page.
 */

/** The most bytes the pool keeps. */
const MAX_BYTES = 32 << 20;

const spent: ArrayBuffer[] = [];
let bytes = 0;

/** A buffer of this length, with unspecified contents. */
export function takeBuffer(length: number): Uint8Array<ArrayBuffer> {
  const at = spent.findIndex(({ byteLength }) => byteLength === length);
  if (at < 0) return new Uint8Array(length);
  bytes -= length;
  return new Uint8Array(spent.splice(at, 1)[0] as ArrayBuffer);
}

/** Returns buffers to the pool; over the limit, the oldest are dropped. */
export function recycleBuffers(buffers: readonly ArrayBuffer[]): void {
  for (const buffer of buffers) {
    spent.push(buffer);
    bytes += buffer.byteLength;
  }
  while (bytes > MAX_BYTES) bytes -= (spent.shift() as ArrayBuffer).byteLength;
}
