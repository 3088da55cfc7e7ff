// A product of matrices by tiles. A workgroup of 16 × 16 threads computes BLOCK_M × BLOCK_N elements
// and each thread ROWS × COLUMNS of them, from slices of DEPTH = 16 to which each thread adds one
// vector. The constants:
//   K, PART                length of the sums, and of the part of them that is added up here
//   TILES_M, TILES_N       tiles of one product
//   A_BY_K, B_BY_K         whether neighbours in memory are neighbours along the sum
// Rows and columns beyond an edge are moved to it; what they give is not kept.

var<workgroup> slice_a: array<Rows, DEPTH * 16u>;
var<workgroup> slice_b: array<Columns, DEPTH * 16u>;

fn tiles(number: u32, local: u32) {
  let tile = number % (TILES_M * TILES_N);
  let batch = number / (TILES_M * TILES_N) % BATCH;
  let part = number / (TILES_M * TILES_N * BATCH);
  let first_i = tile / TILES_N * BLOCK_M;
  let first_j = tile % TILES_N * BLOCK_N;
  // The vectors that this thread loads, and the elements that it computes.
  let a_lane = select(local % 16u, local / 16u, A_BY_K);
  let a_k = select(local / 16u, local % 16u, A_BY_K);
  let b_lane = select(local % 16u, local / 16u, B_BY_K);
  let b_k = select(local / 16u, local % 16u, B_BY_K);
  let a{row} = line_a(batch, min(first_i + a_lane * ROWS + {row}u, M - 1u));
  let b{column} = line_b(batch, min(first_j + b_lane * COLUMNS + {column}u, N - 1u));
  let lane_i = local / 16u;
  let lane_j = local % 16u;
  var sum{row}: Columns;
  let end = min((part + 1u) * PART, K);
  for (var first_k = part * PART; first_k < end; first_k += DEPTH) {
    let a_tap = tap_a(first_k + a_k);
    let b_tap = tap_b(first_k + b_k);
    slice_a[a_k * 16u + a_lane] = {loads_a};
    slice_b[b_k * 16u + b_lane] = {loads_b};
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
    let i = first_i + lane_i * ROWS + row;
{vec4}    let j = first_j + lane_j * COLUMNS;
{vec4}    if (i < M && j < N) { done_4(part, batch, i, j, results[row]); }
{scalar}    for (var column = 0u; column < COLUMNS; column++) {
{scalar}      let j = first_j + lane_j * COLUMNS + column;
{scalar}      if (i < M && j < N) { done(part, batch, i, j, results[row]{pick}); }
{scalar}    }
  }
}
