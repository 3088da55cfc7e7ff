// A product of matrices by blocks, for software that acts as a GPU: there workgroup memory is plain
// memory, and barriers are dear. A thread computes ROWS × COLUMNS elements from operands that it reads
// where they lie. SPAN threads side by side see neighbouring columns. The constants:
//   K                      length of the sums
//   BLOCKS_M, BLOCKS_N     blocks of one product
// Indices beyond an edge are moved to it; what they give is not kept.

fn blocks(number: u32) {
  let batch = number / (BLOCKS_M * BLOCKS_N * SPAN);
  let block = number / SPAN % (BLOCKS_M * BLOCKS_N);
  let first_i = block / BLOCKS_N * ROWS;
  let first_j = block % BLOCKS_N * COLUMNS * SPAN + number % SPAN;
  let start_a = begin_a(batch);
  let start_b = begin_b(batch);
  let i{row} = min(first_i + {row}u, M - 1u);
  let j{column} = min(first_j + {column}u * SPAN, N - 1u);
  var sum{row}: Columns;
  for (var k = 0u; k < K; k++) {
    let b = Columns({loads_b});
    sum{row} += load_a(start_a, i{row}, k) * b;
  }
  var results: array<Columns, ROWS>;
  results[{row}] = sum{row};
  for (var row = 0u; row < ROWS; row++) {
    for (var column = 0u; column < COLUMNS; column++) {
      let i = first_i + row;
      let j = first_j + column * SPAN;
      if (i < M && j < N) { finish(flat_of(batch, i, j), results[row]{pick}); }
    }
  }
}
