/** A classic script that defines the global `torch`. Import this file for its type only: `import type {} from 'brasa/torch.js'`. */
declare global {
  var torch: typeof import('../dist/types/index.js');
}
export {};
