// RUN: opt-tool %s -p lower-npu-stages | filecheck %s
// RUN: opt-tool %s -p lower-npu-stages,allocate-static,convert-to-emitc -t c | filecheck %s --check-prefix=C

// A stage with an artefact becomes a call of its plug-in, which the network opens first; one without keeps its body.
// CHECK: func.func private @stage0_npu(%x: memref<2x4xi8>, %y: memref<4xf32> {tilewright.output})
// CHECK-NEXT: vendor.run ins(%x) outs(%y) : (memref<2x4xi8>), (memref<4xf32>)
// CHECK-NEXT: func.return
// CHECK: func.func private @stage1_npu
// CHECK-NEXT: memref.copy
// CHECK: func.func @network
// CHECK-NEXT: vendor.open [@stage0_npu]
// CHECK-NEXT: memref.alloc

// C: static const tw_npu_tensor stage0_npu_tensors[] = {
// C-NEXT: {.type = 3u, .rank = 2u, .dims = {2, 4}, .strides = {4, 1}, .bytes = 8u},
// C-NEXT: {.type = 0u, .rank = 1u, .dims = {4}, .strides = {4}, .bytes = 16u},
// C: .stage = "stage0_npu",
// C: .isolated = 1u,
// C: .milliseconds = 50u,
// C: stage0_npu(const int8_t *x, tw_f32 *y) {
// C-NEXT: tw_npu_input(&stage0_npu_stage, 0, x);
// C-NEXT: tw_npu_output(&stage0_npu_stage, 0, y);
// C-NEXT: tw_npu_stage_run(&stage0_npu_stage);
// C: void network_run(const int8_t x[8], float y[4]) {
// C-NEXT: tw_npu_stage_prepare(&stage0_npu_stage);
func.func private @stage0_npu(%x: memref<2x4xi8>, %y: memref<4xf32> {tilewright.output}) attributes {engine = "npu", hmp.artifact = {
    plugin = "reference", target = "reference", file = "stage0_npu.twnpu", sha256 = "00", determinism = 0 : i64, isolated = true,
    milliseconds = 50 : i64}} {
  %zero = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  memref.store %v, %y[%zero] : memref<4xf32>
  func.return
}
func.func private @stage1_npu(%x: memref<4xf32>, %y: memref<4xf32> {tilewright.output}) attributes {engine = "npu"} {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  func.return
}
func.func @network(%x: memref<2x4xi8>, %y: memref<4xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<4xf32>
  func.call @stage0_npu(%x, %t) : (memref<2x4xi8>, memref<4xf32>) -> ()
  func.call @stage1_npu(%t, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
