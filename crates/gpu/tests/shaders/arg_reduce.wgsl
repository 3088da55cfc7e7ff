// arg_reduce over [20]: as it is
// 20 lines of 300 in 1 parts, 128 threads for each
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0(i: i32, x: i32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn finish(flat: u32, value: i32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

fn key(base: i32, n: i32) -> f32 { return read0(base + n); }
// The position of the better element.
fn better(base: i32, a: i32, b: i32) -> i32 {
  let x = key(base, a);
  let y = key(base, b);
  let wins = !is_nan(x) && (is_nan(y) || y > x);
  let loses = !is_nan(y) && (is_nan(x) || x > y);
  return select(a, b, wins || (!loses && b < a));
}

var<workgroup> found: array<i32, 256>;
@compute @workgroup_size(256)
fn arg_reduce(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let row = number % 10u * 2u + local / 128u;
  let lane = local % 128u;
  let part = number / 10u;
  let o0 = i32(min(row, 19u));
  let base = o0 * 300;
  let end = min(i32(part + 1u) * 300, 300);
  var anchor = min(i32(part) * 300 + i32(lane), end - 1);
  var best = key(base, anchor);
  for (var position = anchor + 128; position < end; position += 128) {
    let x = key(base, position);
    if (!is_nan(best) && (is_nan(x) || x > best)) {
      best = x;
      anchor = position;
    }
  }
  found[local] = anchor;
  workgroupBarrier();
  for (var half = 64u; half > 0u; half /= 2u) {
    if (lane < half) {
      anchor = better(base, anchor, found[local + half * 1u]);
      found[local] = anchor;
    }
    workgroupBarrier();
  }
  if (row < 20u && part < 1u && lane == 0u) { finish(row, anchor); }
}
