/** Other names for methods, and the names of classes. */

/** Gives methods of a prototype further names: `{ alias: 'name' }`. */
export function alias(prototype: object, names: Record<string, string>): void {
  for (const [other, name] of Object.entries(names)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name);
    if (method) Object.defineProperty(prototype, other, { ...method, enumerable: false });
  }
}

/** Gives classes back the names that messages show, and that the bundle has made short. */
export function named(classes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(classes)) {
    if (/^[A-Z]/.test(name) && typeof value === 'function') Object.defineProperty(value, 'name', { value: name });
  }
}
