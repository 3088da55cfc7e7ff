/** One interface for workers in browsers and in Node. Node's modules are loaded at run time: bundlers would resolve imports. */

/** A worker, seen from the page. */
export interface Port {
  post(message: unknown, transfer: readonly ArrayBuffer[]): void;
  onMessage(listen: (message: unknown) => void): void;
  /** Called when the worker dies. */
  onDeath(listen: (reason: string) => void): void;
  /** Sets whether this worker keeps a Node process running. */
  hold(isNeeded: boolean): void;
  terminate(): void;
}

/** Where a worker script is found. */
export interface WorkerSource {
  /** Starts it in a browser; `base` is its folder, if it is not next to this script. */
  start(base?: string): Worker;
  /** The URL that Node loads it from. */
  url(base?: string): URL;
}

export const isNode = typeof process === 'object' && typeof process.versions?.node === 'string' && typeof Worker === 'undefined';

export function spawn(source: WorkerSource, base?: string): Port {
  return isNode ? spawnInNode(source.url(base)) : spawnInBrowser(source.start(base));
}

function spawnInBrowser(worker: Worker): Port {
  return {
    post: (message, transfer) => worker.postMessage(message, [...transfer]),
    onMessage: (listen) => worker.addEventListener('message', (event: MessageEvent<unknown>) => listen(event.data)),
    onDeath: (listen) => {
      worker.addEventListener('error', (event) => listen(event.message || 'its script could not be loaded'));
      worker.addEventListener('messageerror', () => listen('a message could not be read'));
    },
    hold: () => undefined,
    terminate: () => worker.terminate(),
  };
}

function spawnInNode(url: URL): Port {
  const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads');
  const worker = new NodeWorker(url);
  worker.unref();
  return {
    post: (message, transfer) => worker.postMessage(message, [...transfer]),
    onMessage: (listen) => void worker.on('message', listen),
    onDeath: (listen) => {
      worker.on('error', (error: Error) => listen(error.message));
      worker.on('exit', (code) => listen(`it exited with code ${code}`));
    },
    hold: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
}

/** The page, seen from a worker. */
export interface Page {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listen: (message: unknown) => void): void;
}

export function page(): Page {
  if (typeof self !== 'undefined' && 'postMessage' in self) {
    const scope = self as unknown as Worker;
    return {
      post: (message, transfer = []) => scope.postMessage(message, [...transfer]),
      onMessage: (listen) => scope.addEventListener('message', (event: MessageEvent<unknown>) => listen(event.data)),
    };
  }
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  if (!parentPort) throw new Error('this file is a worker script');
  return {
    post: (message, transfer = []) => parentPort.postMessage(message, [...transfer]),
    onMessage: (listen) => void parentPort.on('message', listen),
  };
}
