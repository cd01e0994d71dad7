// RUN: opt-tool %s -p order-weights > %t && opt-tool %s | diff - %t

// One call passes weights that are no constant, and another op reads those that are.

memref.global "private" constant @weights : memref<1x2x16x4xi8> = dense<1>
memref.global "private" constant @shared : memref<1x2x16x4xi8> = dense<1>

func.func private @kernel(%x: memref<4x8xi8>, %w: memref<1x2x16x4xi8>, %sums: memref<4x16xi32>, %i: index) {
  packed.dot_tile %x[%i], %w[%i] into %sums {step = 1 : i64, dilations = array<i64>, kernel = array<i64>}
    : memref<4x8xi8>, memref<1x2x16x4xi8>, memref<4x16xi32>
  func.return
}

func.func private @other(%x: memref<4x8xi8>, %w: memref<1x2x16x4xi8>, %sums: memref<4x16xi32>, %i: index) {
  packed.dot_tile %x[%i], %w[%i] into %sums {step = 1 : i64, dilations = array<i64>, kernel = array<i64>}
    : memref<4x8xi8>, memref<1x2x16x4xi8>, memref<4x16xi32>
  func.return
}

func.func @network(%x: memref<4x8xi8>, %v: memref<1x2x16x4xi8>, %sums: memref<4x16xi32>, %i: index) -> i8 {
  %w = memref.get_global @weights : memref<1x2x16x4xi8>
  %s = memref.get_global @shared : memref<1x2x16x4xi8>
  func.call @kernel(%x, %w, %sums, %i) : (memref<4x8xi8>, memref<1x2x16x4xi8>, memref<4x16xi32>, index) -> ()
  func.call @kernel(%x, %v, %sums, %i) : (memref<4x8xi8>, memref<1x2x16x4xi8>, memref<4x16xi32>, index) -> ()
  func.call @other(%x, %s, %sums, %i) : (memref<4x8xi8>, memref<1x2x16x4xi8>, memref<4x16xi32>, index) -> ()
  %y = memref.load %s[%i, %i, %i, %i] : memref<1x2x16x4xi8>
  func.return %y : i8
}
