// RUN: opt-tool %s -p outline-kernels | filecheck %s
// RUN: opt-tool %s -p outline-kernels,convert-kernels-to-loops,convert-to-emitc -t c | filecheck %s --check-prefix=C

// Kernels on parts of a buffer share a function wherever in it these begin; the call says where.

// CHECK:       func.func private @fill_0(%out: memref<2x8xi8, strided<[8, 1], offset: ?>>) {
// CHECK-NOT:   func.func private
// CHECK:       func.func @network
// CHECK:         %[[P:.*]] = memref.cast %p : memref<2x8xi8, strided<[8, 1]>> to memref<2x8xi8, strided<[8, 1], offset: ?>>
// CHECK:         func.call @fill_0(%[[P]])
// CHECK:         %[[Q:.*]] = memref.cast %q : memref<2x8xi8, strided<[8, 1], offset: 16>> to memref<2x8xi8, strided<[8, 1], offset: ?>>
// CHECK:         func.call @fill_0(%[[Q]])
// CHECK:         %[[R:.*]] = memref.cast %r
// CHECK:         func.call @fill_0(%[[R]])

// C: fill_0(x)
// C: fill_0(x + 16)
// C: fill_0(x + 32)
func.func @network(%x: memref<6x8xi8>) {
  %zero = arith.constant 0 : i8
  %p = memref.subview %x[0, 0] [2, 8] [1, 1] : memref<6x8xi8> to memref<2x8xi8, strided<[8, 1]>>
  linalg.fill ins(%zero : i8) outs(%p : memref<2x8xi8, strided<[8, 1]>>)
  %q = memref.subview %x[2, 0] [2, 8] [1, 1] : memref<6x8xi8> to memref<2x8xi8, strided<[8, 1], offset: 16>>
  linalg.fill ins(%zero : i8) outs(%q : memref<2x8xi8, strided<[8, 1], offset: 16>>)
  %r = memref.subview %x[4, 0] [2, 8] [1, 1] : memref<6x8xi8> to memref<2x8xi8, strided<[8, 1], offset: 32>>
  linalg.fill ins(%zero : i8) outs(%r : memref<2x8xi8, strided<[8, 1], offset: 32>>)
  func.return
}
