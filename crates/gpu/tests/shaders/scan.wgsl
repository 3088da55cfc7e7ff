// scan over [20, 3]: as it is
// 3 lines of 20 in 1 parts
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

@compute @workgroup_size(4)
fn scan(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 4u + local;
  if (flat >= 3u) { return; }
  let line = flat % 3u;
  let part = flat / 3u;
  let start = line / 3u * 60u + line % 3u;
  let first = part * 20u;
  let end = min(first + 20u, 20u);
  var value: f32;
  for (var n = first; n < end; n++) {
    let i = i32(start + n * 3u);
    let x = read0(i);
    if (n == 0u) { value = x; } else { value = value + x; }
    finish(u32(i), value);
  }
}
