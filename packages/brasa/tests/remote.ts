/** Runs an engine of the built package for another process, such as the fuzzer: see `scripts/engine.mjs`. */
import * as assets from '../src/assets.ts';
import { Client } from '../src/client.ts';
import { spawn } from '../src/port.ts';
import type { Variant } from '../src/protocol.ts';
import { MODULES, workerOf } from '../src/variant.ts';

export interface Setting {
  readonly device: 'cpu' | 'webgpu';
  readonly variant: Variant;
  readonly threads: number;
  /** The folder that the package's `dist` is loaded from. */
  readonly base: string;
}

/** Sends replies and receives the next message of commands; `undefined` at the end. */
export type Exchange = (replies: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** The tag of a reply: a value, an error message, or the reason why the engine has stopped. */
const TAGS = { value: 0, error: 1, stopped: 2 };

/** Encodes a reply: length, tag, and the value or message. */
function frame(tag: keyof typeof TAGS, body: Uint8Array | string): Uint8Array {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const framed = new Uint8Array(5 + bytes.length);
  new DataView(framed.buffer).setUint32(0, 1 + bytes.length, true);
  framed[4] = TAGS[tag];
  framed.set(bytes, 5);
  return framed;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Starts an engine as `init` does. */
async function start({ device, variant, threads, base }: Setting): Promise<Client> {
  const client: Client = new Client(spawn(workerOf(variant), base), {
    base,
    onLoss: ({ why }) => client.die(`the GPU was lost: ${why}`),
  });
  const hasOwnModule = device === 'webgpu' && variant !== 'checked';
  const module = await (hasOwnModule ? assets.engineWebgpu(base) : MODULES[variant](base));
  const { memory } = await client.request<'start'>({ kind: 'start', device, module, build: '', variant });
  if (memory) await client.startHelpers(variant, module, memory, threads - 1);
  return client;
}

/** The replies to a message, one for each read; an empty message requests the counts of fast paths. */
async function replies(client: Client, commands: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (commands.length === 0) return concat([frame('value', (await client.request<'paths'>({ kind: 'paths' })).lines)]);
  const { answers } = await client.request<'run'>({ kind: 'run', commands, uploads: [], isTimed: false }, [commands.buffer]);
  return concat(answers.map((answer) => ('bytes' in answer ? frame('value', answer.bytes) : frame('error', answer.error.message))));
}

/** Runs messages until there are no more or the engine stops. The first reply reports that the engine has started. */
export async function runEngine(setting: Setting, exchange: Exchange): Promise<void> {
  try {
    const client = await start(setting);
    let reply = concat([frame('value', '')]);
    for (;;) {
      const commands = await exchange(reply);
      if (!commands) return;
      reply = await replies(client, commands);
    }
  } catch (error) {
    await exchange(concat([frame('stopped', String(error))]));
  }
}
