// contract: 1 × [4, 12] · [12, 9]
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn read1(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

const BATCH = 1u;
const M = 4u;
const N = 9u;
const K = 12u;
const PART = 16u;
fn line_a(batch: u32, i: u32) -> i32 {
  return i32(i) * 12;
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
  return i32(k) * 9;
}

fn load_b(line: i32, tap: i32) -> f32 {
  return read1(line + tap);
}

fn flat_of(batch: u32, i: u32, j: u32) -> u32 {
  return (batch * 4u + i) * 9u + j;
}

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

fn done(part: u32, batch: u32, i: u32, j: u32, value: f32) {
  finish(flat_of(batch, i, j), value);
}

const LINES = 4u;
const VECTOR = 2u;
const THREADS = 8u;
const BLOCKS_LINES = 1u;
const BLOCKS_LANES = 1u;
const COUNT_LINES = 4u;
const COUNT_LANES = 9u;
const APART = 1u;
const NEXT = 8u;
alias Lanes = vec2<f32>;

// A product of matrices by blocks, for software that acts as a GPU: it runs a workgroup on one core,
// workgroup memory is plain memory, barriers are dear, and lanes are loaded one by one. A thread has
// LINES lines of one factor, which are those of all threads of its workgroup, and VECTOR lines of the
// other. The constants:
//   K, PART                      length of the sums, and of the part of them that is added up here
//   BLOCKS_LINES, BLOCKS_LANES   blocks of one product
//   APART, NEXT                  from a thread's lines of the other factor to those of the next thread, and
//                                from one of them to the next
// Indices beyond an edge are moved to it; what they give is not kept.
fn blocks(number: u32, local: u32) {
  let block = number % (BLOCKS_LINES * BLOCKS_LANES);
  let batch = number / (BLOCKS_LINES * BLOCKS_LANES) % BATCH;
  let part = number / (BLOCKS_LINES * BLOCKS_LANES * BATCH);
  let first_line = block / BLOCKS_LANES * LINES;
  let first_lane = block % BLOCKS_LANES * THREADS * VECTOR + local * APART;
  let line0 = line_a(batch, min(first_line + 0u, COUNT_LINES - 1u));
  let line1 = line_a(batch, min(first_line + 1u, COUNT_LINES - 1u));
  let line2 = line_a(batch, min(first_line + 2u, COUNT_LINES - 1u));
  let line3 = line_a(batch, min(first_line + 3u, COUNT_LINES - 1u));
  let lane0 = line_b(batch, min(first_lane + 0u * NEXT, COUNT_LANES - 1u));
  let lane1 = line_b(batch, min(first_lane + 1u * NEXT, COUNT_LANES - 1u));
  var sum0: Lanes;
  var sum1: Lanes;
  var sum2: Lanes;
  var sum3: Lanes;
  let end = min((part + 1u) * PART, K);
  var k = part * PART;

  for (; k < end; k++) {
    let lines_tap = tap_a(k);
    let lanes_tap = tap_b(k);
    let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
    sum0 += load_a(line0, lines_tap) * x;
    sum1 += load_a(line1, lines_tap) * x;
    sum2 += load_a(line2, lines_tap) * x;
    sum3 += load_a(line3, lines_tap) * x;
  }
  var results: array<Lanes, LINES>;
  results[0] = sum0;
  results[1] = sum1;
  results[2] = sum2;
  results[3] = sum3;
  for (var row = 0u; row < LINES; row++) {
    let line = first_line + row;
    for (var column = 0u; column < VECTOR; column++) {
      let lane = first_lane + column * NEXT;
      if (line < COUNT_LINES && lane < COUNT_LANES) { done(part, batch, line, lane, results[row][column]); }
    }
  }
}

@compute @workgroup_size(8)
fn product_contract(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  if (number >= 1u) { return; }
  blocks(number, local);
}
