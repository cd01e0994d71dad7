// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// A tile's offset with an entry of a table, and the op of the explicit level.
func.func @network(%pool: memref<64x16xi8>, %table: memref<2x3xindex>, %out: memref<2x3x16xi8>) {
  // CHECK:      hier.grid (%h, %i) in [2, 3]
  // CHECK-NEXT:     ins(%tt = %table : memref<2x3xindex>,
  // CHECK-NEXT:         %row = %pool[%table[%h, %i * -1 + 2] in [-1, 15) * 4 + 4, 0] [1, 16] in "L1" address 0 stages 2 : memref<64x16xi8>)
  hier.grid (%h, %i) in [2, 3]
      ins(%tt = %table : memref<2x3xindex>,
          %row = %pool[%table[%h, 2 - %i] in [-1, 15) * 4 + 4, 0] [1, 16] in "L1" address 0 stages 2 : memref<64x16xi8>)
      outs(%to = %out[%h, %i, 0] [1, 1, 16] : memref<2x3x16xi8>) {
    hier.yield
  }
  %zero = arith.constant 0 : index
  // CHECK:      hier.lookup %table[%{{.*}}, %{{.*}}] in [0, 60) : memref<2x3xindex>
  %start = hier.lookup %table[%zero, %zero] in [0, 60) : memref<2x3xindex>
  func.return
}
