/** The names of classes. */

/** Gives classes back the names that messages show, and that the bundle has made short. */
export function named(classes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(classes)) {
    if (/^[A-Z]/.test(name) && typeof value === 'function') Object.defineProperty(value, 'name', { value: name });
  }
}
