// map over [7, 33]: mul add relu
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn read1(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

fn relu(x: f32) -> f32 { return select(x, 0f, x <= 0f); }

@compute @workgroup_size(256)
fn map_mul_add_relu(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 231u) { return; }
  let i1 = i32(flat % 33u);
  let i0 = i32(flat / 33u);
  let v0 = read0(i32(flat));
  let v2 = v0 * 0.5f;
  let v3 = read1(i1);
  let v4 = v2 + v3;
  let v5 = relu(v4);
  write0(i32(flat), v5);
}
