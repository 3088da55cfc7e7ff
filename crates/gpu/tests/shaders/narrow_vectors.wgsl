// map over [65536]: add
// eight elements for each thread
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].x / 4u + i]; }
fn write0_4(i: u32, x: vec4<u32>) { arena[launch[0].y / 4u + i] = x; }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn round_bf16(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u;
  return bitcast<f32>(select(rounded, bits, is_nan(x)));
}

fn bf16_of(word: u32) -> f32 { return bitcast<f32>(word << 16u); }

// The bits of a number that is a bf16 already; NaNs stay such.
fn bf16_bits(x: f32) -> u32 {
  return (bitcast<u32>(x) >> 16u) | select(0u, 0x40u, is_nan(x));
}

// A word of neighbours.
fn halves(a: u32, b: u32) -> u32 { return a | (b << 16u); }

struct Results { w0: f32 }

fn element(flat: u32, x0: f32) -> Results {
  let v0 = x0;
  let v1 = round_bf16(v0 + v0);
  return Results(v1);
}

@compute @workgroup_size(256)
fn map_add(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  let first = flat * 8u;
  let x0_0 = read0_4(flat);
  var y0_0: vec4<u32>;
  {
    let x0 = vec4<f32>(bf16_of(x0_0.x >> 0u), bf16_of(x0_0.x >> 16u), bf16_of(x0_0.y >> 0u), bf16_of(x0_0.y >> 16u));
    let x = element(first + 0u, x0.x);
    let y = element(first + 1u, x0.y);
    let z = element(first + 2u, x0.z);
    let w = element(first + 3u, x0.w);
    y0_0.x = halves(bf16_bits(x.w0), bf16_bits(y.w0));
    y0_0.y = halves(bf16_bits(z.w0), bf16_bits(w.w0));
  }
  {
    let x0 = vec4<f32>(bf16_of(x0_0.z >> 0u), bf16_of(x0_0.z >> 16u), bf16_of(x0_0.w >> 0u), bf16_of(x0_0.w >> 16u));
    let x = element(first + 4u, x0.x);
    let y = element(first + 5u, x0.y);
    let z = element(first + 6u, x0.z);
    let w = element(first + 7u, x0.w);
    y0_0.z = halves(bf16_bits(x.w0), bf16_bits(y.w0));
    y0_0.w = halves(bf16_bits(z.w0), bf16_bits(w.w0));
  }
  write0_4(flat, y0_0);
}

// map over [65536]: as it is
// sixteen elements for each thread
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].x / 4u + i]; }
fn write0_4(i: u32, x: vec4<u32>) { arena[launch[0].y / 4u + i] = x; }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn bf16_of(word: u32) -> f32 { return bitcast<f32>(word << 16u); }

fn byte_bits(x: i32) -> u32 { return bitcast<u32>(x) & 255u; }

fn bytes(a: u32, b: u32, c: u32, d: u32) -> u32 {
  return a | (b << 8u) | (c << 16u) | (d << 24u);
}

// Towards zero, and modulo 2^32 as if through 64 bits.
fn float_to_int(x: f32) -> i32 {
  if (is_nan(x)) { return 0; }
  let t = trunc(x);
  if (abs(t) < 2147483648f) { return i32(t); }
  if (abs(t) >= 9223372036854775808f) { return select(-1, 0, t < 0f); }
  return bitcast<i32>(u32(t - floor(t / 4294967296f) * 4294967296f));
}

struct Results { w0: i32 }

fn element(flat: u32, x0: f32) -> Results {
  let v0 = x0;
  let v1 = ((float_to_int(v0)) << 24u) >> 24u;
  return Results(v1);
}

@compute @workgroup_size(256)
fn map(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 256u + local;
  let first = flat * 16u;
  let x0_0 = read0_4(flat * 2u + 0u);
  let x0_1 = read0_4(flat * 2u + 1u);
  var y0_0: vec4<u32>;
  {
    let x0 = vec4<f32>(bf16_of(x0_0.x >> 0u), bf16_of(x0_0.x >> 16u), bf16_of(x0_0.y >> 0u), bf16_of(x0_0.y >> 16u));
    let x = element(first + 0u, x0.x);
    let y = element(first + 1u, x0.y);
    let z = element(first + 2u, x0.z);
    let w = element(first + 3u, x0.w);
    y0_0.x = bytes(byte_bits(x.w0), byte_bits(y.w0), byte_bits(z.w0), byte_bits(w.w0));
  }
  {
    let x0 = vec4<f32>(bf16_of(x0_0.z >> 0u), bf16_of(x0_0.z >> 16u), bf16_of(x0_0.w >> 0u), bf16_of(x0_0.w >> 16u));
    let x = element(first + 4u, x0.x);
    let y = element(first + 5u, x0.y);
    let z = element(first + 6u, x0.z);
    let w = element(first + 7u, x0.w);
    y0_0.y = bytes(byte_bits(x.w0), byte_bits(y.w0), byte_bits(z.w0), byte_bits(w.w0));
  }
  {
    let x0 = vec4<f32>(bf16_of(x0_1.x >> 0u), bf16_of(x0_1.x >> 16u), bf16_of(x0_1.y >> 0u), bf16_of(x0_1.y >> 16u));
    let x = element(first + 8u, x0.x);
    let y = element(first + 9u, x0.y);
    let z = element(first + 10u, x0.z);
    let w = element(first + 11u, x0.w);
    y0_0.z = bytes(byte_bits(x.w0), byte_bits(y.w0), byte_bits(z.w0), byte_bits(w.w0));
  }
  {
    let x0 = vec4<f32>(bf16_of(x0_1.z >> 0u), bf16_of(x0_1.z >> 16u), bf16_of(x0_1.w >> 0u), bf16_of(x0_1.w >> 16u));
    let x = element(first + 12u, x0.x);
    let y = element(first + 13u, x0.y);
    let z = element(first + 14u, x0.z);
    let w = element(first + 15u, x0.w);
    y0_0.w = bytes(byte_bits(x.w0), byte_bits(y.w0), byte_bits(z.w0), byte_bits(w.w0));
  }
  write0_4(flat, y0_0);
}
