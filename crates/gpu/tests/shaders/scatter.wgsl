// map over [5, 8]: as it is
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0(i: i32, x: i32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// Towards zero, and modulo 2^32 as if through 64 bits.
fn float_to_int(x: f32) -> i32 {
  if (is_nan(x)) { return 0; }
  let t = trunc(x);
  if (abs(t) < 2147483648f) { return i32(t); }
  if (abs(t) >= 9223372036854775808f) { return select(-1, 0, t < 0f); }
  return bitcast<i32>(u32(t - floor(t / 4294967296f) * 4294967296f));
}

@compute @workgroup_size(64)
fn map(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 64u + local;
  if (flat >= 40u) { return; }
  let v0 = read0(i32(flat));
  let v1 = float_to_int(v0);
  write0(i32(flat), v1);
}

// scatter over [30, 8]: as it is
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn read1(i: i32) -> i32 { return bitcast<i32>(arena[launch[0].w + u32(i)]); }
fn read2(i: i32) -> f32 { return bitcast<f32>(arena[launch[1].x + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[1].y + u32(i)] = bitcast<u32>(x); }

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

@compute @workgroup_size(256)
fn scatter(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 240u) { return; }
  let o1 = i32(flat % 8u);
  let o0 = i32(flat / 8u);
  let first = o0 * 1;
  var values: array<f32, 1>;
  for (var n = 0; n < 1 && first + n < 30; n++) {
    values[n] = read0((first + n) * 8 + o1);
  }
  for (var source = 0; source < 5; source++) {
    let index = i32(read1(source * 8 + o1));
    let at = index - first;
    if (at >= 0 && at < 1) { values[0] = values[0] + read2(source * 8 + o1); }
    if (o0 == 0) {
      if (index < 0 || index >= 30) {
        arena[launch[0].x] = launch[0].y;
        arena[launch[0].x + 1u] = bitcast<u32>(index);
      }
    }
  }
  for (var n = 0; n < 1 && first + n < 30; n++) {
    finish(u32((first + n) * 8 + o1), values[n]);
  }
}
