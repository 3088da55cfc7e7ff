// contract: 1 × [4, 12] · [12, 9]
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;
var<private> subgroup_lane: u32;
var<private> subgroup: u32;
var<private> subgroups: u32;

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
  // The lanes of a subgroup load the next indices of the sum, one each, and tell each other.
  for (; k + 8u <= end; k += 8u) {
    let own_tap = tap_a(k + subgroup_lane);
    let own0 = load_a(line0, own_tap);
    let own1 = load_a(line1, own_tap);
    let own2 = load_a(line2, own_tap);
    let own3 = load_a(line3, own_tap);
    {
      let lanes_tap = tap_b(k + 0u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 0u) * x;
      sum1 += subgroupBroadcast(own1, 0u) * x;
      sum2 += subgroupBroadcast(own2, 0u) * x;
      sum3 += subgroupBroadcast(own3, 0u) * x;
    }
    {
      let lanes_tap = tap_b(k + 1u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 1u) * x;
      sum1 += subgroupBroadcast(own1, 1u) * x;
      sum2 += subgroupBroadcast(own2, 1u) * x;
      sum3 += subgroupBroadcast(own3, 1u) * x;
    }
    {
      let lanes_tap = tap_b(k + 2u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 2u) * x;
      sum1 += subgroupBroadcast(own1, 2u) * x;
      sum2 += subgroupBroadcast(own2, 2u) * x;
      sum3 += subgroupBroadcast(own3, 2u) * x;
    }
    {
      let lanes_tap = tap_b(k + 3u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 3u) * x;
      sum1 += subgroupBroadcast(own1, 3u) * x;
      sum2 += subgroupBroadcast(own2, 3u) * x;
      sum3 += subgroupBroadcast(own3, 3u) * x;
    }
    {
      let lanes_tap = tap_b(k + 4u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 4u) * x;
      sum1 += subgroupBroadcast(own1, 4u) * x;
      sum2 += subgroupBroadcast(own2, 4u) * x;
      sum3 += subgroupBroadcast(own3, 4u) * x;
    }
    {
      let lanes_tap = tap_b(k + 5u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 5u) * x;
      sum1 += subgroupBroadcast(own1, 5u) * x;
      sum2 += subgroupBroadcast(own2, 5u) * x;
      sum3 += subgroupBroadcast(own3, 5u) * x;
    }
    {
      let lanes_tap = tap_b(k + 6u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 6u) * x;
      sum1 += subgroupBroadcast(own1, 6u) * x;
      sum2 += subgroupBroadcast(own2, 6u) * x;
      sum3 += subgroupBroadcast(own3, 6u) * x;
    }
    {
      let lanes_tap = tap_b(k + 7u);
      let x = Lanes(load_b(lane0, lanes_tap), load_b(lane1, lanes_tap));
      sum0 += subgroupBroadcast(own0, 7u) * x;
      sum1 += subgroupBroadcast(own1, 7u) * x;
      sum2 += subgroupBroadcast(own2, 7u) * x;
      sum3 += subgroupBroadcast(own3, 7u) * x;
    }
  }

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
  @builtin(subgroup_invocation_id) subgroup_lane_in: u32,
  @builtin(subgroup_id) subgroup_in: u32,
  @builtin(num_subgroups) subgroups_in: u32,
) {
  subgroup_lane = subgroup_lane_in;
  subgroup = subgroup_in;
  subgroups = subgroups_in;
  let number = group.x;
  if (number >= 1u) { return; }
  blocks(number, local);
}
