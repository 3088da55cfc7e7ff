// sort over [3, 3000]: as it is
// pass 1 of 2: runs of 256
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: i32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn key(base: i32, n: i32) -> f32 { return read0(base + n); }
fn is_before(base: i32, other: i32, position: i32, own: f32) -> bool {
  let x = key(base, other);
  let comes_before = x < own || (is_nan(own) && !is_nan(x));
  let comes_after = own < x || (is_nan(x) && !is_nan(own));
  return comes_before || (!comes_after && other < position);
}

@compute @workgroup_size(256)
fn sort(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 9000u) { return; }
  let line = flat / 3000u;
  let place = flat % 3000u;
  let o1 = i32(line % 1u);
  let o0 = i32(line);
  let base = o0 * 3000;
  let position = i32(place);
  let own = key(base, position);
  let first = place / 256u * 256u;
  let end = min(first + 256u, 3000u);
  var rank = first;
  for (var n = first; n < end; n++) {
    if (is_before(base, i32(n), position, own)) { rank++; }
  }
  arena[launch[0].x + flat - place + rank] = u32(position);
}

// sort over [3, 3000]: as it is
// pass 2 of 2: runs of 4096
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

fn key(base: i32, n: i32) -> f32 { return read0(base + n); }
fn is_before(base: i32, other: i32, position: i32, own: f32) -> bool {
  let x = key(base, other);
  let comes_before = x < own || (is_nan(own) && !is_nan(x));
  let comes_after = own < x || (is_nan(x) && !is_nan(own));
  return comes_before || (!comes_after && other < position);
}

// How many elements of a run, which is in order, come before one.
fn count_before(base: i32, line: u32, first: u32, end: u32, position: i32, own: f32) -> u32 {
  var low = first;
  var high = end;
  while (low < high) {
    let middle = (low + high) / 2u;
    let comes_before = is_before(base, i32(arena[launch[0].x + line + middle]), position, own);
    low = select(low, middle + 1u, comes_before);
    high = select(middle, high, comes_before);
  }
  return low - first;
}

@compute @workgroup_size(256)
fn sort(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 9000u) { return; }
  let line = flat / 3000u;
  let place = flat % 3000u;
  let o1 = i32(line % 1u);
  let o0 = i32(line);
  let base = o0 * 3000;
  let position = i32(arena[launch[0].x + flat]);
  let own = key(base, position);
  let first = place / 4096u * 4096u;
  let end = min(first + 4096u, 3000u);
  var rank = first + place % 256u;
  for (var run = first; run < end; run += 256u) {
    if (run != place / 256u * 256u) {
      let run_end = min(run + 256u, end);
      rank += count_before(base, flat - place, run, run_end, position, own);
    }
  }
  if (rank < 3000u) { finish(u32(o0 * 3000 + i32(rank)), position); }
}
