// RUN: opt-tool %s | opt-tool | filecheck %s

// Tiles and their parts as attributes, in the syntax of grids; t2 is the grid's operand 2.
// CHECK: test.buffer = #hier.buffer<"ACC" as i32 layout affine_map<(d0, d1) -> (d1, d0)> address 2048 stages 2>
// CHECK-SAME: test.fetched = #hier.tile<(d0, d1) [d0 * 8, d1 + 1] [8, 16] in "L1" address 64 broadcast [1] from neighbour [0] fill 0 : i8>
// CHECK-SAME: test.in_place = #hier.tile<(d0) [d0 * 8] [8]>
// CHECK-SAME: test.initial = #hier.tile<(d0) [0, d0] [4, 1] starts 1 fill 2.000000e+00 : f32>
// CHECK-SAME: test.lookup = #hier.lookup<(d0, d1) t2[d0, d1 + 1] in [0, 64)>
// CHECK-SAME: test.looked_up = #hier.tile<(d0) [t2[d0] in [0, 16) * 4 + t0[d0, 1] in [-1, 2), t2[d0] in [0, 16)] [4, 1] in "L1">
// CHECK-SAME: test.scalar = #hier.tile<() [] []>
// CHECK-SAME: test.source = #hier.source<broadcast [0] fill -1 : i8>
// CHECK-SAME: test.starts = #hier.starts<1>
builtin.module attributes {
  test.buffer = #hier.buffer<"ACC" as i32 layout affine_map<(d0, d1) -> (d1, d0)> address 2048 stages 2>,
  test.fetched = #hier.tile<(i, j) [8 * i, j + 1] [8, 16] in "L1" address 64 broadcast [1] from neighbour [0] fill 0 : i8>,
  test.in_place = #hier.tile<(d0) [d0 * 8] [8]>,
  test.initial = #hier.tile<(d0) [0, d0] [4, 1] starts 1 fill 2.0 : f32>,
  test.lookup = #hier.lookup<(d0, d1) t2[d0, d1 + 1] in [0, 64)>,
  test.looked_up = #hier.tile<(d0) [t2[d0] in [0, 16) * 4 + t0[d0, 1] in [-1, 2), t2[d0] in [0, 16)] [4, 1] in "L1">,
  test.scalar = #hier.tile<()>,
  test.source = #hier.source<broadcast [0] fill -1 : i8>,
  test.starts = #hier.starts<1>
} {
}
