/** Parts of a model that tell when they are entered and what they give. */
import { Tensor, type nn } from 'brasa';

type Told = (path: string, result: Tensor) => void;

let told: Told | undefined;

/** Makes each part of the model tell; what it computes stays the same. */
export function instrument(model: nn.Module): void {
  for (const [path, part] of model.namedModules()) {
    if (path === '') continue;
    const own = part as unknown as { forward: (...inputs: unknown[]) => unknown };
    const forward = own.forward.bind(part);
    const watched = (...inputs: unknown[]): unknown => {
      const result = forward(...inputs);
      const first: unknown = Array.isArray(result) ? result[0] : result;
      if (first instanceof Tensor) told?.(path, first);
      return result;
    };
    Object.defineProperty(part, 'forward', { value: watched, configurable: true });
  }
}

/** Runs `body` and tells of the parts it passes through. */
export function withParts<T>(tell: Told, body: () => T): T {
  const before = told;
  told = tell;
  try {
    return body();
  } finally {
    told = before;
  }
}
