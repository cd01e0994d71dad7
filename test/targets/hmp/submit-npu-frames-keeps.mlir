// RUN: opt-tool %s -p submit-npu-frames | filecheck %s

// A stage that takes one frame, and a function that is no stage, stay as they are.
// CHECK-NOT: _submit
// CHECK: func.call @stage0_npu(%x, %t)
// CHECK-NEXT: func.call @other(%t, %y)
// CHECK-NOT: _submit
func.func private @stage0_npu(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) attributes {engine = "npu",
    hmp.layers = array<i64: 0, 0>} {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  func.return
}
func.func private @other(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) attributes {hmp.outstanding = 3 : i64} {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  func.return
}
func.func @network(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<4xf32>
  func.call @stage0_npu(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @other(%t, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
