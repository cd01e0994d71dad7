// RUN: opt-tool %s -p attach-machine{target=%S/../machines/npu_cluster.toml},map-engines | filecheck %s --check-prefix=NPU
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/npu_cluster.toml},map-engines,map-engines | filecheck %s --check-prefix=NPU
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/two_level.toml},map-engines | filecheck %s --check-prefix=ONE
// RUN: not opt-tool %s -p map-engines 2>&1 | filecheck %s --check-prefix=NONE

// NONE: the module has no machine
// NONE: run attach-machine{target=NAME} first

// A large convolution of bytes is faster on the accelerator.
// A tiny one does not repay its set-up, words are not what it takes, and the rest is not what it runs.

// NPU-LABEL: func.func @network
// ONE-LABEL: func.func @network
func.func @network(%x: tensor<1x32x16x16xi8>, %w: tensor<32x32x3x3xi8>, %o: tensor<1x32x16x16xi32>,
                   %s: tensor<1x1x1x1xi8>, %t: tensor<1x1x1x1xi32>, %y: tensor<1x1x4x4xi32>, %v: tensor<1x1x3x3xi32>,
                   %z: tensor<1x1x2x2xi32>) {
  // NPU: nn.conv {{.*}} engine = "npu", refusals = {cluster = "254,042 cycles here, 21,178 on 'npu'"}}
  // ONE: nn.conv {{.*}} engine = "cluster"}
  %0 = nn.conv ins(%x, %w : tensor<1x32x16x16xi8>, tensor<32x32x3x3xi8>) outs(%o : tensor<1x32x16x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32}
  // NPU: nn.conv {{.*}} engine = "cluster", refusals = {npu = "{{.*}} cycles here, {{.*}} on 'cluster'"}}
  // ONE: nn.conv {{.*}} engine = "cluster"}
  %1 = nn.conv ins(%s, %s : tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>) outs(%t : tensor<1x1x1x1xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32}
  // NPU: nn.conv {{.*}} engine = "cluster", refusals = {npu = "inputs of i32, not i8"}}
  %2 = nn.conv ins(%y, %v : tensor<1x1x4x4xi32>, tensor<1x1x3x3xi32>) outs(%z : tensor<1x1x2x2xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32}
  // NPU: linalg.fill {engine = "cluster", refusals = {npu = "it runs nn.conv, not linalg.fill"}}
  %c = arith.constant 0 : i32
  %3 = linalg.fill ins(%c : i32) outs(%z : tensor<1x1x2x2xi32>) -> tensor<1x1x2x2xi32>
  func.return
}

// On buffers too; what is there is kept.

// NPU-LABEL: func.func @hints
func.func @hints(%x: memref<1x32x16x16xi8>, %w: memref<32x32x3x3xi8>, %o: memref<1x32x14x14xi32>) {
  // NPU: nn.conv {{.*}} engine = "cluster", refusals = {npu = "the attribute 'engine' names 'cluster'; {{.*}} cycles here, {{.*}} on 'cluster'"}}
  nn.conv ins(%x, %w : memref<1x32x16x16xi8>, memref<32x32x3x3xi8>) outs(%o : memref<1x32x14x14xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "cluster"}
  // NPU: nn.conv {{.*}} engine = "npu", refusals = {cluster = "too large for it"}}
  nn.conv ins(%x, %w : memref<1x32x16x16xi8>, memref<32x32x3x3xi8>) outs(%o : memref<1x32x14x14xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, refusals = {cluster = "too large for it", npu = "not the one that is taken"}}
  func.return
}

// A grid that names an engine speaks for its kernels.

// NPU-LABEL: func.func @grids
func.func @grids(%a: memref<8x8xi8>, %b: memref<8xi32>) {
  // NPU: nn.reduce {{.*}} accumulator = i32}
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 4, 0] [4, 8] in "L1" : memref<8x8xi8>)
      outs(%tb = %b[%i * 4] [4] in "L1" : memref<8xi32>)
      attributes {engine = "cluster"} {
    nn.reduce ins(%ta : memref<4x8xi8, "L1">) outs(%tb : memref<4xi32, "L1">)
      {kind = "sum", axes = array<i64: 1>, accumulator = i32}
    hier.yield
  }
  // NPU: nn.reduce {{.*}} accumulator = i32, engine = "cluster", refusals = {npu = "it runs nn.conv, not nn.reduce"}}
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 4, 0] [4, 8] in "L1" : memref<8x8xi8>)
      outs(%tb = %b[%i * 4] [4] in "L1" : memref<8xi32>) {
    nn.reduce ins(%ta : memref<4x8xi8, "L1">) outs(%tb : memref<4xi32, "L1">)
      {kind = "sum", axes = array<i64: 1>, accumulator = i32}
    hier.yield
  }
  func.return
}
