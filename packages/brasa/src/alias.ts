/** Restores class names, which the bundler minifies and error messages show. */
export function restoreClassNames(classes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(classes)) {
    if (/^[A-Z]/.test(name) && typeof value === 'function') Object.defineProperty(value, 'name', { value: name });
  }
}
