// RUN: opt-tool %s -p order-weights --mlir-elide-elementsattrs-if-larger=8 | filecheck %s

// Of each 8 features: an offset, their totals, two numbers of words, and the places and weights of four words.

// CHECK:       memref.global "private" constant @weights : memref<376xi8>
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME:  %w: memref<376xi8>
// CHECK-NEXT:    packed.ordered_tile %x[%i, %i, %i], %w[%i] into %sums {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 1>, unsigned}
// CHECK-SAME:    : memref<1x4x4x8xi8>, memref<376xi8>, memref<4x16xi32>
memref.global "private" constant @weights : memref<1x2x2x16x4xi8> = dense<1>
func.func private @kernel(%x: memref<1x4x4x8xi8>, %w: memref<1x2x2x16x4xi8>, %sums: memref<4x16xi32>, %i: index) {
  packed.dot_tile %x[%i, %i, %i], %w[%i] into %sums
    {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 1>, unsigned}
    : memref<1x4x4x8xi8>, memref<1x2x2x16x4xi8>, memref<4x16xi32>
  func.return
}

// CHECK-LABEL: func.func @network
// CHECK:         memref.get_global @weights : memref<376xi8>
func.func @network(%x: memref<1x4x4x8xi8>, %sums: memref<4x16xi32>, %i: index) {
  %w = memref.get_global @weights : memref<1x2x2x16x4xi8>
  func.call @kernel(%x, %w, %sums, %i) : (memref<1x4x4x8xi8>, memref<1x2x2x16x4xi8>, memref<4x16xi32>, index) -> ()
  func.return
}
