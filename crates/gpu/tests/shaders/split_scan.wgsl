// map over [2, 5000]: as it is
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

@compute @workgroup_size(256)
fn map(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 10000u) { return; }
  let i1 = i32(flat % 5000u);
  let i0 = i32(flat / 5000u);
  var v0 = 1.0f;
  if ((i1 >= 1)) { v0 = read0(i0 * 5000 + i1); }
  write0(i32(flat), v0);
}

// map over [2, 5000]: as it is
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

@compute @workgroup_size(256)
fn map(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 10000u) { return; }
  let i1 = i32(flat % 5000u);
  let i0 = i32(flat / 5000u);
  var v0 = 0.0f;
  if ((i1 < 1)) { v0 = read0(i0 * 5000); }
  write0(i32(flat), v0);
}

// scan_totals over [2, 5000]: mul
// 2 lines of 5000 in 70 parts
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn read1(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].w + u32(i)] = bitcast<u32>(x); }

@compute @workgroup_size(256)
fn scan_totals_mul(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 140u) { return; }
  let line = flat % 2u;
  let part = flat / 2u;
  let start = line / 1u * 5000u + line % 1u;
  let first = part * 72u;
  let end = min(first + 72u, 5000u);
  var value: f32;
  var factor: f32;
  for (var n = first; n < end; n++) {
    let i = i32(start + n * 1u);
    let x = read1(i);
    if (n == first) {
      value = x;
      factor = read0(i);
    }
    else {
      value = read0(i) * value + x;
      factor *= read0(i);
    }
  }
  arena[launch[0].x + part * 2u + line] = bitcast<u32>(value);
  arena[launch[0].x + 140u + part * 2u + line] = bitcast<u32>(factor);
}

// scan over [2, 5000]: mul
// 2 lines of 5000 in 70 parts
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn read1(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].w + u32(i)] = bitcast<u32>(x); }

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let v0 = anchor;
  let v2 = v0 * 2.0f;
  write0(i32(flat), v2);
}

@compute @workgroup_size(256)
fn scan_mul(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 140u) { return; }
  let line = flat % 2u;
  let part = flat / 2u;
  let start = line / 1u * 5000u + line % 1u;
  let first = part * 72u;
  let end = min(first + 72u, 5000u);
  var value: f32;
  for (var other = 0u; other < part; other++) {
    let total = bitcast<f32>(arena[launch[0].x + other * 2u + line]);
    if (other == 0u) { value = total; } else { value = bitcast<f32>(arena[launch[0].x + 140u + other * 2u + line]) * value + total; }
  }
  for (var n = first; n < end; n++) {
    let i = i32(start + n * 1u);
    let x = read1(i);
    if (n == 0u) { value = x; } else { value = read0(i) * value + x; }
    finish(u32(i), value);
  }
}
