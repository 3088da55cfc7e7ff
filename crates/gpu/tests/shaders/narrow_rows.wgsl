// row over [9, 5↓]: max sub exp sum div
// 9 rows of 5, 2 threads for each
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bf16_of(arena[launch[0].x + u32(i) / 2u] >> (u32(i) % 2u * 16u)); }
fn write0(i: i32, x: f32) { arena[launch[0].y + u32(i)] = bitcast<u32>(x); }

// Not constants, as WGSL has no constant infinity.
fn infinity() -> f32 { var bits = 0x7f800000u; return bitcast<f32>(bits); }

fn nan() -> f32 { var bits = 0x7fc00000u; return bitcast<f32>(bits); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn is_negative(x: f32) -> bool { return bitcast<i32>(x) < 0; }

// NaN wins.
fn maximum(a: f32, b: f32) -> f32 { return select(b, a, is_nan(a) || a > b); }

fn round_bf16(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u;
  return bitcast<f32>(select(rounded, bits, is_nan(x)));
}

fn bf16_of(word: u32) -> f32 { return bitcast<f32>(word << 16u); }

// x · 2^n, in two steps as 2^n itself may be beyond f32.
fn scale(x: f32, n: i32) -> f32 {
  let half = n / 2;
  let low = bitcast<f32>(u32(half + 127) << 23u);
  let high = bitcast<f32>(u32(n - half + 127) << 23u);
  return x * low * high;
}

// (e^r - 1 - r) / r² for |r| up to ln 2 / 2.
fn exp_tail(r: f32) -> f32 {
  var p = 1.9875691e-4;
  p = fma(p, r, 1.3981999e-3);
  p = fma(p, r, 8.333452e-3);
  p = fma(p, r, 4.1665796e-2);
  p = fma(p, r, 1.6666665e-1);
  return fma(p, r, 0.5f);
}

fn exp_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let a = clamp(x, -104f, 89f);
  let n = round(a * 1.442695f);
  var r = fma(n, -0.6933594f, a);
  r = fma(n, 2.1219444e-4, r);
  return scale(fma(r * r, exp_tail(r), r) + 1f, i32(n));
}

// Division by zero gives infinities, whatever the device does.
fn divide(a: f32, b: f32) -> f32 {
  if (b == 0f) {
    if (a == 0f || is_nan(a)) { return nan(); }
    return select(infinity(), -infinity(), is_negative(a) != is_negative(b));
  }
  return a / b;
}

var<workgroup> shared_f32: array<f32, 32>;
fn max_f32(local: u32, lane: u32, value: f32) -> f32 {
  shared_f32[local] = value;
  workgroupBarrier();
  for (var half = 1u; half > 0u; half /= 2u) {
    if (lane < half) { shared_f32[local] = maximum(shared_f32[local], shared_f32[local + half]); }
    workgroupBarrier();
  }
  let total = shared_f32[local - lane];
  workgroupBarrier();
  return total;
}

fn sum_f32(local: u32, lane: u32, value: f32) -> f32 {
  shared_f32[local] = value;
  workgroupBarrier();
  for (var half = 1u; half > 0u; half /= 2u) {
    if (lane < half) { shared_f32[local] = shared_f32[local] + shared_f32[local + half]; }
    workgroupBarrier();
  }
  let total = shared_f32[local - lane];
  workgroupBarrier();
  return total;
}

@compute @workgroup_size(32)
fn row_max_sub_exp_sum_div(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let row = number * 16u + local / 2u;
  let lane = local % 2u;
  let is_row = row < 9u;
  let i0 = i32(row);
  var sum2 = -infinity();
  for (var element = select(5u, lane, is_row); element < 5u; element += 2u) {
    let i1 = i32(element);
    let v0 = read0(i0 * 5 + i1);
    let v1 = v0;
    sum2 = maximum(sum2, v1);
  }
  let v2 = max_f32(local, lane, sum2);
  var sum5 = 0f;
  for (var element = select(5u, lane, is_row); element < 5u; element += 2u) {
    let i1 = i32(element);
    let v0 = read0(i0 * 5 + i1);
    let v1 = v0;
    let v3 = v1 - v2;
    let v4 = exp_of(v3);
    sum5 = sum5 + v4;
  }
  let v5 = sum_f32(local, lane, sum5);
  for (var element = select(5u, lane, is_row); element < 5u; element += 2u) {
    let i1 = i32(element);
    let v0 = read0(i0 * 5 + i1);
    let v1 = v0;
    let v3 = v1 - v2;
    let v4 = exp_of(v3);
    let v6 = divide(v4, v5);
    let v7 = round_bf16(v6);
    write0(i0 * 5 + i1, v7);
  }
}

// packs what the pass before left
// 45 elements of bf16, 2 to a word
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].x + u32(i)]); }
fn write0_word(i: u32, word: u32) { arena[launch[0].y + i] = word; }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// The bits of a number that is a bf16 already; NaNs stay such.
fn bf16_bits(x: f32) -> u32 {
  return (bitcast<u32>(x) >> 16u) | select(0u, 0x40u, is_nan(x));
}

// A word of neighbours.
fn halves(a: u32, b: u32) -> u32 { return a | (b << 16u); }

@compute @workgroup_size(32)
fn pack(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 32u + local;
  if (flat >= 23u) { return; }
  if (flat < 23u) {
    let i = i32(flat * 2u);
    write0_word(flat, halves(bf16_bits(read0(i + 0)), bf16_bits(read0(i + 1))));
  }
}
