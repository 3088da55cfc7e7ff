/** An engine of the built package for somebody outside, such as the fuzzer: see `scripts/engine.mjs`. */
import * as assets from '../src/assets.ts';
import { Client } from '../src/client.ts';
import { MODULES, workerOf } from '../src/flavour.ts';
import { spawn } from '../src/port.ts';
import type { Flavour } from '../src/protocol.ts';

export interface Setting {
  readonly device: 'cpu' | 'webgpu';
  readonly flavour: Flavour;
  readonly threads: number;
  /** The folder that the package's `dist` is loaded from. */
  readonly base: string;
}

/** Sends replies, and receives the next message of commands; nothing at the end. */
export type Exchange = (replies: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** What a reply is: bytes, the text of an error, or why the engine has stopped. */
const TAGS = { value: 0, error: 1, stopped: 2 };

/** A reply as bytes: its length, its tag, and the value or the text. */
function framed(tag: keyof typeof TAGS, body: Uint8Array | string): Uint8Array {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const frame = new Uint8Array(5 + bytes.length);
  new DataView(frame.buffer).setUint32(0, 1 + bytes.length, true);
  frame[4] = TAGS[tag];
  frame.set(bytes, 5);
  return frame;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Starts an engine as `init` does. */
async function start({ device, flavour, threads, base }: Setting): Promise<Client> {
  const client: Client = new Client(spawn(workerOf(flavour), base), {
    base,
    onLoss: ({ why }) => client.die(`the graphics processor was lost: ${why}`),
  });
  const hasOwnModule = device === 'webgpu' && flavour !== 'checked';
  const module = await (hasOwnModule ? assets.engineWebgpu(base) : MODULES[flavour](base));
  const { memory } = await client.request<'start'>({ kind: 'start', device, module, build: '', flavour });
  if (memory) await client.help(flavour, module, memory, threads - 1);
  return client;
}

/** The replies to a message, one for each value that it asks for; an empty one asks how often each fast path was taken. */
async function replies(client: Client, commands: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (commands.length === 0) return joined([framed('value', (await client.request<'paths'>({ kind: 'paths' })).lines)]);
  const { answers } = await client.request<'run'>({ kind: 'run', commands, uploads: [], isTimed: false }, [commands.buffer]);
  return joined(answers.map((answer) => ('bytes' in answer ? framed('value', answer.bytes) : framed('error', answer.error.message))));
}

/** Carries out messages until there are no more or the engine stops. First of all it says that the engine has started. */
export async function carryOut(setting: Setting, exchange: Exchange): Promise<void> {
  try {
    const client = await start(setting);
    let reply = joined([framed('value', '')]);
    for (;;) {
      const commands = await exchange(reply);
      if (!commands) return;
      reply = await replies(client, commands);
    }
  } catch (error) {
    await exchange(joined([framed('stopped', String(error))]));
  }
}
