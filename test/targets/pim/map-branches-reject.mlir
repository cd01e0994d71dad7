// RUN: opt-tool %s -p attach-machine{target=pim/4x4},map-branches --split-input-file --verify-diagnostics

// expected-error@unknown {{the layers of stage 1 have several partitions}}
module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 2, 2>, branches = 4 : i64}, {scheme = array<i64: 4, 4>, branches = 1 : i64}],
    places = array<i64: 0, 0, 0>}]
} {}

// -----

// expected-error@unknown {{the branches of stage 1 do not fill its layers equally}}
module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 2, 2>, branches = 4 : i64}, {scheme = array<i64: 2, 2>, branches = 1 : i64}],
    places = array<i64: 0, 0, 0>}]
} {}

// -----

// expected-error@unknown {{the branches of stage 1 are placed in another order than programs have them}}
module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 2, 2>, branches = 4 : i64}],
    places = array<i64: 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 2>}]
} {}

// -----

module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 1, 4>, branches = 4 : i64}],
    places = array<i64: 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0>}]
} {
  func.func @network(%q: memref<4x2x6x8xf32>, %k: memref<4x2x6x8xf32>, %s: memref<4x2x6x6xf32> {tilewright.output}) {
    // expected-error@below {{patches do not divide into equal parts}}
    nn.matmul ins(%q, %k : memref<4x2x6x8xf32>, memref<4x2x6x8xf32>) outs(%s : memref<4x2x6x6xf32>)
        {accumulator = f32, transpose_b, pim.block = 0 : i64, pim.branch_dims = array<i64: 0>, pim.head_dims = array<i64: 1>, pim.query_dims = array<i64: 2>}
    func.return
  }
}
