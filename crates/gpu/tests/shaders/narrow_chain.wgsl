// map over [7, 33]: mul add relu
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return f16_of(arena[launch[0].x + u32(i) / 2u] >> (u32(i) % 2u * 16u)); }
fn read1(i: i32) -> f32 { return f16_of(arena[launch[0].y + u32(i) / 2u] >> (u32(i) % 2u * 16u)); }
fn write0_word(i: u32, word: u32) { arena[launch[0].z + i] = word; }

fn relu(x: f32) -> f32 { return select(x, 0f, x <= 0f); }

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

@compute @workgroup_size(128)
fn map_mul_add_relu(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let word = number * 128u + local;
  if (word >= 116u) { return; }
  var word0 = 0u;
  let first = word * 2u;
  let end = min(first + 2u, 231u);
  for (var flat = first; flat < end; flat++) {
    let i1 = i32(flat % 33u);
    let i0 = i32(flat / 33u);
    let v0 = read0(i32(flat));
    let v2 = round_f16(v0 * 0.5f);
    let v3 = read1(i1);
    let v4 = round_f16(v2 + v3);
    let v5 = relu(v4);
    word0 |= f16_bits(v5) << (flat % 2u * 16u);
    if (flat % 2u == 1u || flat == 230u) {
      write0_word(flat / 2u, word0);
      word0 = 0u;
    }
  }
}
