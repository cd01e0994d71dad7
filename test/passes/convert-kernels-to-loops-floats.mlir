// RUN: opt-tool %s -p convert-kernels-to-loops | filecheck %s

// A pooling of floats runs over the taps and then over channels, 64 of them at a time, in a buffer of their own.

// CHECK-LABEL: func.func @pool
// CHECK:         %[[FOLDED:.*]] = memref.alloca() {{.*}} : memref<64xf32>
// CHECK:         memref.store %{{.*}}, %[[FOLDED]][%{{.*}}]
// CHECK:         scf.for %{{.*}} =
// CHECK:           scf.for %{{.*}} =
// CHECK:             scf.for %[[L:.*]] =
// CHECK:               %[[OLD:.*]] = memref.load %[[FOLDED]][%[[L]]]
// CHECK:               arith.maximumf %[[OLD]], %{{.*}}
// CHECK-NEXT:          memref.store %{{.*}}, %[[FOLDED]][%[[L]]]
// CHECK:             } {tilewright.independent}
func.func @pool(%x: memref<1x9x9x64xf32>, %o: memref<1x5x5x64xf32>) {
  nn.pool ins(%x : memref<1x9x9x64xf32>) outs(%o : memref<1x5x5x64xf32>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
     pads = array<i64: 1, 1, 1, 1>, accumulator = f32, channels_last}
  func.return
}

// Channels first, sums run over the window as before.

// CHECK-LABEL: func.func @channels_first
// CHECK-NOT:     memref.alloca
// CHECK:         iter_args
func.func @channels_first(%x: memref<1x64x9x9xf32>, %o: memref<1x64x5x5xf32>) {
  nn.pool ins(%x : memref<1x64x9x9xf32>) outs(%o : memref<1x64x5x5xf32>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
     pads = array<i64: 1, 1, 1, 1>, accumulator = f32}
  func.return
}
