// RUN: opt-tool %s -p 'attach-machine{target=gemmini},map-engines,plan-memory,verify-memory{plain=false}' --mlir-print-local-scope | filecheck %s

// Zeros are loads without a source, in rows of 16 sums, the last one partly beyond the buffer; other numbers are the core's.
// CHECK-LABEL: func.func @network
// CHECK:         hier.grid
// CHECK:           linalg.fill {engine = "array"
// CHECK:         hier.grid
// CHECK:           linalg.fill {engine = "array"
// CHECK:         linalg.fill {engine = "core"
func.func @network(%x: memref<64x64xi32>, %y: memref<64x19xi32>, %z: memref<64x64xi32>) {
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  linalg.fill ins(%zero : i32) outs(%x : memref<64x64xi32>)
  linalg.fill ins(%zero : i32) outs(%y : memref<64x19xi32>)
  linalg.fill ins(%five : i32) outs(%z : memref<64x64xi32>)
  func.return
}
