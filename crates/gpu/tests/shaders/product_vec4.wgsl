// contract: 1 × [512, 96] · [96, 512], then add relu
// four neighbours at once
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read1_4(i: u32) -> vec4<u32> { return arena[launch[0].x / 4u + i]; }
fn write0_4(i: u32, x: vec4<f32>) { arena[launch[0].y / 4u + i] = bitcast<vec4<u32>>(x); }
fn read0(i: i32) -> f32 { return bitcast<f32>(arena[(launch[0].z + u32(i)) / 4u][(launch[0].z + u32(i)) % 4u]); }
fn read2(i: i32) -> f32 { return bitcast<f32>(arena[(launch[0].w + u32(i)) / 4u][(launch[0].w + u32(i)) % 4u]); }

fn relu(x: f32) -> f32 { return select(x, 0f, x <= 0f); }

const BATCH = 1u;
const M = 512u;
const N = 512u;
const K = 96u;
const PART = 96u;
fn line_a(batch: u32, i: u32) -> i32 {
  return i32(i) * 96;
}

fn tap_a(k: u32) -> i32 {
  return i32(k);
}

fn load_a(line: i32, tap: i32) -> f32 {
  return read0(line + tap);
}

fn line_b(batch: u32, i: u32) -> i32 {
  return i32(i);
}

fn tap_b(k: u32) -> i32 {
  return i32(k) * 512;
}

fn load_b_4(line: i32, tap: i32) -> vec4<f32> {
  return bitcast<vec4<f32>>(read1_4(u32(line + tap) / 4u));
}

fn flat_of(batch: u32, i: u32, j: u32) -> u32 {
  return (batch * 512u + i) * 512u + j;
}

struct Results { w0: f32 }

fn element(flat: u32, anchor: f32) -> Results {
  let i1 = i32(flat % 512u);
  let i0 = i32(flat / 512u);
  let v0 = anchor;
  let v1 = read2(i1);
  let v2 = v0 + v1;
  let v3 = relu(v2);
  return Results(v3);
}

fn finish_4(flat: u32, value: vec4<f32>) {
  let first = flat * 4u;
  var y0_0: vec4<f32>;
  {
    let x = element(first + 0u, value.x);
    let y = element(first + 1u, value.y);
    let z = element(first + 2u, value.z);
    let w = element(first + 3u, value.w);
    y0_0 = vec4<f32>(x.w0, y.w0, z.w0, w.w0);
  }
  write0_4(flat, y0_0);
}

fn done_4(part: u32, batch: u32, i: u32, j: u32, value: vec4<f32>) {
  finish_4(flat_of(batch, i, j) / 4u, value);
}

const DEPTH = 16u;
const BLOCK_M = 64u;
const BLOCK_N = 64u;
const TILES_M = 8u;
const TILES_N = 8u;
const ROWS = 4u;
const COLUMNS = 4u;
const A_BY_K = true;
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
    slice_a[a_k * 16u + a_lane] = Rows(load_a(a0, a_tap), load_a(a1, a_tap), load_a(a2, a_tap), load_a(a3, a_tap));
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
fn product_contract_add_relu(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  if (number >= 64u) { return; }
  tiles(number, local);
}
