/**
 * The worker of the model: what a person writes runs here, with the recorder of the engine. The page stays at hand
 * whatever the code does, and can end it.
 */
import { loadEngine, openSession } from './brasa.ts';
import { atLine } from './module.ts';
import type { Session } from './session.ts';
import { packed, type Answer, type Ask, type Opened } from './wire.ts';

const sessions = new Map<number, Session>();
/** Sessions are opened one after the other: they share the engine and its seed. */
let opening: Promise<unknown> = Promise.resolve();

const say = (answer: Answer): void => self.postMessage(answer);

async function open({ id, engine, settings, source }: Extract<Ask, { kind: 'open' }>): Promise<Opened> {
  await loadEngine(engine);
  const session = await openSession(settings, source);
  sessions.set(id, session);
  const { device, deviceName, notice, parameters, kinds, functions } = session;
  return { session: id, device, deviceName, notice, parameters, kinds, functions };
}

async function answered(ask: Exclude<Ask, { kind: 'ping' }>): Promise<unknown> {
  if (ask.kind === 'open') return (opening = opening.catch(() => undefined).then(() => open(ask)));
  const session = sessions.get(ask.session);
  if (!session) throw new Error('the run has ended');
  if (ask.method === 'close') sessions.delete(ask.session);
  return (session[ask.method] as (...args: readonly unknown[]) => unknown)(...ask.args);
}

addEventListener('message', ({ data: ask }: MessageEvent<Ask>) => {
  if (ask.kind === 'ping') return say({ kind: 'alive' });
  const session = ask.kind === 'call' ? sessions.get(ask.session) : undefined;
  answered(ask).then(
    (result) => say({ kind: 'done', id: ask.id, result, spent: session?.spent ?? 0 }),
    (error: unknown) => say({ kind: 'failed', id: ask.id, error: packed(error) }),
  );
});
// What the code does later, on its own, fails here.
addEventListener('error', (event) => {
  event.preventDefault();
  say({ kind: 'stray', error: packed(atLine(event.error ?? event.message)) });
});
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  say({ kind: 'stray', error: packed(atLine(event.reason)) });
});
say({ kind: 'alive' });
