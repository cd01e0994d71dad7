// RUN: not opt-tool %s -p 'map-layers{order=BGG}' 2>&1 | filecheck %s --check-prefix=LONG
// RUN: not opt-tool %s -p 'map-layers{order=BX}' 2>&1 | filecheck %s --check-prefix=LETTER
// RUN: not opt-tool %s -p 'map-layers{order=BG points=2}' 2>&1 | filecheck %s --check-prefix=POINTS

// LONG: error: [map-layers, pass 1 of 1] the order BGG is for 3 layers, the network has 2
// LETTER: has no processor X
// LETTER: expected:   letters of B (big), G (gpu)
// POINTS: the partition points 2 do not cut 2 layers into 2 parts
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
