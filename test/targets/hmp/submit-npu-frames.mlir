// RUN: opt-tool %s -p submit-npu-frames | filecheck %s
// RUN: opt-tool %s -p 'submit-npu-frames,pipeline-frames{frames=8},verify-memory' | filecheck %s --check-prefix=FRAMES
// RUN: opt-tool %s -p 'submit-npu-frames,lower-npu-stages' | filecheck %s --check-prefix=LOWERED
// RUN: opt-tool %s -p 'submit-npu-frames,pipeline-frames{frames=8},lower-npu-stages,allocate-static,convert-to-emitc' -t c | filecheck %s --check-prefix=C

// The inputs of a stage that takes three frames are copied by a function of its own.
// CHECK: func.func private @stage0_npu(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output})
// CHECK: func.func private @stage0_npu_submit(%x: memref<4xf32>, %x_slot: memref<4xf32> {tilewright.output})
// CHECK-SAME: hmp.submits = @stage0_npu
// CHECK-NEXT: memref.copy %x, %x_slot
// CHECK: func.func @network
// CHECK-NEXT: %t = memref.alloc
// CHECK-NEXT: %x_slot = memref.alloc
// CHECK-NEXT: func.call @stage0_npu_submit(%x, %x_slot)
// CHECK-NEXT: func.call @stage0_npu(%x_slot, %t)
// CHECK-NEXT: func.call @stage1_big(%t, %y)

// It is a program, whose stream has three slots.
// FRAMES: hier.stream depth 3 : !hier.stream<memref<4xf32>>
// FRAMES: hier.program "stage0_npu_submit" on "npu"
// FRAMES: hier.program "stage0_npu" on "npu"

// LOWERED: vendor.collect outs(%y) : (memref<4xf32>) {artifact = {{.*}}, outstanding = 3 : i64}
// LOWERED: func.func private @stage0_npu_submit
// LOWERED-NEXT: vendor.submit @stage0_npu ins(%x) : (memref<4xf32>)
// LOWERED: vendor.open [@stage0_npu]

// C: tw_npu_input(&stage0_npu_stage, 0, x);
// C-NEXT: tw_npu_stage_submit(&stage0_npu_stage, -1);
// C: .outstanding = 3u,
// C: tw_npu_output(&stage0_npu_stage, 0, y);
// C-NEXT: tw_npu_stage_collect(&stage0_npu_stage, -1);
func.func private @stage0_npu(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) attributes {engine = "npu",
    hmp.layers = array<i64: 0, 0>, hmp.outstanding = 3 : i64, hmp.artifact = {plugin = "reference", target = "reference",
    file = "stage0_npu.twnpu", sha256 = "00", determinism = 0 : i64, isolated = true, milliseconds = 50 : i64}} {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  func.return
}
func.func private @stage1_big(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) attributes {engine = "big",
    hmp.layers = array<i64: 1, 1>} {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  func.return
}
func.func @network(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<4xf32>
  func.call @stage0_npu(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @stage1_big(%t, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
