// RUN: opt-tool %s -p attach-machine{target=%S/../../machines/npu_cluster.toml},map-engines -t engines | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=%S/../../machines/npu_cluster.toml} -t engines | filecheck %s

// The engines are the same before and after they are written to the kernels.

// CHECK:      npu: 1 kernel, 100.0% of 1,806,336 multiply-accumulates
// CHECK-NEXT: cluster: 2 kernels, 0.0% of 1,806,336 multiply-accumulates
// CHECK-NEXT:   1. nn.conv 'first' on npu, 1,806,336 multiply-accumulates
// CHECK-NEXT:      cluster: {{.*}} cycles here, {{.*}} on 'npu'
// CHECK-NEXT:   2. memref.copy 'between' on cluster
// CHECK-NEXT:      npu: it runs nn.conv, not memref.copy
// CHECK-NEXT:   3. nn.reduce 'sum' on cluster
// CHECK-NEXT:      npu: it runs nn.conv, not nn.reduce
func.func @network(%x: memref<1x32x16x16xi8>, %w: memref<32x32x3x3xi8>, %o: memref<1x32x14x14xi32>, %p: memref<1x32x14x14xi32>, %y: memref<1x14x14xi32>) {
  nn.conv ins(%x, %w : memref<1x32x16x16xi8>, memref<32x32x3x3xi8>) outs(%o : memref<1x32x14x14xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32} loc("first")
  "memref.copy"(%o, %p) : (memref<1x32x14x14xi32>, memref<1x32x14x14xi32>) -> () loc("between")
  nn.reduce ins(%p : memref<1x32x14x14xi32>) outs(%y : memref<1x14x14xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32} loc("sum")
  func.return
}
