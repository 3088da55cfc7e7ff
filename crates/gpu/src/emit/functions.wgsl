// Library functions; a shader includes only those that it calls. WGSL lets compilers assume that no
// NaN and no infinity occurs, and its built-ins may be inaccurate by many digits: so these functions
// test bits where it matters, and use the polynomials of the CPU device.

// Not constants, as WGSL has no constant infinity.
fn infinity() -> f32 { var bits = 0x7f800000u; return bitcast<f32>(bits); }

fn nan() -> f32 { var bits = 0x7fc00000u; return bitcast<f32>(bits); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn is_infinite(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }

fn is_negative(x: f32) -> bool { return bitcast<i32>(x) < 0; }

fn copysign(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}

// NaN wins.
fn maximum(a: f32, b: f32) -> f32 { return select(b, a, is_nan(a) || a > b); }

fn minimum(a: f32, b: f32) -> f32 { return select(b, a, is_nan(a) || a < b); }

fn signum(x: f32) -> f32 { return select(0f, 1f, x > 0f) - select(0f, 1f, x < 0f); }

fn relu(x: f32) -> f32 { return select(x, 0f, x <= 0f); }

fn sqrt_of(x: f32) -> f32 {
  if (is_nan(x) || x < 0f) { return nan(); }
  return sqrt(x);
}

// The nearest value of 16 bits; halves to the even one.
fn round_f16(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  let normal = (size + 0xfffu + ((size >> 13u) & 1u)) & 0xffffe000u;
  // Below 2^-14 multiples of 2^-24; from 65520 on infinity; and NaN.
  let tiny = bitcast<u32>(round(abs(x) * 16777216f) * 5.9604645e-8);
  let large = max(size, 0x7f800000u);
  let rounded = select(select(normal, large, size >= 0x477ff000u), tiny, size < 0x38800000u);
  return bitcast<f32>(rounded | (bits & 0x80000000u));
}

fn round_bf16(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u;
  return bitcast<f32>(select(rounded, bits, is_nan(x)));
}

// The f16 in the lower half of a word, with its subnormals, infinities and NaNs.
fn f16_of(word: u32) -> f32 {
  let size = word & 0x7fffu;
  let normal = (size << 13u) + 0x38000000u;
  let tiny = bitcast<u32>(f32(size) * 5.9604645e-8);
  let large = (size << 13u) | 0x7f800000u;
  let bits = select(select(normal, large, size >= 0x7c00u), tiny, size < 0x400u);
  return bitcast<f32>(bits | ((word & 0x8000u) << 16u));
}

// The bits of a number that is an f16 already.
fn f16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  let normal = min((size >> 13u) - 0x1c000u, 0x7c00u);
  let tiny = u32(abs(x) * 16777216f);
  let own = select(select(normal, 0x7e00u, size > 0x7f800000u), tiny, size < 0x38800000u);
  return own | ((bits >> 16u) & 0x8000u);
}

fn bf16_of(word: u32) -> f32 { return bitcast<f32>(word << 16u); }

// The bits of a number that is a bf16 already; NaNs stay such.
fn bf16_bits(x: f32) -> u32 {
  return (bitcast<u32>(x) >> 16u) | select(0u, 0x40u, is_nan(x));
}

fn byte_bits(x: i32) -> u32 { return bitcast<u32>(x) & 255u; }

// A word of neighbours.
fn halves(a: u32, b: u32) -> u32 { return a | (b << 16u); }

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

// To an i64, which is held in 32 bits: what does not fit becomes the nearest number that does.
fn float_to_long(x: f32) -> i32 {
  if (abs(x) >= 2147483648f) { return select(2147483647, i32(-2147483648), x < 0f); }
  return float_to_int(x);
}

fn int_div(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  return a / b;
}

fn uint_div(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  return a / b;
}

fn int_rem(a: i32, b: i32) -> i32 {
  if (b == 0 || b == -1) { return 0; }
  return a % b;
}

fn uint_rem(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  return a % b;
}

fn int_floor_divide(a: i32, b: i32) -> i32 {
  let r = int_rem(a, b);
  return int_div(a, b) - select(0, 1, r != 0 && (r < 0) != (b < 0));
}

fn int_remainder(a: i32, b: i32) -> i32 {
  let r = int_rem(a, b);
  return r + select(0, b, r != 0 && (r < 0) != (b < 0));
}

fn int_pow(a: i32, b: i32) -> i32 {
  if (b < 0) {
    if (a == 1) { return 1; }
    if (a == -1) { return select(-1, 1, (b & 1) == 0); }
    return 0;
  }
  return bitcast<i32>(uint_pow(bitcast<u32>(a), u32(b)));
}

fn uint_pow(a: u32, b: u32) -> u32 {
  var base = a;
  var left = b;
  var y = 1u;
  while (left > 0u) {
    if ((left & 1u) == 1u) { y *= base; }
    base *= base;
    left >>= 1u;
  }
  return y;
}

fn int_shl(a: i32, b: i32) -> i32 {
  if (b < 0 || b > 31) { return 0; }
  return a << u32(b);
}

fn int_shr(a: i32, b: i32) -> i32 { return a >> u32(clamp(b, 0, 31)); }

fn uint_shl(a: u32, b: u32) -> u32 {
  if (b > 31u) { return 0u; }
  return a << b;
}

fn uint_shr(a: u32, b: u32) -> u32 {
  if (b > 31u) { return 0u; }
  return a >> b;
}

// Random bits: one block of Threefry-2x32-20.
fn threefry(key: vec2<u32>, counter: u32) -> vec2<u32> {
  let keys = array<u32, 3>(key.x, key.y, key.x ^ key.y ^ 0x1BD11BDAu);
  let turns = array<u32, 8>(13u, 15u, 26u, 6u, 17u, 29u, 16u, 24u);
  var x = counter + keys[0];
  var y = keys[1];
  for (var round = 0u; round < 5u; round++) {
    for (var n = 0u; n < 4u; n++) {
      let turn = turns[(round % 2u) * 4u + n];
      x += y;
      y = ((y << turn) | (y >> (32u - turn))) ^ x;
    }
    x += keys[(round + 1u) % 3u];
    y += keys[(round + 2u) % 3u] + round + 1u;
  }
  return vec2<u32>(x, y);
}

fn random_bits(draw: u32, seed: u32, element: u32) -> u32 {
  let pair = threefry(vec2<u32>(seed, draw), element / 2u);
  return select(pair.x, pair.y, element % 2u == 1u);
}

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

fn exp2_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let a = clamp(x, -151f, 129f);
  let n = round(a);
  let r = (a - n) * 0.6931472f;
  return scale(fma(r * r, exp_tail(r), r) + 1f, i32(n));
}

fn expm1_of(x: f32) -> f32 {
  if (is_nan(x) || abs(x) < 6e-8) { return x; }
  let a = clamp(x, -30f, 89f);
  let n = round(a * 1.442695f);
  var r = fma(n, -0.6933594f, a);
  r = fma(n, 2.1219444e-4, r);
  let half = scale(0.5f, i32(n));
  let y = fma(half, fma(r * r, exp_tail(r), r), half - 0.5f);
  return y + y;
}

// ln(1 + f) - f.
fn log_tail(f: f32) -> f32 {
  var p = 7.0376836e-2;
  p = fma(p, f, -1.151461e-1);
  p = fma(p, f, 1.1676999e-1);
  p = fma(p, f, -1.2420141e-1);
  p = fma(p, f, 1.4249323e-1);
  p = fma(p, f, -1.6668057e-1);
  p = fma(p, f, 2.0000714e-1);
  p = fma(p, f, -2.4999994e-1);
  p = fma(p, f, 3.333333e-1);
  let z = f * f;
  return fma(z, -0.5f, p * (f * z));
}

// The exponent and the mantissa between √½ and √2 of a positive normal number.
fn split(x: f32) -> vec2<f32> {
  let bits = bitcast<i32>(x) - 0x3f3504f3;
  let mantissa = bitcast<f32>((bits & 0x7fffff) + 0x3f3504f3);
  return vec2<f32>(f32(bits >> 23u), mantissa);
}

// What logarithms are outside of the positive normal numbers; y is the value inside.
fn log_edges(x: f32, y: f32) -> f32 {
  if (is_nan(x) || x < 0f) { return nan(); }
  if (x == 0f) { return -infinity(); }
  return select(y, x, is_infinite(x));
}

fn log_of_parts(f: f32, e: f32) -> f32 {
  let y = fma(e, -2.1219444e-4, log_tail(f));
  return fma(e, 0.6933594f, f + y);
}

fn log_of(x: f32) -> f32 {
  let parts = split(x);
  return log_edges(x, log_of_parts(parts.y - 1f, parts.x));
}

fn log2_of(x: f32) -> f32 {
  let parts = split(x);
  let f = parts.y - 1f;
  let y = log_tail(f);
  return log_edges(x, fma(f, 0.442695f, fma(y, 0.442695f, y)) + f + parts.x);
}

fn log10_of(x: f32) -> f32 {
  let parts = split(x);
  let f = parts.y - 1f;
  let y = fma(log_tail(f), 0.4342945f, parts.x * 2.4874566e-4);
  return log_edges(x, fma(parts.x, 0.30078125f, fma(f, 0.4342945f, y)));
}

fn log1p_of(x: f32) -> f32 {
  if (abs(x) < 6e-8) { return x; }
  let u = 1f + x;
  if (abs(x) > 0.4f) { return log_of(u); }
  let s = x / (2f + x);
  let z = s * s;
  // 2 artanh s
  var p = 0.15384616f;
  p = fma(p, z, 0.18181819f);
  p = fma(p, z, 0.22222222f);
  p = fma(p, z, 0.2857143f);
  p = fma(p, z, 0.4f);
  p = fma(p, z, 0.6666667f);
  return fma(p * z, s, 2f * s);
}

fn tanh_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let a = min(abs(x), 10f);
  if (a <= 0.625f) {
    let z = x * x;
    var p = -5.7049887e-3;
    p = fma(p, z, 2.063909e-2);
    p = fma(p, z, -5.3739716e-2);
    p = fma(p, z, 1.3331442e-1);
    p = fma(p, z, -3.333328e-1);
    return fma(p * z, x, x);
  }
  return copysign(1f - 2f / (exp_of(a + a) + 1f), x);
}

fn sigmoid(x: f32) -> f32 {
  let e = exp_of(-abs(x));
  return select(1f, e, x < 0f) / (1f + e);
}

fn silu(x: f32) -> f32 { return max(x, -200f) * sigmoid(x); }

fn softplus(x: f32) -> f32 { return maximum(x, 0f) + log1p_of(exp_of(-abs(x))); }

// tanh(ln(1 + e)) = (e² + 2e) / (e² + 2e + 2)
fn mish(x: f32) -> f32 {
  if (is_nan(x) || x > 20f) { return x; }
  let e = exp_of(x);
  let w = e * (e + 2f);
  return max(x, -200f) * (w / (w + 2f));
}

fn erf_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let t = min(abs(x), 4f);
  if (t <= 0.9277344f) {
    let z = x * x;
    var p = -5.967617e-4;
    p = fma(p, z, 4.9911942e-3);
    p = fma(p, z, -2.6768135e-2);
    p = fma(p, z, 1.1281993e-1);
    p = fma(p, z, -3.7612534e-1);
    p = fma(p, z, 1.2837917e-1);
    return fma(p, x, x);
  }
  var p = -1.7285347e-5;
  p = fma(p, t, 3.8319713e-4);
  p = fma(p, t, -3.8839644e-3);
  p = fma(p, t, 2.4254622e-2);
  p = fma(p, t, -1.0677788e-1);
  p = fma(p, t, -6.348467e-1);
  p = fma(p, t, -1.2871751e-1);
  return copysign(1f - exp_of(fma(p, t, -t)), x);
}

// erfc(z) · e^(z²) as P(q) / (1 + 2z), q = (z - 2.6) / (z + 2.6).
fn erfc_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let z = min(abs(x), 10.1f);
  if (z <= 0.5f) { return 1f - erf_of(x); }
  let q = (z - 2.6f) / (z + 2.6f);
  var p = 5.4165063e-4;
  p = fma(p, q, 1.0545055e-3);
  p = fma(p, q, -4.2013666e-3);
  p = fma(p, q, -3.2499165e-3);
  p = fma(p, q, 4.095343e-2);
  p = fma(p, q, -1.084951e-1);
  p = fma(p, q, 1.5298338e-1);
  p = fma(p, q, -8.744738e-2);
  p = fma(p, q, -1.2601285e-1);
  p = fma(p, q, 1.2624022f);
  let high = bitcast<f32>(bitcast<u32>(z) & 0xfffff000u);
  let low = (z - high) * (z + high);
  let y = p / fma(z, 2f, 1f) * exp_of(-(high * high)) * exp_of(-low);
  return select(y, 2f - y, x < 0f);
}

fn gelu(x: f32) -> f32 { return 0.5f * max(x, -20f) * erfc_of(x * -0.70710677f); }

fn gelu_tanh(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let a = clamp(x, -20f, 20f);
  return max(x, -20f) * sigmoid(a * fma(a * a, 0.071354814f, 1.595769f));
}

// Quarter turns to the nearest multiple, and what is left of x, for |x| up to some 10^5.
fn turns(x: f32) -> vec2<f32> {
  let n = round(x * 0.63661975f);
  // The first difference is exact. Drivers may join it with the next, which is not: the bounds, far
  // beyond what there can be, keep them apart.
  var r = clamp(fma(n, -1.5703125f, x), -1e6f, 1e6f);
  r = fma(n, -4.8351288e-4, r);
  r = fma(n, -3.1385570e-7, r);
  r = fma(n, -6.0771006e-11, r);
  return vec2<f32>(n, r);
}

fn sin_reduced(r: f32) -> f32 {
  let z = r * r;
  var p = -1.9515296e-4;
  p = fma(p, z, 8.332161e-3);
  p = fma(p, z, -1.6666655e-1);
  return fma(p * z, r, r);
}

fn cos_reduced(r: f32) -> f32 {
  let z = r * r;
  var p = 2.4433157e-5;
  p = fma(p, z, -1.3887316e-3);
  p = fma(p, z, 4.1666646e-2);
  return fma(p * z, z, fma(z, -0.5f, 1f));
}

fn sin_ahead(x: f32, quarters: i32) -> f32 {
  if (is_nan(x) || is_infinite(x)) { return nan(); }
  let t = turns(x);
  let n = i32(t.x) + quarters;
  let y = select(sin_reduced(t.y), cos_reduced(t.y), (n & 1) == 1);
  return select(y, -y, (n & 2) == 2);
}

fn sin_of(x: f32) -> f32 { return sin_ahead(x, 0); }

fn cos_of(x: f32) -> f32 { return sin_ahead(x, 1); }

fn tan_of(x: f32) -> f32 {
  if (is_nan(x) || is_infinite(x)) { return nan(); }
  let t = turns(x);
  let s = sin_reduced(t.y);
  let c = cos_reduced(t.y);
  return select(s / c, -c / s, (i32(t.x) & 1) == 1);
}

fn atan_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let a = abs(x);
  var r = a;
  var y = 0f;
  if (a > 2.4142137f) {
    r = -1f / a;
    y = 1.5707964f;
  } else if (a > 0.41421357f) {
    r = (a - 1f) / (a + 1f);
    y = 0.7853982f;
  }
  let z = r * r;
  var p = 8.5201534e-2;
  p = fma(p, z, -1.402407e-1);
  p = fma(p, z, 1.9991234e-1);
  p = fma(p, z, -3.3333287e-1);
  return copysign(y + fma(p * z, r, r), x);
}

fn atan2_of(y: f32, x: f32) -> f32 {
  if (is_nan(x) || is_nan(y)) { return nan(); }
  if (x == 0f && y == 0f) { return copysign(select(0f, 3.1415927f, is_negative(x)), y); }
  if (is_infinite(x) && is_infinite(y)) {
    return copysign(select(0.7853982f, 2.3561945f, is_negative(x)), y);
  }
  // The smaller by the larger, so that nothing overflows.
  let is_steep = abs(y) > abs(x);
  let slope = select(abs(y) / abs(x), abs(x) / abs(y), is_steep);
  var angle = atan_of(slope);
  angle = select(angle, 1.5707964f - angle, is_steep);
  angle = select(angle, 3.1415927f - angle, is_negative(x));
  return copysign(angle, y);
}

fn asin_of(x: f32) -> f32 {
  let a = abs(x);
  if (is_nan(x) || a > 1f) { return nan(); }
  let is_large = a > 0.5f;
  let z = select(a * a, 0.5f * (1f - a), is_large);
  let r = select(a, sqrt(z), is_large);
  var p = 3.8085024e-2;
  p = fma(p, z, 2.6554542e-2);
  p = fma(p, z, 4.500138e-2);
  p = fma(p, z, 7.4988551e-2);
  p = fma(p, z, 1.6666672e-1);
  let y = fma(p * z, r, r);
  return copysign(select(y, 1.5707964f - 2f * y, is_large), x);
}

fn acos_of(x: f32) -> f32 {
  if (abs(x) <= 0.5f) { return 1.5707964f - asin_of(x); }
  let y = 2f * asin_of(sqrt(0.5f * (1f - abs(x))));
  return select(y, 3.1415927f - y, x < 0f);
}

fn sinh_of(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (abs(x) < 1f) {
    let e = expm1_of(abs(x));
    return copysign(0.5f * (e + e / (e + 1f)), x);
  }
  let half = exp_of(0.5f * abs(x));
  return copysign(0.5f * half * half - 0.5f / (half * half), x);
}

fn cosh_of(x: f32) -> f32 {
  let half = exp_of(0.5f * abs(x));
  return 0.5f * half * half + 0.5f / (half * half);
}

fn asinh_of(x: f32) -> f32 {
  if (is_nan(x) || is_infinite(x)) { return x; }
  let a = abs(x);
  if (a > 1e9) { return copysign(log_of(a) + 0.6931472f, x); }
  return copysign(log1p_of(a + a * a / (1f + sqrt(a * a + 1f))), x);
}

fn acosh_of(x: f32) -> f32 {
  if (is_nan(x) || x < 1f) { return nan(); }
  if (x > 1e9) { return log_of(x) + 0.6931472f; }
  let t = x - 1f;
  return log1p_of(t + sqrt(2f * t + t * t));
}

fn atanh_of(x: f32) -> f32 {
  let a = abs(x);
  if (is_nan(x) || a > 1f) { return nan(); }
  if (a == 1f) { return copysign(infinity(), x); }
  return copysign(0.5f * log1p_of(2f * a / (1f - a)), x);
}

fn hypot(a: f32, b: f32) -> f32 {
  if (is_infinite(a) || is_infinite(b)) { return infinity(); }
  let top = maximum(abs(a), abs(b));
  if (top == 0f || is_nan(top)) { return top; }
  let p = a / top;
  let q = b / top;
  return top * sqrt(p * p + q * q);
}

fn logaddexp(a: f32, b: f32) -> f32 {
  if (a == b) { return a + 0.6931472f; }
  return maximum(a, b) + log1p_of(exp_of(-abs(a - b)));
}

fn xlogy(x: f32, y: f32) -> f32 {
  if (is_nan(y)) { return y; }
  if (x == 0f) { return 0f; }
  return x * log_of(y);
}

fn fmod(a: f32, b: f32) -> f32 {
  if (is_nan(a) || is_nan(b) || is_infinite(a) || b == 0f) { return nan(); }
  if (is_infinite(b)) { return a; }
  let n = abs(b);
  var r = abs(a);
  // A quotient has some 20 sure bits: large ones are taken off piece by piece.
  for (var step = 0; step < 24 && r >= n; step++) {
    let quotient = min(r / n, 1e30);
    let q = floor(quotient * select(1f, 0.9999995f, quotient > 1048576f));
    let rest = fma(-q, n, r);
    r = select(rest, rest + n, rest < 0f);
  }
  return copysign(r, a);
}

fn remainder(a: f32, b: f32) -> f32 {
  let r = fmod(a, b);
  return select(r, r + b, r != 0f && (r < 0f) != (b < 0f));
}

fn floor_divide(a: f32, b: f32) -> f32 {
  if (b == 0f) { return divide(a, b); }
  let r = fmod(a, b);
  var q = (a - r) / b;
  if (r != 0f && (r < 0f) != (b < 0f)) { q -= 1f; }
  if (q == 0f) { return copysign(0f, a / b); }
  return select(floor(q), floor(q) + 1f, q - floor(q) > 0.5f);
}

// Division by zero gives infinities, whatever the device does.
fn divide(a: f32, b: f32) -> f32 {
  if (b == 0f) {
    if (a == 0f || is_nan(a)) { return nan(); }
    return select(infinity(), -infinity(), is_negative(a) != is_negative(b));
  }
  return a / b;
}

fn pow_of(x: f32, y: f32) -> f32 {
  if (x == 1f || y == 0f) { return 1f; }
  if (is_nan(x) || is_nan(y)) { return nan(); }
  let a = abs(x);
  let is_whole = trunc(y) == y;
  let is_odd = is_whole && trunc(0.5f * y) != 0.5f * y;
  let sign = select(1f, -1f, is_negative(x) && is_odd);
  if (x == 0f || is_infinite(x) || is_infinite(y)) {
    if (a == 1f) { return 1f; }
    return sign * select(infinity(), 0f, (a < 1f) == (y > 0f));
  }
  if (x < 0f && !is_whole) { return nan(); }
  if (is_whole && abs(y) <= 64f) {
    // Squares and products: exact where the result is.
    var base = a;
    var left = u32(abs(y));
    var product = 1f;
    while (left > 0u) {
      if ((left & 1u) == 1u) { product *= base; }
      base *= base;
      left >>= 1u;
    }
    return sign * select(product, divide(1f, product), y < 0f);
  }
  // 2^(y · log2 a), whole and fractional part of the logarithm apart.
  let parts = split(a);
  let f = parts.y - 1f;
  let tail = log_tail(f);
  let fraction = fma(f, 0.442695f, fma(tail, 0.442695f, tail)) + f;
  let whole = y * parts.x;
  let lost = fma(y, parts.x, -whole);
  let n = round(whole);
  let rest = (whole - n) + lost + y * fraction;
  return sign * exp2_sum(n, rest);
}

// 2^(n + r) for a whole n.
fn exp2_sum(n: f32, r: f32) -> f32 {
  let sum = clamp(n + r, -151f, 129f);
  let m = round(sum);
  let rest = select((n - m) + r, sum - m, abs(n + r) > 150f);
  let low = rest * 0.6931472f;
  return scale(fma(low * low, exp_tail(low), low) + 1f, i32(m));
}

// Winitzki's approximation and Newton steps.
fn erfinv(y: f32) -> f32 {
  if (is_nan(y) || abs(y) > 1f) { return nan(); }
  if (abs(y) == 1f) { return copysign(infinity(), y); }
  let l = log1p_of(-y * y);
  let b = 4.330747f + l * 0.5f;
  var x = copysign(sqrt(max(sqrt(b * b - l * 6.802721f) - b, 0f)), y);
  for (var n = 0; n < 2; n++) {
    let from_top = signum(x) * ((1f - abs(y)) - erfc_of(abs(x)));
    let error = select(from_top, erf_of(x) - y, abs(x) < 1f);
    let step = error / (1.1283792f * exp_of(-x * x));
    x -= step / (1f + x * step);
  }
  return x;
}

fn lgamma(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (is_infinite(x)) { return infinity(); }
  if (x <= 0f && floor(x) == x) { return infinity(); }
  var z = select(x, 1f - x, x < 0.5f);
  // Near its zeros at 1 and 2 the sum of large terms would lose all digits: there a series of
  // ln Γ(1 + t) is taken instead.
  var shift = 0f;
  if (z < 3.5f) {
    if (z > 2.5f) { shift = log_of(z - 1f); z -= 1f; }
    if (z > 1.5f) { shift += log_of(z - 1f); z -= 1f; }
    shift += lgamma_near_one(z - 1f);
  } else {
    var product = 1f;
    while (z < 8f) {
      product *= z;
      z += 1f;
    }
    let w = 1f / (z * z);
    let series = (8.333333e-2 + w * (-2.7777778e-3 + w * 7.936508e-4)) / z;
    shift = (z - 0.5f) * log_of(z) - z + 0.9189385f + series - log_of(product);
  }
  if (x >= 0.5f) { return shift; }
  // Γ(x) Γ(1 − x) = π / sin πx
  let sine = abs(sin_of(3.1415927f * (x - floor(x))));
  return log_of(3.1415927f / sine) - shift;
}

// ln Γ(1 + t) for |t| up to ½: −ln(1 + t) + (1 − γ) t + Σ (−1)^k (ζ(k) − 1) t^k / k
fn lgamma_near_one(t: f32) -> f32 {
  var p = 9.9457513e-5;
  p = fma(p, t, -2.2315476e-4);
  p = fma(p, t, 5.0966953e-4);
  p = fma(p, t, -1.1927539e-3);
  p = fma(p, t, 2.8905103e-3);
  p = fma(p, t, -7.385551e-3);
  p = fma(p, t, 2.0580808e-2);
  p = fma(p, t, -6.7352301e-2);
  p = fma(p, t, 3.2246703e-1);
  p = fma(p, t, 4.2278434e-1);
  return fma(p, t, -log1p_of(t));
}

fn digamma(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (x == 0f) { return select(-infinity(), infinity(), is_negative(x)); }
  if (x < 0f && floor(x) == x) { return nan(); }
  var z = select(x, 1f - x, x < 0f);
  var y = 0f;
  while (z < 8f) {
    y -= 1f / z;
    z += 1f;
  }
  let w = 1f / (z * z);
  let tail = w * (8.333333e-2 + w * (-8.333333e-3 + w * 3.968254e-3));
  y += log_of(z) - 0.5f / z - tail;
  if (x > 0f) { return y; }
  return y - 3.1415927f / tan_of(3.1415927f * (x - floor(x)));
}

// The n-th derivative of digamma: (−1)^(n+1) · n! · ζ(n + 1, x), by Euler and Maclaurin.
fn polygamma(n: f32, x: f32) -> f32 {
  if (n == 0f) { return digamma(x); }
  if (is_nan(x) || x < -1e5) { return nan(); }
  let s = n + 1f;
  var z = x;
  var sum = 0f;
  while (z < 8f) {
    sum += pow_of(z, -s);
    z += 1f;
  }
  var factor = s * pow_of(z, -s - 1f);
  var tail = 8.333333e-2 * factor;
  factor *= (s + 1f) * (s + 2f) / (z * z);
  tail -= 1.3888889e-3 * factor;
  factor *= (s + 3f) * (s + 4f) / (z * z);
  tail += 3.3068783e-5 * factor;
  let zeta = sum + pow_of(z, 1f - s) / n + 0.5f * pow_of(z, -s) + tail;
  var factorial = 1f;
  for (var k = 2f; k <= n; k += 1f) { factorial *= k; }
  return select(1f, -1f, (i32(n) & 1) == 0) * factorial * zeta;
}
