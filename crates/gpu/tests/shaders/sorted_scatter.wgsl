// map over [20000]: as it is
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

@compute @workgroup_size(256)
fn map(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 20000u) { return; }
  let i0 = i32(flat);
  let v0 = read0(i0 * 8);
  let v1 = float_to_int(v0);
  write0(i32(flat), v1);
}

// scatter_order over [5000, 8]: as it is
// pass 1 of 3: runs of 256
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read1(i: i32) -> i32 { return bitcast<i32>(arena[launch[0].w + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[1].x + u32(i)] = bitcast<u32>(x); }

fn key(base: i32, n: i32) -> i32 { return read1(base + n); }
fn is_before(base: i32, other: i32, position: i32, own: i32) -> bool {
  let x = key(base, other);
  let comes_before = x < own;
  let comes_after = own < x;
  return comes_before || (!comes_after && other < position);
}

@compute @workgroup_size(256)
fn scatter_order(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 20000u) { return; }
  let line = flat / 20000u;
  let place = flat % 20000u;
  let o1 = i32(line % 1u);
  let o0 = i32(line);
  let base = 0;
  let position = i32(place);
  let own = key(base, position);
  let first = place / 256u * 256u;
  let end = min(first + 256u, 20000u);
  var rank = first;
  for (var n = first; n < end; n++) {
    if (is_before(base, i32(n), position, own)) { rank++; }
  }
  arena[launch[0].x + flat - place + rank] = u32(position);
  let index = i32(own);
  if (index < 0 || index >= 5000) {
    arena[launch[0].y] = launch[0].z;
    arena[launch[0].y + 1u] = bitcast<u32>(index);
  }
}

// scatter_order over [5000, 8]: as it is
// pass 2 of 3: runs of 4096
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read1(i: i32) -> i32 { return bitcast<i32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

fn key(base: i32, n: i32) -> i32 { return read1(base + n); }
fn is_before(base: i32, other: i32, position: i32, own: i32) -> bool {
  let x = key(base, other);
  let comes_before = x < own;
  let comes_after = own < x;
  return comes_before || (!comes_after && other < position);
}

// How many elements of a run, which is in order, come before one.
fn count_before(base: i32, line: u32, first: u32, end: u32, position: i32, own: i32) -> u32 {
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
fn scatter_order(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 20000u) { return; }
  let line = flat / 20000u;
  let place = flat % 20000u;
  let o1 = i32(line % 1u);
  let o0 = i32(line);
  let base = 0;
  let position = i32(arena[launch[0].x + flat]);
  let own = key(base, position);
  let first = place / 4096u * 4096u;
  let end = min(first + 4096u, 20000u);
  var rank = first + place % 256u;
  for (var run = first; run < end; run += 256u) {
    if (run != place / 256u * 256u) {
      let run_end = min(run + 256u, end);
      rank += count_before(base, flat - place, run, run_end, position, own);
    }
  }
  arena[launch[0].x + 20000u + flat - place + rank] = u32(position);
}

// scatter_order over [5000, 8]: as it is
// pass 3 of 3: runs of 65536
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read1(i: i32) -> i32 { return bitcast<i32>(arena[launch[0].y + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].z + u32(i)] = bitcast<u32>(x); }

fn key(base: i32, n: i32) -> i32 { return read1(base + n); }
fn is_before(base: i32, other: i32, position: i32, own: i32) -> bool {
  let x = key(base, other);
  let comes_before = x < own;
  let comes_after = own < x;
  return comes_before || (!comes_after && other < position);
}

// How many elements of a run, which is in order, come before one.
fn count_before(base: i32, line: u32, first: u32, end: u32, position: i32, own: i32) -> u32 {
  var low = first;
  var high = end;
  while (low < high) {
    let middle = (low + high) / 2u;
    let comes_before = is_before(base, i32(arena[launch[0].x + 20000u + line + middle]), position, own);
    low = select(low, middle + 1u, comes_before);
    high = select(middle, high, comes_before);
  }
  return low - first;
}

@compute @workgroup_size(256)
fn scatter_order(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 20000u) { return; }
  let line = flat / 20000u;
  let place = flat % 20000u;
  let o1 = i32(line % 1u);
  let o0 = i32(line);
  let base = 0;
  let position = i32(arena[launch[0].x + 20000u + flat]);
  let own = key(base, position);
  let first = place / 65536u * 65536u;
  let end = min(first + 65536u, 20000u);
  var rank = first + place % 4096u;
  for (var run = first; run < end; run += 4096u) {
    if (run != place / 4096u * 4096u) {
      let run_end = min(run + 4096u, end);
      rank += count_before(base, flat - place, run, run_end, position, own);
    }
  }
  arena[launch[0].x + flat - place + rank] = u32(position);
}

// scatter_blocks over [5000, 8]: as it is
// blocks of 256 sources
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read1(i: i32) -> i32 { return bitcast<i32>(arena[launch[0].y + u32(i)]); }
fn read2(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[0].w + u32(i)] = bitcast<u32>(x); }

@compute @workgroup_size(256)
fn scatter_blocks(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 624u) { return; }
  let o1 = i32(flat % 8u);
  let o0 = i32(flat / 8u);
  let base = 0;
  let sources = o1;
  let line = u32(0) * 20000u;
  let first = u32(o0) * 256u;
  if (i32(read1(base + i32(arena[launch[0].x + line + first]))) == i32(read1(base + i32(arena[launch[0].x + line + first + 255u])))) {
    var value = read2(sources + i32(arena[launch[0].x + line + first]) * 8);
    for (var n = first + 1u; n <= first + 255u; n++) {
      value = value + read2(sources + i32(arena[launch[0].x + line + n]) * 8);
    }
    arena[launch[0].x + 40000u + flat] = bitcast<u32>(value);
  }
}

// scatter over [5000, 8]: as it is
// 20000 sources in the order of their targets
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].y + u32(i)]); }
fn read1(i: i32) -> i32 { return bitcast<i32>(arena[launch[0].z + u32(i)]); }
fn read2(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].w + u32(i)]); }
fn write0(i: i32, x: f32) { arena[launch[1].x + u32(i)] = bitcast<u32>(x); }

fn finish(flat: u32, value: f32) {
  let anchor = value;
  let v0 = anchor;
  write0(i32(flat), v0);
}

fn first_of(base: i32, line: u32, index: i32) -> u32 {
  var low = 0u;
  var high = 20000u;
  while (low < high) {
    let middle = (low + high) / 2u;
    let comes_before = i32(read1(base + i32(arena[launch[0].x + line + middle]))) < index;
    low = select(low, middle + 1u, comes_before);
    high = select(middle, high, comes_before);
  }
  return low;
}

@compute @workgroup_size(256)
fn scatter(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  if (flat >= 40000u) { return; }
  let o1 = i32(flat % 8u);
  let o0 = i32(flat / 8u);
  var value = read0(o0 * 8 + o1);
  {
    let base = 0;
    let sources = o1;
    let line = u32(0) * 20000u;
    let first = first_of(base, line, o0);
    let end = first_of(base, line, o0 + 1);
    let block = (first + 255u) / 256u;
    let begin = min(block * 256u, end);
    for (var n = first; n < begin; n++) {
      value = value + read2(sources + i32(arena[launch[0].x + line + n]) * 8);
    }
    for (var n = block; n < end / 256u; n++) {
      value = value + (bitcast<f32>(arena[launch[0].x + 40000u + u32(i32(n) * 8 + o1)]));
    }
    for (var n = max(begin, end / 256u * 256u); n < end; n++) {
      value = value + read2(sources + i32(arena[launch[0].x + line + n]) * 8);
    }
  }
  finish(flat, value);
}
