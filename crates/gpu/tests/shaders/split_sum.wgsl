// row over [1000000↓]: sum
// 1 rows of 1000000, 256 threads for each
// in 30 parts, pass 1
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

var<workgroup> shared_f32: array<f32, 256>;
fn sum_f32(local: u32, lane: u32, value: f32) -> f32 {
  shared_f32[local] = value;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half /= 2u) {
    if (lane < half) { shared_f32[local] = shared_f32[local] + shared_f32[local + half]; }
    workgroupBarrier();
  }
  let total = shared_f32[local - lane];
  workgroupBarrier();
  return total;
}

@compute @workgroup_size(256)
fn row_sum(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let part = number / 1u;
  let row = number % 1u * 1u + local / 256u;
  let lane = local % 256u;
  let is_row = part < 30u && row < 1u;
  var sum1 = 0f;
  let end = min((part + 1u) * 33334u, 1000000u);
  for (var element = select(end, part * 33334u + lane, is_row); element < end; element += 256u) {
    let i0 = i32(element);
    let v0 = read0(i0);
    sum1 = sum1 + v0;
  }
  let part1 = sum_f32(local, lane, sum1);
  if (is_row && lane == 0u) { arena[launch[0].x + (0u + part) * 1u + row] = bitcast<u32>(part1); }
}

// row over [1000000↓]: sum
// 1 rows of 1000000, 256 threads for each
// in 30 parts, pass 2
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

@compute @workgroup_size(256)
fn row_sum(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let part = number / 1u;
  let row = number % 1u * 1u + local / 256u;
  let lane = local % 256u;
  let is_row = part < 30u && row < 1u;
  var sum1 = 0f;
  for (var other = 0u; other < 30u; other++) {
    sum1 = sum1 + (bitcast<f32>(arena[launch[0].x + (0u + other) * 1u + row]));
  }
  let v1 = sum1;
  if (is_row && lane == 0u && part == 0u) {
    write0(0, v1);
  }
}
