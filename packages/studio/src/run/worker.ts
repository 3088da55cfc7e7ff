/**
 * The model worker: runs the user's module and the engine's recorder. The page stays responsive whatever the code does,
 * and can terminate it.
 */
import { loadEngine, openSession } from './brasa.ts';
import { atLine } from './module.ts';
import type { Session } from './session.ts';
import { serializeError, type WorkerResponse, type WorkerRequest, type Opened } from './protocol.ts';

const sessions = new Map<number, Session>();
/** Sessions are opened sequentially: they share the engine and its random seed. */
let opening: Promise<unknown> = Promise.resolve();

const post = (answer: WorkerResponse): void => self.postMessage(answer);

async function open({ id, engine, settings, source }: Extract<WorkerRequest, { kind: 'open' }>): Promise<Opened> {
  await loadEngine(engine);
  const session = await openSession(settings, source);
  sessions.set(id, session);
  const { device, deviceName, notice, parameters, kinds, functions } = session;
  return { session: id, device, deviceName, notice, parameters, kinds, functions };
}

async function handle(ask: Exclude<WorkerRequest, { kind: 'ping' }>): Promise<unknown> {
  if (ask.kind === 'open') return (opening = opening.catch(() => undefined).then(() => open(ask)));
  const session = sessions.get(ask.session);
  if (!session) throw new Error('the run has ended');
  if (ask.method === 'close') sessions.delete(ask.session);
  return (session[ask.method] as (...args: readonly unknown[]) => unknown)(...ask.args);
}

addEventListener('message', ({ data: ask }: MessageEvent<WorkerRequest>) => {
  if (ask.kind === 'ping') return post({ kind: 'alive' });
  const session = ask.kind === 'call' ? sessions.get(ask.session) : undefined;
  handle(ask).then(
    (result) => post({ kind: 'done', id: ask.id, result, queryMs: session?.queryMs ?? 0 }),
    (error: unknown) => post({ kind: 'failed', id: ask.id, error: serializeError(error) }),
  );
});
// Asynchronous errors of the user's code arrive here.
addEventListener('error', (event) => {
  event.preventDefault();
  post({ kind: 'uncaught', error: serializeError(atLine(event.error ?? event.message)) });
});
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  post({ kind: 'uncaught', error: serializeError(atLine(event.reason)) });
});
post({ kind: 'alive' });
