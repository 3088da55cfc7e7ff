// A product of matrices by tiles. A workgroup of 16 × 16 threads computes BLOCK_M × BLOCK_N elements
// and each thread ROWS × COLUMNS of them, 16 apart, from slices of DEPTH that all load together.
//   K                      length of the sums
//   TILES_M, TILES_N       tiles of one product
//   A_BY_K, B_BY_K         whether neighbours in memory are neighbours along the sum
// load_a and load_b give zero outside of the matrices; finish takes an element that is done.

var<workgroup> slice_a: array<Number, DEPTH * BLOCK_M>;
var<workgroup> slice_b: array<Number, DEPTH * BLOCK_N>;

fn tiles(number: u32, local: u32) {
  let batch = number / (TILES_M * TILES_N);
  let tile = number % (TILES_M * TILES_N);
  let first_i = tile / TILES_N * BLOCK_M;
  let first_j = tile % TILES_N * BLOCK_N;
  let start_a = begin_a(batch);
  let start_b = begin_b(batch);
  let thread_i = local / 16u;
  let thread_j = local % 16u;
  var sums: array<Number, ROWS * COLUMNS>;
  for (var first_k = 0u; first_k < K; first_k += DEPTH) {
    for (var n = local; n < DEPTH * BLOCK_M; n += 256u) {
      let i = select(n % BLOCK_M, n / DEPTH, A_BY_K);
      let k = select(n / BLOCK_M, n % DEPTH, A_BY_K);
      slice_a[k * BLOCK_M + i] = load_a(start_a, first_i + i, first_k + k);
    }
    for (var n = local; n < DEPTH * BLOCK_N; n += 256u) {
      let j = select(n % BLOCK_N, n / DEPTH, B_BY_K);
      let k = select(n / BLOCK_N, n % DEPTH, B_BY_K);
      slice_b[k * BLOCK_N + j] = load_b(start_b, first_k + k, first_j + j);
    }
    workgroupBarrier();
    for (var k = 0u; k < DEPTH; k++) {
      var b: array<Number, COLUMNS>;
      for (var column = 0u; column < COLUMNS; column++) {
        b[column] = slice_b[k * BLOCK_N + thread_j + 16u * column];
      }
      for (var row = 0u; row < ROWS; row++) {
        let a = slice_a[k * BLOCK_M + thread_i + 16u * row];
        for (var column = 0u; column < COLUMNS; column++) {
          sums[row * COLUMNS + column] += a * b[column];
        }
      }
    }
    workgroupBarrier();
  }
  for (var row = 0u; row < ROWS; row++) {
    for (var column = 0u; column < COLUMNS; column++) {
      let i = first_i + thread_i + 16u * row;
      let j = first_j + thread_j + 16u * column;
      if (i < M && j < N) { finish(flat_of(batch, i, j), sums[row * COLUMNS + column]); }
    }
  }
}
