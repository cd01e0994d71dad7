// RUN: opt-tool %s -p 'map-layers{order=BG}' | filecheck %s
// RUN: opt-tool %s -p 'map-layers{order=BG points=1}' | filecheck %s
// RUN: opt-tool %s -p 'map-layers{order=g}' | filecheck %s --check-prefix=ONE

// CHECK: linalg.add {hmp.layer = 0 : i64, engine = "big"}
// CHECK: linalg.mul {hmp.layer = 1 : i64, engine = "gpu"}
// ONE: linalg.add {hmp.layer = 0 : i64, engine = "gpu"}
// ONE: linalg.mul {hmp.layer = 1 : i64, engine = "gpu"}
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
