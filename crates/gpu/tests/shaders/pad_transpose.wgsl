// map over [75, 5]: add
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

@compute @workgroup_size(256)
fn map_add(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 375u) { return; }
  let i1 = i32(flat % 5u);
  let i0 = i32(flat / 5u);
  var v0 = (-1.0f);
  if ((i0 >= 3) & (i0 < 73)) { v0 = read0(i0 + i1 * 70 + (-3)); }
  let v2 = v0 + 1.0f;
  write0(i32(flat), v2);
}
