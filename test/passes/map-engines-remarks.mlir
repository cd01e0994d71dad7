// RUN: opt-tool %s -p attach-machine{target=%S/../machines/npu_cluster.toml},map-engines --remarks-filter=map-engines --verify-diagnostics -o %t
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/two_level.toml},map-engines --remarks - -o %t 2>&1 | filecheck %s --check-prefix=ONE
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/npu_cluster.toml},map-engines -o %t.1
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/npu_cluster.toml},map-engines --remarks %t.json -o - | diff - %t.1

// A machine with one engine refuses nothing.
// ONE: passed engine of 'nn.conv': 'cluster', {{[0-9,]+}} cycles modelled, the least of those that run it
// ONE-NOT: missed

func.func @network(%x: tensor<1x32x16x16xi8>, %w: tensor<32x32x3x3xi8>, %o: tensor<1x32x16x16xi32>, %y: tensor<1x1x4x4xi32>,
                   %v: tensor<1x1x3x3xi32>, %z: tensor<1x1x2x2xi32>) {
  // expected-remark@+2 {{passed engine of 'nn.conv': 'npu', 21,178 cycles modelled, the least of those that run it}}
  // expected-remark@+1 {{missed engine of 'nn.conv': not 'cluster': 254,042 cycles here, 21,178 on 'npu'}}
  %0 = nn.conv ins(%x, %w : tensor<1x32x16x16xi8>, tensor<32x32x3x3xi8>) outs(%o : tensor<1x32x16x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32}
  // expected-remark-re@+2 {{passed engine of 'nn.conv': 'cluster', {{[0-9,]+}} cycles modelled, named by its attribute}}
  // expected-remark@+1 {{missed engine of 'nn.conv': not 'npu': inputs of i32, not i8}}
  %1 = nn.conv ins(%y, %v : tensor<1x1x4x4xi32>, tensor<1x1x3x3xi32>) outs(%z : tensor<1x1x2x2xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "cluster"}
  func.return
}
