  // The lanes of a subgroup load the next indices of the sum, one each, and tell each other.
  for (; k + SUBGROUP <= end; k += SUBGROUP) {
    let own_tap = tap_{lines}(k + subgroup_lane);
    let own{row} = load_{lines}(line{row}, own_tap);
{iteration}
    {
      let lanes_tap = tap_{lanes}(k + {k}u);
      let x = {loads};
      sum{row} += subgroupBroadcast(own{row}, {k}u) * x;
    }
{vec4 iteration}
    {
      let lanes_tap = tap_{lanes}(k + {k}u);
      let x = transpose(mat4x4<f32>({vec4_loads}));
      sum{row} += subgroupBroadcast(own{row}, {k}u) * x[0];
      sum{row} += subgroupBroadcast(own{row}, {k}u + 1u) * x[1];
      sum{row} += subgroupBroadcast(own{row}, {k}u + 2u) * x[2];
      sum{row} += subgroupBroadcast(own{row}, {k}u + 3u) * x[3];
    }
{end}
  }
