/** A classic script that makes the global `torch`. Import this file for its type alone: `import type {} from 'brasa/torch.js'`. */
declare global {
  var torch: typeof import('../dist/types/index.js');
}
export {};
