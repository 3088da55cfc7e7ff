// A product of matrices by blocks, for software that acts as a GPU: it runs a workgroup on one core,
// workgroup memory is plain memory, barriers are dear, and lanes are loaded one by one. A thread has
// LINES lines of one factor, which are those of all threads of its workgroup, and VECTOR lines of the
// other. The constants:
//   K, PART                      length of the sums, and of the part of them that is added up here
//   BLOCKS_LINES, BLOCKS_LANES   blocks of one product
//   APART, NEXT                  from a thread's lines of the other factor to those of the next thread, and
//                                from one of them to the next
// Indices beyond an edge are moved to it; what they give is not kept.
fn blocks(number: u32, local: u32) {
  let block = number % (BLOCKS_LINES * BLOCKS_LANES);
  let batch = number / (BLOCKS_LINES * BLOCKS_LANES) % BATCH;
  let part = number / (BLOCKS_LINES * BLOCKS_LANES * BATCH);
  let first_line = block / BLOCKS_LANES * LINES;
  let first_lane = block % BLOCKS_LANES * THREADS * VECTOR + local * APART;
  let line{row} = line_{lines}(batch, min(first_line + {row}u, COUNT_LINES - 1u));
  let lane{column} = line_{lanes}(batch, min(first_lane + {column}u * NEXT, COUNT_LANES - 1u));
  var sum{row}: Lanes;
  let end = min((part + 1u) * PART, K);
  var k = part * PART;
{subgroup_loop}
  for (; k < end; k++) {
    let lines_tap = tap_{lines}(k);
    let lanes_tap = tap_{lanes}(k);
    let x = {loads};
    sum{row} += load_{lines}(line{row}, lines_tap) * x;
  }
  var results: array<Lanes, LINES>;
  results[{row}] = sum{row};
  for (var row = 0u; row < LINES; row++) {
    let line = first_line + row;
{vec4}    let lane = first_lane;
{vec4}    if (line < COUNT_LINES && lane < COUNT_LANES) { done_4(part, batch, {place}, results[row]); }
{scalar}    for (var column = 0u; column < VECTOR; column++) {
{scalar}      let lane = first_lane + column * NEXT;
{scalar}      if (line < COUNT_LINES && lane < COUNT_LANES) { done(part, batch, {place}, results[row]{pick}); }
{scalar}    }
  }
}
