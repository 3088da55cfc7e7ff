/**
 * Memory of uploads that the engine is done with, for the next ones. A training loop hands over a batch with each step:
 * new memory would have to be cleared by the system and collected by the browser, which blocks the page meanwhile.
 */

/** What is kept at most. */
const MOST_BYTES = 32 << 20;

const spent: ArrayBuffer[] = [];
let bytes = 0;

/** Memory of this length; what it holds is to be written over. */
export function taken(length: number): Uint8Array<ArrayBuffer> {
  const at = spent.findIndex(({ byteLength }) => byteLength === length);
  if (at < 0) return new Uint8Array(length);
  bytes -= length;
  return new Uint8Array(spent.splice(at, 1)[0] as ArrayBuffer);
}

/** Keeps memory that nobody uses any more; what was kept longest goes first. */
export function given(buffers: readonly ArrayBuffer[]): void {
  for (const buffer of buffers) {
    spent.push(buffer);
    bytes += buffer.byteLength;
  }
  while (bytes > MOST_BYTES) bytes -= (spent.shift() as ArrayBuffer).byteLength;
}
