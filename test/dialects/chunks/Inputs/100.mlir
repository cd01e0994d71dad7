// {"kind": "linalg.log", "entry": "chunk100", "traits": ["libm"], "arguments": [["a0", ["tensor", [2, 1], "f32"], [0, 0], false], ["a1", ["tensor", [2, 1], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2, 1], "f32"], [0, 0], true]]}
module {
  func.func @chunk100(%arg0: tensor<2x1xf32>, %arg1: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = linalg.log ins(%arg0 : tensor<2x1xf32>) outs(%arg1 : tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
}
