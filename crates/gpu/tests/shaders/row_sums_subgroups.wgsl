// row over [3, 1024↓]: sum
// 3 rows of 1024, 256 threads for each
// four neighbours at once
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;
var<private> subgroup_lane: u32;
var<private> subgroup: u32;
var<private> subgroups: u32;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].x / 4u + i]; }
fn write0(i: i32, x: f32) { arena[(launch[0].y + u32(i)) / 4u][(launch[0].y + u32(i)) % 4u] = bitcast<u32>(x); }

var<workgroup> shared_f32: array<f32, 256>;
fn sum_f32(local: u32, lane: u32, value: f32) -> f32 {
  let own = subgroupAdd(value);
  if (subgroup_lane == 0u) { shared_f32[subgroup] = own; }
  workgroupBarrier();
  var total = 0f;
  for (var n = 0u; n < subgroups; n++) { total = total + shared_f32[n]; }
  workgroupBarrier();
  return total;
}

@compute @workgroup_size(256)
fn row_sum(
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
  let row = number * 1u + local / 256u;
  let lane = local % 256u;
  let is_row = row < 3u;
  let i0 = i32(row);
  var sum1 = 0f;
  for (var element = select(1024u, lane * 4u, is_row); element < 1024u; element += 1024u) {
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
