// RUN: opt-tool %s -p 'map-layers{order=BG},outline-stages,bufferize,pipeline-frames{frames=4},verify-memory' | filecheck %s

// A value of the first stage goes by one stream to the second, and by another, three slots deep, to the sink.

// CHECK: func.func private @stage0_big(%x: memref<4xf32>, %{{.*}}: memref<4xf32> {tilewright.output}) attributes {engine = "big", hmp.layers = array<i64: 0, 0>}
// CHECK: func.func private @stage1_gpu(
// CHECK-LABEL: func.func @network(%x: memref<4x4xf32>, %a: memref<4x4xf32> {onnx.name = "a", tilewright.output}, %b: memref<4x4xf32> {onnx.name = "b", tilewright.output})
// CHECK: %[[X:.*]] = hier.stream depth 2 : !hier.stream<memref<4xf32>>
// CHECK: %[[A:.*]] = hier.stream depth 2 : !hier.stream<memref<4xf32>>
// CHECK: %[[AOUT:.*]] = hier.stream depth 3 : !hier.stream<memref<4xf32>>
// CHECK: %[[B:.*]] = hier.stream depth 2 : !hier.stream<memref<4xf32>>
// CHECK: hier.program "source"
// CHECK: hier.program "stage0_big" on "big"
// CHECK: %[[IN:.*]] = hier.pop %[[X]]
// CHECK: %[[FIRST:.*]] = hier.reserve %[[A]]
// CHECK: %[[SECOND:.*]] = hier.reserve %[[AOUT]]
// CHECK: func.call @stage0_big(%[[IN]], %[[FIRST]])
// CHECK: memref.copy %[[FIRST]], %[[SECOND]]
// CHECK: hier.push %[[A]]
// CHECK: hier.push %[[AOUT]]
// CHECK: hier.release %[[X]]
// CHECK: hier.program "stage1_gpu" on "gpu"
// CHECK: hier.program "sink"
module attributes {hier.machine = {name = "two", levels = {RAM = {size = 65536 : i64}}, engines = {
  big = {level = "RAM", runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}},
  gpu = {level = "RAM", runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}}}}} {
  func.func @network(%x: tensor<4xf32>) -> (tensor<4xf32> {onnx.name = "a"}, tensor<4xf32> {onnx.name = "b"}) {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.add {hmp.layer = 0 : i64} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.mul {hmp.layer = 1 : i64} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    func.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}
