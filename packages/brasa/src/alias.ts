/** Other names for methods. */

/** Gives methods of a prototype further names: `{ alias: 'name' }`. */
export function alias(prototype: object, names: Record<string, string>): void {
  for (const [other, name] of Object.entries(names)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name);
    if (method) Object.defineProperty(prototype, other, { ...method, enumerable: false });
  }
}
