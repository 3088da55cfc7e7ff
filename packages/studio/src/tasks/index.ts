/** The examples of the studio. */
import { digitsCnn, digitsMlp } from './digits.tsx';
import { names } from './names.tsx';
import { spiral } from './spiral.tsx';
import type { Task } from './task.ts';
import { text } from './text.tsx';
import { vae } from './vae.tsx';

export const TASKS: readonly Task[] = [digitsMlp, spiral, digitsCnn, names, text, vae];

export function findTask(id: string): Task {
  return TASKS.find((task) => task.id === id) ?? digitsMlp;
}
