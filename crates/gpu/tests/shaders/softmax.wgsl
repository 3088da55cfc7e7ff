// row over [9, 40↓]: max sub exp sum div mul sum neg add mul
// 9 rows of 40, 16 threads for each
// four neighbours at once
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].x / 4u + i]; }
fn read1_4(i: u32) -> vec4<u32> { return arena[launch[0].y / 4u + i]; }
fn write0_4(i: u32, x: vec4<f32>) { arena[launch[0].z / 4u + i] = bitcast<vec4<u32>>(x); }

// Not constants, as WGSL has no constant infinity.
fn infinity() -> f32 { var bits = 0x7f800000u; return bitcast<f32>(bits); }

fn nan() -> f32 { var bits = 0x7fc00000u; return bitcast<f32>(bits); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn is_negative(x: f32) -> bool { return bitcast<i32>(x) < 0; }

// NaN wins.
fn maximum(a: f32, b: f32) -> f32 { return select(b, a, is_nan(a) || a > b); }

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

var<workgroup> shared_f32: array<f32, 256>;
fn max_f32(local: u32, lane: u32, value: f32) -> f32 {
  shared_f32[local] = value;
  workgroupBarrier();
  for (var half = 8u; half > 0u; half /= 2u) {
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
  for (var half = 8u; half > 0u; half /= 2u) {
    if (lane < half) { shared_f32[local] = shared_f32[local] + shared_f32[local + half]; }
    workgroupBarrier();
  }
  let total = shared_f32[local - lane];
  workgroupBarrier();
  return total;
}

@compute @workgroup_size(256)
fn row_max_sub_exp_sum_div_mul_sum_neg_add(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let row = number * 16u + local / 16u;
  let lane = local % 16u;
  let is_row = row < 9u;
  let i0 = i32(row);
  var sum1 = -infinity();
  for (var element = select(40u, lane * 4u, is_row); element < 40u; element += 64u) {
    let i1 = i32(element);
    let x0 = bitcast<vec4<f32>>(read0_4(u32(i0 * 40 + i1) / 4u));
    {
      let v0 = x0.x;
      sum1 = maximum(sum1, v0);
    }
    {
      let v0 = x0.y;
      sum1 = maximum(sum1, v0);
    }
    {
      let v0 = x0.z;
      sum1 = maximum(sum1, v0);
    }
    {
      let v0 = x0.w;
      sum1 = maximum(sum1, v0);
    }
  }
  let v1 = max_f32(local, lane, sum1);
  var sum4 = 0f;
  for (var element = select(40u, lane * 4u, is_row); element < 40u; element += 64u) {
    let i1 = i32(element);
    let x0 = bitcast<vec4<f32>>(read0_4(u32(i0 * 40 + i1) / 4u));
    {
      let v0 = x0.x;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      sum4 = sum4 + v3;
    }
    {
      let v0 = x0.y;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      sum4 = sum4 + v3;
    }
    {
      let v0 = x0.z;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      sum4 = sum4 + v3;
    }
    {
      let v0 = x0.w;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      sum4 = sum4 + v3;
    }
  }
  let v4 = sum_f32(local, lane, sum4);
  var sum8 = 0f;
  for (var element = select(40u, lane * 4u, is_row); element < 40u; element += 64u) {
    let i1 = i32(element);
    let x0 = bitcast<vec4<f32>>(read0_4(u32(i0 * 40 + i1) / 4u));
    let x6 = bitcast<vec4<f32>>(read1_4(u32(i0 * 40 + i1) / 4u));
    {
      let v0 = x0.x;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.x;
      let v7 = v6 * v5;
      sum8 = sum8 + v7;
    }
    {
      let v0 = x0.y;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.y;
      let v7 = v6 * v5;
      sum8 = sum8 + v7;
    }
    {
      let v0 = x0.z;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.z;
      let v7 = v6 * v5;
      sum8 = sum8 + v7;
    }
    {
      let v0 = x0.w;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.w;
      let v7 = v6 * v5;
      sum8 = sum8 + v7;
    }
  }
  let v8 = sum_f32(local, lane, sum8);
  let v9 = -v8;
  for (var element = select(40u, lane * 4u, is_row); element < 40u; element += 64u) {
    let i1 = i32(element);
    let x0 = bitcast<vec4<f32>>(read0_4(u32(i0 * 40 + i1) / 4u));
    let x6 = bitcast<vec4<f32>>(read1_4(u32(i0 * 40 + i1) / 4u));
    var y0: vec4<f32>;
    {
      let v0 = x0.x;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.x;
      let v10 = v6 + v9;
      let v11 = v10 * v5;
      y0.x = v11;
    }
    {
      let v0 = x0.y;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.y;
      let v10 = v6 + v9;
      let v11 = v10 * v5;
      y0.y = v11;
    }
    {
      let v0 = x0.z;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.z;
      let v10 = v6 + v9;
      let v11 = v10 * v5;
      y0.z = v11;
    }
    {
      let v0 = x0.w;
      let v2 = v0 - v1;
      let v3 = exp_of(v2);
      let v5 = divide(v3, v4);
      let v6 = x6.w;
      let v10 = v6 + v9;
      let v11 = v10 * v5;
      y0.w = v11;
    }
    write0_4(u32(i0 * 40 + i1) / 4u, y0);
  }
}
