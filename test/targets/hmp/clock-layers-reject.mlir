// RUN: not opt-tool %s -p 'map-layers{order=BG},clock-layers{mhz=600}' 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not opt-tool %s -p 'map-layers{order=BG},clock-layers{mhz=600+600}' 2>&1 | filecheck %s --check-prefix=POINT
// RUN: not opt-tool %s -p 'clock-layers{mhz=600+0}' 2>&1 | filecheck %s --check-prefix=UNMAPPED
// RUN: not opt-tool %s -p 'clock-layers{mhz=600+fast}' 2>&1 | filecheck %s --check-prefix=NUMBER

// COUNT: 1 clocks for 2 layers
// POINT: gpu has no clock 600
// POINT: expected:   400, 800
// UNMAPPED: layer 0 has a clock, but no processor
// NUMBER: 'fast' is no clock
module attributes {hier.machine = {name = "two", clock = {mhz = [1000.0 : f64]}, levels = {RAM = {size = 65536 : i64}}, engines = {
  big = {level = "RAM", clock = {mhz = [600.0 : f64, 1800.0 : f64]}, runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}},
  gpu = {level = "RAM", clock = {mhz = [400.0 : f64, 800.0 : f64]}, runs = {"*" = {cost = "per_element", cycles = 1.0 : f64}}}}}} {
  func.func @network(%x: tensor<4xf32>) -> (tensor<4xf32> {onnx.name = "a"}, tensor<4xf32> {onnx.name = "b"}) {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.add {hmp.layer = 0 : i64} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.mul {hmp.layer = 1 : i64} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    func.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}
