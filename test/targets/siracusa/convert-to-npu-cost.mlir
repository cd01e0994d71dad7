// RUN: opt-tool %s -p attach-machine{target=%S/npu/npu.toml},convert-to-npu | filecheck %s --check-prefix=NPU
// RUN: opt-tool %s -p attach-machine{target=%S/npu/npu.toml},convert-to-npu{engine=npu2} | filecheck %s --check-prefix=NONE
// RUN: opt-tool %s -p attach-machine{target=%S/npu/npu.toml},convert-to-npu,canonicalize,bufferize,map-engines | filecheck %s --check-prefix=MAPPED
// RUN: not opt-tool %s -p convert-to-npu 2>&1 | filecheck %s --check-prefix=MACHINE

// MACHINE: the module has no machine

// The NPU takes what is faster there; a product of one row is not, unless its attribute says so. An engine that the
// machine does not have takes nothing.

// NONE-NOT: npu.conv ins

// NPU-LABEL: func.func @network
// NPU:       npu.conv ins({{.*}} engine = "npu", refusals = {cluster = "101,466 cycles here, 1,365 on 'npu'"}}
// NPU:       nn.matmul ins({{.*}} {accumulator = i32, refusals = {npu = "{{.*}} cycles here, {{.*}} on 'cluster'"}}
// NPU:       npu.matmul ins({{.*}} engine = "npu"
// MAPPED:    npu.conv ins({{.*}} engine = "npu", refusals = {cluster = "101,466 cycles here, 1,365 on 'npu'"}}
// MAPPED:    nn.matmul ins({{.*}} engine = "cluster", refusals = {npu = "{{.*}} cycles here, {{.*}} on 'cluster'"}}
// MAPPED:    npu.matmul ins({{.*}} engine = "npu", refusals
func.func @network(%x: tensor<1x12x12x28xi8>, %a: tensor<1x40xi8>) -> (tensor<1x12x12x32xi32>, tensor<1x8xi32>, tensor<1x8xi32>) {
  %w = arith.constant dense<1> : tensor<32x3x3x28xi8>
  %o = tensor.empty() : tensor<1x12x12x32xi32>
  %y = nn.conv ins(%x, %w : tensor<1x12x12x28xi8>, tensor<32x3x3x28xi8>) outs(%o : tensor<1x12x12x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32,
     channels_last}
  %v = arith.constant dense<1> : tensor<40x8xi8>
  %p = tensor.empty() : tensor<1x8xi32>
  %z = nn.matmul ins(%a, %v : tensor<1x40xi8>, tensor<40x8xi8>) outs(%p : tensor<1x8xi32>) {accumulator = i32}
  %q = nn.matmul ins(%a, %v : tensor<1x40xi8>, tensor<40x8xi8>) outs(%p : tensor<1x8xi32>) {accumulator = i32, engine = "npu"}
  func.return %y, %z, %q : tensor<1x12x12x32xi32>, tensor<1x8xi32>, tensor<1x8xi32>
}
