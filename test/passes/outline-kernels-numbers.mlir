// RUN: opt-tool %s -p outline-kernels | filecheck %s

// Two kernels that differ in one number share a function that takes it, and that says between which values it lies.

// CHECK:       func.func private @elementwise_0(%out: memref<4xi32>, %factor0: i32 {tilewright.range = array<i64: 3, 5>}) {
// CHECK-NOT:   func.func private
// CHECK:       func.func @network
// CHECK:         %[[A:.*]] = arith.constant 3 : i32
// CHECK-NEXT:    func.call @elementwise_0(%x, %[[A]])
// CHECK:         %[[B:.*]] = arith.constant 5 : i32
// CHECK-NEXT:    func.call @elementwise_0(%y, %[[B]])
func.func @network(%x: memref<4xi32>, %y: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<4xi32>) {
  ^bb0(%o: i32):
    %n = arith.constant 3 : i32
    linalg.yield %n : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<4xi32>) {
  ^bb0(%o: i32):
    %n = arith.constant 5 : i32
    linalg.yield %n : i32
  }
  func.return
}
