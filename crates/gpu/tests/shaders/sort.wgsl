// sort over [3, 5]: as it is
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
fn is_before(base: i32, other: i32, position: i32, own: f32) -> bool {
  let x = key(base, other);
  let comes_before = own < x || (is_nan(x) && !is_nan(own));
  let comes_after = x < own || (is_nan(own) && !is_nan(x));
  return comes_before || (!comes_after && other < position);
}

@compute @workgroup_size(64)
fn sort(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 64u + local;
  if (flat >= 60u) { return; }
  let line = flat / 20u;
  let place = flat % 20u;
  let o1 = i32(line % 1u);
  let o0 = i32(line);
  let base = o0 * 20;
  let position = i32(place);
  let own = key(base, position);
  let first = place / 20u * 20u;
  let end = min(first + 20u, 20u);
  var rank = first;
  for (var n = first; n < end; n++) {
    if (is_before(base, i32(n), position, own)) { rank++; }
  }
  if (rank < 5u) { finish(u32(o0 * 5 + i32(rank)), position); }
}
