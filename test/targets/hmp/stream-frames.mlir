// RUN: opt-tool %s -p 'map-layers{order=BBL},outline-stages,bufferize,pipeline-frames{frames=4},verify-memory,stream-frames' -o %t
// RUN: filecheck %s --input-file %t
// RUN: opt-tool %t -p outline-kernels,convert-kernels-to-loops,convert-to-emitc -t c | filecheck %s --check-prefix=C

// An input that two stages read is read once, and copied; a mark is at the begin of each layer.
// CHECK: hier.threads = "tilewright_pipeline.h"
// CHECK: func.func private @stage0_big(
// CHECK-NOT: hmp.mark
// CHECK: linalg.add
// CHECK: hmp.mark "layer" {layer = 1 : i64}
// CHECK-NEXT: linalg.mul
// CHECK-LABEL: func.func @network()
// CHECK: hier.program "source" {
// CHECK-NEXT: scf.while () : () -> () {
// CHECK-NEXT: %[[MORE:.*]] = hmp.next_frame
// CHECK-NEXT: scf.condition(%[[MORE]])
// CHECK: %[[FIRST:.*]] = hier.reserve
// CHECK: %[[SECOND:.*]] = hier.reserve
// CHECK: hmp.read_frame %[[FIRST]] {port = 0 : i64} : memref<4xf32>
// CHECK: memref.copy %[[FIRST]], %[[SECOND]]
// CHECK: hier.program "stage0_big" on "big" {
// CHECK: hmp.mark "task"
// CHECK-NEXT: hmp.mark "layer" {layer = 0 : i64}
// CHECK-NEXT: func.call @stage0_big
// CHECK-NEXT: hmp.mark "send"
// CHECK: hier.program "sink" {
// CHECK: hmp.write_frame %{{.*}} {port = 0 : i64} : memref<4xf32>
// CHECK: hmp.write_frame %{{.*}} {port = 1 : i64} : memref<4xf32>

// C: #include <pthread.h>
// C: bool tw_frame_next(void);
// C: static void network_source(void) {
// C: do {
// C-NEXT: const bool [[GO:.*]] = tw_frame_next();
// C: tw_frame_read(0, (void *){{.*}}, 16);
// C: void network_run(void) {
// C: tw_program_name(&network_programs[1], "stage0_big", "big");
module attributes {hier.machine = {name = "two", levels = {RAM = {size = 65536 : i64}}, engines = {
  big = {level = "RAM", runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}},
  little = {level = "RAM", runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}}}}} {
  func.func @network(%x: tensor<4xf32>) -> (tensor<4xf32> {onnx.name = "a"}, tensor<4xf32> {onnx.name = "b"}) {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.add {hmp.layer = 0 : i64} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.mul {hmp.layer = 1 : i64} ins(%a, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %c = linalg.sub {hmp.layer = 2 : i64} ins(%b, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    func.return %a, %c : tensor<4xf32>, tensor<4xf32>
  }
}
