// RUN: opt-tool %s -p convert-kernels-to-loops{vectors} --remarks - -o %t 2>&1 | filecheck %s --check-prefix=VECTORS
// RUN: opt-tool %s -p convert-kernels-to-loops --remarks - -o %t 2>&1 | filecheck %s --check-prefix=SCALAR

// VECTORS: "sum": remark: [convert-kernels-to-loops] passed vectorisation of 'nn.reduce': several partial sums along contiguous memory
// VECTORS-NOT: remark
// SCALAR: "sum": remark: [convert-kernels-to-loops] missed vectorisation of 'nn.reduce': one element at a time: sums along contiguous memory are split with the option vectors, as their order changes
// SCALAR-NOT: remark
func.func @sums(%x: memref<4x40xf32>, %o: memref<4xf32>, %y: memref<40x4xf32>) {
  nn.reduce ins(%x : memref<4x40xf32>) outs(%o : memref<4xf32>) {kind = "sum", axes = array<i64: 1>, accumulator = f32} loc("sum")
  nn.reduce ins(%y : memref<40x4xf32>) outs(%o : memref<4xf32>) {kind = "sum", axes = array<i64: 0>, accumulator = f32} loc("columns")
  func.return
}
