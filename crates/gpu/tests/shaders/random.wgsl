// map over [7, 9]: mul random bitwise_right_shift mul ge select
@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> arena: array<u32>;

fn read0(i: i32) -> f32 { return bitcast<f32>(arena[launch[0].z + u32(i)]); }
fn read1(i: i32) -> u32 { return arena[launch[0].w + u32(i)]; }
fn write0(i: i32, x: f32) { arena[launch[1].x + u32(i)] = bitcast<u32>(x); }

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

@compute @workgroup_size(64)
fn map_mul_random_bitwise_right_shift_mul(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = group.x;
  let flat = number * 64u + local;
  if (flat >= 63u) { return; }
  let i0 = i32(flat);
  let v0 = read0(i32(flat));
  let v1 = bitcast<f32>(launch[0].x);
  let v2 = v0 * v1;
  let v3 = read1(0);
  let v4 = random_bits(0u, v3, u32(i32(flat)));
  let v6 = uint_shr(v4, 8u);
  let v7 = f32(v6);
  let v9 = v7 * 5.9604645e-8f;
  let v10 = bitcast<f32>(launch[0].y);
  let v11 = v9 >= v10;
  let v13 = select(0.0f, v2, v11);
  write0(i32(flat), v13);
}
