// RUN: opt-tool %s --target gemmini -p attach-machine{target=gemmini},split-pools | filecheck %s

// CHECK-LABEL: func.func @pool
// CHECK-NEXT:    %[[SUMS:.*]] = memref.alloc() : memref<1x9x9x32xi32>
// CHECK-NEXT:    nn.add ins(%x : memref<1x9x9x32xi8>) outs(%[[SUMS]] : memref<1x9x9x32xi32>) {accumulator = i32, engine = "loader"}
// CHECK-NEXT:    nn.pool ins(%[[SUMS]] : memref<1x9x9x32xi32>) outs(%y : memref<1x4x4x32xi8>) {{.*}}engine = "storer"} epilogue() at [] {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: i32):
// CHECK:           quant.rescale %[[S]], %{{.*}} zero 0 clip -128 to 127
func.func @pool(%x: memref<1x9x9x32xi8>, %y: memref<1x4x4x32xi8>) {
  nn.pool ins(%x : memref<1x9x9x32xi8>) outs(%y : memref<1x4x4x32xi8>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  func.return
}
