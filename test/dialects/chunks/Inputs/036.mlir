// {"kind": "linalg.abs", "entry": "chunk36", "traits": [], "arguments": [["a0", ["tensor", [2, 2, 2], "f32"], [0, 0], false], ["a1", ["tensor", [2, 2, 2], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2, 2, 2], "f32"], [0, 0], true]]}
module {
  func.func @chunk36(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = linalg.abs ins(%arg0 : tensor<2x2x2xf32>) outs(%arg1 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    return %0 : tensor<2x2x2xf32>
  }
}
