// contract: 1 × [64, 8192] · [8192, 48], then mul
// four neighbours at once
// parts of 4096 of the sums, for the next pass
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].y / 4u + i]; }
fn read1_4(i: u32) -> vec4<u32> { return arena[launch[0].z / 4u + i]; }

const BATCH = 1u;
const M = 64u;
const N = 48u;
const K = 8192u;
const PART = 4096u;
fn line_a(batch: u32, i: u32) -> i32 {
  return i32(i);
}

fn tap_a(k: u32) -> i32 {
  return i32(k) * 64;
}

fn load_a_4(line: i32, tap: i32) -> vec4<f32> {
  return bitcast<vec4<f32>>(read0_4(u32(line + tap) / 4u));
}

fn line_b(batch: u32, i: u32) -> i32 {
  return i32(i);
}

fn tap_b(k: u32) -> i32 {
  return i32(k) * 48;
}

fn load_b_4(line: i32, tap: i32) -> vec4<f32> {
  return bitcast<vec4<f32>>(read1_4(u32(line + tap) / 4u));
}

fn done_4(part: u32, batch: u32, i: u32, j: u32, value: vec4<f32>) {
  arena[(launch[0].x + ((part * BATCH + batch) * M + i) * N + j) / 4u] = bitcast<vec4<u32>>(value);
}

const DEPTH = 16u;
const BLOCK_M = 64u;
const BLOCK_N = 64u;
const TILES_M = 1u;
const TILES_N = 1u;
const ROWS = 4u;
const COLUMNS = 4u;
const A_BY_K = false;
const B_BY_K = false;
alias Rows = vec4<f32>;
alias Columns = vec4<f32>;

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
  let a1 = line_a(batch, min(first_i + a_lane * ROWS + 1u, M - 1u));
  let a2 = line_a(batch, min(first_i + a_lane * ROWS + 2u, M - 1u));
  let a3 = line_a(batch, min(first_i + a_lane * ROWS + 3u, M - 1u));
  let b0 = line_b(batch, min(first_j + b_lane * COLUMNS + 0u, N - 1u));
  let b1 = line_b(batch, min(first_j + b_lane * COLUMNS + 1u, N - 1u));
  let b2 = line_b(batch, min(first_j + b_lane * COLUMNS + 2u, N - 1u));
  let b3 = line_b(batch, min(first_j + b_lane * COLUMNS + 3u, N - 1u));
  let lane_i = local / 16u;
  let lane_j = local % 16u;
  var sum0: Columns;
  var sum1: Columns;
  var sum2: Columns;
  var sum3: Columns;
  let end = min((part + 1u) * PART, K);
  for (var first_k = part * PART; first_k < end; first_k += DEPTH) {
    let a_tap = tap_a(first_k + a_k);
    let b_tap = tap_b(first_k + b_k);
    slice_a[a_k * 16u + a_lane] = load_a_4(a0, a_tap);
    slice_b[b_k * 16u + b_lane] = load_b_4(b0, b_tap);
    workgroupBarrier();
    for (var k = 0u; k < DEPTH; k++) {
      let a = slice_a[k * 16u + lane_i];
      let b = slice_b[k * 16u + lane_j];
      sum0 += a.x * b;
      sum1 += a.y * b;
      sum2 += a.z * b;
      sum3 += a.w * b;
    }
    workgroupBarrier();
  }
  var results: array<Columns, ROWS>;
  results[0] = sum0;
  results[1] = sum1;
  results[2] = sum2;
  results[3] = sum3;
  for (var row = 0u; row < ROWS; row++) {
    let i = first_i + lane_i * ROWS + row;
    let j = first_j + lane_j * COLUMNS;
    if (i < M && j < N) { done_4(part, batch, i, j, results[row]); }
  }
}

@compute @workgroup_size(256)
fn parts_contract_mul(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  if (number >= 2u) { return; }
  tiles(number, local);
}

// contract: 1 × [64, 8192] · [8192, 48], then mul
// the sums of 2 parts
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

const BATCH = 1u;
const M = 64u;
const N = 48u;
const K = 8192u;
fn flat_of(batch: u32, i: u32, j: u32) -> u32 {
  return (batch * 64u + i) * 48u + j;
}

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let v0 = anchor;
  let v2 = v0 * 0.5f;
  write0(i32(flat), v2);
}

@compute @workgroup_size(256)
fn sum_parts_contract_mul(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  var value = 0f;
  for (var part = 0u; part < 2u; part++) {
    value += bitcast<f32>(arena[launch[0].x + part * 3072u + flat]);
  }
  finish(flat_of(flat / (M * N), flat / N % M, flat % N), value);
}
