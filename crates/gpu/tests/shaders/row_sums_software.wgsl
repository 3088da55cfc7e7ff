// row over [3, 1024↓]: sum
// 3 rows of 1024, 16 threads for each
// four neighbours at once
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].x / 4u + i]; }
fn write0(i: i32, x: f32) { arena[(launch[0].y + u32(i)) / 4u][(launch[0].y + u32(i)) % 4u] = bitcast<u32>(x); }

var<workgroup> shared_f32: array<f32, 64>;
fn sum_f32(local: u32, lane: u32, value: f32) -> f32 {
  shared_f32[local] = value;
  workgroupBarrier();
  for (var half = 8u; half > 0u; half /= 2u) {
    if (lane < half) { shared_f32[local] = shared_f32[local] + shared_f32[local + half]; }
    workgroupBarrier();
  }
  let total = shared_f32[local - lane];
  workgroupBarrier();
  return total;
}

@compute @workgroup_size(64)
fn row_sum(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let row = number * 4u + local / 16u;
  let lane = local % 16u;
  let is_row = row < 3u;
  let i0 = i32(row);
  var sum1 = 0f;
  for (var element = select(1024u, lane * 4u, is_row); element < 1024u; element += 64u) {
    let i1 = i32(element);
    let x0 = bitcast<vec4<f32>>(read0_4(u32(i0 * 1024 + i1) / 4u));
    {
      let v0 = x0.x;
      sum1 = sum1 + v0;
    }
    {
      let v0 = x0.y;
      sum1 = sum1 + v0;
    }
    {
      let v0 = x0.z;
      sum1 = sum1 + v0;
    }
    {
      let v0 = x0.w;
      sum1 = sum1 + v0;
    }
  }
  let v1 = sum_f32(local, lane, sum1);
  if (is_row && lane == 0u) {
    write0(i0, v1);
  }
}
