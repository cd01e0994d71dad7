// RUN: opt-tool %s -p outline-stages | filecheck %s
// RUN: opt-tool %s -p outline-stages --interpret-each -o %t

// A stage returns what later stages and the network's results use; constants are its own.
// CHECK: func.func private @stage0_big(%x: tensor<4xf32>) -> tensor<4xf32> attributes {engine = "big", hmp.layers = array<i64: 0, 0>}
// CHECK-NEXT: tensor.empty
// CHECK: func.func private @stage1_gpu(%a: tensor<4xf32>) -> tensor<4xf32> attributes {engine = "gpu", hmp.layers = array<i64: 1, 1>}
// CHECK-LABEL: func.func @network(
// CHECK: %[[A:.*]] = func.call @stage0_big(%x)
// CHECK: %[[B:.*]] = func.call @stage1_gpu(%[[A]])
// CHECK: func.return %[[A]], %[[B]]
module attributes {hier.machine = {name = "two", levels = {RAM = {size = 65536 : i64}}, engines = {
  big = {level = "RAM", runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}},
  gpu = {level = "RAM", runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}}}}} {
  func.func @network(%x: tensor<4xf32>) -> (tensor<4xf32> {onnx.name = "a"}, tensor<4xf32> {onnx.name = "b"}) {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.add {hmp.layer = 0 : i64, engine = "big"} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.mul {hmp.layer = 1 : i64, engine = "gpu"} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    func.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}
