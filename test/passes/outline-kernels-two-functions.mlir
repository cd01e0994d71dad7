// RUN: opt-tool %s -p outline-kernels | filecheck %s

// Kernels of several functions have names of their own.

func.func @first(%a: memref<4xi8>, %b: memref<4xi8>) {
  "memref.copy"(%a, %b) : (memref<4xi8>, memref<4xi8>) -> ()
  return
}

func.func @second(%a: memref<8xi8>, %b: memref<8xi8>) {
  "memref.copy"(%a, %b) : (memref<8xi8>, memref<8xi8>) -> ()
  return
}

// CHECK:      func.func private @copy_0(
// CHECK:      func.func @first(
// CHECK:        func.call @copy_0(
// CHECK:      func.func private @copy_1(
// CHECK:      func.func @second(
// CHECK:        func.call @copy_1(
