// RUN: opt-tool %s -p convert-to-opencl,convert-to-emitc -t c | filecheck %s

// Launches go up to the mark of the next layer; a launch without an index space of more than a point is one work-item.
// CHECK: {"one", "", {1, 1, 1}, 0, 1, NULL},
// CHECK: static TW_KERNEL void stage0_gpu(tw_f32 *y) {
// CHECK-NEXT: tw_mark_layer(0);
// CHECK-NEXT: tw_opencl_run(&network_stage0_gpu, 0, 2);
// CHECK-NEXT: tw_mark_layer(1);
// CHECK-NEXT: tw_opencl_run(&network_stage0_gpu, 2, 3);
// CHECK-NEXT: tw_opencl_output(&network_stage0_gpu, 0, y);
func.func private @one(%out: memref<4xf32>) attributes {engine = "gpu"} {
  %c0 = arith.constant 0 : index
  %0 = arith.constant 1.0 : f32
  memref.store %0, %out[%c0] : memref<4xf32>
  func.return
}
func.func private @stage0_gpu(%y: memref<4xf32> {tilewright.output}) attributes {engine = "gpu", hmp.layers = array<i64: 0, 1>} {
  hmp.mark "layer" {layer = 0 : i64}
  func.call @one(%y) : (memref<4xf32>) -> ()
  func.call @one(%y) : (memref<4xf32>) -> ()
  hmp.mark "layer" {layer = 1 : i64}
  func.call @one(%y) : (memref<4xf32>) -> ()
  func.return
}
func.func @network(%y: memref<4xf32> {tilewright.output}) {
  func.call @stage0_gpu(%y) : (memref<4xf32>) -> ()
  func.return
}
