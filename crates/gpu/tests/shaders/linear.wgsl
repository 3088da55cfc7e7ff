// contract: 1 × [64, 784] · [784, 128], then add relu
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn read1(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn read2(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].w + u32(i)] = bitcast<u32>(x); }

fn relu(x: f32) -> f32 { return select(x, 0f, x <= 0f); }

const BATCH = 1u;
const M = 64u;
const N = 128u;
const K = 784u;
const PART = 784u;
fn line_a(batch: u32, i: u32) -> i32 {
  return i32(i) * 784;
}

fn tap_a(k: u32) -> i32 {
  return i32(k);
}

fn load_a(line: i32, tap: i32) -> f32 {
  return read0(line + tap);
}

fn line_b(batch: u32, i: u32) -> i32 {
  return i32(i) * 784;
}

fn tap_b(k: u32) -> i32 {
  return i32(k);
}

fn load_b(line: i32, tap: i32) -> f32 {
  return read1(line + tap);
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

fn done(part: u32, batch: u32, i: u32, j: u32, value: f32) {
  finish(flat_of(batch, i, j), value);
}

const DEPTH = 16u;
const BLOCK_M = 16u;
const BLOCK_N = 16u;
const TILES_M = 4u;
const TILES_N = 8u;
const ROWS = 1u;
const COLUMNS = 1u;
const A_BY_K = true;
const B_BY_K = true;
alias Rows = f32;
alias Columns = f32;

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
  let a0 = line_a(batch, min(first_i + a_lane * ROWS + 0u, M - 1u));
  let b0 = line_b(batch, min(first_j + b_lane * COLUMNS + 0u, N - 1u));
  let lane_i = local / 16u;
  let lane_j = local % 16u;
  var sum0: Columns;
  let end = min((part + 1u) * PART, K);
  for (var first_k = part * PART; first_k < end; first_k += DEPTH) {
    let a_tap = tap_a(first_k + a_k);
    let b_tap = tap_b(first_k + b_k);
    slice_a[a_k * 16u + a_lane] = Rows(load_a(a0, a_tap));
    slice_b[b_k * 16u + b_lane] = Columns(load_b(b0, b_tap));
    workgroupBarrier();
    for (var k = 0u; k < DEPTH; k++) {
      let a = slice_a[k * 16u + lane_i];
      let b = slice_b[k * 16u + lane_j];
      sum0 += a * b;
    }
    workgroupBarrier();
  }
  var results: array<Columns, ROWS>;
  results[0] = sum0;
  for (var row = 0u; row < ROWS; row++) {
    let i = first_i + lane_i * ROWS + row;
    for (var column = 0u; column < COLUMNS; column++) {
      let j = first_j + lane_j * COLUMNS + column;
      if (i < M && j < N) { done(part, batch, i, j, results[row]); }
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
