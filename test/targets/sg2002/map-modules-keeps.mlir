// RUN: opt-tool %s -p 'map-modules{core=little}' | filecheck %s

// What is no kernel gets no engine.
// CHECK-NOT: engine
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  func.return %e : tensor<4xf32>
}
