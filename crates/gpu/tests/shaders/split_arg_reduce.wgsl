// arg_reduce over [2]: as it is
// 2 lines of 100000 in 6 parts, 128 threads for each
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: i32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn finish(flat: u32, value: i32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

fn key(base: i32, n: i32) -> f32 { return read0(base + n * 2); }
// The position of the better element.
fn better(base: i32, a: i32, b: i32) -> i32 {
  let x = key(base, a);
  let y = key(base, b);
  let wins = !is_nan(x) && (is_nan(y) || y < x);
  let loses = !is_nan(y) && (is_nan(x) || x < y);
  return select(a, b, wins || (!loses && b < a));
}

var<workgroup> found: array<i32, 256>;
@compute @workgroup_size(256)
fn arg_reduce(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let row = number % 1u * 2u + local % 2u;
  let lane = local / 2u;
  let part = number / 1u;
  let o0 = i32(min(row, 1u));
  let base = o0;
  let end = min(i32(part + 1u) * 16667, 100000);
  var anchor = min(i32(part) * 16667 + i32(lane), end - 1);
  var best = key(base, anchor);
  for (var position = anchor + 128; position < end; position += 128) {
    let x = key(base, position);
    if (!is_nan(best) && (is_nan(x) || x < best)) {
      best = x;
      anchor = position;
    }
  }
  found[local] = anchor;
  workgroupBarrier();
  for (var half = 64u; half > 0u; half /= 2u) {
    if (lane < half) {
      anchor = better(base, anchor, found[local + half * 2u]);
      found[local] = anchor;
    }
    workgroupBarrier();
  }
  if (row < 2u && part < 6u && lane == 0u) { arena[launch[0].x + part * 2u + row] = u32(anchor); }
}

// arg_reduce_parts over [2]: as it is
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: i32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn finish(flat: u32, value: i32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

fn key(base: i32, n: i32) -> f32 { return read0(base + n * 2); }
// The position of the better element.
fn better(base: i32, a: i32, b: i32) -> i32 {
  let x = key(base, a);
  let y = key(base, b);
  let wins = !is_nan(x) && (is_nan(y) || y < x);
  let loses = !is_nan(y) && (is_nan(x) || x < y);
  return select(a, b, wins || (!loses && b < a));
}

@compute @workgroup_size(2)
fn arg_reduce_parts(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 2u + local;
  let o0 = i32(flat);
  let base = o0;
  var anchor = i32(arena[launch[0].x + 0u * 2u + flat]);
  for (var part = 1u; part < 6u; part++) {
    anchor = better(base, anchor, i32(arena[launch[0].x + part * 2u + flat]));
  }
  finish(flat, anchor);
}
