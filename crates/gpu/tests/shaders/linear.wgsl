// contract: 1 × [64, 784] · [784, 128], then add relu
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn read1(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn read2(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].w + u32(i)] = bitcast<u32>(x); }

fn relu(x: f32) -> f32 { return select(x, 0f, x <= 0f); }

alias Number = f32;
const M = 64u;
const N = 128u;
const K = 784u;
const BLOCK_M = 16u;
const BLOCK_N = 16u;
const DEPTH = 16u;
const TILES_M = 4u;
const TILES_N = 8u;
const ROWS = 1u;
const COLUMNS = 1u;
const A_BY_K = true;
const B_BY_K = true;

fn begin_a(batch: u32) -> i32 {
  return 0;
}

fn begin_b(batch: u32) -> i32 {
  return 0;
}

fn load_a(start: i32, i: u32, k: u32) -> f32 {
  if (i >= M || k >= K) { return 0f; }
  return read0(start + i32(i) * 784 + i32(k));
}

fn load_b(start: i32, k: u32, j: u32) -> f32 {
  if (k >= K || j >= N) { return 0f; }
  return read1(start + i32(k) + i32(j) * 784);
}

fn flat_of(batch: u32, i: u32, j: u32) -> u32 {
  return (batch * 64u + i) * 128u + j;
}

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let i1 = i32(flat % 128u);
  let i0 = i32(flat / 128u);
  let v0 = anchor;
  let v1 = read2(i1);
  let v2 = v0 + v1;
  let v3 = relu(v2);
  write0(i32(flat), v3);
}

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

@compute @workgroup_size(256)
fn product_contract_add_relu(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  if (number >= 32u) { return; }
  tiles(number, local);
}
