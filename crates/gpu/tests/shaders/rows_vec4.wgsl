// row over [90, 64↓]: le select max sub exp sum div
// 90 rows of 64, 1 threads for each
// four neighbours at once
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<vec4<u32>>;

fn read0_4(i: u32) -> vec4<u32> { return arena[launch[0].y / 4u + i]; }
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

@compute @workgroup_size(128)
fn row_le_select_max_sub_exp_sum_div(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let row = number * 128u + local / 1u;
  let lane = local % 1u;
  let is_row = row < 90u;
  let i0 = i32(row);
  var sum6 = -infinity();
  for (var element = select(64u, lane * 4u, is_row); element < 64u; element += 4u) {
    let i1 = i32(element);
    let x3 = bitcast<vec4<f32>>(read0_4(u32(i0 * 64 + i1) / 4u));
    {
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.x;
      let v5 = select((-1000000000.0f), v3, v2);
      sum6 = maximum(sum6, v5);
    }
    {
      let i1 = i1 + 1;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.y;
      let v5 = select((-1000000000.0f), v3, v2);
      sum6 = maximum(sum6, v5);
    }
    {
      let i1 = i1 + 2;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.z;
      let v5 = select((-1000000000.0f), v3, v2);
      sum6 = maximum(sum6, v5);
    }
    {
      let i1 = i1 + 3;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.w;
      let v5 = select((-1000000000.0f), v3, v2);
      sum6 = maximum(sum6, v5);
    }
  }
  let v6 = sum6;
  var sum9 = 0f;
  for (var element = select(64u, lane * 4u, is_row); element < 64u; element += 4u) {
    let i1 = i32(element);
    let x3 = bitcast<vec4<f32>>(read0_4(u32(i0 * 64 + i1) / 4u));
    {
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.x;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      sum9 = sum9 + v8;
    }
    {
      let i1 = i1 + 1;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.y;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      sum9 = sum9 + v8;
    }
    {
      let i1 = i1 + 2;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.z;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      sum9 = sum9 + v8;
    }
    {
      let i1 = i1 + 3;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.w;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      sum9 = sum9 + v8;
    }
  }
  let v9 = sum9;
  for (var element = select(64u, lane * 4u, is_row); element < 64u; element += 4u) {
    let i1 = i32(element);
    let x3 = bitcast<vec4<f32>>(read0_4(u32(i0 * 64 + i1) / 4u));
    var y0: vec4<f32>;
    {
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.x;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      let v10 = divide(v8, v9);
      y0.x = v10;
    }
    {
      let i1 = i1 + 1;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.y;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      let v10 = divide(v8, v9);
      y0.y = v10;
    }
    {
      let i1 = i1 + 2;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.z;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      let v10 = divide(v8, v9);
      y0.z = v10;
    }
    {
      let i1 = i1 + 3;
      let v0 = i1;
      let v1 = bitcast<i32>(launch[0].x);
      let v2 = v0 <= v1;
      let v3 = x3.w;
      let v5 = select((-1000000000.0f), v3, v2);
      let v7 = v5 - v6;
      let v8 = exp_of(v7);
      let v10 = divide(v8, v9);
      y0.w = v10;
    }
    write0_4(u32(i0 * 64 + i1) / 4u, y0);
  }
}
