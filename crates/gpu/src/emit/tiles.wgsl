// A product of matrices by tiles. A workgroup of 16 × 16 threads computes BLOCK_M × BLOCK_N elements
// and each thread ROWS × COLUMNS of them, from slices of DEPTH = 16 to which each thread adds one
// vector. The constants:
//   K                      length of the sums
//   TILES_M, TILES_N       tiles of one product
//   A_BY_K, B_BY_K         whether neighbours in memory are neighbours along the sum
// load_a and load_b give zero outside of the matrices; finish takes an element that is done.

var<workgroup> slice_a: array<Rows, DEPTH * 16u>;
var<workgroup> slice_b: array<Columns, DEPTH * 16u>;

fn tiles(number: u32, local: u32) {
  let batch = number / (TILES_M * TILES_N);
  let tile = number % (TILES_M * TILES_N);
  let first_i = tile / TILES_N * BLOCK_M;
  let first_j = tile % TILES_N * BLOCK_N;
  let start_a = begin_a(batch);
  let start_b = begin_b(batch);
  // The vectors that this thread loads, and the elements that it computes.
  let a_lane = select(local % 16u, local / 16u, A_BY_K);
  let a_k = select(local / 16u, local % 16u, A_BY_K);
  let b_lane = select(local % 16u, local / 16u, B_BY_K);
  let b_k = select(local / 16u, local % 16u, B_BY_K);
  let lane_i = local / 16u;
  let lane_j = local % 16u;
  var sum{row}: Columns;
  for (var first_k = 0u; first_k < K; first_k += DEPTH) {
    let i = first_i + a_lane * ROWS;
    let j = first_j + b_lane * COLUMNS;
    slice_a[a_k * 16u + a_lane] = Rows({loads_a});
    slice_b[b_k * 16u + b_lane] = Columns({loads_b});
    workgroupBarrier();
    for (var k = 0u; k < DEPTH; k++) {
      let a = slice_a[k * 16u + lane_i];
      let b = slice_b[k * 16u + lane_j];
      sum{row} += a{part} * b;
    }
    workgroupBarrier();
  }
  var results: array<Columns, ROWS>;
  results[{row}] = sum{row};
  for (var row = 0u; row < ROWS; row++) {
    for (var column = 0u; column < COLUMNS; column++) {
      let i = first_i + lane_i * ROWS + row;
      let j = first_j + lane_j * COLUMNS + column;
      if (i < M && j < N) { finish(flat_of(batch, i, j), results[row]{pick}); }
    }
  }
}
