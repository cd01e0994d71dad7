// RUN: not opt-tool %s -p canonicalize --interpret-each 2>&1 | filecheck %s

// CHECK: error: {{.*}}an index is beyond the table that it is looked up in
// CHECK: expected:   0 to 1
// CHECK: found:      2
// CHECK: remedy:     give the table an entry for each index
func.func @network() -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc() : memref<1xf32>
  %f = quant.entry %c2 {table = dense<[0.5, 0.25]> : tensor<2xf32>} : f32
  memref.store %f, %m[%c0] : memref<1xf32>
  func.return %m : memref<1xf32>
}
