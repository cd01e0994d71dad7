// RUN: opt-tool %s -p decompose-functions > %t && opt-tool %s | diff - %t

// Operators with a lowering stay, though ONNX has bodies for them, and so do those that have neither.

func.func @kept(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x1xi32> {
  %a = onnx.LayerNormalization(%x, %s) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %b = onnx.Gelu(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %c = onnx.Multinomial(%b) : (tensor<2x4xf32>) -> tensor<2x1xi32>
  func.return %c : tensor<2x1xi32>
}
