// RUN: opt-tool %s -p outline-kernels | filecheck %s

// Kernels of several functions have names of their own.

func.func @first(%a: memref<4xi8>, %b: memref<4xi8>) {
  memref.copy %a, %b : memref<4xi8> to memref<4xi8>
  return
}

func.func @second(%a: memref<8xi8>, %b: memref<8xi8>) {
  memref.copy %a, %b : memref<8xi8> to memref<8xi8>
  return
}

// CHECK:      func.func private @copy_0(
// CHECK:      func.func @first(
// CHECK:        func.call @copy_0(
// CHECK:      func.func private @copy_1(
// CHECK:      func.func @second(
// CHECK:        func.call @copy_1(

// A bucket shares those of its function that it has too.
func.func @step(%a: memref<16xi8>, %b: memref<16xi8>, %c: memref<9xi8>, %d: memref<9xi8>, %at: memref<1xi32> {tilewright.state = array<i64: 1, 9>}) {
  memref.copy %a, %b : memref<16xi8> to memref<16xi8>
  memref.copy %c, %d : memref<9xi8> to memref<9xi8>
  return
}

func.func @step_3(%a: memref<16xi8>, %b: memref<16xi8>, %c: memref<3xi8>, %d: memref<3xi8>, %at: memref<1xi32> {tilewright.state = array<i64: 1, 3>}) attributes {tilewright.bucket_of = "step"} {
  memref.copy %a, %b : memref<16xi8> to memref<16xi8>
  memref.copy %c, %d : memref<3xi8> to memref<3xi8>
  return
}

// CHECK:      func.func private @copy_2(
// CHECK-SAME:   memref<16xi8>
// CHECK:      func.func private @copy_3(
// CHECK-SAME:   memref<9xi8>
// CHECK:      func.func private @copy_4(
// CHECK-SAME:   memref<3xi8>
// CHECK:      func.func @step(
// CHECK:        func.call @copy_2(
// CHECK:        func.call @copy_3(
// CHECK-NOT:  func.func private
// CHECK:      func.func @step_3(
// CHECK:        func.call @copy_2(
// CHECK:        func.call @copy_4(
