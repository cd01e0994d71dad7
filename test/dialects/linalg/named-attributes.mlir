// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s -o %t.mlir
// RUN: opt-tool %t.mlir | filecheck %s

// Attributes of a named op stand before its operands, as upstream has them; xDSL's form behind these is read too.
// CHECK: linalg.add {note = 1 : i64} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
// CHECK: linalg.exp {note = 2 : i64} ins(
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add {note = 1 : i64} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) attrs = {note = 2 : i64} -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
